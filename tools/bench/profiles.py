#!/usr/bin/env python3
"""Functions with a named dim, compiled plainly, for a profile in which the dim is 8 in nine calls of ten,
and with --instrument: nanoseconds of a call at the common value and at another (f32, one thread).
"""

import json
import pathlib

from common import BUILD, build_driver, run, tool, write_graph

VARIANTS = ("plain", "fast", "counted")


def function(shape: str, *nodes: dict) -> dict:
    return {"inputs": {"x": f"f32[{shape}]"}, "nodes": list(nodes), "outputs": {"y": "y"}}


def node(name: str, op: str, *inputs, **attrs) -> dict:
    return {"name": name, "op": op, "inputs": list(inputs), **({"attrs": attrs} if attrs else {})}


WEIGHTS = [[(k + 3 * row) % 7 / 8 for k in range(16)] for row in range(16)]
GRAPH = {
    "dims": {"n": {"min": 1, "max": 64}},
    "constants": {"w": {"type": "f32[16,16]", "data": WEIGHTS}},
    "functions": {
        # The dim as the number of rows...
        "tanh": function("n,4", node("y", "tanh", "x")),
        "softmax": function("n,10", node("y", "softmax", "x", axis=1)),
        "product": function("n,16", node("h", "matmul", "x", "w"), node("y", "tanh", "h")),
        "cumsum": function("n,6", node("y", "cumsum", "x", axis=0)),
        # ... and as their length, which strides depend on.
        "squares": function("64,n", node("y", "square", "x")),
        "row_sums": function("64,n", node("y", "reduce_sum", "x", axes=[1])),
        "transposed": function("64,n", node("y", "transpose", "x", axes=[1, 0])),
        "gram": function("n,n", node("t", "transpose", "x", axes=[1, 0]), node("y", "matmul", "x", "t")),
    },
}
COMMON, OTHER = 8, 7  # as in the driver


def main() -> None:
    here = pathlib.Path(__file__).parent
    graph = write_graph("rows", GRAPH)
    values = [[COMMON, 9], [OTHER, 1]]
    counts = {"calls": 10, "dims": {"n": {"values": values, "other": 0}}, "kernels": {}}
    profile = BUILD / "rows_stats.json"
    profile.write_text(
        json.dumps(
            {
                "format": "cohort-profile",
                "version": "1.0",
                "module": "rows",
                "functions": {name: counts for name in GRAPH["functions"]},
            }
        )
    )
    options = {"plain": [], "fast": ["--profile", profile], "counted": ["--instrument"]}
    folders = [BUILD / f"rows_{name}" for name in VARIANTS]
    for name, folder in zip(VARIANTS, folders):
        run(tool(), "compile", graph, "-o", folder, "--prefix", name, *options[name])
    sources = [here / "profiles_driver.cpp"] + [f / f"{n}.cpp" for n, f in zip(VARIANTS, folders)]
    print(run(build_driver("profiles_driver", sources, folders)), end="")


if __name__ == "__main__":
    main()
