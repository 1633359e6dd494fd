"""Derivatives in evaluated graphs: the `cohort` command writes them out; their rules are the compiler's."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ..builder import Module
from ..errors import GraphError
from ..tool import find_tool, run_tool
from .loops import DERIVATIVES
from .reader import REGIONS, Document, GraphSource, read


def without_derivatives(source: GraphSource) -> Document:
    """The document, whose functions take no derivatives."""
    document = read(source)
    operators = {op for function in document.functions.values() for op in _operators(function)}
    for op in sorted(operators & {"custom", "extern"}):
        raise GraphError(f"`{op}` calls compiled code: `cohort.compile` the module")
    taken = operators & DERIVATIVES
    if not taken:
        return document
    if isinstance(source, Mapping):
        raise GraphError(f"`{min(taken)}` is evaluated only in a graph file or in a module of the builder")
    if find_tool() is None:
        raise GraphError(
            f"`{min(taken)}` is written out by the `cohort` command, which is not found;"
            " set $COHORT or add it to PATH"
        )
    with tempfile.TemporaryDirectory(prefix="cohort-") as folder:
        path = source.save(Path(folder) / "graph.json") if isinstance(source, Module) else Path(source)
        expanded = Path(folder) / "expanded.json"
        run_tool("opt", path, "--passes", "expand_functions", "-o", expanded)
        return read(expanded)


def _operators(function: Mapping[str, Any]) -> Iterator[str]:
    """The operators of a function and of the bodies in it."""
    for node in function.get("nodes", []):
        yield node["op"]
        for key in REGIONS:
            if isinstance(node.get(key), Mapping):
                yield from _operators(node[key])
