"""Softmax and its like."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytensor.tensor.special import LogSoftmax, Softmax, SoftmaxGrad

from .arrays import Array

if TYPE_CHECKING:
    from .convert import Conversion


def softmax(to: Conversion, node: Any, arrays: list[Array]) -> list[Array]:
    value, axis = arrays[0], node.op.axis
    op = "log_softmax" if isinstance(node.op, LogSoftmax) else "softmax"
    flat = to.emit.reshape(value, (value.size,)) if axis is None else value
    result = to.emit.node(op, [flat], flat.shape, value.dtype, axis=-1 if axis is None else axis)
    return [to.emit.reshape(result, value.shape)]


def softmax_gradient(to: Conversion, node: Any, arrays: list[Array]) -> list[Array]:
    """`dy * s - s * sum(dy * s)` along the axis."""
    gradient, result = arrays
    emit, dtype, axis = to.emit, result.dtype, node.op.axis
    axes = list(range(result.rank)) if axis is None else [axis % result.rank]
    product = emit.elementwise("mul", [gradient, result], dtype)
    total = emit.expand(emit.reduce("reduce_sum", product, axes), axes)
    return [emit.elementwise("sub", [product, emit.elementwise("mul", [total, result], dtype)], dtype)]


OPERATORS = {
    Softmax: softmax,
    LogSoftmax: softmax,
    SoftmaxGrad: softmax_gradient,
}
