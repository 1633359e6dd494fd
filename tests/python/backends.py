"""The ways a graph can be run: NumPy, compiled code, and the compiler's interpreter (`cohort run`)."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import cohort
from cohort.dtypes import NUMPY
from cohort.program import Program
from cohort.tool import run_tool
from cohort.types import Type


def _subcommands() -> str:
    """The command's help, empty without a command."""
    return run_tool("--help") if cohort.find_tool() is not None else ""


def needs(subcommand: str) -> pytest.MarkDecorator:
    """Skips where the command is not built or is built without the subcommand."""
    has = re.search(rf"^\s+{subcommand}\b", _HELP, re.MULTILINE) is not None
    return pytest.mark.skipif(not has, reason=f"there is no `cohort {subcommand}`")


_HELP = _subcommands()

# The host compiler's share is most of these tests' time, and the same source at -O1 gives the same bits. What is
# built as a user builds it is tested elsewhere (test_compiled.py, test_samples.py, tests/slow).
QUICK_BUILD = ["--flag=-O1"]

EVERY_BACKEND = [
    pytest.param("numpy"),
    pytest.param("interpreter", marks=needs("run")),
    pytest.param("compiled", marks=needs("compile")),
]
STEPPING_BACKENDS = [EVERY_BACKEND[0], EVERY_BACKEND[2]]


class Interpreted(Program):
    """Calls of stateless functions through `cohort run`, one process each."""

    def __init__(self, module: cohort.Module) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="cohort-")
        self._root = Path(self._folder.name)
        self._graph = module.save(self._root / "graph.json")
        self._evaluator = cohort.Evaluator(module)
        super().__init__(module.name, tuple(module.functions))

    def input_types(self, function: str) -> dict[str, Type]:
        return self._evaluator.input_types(function)

    def call(
        self, function: str, inputs: Mapping[str, Any] | None = None, dims: Mapping[str, int] | None = None
    ) -> dict[str, np.ndarray]:
        arguments = ["run", str(self._graph), "--function", function]
        for name, value in (inputs or {}).items():
            path = self._root / f"{name}.npy"
            np.save(path, value)
            arguments += ["--input", f"{name}={path}"]
        outputs = self._root / "outputs"
        outputs.mkdir(exist_ok=True)
        for old in outputs.iterdir():
            old.unlink()
        try:
            run_tool(*arguments, "--output-dir", str(outputs))
        except cohort.ToolError as error:
            raise cohort.EvaluationError(str(error)) from error
        return {path.stem: _read(path) for path in sorted(outputs.glob("*.npy"))}

    def state_names(self) -> tuple[str, ...]:
        return ()

    def state(self, name: str) -> np.ndarray:
        raise NotImplementedError

    def set_state(self, name: str, value: Any) -> None:
        raise NotImplementedError

    def reset(self) -> None:
        raise NotImplementedError


def _read(path: Path) -> np.ndarray:
    """An .npy file; raw elements of two bytes are `bf16`."""
    array = np.load(path)
    return array.view(NUMPY["bf16"]) if array.dtype == np.dtype("V2") else array


def program(backend: str, module: cohort.Module) -> Program:
    """The module made callable by a backend."""
    if backend == "compiled":
        return cohort.compile(module, options=QUICK_BUILD)
    return {"numpy": cohort.Evaluator, "interpreter": Interpreted}[backend](module)
