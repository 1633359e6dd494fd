"""Transforms other than dense ones: sparse and block-sparse matrices, convolutions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from nengo.builder import transforms as conv
from nengo.builder.operator import BsrDotInc, SparseDotInc

if TYPE_CHECKING:
    from .step import Step


def sparse_dot_inc(step: Step, op: SparseDotInc) -> None:
    """Y[rows] += data * X[columns], entries ordered by row."""
    emit = step.emit
    rows, columns, data = _entries(op.A.initial_value)
    x = step.memory.read(op.X)
    x = emit.reshape(x, (x.size,))
    products = emit.constant(data, f"{emit.scope}.data") * emit.take(x, columns)
    zeros = emit.solid(emit.broadcast(emit.constant(np.zeros(1), "zero"), (op.Y.size,)))
    total = emit.scatter_add(zeros, products, rows) if data.size else zeros
    step.memory.increment(op.Y, emit.reshape(total, op.Y.shape))


def _entries(matrix: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Rows, columns and values of a Nengo or SciPy sparse matrix."""
    if hasattr(matrix, "indices") and getattr(matrix.indices, "ndim", 0) == 2:
        rows, columns, data = matrix.indices[:, 0], matrix.indices[:, 1], matrix.data
    else:
        matrix = matrix.tocoo()
        rows, columns, data = matrix.row, matrix.col, matrix.data
    order = np.lexsort((columns, rows))
    return rows[order].astype(np.int64), columns[order].astype(np.int64), np.asarray(data)[order]


def bsr_dot_inc(step: Step, op: BsrDotInc) -> None:
    """Block k of A times its block of X, added to the row of blocks it stands in."""
    emit = step.emit
    count, height, width = op.A.shape
    blocks = step.memory.read(op.A)
    x = step.memory.read(op.X)
    columns = emit.reshape(x, (x.size // width, width, 1))
    products = emit.matmul(emit.solid(blocks), emit.take(columns, np.asarray(op.indices)))
    indptr = np.asarray(op.indptr)
    rows = np.repeat(np.arange(len(indptr) - 1), np.diff(indptr))
    zeros = emit.solid(emit.broadcast(emit.constant(np.zeros(1), "zero"), (len(indptr) - 1, height)))
    total = emit.scatter_add(zeros, emit.reshape(products, (count, height)), rows)
    step.memory.increment(op.Y, emit.reshape(total, op.Y.shape))


def conv_inc(step: Step, op: conv.GeneralConvInc) -> None:
    """A convolution as a gather of windows and a matrix product; place 0 of the padded input is zero."""
    emit, spec = step.emit, op.conv
    places = np.arange(1, op.X.size + 1, dtype=np.float64).reshape(spec.input_shape.shape)
    if not spec.channels_last:
        places = np.moveaxis(places, 0, -1)
    windows = _windows(op, places)
    x = step.memory.read(op.X)
    padded = emit.concat([emit.constant(np.zeros(1), "zero"), emit.reshape(x, (x.size,))])
    weights = emit.solid(step.memory.read(op.W))
    if op.is_transpose:
        flips = [slice(None, None, -1)] * spec.dimensions + [slice(None)] * 2
        weights = emit.slice(weights, flips)
    groups = getattr(spec, "groups", 1)
    spatial = windows.shape[: -spec.dimensions - 1]
    if groups == 1:
        index = windows.reshape(int(np.prod(spatial)), -1).astype(np.int64)
        result = emit.matmul(
            emit.take(padded, index), emit.reshape(weights, (index.shape[1], weights.shape[-1]))
        )
    else:
        result = _grouped(step, padded, weights, windows, groups)
    result = emit.reshape(result, (*spatial, weights.shape[-1]))
    if not spec.channels_last:
        axes = [len(spatial), *range(len(spatial))]
        shape = tuple(result.shape[axis] for axis in axes)
        result = emit.node("transpose", [result], shape, axes=axes)
    step.memory.increment(op.Y, emit.reshape(result, op.Y.shape))


def _windows(op: conv.GeneralConvInc, places: np.ndarray) -> np.ndarray:
    """For each output position the places of its window: spatial axes, kernel axes, channels; by Nengo's own
    code."""
    spec = op.conv
    pad, stride = spec.padding.upper(), spec.strides
    kernel = op.W.shape[: spec.dimensions]
    if spec.dimensions == 1:
        places, stride, kernel = places[None], (1, *stride), (1, *kernel)
    batch = places[None]
    if op.is_transpose:
        size = spec.output_shape.spatial_shape
        size = (1, *size) if spec.dimensions == 1 else size
        pads = tuple(
            conv.calc_gradx_pad(pad, have, want, by, extent)
            for have, want, by, extent in zip(batch.shape[1:3], size, stride, kernel)
        )
        windows = conv.extract_sliding_windows_gradx(batch, kernel, pads, stride, size)
    else:
        windows = conv.extract_sliding_windows(batch, kernel, pad, stride)
    windows = windows[0]
    return windows[0][:, 0] if spec.dimensions == 1 else windows


def _grouped(step: Step, padded: Any, weights: Any, windows: np.ndarray, groups: int) -> Any:
    """Each group of input channels with its group of output channels, as one batch of products."""
    emit = step.emit
    channels = windows.shape[-1] // groups
    split = np.moveaxis(windows.reshape(*windows.shape[:-1], groups, channels), -2, 0)
    kernel = int(np.prod(weights.shape[:-1]))
    index = split.reshape(groups, -1, kernel).astype(np.int64)
    outputs = weights.shape[-1] // groups
    stacked = emit.reshape(weights, (kernel, groups, outputs))
    stacked = emit.node("transpose", [stacked], (groups, kernel, outputs), axes=[1, 0, 2])
    product = emit.matmul(emit.take(padded, index), stacked)
    moved = emit.node("transpose", [product], (index.shape[1], groups, outputs), axes=[1, 0, 2])
    return emit.reshape(moved, (index.shape[1], groups * outputs))


TRANSFORMS: dict[type, Any] = {
    SparseDotInc: sparse_dot_inc,
    BsrDotInc: bsr_dot_inc,
    conv.ConvInc: conv_inc,
    conv.ConvTransposeInc: conv_inc,
    conv.GeneralConvInc: conv_inc,
}
