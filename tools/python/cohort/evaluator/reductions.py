"""Reductions, scans, products and softmax.

Float sums and products follow the documented order: where the axes include the last one, sixteen accumulators
(index modulo 16) combined pairwise at the end; else one accumulator in row-major order.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ..dtypes import F32, F64, I64, NARROW_FLOATS, U64, is_float, numpy_dtype
from ..errors import EvaluationError
from .scalar import unify
from .shaping import Attrs, ShapeOf

_LANES = 16


def _axes(attrs: Attrs, rank: int) -> tuple[int, ...]:
    axes = attrs.get("axes")
    axes = range(rank) if axes is None else axes
    return tuple(sorted(axis % rank if rank else axis for axis in axes))


def _result_shape(shape: tuple[int, ...], axes: tuple[int, ...], keepdims: bool) -> tuple[int, ...]:
    if keepdims:
        return tuple(1 if axis in axes else extent for axis, extent in enumerate(shape))
    return tuple(extent for axis, extent in enumerate(shape) if axis not in axes)


def _sequential(ufunc: np.ufunc, x: np.ndarray) -> np.ndarray:
    """Folds axis 1 of `x` (kept, reduced, lanes) one element after the other."""
    if x.shape[0] * x.shape[2] == 1:  # NumPy would sum a lone column pairwise
        return ufunc.accumulate(x, axis=1)[:, -1]
    return ufunc.reduce(x, axis=1)


def ordered_reduce(ufunc: np.ufunc, x: np.ndarray, axes: tuple[int, ...]) -> np.ndarray:
    """The fold of `x` over `axes` with `ufunc` (add or multiply), flattened over the kept axes."""
    identity = ufunc.identity
    kept = [axis for axis in range(x.ndim) if axis not in axes]
    moved = np.transpose(x, kept + list(axes))
    outer = math.prod(x.shape[axis] for axis in kept)
    if not axes:
        return moved.reshape(outer)
    if moved.size == 0:
        return np.full(outer, identity, dtype=x.dtype)
    if axes[-1] != x.ndim - 1:
        folded = _sequential(ufunc, np.ascontiguousarray(moved).reshape(outer, -1, 1))
        return ufunc(identity, folded).astype(x.dtype)[:, 0]
    last = x.shape[-1]
    lanes = -(-last // _LANES) * _LANES
    padded = np.full((outer, moved.size // outer // last, lanes), identity, dtype=x.dtype)
    padded[:, :, :last] = moved.reshape(outer, -1, last)
    partial = ufunc(identity, ufunc.reduce(padded.reshape(outer, -1, _LANES), axis=1)).astype(x.dtype)
    width = _LANES
    while width > 1:
        width //= 2
        partial = ufunc(partial[:, :width], partial[:, width : 2 * width])
    return partial[:, 0]


def _accumulator(dtype: np.dtype) -> np.dtype:
    """The dtype that sums and products of `dtype` have."""
    if dtype.kind in "ib":
        return I64
    return U64 if dtype.kind == "u" else dtype


def _fold(ufunc: np.ufunc):
    def prepare(attrs: Attrs, shape_of: ShapeOf):
        def run(x):
            x = np.asarray(x)
            dtype = numpy_dtype(attrs["dtype"]) if attrs.get("dtype") else _accumulator(x.dtype)
            axes = _axes(attrs, x.ndim)
            work = x.astype(F32 if dtype in NARROW_FLOATS else dtype)
            folded = (
                ordered_reduce(ufunc, work, axes)
                if is_float(dtype)
                else ufunc.reduce(work, axis=axes, dtype=dtype)
            )
            return folded.astype(dtype).reshape(_result_shape(x.shape, axes, attrs.get("keepdims", False)))

        return run

    return prepare


def _mean(attrs: Attrs, shape_of: ShapeOf):
    def run(x):
        x = np.asarray(x)
        natural = x.dtype if is_float(x.dtype) else F64
        dtype = numpy_dtype(attrs["dtype"]) if attrs.get("dtype") else natural
        axes = _axes(attrs, x.ndim)
        work = x.astype(F32 if dtype in NARROW_FLOATS else dtype)
        count = math.prod(x.shape[axis] for axis in axes)
        mean = ordered_reduce(np.add, work, axes) / work.dtype.type(count)
        return mean.astype(dtype).reshape(_result_shape(x.shape, axes, attrs.get("keepdims", False)))

    return run


def _extreme(op: str, ufunc: np.ufunc):
    def prepare(attrs: Attrs, shape_of: ShapeOf):
        def run(x):
            x = np.asarray(x)
            axes = _axes(attrs, x.ndim)
            shape = _result_shape(x.shape, axes, attrs.get("keepdims", False))
            if math.prod(shape) and not x.size:
                raise EvaluationError(f"`{op}`: no elements to reduce in shape {list(x.shape)}")
            return ufunc.reduce(x, axis=axes).reshape(shape) if x.size else np.zeros(shape, x.dtype)

        return run

    return prepare


def _quantifier(ufunc: np.ufunc):
    def prepare(attrs: Attrs, shape_of: ShapeOf):
        def run(x):
            x = np.asarray(x, dtype=bool)
            return ufunc.reduce(x, axis=_axes(attrs, x.ndim), keepdims=attrs.get("keepdims", False))

        return run

    return prepare


def _as_float(x: Any) -> np.ndarray:
    x = np.asarray(x)
    return x if is_float(x.dtype) else x.astype(F64)


def _logsumexp(attrs: Attrs, shape_of: ShapeOf):
    def run(x):
        x = _as_float(x)
        axes = _axes(attrs, x.ndim)
        shape = _result_shape(x.shape, axes, attrs.get("keepdims", False))
        if not x.size:
            return np.full(shape, -np.inf, dtype=x.dtype)
        largest = np.max(x, axis=axes, keepdims=True)
        largest = np.where(np.isfinite(largest), largest, 0).astype(x.dtype)
        total = ordered_reduce(np.add, np.exp(x - largest), axes).reshape(shape)
        return (np.log(total) + largest.reshape(shape)).astype(x.dtype)

    return run


def _arg_extreme(op: str, function):
    def prepare(attrs: Attrs, shape_of: ShapeOf):
        axis, keepdims = attrs.get("axis"), attrs.get("keepdims", False)

        def run(x):
            x = np.asarray(x)
            if (x.size if axis is None else x.shape[axis]) == 0:
                raise EvaluationError(f"`{op}`: no elements to reduce in shape {list(x.shape)}")
            return np.asarray(function(x, axis=axis, keepdims=keepdims)).astype(np.int64)

        return run

    return prepare


def _scan(ufunc: np.ufunc):
    def prepare(attrs: Attrs, shape_of: ShapeOf):
        def run(x):
            dtype = numpy_dtype(attrs["dtype"]) if attrs.get("dtype") else _accumulator(x.dtype)
            work = x.astype(F32 if dtype in NARROW_FLOATS else dtype)
            return ufunc.accumulate(work, axis=attrs.get("axis", 0)).astype(dtype)

        return run

    return prepare


def _product(function):
    """Matrix products; narrow floats are multiplied and added in f32."""

    def run(a, b):
        a, b = unify((a, b))
        if a.dtype in NARROW_FLOATS:
            return function(a.astype(F32), b.astype(F32)).astype(a.dtype)
        return function(a, b)

    return run


def _matmul(attrs: Attrs, shape_of: ShapeOf):
    multiply = _product(np.matmul)
    flags = attrs.get("transpose_a", False), attrs.get("transpose_b", False)

    def run(a, b):
        a, b = (np.swapaxes(x, -1, -2) if flag and x.ndim >= 2 else x for x, flag in zip((a, b), flags))
        return multiply(a, b)

    return run


def _dot(attrs: Attrs, shape_of: ShapeOf):
    return _product(np.dot)


def _outer(attrs: Attrs, shape_of: ShapeOf):
    return lambda a, b: np.outer(*unify((a, b)))


def _einsum(attrs: Attrs, shape_of: ShapeOf):
    return lambda *operands: np.einsum(attrs["equation"], *unify(operands), optimize=len(operands) > 2)


def _softmax(attrs: Attrs, shape_of: ShapeOf):
    def run(x):
        x = _as_float(x)
        e = np.exp(x - np.max(x, axis=attrs.get("axis", -1), keepdims=True)) if x.size else x
        return (e / np.sum(e, axis=attrs.get("axis", -1), keepdims=True)).astype(x.dtype)

    return run


def _log_softmax(attrs: Attrs, shape_of: ShapeOf):
    def run(x):
        x = _as_float(x)
        if not x.size:
            return x
        shifted = x - np.max(x, axis=attrs.get("axis", -1), keepdims=True)
        total = np.sum(np.exp(shifted), axis=attrs.get("axis", -1), keepdims=True)
        return (shifted - np.log(total)).astype(x.dtype)

    return run


TABLE: dict[str, Callable[[Attrs, ShapeOf], Callable[..., Any]]] = {
    "reduce_sum": _fold(np.add),
    "reduce_prod": _fold(np.multiply),
    "reduce_mean": _mean,
    "reduce_max": _extreme("reduce_max", np.maximum),
    "reduce_min": _extreme("reduce_min", np.minimum),
    "reduce_all": _quantifier(np.logical_and),
    "reduce_any": _quantifier(np.logical_or),
    "logsumexp": _logsumexp,
    "argmax": _arg_extreme("argmax", np.argmax),
    "argmin": _arg_extreme("argmin", np.argmin),
    "cumsum": _scan(np.add),
    "cumprod": _scan(np.multiply),
    "matmul": _matmul,
    "dot": _dot,
    "outer": _outer,
    "einsum": _einsum,
    "softmax": _softmax,
    "log_softmax": _log_softmax,
}
