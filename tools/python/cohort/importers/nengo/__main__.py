"""`python -m cohort.importers.nengo model.py:model -o graph.json`: runs a Python file and converts the
network in it."""

from __future__ import annotations

import argparse
import runpy
import sys

import nengo

from ...errors import CohortError, GraphError
from .convert import to_module


def find_network(source: str) -> nengo.Network:
    """The network that `file.py:name` names; without a name the file's only one."""
    path, _, name = source.rpartition(":") if not source.endswith(".py") else (source, "", "")
    variables = runpy.run_path(path, run_name="cohort_model")
    if name:
        if not isinstance(variables.get(name), nengo.Network):
            raise GraphError(f"`{path}` has no network `{name}`")
        return variables[name]
    networks = {id(value): value for value in variables.values() if isinstance(value, nengo.Network)}
    if len(networks) != 1:
        raise GraphError(f"`{path}` has {len(networks)} networks; name one as `{path}:NAME`")
    return next(iter(networks.values()))


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m cohort.importers.nengo", description=__doc__)
    parser.add_argument("model", help="FILE.py:NAME of the network")
    parser.add_argument("-o", "--output", required=True, help="the graph file to write")
    parser.add_argument("--dt", type=float, default=0.001, help="the time step in seconds")
    parser.add_argument("--dtype", choices=["f64", "f32"], default="f64")
    parser.add_argument("--name", help="the module's name; default: the network's label")
    parser.add_argument(
        "--n-steps", type=int, help="steps for which noise and functions of time are tabulated"
    )
    parser.add_argument("--seed", type=int, help="the simulator's seed")
    parser.add_argument(
        "--input", action="append", default=[], metavar="NODE=NAME", help="makes a node an input of `step`"
    )
    parser.add_argument(
        "--not-settable", action="store_true", help="no state can be set, so equal state is computed once"
    )
    options = parser.parse_args(arguments)
    try:
        module = to_module(
            find_network(options.model),
            dt=options.dt,
            dtype=options.dtype,
            name=options.name,
            n_steps=options.n_steps,
            seed=options.seed,
            inputs=dict(entry.rsplit("=", 1) for entry in options.input),
            settable=not options.not_settable,
        )
        module.save(options.output)
    except CohortError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
