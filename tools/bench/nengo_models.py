#!/usr/bin/env python3
"""Nengo models: what the importer and the compiler take and give, and microseconds a step beside
nengo.Simulator's (f64, one thread). Steps of all contenders run in turns in one process; medians count.

    .venv/bin/python tools/bench/nengo_models.py [--models a,b] [--steps N] [--rounds N] [--no-optimised]
"""

import argparse
import ctypes
import json
import os
import pathlib
import statistics
import sys
import time

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "python"))

import nengo  # noqa: E402
import numpy as np  # noqa: E402
from common import BUILD, FLAGS, run, tool  # noqa: E402
from nengo_networks import NETWORKS  # noqa: E402

from cohort.importers.nengo import to_module  # noqa: E402
from cohort.loader import load  # noqa: E402

DEFAULT = [name for name in NETWORKS if name != "fan10000"]
CHECKED_STEPS = 50
OPTIMISER_LIMIT = 12_000  # operators beyond which Nengo's optimiser needs more than some minutes


def driver():
    BUILD.mkdir(parents=True, exist_ok=True)
    library = BUILD / "libnengo_models_driver.so"
    source = pathlib.Path(__file__).with_name("nengo_models_driver.cpp")
    run(os.environ.get("CXX", "c++"), *FLAGS, "-shared", "-fPIC", source, "-o", library)
    function = ctypes.CDLL(str(library)).time_steps
    function.restype = ctypes.c_double
    function.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64]
    return function


def variants() -> dict[str, list[str]]:
    """The options of `cohort compile` that are compared."""
    merges = "--merge" in run(tool(), "compile", "--help")
    return {"cohort": [], "unmerged": ["--merge=off"]} if merges else {"cohort": []}


def loops(graph: pathlib.Path, options: list[str]) -> str:
    """Kernels, loops in them and calls of them; groups where the tool tells of any."""
    explained = json.loads(run(tool(), "explain", "--json", *options, graph))
    (step,) = explained["functions"].values()
    kernels = step["kernels"] if isinstance(step, dict) else step
    groups = len(step.get("groups", [])) if isinstance(step, dict) else len(explained.get("groups", []))
    inside, calls = sum(k["loops"] for k in kernels), sum(k["runs"] for k in kernels)
    text = f"{len(kernels)} kernels ({inside} loops, {calls} calls)"
    return f"{text}, {groups} groups" if groups else text


class Compiled:
    """A model compiled with some options, ready to step."""

    def __init__(self, name: str, graph: pathlib.Path, variant: str, options: list[str], time_steps) -> None:
        folder = BUILD / f"{name}_{variant}"
        start = time.perf_counter()
        run(tool(), "compile", graph, "-o", folder, *options)
        emitted = time.perf_counter()
        run(tool(), "compile", graph, "-o", folder, "--build", "shared", *options)
        self.emit_seconds = emitted - start
        self.total_seconds = time.perf_counter() - emitted
        self.lines = sum(len(path.read_text().splitlines()) for path in folder.glob("*.cpp"))
        self.loops = loops(graph, options)
        self.module = load(folder)
        outputs = self.module.output_types("step")
        self.arrays = {name: np.zeros(t.extents(), t.numpy_dtype) for name, t in outputs.items()}
        self.call = self.module.bind("step", {}, self.arrays)
        self.time_steps = time_steps

    def steps(self, count: int) -> float:
        symbol = ctypes.cast(self.call.symbol, ctypes.c_void_p)
        seconds = self.time_steps(symbol, self.call.workspace, self.call.arguments, count)
        if seconds < 0:
            raise SystemExit("a step failed")
        return seconds


class Reference:
    """nengo.Simulator."""

    def __init__(self, network, optimize: bool) -> None:
        self.simulator = nengo.Simulator(network, optimize=optimize, progress_bar=False)

    def steps(self, count: int) -> float:
        start = time.perf_counter()
        self.simulator.run_steps(count, progress_bar=False)
        seconds = time.perf_counter() - start
        self.simulator.clear_probes()
        return seconds


def import_model(name: str) -> tuple[pathlib.Path, int, float]:
    """Graph file, Nengo operators, and the importer's seconds, writing included."""
    model = nengo.builder.Model(dt=0.001)
    model.build(NETWORKS[name]())
    start = time.perf_counter()
    graph = to_module(model, name=name).save(BUILD / f"{name}.json")
    return graph, len(model.operators), time.perf_counter() - start


def difference(compiled: Compiled, reference: Reference) -> float:
    """The largest difference of the probe in the first steps, relative to its largest value."""
    reference.simulator.run_steps(CHECKED_STEPS, progress_bar=False)
    (probe,) = reference.simulator.model.probes
    expected = reference.simulator.data[probe]
    (array,) = compiled.arrays.values()
    found = []
    for _ in range(CHECKED_STEPS):
        compiled.call()
        found.append(array.copy())
    scale = np.abs(expected).max()
    if not scale:
        raise SystemExit("the probe is zero throughout: nothing to compare")
    return float(np.abs(np.array(found) - expected).max() / scale)


def bench(name: str, options: argparse.Namespace, time_steps) -> None:
    graph, operators, import_seconds = import_model(name)
    contenders: dict[str, Compiled | Reference] = {
        variant: Compiled(name, graph, variant, flags, time_steps) for variant, flags in variants().items()
    }
    contenders["nengo"] = Reference(NETWORKS[name](), False)
    off = difference(contenders["cohort"], contenders["nengo"])
    if operators > OPTIMISER_LIMIT:
        print(f"{name}: without Nengo's optimiser, which needs too long for {operators} operators")
    elif not options.no_optimised:
        contenders["nengo optimised"] = Reference(NETWORKS[name](), True)
    samples: dict[str, list[float]] = {key: [] for key in contenders}
    for number in range(options.rounds + 1):
        for key, contender in contenders.items():
            # Compiled steps are many times faster; equal counts would time them too briefly.
            count = options.steps if isinstance(contender, Reference) else 5 * options.steps
            seconds = contender.steps(count)
            if number:  # the first round warms up
                samples[key].append(1e6 * seconds / count)
    medians = {key: statistics.median(values) for key, values in samples.items()}
    print(f"{name}: {operators} operators, import {import_seconds:.2f} s, differs by {off:.1e}")
    for key, value in medians.items():
        contender, text = contenders[key], ""
        if isinstance(contender, Compiled):
            text = (
                f"   {contender.lines} lines, {contender.loops}, emitted in {contender.emit_seconds:.2f} s,"
                f" emitted and built in {contender.total_seconds:.2f} s"
            )
        ratio = value / medians["cohort"]
        print(f"  {key:16s} {value:12.2f} us/step  {ratio:8.2f} x cohort{text}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--models", default=",".join(DEFAULT), help=f"of {', '.join(NETWORKS)}")
    parser.add_argument("--steps", type=int, default=40, help="Nengo's steps in a round; compiled: 5 times")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--no-optimised", action="store_true", help="leave Nengo's optimiser out")
    options = parser.parse_args()
    nengo.rc.set("decoder_cache", "enabled", "False")
    BUILD.mkdir(parents=True, exist_ok=True)
    time_steps = driver()
    for name in options.models.split(","):
        bench(name, options, time_steps)


if __name__ == "__main__":
    main()
