#!/usr/bin/env python3
"""Writes a graph of many small ensembles of spiking neurons: python3 make_graph.py FILE [ENSEMBLES] [NEURONS]

Every ensemble has state, gains, biases and decoders of its own: leaky integrate-and-fire neurons that read
one input, decoded, low-pass filtered, and summed into one output. Standard library only.
"""

import json
import random
import sys

DT, TAU_RC, TAU_REF = 0.001, 0.02, 0.002  # seconds
DECAY = 0.8187307530779818  # exp(-DT / 0.005)


def ensemble(name: str, neurons: int, rng: random.Random, graph: dict) -> str:
    """Adds one ensemble and gives the name of its filtered output."""
    step = graph["functions"]["step"]
    for what, low, high in (("gain", 0.5, 2.0), ("bias", 0.0, 2.0), ("decoders", -0.002, 0.002)):
        values = [rng.uniform(low, high) for _ in range(neurons)]
        graph["constants"][f"{name}.{what}"] = {"type": f"f64[{neurons}]", "data": values}
    for what, size in (("voltage", neurons), ("refractory", neurons), ("filtered", 1)):
        graph["state"][f"{name}.{what}"] = {"type": f"f64[{size}]", "init": 0}

    def node(what: str, op: str, *inputs, **attrs) -> str:
        entry = {"name": f"{name}.{what}", "op": op, "inputs": list(inputs)}
        step["nodes"].append(entry | ({"attrs": attrs} if attrs else {}))
        return entry["name"]

    voltage, refractory = f"{name}.voltage", f"{name}.refractory"
    current = node("current", "add", node("driven", "mul", f"{name}.gain", "x"), f"{name}.bias")
    waited = node("waited", "sub", refractory, DT)
    free = node("free", "clip", node("left", "sub", DT, waited), 0.0, DT)
    decay = node("decay", "expm1", node("exponent", "true_div", node("minus", "neg", free), TAU_RC))
    gap = node("gap", "sub", current, voltage)
    raised = node("raised", "sub", voltage, node("change", "mul", gap, decay))
    spiked = node("spiked", "gt", raised, 1.0)
    over = node("over", "true_div", node("excess", "sub", 1.0, raised), node("above", "sub", current, 1.0))
    late = node("late", "mul", node("log", "log1p", node("if_spiked", "where", spiked, over, 0.0)), TAU_RC)
    pause = node("pause", "add", late, TAU_REF + DT)
    step["updates"][refractory] = node("next_refractory", "where", spiked, pause, waited)
    step["updates"][voltage] = node("next_voltage", "where", spiked, 0.0, node("kept", "max", raised, 0.0))
    spikes = node("spikes", "where", spiked, 1.0 / DT, 0.0)
    decoded = node(
        "decoded", "reduce_sum", node("weighted", "mul", f"{name}.decoders", spikes), axes=[0], keepdims=True
    )
    old = node("kept_output", "mul", f"{name}.filtered", DECAY)
    step["updates"][f"{name}.filtered"] = node("output", "add", old, node("fed", "mul", decoded, 1 - DECAY))
    return step["updates"][f"{name}.filtered"]


def main() -> None:
    path = sys.argv[1]
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 1000
    neurons = int(sys.argv[3]) if len(sys.argv) > 3 else 5
    step = {"inputs": {"x": "f64[1]"}, "nodes": [], "outputs": {}, "updates": {}}
    graph = {"format": "cohort-ir", "version": "1.0", "name": "ensembles", "constants": {}, "state": {}}
    graph["functions"] = {"step": step}
    rng = random.Random(778)
    total = ""
    for k in range(count):
        output = ensemble(f"ensemble{k}", neurons, rng, graph)
        if total:
            step["nodes"].append({"name": f"total{k}", "op": "add", "inputs": [total, output]})
        total = f"total{k}" if total else output
    step["outputs"]["y"] = total
    with open(path, "w", encoding="utf-8") as file:
        json.dump(graph, file)


if __name__ == "__main__":
    main()
