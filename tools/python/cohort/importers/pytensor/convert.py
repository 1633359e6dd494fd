"""The importer: PyTensor variables become one function of a module.

The graph is walked in order. What depends on constants and shapes only is computed while walking, with
PyTensor's own
operators; so shapes, index arithmetic and masks are elements, not nodes. All that is unsupported is collected
and told
at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, NoReturn

import numpy as np
from pytensor.compile.builders import OpFromGraph
from pytensor.graph.basic import Constant, Variable
from pytensor.graph.traversal import io_toposort
from pytensor.ifelse import IfElse
from pytensor.scalar import ScalarType
from pytensor.tensor.blockwise import Blockwise
from pytensor.tensor.elemwise import Elemwise
from pytensor.tensor.random.op import RandomVariable
from pytensor.tensor.type import TensorType

from ... import ops
from ...errors import GraphError
from . import (
    branches,
    decompositions,
    elementwise,
    linalg,
    loops,
    ragged,
    random,
    reductions,
    shaping,
    special,
    subtensor,
)
from .arrays import Array, Emitter

Convert = Callable[["Conversion", Any, list[Any]], list[Any]]

OPERATORS: dict[type, Convert] = {
    **elementwise.OPERATORS,
    **shaping.OPERATORS,
    **subtensor.OPERATORS,
    **reductions.OPERATORS,
    **linalg.OPERATORS,
    **decompositions.OPERATORS,
    **special.OPERATORS,
    **loops.OPERATORS,
    **random.OPERATORS,
}


class Unsupported(GraphError):
    """An operator, or a use of it, that has no counterpart."""


class Frozen(Exception):
    """A shape depends on the values of shared variables, which therefore are constants."""

    def __init__(self, variables: Iterable[Variable]) -> None:
        super().__init__()
        self.variables = set(variables)


class _Missing:
    """What an unsupported operator would have given."""


class Conversion:
    """One walk over a graph."""

    def __init__(self, emit: Emitter, shared: set[Variable]) -> None:
        self.emit = emit
        self._shared = shared
        self._problems: dict[str, tuple[int, Variable]] = {}
        self._places: dict[Any, branches.Path] = {}

    def run(self, outputs: Sequence[Variable], known: Mapping[Variable, Any]) -> list[Any]:
        """The outputs as arrays, where `known` has the roots (and whatever else is there already)."""
        values: dict[Variable, Any] = dict(known)
        order = io_toposort([*known], [*outputs])
        outer, self._places = self._places, branches.places(order, outputs)
        try:
            self.walk(order, values, ())
        finally:
            self._places = outer
        return [self.value_of(values, variable) for variable in outputs]

    def walk(self, order: Sequence[Any], values: dict[Variable, Any], path: branches.Path) -> None:
        """Converts the nodes, those in the branches of an IfElse together with it."""
        later: dict[Any, list[list[Any]]] = {}
        for node in order:
            place = self._places.get(node, ())
            if place != path:
                choice, which = place[len(path)]
                later.setdefault(choice, [[], []])[which].append(node)
            elif isinstance(node.op, IfElse):
                own = later.get(node, [[], []])
                results = self._guarded(node, partial(branches.if_else, self, node, values, own, path))
                values.update(zip(node.outputs, results))
            else:
                arrays = [self.value_of(values, variable) for variable in node.inputs]
                values.update(zip(node.outputs, self.apply(node, arrays)))

    def apply(self, node: Any, arrays: list[Any]) -> list[Any]:
        """What a node gives; where it cannot be converted that is noted."""
        problems = missing(node.op)
        for problem in problems:
            self._note(problem, node)
        if problems or any(isinstance(array, _Missing) for array in arrays):
            return [_Missing()] * len(node.outputs)
        return self._guarded(node, lambda: self._converted(node, arrays))

    def _guarded(self, node: Any, convert: Callable[[], list[Any]]) -> list[Any]:
        emit = self.emit
        outer, emit.label = emit.label, node.outputs[0].name
        try:
            return convert()
        except Unsupported as error:
            self._note(str(error), node)
            return [_Missing()] * len(node.outputs)
        finally:
            emit.label = outer

    def _converted(self, node: Any, arrays: list[Any]) -> list[Any]:
        if _is_foldable(node, arrays):
            folded = fold(node, arrays)
            if folded is not None:
                return folded
        if isinstance(node.op, OpFromGraph):
            return self.run(node.op.inner_outputs, dict(zip(node.op.inner_inputs, arrays)))
        if any(isinstance(array, Array) and array.rows is not None for array in arrays):
            return ragged.convert(self, node, arrays)
        convert = _lookup(node.op)
        assert convert is not None
        return convert(self, node, arrays)

    def _note(self, problem: str, node: Any) -> None:
        count, example = self._problems.get(problem, (0, node.outputs[0]))
        if example.name is None and node.outputs[0].name is not None:
            example = node.outputs[0]
        self._problems[problem] = (count + 1, example)

    @property
    def missing_result(self) -> _Missing:
        """What stands for a result that is unsupported."""
        return _Missing()

    @staticmethod
    def is_missing(value: Any) -> bool:
        return isinstance(value, _Missing)

    @staticmethod
    def refuse(problem: str) -> NoReturn:
        raise Unsupported(problem)

    @staticmethod
    def conversion_of(op: Any) -> Convert | None:
        return _lookup(op)

    def report(self) -> None:
        """Raises one error that lists everything unsupported."""
        if not self._problems:
            return
        lines = [
            f"  {problem}: {count} {'time' if count == 1 else 'times'}, as for {describe(example)}"
            for problem, (count, example) in sorted(self._problems.items())
        ]
        raise GraphError("the graph has operators that are not supported:\n" + "\n".join(lines))

    def static(self, variable: Variable, array: Any, what: str) -> np.ndarray:
        """The elements of what must be known while the graph is written."""
        if not isinstance(array, Array) or array.known is not None:
            return array.known if isinstance(array, Array) else array
        roots = _roots(variable)
        unknown = [root for root in roots if root not in self._shared]
        if roots and not unknown:
            raise Frozen(roots)
        named = ", ".join(sorted({describe(root) for root in unknown or [variable]}))
        raise Unsupported(f"{what} that depends on the value of {named}")

    @staticmethod
    def value_of(values: Mapping[Variable, Any], variable: Variable) -> Any:
        if variable in values:
            return values[variable]
        if isinstance(variable, Constant):
            if isinstance(variable.type, (TensorType, ScalarType)):
                return Array.of(variable.data, variable.type.dtype)
            return variable.data
        raise GraphError(f"{describe(variable)} is no input, shared variable or constant")


def describe(variable: Variable) -> str:
    """A variable by its name, else by what computes it."""
    if variable.name is not None:
        return f"`{variable.name}`"
    return f"an unnamed `{variable.type}`" if variable.owner is None else f"a result of `{variable.owner.op}`"


def missing(op: Any) -> list[str]:
    """The names of operators in `op` that have no counterpart."""
    if isinstance(op, Elemwise):
        return elementwise.missing(op.scalar_op)
    if isinstance(op, elementwise.scalar.ScalarOp):
        return elementwise.missing(op)
    if isinstance(op, Blockwise):
        return missing(op.core_op)
    if isinstance(op, OpFromGraph) or _lookup(op) is not None:
        is_known = not isinstance(op, RandomVariable) or hasattr(ops, "random_normal")
        return [] if is_known else [type(op).__name__]
    return [type(op).__name__]


def _lookup(op: Any) -> Convert | None:
    for kind in type(op).__mro__:
        if kind in OPERATORS:
            return OPERATORS[kind]
    return None


def _is_foldable(node: Any, arrays: list[Any]) -> bool:
    """Whether the node can be computed now."""
    if type(node.op).__name__ in _NOT_FOLDED or isinstance(node.op, (OpFromGraph, RandomVariable)):
        return False
    return all(not isinstance(array, Array) or array.known is not None for array in arrays)


_NOT_FOLDED = {"Scan", "IfElse", "CheckAndRaise", "Assert", "CheckParameterValue", "Print", "MakeSlice"}


def fold(node: Any, arrays: list[Any]) -> list[Array] | None:
    """The results that PyTensor computes from known elements; None where it cannot."""
    if any(not isinstance(variable.type, (TensorType, ScalarType)) for variable in node.outputs):
        return None
    storage: dict[Variable, list[Any]] = {}
    for variable, array in zip(node.inputs, arrays):
        data = array.known if isinstance(array, Array) else array
        if isinstance(variable.type, ScalarType):
            data = data.reshape(())[()]
        storage[variable] = [data]
    computed = {variable: [True] for variable in node.inputs}
    for variable in node.outputs:
        storage[variable], computed[variable] = [None], [False]
    try:
        with np.errstate(all="ignore"):
            node.op.make_thunk(node, storage, computed, no_recycling=[], impl="py")()
    except NotImplementedError:
        return None
    return [Array.of(storage[variable][0], variable.type.dtype) for variable in node.outputs]


def _roots(variable: Variable) -> set[Variable]:
    """The variables without an owner that `variable` depends on, constants left out."""
    found: set[Variable] = set()
    seen: set[Variable] = set()
    stack = [variable]
    while stack:
        current = stack.pop()
        if current in seen or isinstance(current, Constant):
            continue
        seen.add(current)
        if current.owner is None:
            found.add(current)
        else:
            stack.extend(current.owner.inputs)
    return found
