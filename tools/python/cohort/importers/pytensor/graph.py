"""`from_pytensor`: what a PyTensor graph reads and gives becomes inputs, state, outputs and updates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from pytensor.compile.function.types import Function as PyTensorFunction
from pytensor.compile.sharedvalue import SharedVariable
from pytensor.graph.basic import Constant, Variable
from pytensor.graph.fg import FunctionGraph
from pytensor.graph.rewriting.utils import rewrite_graph
from pytensor.graph.traversal import graph_inputs
from pytensor.scalar import ScalarType
from pytensor.tensor.type import TensorType

from ...builder import Function, Module
from ...errors import GraphError
from ...values import Value
from .arrays import Array, Emitter, fresh_input
from .convert import Conversion, Frozen, describe
from .random import Stream, stream_of

Shapes = Mapping[Any, Sequence[int]]


@dataclass
class Graph:
    """Variables that are read, given by name, and given to shared variables."""

    inputs: list[Variable]
    outputs: dict[str, Variable]
    updates: dict[Variable, Variable] = field(default_factory=dict)

    @property
    def results(self) -> list[Variable]:
        return [*self.outputs.values(), *self.updates.values()]

    def shared(self) -> list[Variable]:
        """The shared variables that occur, in order."""
        found = [*self.updates]
        for root in graph_inputs(self.results):
            if isinstance(root, SharedVariable) and root not in found and root not in self.inputs:
                found.append(root)
        return found

    def rewritten(self, include: Sequence[str], exclude: Sequence[str] = ()) -> Graph:
        """The graph after some of PyTensor's own rewrites, by their tags and names."""
        if not include:
            return self
        shared = self.shared()
        roots = [*self.inputs, *shared]
        graph = FunctionGraph(roots, self.results, clone=True, copy_inputs=False)
        rewrite_graph(graph, include=tuple(include), exclude=tuple(exclude), clone=False)
        results = graph.outputs
        outputs = dict(zip(self.outputs, results))
        return Graph(self.inputs, outputs, dict(zip(self.updates, results[len(outputs) :])))


def from_pytensor(
    graph: Any,
    inputs: Sequence[Variable] | None = None,
    *,
    updates: Mapping[Variable, Variable] | Sequence[tuple[Variable, Variable]] | None = None,
    name: str = "pytensor",
    function: str = "f",
    shapes: Shapes | None = None,
    rewrite: Sequence[str] = (),
) -> Module:
    """A module with one function that computes what PyTensor variables stand for.

    * `graph`: a variable, a list of variables, a dict of them by the outputs' names, a `FunctionGraph`, or a
      compiled `pytensor.function` (its optimised graph: where there is a choice, give the variables).
    * `inputs`: the function's inputs in order; default: all variables that need a value.
    * `updates`: new values of shared variables. Shared variables become state.
    * `shapes`: shapes of inputs whose type leaves them open, by variable or name.
    * `rewrite`: tags of PyTensor rewrites to apply first, such as `("canonicalize", "stabilize")`.

    Inputs, state and outputs are called after their variables. Shapes are constant: a shared variable whose
    value
    decides a shape is a constant and no state.
    """
    module = Module(name)
    add_functions(module, {function: as_graph(graph, inputs, updates).rewritten(rewrite)}, shapes)
    return module


def as_graph(graph: Any, inputs: Sequence[Variable] | None = None, updates: Any = None) -> Graph:
    """Any of the forms `from_pytensor` takes."""
    if isinstance(graph, PyTensorFunction):
        return _of_function(graph)
    if isinstance(graph, FunctionGraph):
        return _of_function_graph(graph)
    outputs = (
        graph if isinstance(graph, Mapping) else _named([graph] if isinstance(graph, Variable) else graph)
    )
    found = Graph([], dict(outputs), dict(updates or {}))
    roots = [root for root in graph_inputs(found.results) if not isinstance(root, (Constant, SharedVariable))]
    found.inputs = list(dict.fromkeys(roots)) if inputs is None else list(inputs)
    absent = [root for root in roots if root not in found.inputs]
    if absent:
        raise GraphError(f"{', '.join(describe(root) for root in absent)}: needed, but not among the inputs")
    return found


def _of_function(compiled: PyTensorFunction) -> Graph:
    """The graph as PyTensor left it; its optimisation keeps no other."""
    maker = compiled.maker
    return _of_function_graph(maker.fgraph, maker.output_keys)


def _of_function_graph(graph: FunctionGraph, keys: Sequence[str | None] | None = None) -> Graph:
    """Inputs that are shared variables become state; outputs that update inputs become updates."""
    updated: Mapping[int, int] = graph.update_mapping or {}
    inputs = [variable for variable in graph.inputs if not isinstance(variable, SharedVariable)]
    updates = {graph.inputs[target]: graph.outputs[source] for source, target in updated.items()}
    outputs = [variable for position, variable in enumerate(graph.outputs) if position not in updated]
    return Graph(inputs, _named(outputs, keys), updates)


