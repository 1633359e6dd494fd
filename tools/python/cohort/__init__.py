"""Cohort from Python: build graphs, evaluate them with NumPy, compile them and call the result.

* `Module` builds graphs and writes graph files; `ops` holds the operators.
* `Evaluator` and `evaluate` give a graph its meaning with NumPy.
* `compile` runs the `cohort` command, `load` calls what it built.
* `cohort.importers` makes graphs from other libraries' models.
"""

from . import dtypes, ops
from .builder import Function, Module
from .errors import CohortError, EvaluationError, GraphError, ToolError
from .evaluator import Evaluator, evaluate
from .loader import CompiledModule, load
from .tool import compile, find_tool
from .types import Dim, Type
from .values import Value

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
    "load",
    "ops",
]
