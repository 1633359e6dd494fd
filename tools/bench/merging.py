#!/usr/bin/env python3
"""26 state variables of 50 and of 1000 elements, s <- 2s and s <- log(2 + cos s): merged, unmerged, and a
hand-written loop over one array (f64, one thread). Theano's workspaces gained 12 times at 50 and 4 at 1000.
"""

import pathlib

from common import build_driver, emit, run, write_graph

MEMBERS = 26
SIZES = (50, 1000)


def graph(functions: bool, members: int, size: int) -> dict:
    state, nodes, updates = {}, [], {}
    for k in range(members):
        name = f"s{k}"
        state[name] = {"type": f"f64[{size}]", "init": 0}
        if functions:
            nodes += [
                {"name": f"cos_{name}", "op": "cos", "inputs": [name]},
                {"name": f"sum_{name}", "op": "add", "inputs": [2.0, f"cos_{name}"]},
                {"name": f"next_{name}", "op": "log", "inputs": [f"sum_{name}"]},
            ]
        else:
            nodes.append({"name": f"next_{name}", "op": "mul", "inputs": [name, 2.0]})
        updates[name] = f"next_{name}"
    return {"state": state, "functions": {"step": {"nodes": nodes, "updates": updates}}}


def main() -> None:
    here = pathlib.Path(__file__).parent
    folders, sources = [], [here / "merging_driver.cpp"]
    for functions in (False, True):
        for size in SIZES:
            kind = f"{'log' if functions else 'double'}{size}"
            for variant, members, length, merge in (
                ("merged", MEMBERS, size, "auto"),
                ("unmerged", MEMBERS, size, "off"),
                ("array", 1, MEMBERS * size, "off"),
            ):
                name = f"{kind}_{variant}"
                folder = emit(write_graph(name, graph(functions, members, length)), "--merge", merge)
                folders.append(folder)
                sources.append(folder / f"{name}.cpp")
    print(run(build_driver("merging_driver", sources, folders)), end="")


if __name__ == "__main__":
    main()
