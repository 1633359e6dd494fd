"""A model whose step calls Python: compiled parts with the user's Python functions between them.

`to_parts(model, graph)` gives a module with one function for each part. What the caller does in one step is:
for each part, call the host operators of `before`, then the compiled function, then the host operators of
`after`. See Note [parts].
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from nengo.builder import Model, Operator, Signal
from nengo.builder.operator import SimPyFunc
from nengo.builder.processes import SimProcess
from nengo.processes import Piecewise, WhiteSignal
from nengo.utils.graphs import toposort

from ...builder import Function, Module
from .arrays import Array, Emitter
from .convert import prune, uncollected
from .memory import CONSTANT, STATE, TEMPORARY, classify, initial_array
from .names import object_names, signal_names
from .operators import accesses, apply
from .processes import PROCESSES
from .step import Step


@dataclass
class Part:
    """One compiled function and the host operators around it."""

    function: str
    before: list[Operator] = field(default_factory=list)
    after: list[Operator] = field(default_factory=list)
    inputs: dict[str, Operator] = field(default_factory=dict)  # whose output each input is
    outputs: dict[str, Signal] = field(default_factory=dict)


@dataclass
class Parts:
    """The module, its parts in order, and where signals live: states by base, constants by base."""

    module: Module
    parts: list[Part]
    states: dict[Signal, str]
    constants: dict[Signal, np.ndarray]


def is_host(op: Operator) -> bool:
    """Whether an operator runs Python code: the user's functions, and processes without graph code."""
    if isinstance(op, SimPyFunc):
        return True
    if not isinstance(op, SimProcess):
        return False
    process = op.process
    if type(process) is Piecewise:
        return process.interpolation != "zero" or any(callable(value) for value in process.data.values())
    return type(process) is WhiteSignal or type(process) not in PROCESSES


def host_input(op: Operator) -> Signal | None:
    """What a host operator reads besides the time."""
    return op.input if isinstance(op, SimProcess) else op.x


def to_parts(model: Model, graph: Mapping[Operator, Iterable[Operator]], dtype: str, n_steps: int) -> Parts:
    """`graph` is Nengo's dependency graph; random spikes are tabulated for `n_steps`."""
    with uncollected():
        return _cut(model, graph, dtype, n_steps)


def _cut(model: Model, graph: Mapping[Operator, Iterable[Operator]], dtype: str, n_steps: int) -> Parts:
    stages = _stages(graph)
    count = max((_entry(stages, op) for op in stages), default=0) + 1
    entries: list[list[Operator]] = [[] for _ in range(count)]
    parts = [Part(f"part_{number}") for number in range(count)]
    for op, stage in stages.items():
        entries[_entry(stages, op)].append(op)
        if is_host(op):
            (parts[stage].before if host_input(op) is None else parts[stage].after).append(op)
    reads = [[x for op in part.after if (x := host_input(op)) is not None] for part in parts]
    reads[-1] += [model.sig[probe]["in"] for probe in model.probes]

    module = Module("nengo")
    functions = [module.function(part.function) for part in parts]
    names = signal_names(model, object_names(model.toplevel))
    step = Step(model, Emitter(module, functions[0], dtype), names, {}, n_steps, {})
    result = Parts(module, parts, {}, {})
    values = _values(step, _kinds(entries, reads), result)
    for number, (part, function) in enumerate(zip(parts, functions)):
        step.enter(function, values, values[model.step] if number else None)
        changed: dict[Signal, None] = {}
        for op in entries[number]:
            _write(step, part, op)
            changed.update(dict.fromkeys(signal.base for signal in _accesses(op)[1]))
        for base in changed:
            if base in result.states:
                after = step.emit.solid(step.memory.read(base))
                function.update(values[base].value, after.value)
        for state, after in step.extra:
            function.update(state, after.value)
        for signal in dict.fromkeys(reads[number]):
            part.outputs[f"wanted_{len(part.outputs)}"] = signal
            function.output(list(part.outputs)[-1], step.emit.solid(step.memory.read(signal)).value)
    prune(module)
    return result


def _stages(graph: Mapping[Operator, Iterable[Operator]]) -> dict[Operator, int]:
    """The part each operator runs in, or runs after if it calls Python on an input; in Nengo's order."""
    order = toposort(graph)
    stages = dict.fromkeys(order, 0)
    for op in order:
        ready = _entry(stages, op)
        for later in graph[op]:
            stages[later] = max(stages[later], ready)
    return {op: stages[op] for op in order if hasattr(op, "make_step")}


def _entry(stages: Mapping[Operator, int], op: Operator) -> int:
    """The first part that sees what the operator writes."""
    return stages[op] + (is_host(op) and host_input(op) is not None and op.output is not None)


def _accesses(op: Operator) -> tuple[Sequence[Signal], Sequence[Signal]]:
    """`accesses` of the compiled function: of a host operator it sees the result only."""
    if not is_host(op):
        return accesses(op)
    output = [] if op.output is None else [op.output]
    return (output if op.incs else []), output


def _kinds(entries: list[list[Operator]], reads: list[list[Signal]]) -> dict[Signal, str]:
    """The kind of each base; what is needed in more than one part lasts like state."""
    events: list[tuple[Sequence[Signal], Sequence[Signal]]] = []
    users: dict[Signal, set[int]] = {}
    for number, (operators, last) in enumerate(zip(entries, reads)):
        here = [*(_accesses(op) for op in operators), (last, [])]
        for signal in (signal for pair in here for signals in pair for signal in signals):
            users.setdefault(signal.base, set()).add(number)
        events += here
    return {
        base: STATE if kind == TEMPORARY and len(users[base]) > 1 else kind
        for base, kind in classify(events).items()
    }


def _values(step: Step, kinds: Mapping[Signal, str], result: Parts) -> dict[Signal, Any]:
    """What every base holds when a part begins."""
    values: dict[Signal, Any] = {}
    for base, kind in kinds.items():
        array = initial_array(base, step.emit.dtype)
        values[base] = None
        if kind == STATE:
            value = step.emit.module.state(step.names[base], array)
            step.names[base] = result.states[base] = value.name
            values[base] = Array(step.emit, value, array.shape)
        elif kind == CONSTANT:
            values[base] = step.emit.constant(array, step.names[base])
            result.constants[base] = array
    return values


def _write(step: Step, part: Part, op: Operator) -> None:
    if not is_host(op):
        apply(step, op)
        return
    if op.output is None:
        return
    function: Function = step.emit.function
    name = f"given_{len(part.inputs)}"
    part.inputs[name] = op
    array = Array(step.emit, function.input(name, step.emit.dtype, op.output.shape), op.output.shape)
    (step.memory.increment if op.incs else step.memory.write)(op.output, array)


# Note [parts]
# A Python function of an input needs what the step has computed so far, and the rest of the step needs its
# result. So the step is cut there: operators are put into the first part in which all they need is known,
# and signals that are needed in several parts become state variables. Functions of time alone need no cut:
# their values are inputs of the part that uses them. A model without Python functions is one part.
