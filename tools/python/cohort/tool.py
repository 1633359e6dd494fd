"""Runs the `cohort` command: `compile` builds a graph as a shared library and loads it."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

from .builder import Module
from .errors import ToolError
from .loader import CompiledModule, PrintHook, load


def find_tool() -> str | None:
    """The command: `$COHORT`, else on the path, else the newest in a build tree of the source this package is
    in."""
    given = os.environ.get("COHORT")
    if given:
        return given
    found = shutil.which("cohort")
    if found:
        return found
    builds = Path(__file__).resolve().parents[3].glob("build/*/tools/cohort/cohort")
    newest = sorted(builds, key=lambda path: path.stat().st_mtime)
    return str(newest[-1]) if newest else None


def run_tool(*arguments: str | os.PathLike[str]) -> str:
    """Runs the command and gives its standard output; what it reports as wrong becomes a `ToolError`."""
    tool = find_tool()
    if tool is None:
        raise ToolError("the `cohort` command is not found; set $COHORT or add it to PATH")
    command = [tool, *(os.fspath(argument) for argument in arguments)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError as error:
        raise ToolError(f"`{tool}` cannot be run: {error}") from error
    if done.returncode != 0:
        text = done.stderr.strip() or done.stdout.strip()
        raise ToolError(f"`cohort {arguments[0]}` ended with status {done.returncode}\n{text}")
    return done.stdout


def compile(
    graph: Module | str | os.PathLike[str],
    output: str | os.PathLike[str] | None = None,
    options: Sequence[str] = (),
    print_hook: PrintHook | None = None,
) -> CompiledModule:
    """Compiles a module or a graph file and loads the result.

    `output` is the folder for what the compiler writes (a builder's module is saved there too); without it a
    temporary one is used that lives as long as the result. `options` go to `cohort compile`.
    """
    temporary = None
    if output is None:
        temporary = tempfile.TemporaryDirectory(prefix="cohort-")
        output = temporary.name
    folder = Path(output)
    folder.mkdir(parents=True, exist_ok=True)
    path = graph.save(folder / "graph.json") if isinstance(graph, Module) else Path(graph)
    if isinstance(graph, Module) and graph.has_files:  # which the program itself has named
        options = ["--allow-path", *options]
    run_tool("compile", path, "--build", "shared", "-o", folder, *options)
    loaded = load(folder, print_hook)
    loaded.keep_alive = temporary
    return loaded
