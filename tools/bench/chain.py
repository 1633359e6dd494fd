#!/usr/bin/env python3
"""tanh(a*x+b)*sigmoid(c*x) in f32: the emitted module beside hand-written vectors and scalar libm."""

import pathlib

from common import ROOT, build_driver, emit, run, write_graph

SIZES = (4096, 100_000, 10_000_000)


def graph():
    functions = {}
    for n in SIZES:
        functions[f"chain_{n}"] = {
            "inputs": {"x": f"f32[{n}]"},
            "nodes": [
                {"name": "ax", "op": "mul", "inputs": ["x", 1.25]},
                {"name": "axb", "op": "add", "inputs": ["ax", 0.5]},
                {"name": "t", "op": "tanh", "inputs": ["axb"]},
                {"name": "cx", "op": "mul", "inputs": ["x", -0.75]},
                {"name": "s", "op": "sigmoid", "inputs": ["cx"]},
                {"name": "ts", "op": "mul", "inputs": ["t", "s"]},
            ],
            "outputs": {"y": "ts"},
        }
    return {"functions": functions}


if __name__ == "__main__":
    folder = emit(write_graph("chain", graph()))
    here = pathlib.Path(__file__).parent
    program = build_driver("chain_driver", [here / "chain_driver.cpp", folder / "chain.cpp"], [folder])
    print(run(program), end="")
