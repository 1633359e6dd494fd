"""Nengo's signals as values: what each piece of memory holds at this point of the step.

A signal is a view of a base. Bases that keep something from step to step are state variables, bases nobody
writes are constants, the others live within the step. See Note [pieces].
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from nengo.builder import Signal

from .arrays import Array, Emitter, slice_attributes

CONSTANT, STATE, TEMPORARY = "constant", "state", "temporary"


def flat_index(signal: Signal) -> np.ndarray:
    """For each element of the view its position in the flat base."""
    index = np.full(signal.shape, signal.elemoffset, dtype=np.int64)
    for axis, (extent, stride) in enumerate(zip(signal.shape, signal.elemstrides)):
        index += (np.arange(extent) * stride).reshape([-1 if k == axis else 1 for k in range(signal.ndim)])
    return index


def span(signal: Signal) -> tuple[int, int] | None:
    """The run of the flat base that the view covers in order, if it is one."""
    array = signal.initial_value
    if not signal.is_view:
        return 0, array.size
    expected = array.itemsize
    for extent, stride in zip(reversed(array.shape), reversed(array.strides)):
        if extent != 1 and stride != expected:
            return None
        expected *= extent
    start = signal.offset // array.itemsize
    return start, start + array.size


def places(signal: Signal) -> slice | np.ndarray:
    """What indexes the flat base with the view's elements."""
    run = span(signal)
    return flat_index(signal) if run is None else slice(*run)


def slices(signal: Signal) -> list[slice] | None:
    """The view as `base[start:stop:step, ...]`, if it is one."""
    base = signal.base
    if signal.ndim != base.ndim or signal.size == 0:
        return None
    starts = np.unravel_index(signal.elemoffset, base.shape)
    keys = []
    for start, extent, stride, base_stride, bound in zip(
        starts, signal.shape, signal.elemstrides, base.elemstrides, base.shape
    ):
        step = stride // base_stride if extent > 1 else 1
        last = int(start) + step * (extent - 1)
        if (extent > 1 and stride % base_stride) or step == 0 or not 0 <= last < bound:
            return None
        stop = last + (1 if step > 0 else -1)
        keys.append(slice(int(start), None if stop < 0 else stop, step))
    return keys


def classify(accesses: Iterable[tuple[Sequence[Signal], Sequence[Signal]]]) -> dict[Signal, str]:
    """The kind of each base, from what each operator in order (reads, writes)."""
    written: dict[Signal, np.ndarray] = {}
    kinds: dict[Signal, str] = {}
    for reads, writes in accesses:
        for signal in reads:
            mask = written.get(signal.base)
            kinds.setdefault(signal.base, CONSTANT if mask is None else TEMPORARY)
            if mask is None or not mask[places(signal)].all():
                kinds[signal.base] = STATE if kinds[signal.base] != CONSTANT else CONSTANT
        for signal in writes:
            if signal.base not in written:
                written[signal.base] = np.zeros(signal.base.size, dtype=bool)
            written[signal.base][places(signal)] = True
            before = kinds.get(signal.base)
            kinds[signal.base] = TEMPORARY if before is None else STATE if before == CONSTANT else before
    return kinds


@dataclass(eq=False)
class Piece:
    """What elements [start, stop) of a flat base hold; a write makes new pieces and changes none."""

    start: int
    stop: int
    content: Array | None


