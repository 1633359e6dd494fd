"""`from_pymc`: a model's log density and its gradient on one flat vector of unconstrained values.

posterior = from_pymc(model)
compiled = posterior.compile()
logp, gradient = compiled(np.zeros(posterior.size))
"""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pymc
import pytensor
import pytensor.tensor as pt
from pytensor.compile.sharedvalue import SharedVariable
from pytensor.gradient import GradClip, GradScale, UndefinedGrad
from pytensor.graph.basic import Constant, Variable
from pytensor.graph.replace import clone_replace
from pytensor.graph.traversal import io_toposort

from ...builder import Module
from ...errors import GraphError
from .graph import Graph, add_functions, as_graph

if TYPE_CHECKING:
    from .sampler import CompiledPosterior

# What makes log densities stable is among PyTensor's rewrites: `log(sum(exp(x)))` of a mixture overflows
# without, and
# `log1p(-sigmoid(x))` becomes `-softplus(x)` only where `specialize` is allowed.
_REWRITES = ("merge", "ShapeOpt", "canonicalize", "stabilize", "specialize")
# Rewrites whose results PyTensor cannot differentiate.
_WITHOUT_GRADIENT = ("local_pow_to_nested_squaring",)


@dataclass(frozen=True)
class Part:
    """Where a variable lies in a flat vector, row-major."""

    name: str
    shape: tuple[int, ...]
    start: int

    @property
    def stop(self) -> int:
        return self.start + math.prod(self.shape)

    @property
    def slice(self) -> slice:
        return slice(self.start, self.stop)


@dataclass(frozen=True)
class Posterior:
    """A model as a module.

    Function `logp` takes `unconstrained`, the flat vector of `parameters`, and gives `logp` and `gradient`;
    function `expand`
    takes the same and gives `values`, the flat vector of `variables`: the parameters, then what the model
    computes from
    them. Observed data and `pm.Data` are state.
    """

    model: pymc.Model
    module: Module
    parameters: list[Part]
    variables: list[Part]
    settings: Mapping[str, Any]

    @property
    def size(self) -> int:
        return self.parameters[-1].stop

    def flatten(self, point: Mapping[str, Any]) -> np.ndarray:
        """The flat vector of a point as PyMC has it: arrays by the names of value variables."""
        arrays = [np.broadcast_to(point[part.name], part.shape).reshape(-1) for part in self.parameters]
        return np.concatenate(arrays).astype(np.float64)

    def unflatten(self, flat: np.ndarray) -> dict[str, np.ndarray]:
        """Arrays by name, of a vector of `parameters` or of `variables`."""
        parts = self.parameters if np.shape(flat)[-1] == self.size else self.variables
        return {part.name: flat[..., part.slice].reshape((*flat.shape[:-1], *part.shape)) for part in parts}

    def with_data(self, **data: Any) -> Posterior:
        """The posterior with other observed data or `pm.Data`, the latter of other shapes of the same rank if
        need be; those not named stay."""
        kept = dict(self.settings["data"] or {})
        for name, value in data.items():
            if name not in self.module.states:
                raise GraphError(f"`{name}` is no data of the model")
            old = self.module.states[name]
            array = np.asarray(value, dtype=old.dtype)
            if array.ndim != old.ndim:
                raise GraphError(f"`{name}` has rank {old.ndim}, not {array.ndim}")
            kept[name] = array
        return from_pymc(self.model, **{**self.settings, "data": kept})

    def compile(
        self, output: str | os.PathLike[str] | None = None, options: Sequence[str] = ()
    ) -> CompiledPosterior:
        """Builds the module and the sampler's entry points beside it."""
        from .sampler import build

        return build(self, output, options)


