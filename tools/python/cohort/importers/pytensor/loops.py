"""Scan: a loop whose carried values are what its buffers' earlier and later elements are read for.

PyTensor keeps every recurrent value in a buffer, reads it at some distances from the current position (taps)
and writes it at others. A tap that an earlier step wrote is a carried value, as many steps old as the
distance says; a tap that no step has written yet is an element of the buffer as it was given, hence a
sequence.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from pytensor.scan.op import Scan

from .arrays import Array, Emitter, Rows, fresh_input

if TYPE_CHECKING:
    from .convert import Conversion


@dataclass
class _Buffer:
    """A recurrent value: its buffer as given, and the inner variables of the taps it is read and set at."""

    given: Array
    reads: dict[int, Any]
    writes: dict[int, Any]
    grows: bool  # written at its end only: what was given for later elements does not count
    delays: dict[int, int] = field(default_factory=dict)  # how many steps the value of each writing tap lives

    def __post_init__(self) -> None:
        for tap in self.reads:
            writer = self.writer(tap)
            if writer is not None:
                self.delays[writer] = max(self.delays.get(writer, 0), writer - tap)

    @property
    def base(self) -> int:
        """The position of tap 0 in the first step."""
        return -min(0, *self.reads) if self.reads else 0

    def writer(self, tap: int) -> int | None:
        """The writing tap whose earlier value a reading tap sees: the last one that passed the position."""
        return min((writer for writer in self.writes if writer > tap), default=None)


def _rows(emit: Emitter, value: Array, start: int, stop: int) -> Array:
    """`value[start:stop]`"""
    if (start, stop) == (0, value.shape[0]):
        return value
    if value.known is not None:
        return Array.of(value.known[start:stop])
    shape = (stop - start, *value.shape[1:])
    return emit.node("slice", [value], shape, value.dtype, axes=[0], starts=[start], stops=[stop])


def _row(emit: Emitter, value: Array, position: int) -> Array:
    return emit.squeeze(_rows(emit, value, position, position + 1), [0])


class _Loop:
    """What goes into one `scan` node, collected."""

    def __init__(self, to: Conversion, op: Scan, steps: int) -> None:
        self.to, self.op, self.steps = to, op, steps
        self.body = to.emit.module.body("body")
        self.sequences: list[Array] = []
        self.carries: list[Array] = []
        self.others: list[Array] = []
        self.known: dict[Any, Any] = {}
        self._inputs: list[tuple[str, Any, str, tuple[int, ...], Any]] = []

    def sequence(self, variable: Any, value: Array) -> None:
        self.sequences.append(_rows(self.to.emit, value, 0, self.steps))
        self._inputs.append(("sequences", variable, "element", value.shape[1:], value.dtype))

    def carry(self, variable: Any, value: Array) -> None:
        """A carried value; `variable` is None where the body only passes it on."""
        self.carries.append(value)
        self._inputs.append(("carries", variable, "carried", value.shape, value.dtype))

    def other(self, variable: Any, value: Any) -> None:
        if not isinstance(value, Array) or value.known is not None:
            self.known[variable] = value
            return
        self.others.append(value)
        self._inputs.append(("others", variable, "given", value.shape, value.dtype))

    def enter(self) -> list[Array]:
        """Makes the body's inputs, in the order `scan` wants; gives the carried values inside."""
        inside: list[Array] = []
        for wanted in ("sequences", "carries", "others"):
            for kind, variable, name, shape, dtype in self._inputs:
                if kind != wanted:
                    continue
                array = fresh_input(self.body, getattr(variable, "name", None) or name, dtype, shape)
                if variable is not None:
                    self.known[variable] = array
                if kind == "carries":
                    inside.append(array)
        return inside


