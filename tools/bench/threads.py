#!/usr/bin/env python3
"""One and two threads: emitted loops and products of several sizes, and where sharing begins to pay."""

import pathlib

from common import build_driver, emit, run, write_graph

SIZES = (20_000, 100_000, 1_000_000)
SMALL = (256, 512, 1024, 2048, 4096, 8192, 16384)


def ensembles():
    """A step of 1000 ensembles of 50 spiking neurons as one: currents, voltages, spikes, decoded values."""
    matrix = "f32[1000,50]"
    nodes = [
        ("driven", "mul", ["gain", "x"]),
        ("current", "add", ["driven", "bias"]),
        ("left", "sub", [0.001, "refractory"]),
        ("delta", "clip", ["left", 0.0, 0.001]),
        ("exponent", "mul", ["delta", -50.0]),
        ("decay", "expm1", ["exponent"]),
        ("gap", "sub", ["current", "voltage"]),
        ("step", "mul", ["gap", "decay"]),
        ("raised", "sub", ["voltage", "step"]),
        ("spiked", "gt", ["raised", 1.0]),
        ("over", "sub", [1.0, "raised"]),
        ("most", "sub", ["current", 1.0]),
        ("ratio", "true_div", ["over", "most"]),
        ("log", "log1p", ["ratio"]),
        ("late", "mul", ["log", 0.02]),
        ("pause", "add", ["late", 0.003]),
        ("kept", "max", ["raised", 0.0]),
        ("next_voltage", "where", ["spiked", 0.0, "kept"]),
        ("waited", "sub", ["refractory", 0.001]),
        ("next_refractory", "where", ["spiked", "pause", "waited"]),
        ("counted", "where", ["spiked", "decoders", 0.0]),
    ]
    listed = [{"name": name, "op": op, "inputs": inputs} for name, op, inputs in nodes]
    listed.append({"name": "decoded", "op": "reduce_sum", "inputs": ["counted"], "attrs": {"axes": [1]}})
    return {
        "inputs": {"x": "f32[1000,1]", "gain": matrix, "bias": matrix, "decoders": matrix},
        "nodes": listed,
        "outputs": {"y": "decoded"},
        "updates": {"voltage": "next_voltage", "refractory": "next_refractory"},
    }


def graph():
    functions = {}
    for n in SIZES:
        functions[f"chain_{n}"] = {
            "inputs": {"x": f"f64[{n}]"},
            "nodes": [
                {"name": "ax", "op": "mul", "inputs": ["x", 1.25]},
                {"name": "axb", "op": "add", "inputs": ["ax", 0.5]},
                {"name": "t", "op": "tanh", "inputs": ["axb"]},
                {"name": "s", "op": "sigmoid", "inputs": ["x"]},
                {"name": "ts", "op": "mul", "inputs": ["t", "s"]},
            ],
            "outputs": {"y": "ts"},
        }
    for n in SMALL:
        functions[f"tanh_{n}"] = {
            "inputs": {"x": f"f64[{n}]"},
            "nodes": [{"name": "t", "op": "tanh", "inputs": ["x"]}],
            "outputs": {"y": "t"},
        }
    functions["rows"] = {
        "inputs": {"m": "f64[256,2048]", "x": "f64[2048]"},
        "nodes": [
            {"name": "p", "op": "mul", "inputs": ["m", "x"]},
            {"name": "r", "op": "reduce_sum", "inputs": ["p"], "attrs": {"axes": [1]}},
            {"name": "t", "op": "tanh", "inputs": ["r"]},
        ],
        "outputs": {"y": "t"},
    }
    functions["batched"] = {
        "inputs": {"w": "f32[1000,50,50]", "x": "f32[1000,50,1]"},
        "nodes": [{"name": "y", "op": "matmul", "inputs": ["w", "x"]}],
        "outputs": {"y": "y"},
    }
    functions["product"] = {
        "inputs": {"a": "f32[256,512]", "b": "f32[512,512]"},
        "nodes": [{"name": "y", "op": "matmul", "inputs": ["a", "b"]}],
        "outputs": {"y": "y"},
    }
    functions["ensembles"] = ensembles()
    state = {name: {"type": "f32[1000,50]", "init": 0} for name in ("voltage", "refractory")}
    return {"state": state, "functions": functions}


if __name__ == "__main__":
    folder = emit(write_graph("threads", graph()))
    here = pathlib.Path(__file__).parent
    program = build_driver(
        "threads_driver", [here / "threads_driver.cpp", folder / "threads.cpp"], [folder], ["-fopenmp"]
    )
    print(run(program), end="")
