"""Operators that move or make elements: reshape, transpose, concat, pad, iota, ...

Every entry of `TABLE` is called as `prepare(attrs, shape_of)` and gives a function of the operands;
`shape_of` turns an attribute's shape, which may name dims, into integers.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from ..dtypes import numpy_dtype
from ..errors import EvaluationError
from .scalar import cast, prepare, unify

Attrs = dict[str, Any]
ShapeOf = Callable[[list[int | str]], tuple[int, ...]]


def dtype_of(attrs: Attrs, default: str) -> np.dtype:
    """The attribute `dtype`, or the default."""
    return numpy_dtype(attrs.get("dtype", default))


def _cast(attrs: Attrs, shape_of: ShapeOf):
    dtype = numpy_dtype(attrs["dtype"])
    return lambda x: cast(x, dtype)


def _broadcast(attrs: Attrs, shape_of: ShapeOf):
    return lambda x: np.broadcast_to(x, shape_of(attrs["shape"]))


def _reshape(attrs: Attrs, shape_of: ShapeOf):
    return lambda x: np.reshape(x, shape_of(attrs["shape"]))


def _transpose(attrs: Attrs, shape_of: ShapeOf):
    return lambda x: np.transpose(x, attrs.get("axes"))


def _squeeze(attrs: Attrs, shape_of: ShapeOf):
    axes = attrs.get("axes")
    return lambda x: np.squeeze(x, None if axes is None else tuple(axes))


def _expand(attrs: Attrs, shape_of: ShapeOf):
    axes = tuple(attrs["axes"])
    return lambda x: np.expand_dims(x, axes)


def _concat(attrs: Attrs, shape_of: ShapeOf):
    axis = attrs.get("axis", 0)
    return lambda *parts: np.concatenate(unify(parts), axis=axis)


def _add_n(attrs: Attrs, shape_of: ShapeOf):
    add = prepare("add")
    return lambda *terms: functools.reduce(add, unify(terms))


def _stack(attrs: Attrs, shape_of: ShapeOf):
    axis = attrs.get("axis", 0)
    return lambda *parts: np.stack(unify(parts), axis=axis)


def _split(attrs: Attrs, shape_of: ShapeOf):
    axis = attrs.get("axis", 0)

    def run(x):
        sizes = shape_of(attrs["sizes"])
        if sum(sizes) != x.shape[axis]:
            raise EvaluationError(f"`split`: sizes {list(sizes)} do not add up to {x.shape[axis]}")
        return tuple(np.split(x, np.cumsum(sizes)[:-1], axis=axis)) if sizes else ()

    return run


def _pad(attrs: Attrs, shape_of: ShapeOf):
    mode = attrs.get("mode", "constant")
    value = attrs.get("value", 0)
    value = float(value) if isinstance(value, str) else value

    def run(x):
        widths = list(zip(shape_of(attrs["low"]), shape_of(attrs["high"])))
        if mode == "constant":
            return np.pad(x, widths, mode, constant_values=value)
        return np.pad(x, widths, mode)

    return run


def _tile(attrs: Attrs, shape_of: ShapeOf):
    return lambda x: np.tile(x, shape_of(attrs["reps"]))


def _repeat(attrs: Attrs, shape_of: ShapeOf):
    axis = attrs.get("axis", 0)
    return lambda x: np.repeat(x, shape_of([attrs["repeats"]])[0], axis=axis)


def _roll(attrs: Attrs, shape_of: ShapeOf):
    shifts = tuple(attrs["shifts"])

    def run(x):
        axes = attrs.get("axes")
        return np.roll(x, shifts, tuple(range(np.ndim(x)) if axes is None else axes))

    return run


def _flip(attrs: Attrs, shape_of: ShapeOf):
    axes = attrs.get("axes")
    return lambda x: np.flip(x, None if axes is None else tuple(axes))


def _iota(attrs: Attrs, shape_of: ShapeOf):
    def run():
        shape = shape_of(attrs["shape"])
        axis = attrs.get("axis", 0) % max(len(shape), 1)
        steps = np.arange(shape[axis]).reshape([-1 if k == axis else 1 for k in range(len(shape))])
        return np.broadcast_to(steps, shape).astype(dtype_of(attrs, "i64"))

    return run


def _full(attrs: Attrs, shape_of: ShapeOf):
    return lambda v: np.broadcast_to(unify((v,))[0], shape_of(attrs["shape"])).copy()


def _size(attrs: Attrs, shape_of: ShapeOf):
    return lambda: np.int64(np.prod(shape_of(attrs["shape"]), dtype=np.int64))


def _matrix(function):
    def prepare(attrs: Attrs, shape_of: ShapeOf):
        def run():
            rows = shape_of([attrs["n"]])[0]
            columns = rows if attrs.get("m") is None else shape_of([attrs["m"]])[0]
            return function(rows, columns, attrs.get("k", 0), dtype=dtype_of(attrs, "f64"))

        return run

    return prepare


def _diag(attrs: Attrs, shape_of: ShapeOf):
    return lambda x: np.diag(x, attrs.get("k", 0)).copy()


def _one_hot(attrs: Attrs, shape_of: ShapeOf):
    def run(i):
        depth = shape_of([attrs["depth"]])[0]
        return (np.asarray(i)[..., None] == np.arange(depth)).astype(dtype_of(attrs, "f64"))

    return run


def _copy(attrs: Attrs, shape_of: ShapeOf):
    return lambda x: np.array(x)


TABLE: dict[str, Callable[[Attrs, ShapeOf], Callable[..., Any]]] = {
    "cast": _cast,
    "broadcast": _broadcast,
    "reshape": _reshape,
    "transpose": _transpose,
    "squeeze": _squeeze,
    "expand": _expand,
    "add_n": _add_n,
    "concat": _concat,
    "stack": _stack,
    "split": _split,
    "pad": _pad,
    "tile": _tile,
    "repeat": _repeat,
    "roll": _roll,
    "flip": _flip,
    "iota": _iota,
    "full": _full,
    "size": _size,
    "eye": _matrix(np.eye),
    "tri": _matrix(np.tri),
    "diag": _diag,
    "one_hot": _one_hot,
    "copy": _copy,
    "stop_gradient": _copy,
}
