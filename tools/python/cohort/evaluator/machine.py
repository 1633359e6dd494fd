"""The evaluator: functions become lists of prepared calls over a table of slots.

graph = Evaluator("toy.json")
outputs = graph.call("f", {"u": u})     # reads the old state, commits all updates together
graph.state("x"); graph.set_state("x", value); graph.reset()
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ..data import decode_literal
from ..errors import CohortError, EvaluationError, GraphError
from ..program import Program
from ..types import Type, parse_dim, parse_type
from . import indexing, linalg, loops, randoms, reductions, scalar, shaping
from .derivatives import without_derivatives
from .reader import Document, GraphSource, check_keys

_STRUCTURED = {
    **shaping.TABLE,
    **indexing.TABLE,
    **reductions.TABLE,
    **linalg.TABLE,
    **randoms.TABLE,
}


class Evaluator(Program):
    """A graph that can be called; it holds the state. Not for speed: it states what the graph means."""

    def __init__(
        self, source: GraphSource, print_hook: Callable[[str, np.ndarray], None] | None = None
    ) -> None:
        """`print_hook(message, value)` receives what `print` nodes write; by default they print."""
        self._document = document = without_derivatives(source)
        self._print_hook = print_hook or (lambda message, value: print(message, value))
        self._plans = {name: _Plan(self, document, name, entry) for name, entry in document.functions.items()}
        self._values = dict(document.states)
        super().__init__(document.name, tuple(self._plans))

    def state_names(self) -> tuple[str, ...]:
        return tuple(self._document.states)

    def input_types(self, function: str) -> dict[str, Type]:
        return dict(self._plan(function).inputs)

    def state(self, name: str) -> np.ndarray:
        self._check_state(name)
        return np.array(self._values[name])

    def set_state(self, name: str, value: Any) -> None:
        self._check_state(name)
        if name in self._document.unsettable:
            raise EvaluationError(f"`{name}` of module `{self.name}` is not settable")
        self._restore_state(name, value)

    def _restore_state(self, name: str, value: Any) -> None:
        self._values[name] = np.array(self.converted(name, self._document.types[name], value))

    def reset(self) -> None:
        self._values = dict(self._document.states)

    def call(
        self, function: str, inputs: Mapping[str, Any] | None = None, dims: Mapping[str, int] | None = None
    ) -> dict[str, np.ndarray]:
        outputs, updates = self._plan(function).run(inputs or {}, self._values, dims or {})
        self._values.update(updates)
        return outputs

    def _plan(self, function: str) -> _Plan:
        if function not in self._plans:
            raise EvaluationError(f"module `{self.name}` has no function `{function}`")
        return self._plans[function]


def evaluate(
    source: GraphSource, function: str, inputs: Mapping[str, Any] | None = None
) -> dict[str, np.ndarray]:
    """The outputs of one call from the initial state."""
    return Evaluator(source).call(function, inputs)


class _Plan:
    """One function, prepared: nodes in topological order with the slots they read and write."""

    def __init__(self, owner: Evaluator, document: Document, name: str, function: Mapping[str, Any]) -> None:
        self._owner, self._document, self.name = owner, document, name
        self.inputs = {key: parse_type(text) for key, text in function.get("inputs", {}).items()}
        self._dims: dict[str, int] = {}
        self._slots: dict[str, int] = {}
        for given in (document.constants, document.states, self.inputs):
            for key in given:
                self._define(key)
        nodes = function.get("nodes", [])
        for node in nodes:
            check_keys("node", node)
            for result in _results(node):
                self._define(result)
        self._template: list[Any] = [None] * len(self._slots)
        for key, array in document.constants.items():
            self._template[self._slots[key]] = array
        self._steps = [self._prepare(node) for node in _sorted(nodes)]
        self._outputs = {key: self._operand(value) for key, value in function.get("outputs", {}).items()}
        self._updates = {key: self._operand(value) for key, value in function.get("updates", {}).items()}
        for key in self._updates:
            if key not in document.states:
                raise GraphError(f"function `{name}` updates `{key}`, which is no state variable")

    def run(self, inputs: Mapping[str, Any], states: Mapping[str, np.ndarray], dims: Mapping[str, int]):
        """Outputs and updates, read before anything is written."""
        slots = list(self._template)
        self._dims.clear()
        self._dims.update(dims)
        for key in inputs:
            if key not in self.inputs:
                raise EvaluationError(f"function `{self.name}` has no input `{key}`")
        for key, type_ in self.inputs.items():
            if key not in inputs:
                raise EvaluationError(f"function `{self.name}`: input `{key}` is missing")
            array = self._owner.converted(key, type_, inputs[key], self._dims, self._document.dims)
            slots[self._slots[key]] = array
        for key, value in states.items():
            slots[self._slots[key]] = value
        with np.errstate(all="ignore"):
            for call, operands, results, node in self._steps:
                try:
                    value = call(*[slots[operand] if is_slot else operand for is_slot, operand in operands])
                except CohortError as error:
                    raise type(error)(f"{_where(node)}{error}") from None
                except (ValueError, TypeError, IndexError) as error:
                    raise EvaluationError(f"{_where(node)}`{node['op']}`: {error}") from error
                if type(results) is int:
                    slots[results] = value
                else:
                    for slot, part in zip(results, value):
                        slots[slot] = part
        outputs = {key: _fetch(slots, operand) for key, operand in self._outputs.items()}
        updates = {}
        for key, operand in self._updates.items():
            updates[key] = self._owner.converted(key, self._document.types[key], _fetch(slots, operand))
        return outputs, updates

    def _define(self, name: str) -> None:
        if name in self._slots:
            raise GraphError(f"function `{self.name}`: the name `{name}` is used twice")
        self._slots[name] = len(self._slots)

    def _operand(self, operand: Any) -> tuple[bool, Any]:
        if isinstance(operand, str):
            if operand not in self._slots:
                raise GraphError(f"function `{self.name}`: `{operand}` is not defined")
            return True, self._slots[operand]
        return False, decode_literal(operand)

    def _prepare(self, node: Mapping[str, Any]):
        op, attrs = node["op"], node.get("attrs", {})
        operands = [self._operand(operand) for operand in node.get("inputs", [])]
        if op in _STRUCTURED:
            call = _with_arrays(_STRUCTURED[op](attrs, self._shape_of), op)
        elif op == "where" or op in scalar.TABLE:
            call = scalar.prepare(op)
        elif op in loops.TABLE:
            make, regions = loops.TABLE[op]
            call = make(attrs, self._shape_of, *(self._applied(node, region) for region in regions))
        elif op == "assert":
            call = _asserting(attrs.get("message", ""))
        elif op == "print":
            call = self._printing(attrs.get("message", ""))
        else:
            raise GraphError(f"{_where(node)}unknown operator `{op}`")
        if "type" in node:
            call = self._checked(call, parse_type(node["type"]))
        results = [self._slots[name] for name in _results(node)]
        return call, operands, results[0] if "name" in node and op not in _LISTS else results, node

    def _applied(self, node: Mapping[str, Any], region: str) -> loops.Applied:
        """A function that a node takes: its name, or the function itself."""
        function = node.get(region)
        name = function if isinstance(function, str) else f"{region} of `{_results(node)[0]}`"
        entry = self._document.functions.get(function) if isinstance(function, str) else function
        if entry is None:
            raise GraphError(f"{_where(node)}there is no function `{function}`")
        return _Applied(self._owner, _Plan(self._owner, self._document, name, entry), self._dims)

    def _checked(self, call: Callable[..., Any], type_: Type) -> Callable[..., Any]:
        """The call, and a check of its result against the node's declared type."""

        def run(*operands: Any) -> Any:
            value = np.asarray(call(*operands))
            if value.dtype != type_.numpy_dtype or value.shape != type_.extents(self._dims):
                raise EvaluationError(f"the node has type {Type.of(value)}, declared is {type_}")
            return value

        return run

    def _shape_of(self, shape: list[int | str]) -> tuple[int, ...]:
        return tuple(
            entry if isinstance(entry, int) else parse_dim(entry).value(self._dims) for entry in shape
        )

    def _printing(self, message: str):
        def run(x):
            self._owner._print_hook(message, np.array(x))
            return x

        return run