def _named(variables: Sequence[Variable], keys: Sequence[str | None] | None = None) -> dict[str, Variable]:
    """Outputs by name: the keys, else the variables' names, else `output`."""
    named: dict[str, Variable] = {}
    for position, variable in enumerate(variables):
        base = (keys[position] if keys else None) or variable.name
        base = base or ("output" if len(variables) == 1 else f"output_{position}")
        name, number = base, 1
        while name in named:
            number += 1
            name = f"{base}_{number}"
        named[name] = variable
    return named


def add_functions(module: Module, graphs: Mapping[str, Graph], shapes: Shapes | None = None) -> None:
    """Writes graphs as functions of the module that share its state."""
    frozen: set[Variable] = set()
    updated = {variable for graph in graphs.values() for variable in graph.updates}
    while True:
        try:
            _write_all(Module(module.name), graphs, shapes, frozen)
            break
        except Frozen as decided:
            if decided.variables <= frozen or decided.variables & updated:
                named = ", ".join(describe(variable) for variable in decided.variables)
                raise GraphError(f"a shape depends on {named}, which changes") from None
            frozen |= decided.variables
    _write_all(module, graphs, shapes, frozen)


def _write_all(
    module: Module, graphs: Mapping[str, Graph], shapes: Shapes | None, frozen: set[Variable]
) -> None:
    states: dict[Variable, Value] = {}
    for name, graph in graphs.items():
        _write(module, graph, name, shapes, states, frozen)


def _write(
    module: Module,
    graph: Graph,
    name: str,
    shapes: Shapes | None,
    states: dict[Variable, Value],
    frozen: set[Variable],
) -> None:
    known: dict[Variable, Any] = {}
    for variable in graph.shared():
        known[variable] = _state(module, variable, states, frozen)
    function = module.function(name)
    wanted = {key: tuple(shape) for key, shape in (shapes or {}).items()}
    for position, variable in enumerate(graph.inputs):
        known[variable] = _input(function, variable, f"input_{position}", wanted)
    emit = Emitter(module, function)
    conversion = Conversion(emit, {variable for variable in known if isinstance(variable, SharedVariable)})
    results = conversion.run(graph.results, known)
    conversion.report()
    for key, array in zip(graph.outputs, results):
        if array.rows is not None:
            raise GraphError(
                f"output `{key}` has as many rows as a Scan with a condition takes steps; shapes are constant"
            )
        function.output(key, emit.solid(array))
    for variable, array in zip(graph.updates, results[len(graph.outputs) :]):
        function.update(states[variable], _fitted(emit, variable, known[variable], array))


def _fitted(emit: Emitter, variable: Variable, old: Any, new: Any) -> Value:
    if isinstance(old, Stream):
        old, new = old.draw, new.draw
    if new.shape != old.shape or getattr(new, "rows", None) is not None:
        raise GraphError(
            f"the update of {describe(variable)} has shape {new.shape}, the variable {old.shape}"
        )
    return emit.solid(emit.cast(new, old.dtype))


def _state(module: Module, variable: Any, states: dict[Variable, Value], frozen: set[Variable]) -> Any:
    """A shared variable: a state variable, or its elements where a shape depends on them."""
    if not isinstance(variable.type, (TensorType, ScalarType)):
        return stream_of(variable, states, module)
    elements = np.asarray(variable.get_value(borrow=True), dtype=variable.type.dtype)
    if variable in frozen:
        return Array.of(elements)
    if variable not in states:
        states[variable] = module.state(variable.name or "shared", elements)
    return Array(elements.shape, elements.dtype, states[variable])


def _input(function: Function, variable: Any, default: str, shapes: Mapping[Any, tuple[int, ...]]) -> Array:
    if not isinstance(variable.type, (TensorType, ScalarType)):
        raise GraphError(f"input {describe(variable)} of type `{variable.type}` is no array")
    shape = _shape_of(variable, shapes)
    return fresh_input(function, variable.name or default, variable.type.dtype, shape)


def _shape_of(variable: Any, shapes: Mapping[Any, tuple[int, ...]]) -> tuple[int, ...]:
    """The shape of an input: what is asked for, what its type says, or that of its test value."""
    static = tuple(getattr(variable.type, "shape", ()))
    given = shapes.get(variable, shapes.get(variable.name) if variable.name else None)
    if given is None and hasattr(variable.tag, "test_value"):
        given = np.shape(variable.tag.test_value)
    if given is None:
        given = static
    fits = len(given) == len(static) and all(b in (None, a) for a, b in zip(given, static))
    if not fits:
        raise GraphError(f"input {describe(variable)}: shape {tuple(given)} does not fit `{variable.type}`")
    if None in given:
        raise GraphError(
            f"the shape of input {describe(variable)}, `{variable.type}`, is not known; give it in `shapes`"
        )
    return tuple(int(extent) for extent in given)