class Memory:
    """The current contents of all bases."""

    def __init__(self, emit: Emitter) -> None:
        self._emit = emit
        self._pieces: dict[Signal, list[Piece]] = {}
        self._seen: dict[Signal, dict[tuple[int, int], tuple[list[Piece], Array]]] = {}

    def define(self, base: Signal, content: Array | None) -> None:
        """What a base holds when the step begins; None: nothing anyone may read."""
        self._pieces[base] = [Piece(0, base.size, content)]

    def read(self, signal: Signal) -> Array:
        """What the view holds now."""
        run = span(signal)
        if run is not None:
            return self._emit.reshape(self._read_run(signal.base, *run), signal.shape)
        whole = self.read(signal.base)
        keys = slices(signal)
        if keys is not None:
            return self._emit.slice(whole, keys)
        flat = self._emit.reshape(self._emit.solid(whole), (whole.size,))
        return self._emit.take(flat, flat_index(signal))

    def write(self, signal: Signal, value: Array | float) -> None:
        """Sets the view; a number fills it."""
        emit = self._emit
        array = value if isinstance(value, Array) else Array(emit, value, ())
        array = emit.fit(array, signal.shape)
        run = span(signal)
        if run is not None:
            self._write_run(signal.base, *run, array)
            return
        whole = emit.solid(self.read(signal.base))
        array = emit.solid(array)
        keys = slices(signal)
        if keys is not None:
            result = emit.node(
                "set_slice", [whole, array], whole.shape, **slice_attributes(keys, whole.shape)
            )
        else:
            flat = emit.reshape(whole, (whole.size,))
            index = emit.index(flat_index(signal))
            result = emit.reshape(emit.node("scatter_set", [flat, array, index], flat.shape), whole.shape)
        self._write_run(signal.base, 0, signal.base.size, result)

    def increment(self, signal: Signal, value: Array) -> None:
        """Adds to the view; what was reset to zero is replaced."""
        now = self.read(signal)
        is_zero = now.is_literal and now.value == 0
        self.write(signal, self._emit.fit(value, signal.shape) if is_zero else now + value)

    def _read_run(self, base: Signal, start: int, stop: int) -> Array:
        first, last = self._touched(base, start, stop)
        touched = self._pieces[base][first:last]
        if len(touched) == 1 and (start, stop) == (touched[0].start, touched[0].stop):
            return self._part(touched[0], start, stop)
        seen = self._seen.setdefault(base, {})
        before, array = seen.get((start, stop), (None, None))
        if array is None or before != touched:
            parts = [self._part(piece, max(start, piece.start), min(stop, piece.stop)) for piece in touched]
            array = parts[0] if len(parts) == 1 else self._join(parts)
            seen[start, stop] = touched, array
        return array

    def _touched(self, base: Signal, start: int, stop: int) -> tuple[int, int]:
        """Which pieces hold elements of [start, stop); pieces are sorted and leave no gap."""
        pieces = self._pieces[base]
        if len(pieces) == 1:
            return 0, 1
        first = bisect_right(pieces, start, key=lambda piece: piece.stop)
        return first, bisect_left(pieces, stop, lo=first, key=lambda piece: piece.start)

    def _join(self, parts: list[Array]) -> Array:
        first = parts[0]
        if all(part.is_literal and part.value == first.value for part in parts):
            return Array(self._emit, first.value, (sum(part.size for part in parts),))
        return self._emit.concat([self._emit.reshape(part, (part.size,)) for part in parts])

    def _part(self, piece: Piece, start: int, stop: int) -> Array:
        """Elements [start, stop) of the base out of one piece that holds them all."""
        content = piece.content
        if content is None:
            raise AssertionError("a temporary signal is read before it is written")
        if (start, stop) == (piece.start, piece.stop):
            return content
        first, last = start - piece.start, stop - piece.start
        row = int(np.prod(content.shape[1:]))
        if first % row == 0 and last % row == 0:
            keys = [slice(first // row, last // row), *(slice(None) for _ in content.shape[1:])]
            return self._emit.slice(content, keys)
        return self._emit.slice(self._emit.reshape(content, (content.size,)), [slice(first, last)])

    def _write_run(self, base: Signal, start: int, stop: int, array: Array) -> None:
        pieces = self._pieces[base]
        first, last = self._touched(base, start, stop)
        kept: list[Piece] = []
        for piece in pieces[first:last]:
            for low, high in ((piece.start, min(piece.stop, start)), (max(piece.start, stop), piece.stop)):
                if low < high:
                    content = None if piece.content is None else self._part(piece, low, high)
                    kept.append(Piece(low, high, content))
        kept.append(Piece(start, stop, array))
        pieces[first:last] = sorted(kept, key=lambda piece: piece.start)


def initial_array(base: Signal, dtype: str) -> np.ndarray:
    """A base's initial value in the module's float type; counters stay integers."""
    value = np.array(base.initial_value)
    return value.astype({"f32": np.float32, "f64": np.float64}[dtype]) if value.dtype.kind == "f" else value


# Note [pieces]
# Members of an EnsembleArray write neighbouring slices of one base. As a chain of `inc_slice` nodes each of
# them would depend on the one before, and nothing could be merged or run side by side. So a base is a list of
# pieces, each with what was last written there; whoever reads across pieces concatenates them.