def from_pymc(
    model: pymc.Model | None = None,
    *,
    name: str = "posterior",
    gradient: str = "cohort",
    observed: str = "state",
    expand: bool = True,
    data: Mapping[str, Any] | None = None,
) -> Posterior:
    """The posterior of a PyMC model (default: the one in whose context this is called).

    * `gradient`: who differentiates, `cohort` while compiling (the default: fewer divisions and no padded
      vectors, up to 1.5 times as fast) or `pytensor` while importing. With the former the module has a third
      function, `density`, that gives `logp` only. PyTensor does in any case where the model alters gradients
      (`grad_clip`, `grad_scale`, overridden gradients of an `OpFromGraph`).
    * `observed`: observed data become `state`, which can be replaced at the same shape, or `constant`, which
      lets
      the compiler compute with them.
    * `data`: observed data and `pm.Data` to take in place of the model's own, by name.
    * `expand`: whether there is a function for the constrained and deterministic variables.

    Parameters outside their support give a log density of -inf, as in PyMC, unless the model's `check_bounds`
    is off.
    """
    model = pymc.modelcontext(model)
    if observed not in ("state", "constant"):
        raise GraphError(f"`observed` is `state` or `constant`, not `{observed}`")
    values = [model.rvs_to_values[variable] for variable in model.free_RVs]
    if not values:
        raise GraphError("the model has no free variables")
    for value in values:
        if not str(value.type.dtype).startswith("float"):
            raise GraphError(f"`{value.name}` is discrete: it has no gradient")
    parameters = _parts(values, _value_shapes(model, values))
    x = pt.vector("unconstrained", dtype="float64", shape=(parameters[-1].stop,))
    settings = {"name": name, "gradient": gradient, "observed": observed, "expand": expand, "data": data}
    replaced = _shared_data(model, observed == "state", dict(data or {}))
    if gradient not in ("pytensor", "cohort"):
        raise GraphError(f"`gradient` is `pytensor` or `cohort`, not `{gradient}`")
    own = gradient == "cohort" and not _alters_gradients(model.logp())
    graphs = {"density" if own else "logp": _density_graph(model, values, parameters, x, replaced, not own)}
    variables = parameters
    if expand:
        graphs["expand"], variables = _expanding_graph(model, values, parameters, x, replaced)
    module = Module(name)
    add_functions(module, graphs)
    if own:
        _differentiate(module)
    return Posterior(model, module, parameters, variables, settings)


def _parts(variables: Sequence[Variable], shapes: Sequence[tuple[int, ...]], start: int = 0) -> list[Part]:
    parts = []
    for variable, shape in zip(variables, shapes):
        parts.append(Part(variable.name, shape, start))
        start = parts[-1].stop
    return parts


def _value_shapes(model: pymc.Model, values: Sequence[Any]) -> list[tuple[int, ...]]:
    """The shapes of value variables; what their types leave open a point of the model decides."""
    if all(None not in value.type.shape for value in values):
        return [tuple(value.type.shape) for value in values]
    point = model.initial_point()
    return [np.shape(point[value.name]) for value in values]


def _shared_data(model: pymc.Model, observed: bool, given: dict[str, Any]) -> dict[Variable, Variable]:
    """Observed constants and data, and the shared variables that take their place; those `given` have other
    elements."""
    data: dict[Variable, Variable] = {}

    def share(variable: Any, name: str, own: np.ndarray) -> None:
        elements = np.asarray(given.pop(name, own), dtype=own.dtype)
        data[variable] = pytensor.shared(elements, name=name, shape=elements.shape)

    for variable in model.observed_RVs:
        value = model.rvs_to_values[variable]
        if isinstance(value, Constant) and (observed or variable.name in given):
            if np.shape(given.get(variable.name, value.data)) != value.data.shape:
                raise GraphError(
                    f"`{variable.name}` is observed as a constant; as `pm.Data` its shape may change"
                )
            share(value, variable.name, np.asarray(value.data))
    for variable in model.data_vars:
        if variable.name in given and isinstance(variable, SharedVariable):
            share(variable, variable.name, variable.get_value())
    if given:
        raise GraphError(f"`{min(given)}` is no data of the model")
    return data


def _pieces(values: Sequence[Any], parameters: Sequence[Part], x: Any) -> dict[Variable, Variable]:
    """The value variables as pieces of `x`."""
    pieces = {}
    for value, part in zip(values, parameters):
        piece = x[part.slice].reshape(part.shape) if part.shape else x[part.start]
        pieces[value] = value.type.filter_variable(pt.cast(piece, value.type.dtype))
    return pieces


def _alters_gradients(density: Variable) -> bool:
    """Whether PyTensor's gradient is meant to be another than that of the values."""
    for node in io_toposort([], [density]):
        if isinstance(node.op, (GradClip, GradScale, UndefinedGrad)):
            return True
        if getattr(node.op, "lop_overrides", None) not in (None, "default"):
            return True
    return False