def scan(to: Conversion, node: Any, arrays: list[Any]) -> list[Any]:
    op = node.op
    steps = int(to.static(node.inputs[0], arrays[0], "Scan of a number of steps"))
    loop, inner = _Loop(to, op, steps), op.inner_inputs
    for variable, value in zip(op.inner_seqs(inner), op.outer_seqs(arrays)):
        loop.sequence(variable, value)
    buffers = _buffers(op, arrays)
    places = [_enter_buffer(loop, buffer) for buffer in buffers]
    for variable, value in zip(op.inner_untraced_sit_sot(inner), op.outer_untraced_sit_sot(arrays)):
        loop.carry(variable, value)
    for variable, value in zip(op.inner_non_seqs(inner), op.outer_non_seqs(arrays)):
        loop.other(variable, value)
    carried = loop.enter()
    results = _body(to, loop, buffers, places, carried)
    if results is None:
        return [to.missing_result] * len(node.outputs)
    last, stacked, taken = results
    outputs = [_whole(to, buffer, stacked, steps) for buffer in buffers]
    for buffer, place, output in zip(buffers, places, outputs):
        if buffer.grows and 0 in place and steps > 0:
            output.last = last[place[0][0]]
        if taken is not None:
            _mark(to, output, taken, buffer.base, steps)
    for variable, size in zip(op.inner_nitsot_outs(op.inner_outputs), _sizes(to, node, arrays)):
        outputs.append(_last_rows(to.emit, stacked[variable], size))
        if taken is not None:
            _mark(to, outputs[-1], taken, 0, steps)
    return outputs + last[len(last) - op.info.n_untraced_sit_sot :]


def _sizes(to: Conversion, node: Any, arrays: list[Any]) -> list[int]:
    pairs = zip(node.op.outer_nitsot(node.inputs), node.op.outer_nitsot(arrays))
    return [int(to.static(variable, array, "Scan of a number of steps")) for variable, array in pairs]


def _buffers(op: Scan, arrays: list[Any]) -> list[_Buffer]:
    """All recurrent values, in the order of the outer outputs."""
    info, inner, outs = op.info, op.inner_inputs, op.inner_outputs
    buffers = []
    reads, writes = iter(op.inner_mitmot(inner)), iter(op.inner_mitmot_outs(outs))
    for value, read, written in zip(op.outer_mitmot(arrays), info.mit_mot_in_slices, info.mit_mot_out_slices):
        taken = {tap: next(reads) for tap in read}
        buffers.append(_Buffer(value, taken, {tap: next(writes) for tap in written}, False))
    reads = iter([*op.inner_mitsot(inner), *op.inner_sitsot(inner)])
    writes = iter([*op.inner_mitsot_outs(outs), *op.inner_sitsot_outs(outs)])
    values = [*op.outer_mitsot(arrays), *op.outer_sitsot(arrays)]
    for value, read in zip(values, (*info.mit_sot_in_slices, *info.sit_sot_in_slices)):
        buffers.append(_Buffer(value, {tap: next(reads) for tap in read}, {0: next(writes)}, True))
    return buffers


def _enter_buffer(loop: _Loop, buffer: _Buffer) -> dict[int, list[int]]:
    """Adds the taps as sequences and carries; gives for each writing tap its carries, youngest first."""
    emit, places = loop.to.emit, {}
    ages = {(buffer.writer(tap), (buffer.writer(tap) or 0) - tap): tap for tap in buffer.reads}
    for tap, variable in buffer.reads.items():
        if buffer.writer(tap) is None:
            start = buffer.base + tap
            loop.sequence(variable, _rows(emit, buffer.given, start, start + loop.steps))
    for writer, oldest in buffer.delays.items():
        places[writer] = []
        for age in range(1, oldest + 1):
            tap = ages.get((writer, age))
            places[writer].append(len(loop.carries))
            start = _row(emit, buffer.given, buffer.base + writer - age)
            loop.carry(None if tap is None else buffer.reads[tap], start)
    return places


