"""Indexing: slices, integer arrays and constant masks, read, set and incremented.

Every index is two steps: slices of known bounds (`_Window`), then integer indices on some axes of what is
left. Writing
goes the same way back. Whether PyTensor would work in place makes no difference here.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from pytensor.graph.type import Type
from pytensor.tensor.subtensor import (
    AdvancedIncSubtensor,
    AdvancedIncSubtensor1,
    AdvancedSubtensor,
    AdvancedSubtensor1,
    IncSubtensor,
    Subtensor,
)
from pytensor.tensor.type_other import MakeSlice

from .arrays import Array, Emitter, Shape

if TYPE_CHECKING:
    from .convert import Conversion


@dataclass
class _Window:
    """One range for each axis."""

    ranges: list[range]

    @staticmethod
    def of(keys: Sequence[slice], shape: Shape) -> _Window:
        return _Window([range(*key.indices(extent)) for key, extent in zip(keys, shape)])

    @property
    def shape(self) -> Shape:
        return tuple(map(len, self.ranges))

    def attributes(self, shape: Shape) -> dict[str, Any]:
        """The attributes of `slice`; axes taken whole are left out."""
        chosen = [axis for axis, entry in enumerate(self.ranges) if entry != range(shape[axis])]
        parts = [self.ranges[axis] for axis in chosen]
        attrs: dict[str, Any] = {
            "axes": chosen,
            "starts": [entry.start for entry in parts],
            "stops": [None if entry.stop < 0 else entry.stop for entry in parts],
        }
        if any(entry.step != 1 for entry in parts):
            attrs["steps"] = [entry.step for entry in parts]
        return attrs

    def read(self, emit: Emitter, value: Array) -> Array:
        attrs = self.attributes(value.shape)
        return emit.node("slice", [value], self.shape, value.dtype, **attrs) if attrs["axes"] else value

    def write(self, emit: Emitter, value: Array, part: Array, op: str) -> Array:
        """`op` is `set_slice` or `inc_slice`; `part` broadcasts to the window."""
        attrs = self.attributes(value.shape)
        if not attrs["axes"]:
            whole = emit.broadcast(part, value.shape)
            return whole if op == "set_slice" else emit.elementwise("add", [value, whole], value.dtype)
        return emit.node(op, [value, part], value.shape, value.dtype, **attrs)


@dataclass
class _Basic:
    """An index of integers and slices: a window, then integers known at run time only on some of its axes,
    then axes
    that vanish."""

    window: _Window
    runtime: dict[int, Array]
    dropped: list[int]

    def _runtime_attributes(self) -> dict[str, Any]:
        return {"axes": list(self.runtime), "sizes": [1] * len(self.runtime)}

    def read(self, emit: Emitter, value: Array) -> Array:
        if value.last is not None and self._is_last_row(value):
            return value.last if self.dropped else emit.expand(value.last, [0])
        part = self.window.read(emit, value)
        if self.runtime:
            shape = [1 if axis in self.runtime else extent for axis, extent in enumerate(part.shape)]
            operands = [part, *self.runtime.values()]
            part = emit.node("slice", operands, shape, part.dtype, **self._runtime_attributes())
        return emit.squeeze(part, self.dropped)

    def _is_last_row(self, value: Array) -> bool:
        rows, *rest = self.window.ranges
        is_whole = not self.runtime and rest == [range(extent) for extent in value.shape[1:]]
        return rows == range(value.shape[0] - 1, value.shape[0]) and is_whole and self.dropped in ([], [0])

    def write(self, emit: Emitter, value: Array, part: Array, op: str) -> Array:
        inner = [1 if axis in self.runtime else extent for axis, extent in enumerate(self.window.shape)]
        rank = len(inner) - len(self.dropped)
        part = emit.expand(part, list(range(rank - part.rank)))
        part = emit.expand(part, self.dropped)
        if not self.runtime:
            return self.window.write(emit, value, part, op)
        whole = self.window.read(emit, value)
        operands = [whole, part, *self.runtime.values()]
        whole = emit.node(op, operands, whole.shape, whole.dtype, **self._runtime_attributes())
        return self.window.write(emit, value, whole, "set_slice")


def _basic(to: Conversion, node: Any, value: Array, first: int, arrays: list[Any]) -> _Basic:
    """The index whose entries begin at operand `first`."""
    operands = iter(zip(node.inputs[first:], arrays[first:]))
    keys: list[slice] = []
    runtime: dict[int, Array] = {}
    dropped: list[int] = []
    for axis, entry in enumerate(node.op.idx_list):
        if isinstance(entry, slice):
            keys.append(_bounds(to, entry, operands))
            continue
        dropped.append(axis)
        variable, array = next(operands) if isinstance(entry, Type) else (None, Array.of(entry))
        if array.known is None:
            runtime[axis] = array
            keys.append(slice(None))
            continue
        position, extent = int(array.known), value.shape[axis]
        if not -extent <= position < extent:
            to.refuse(f"{type(node.op).__name__} at the index {position} on an axis of {extent}")
        keys.append(slice(position, position + 1 if position != -1 else None))
    keys += [slice(None)] * (value.rank - len(keys))
    return _Basic(_Window.of(keys, value.shape), runtime, dropped)


def _bounds(to: Conversion, entry: slice, operands: Iterator[tuple[Any, Any]]) -> slice:
    found: list[int | None] = []
    for bound in (entry.start, entry.stop, entry.step):
        if isinstance(bound, Type):
            variable, array = next(operands)
            known = to.static(variable, array, "a slice with a bound")
            found.append(None if known is None else int(known))
        else:
            found.append(None if bound is None else int(bound))
    return slice(*found)


def read_slice(to: Conversion, node: Any, arrays: list[Any]) -> list[Array]:
    return [_basic(to, node, arrays[0], 1, arrays).read(to.emit, arrays[0])]


def write_slice(to: Conversion, node: Any, arrays: list[Any]) -> list[Array]:
    value = arrays[0]
    part = to.emit.cast(arrays[1], value.dtype)
    op = "set_slice" if node.op.set_instead_of_inc else "inc_slice"
    return [_basic(to, node, value, 2, arrays).write(to.emit, value, part, op)]


def make_slice(to: Conversion, node: Any, arrays: list[Any]) -> list[Any]:
    return [slice(*(_bound(to, variable, array) for variable, array in zip(node.inputs, arrays)))]


def _bound(to: Conversion, variable: Any, array: Any) -> int | None:
    known = to.static(variable, array, "a slice with a bound")
    return None if known is None else int(known)


@dataclass
class _Advanced:
    """An index with integer arrays: new axes, a window, and integer arrays on some axes."""

    new_axes: list[int]
    window: _Window
    axes: list[int]
    indices: list[Array]

    @property
    def index_shape(self) -> Shape:
        return np.broadcast_shapes(*(index.shape for index in self.indices))

    @property
    def position(self) -> int:
        """Where the axes of the indices stand in the result (NumPy's rule)."""
        is_consecutive = self.axes == list(range(self.axes[0], self.axes[0] + len(self.axes)))
        return self.axes[0] if is_consecutive else 0

    @property
    def rest(self) -> list[int]:
        return [axis for axis in range(len(self.window.ranges)) if axis not in self.axes]

    def _moved(self) -> list[int]:
        """The permutation from `indices first` to the result."""
        count, rank = len(self.index_shape), len(self.index_shape) + len(self.rest)
        others = list(range(count, rank))
        return [*others[: self.position], *range(count), *others[self.position :]]

    def read(self, emit: Emitter, value: Array) -> Array:
        part = self.window.read(emit, emit.expand(value, self.new_axes))
        if len(self.axes) == 1:
            axis = self.axes[0]
            shape = (*part.shape[:axis], *self.index_shape, *part.shape[axis + 1 :])
            return emit.node("take", [part, *self.indices], shape, part.dtype, axis=axis)
        front = emit.transpose(part, [*self.axes, *self.rest])
        shape = (*self.index_shape, *front.shape[len(self.axes) :])
        found = emit.node("gather", [front, *self.indices], shape, part.dtype)
        return emit.transpose(found, self._moved())

    def write(self, emit: Emitter, value: Array, part: Array, op: str) -> Array:
        """`op` is `scatter_set` or `scatter_add`."""
        wide = emit.expand(value, self.new_axes)
        inner = self.window.read(emit, wide)
        order = [*self.axes, *self.rest]
        front = emit.transpose(inner, order)
        moved = self._moved()
        target = [*self.index_shape, *front.shape[len(self.axes) :]]
        part = emit.broadcast(part, [target[axis] for axis in moved])
        part = emit.transpose(part, np.argsort(moved).tolist())
        written = emit.node(op, [front, part, *self.indices], front.shape, front.dtype)
        inner = emit.transpose(written, np.argsort(order).tolist())
        return emit.squeeze(self.window.write(emit, wide, inner, "set_slice"), self.new_axes)


def _advanced(to: Conversion, node: Any, value: Array, entries: list[Any]) -> _Advanced:
    """The index with these entries: arrays of integers, known masks, slices, None."""
    flat: list[Any] = []
    for entry in entries:
        if isinstance(entry, Array) and entry.dtype == np.bool_:
            if entry.known is None:
                to.refuse(f"{type(node.op).__name__} with a mask that is not constant")
            flat += [Array.of(index) for index in np.nonzero(entry.known)]
        else:
            flat.append(entry)
    new_axes = [axis for axis, entry in enumerate(flat) if entry is None]
    keys = [entry if isinstance(entry, slice) else slice(None) for entry in flat]
    keys += [slice(None)] * (value.rank + len(new_axes) - len(keys))
    extents = iter(value.shape)
    shape = tuple(1 if axis in new_axes else next(extents) for axis in range(len(keys)))
    axes = [axis for axis, entry in enumerate(flat) if isinstance(entry, Array)]
    return _Advanced(new_axes, _Window.of(keys, shape), axes, [flat[axis] for axis in axes])


def read_arrays(to: Conversion, node: Any, arrays: list[Any]) -> list[Array]:
    return [_advanced(to, node, arrays[0], arrays[1:]).read(to.emit, arrays[0])]


def write_arrays(to: Conversion, node: Any, arrays: list[Any]) -> list[Array]:
    value, emit = arrays[0], to.emit
    part = emit.cast(arrays[1], value.dtype)
    if len(arrays) == 3 and _is_runtime_mask(arrays[2]) and part.size == 1:
        return [_write_mask(emit, node, value, part, arrays[2])]
    index = _advanced(to, node, value, arrays[2:])
    if getattr(node.op, "ignore_duplicates", False) and not node.op.set_instead_of_inc:
        part = emit.elementwise("add", [index.read(emit, value), part], value.dtype)
        return [index.write(emit, value, part, "scatter_set")]
    op = "scatter_set" if node.op.set_instead_of_inc else "scatter_add"
    return [index.write(emit, value, part, op)]


def _is_runtime_mask(index: Any) -> bool:
    return isinstance(index, Array) and index.dtype == np.bool_ and index.known is None


def _write_mask(emit: Emitter, node: Any, value: Array, part: Array, mask: Array) -> Array:
    """One number set or added wherever the mask holds."""
    mask = emit.expand(mask, list(range(mask.rank, value.rank)))
    number = emit.reshape(part, ())
    if not node.op.set_instead_of_inc:
        number = emit.elementwise("add", [value, number], value.dtype)
    return emit.where(mask, number, value, value.dtype)


OPERATORS = {
    Subtensor: read_slice,
    IncSubtensor: write_slice,
    AdvancedSubtensor1: read_arrays,
    AdvancedIncSubtensor1: write_arrays,
    AdvancedSubtensor: read_arrays,
    AdvancedIncSubtensor: write_arrays,
    MakeSlice: make_slice,
}
