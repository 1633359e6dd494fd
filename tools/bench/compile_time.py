#!/usr/bin/env python3
"""Compile times: graphs to source at growing sizes, and whole builds of 10,000 distinct scalar statements
and of 20,000 same-shaped kernels. Seconds are wall time, one run. With `--instructions` the instructions of
the first are counted, by `perf` or else by valgrind (callgrind), which takes some fifty times as long."""

import argparse
import math
import random
import shutil
import subprocess

from common import BUILD, timed, tool, write_graph

UNARY = ("sin", "cos", "tanh", "exp", "sqrt", "abs", "neg", "square")
BINARY = ("add", "sub", "mul", "max", "min")


def elementwise(count: int) -> dict:
    """A random graph of `count` elementwise nodes on vectors of 8."""
    rng = random.Random(count)
    nodes, names = [], ["x"]
    for i in range(count):
        near = names[-64:]
        if rng.random() < 0.4:
            nodes.append({"name": f"n{i}", "op": rng.choice(UNARY), "inputs": [rng.choice(near)]})
        else:
            nodes.append(
                {"name": f"n{i}", "op": rng.choice(BINARY), "inputs": [rng.choice(near), rng.choice(near)]}
            )
        names.append(f"n{i}")
    return {
        "functions": {
            "f": {
                "inputs": {"x": "f32[8]"},
                "nodes": nodes,
                "outputs": {f"y{i}": name for i, name in enumerate(names[-8:])},
            }
        }
    }


def scalars(count: int) -> dict:
    """Distinct scalar statements: no two use the same operands and literal."""
    rng = random.Random(1)
    nodes, names = [], ["a", "b"]
    for i in range(count):
        op = BINARY[i % len(BINARY)]
        literal = 1.0 + i / 7.0
        left = rng.choice(names[-100:])
        nodes.append(
            {"name": f"s{i}", "op": op, "inputs": [left, literal if i % 2 else rng.choice(names[-100:])]}
        )
        names.append(f"s{i}")
    return {
        "functions": {
            "f": {
                "inputs": {"a": "f64[]", "b": "f64[]"},
                "nodes": nodes,
                "outputs": {f"y{i}": name for i, name in enumerate(names[-50:])},
            }
        }
    }


def same_shaped(count: int) -> dict:
    """`count` state vectors, each with an update of one shape: s <- tanh(s * c + d)."""
    states, nodes, updates = {}, [], {}
    for i in range(count):
        states[f"s{i}"] = {"type": "f64[5]", "init": i / count}
        nodes += [
            {"name": f"m{i}", "op": "mul", "inputs": [f"s{i}", 1.0 + i / count]},
            {"name": f"a{i}", "op": "add", "inputs": [f"m{i}", 0.5]},
            {"name": f"t{i}", "op": "tanh", "inputs": [f"a{i}"]},
        ]
        updates[f"s{i}"] = f"t{i}"
    return {"state": states, "functions": {"step": {"nodes": nodes, "updates": updates}}}


def instructions(*command) -> float:
    """Instructions of one command; NaN where nothing can count them."""
    if shutil.which("perf"):
        done = subprocess.run(
            ["perf", "stat", "-x,", "-e", "instructions:u", *map(str, command)],
            capture_output=True,
            text=True,
        )
        field = done.stderr.strip().splitlines()[-1].split(",")[0] if done.stderr.strip() else ""
        if field.isdigit():
            return float(field)
    if shutil.which("valgrind"):
        out = BUILD / "callgrind.out"
        done = subprocess.run(
            ["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}", *map(str, command)],
            capture_output=True,
            text=True,
        )
        for line in done.stderr.splitlines():
            if "Collected" in line:
                return float(line.split(":")[1].split()[0])
    return math.nan


def elementwise_command(count: int) -> tuple:
    """The command that compiles `count` elementwise nodes to source."""
    graph = write_graph(f"elementwise_{count}", elementwise(count))
    return (tool(), "compile", graph, "-o", BUILD / f"elementwise_{count}")


def scaling(counts: list[int]):
    print("graph to source, elementwise nodes; N log N would keep the last column constant")
    print("    nodes   seconds      MB   us / (N log2 N)")
    for count in counts:
        seconds, megabytes = timed(*elementwise_command(count))
        scaled = 1e6 * seconds / (count * math.log2(count))
        print(f"{count:9d}  {seconds:8.2f}  {megabytes:6d}   {scaled:10.2f}")


def counted(counts: list[int]):
    print("graph to source, elementwise nodes; linear time would keep the third column constant")
    print("    nodes   instructions   per node   per N log2 N")
    for count in counts:
        found = instructions(*elementwise_command(count))
        scaled = found / (count * math.log2(count))
        print(f"{count:9d}   {found:12.3e}   {found / count:8.0f}   {scaled:8.0f}")


def whole_builds():
    print("JSON to shared library, g++ -O2")
    for name, graph in (("scalars_10000", scalars(10_000)), ("same_shaped_20000", same_shaped(20_000))):
        path = write_graph(name, graph)
        seconds, megabytes = timed(tool(), "compile", path, "-o", BUILD / name, "--build", "shared")
        print(f"{name:20s} {seconds:7.2f} s  {megabytes:6d} MB")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--instructions", action="store_true", help="count instructions, and nothing else")
    parser.add_argument("counts", nargs="*", type=int, help="numbers of nodes; default: 1000 10000 100000")
    chosen = parser.parse_args()
    counts = chosen.counts or [1_000, 10_000, 100_000]
    if chosen.instructions:
        counted(counts)
    else:
        whole_builds()
        scaling(counts)
