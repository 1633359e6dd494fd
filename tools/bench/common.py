"""What the benches share: the tool, the host compiler, and graphs written as JSON. Standard library only."""

import json
import os
import pathlib
import subprocess
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = ROOT / "build" / "bench"
FLAGS = ["-O2", "-march=native", "-ffp-contract=off", "-fno-math-errno", "-fno-trapping-math", "-std=c++20"]


def tool() -> str:
    """The `cohort` tool: $COHORT, or the release build's."""
    return os.environ.get("COHORT", str(ROOT / "build" / "release" / "tools" / "cohort" / "cohort"))


def write_graph(name: str, graph: dict) -> pathlib.Path:
    BUILD.mkdir(parents=True, exist_ok=True)
    path = BUILD / f"{name}.json"
    path.write_text(json.dumps({"format": "cohort-ir", "version": "1.0", "name": name, **graph}))
    return path


def run(*command, **options) -> str:
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, **options)
    if done.returncode:
        raise SystemExit(f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}")
    return done.stdout


def timed(*command) -> tuple[float, int]:
    """Wall seconds and peak memory in MB of one command."""
    start = time.perf_counter()
    process = subprocess.Popen([str(c) for c in command], stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        raise SystemExit(f"{' '.join(map(str, command))} failed")
    return time.perf_counter() - start, usage.ru_maxrss // 1024


def emit(graph: pathlib.Path, *options) -> pathlib.Path:
    """Compiles a graph to source and gives the folder of the artefacts."""
    out = BUILD / graph.stem
    run(tool(), "compile", graph, "-o", out, *options)
    return out


def build_driver(name: str, sources, include, flags=()) -> pathlib.Path:
    program = BUILD / name
    cxx = os.environ.get("CXX", "c++")
    includes = [f"-I{path}" for path in [ROOT / "runtime" / "include", ROOT, *include]]
    weights = [f"-Wa,-I{path}" for path in include]
    run(cxx, *FLAGS, *flags, *includes, *weights, *sources, "-o", program)
    return program
