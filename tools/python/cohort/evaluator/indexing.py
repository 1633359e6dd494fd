"""Operators that read or write by index; an index outside is an `EvaluationError` that names operator, index
and size."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..errors import EvaluationError
from .scalar import unify
from .shaping import Attrs, ShapeOf


def checked(op: str, index: Any, size: int) -> np.ndarray:
    """The index with negative entries counted from the end; each must lie in [-size, size)."""
    index = np.asarray(index)
    if index.size:
        for bad in (index.min(), index.max()):
            if not -size <= int(bad) < size:
                raise EvaluationError(f"`{op}`: index {bad} is out of range for size {size}")
    if index.dtype.kind == "u":
        return index.astype(np.int64)
    return np.where(index < 0, index + size, index).astype(np.int64)


def _axes(attrs: Attrs) -> list[int]:
    for key in ("axes", "starts", "stops", "steps", "sizes"):
        if attrs.get(key) is not None:
            return list(attrs["axes"]) if key == "axes" else list(range(len(attrs[key])))
    return []


def _static_key(attrs: Attrs, rank: int, shape_of: ShapeOf) -> tuple[slice, ...]:
    key = [slice(None)] * rank
    axes = _axes(attrs)

    def entry(name: str, position: int):
        values = attrs.get(name)
        value = None if values is None else values[position]
        return shape_of([value])[0] if isinstance(value, str) else value

    for position, axis in enumerate(axes):
        key[axis] = slice(entry("starts", position), entry("stops", position), entry("steps", position))
    return tuple(key)


def _dynamic_key(op: str, attrs: Attrs, shape: tuple[int, ...], starts: tuple[Any, ...], shape_of: ShapeOf):
    """Slices of `sizes` elements from runtime starts."""
    key = [slice(None)] * len(shape)
    axes = attrs["axes"] if attrs.get("axes") is not None else range(len(starts))
    sizes = shape_of(attrs["sizes"])
    steps = attrs.get("steps") or [1] * len(starts)
    for axis, start, size, step in zip(axes, starts, sizes, steps):
        extent = shape[axis]
        first = int(start) + extent if int(start) < 0 else int(start)
        last = first + (size - 1) * step
        if size and not (0 <= first < extent and 0 <= last < extent) or not 0 <= first <= extent:
            raise EvaluationError(
                f"`{op}`: {size} elements from index {int(start)} are out of range for size {extent}"
            )
        stop = first + size * step
        key[axis] = slice(first, None if stop < 0 else stop, step) if size else slice(0, 0)
    return tuple(key)


def _key(
    op: str, attrs: Attrs, x: np.ndarray, starts: tuple[Any, ...], shape_of: ShapeOf
) -> tuple[slice, ...]:
    if starts:
        return _dynamic_key(op, attrs, x.shape, starts, shape_of)
    return _static_key(attrs, x.ndim, shape_of)


def _slice(attrs: Attrs, shape_of: ShapeOf):
    return lambda x, *starts: x[_key("slice", attrs, x, starts, shape_of)]


def _set_slice(attrs: Attrs, shape_of: ShapeOf):
    def run(x, y, *starts):
        x, y = unify((x, y))
        out = np.array(x)
        out[_key("set_slice", attrs, x, starts, shape_of)] = y
        return out

    return run


def _inc_slice(attrs: Attrs, shape_of: ShapeOf):
    def run(x, y, *starts):
        x, y = unify((x, y))
        out = np.array(x)
        out[_key("inc_slice", attrs, x, starts, shape_of)] += y
        return out

    return run


def _take(attrs: Attrs, shape_of: ShapeOf):
    axis = attrs.get("axis", 0)
    return lambda x, i: np.take(x, checked("take", i, x.shape[axis]), axis=axis)


def _take_along_axis(attrs: Attrs, shape_of: ShapeOf):
    axis = attrs["axis"]
    return lambda x, i: np.take_along_axis(x, checked("take_along_axis", i, x.shape[axis]), axis=axis)


def _indices(op: str, x: np.ndarray, indices: tuple[Any, ...]) -> tuple[np.ndarray, ...]:
    return tuple(checked(op, index, extent) for index, extent in zip(indices, x.shape))


def _gather(attrs: Attrs, shape_of: ShapeOf):
    return lambda x, *indices: x[_indices("gather", x, indices)]


def _scatter_set(attrs: Attrs, shape_of: ShapeOf):
    def run(x, y, *indices):
        x, y = unify((x, y))
        out = np.array(x)
        key = np.broadcast_arrays(*_indices("scatter_set", x, indices))
        values = np.broadcast_to(y, key[0].shape + x.shape[len(key) :])
        for place in np.ndindex(key[0].shape):  # one by one: NumPy promises no order for repeated indices
            out[tuple(part[place] for part in key)] = values[place]
        return out

    return run


def _scatter_add(attrs: Attrs, shape_of: ShapeOf):
    def run(x, y, *indices):
        x, y = unify((x, y))
        out = np.array(x)
        np.add.at(out, _indices("scatter_add", x, indices), y)
        return out

    return run


def _searchsorted(attrs: Attrs, shape_of: ShapeOf):
    def run(haystack, v):
        haystack, v = unify((haystack, v))
        return np.asarray(np.searchsorted(haystack, v, side=attrs.get("side", "left"))).astype(np.int64)

    return run


def _sort(attrs: Attrs, shape_of: ShapeOf):
    return lambda x: np.sort(x, axis=attrs.get("axis", -1), kind="stable")


def _argsort(attrs: Attrs, shape_of: ShapeOf):
    return lambda x: np.argsort(x, axis=attrs.get("axis", -1), kind="stable").astype(np.int64)


def _topk(attrs: Attrs, shape_of: ShapeOf):
    """Stable ascending order of the flipped operand, read from its end: largest first, ties by lower
    index."""

    def run(x):
        axis, k = attrs.get("axis", -1), shape_of([attrs["k"]])[0]
        extent = x.shape[axis]
        if not 0 <= k <= extent:
            raise EvaluationError(f"`topk`: k = {k} is out of range for size {extent}")
        order = np.argsort(np.flip(x, axis), axis=axis, kind="stable")
        order = extent - 1 - np.take(np.flip(order, axis), np.arange(k), axis=axis)
        return np.take_along_axis(x, order, axis=axis), order.astype(np.int64)

    return run


TABLE: dict[str, Callable[[Attrs, ShapeOf], Callable[..., Any]]] = {
    "slice": _slice,
    "set_slice": _set_slice,
    "inc_slice": _inc_slice,
    "take": _take,
    "take_along_axis": _take_along_axis,
    "gather": _gather,
    "scatter_set": _scatter_set,
    "scatter_add": _scatter_add,
    "searchsorted": _searchsorted,
    "sort": _sort,
    "argsort": _argsort,
    "topk": _topk,
}
