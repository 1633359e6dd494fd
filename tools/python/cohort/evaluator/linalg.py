"""Linear algebra on the last two axes; the axes before them are a batch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..dtypes import F64, is_float
from .scalar import unify
from .shaping import Attrs, ShapeOf


def _floats(*operands: Any) -> list[np.ndarray]:
    return [x if is_float(x.dtype) else x.astype(F64) for x in unify(operands)]


def _each(x: np.ndarray, function: Callable[[np.ndarray], tuple[np.ndarray, ...]]) -> tuple[np.ndarray, ...]:
    """`function` of every matrix of a batch, the results stacked."""
    batch = x.shape[:-2]
    flat = x.reshape(int(np.prod(batch, dtype=np.int64)), *x.shape[-2:])
    samples = function(np.zeros(x.shape[-2:], x.dtype))
    if not len(flat):
        return tuple(np.zeros((*batch, *part.shape), part.dtype) for part in samples)
    parts = zip(*(function(matrix) for matrix in flat))
    return tuple(np.stack(part).reshape(*batch, *part[0].shape) for part in parts)


def _factor(matrix: np.ndarray) -> tuple[np.ndarray]:
    try:
        return (np.linalg.cholesky(matrix),)
    except np.linalg.LinAlgError:
        return (np.full_like(matrix, np.nan),)


def _cholesky(attrs: Attrs, shape_of: ShapeOf):
    lower = attrs.get("lower", True)

    def run(x):
        (x,) = _floats(x)
        (factor,) = _each(x if lower else np.swapaxes(x, -1, -2), _factor)
        return factor if lower else np.swapaxes(factor, -1, -2)

    return run


def _substituted(a: np.ndarray, b: np.ndarray, lower: bool, unit: bool) -> np.ndarray:
    """x with a x = b for one triangle of a, row after row."""
    n = a.shape[-1]
    batch = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    x = np.array(np.broadcast_to(b, (*batch, *b.shape[-2:])))
    for i in range(n) if lower else range(n - 1, -1, -1):
        done = slice(0, i) if lower else slice(i + 1, n)
        x[..., i, :] -= np.matmul(a[..., i : i + 1, done], x[..., done, :])[..., 0, :]
        if not unit:
            x[..., i, :] /= a[..., i, i, None]
    return x


def _solve_triangular(attrs: Attrs, shape_of: ShapeOf):
    lower, transpose = attrs.get("lower", True), attrs.get("transpose", False)

    def run(a, b):
        a, b = _floats(a, b)
        columns = b[:, None] if b.ndim == 1 else b
        a = np.swapaxes(a, -1, -2) if transpose else a
        x = _substituted(a, columns, lower != transpose, attrs.get("unit_diagonal", False))
        return x[..., 0] if b.ndim == 1 else x

    return run


def _packed(matrix: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Both factors of LU in one matrix, and the order of rows."""
    a, order = matrix.copy(), np.arange(len(matrix))
    for k in range(min(a.shape)):
        best = k if np.isnan(a[k, k]) else k + int(np.argmax(np.nan_to_num(np.abs(a[k:, k]), nan=-1.0)))
        a[[k, best]], order[[k, best]] = a[[best, k]], order[[best, k]]
        if a[k, k] != 0:
            a[k + 1 :, k] /= a[k, k]
        a[k + 1 :, k + 1 :] -= np.outer(a[k + 1 :, k], a[k, k + 1 :])
    return a, order


def _lu(attrs: Attrs, shape_of: ShapeOf):
    return lambda x: _each(_floats(x)[0], _packed)


def _solved(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    packed, order = _each(a, _packed)
    batch = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    b = np.broadcast_to(b, (*batch, *b.shape[-2:]))
    order = np.broadcast_to(order, (*batch, order.shape[-1]))
    middle = _substituted(packed, np.take_along_axis(b, order[..., None], -2), True, True)
    return _substituted(packed, middle, False, False)


def _solve(attrs: Attrs, shape_of: ShapeOf):
    def run(a, b):
        a, b = _floats(a, b)
        columns = b[:, None] if b.ndim == 1 else b
        if attrs.get("assume", "general") == "positive":
            (factor,) = _each(a, _factor)
            middle = _substituted(factor, columns, True, False)
            x = _substituted(np.swapaxes(factor, -1, -2), middle, False, False)
        else:
            x = _solved(a, columns)
        return x[..., 0] if b.ndim == 1 else x

    return run


def _inv(attrs: Attrs, shape_of: ShapeOf):
    def run(x):
        (x,) = _floats(x)
        return _solved(x, np.eye(x.shape[-1], dtype=x.dtype))

    return run


def _det(attrs: Attrs, shape_of: ShapeOf):
    return lambda x: np.asarray(np.linalg.det(_floats(x)[0]))


def _slogdet(attrs: Attrs, shape_of: ShapeOf):
    return lambda x: tuple(np.asarray(part) for part in np.linalg.slogdet(_floats(x)[0]))


def _finite(function: Callable[[np.ndarray], Any]):
    """`function` of every matrix; NaN all over where an element is not finite."""

    def each(matrix: np.ndarray) -> tuple[np.ndarray, ...]:
        if np.all(np.isfinite(matrix)):
            return tuple(function(matrix))
        return tuple(np.full_like(part, np.nan) for part in function(np.zeros_like(matrix)))

    return lambda attrs, shape_of: lambda x: _each(_floats(x)[0], each)


TABLE: dict[str, Callable[[Attrs, ShapeOf], Callable[..., Any]]] = {
    "cholesky": _cholesky,
    "solve_triangular": _solve_triangular,
    "solve": _solve,
    "lu": _lu,
    "inv": _inv,
    "det": _det,
    "slogdet": _slogdet,
    "qr": lambda attrs, shape_of: lambda x: _each(_floats(x)[0], lambda matrix: tuple(np.linalg.qr(matrix))),
    "eigh": _finite(lambda matrix: np.linalg.eigh(np.tril(matrix))),
    "svd": _finite(lambda matrix: np.linalg.svd(matrix, full_matrices=False)),
}