class _Applied:
    """A function that a node takes, as a function of arrays; it reads the state that the call began with."""

    def __init__(self, owner: Evaluator, plan: _Plan, dims: Mapping[str, int]) -> None:
        self.inputs = tuple(plan.inputs)
        self._owner, self._plan, self._dims = owner, plan, dims

    def __call__(self, *operands: Any) -> list[np.ndarray]:
        given = dict(zip(self.inputs, operands))
        outputs, _ = self._plan.run(given, self._owner._values, dict(self._dims))
        return list(outputs.values())


_WEAK = frozenset(
    "set_slice inc_slice scatter_set scatter_add add_n concat stack matmul dot outer einsum full"
    " searchsorted".split()
)


_LISTS = {"split", *loops.TABLE}  # what gives a list, even of one result


def _with_arrays(call, op: str):
    """Turns literal operands into arrays for operators that do not unify their operands' dtypes
    themselves."""
    if op in _WEAK:
        return lambda *operands: call(
            *(x if isinstance(x, (bool, int, float)) else np.asarray(x) for x in operands)
        )
    return lambda *operands: call(
        *(scalar.unify((x,))[0] if not hasattr(x, "dtype") else np.asarray(x) for x in operands)
    )


def _asserting(message: str):
    def run(x, condition):
        if not np.all(condition):
            raise EvaluationError(f"assertion failed: {message}" if message else "assertion failed")
        return x

    return run


def _fetch(slots: list[Any], operand: tuple[bool, Any]) -> np.ndarray:
    is_slot, value = operand
    return np.array(slots[value]) if is_slot else scalar.unify((value,))[0]


def _results(node: Mapping[str, Any]) -> list[str]:
    return [node["name"]] if "name" in node else list(node["names"])


def _where(node: Mapping[str, Any]) -> str:
    return f"{node['loc']}: " if "loc" in node else f"node `{_results(node)[0]}`: "


def _sorted(nodes: list[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The nodes in a stable topological order; a cycle is an error."""
    maker = {name: index for index, node in enumerate(nodes) for name in _results(node)}
    done = [False] * len(nodes)
    open_ = [False] * len(nodes)
    order = []
    for root in range(len(nodes)):
        stack = [root]
        while stack:
            index = stack[-1]
            if done[index]:
                stack.pop()
                continue
            inputs = (name for name in nodes[index].get("inputs", []) if isinstance(name, str))
            missing = [maker[name] for name in inputs if name in maker and not done[maker[name]]]
            if not missing:
                done[index] = True
                order.append(nodes[index])
                stack.pop()
            elif open_[index] and any(open_[other] for other in missing):
                raise GraphError(f"the nodes form a cycle through `{_results(nodes[index])[0]}`")
            else:
                open_[index] = True
                stack.extend(reversed(missing))
    return order
