"""Cohort from Python: build graphs, evaluate them with NumPy, compile them and call the result.

* `Module` builds graphs and writes graph files; `ops` holds the operators.
* `Evaluator` and `evaluate` give a graph its meaning with NumPy.
* `compile` runs the `cohort` command, `load` calls what it built.
* `cohort.importers` makes graphs from other libraries' models.
"""

from typing import Any

from . import dtypes, ops, optimisers
from .builder import Function, Module
from .errors import CohortError, EvaluationError, GraphError, ToolError
from .evaluator import Evaluator, evaluate
from .loader import CompiledModule, load
from .tool import compile, find_tool
from .types import Dim, Type
from .values import Value


def from_pytensor(*arguments: Any, **named: Any) -> Module:
    """`cohort.importers.pytensor.from_pytensor`: the module of a PyTensor graph."""
    from .importers.pytensor.graph import from_pytensor as convert

    return convert(*arguments, **named)


def from_pymc(*arguments: Any, **named: Any) -> Any:
    """`cohort.importers.pytensor.pymc.from_pymc`: the log density of a PyMC model and its gradient."""
    from .importers.pytensor.pymc import from_pymc as convert

    return convert(*arguments, **named)


__all__ = [
    "CohortError",
    "CompiledModule",
    "Dim",
    "EvaluationError",
    "Evaluator",
    "Function",
    "GraphError",
    "Module",
    "ToolError",
    "Type",
    "Value",
    "compile",
    "dtypes",
    "evaluate",
    "find_tool",
    "from_pymc",
    "from_pytensor",
    "load",
    "ops",
    "optimisers",
]
