"""Reductions, cumulative sums, sorting and searching."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from pytensor.scalar import basic as scalar
from pytensor.tensor.elemwise import CAReduce
from pytensor.tensor.extra_ops import CumOp, SearchsortedOp
from pytensor.tensor.math import Argmax, ProdWithoutZeros
from pytensor.tensor.sort import ArgSortOp, SortOp

from .arrays import Array

if TYPE_CHECKING:
    from .convert import Conversion

REDUCTIONS: dict[type, str] = {
    scalar.Add: "reduce_sum",
    scalar.Mul: "reduce_prod",
    scalar.Maximum: "reduce_max",
    scalar.Minimum: "reduce_min",
    scalar.AND: "reduce_all",
    scalar.OR: "reduce_any",
}


def _axes(axis: Any, rank: int) -> list[int]:
    """PyTensor's axis: None for all, a number, or some numbers."""
    if axis is None:
        return list(range(rank))
    given = [axis] if isinstance(axis, int) else axis
    return sorted(int(entry) % rank for entry in given)


def reduction(to: Conversion, node: Any, arrays: list[Array]) -> list[Array]:
    value, op = arrays[0], REDUCTIONS.get(type(node.op.scalar_op))
    dtype = np.dtype(node.outputs[0].type.dtype)
    if op is None or (op in ("reduce_all", "reduce_any") and value.dtype != np.bool_):
        to.refuse(f"{type(node.op).__name__} with {node.op.scalar_op} of {value.dtype}")
    axes = _axes(node.op.axis, value.rank)
    if not axes:
        return [to.emit.cast(value, dtype)]
    if op in ("reduce_max", "reduce_min", "reduce_all", "reduce_any"):
        return [to.emit.cast(to.emit.reduce(op, value, axes), dtype)]
    wide = _summed_dtype(dtype)
    return [to.emit.cast(to.emit.reduce(op, to.emit.cast(value, wide), axes, wide), dtype)]


def _summed_dtype(dtype: np.dtype) -> np.dtype:
    """Sums of integers are made in 64 bits."""
    if dtype.kind == "f":
        return dtype
    return np.dtype(np.uint64 if dtype.kind == "u" else np.int64)


def product_without_zeros(to: Conversion, node: Any, arrays: list[Array]) -> list[Array]:
    value = arrays[0]
    is_zero = to.emit.elementwise("eq", [value, Array.of(0, value.dtype)], value.dtype, np.bool_)
    dtype = np.dtype(node.outputs[0].type.dtype)
    wide = _summed_dtype(dtype)
    filled = to.emit.where(is_zero, Array.of(1, wide), value, wide)
    axes = _axes(node.op.axis, value.rank)
    product = to.emit.reduce("reduce_prod", filled, axes, wide) if axes else filled
    return [to.emit.cast(product, dtype)]


def argmax(to: Conversion, node: Any, arrays: list[Array]) -> list[Array]:
    value = arrays[0]
    axes = _axes(node.op.axis, value.rank)
    kept = [axis for axis in range(value.rank) if axis not in axes]
    front = to.emit.transpose(value, [*kept, *axes])
    shape = tuple(value.shape[axis] for axis in kept)
    flat = to.emit.reshape(front, (*shape, int(np.prod([value.shape[axis] for axis in axes]))))
    return [to.emit.node("argmax", [flat], shape, np.int64, axis=-1)]


def cumulative(to: Conversion, node: Any, arrays: list[Array]) -> list[Array]:
    value, axis = arrays[0], node.op.axis
    dtype = node.outputs[0].type.dtype
    if axis is None:
        value, axis = to.emit.reshape(value, (value.size,)), 0
    value = to.emit.cast(value, dtype)
    op = "cumsum" if node.op.mode == "add" else "cumprod"
    return [to.emit.node(op, [value], value.shape, dtype, axis=axis % value.rank)]


def sorting(to: Conversion, node: Any, arrays: list[Any]) -> list[Array]:
    """Sort and ArgSort; the axis is the second operand."""
    value = arrays[0]
    axis = to.static(node.inputs[1], arrays[1], "sort along an axis") if len(arrays) > 1 else None
    if axis is None:
        value, number = to.emit.reshape(value, (value.size,)), 0
    else:
        number = int(axis) % value.rank
    is_index = isinstance(node.op, ArgSortOp)
    op = "argsort" if is_index else "sort"
    return [to.emit.node(op, [value], value.shape, np.int64 if is_index else value.dtype, axis=number)]


def searchsorted(to: Conversion, node: Any, arrays: list[Any]) -> list[Array]:
    table, wanted = arrays[:2]
    if len(arrays) > 2 and isinstance(arrays[2], Array):
        table = to.emit.node("take", [table, arrays[2]], arrays[2].shape, table.dtype, axis=0)
    common = np.result_type(table.dtype, wanted.dtype)
    operands = [to.emit.cast(table, common), to.emit.cast(wanted, common)]
    return [to.emit.node("searchsorted", operands, wanted.shape, np.int64, side=node.op.side)]


OPERATORS = {
    CAReduce: reduction,
    ProdWithoutZeros: product_without_zeros,
    Argmax: argmax,
    CumOp: cumulative,
    SearchsortedOp: searchsorted,
    SortOp: sorting,
    ArgSortOp: sorting,
}
