"""The importer: a built Nengo model becomes a module whose function `step` is one simulator step."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache, partial
from typing import Any

import nengo
import numpy as np
from nengo.builder import Model, Signal
from nengo.builder.processes import SimProcess
from nengo.utils.graphs import toposort
from nengo.utils.numpy import maxint
from nengo.utils.simulator import operator_dependency_graph

from ...builder import Function, Module
from ...errors import GraphError
from ...values import Value
from .arrays import Array, Emitter
from .memory import CONSTANT, STATE, classify, initial_array
from .names import object_names, signal_names
from .operators import accesses, apply
from .step import Step


def to_module(
    network: nengo.Network | Model,
    *,
    dt: float = 0.001,
    dtype: str = "f64",
    name: str | None = None,
    n_steps: int | None = None,
    seed: int | None = None,
    inputs: Mapping[Any, str] | None = None,
    functions: Mapping[Any, Callable[..., Any]] | None = None,
    settable: bool = True,
) -> Module:
    """The module of a network, which Nengo's builder builds, or of a built model.

    * `dtype`: `f64` or `f32`.
    * `n_steps`: for how many steps noise and Python functions of time are tabulated.
    * `seed`: the simulator's; needed for processes without a seed of their own. Default: as
      `nengo.Simulator`.
    * `inputs`: nodes (objects or labels) that become inputs of `step`, with the inputs' names.
    * `functions`: replacements for Python functions of an input, written with the builder: called with the
      time (nodes only) and the input. Keys are the function, the node or connection, or its name.
    * `settable`: false if no state is to be set from outside: what always holds the same value, such as equal
      filters of one signal, is then computed once.

    Outputs of `step` are the probes. A probe with `sample_every` gets a second output, `NAME.sampled`, that
    says whether Nengo would record this step.
    """
    model = network if isinstance(network, Model) else _built(network, dt)
    with uncollected():
        module = _converted(model, dtype, name, n_steps, seed, inputs or {}, functions or {})
    if not settable:
        module.unsettable.update(module.states)
    return module


def _converted(
    model: Model,
    dtype: str,
    name: str | None,
    n_steps: int | None,
    seed: int | None,
    inputs: Mapping[Any, str],
    functions: Mapping[Any, Callable[..., Any]],
) -> Module:
    objects = object_names(model.toplevel)
    names = signal_names(model, objects)
    order = [op for op in toposort(operator_dependency_graph(model.operators)) if hasattr(op, "make_step")]
    module = Module(name or (model.toplevel.label if model.toplevel is not None else None) or "nengo")
    function = module.function("step")
    step = Step(model, Emitter(module, function, dtype), names, objects, n_steps, functions)
    step.rngs = _process_rngs(order, _simulator_seed(model, seed))
    given = _inputs(step, function, inputs)
    states = _define(step, order, given)
    for op in order:
        if type(op).__name__ == "Reset" and op.dst in step.inputs_of:
            step.memory.write(op.dst, step.inputs_of[op.dst])
        else:
            apply(step, op)
    for state, base in states:
        function.update(state, step.emit.solid(step.memory.read(base)).value)
    for state, after in step.extra:
        function.update(state, after.value)
    _outputs(step, function)
    prune(module)
    return module


@contextmanager
def uncollected() -> Iterator[None]:
    """Pauses Python's cycle collector, which else walks the growing graph and Nengo's model again and
    again."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def _built(network: nengo.Network, dt: float) -> Model:
    model = Model(dt=float(dt), label=str(network))
    model.build(network)
    return model


def _simulator_seed(model: Model, seed: int | None) -> int | None:
    if seed is not None:
        return seed
    own = None if model.toplevel is None else model.toplevel.seed
    return None if own is None else own + 1


