"""IfElse: what only one branch needs becomes the body of that branch, which is computed if it is taken.

A node belongs to a branch if every way from it to a result leads through that branch. What both branches
need, or anything else, is computed before; so are random variables, whose streams advance either way.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pytensor.graph.basic import Variable
from pytensor.ifelse import IfElse
from pytensor.tensor.random.op import RandomVariable

from .arrays import Array, Emitter, fresh_input

if TYPE_CHECKING:
    from .convert import Conversion

Path = tuple[tuple[Any, int], ...]  # the branches that a node is in, outermost first: an IfElse and which


def places(order: Sequence[Any], outputs: Sequence[Variable]) -> dict[Any, Path]:
    """For each node of a topological order the branches that it belongs to."""
    found: dict[Any, Path] = {}

    def needed_at(variable: Variable, path: Path) -> None:
        if variable.owner is not None:
            found[variable.owner] = _common(found.get(variable.owner, path), path)

    for variable in outputs:
        needed_at(variable, ())
    for node in reversed(order):
        path = found.get(node, ())
        if isinstance(node.op, RandomVariable):
            path = found[node] = ()
        for position, variable in enumerate(node.inputs):
            is_branch = isinstance(node.op, IfElse) and position > 0
            branch = (node, 0 if position <= node.op.n_outs else 1) if is_branch else None
            needed_at(variable, path if branch is None else (*path, branch))
    return found


def _common(a: Path, b: Path) -> Path:
    length = 0
    while length < min(len(a), len(b)) and a[length] == b[length]:
        length += 1
    return a[:length]


def if_else(
    to: Conversion, node: Any, values: dict[Variable, Any], own: Sequence[Sequence[Any]], path: Path
) -> list[Any]:
    """The results of an IfElse. `own` are the nodes in each branch; `values` has what they read of others."""
    count = node.op.n_outs
    branches = [node.inputs[1 : 1 + count], node.inputs[1 + count :]]
    condition = to.value_of(values, node.inputs[0])
    if to.is_missing(condition):
        return [to.missing_result] * count
    if condition.known is not None:
        which = 0 if condition.known.all() else 1
        inner = dict(values)
        to.walk(own[which], inner, (*path, (node, which)))
        return [to.value_of(inner, variable) for variable in branches[which]]
    if not any(own):
        return _chosen(to, condition, *([to.value_of(values, v) for v in each] for each in branches))
    return _lazily(to, node, condition, values, own, path, branches)


def _chosen(to: Conversion, condition: Array, yes: list[Any], no: list[Any]) -> list[Any]:
    """Where neither branch computes anything."""
    if any(to.is_missing(array) for array in (*yes, *no)):
        return [to.missing_result] * len(yes)
    if any(not isinstance(array, Array) or array.rows is not None for array in (*yes, *no)):
        to.refuse("IfElse of values that are no arrays of known shape")
    _check_shapes(to, yes, no)
    return [to.emit.where(condition, a, b, a.dtype) for a, b in zip(yes, no)]


def _check_shapes(to: Conversion, yes: Sequence[Array], no: Sequence[Array]) -> None:
    if any(a.shape != b.shape for a, b in zip(yes, no)):
        to.refuse("IfElse whose branches have different shapes")


def _lazily(
    to: Conversion,
    node: Any,
    condition: Array,
    values: Mapping[Variable, Any],
    own: Sequence[Sequence[Any]],
    path: Path,
    branches: Sequence[Sequence[Variable]],
) -> list[Any]:
    given = _given(to, values, own, branches)
    outer, bodies, results = to.emit, [], []
    for which, name in enumerate(("then", "else")):
        body = outer.module.body(name)
        inner = dict(values)
        for variable, array in given.items():
            inner[variable] = fresh_input(body, variable.name or "given", array.dtype, array.shape)
        to.emit = Emitter(outer.module, body)
        try:
            to.walk(own[which], inner, (*path, (node, which)))
            results.append([to.value_of(inner, variable) for variable in branches[which]])
            bodies.append((body, to.emit))
        finally:
            to.emit = outer
    if any(to.is_missing(array) for branch in results for array in branch):
        return [to.missing_result] * len(results[0])
    if not all(isinstance(array, Array) for branch in results for array in branch):
        to.refuse("IfElse of values that are no arrays")
    _check_shapes(to, *results)
    for (body, emit), branch in zip(bodies, results):
        for number, array in enumerate(branch):
            body.output(f"output_{number}", emit.solid(array))
    types = [(array.shape, array.dtype) for array in results[0]]
    regions = {"then": bodies[0][0], "else": bodies[1][0]}
    operands = [outer.truth(condition), *given.values()]
    return list(outer.nodes("cond", operands, types, regions=regions))


def _given(
    to: Conversion,
    values: Mapping[Variable, Any],
    own: Sequence[Sequence[Any]],
    branches: Sequence[Sequence[Variable]],
) -> dict[Variable, Array]:
    """The values that branches read from outside; what is known already needs no input."""
    inside = {variable for nodes in own for node in nodes for variable in node.outputs}
    read = [variable for nodes in own for node in nodes for variable in node.inputs]
    read += [variable for branch in branches for variable in branch]
    given: dict[Variable, Array] = {}
    for variable in read:
        if variable in inside:
            continue
        array = to.value_of(values, variable)
        if isinstance(array, Array) and array.rows is not None:
            to.refuse("IfElse of what a Scan with a condition gives")
        if isinstance(array, Array) and array.known is None:
            given[variable] = array
    return given
