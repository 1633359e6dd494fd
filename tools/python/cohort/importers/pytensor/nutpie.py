"""A compiled posterior as a model for `nutpie.sample`: the sampler calls the C functions, nothing runs in
Python.

trace = nutpie.sample(nutpie_model(posterior.compile()), chains=4)
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas
from nutpie import _lib
from nutpie.sample import CompiledModel

from .pymc import Part
from .sampler import CompiledPosterior, Pool

_SPREAD = 1.0  # initial points are the model's own, moved by at most this in each unconstrained direction


def nutpie_model(compiled: CompiledPosterior) -> CohortModel:
    """The model for `nutpie.sample`, with the data that `compiled` has when sampling begins."""
    return CohortModel(dims=dict(compiled.posterior.model.named_vars_to_dims), compiled=compiled)


@dataclass(frozen=True)
class CohortModel(CompiledModel):
    """What `nutpie.sample` asks of a model."""

    compiled: CompiledPosterior

    @property
    def n_dim(self) -> int:
        return self.compiled.posterior.size

    @property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        return {part.name: part.shape for part in self._variables}

    @property
    def coords(self) -> dict[str, Any]:
        model = self.compiled.posterior.model
        found = {}
        for name, labels in model.coords.items():
            length = int(model.dim_lengths[name].eval()) if labels is None else len(labels)
            found[name] = pandas.Index(np.arange(length) if labels is None else labels)
        return found

    @property
    def _variables(self) -> list[Part]:
        return self.compiled.posterior.variables

    def _make_sampler(self, settings: Any, init_mean: Any, cores: int, progress_type: Any, store: Any) -> Any:
        return _lib.PySampler.from_pymc(
            settings, cores, self._make_model(init_mean, cores), progress_type, store
        )

    def _make_model(self, init_mean: Any, cores: int = 1) -> Any:
        posterior = self.compiled.posterior
        pool: Pool = self.compiled.pool(max(cores, 1))
        kept = (self.compiled, pool)
        density = _lib.LogpFunc(self.compiled.address("sampler_pooled"), pool.pointer, kept)
        count = posterior.variables[-1].stop
        address = self.compiled.address("expand_values_pooled")
        expand = _lib.ExpandFunc(posterior.size, count, address, pool.pointer, kept)
        coords = {**self.coords, "unconstrained_parameter": pandas.Index(_labels(posterior.parameters))}
        sizes = {name: len(labels) for name, labels in coords.items()}
        names = [part.name for part in self._variables]
        shapes = [part.shape for part in self._variables]
        variables = _lib.PyVariable.new_variables(
            names, ["float64"] * len(names), shapes, sizes, self.dims or {}
        )
        return _lib.PyMcModel(
            density, expand, variables, posterior.size, sizes, coords, self._initial_point, _no_adapter
        )

    @cached_property
    def _start(self) -> np.ndarray:
        posterior = self.compiled.posterior
        return posterior.flatten(posterior.model.initial_point())

    def _initial_point(self, seed: int) -> np.ndarray:
        return self._start + np.random.default_rng(seed).uniform(-_SPREAD, _SPREAD, self.n_dim)


def _no_adapter(*_: Any, **__: Any) -> Any:
    raise NotImplementedError("normalizing-flow adaptation needs a log density in JAX")


def _labels(parts: list[Part]) -> list[str]:
    """One label for each element: `mu`, `theta_0`, `theta_1`."""
    labels = []
    for part in parts:
        for index in np.ndindex(*part.shape):
            labels.append(f"{part.name}_{'.'.join(map(str, index))}" if index else part.name)
    return labels
