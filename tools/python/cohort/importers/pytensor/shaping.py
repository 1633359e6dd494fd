"""Shapes, joining, filling and what only passes values on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from pytensor import gradient, raise_op
from pytensor.compile import ops as compile_ops
from pytensor.printing import Print
from pytensor.tensor import basic
from pytensor.tensor.elemwise import DimShuffle
from pytensor.tensor.extra_ops import CpuContiguous, FillDiagonal, Repeat
from pytensor.tensor.reshape import JoinDims, SplitDims
from pytensor.tensor.shape import Reshape, Shape, Shape_i, SpecifyShape

from .arrays import Array

if TYPE_CHECKING:
    from .convert import Conversion


def passed_on(to: Conversion, node: Any, arrays: list[Any]) -> list[Array]:
    return [arrays[0]]


def without_gradient(to: Conversion, node: Any, arrays: list[Array]) -> list[Array]:
    array = arrays[0]
    if array.known is not None:
        return [array]
    return [to.emit.node("stop_gradient", [array], array.shape, array.dtype)]


def dim_shuffle(to: Conversion, node: Any, arrays: list[Array]) -> list[Array]:
    order = list(node.op.new_order)
    kept = [axis for axis in order if axis != "x"]
    dropped = [axis for axis in range(arrays[0].rank) if axis not in kept]
    value = to.emit.squeeze(arrays[0], dropped)
    ranks = {axis: position for position, axis in enumerate(sorted(kept))}
    value = to.emit.transpose(value, [ranks[axis] for axis in kept])
    return [to.emit.expand(value, [position for position, axis in enumerate(order) if axis == "x"])]


def shape_of(to: Conversion, node: Any, arrays: list[Array]) -> list[Array]:
    return [Array.of(np.array(arrays[0].shape, dtype=np.int64))]


def extent_of(to: Conversion, node: Any, arrays: list[Array]) -> list[Array]:
    return [Array.of(np.int64(arrays[0].shape[node.op.i]))]


def reshaped(to: Conversion, node: Any, arrays: list[Array]) -> list[Array]:
    static = node.outputs[0].type.shape
    if None not in static:
        return [to.emit.reshape(arrays[0], static)]
    wanted = to.static(node.inputs[1], arrays[1], "Reshape to a shape").tolist()
    given = int(np.prod([extent for extent in wanted if extent != -1]))
    return [to.emit.reshape(arrays[0], [arrays[0].size // max(given, 1) if n == -1 else n for n in wanted])]


def join_dims(to: Conversion, node: Any, arrays: list[Array]) -> list[Array]:
    old, axes = arrays[0].shape, node.op.axis_range
    joined = int(np.prod([old[axis] for axis in axes]))
    return [to.emit.reshape(arrays[0], (*old[: axes.start], joined, *old[axes.stop :]))]


def split_dims(to: Conversion, node: Any, arrays: list[Array]) -> list[Array]:
    old, axis = arrays[0].shape, node.op.axis
    parts = to.static(node.inputs[1], arrays[1], "SplitDims to a shape").tolist()
    return [to.emit.reshape(arrays[0], (*old[:axis], *parts, *old[axis + 1 :]))]


def alloc(to: Conversion, node: Any, arrays: list[Array]) -> list[Array]:
    extents = [
        int(to.static(variable, array, "Alloc of a shape"))
        for variable, array in zip(node.inputs[1:], arrays[1:])
    ]
    return [to.emit.broadcast(arrays[0], extents)]


def alloc_empty(to: Conversion, node: Any, arrays: list[Array]) -> list[Array]:
    extents = [
        int(to.static(variable, array, "AllocEmpty of a shape"))
        for variable, array in zip(node.inputs, arrays)
    ]
    zero = np.zeros((), dtype=node.outputs[0].type.dtype)
    return [Array(extents, zero.dtype, known=np.broadcast_to(zero, extents))]


def make_vector(to: Conversion, node: Any, arrays: list[Array]) -> list[Array]:
    dtype = node.outputs[0].type.dtype
    parts = [to.emit.expand(to.emit.cast(array, dtype), [0]) for array in arrays]
    return [to.emit.concat(parts)]


def join(to: Conversion, node: Any, arrays: list[Array]) -> list[Array]:
    axis = int(to.static(node.inputs[0], arrays[0], "Join along an axis"))
    dtype = node.outputs[0].type.dtype
    parts = [to.emit.cast(array, dtype) for array in arrays[1:]]
    axis %= parts[0].rank
    parts = [part for part in parts if part.shape[axis] > 0] or parts[:1]
    return [to.emit.concat(parts, axis)]


def split(to: Conversion, node: Any, arrays: list[Array]) -> list[Array]:
    value = arrays[0]
    axis = int(to.static(node.inputs[1], arrays[1], "Split along an axis")) % value.rank
    sizes = to.static(node.inputs[2], arrays[2], "Split into sizes").tolist()
    types = [((*value.shape[:axis], n, *value.shape[axis + 1 :]), value.dtype) for n in sizes]
    return to.emit.nodes("split", [value], types, sizes=sizes, axis=axis)


def must_be_static(to: Conversion, node: Any, arrays: list[Array]) -> list[Array]:
    """ARange, Eye and Nonzero of known operands are computed before; what comes here is not known."""
    for variable, array in zip(node.inputs, arrays):
        to.static(variable, array, f"{type(node.op).__name__} of a size")
    raise AssertionError("known operands are folded")


def repeat(to: Conversion, node: Any, arrays: list[Array]) -> list[Array]:
    value, axis = arrays[0], node.op.axis
    repeats = to.static(node.inputs[1], arrays[1], "Repeat of counts")
    counts = np.broadcast_to(repeats, value.shape[axis : axis + 1])
    shape = (*value.shape[:axis], int(counts.sum()), *value.shape[axis + 1 :])
    if counts.size and (counts == counts[0]).all():
        return [to.emit.node("repeat", [value], shape, value.dtype, repeats=int(counts[0]), axis=axis)]
    index = Array.of(np.repeat(np.arange(counts.size), counts))
    return [to.emit.node("take", [value, index], shape, value.dtype, axis=axis)]


def extract_diag(to: Conversion, node: Any, arrays: list[Array]) -> list[Array]:
    value, op = arrays[0], node.op
    others = [axis for axis in range(value.rank) if axis not in (op.axis1, op.axis2)]
    rows, columns = value.shape[op.axis1], value.shape[op.axis2]
    start = np.arange(max(rows, columns))
    i, j = start + max(-op.offset, 0), start + max(op.offset, 0)
    inside = (i < rows) & (j < columns)
    i, j = i[inside], j[inside]
    if value.rank == 2:
        if op.axis1 > op.axis2:
            value = to.emit.transpose(value, [1, 0])
        return [to.emit.node("diag", [value], (i.size,), value.dtype, k=op.offset)]
    front = to.emit.transpose(value, [op.axis1, op.axis2, *others])
    shape = (i.size, *front.shape[2:])
    picked = to.emit.node("gather", [front, Array.of(i), Array.of(j)], shape, value.dtype)
    return [to.emit.transpose(picked, [*range(1, len(shape)), 0])]


def fill_diagonal(to: Conversion, node: Any, arrays: list[Array]) -> list[Array]:
    value, filler = arrays
    if value.rank != 2:
        to.refuse("FillDiagonal of rank other than 2")
    on = Array.of(np.eye(*value.shape, dtype=bool))
    if value.shape[0] > value.shape[1]:  # NumPy's own wraps around in steps of `columns + 1`
        on = Array.of(np.arange(value.size).reshape(value.shape) % (value.shape[1] + 1) == 0)
    return [to.emit.where(on, filler, value, value.dtype)]


def check(to: Conversion, node: Any, arrays: list[Array]) -> list[Array]:
    value, conditions = arrays[0], arrays[1:]
    for condition in conditions:
        if condition.known is None or not condition.known.all():
            truth = to.emit.truth(condition)
            message = str(node.op.msg)
            value = to.emit.node("assert", [value, truth], value.shape, value.dtype, message=message)
    return [value]


def printed(to: Conversion, node: Any, arrays: list[Array]) -> list[Array]:
    value = arrays[0]
    return [to.emit.node("print", [value], value.shape, value.dtype, message=node.op.message)]


OPERATORS = {
    DimShuffle: dim_shuffle,
    Shape: shape_of,
    Shape_i: extent_of,
    SpecifyShape: passed_on,
    Reshape: reshaped,
    JoinDims: join_dims,
    SplitDims: split_dims,
    basic.Alloc: alloc,
    basic.AllocEmpty: alloc_empty,
    basic.MakeVector: make_vector,
    basic.Join: join,
    basic.Split: split,
    basic.ARange: must_be_static,
    basic.Eye: must_be_static,
    basic.Nonzero: must_be_static,
    basic.TensorFromScalar: passed_on,
    basic.ScalarFromTensor: passed_on,
    basic.ExtractDiag: extract_diag,
    Repeat: repeat,
    FillDiagonal: fill_diagonal,
    CpuContiguous: passed_on,
    compile_ops.ViewOp: passed_on,
    compile_ops.DeepCopyOp: passed_on,
    gradient.ZeroGrad: without_gradient,
    gradient.DisconnectedGrad: without_gradient,
    gradient.GradClip: passed_on,
    gradient.GradScale: passed_on,
    gradient.UndefinedGrad: passed_on,
    raise_op.CheckAndRaise: check,
    Print: printed,
}
