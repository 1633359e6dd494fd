"""Processes: filters as state-space code, functions of time as tables or exact code, noise as tables.

A function takes the step, the operator and its input (None without one); it gives what the process puts out.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from nengo import processes, synapses

from ...errors import GraphError
from .arrays import Array

if TYPE_CHECKING:
    from .step import Step


def linear_filter(step: Step, op: Any, x: Array) -> Array:
    """x' = A x + B u, y = C x' (or C x + D u), as the `LinearFilter.Step` that Nengo chooses."""
    emit, process, signal = step.emit, op.process, op.state["X"]
    a, b, c, d = step.state_space(process)
    initial = signal.initial_value
    if synapses.LinearFilter.NoX.check(a, b, c, d, initial):
        return x * d.item()
    state = step.memory.read(signal)
    if synapses.LinearFilter.OneX.check(a, b, c, d, initial):
        after = state * a.item() + (c.item() * b.item()) * x
        step.memory.write(signal, after)
        return emit.reshape(after, state.shape[1:])
    rest = state.shape[1:]
    flat = emit.reshape(emit.solid(state), (state.shape[0], int(np.prod(rest))))
    row = emit.reshape(x, (1, flat.shape[1]))
    matrix = {name: emit.constant(value, f"{emit.scope}.{name}") for name, value in (("A", a), ("C", c))}
    column = emit.constant(b, f"{emit.scope}.B")
    after = emit.matmul(matrix["A"], flat) + column * row
    if synapses.LinearFilter.NoD.check(a, b, c, d, initial):
        output = emit.matmul(matrix["C"], after)
    else:
        output = emit.matmul(matrix["C"], flat) + d.item() * row
    step.memory.write(signal, emit.reshape(after, state.shape))
    return emit.reshape(output, rest)


def triangle(step: Step, op: Any, x: Array) -> Array:
    """A ring buffer of the last taps; the counter is a float as in Nengo."""
    emit, memory = step.emit, step.memory
    taps, ring, counter = (op.state[name] for name in ("Y", "X", "Xi"))
    count, first, difference = op.process._get_coefficients(step.dt, dtype=taps.dtype)
    buffer, place = emit.solid(memory.read(ring)), memory.read(counter)
    output = memory.read(taps) + float(first) * x - emit.sum_rows(buffer)
    place = (place + 1.0) % float(count)
    index = emit.cast(emit.reshape(emit.solid(place), ()), "i64")
    row = emit.reshape(emit.solid(float(difference) * x), (1, *buffer.shape[1:]))
    buffer = emit.node("set_slice", [buffer, row, index], buffer.shape, axes=[0], sizes=[1])
    memory.write(taps, output)
    memory.write(ring, buffer)
    memory.write(counter, place)
    return output


def present_input(step: Step, op: Any, x: None) -> Array:
    emit, process = step.emit, op.process
    inputs = process.inputs.reshape(len(process.inputs), -1)
    turn = (step.time(op) - step.dt) / float(process.presentation_time) + 1e-7
    index = emit.cast(turn, "i64") % len(inputs)
    return _row(step, inputs, index)


def piecewise(step: Step, op: Any, x: None) -> Array:
    process = op.process
    if process.interpolation != "zero" or any(callable(value) for value in process.data.values()):
        return tabulated(step, op, x)
    emit = step.emit
    times, values = zip(*sorted(process.data.items()))
    shape = op.output.shape
    rows = np.stack([np.zeros(shape), *(np.broadcast_to(value, shape) for value in values)])
    knots = emit.module.constant(f"{emit.scope}.times", np.array(times, dtype=np.float64))
    now = emit.solid(emit.cast(step.time(op) + 0.5 * step.dt, "f64"))
    return _row(step, rows, emit.node("searchsorted", [knots, now], ()))


def white_signal(step: Step, op: Any, x: None) -> Array:
    """Periodic: the table holds one period and serves any number of steps."""
    period = 2 * int(np.ceil(op.process.period / step.dt / 2.0))
    function = _step_function(step, op)
    rows = np.stack([function(index * step.dt) for index in range(period)])
    return _row(step, rows, step.number() % period)


def tabulated(step: Step, op: Any, x: Array | None) -> Array:
    """Any process without input: the values its own step function gives, one row for each step."""
    count = step.table_steps(f"process `{type(op.process).__name__}`")
    function = _step_function(step, op)
    rows = [
        np.broadcast_to(function((index + 1) * step.dt), op.output.shape).copy() for index in range(count)
    ]
    return step.table_row(np.stack(rows), "table")


def _row(step: Step, rows: np.ndarray, index: Array) -> Array:
    emit = step.emit
    table = emit.module.constant(f"{emit.scope}.table", rows.astype({"f32": "f4", "f64": "f8"}[emit.dtype]))
    return emit.take(Array(emit, table, rows.shape), index)


def _step_function(step: Step, op: Any) -> Callable[[float], np.ndarray]:
    state = {name: np.array(signal.initial_value) for name, signal in op.state.items()}
    return op.process.make_step((0,), op.output.shape, step.dt, step.process_rng(op), state)


PROCESSES: dict[type, Callable[[Any, Any, Any], Array]] = {
    synapses.LinearFilter: linear_filter,
    synapses.Lowpass: linear_filter,
    synapses.Alpha: linear_filter,
    synapses.Triangle: triangle,
    processes.PresentInput: present_input,
    processes.Piecewise: piecewise,
    processes.WhiteSignal: white_signal,
}


def run_process(step: Step, op: Any) -> Array:
    """What a `SimProcess` puts out in this step."""
    function = PROCESSES.get(type(op.process))
    x = None if op.input is None else step.memory.read(op.input)
    if function is None and x is not None:
        name = type(op.process).__name__
        raise GraphError(
            f"process `{name}` of `{step.names[op.output.base]}` takes an input and is not known"
        )
    return (function or tabulated)(step, op, x)