def _process_rngs(order: list[Any], seed: int | None) -> dict[Any, Callable[[], np.random.RandomState]]:
    """For each process the generator Nengo gives it; all draw their seeds from one, in the order of the
    step."""
    parent = None if seed is None else np.random.RandomState(seed)
    found: dict[Any, Callable[[], np.random.RandomState]] = {}

    def refused() -> np.random.RandomState:
        raise GraphError("a random process has no seed: give the network or the process one, or pass `seed`")

    for op in order:
        if not isinstance(op, SimProcess):
            continue
        own = op.process.seed
        if parent is not None and own is None:
            own = parent.randint(maxint)
        found[op] = refused if own is None else cache(partial(np.random.RandomState, own))
    return found


def _inputs(step: Step, function: Function, inputs: Mapping[Any, str]) -> dict[Signal, Array]:
    """Makes the inputs; gives those that stand for whole bases."""
    by_name = {label: item for item, label in step.objects.items()}
    whole: dict[Signal, Array] = {}
    for key, name in inputs.items():
        node = by_name.get(key) if isinstance(key, str) else key
        if not isinstance(node, nengo.Node) or node not in step.objects:
            raise GraphError(f"`{key}` is no node of the network")
        signal = step.model.sig[node]["out"]
        if signal is None:
            raise GraphError(f"node `{step.objects[node]}` has no output to replace")
        value = Array(step.emit, function.input(name, step.emit.dtype, signal.shape), signal.shape)
        step.inputs_of[signal] = value
        if (
            node.output is not None
            and not callable(node.output)
            and not isinstance(node.output, nengo.Process)
        ):
            whole[signal.base] = value
    return whole


def _define(step: Step, order: list[Any], given: dict[Signal, Array]) -> list[tuple[Value, Signal]]:
    """Says what every base holds when the step begins; gives the state variables."""
    probed = [step.model.sig[probe]["in"] for probe in step.model.probes]
    kinds = classify([accesses(op) for op in order] + [(probed, [])])
    states = []
    for base, kind in kinds.items():
        array = initial_array(base, step.emit.dtype)
        if base in given:
            step.memory.define(base, given[base])
        elif kind == STATE:
            value = step.emit.module.state(step.names[base], array)
            step.names[base] = value.name
            step.memory.define(base, Array(step.emit, value, array.shape))
            states.append((value, base))
        elif kind == CONSTANT:
            step.memory.define(base, step.emit.constant(array, step.names[base]))
        else:
            step.memory.define(base, None)
    return states


def _outputs(step: Step, function: Function) -> None:
    """One output for each probe: what Nengo would record after this step."""
    used: set[str] = set()
    for probe in step.model.probes:
        step.emit.scope = base = step.objects.get(probe, "probe")
        name, number = base, 1
        while name in used:
            number += 1
            name = f"{base}_{number}"
        used.add(name)
        function.output(name, step.emit.solid(step.memory.read(step.model.sig[probe]["in"])).value)
        if probe.sample_every is not None:
            period = float(probe.sample_every) / step.dt
            sampled = step.emit.cast(step.number(), "f64") % period < 1.0
            function.output(f"{name}.sampled", sampled.value)


def prune(module: Module) -> None:
    """Drops nodes and constants that nothing needs."""
    needed = set().union(*(_pruned(function) for function in module.functions.values()))
    for name in [name for name in module.constants if name not in needed]:
        del module.constants[name]


def _pruned(function: Function) -> set[str]:
    """Drops the function's nodes that nothing needs; gives the names it still uses."""
    makers = {name: node for node in function.nodes for name in node.get("names", [node.get("name")])}
    needed: set[str] = set()
    stack = [*function.outputs.values(), *function.updates.values()]
    while stack:
        operand = stack.pop()
        if isinstance(operand, str) and operand not in needed:
            needed.add(operand)
            stack.extend(makers[operand].get("inputs", []) if operand in makers else [])
    function.nodes = [
        node for node in function.nodes if needed.intersection(node.get("names", [node.get("name")]))
    ]
    return needed