def _density_graph(
    model: pymc.Model,
    values: Sequence[Any],
    parameters: Sequence[Part],
    x: Any,
    data: Mapping[Variable, Variable],
    with_gradient: bool,
) -> Graph:
    checks = "local_check_parameter_to_ninf_switch" if model.check_bounds else "local_remove_check_parameter"
    logp = clone_replace([model.logp()], replace=dict(data), rebuild_strict=False)[0]
    outputs = _differentiated(Graph(list(values), {"logp": logp}), checks, with_gradient)
    replaced = clone_replace([*outputs.values()], replace=_pieces(values, parameters, x))
    return Graph([x], dict(zip(outputs, replaced))).rewritten(_REWRITES)


def _differentiated(graph: Graph, checks: str, with_gradient: bool) -> dict[str, Variable]:
    """The stabilised density, and its gradient. What `specialize` makes has no gradient in PyTensor now and
    then; then the gradient is taken before. So it is where the model alters it: rewrites drop what does."""
    if with_gradient and _alters_gradients(graph.outputs["logp"]):
        both = {
            "logp": graph.outputs["logp"],
            "gradient": _flat_gradient(graph.outputs["logp"], graph.inputs),
        }
        return Graph(graph.inputs, both).rewritten((*_REWRITES, checks)).outputs
    for tags in (_REWRITES, _REWRITES[:-1]):
        density = graph.rewritten((*tags, checks), _WITHOUT_GRADIENT).outputs["logp"]
        if not with_gradient:
            return {"logp": density}
        try:
            flat = _flat_gradient(density, graph.inputs)
        except NotImplementedError:
            if tags is not _REWRITES:
                raise
            continue
        break
    return {"logp": density, "gradient": flat}


def _flat_gradient(density: Variable, values: Sequence[Variable]) -> Variable:
    parts = pytensor.grad(density, values, disconnected_inputs="ignore")
    return pt.concatenate([pt.cast(part, "float64").ravel() for part in parts])


def _differentiate(module: Module) -> None:
    """Function `logp` from function `density`."""
    ((name, type_),) = module.functions["density"].inputs.items()
    function = module.function("logp")
    x = function.input(name, type_)
    attrs = {"wrt": [name], "disconnected": "zero"}
    logp, gradient = function.node("value_and_grad", [x], attrs, 2, regions={"function": "density"})
    function.output("logp", logp)
    function.output("gradient", gradient)


def _expanding_graph(
    model: pymc.Model,
    values: Sequence[Any],
    parameters: Sequence[Part],
    x: Any,
    data: Mapping[Variable, Variable],
) -> tuple[Graph, list[Part]]:
    """The parameters and what the model computes from them, as one vector, and where each lies."""
    own = {part.name for part in parameters}
    rest = [variable for variable in model.unobserved_value_vars if variable.name not in own]
    replace = {**_pieces(values, parameters, x), **data}
    replaced = clone_replace(rest, replace=replace, rebuild_strict=False) if rest else []
    flat = [pt.cast(variable, "float64").ravel() for variable in replaced]
    shapes = [tuple(int(n) for n in shape) for shape in _static_shapes(replaced)]
    parts = [*parameters, *_parts(rest, shapes, parameters[-1].stop)]
    graph = Graph([x], {"values": pt.concatenate([x, *flat]) if flat else x}).rewritten(_REWRITES)
    return graph, parts


def _static_shapes(variables: Sequence[Any]) -> list[tuple[Any, ...]]:
    """The shapes of variables, computed where their types leave them open."""
    unknown = [variable for variable in variables if None in variable.type.shape]
    if not unknown:
        return [variable.type.shape for variable in variables]
    shapes = {"shapes": pt.concatenate([variable.shape for variable in unknown])}
    module = Module("shapes")
    add_functions(module, {"f": as_graph(shapes)})
    (found,) = module.constants.values()
    extents = iter(found.tolist())
    return [
        (
            tuple(next(extents) for _ in range(variable.type.ndim))
            if variable in unknown
            else variable.type.shape
        )
        for variable in variables
    ]
