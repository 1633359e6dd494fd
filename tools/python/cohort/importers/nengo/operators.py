"""Nengo's core operators, `nengo/builder/operator.py`: one function for each that reads and writes the step's
memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from nengo.builder import Signal
from nengo.builder import operator as core
from nengo.builder.neurons import SimNeurons
from nengo.builder.probe import SimProbe
from nengo.builder.processes import SimProcess

from ...errors import GraphError
from .learning import LEARNING
from .neurons import NEURONS
from .processes import run_process
from .transforms import TRANSFORMS

if TYPE_CHECKING:
    from .step import Step


def time_update(step: Step, op: core.TimeUpdate) -> None:
    step.memory.write(op.step, step.number())
    step.memory.write(op.time, step.emit.cast(step.number(), step.emit.dtype) * step.dt)


def reset(step: Step, op: core.Reset) -> None:
    step.memory.write(op.dst, float(op.value))


def copy(step: Step, op: core.Copy) -> None:
    emit, memory = step.emit, step.memory
    value = memory.read(op.src)
    if op.src_slice is not None:
        value = emit.take(value, _positions(op.src_slice, op.src.shape[0]))
    if op.dst_slice is None:
        (memory.increment if op.inc else memory.write)(op.dst, value)
        return
    index = _positions(op.dst_slice, op.dst.shape[0])
    value = emit.fit(value, (len(index), *op.dst.shape[1:]))
    whole = emit.solid(memory.read(op.dst))
    kind = "scatter_add" if op.inc else "scatter_set"
    memory.write(op.dst, emit.node(kind, [whole, emit.solid(value), emit.index(index)], whole.shape))


def _positions(index: Any, extent: int) -> np.ndarray:
    """Positions on the first axis, from indices or a mask."""
    return np.arange(extent)[index if isinstance(index, slice) else np.asarray(index)]


def elementwise_inc(step: Step, op: core.ElementwiseInc) -> None:
    memory = step.memory
    memory.increment(op.Y, memory.read(op.A) * memory.read(op.X))


def dot_inc(step: Step, op: core.DotInc) -> None:
    emit, memory = step.emit, step.memory
    a, x = memory.read(op.A), memory.read(op.X)
    product = a * x if a.shape == () or x.shape == () else emit.matmul(a, x)
    memory.increment(op.Y, emit.reshape(product, op.Y.shape) if op.reshape else product)


def neurons(step: Step, op: SimNeurons) -> None:
    function = NEURONS.get(_definer(type(op.neurons)))
    if function is None:
        name = step.names[op.output.base]
        raise GraphError(f"neuron type `{type(op.neurons).__name__}` of `{name}` is not known")
    state: dict[str, Any] = {name: step.memory.read(signal) for name, signal in op.state.items()}
    current = step.memory.read(op.J)
    output, after = function(step, op.neurons, current, {**state, **op.state_extra})
    step.memory.write(op.output, output)
    for name, value in after.items():
        step.memory.write(op.state[name], value)


def _definer(neuron_type: type) -> type:
    """The class whose `step` a neuron type has: a subclass that only sets parameters is its base."""
    return next(base for base in neuron_type.__mro__ if "step" in vars(base))


def process(step: Step, op: SimProcess) -> None:
    result = step.inputs_of.get(op.output)
    value = run_process(step, op) if result is None else result
    (step.memory.increment if op.mode == "inc" else step.memory.write)(op.output, value)


def python_function(step: Step, op: core.SimPyFunc) -> None:
    """Given by the user, a table over time, or refused; see `Step.replacement`."""
    if op.output is None:
        step.warn(f"node function `{_function_name(op.fn)}` has no output and is left out")
        return
    given = step.inputs_of.get(op.output)
    replacement = step.replacement(op)
    if given is not None:
        step.memory.write(op.output, given)
    elif replacement is not None:
        time = step.memory.read(op.t) if op.t is not None else None
        x = step.memory.read(op.x) if op.x is not None else None
        step.memory.write(
            op.output, step.called(replacement, [y for y in (time, x) if y is not None], op.output)
        )
    elif op.x is not None:
        raise GraphError(
            f"{step.describe(op)}: the Python function `{_function_name(op.fn)}` of an input cannot be"
            " compiled; pass a replacement in `functions`"
        )
    else:
        step.memory.write(op.output, step.table_row(_tabulate(step, op), "table"))


def _tabulate(step: Step, op: core.SimPyFunc) -> np.ndarray:
    rows = []
    for number in range(1, step.table_steps(f"{step.describe(op)}: a function of time") + 1):
        value = op.fn(number * step.dt) if op.t is not None else op.fn()
        if value is None or not np.all(np.isfinite(value)):
            raise GraphError(f"{step.describe(op)}: the function gives {value!r} at step {number}")
        rows.append(np.broadcast_to(np.asarray(value, dtype=np.float64), op.output.shape))
    return np.stack(rows)


def _function_name(function: Any) -> str:
    return getattr(function, "__name__", type(function).__name__)


def probe(step: Step, op: SimProbe) -> None:
    """Probes are read when the step is over."""


OPERATORS: dict[type, Any] = {
    core.TimeUpdate: time_update,
    core.Reset: reset,
    core.Copy: copy,
    core.ElementwiseInc: elementwise_inc,
    core.DotInc: dot_inc,
    core.SimPyFunc: python_function,
    SimNeurons: neurons,
    SimProcess: process,
    SimProbe: probe,
    **TRANSFORMS,
    **LEARNING,
}


def apply(step: Step, op: Any) -> None:
    """Writes down what one operator does."""
    handler = OPERATORS.get(type(op))
    if handler is None:
        raise GraphError(f"operator `{type(op).__name__}` is not known")
    written = [*op.sets, *op.incs, *op.updates]
    step.emit.scope = step.names[written[0].base] if written else ""
    handler(step, op)


def accesses(op: Any) -> tuple[Sequence[Signal], Sequence[Signal]]:
    """The signals whose value before the operator matters, and those it writes."""
    reads = [*op.reads, *op.incs]
    if isinstance(op, SimNeurons):
        reads += list(op.state.values())
    elif isinstance(op, SimProcess):
        reads += list(op.state.values())
    elif isinstance(op, core.TimeUpdate):
        reads += [op.step]
    elif isinstance(op, core.Copy) and op.dst_slice is not None:
        reads += [op.dst]
    elif hasattr(op, "inv_gamma"):
        reads += [op.inv_gamma]
    writes = [*op.sets, *op.incs, *op.updates]
    return [s for s in reads if s.size and not s.sparse], [s for s in writes if s.size]