def _body(
    to: Conversion,
    loop: _Loop,
    buffers: list[_Buffer],
    places: list[dict[int, list[int]]],
    carried: list[Array],
) -> tuple[list[Array], dict[Any, Array], Array | None] | None:
    """Writes the body and the node; gives the last carries, the stacked outputs by inner variable and, where
    a condition ends the loop, the number of steps taken."""
    op, outer, until = loop.op, to.emit, loop.op.info.as_while
    untraced = [*op.inner_untraced_sit_sot_outs(op.inner_outputs)]
    traced = [*op.inner_outputs[: len(op.inner_outputs) - len(untraced) - until]]
    inner_outputs = [*traced, *untraced, *op.inner_outputs[len(op.inner_outputs) - until :]]
    to.emit = emit = Emitter(outer.module, loop.body)
    try:
        results = to.run(inner_outputs, loop.known)
        if any(not isinstance(result, Array) for result in results):
            return None
        found = dict(zip(inner_outputs, results))
        after = list(carried)
        for buffer, place in zip(buffers, places):
            for writer, indices in place.items():
                for older, younger in zip(indices[:0:-1], indices[-2::-1]):
                    after[older] = carried[younger]
                after[indices[0]] = found[buffer.writes[writer]]
        for position, variable in enumerate(op.inner_untraced_sit_sot_outs(op.inner_outputs)):
            after[len(after) - op.info.n_untraced_sit_sot + position] = found[variable]
        after = [_fitted(to, new, old) for new, old in zip(after, carried)]
        for number, array in enumerate([*after, *(found[variable] for variable in traced)]):
            loop.body.output(f"output_{number}", emit.solid(array))
        if until:
            loop.body.output("stop", emit.solid(emit.truth(results[-1])))
    finally:
        to.emit = outer
    types = [(array.shape, array.dtype) for array in carried]
    types += [((loop.steps, *found[variable].shape), found[variable].dtype) for variable in traced]
    operands = [*loop.sequences, *loop.carries, *loop.others]
    attrs: dict[str, Any] = {"sequences": len(loop.sequences) or None, "carries": len(loop.carries) or None}
    attrs["steps"] = None if loop.sequences else [loop.steps]
    if op.truncate_gradient != -1:
        attrs["truncate_gradient"] = op.truncate_gradient
    if until:
        attrs["until"] = True
        types.append(((), np.int64))
    nodes = outer.nodes("scan", operands, types, regions={"body": loop.body}, **attrs)
    return nodes[: len(carried)], dict(zip(traced, nodes[len(carried) :])), nodes[-1] if until else None


def _mark(to: Conversion, output: Array, taken: Array, base: int, steps: int) -> None:
    """Says that a loop which may stop early has written the output."""
    if output.shape[0] != base + steps:
        to.refuse("Scan with a condition that keeps its last rows only")
    output.rows = Rows(taken, base)


def _fitted(to: Conversion, new: Array, old: Array) -> Array:
    if new.shape != old.shape:
        to.refuse(f"Scan whose carried value changes its shape from {old.shape} to {new.shape}")
    return to.emit.cast(new, old.dtype)


def _whole(to: Conversion, buffer: _Buffer, stacked: dict[Any, Array], steps: int) -> Array:
    """The buffer after the loop."""
    emit, length = to.emit, buffer.given.shape[0]
    if buffer.grows:
        parts = [_rows(emit, buffer.given, 0, buffer.base), stacked[buffer.writes[0]]]
        return _last_rows(emit, emit.concat([part for part in parts if part.shape[0]] or parts[:1]), length)
    writers = sorted(buffer.writes)
    parts = [_rows(emit, buffer.given, 0, buffer.base + writers[0]), stacked[buffer.writes[writers[0]]]]
    for earlier, later in zip(writers, writers[1:]):
        if later - earlier > steps:
            to.refuse("Scan of fewer steps than its taps are apart")
        parts.append(_rows(emit, stacked[buffer.writes[later]], steps - (later - earlier), steps))
    parts.append(_rows(emit, buffer.given, buffer.base + writers[-1] + steps, length))
    return emit.concat([part for part in parts if part.shape[0]] or parts[:1])


def _last_rows(emit: Emitter, value: Array, length: int) -> Array:
    """The last `length` rows; zeros behind where there are fewer."""
    have = value.shape[0]
    if have >= length:
        return _rows(emit, value, have - length, have)
    rest = Array.of(0, value.dtype)
    return emit.concat([value, emit.broadcast(rest, (length - have, *value.shape[1:]))])


OPERATORS = {Scan: scan}
