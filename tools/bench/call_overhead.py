#!/usr/bin/env python3
"""The cost of one call through the C ABI, all checks on: a 2-element update, with and without arguments."""

import pathlib

from common import build_driver, emit, run, write_graph

GRAPH = {
    "state": {"x": {"type": "f64[2]", "init": [1, 2]}},
    "functions": {
        "update": {"nodes": [{"name": "x2", "op": "sub", "inputs": [1.0, "x"]}], "updates": {"x": "x2"}},
        "update_io": {
            "inputs": {"u": "f64[2]"},
            "nodes": [{"name": "xu", "op": "mul", "inputs": ["x", "u"]}],
            "outputs": {"y": "xu"},
            "updates": {"x": "xu"},
        },
    },
}

if __name__ == "__main__":
    folder = emit(write_graph("overhead", GRAPH))
    here = pathlib.Path(__file__).parent
    program = build_driver(
        "overhead_driver", [here / "call_overhead_driver.cpp", folder / "overhead.cpp"], [folder]
    )
    print(run(program), end="")
