"""Many ensembles: the importer's work grows with the operators, and members come out alike."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable

import nengo
import numpy as np
import pytest

from cohort.importers.nengo import to_module

nengo.rc.set("decoder_cache", "enabled", "False")


def connect(pre: nengo.Ensemble, post: nengo.Node) -> None:
    weights = np.random.RandomState(pre.seed).uniform(-1, 1, size=(pre.n_neurons, post.size_in))
    nengo.Connection(pre, post, solver=nengo.solvers.NoSolver(weights))


def fan(count: int, same: bool = False) -> nengo.Network:
    """Ensembles between two nodes (nengo#778)."""
    with nengo.Network(seed=0) as network:
        source, target = nengo.Node([0.5]), nengo.Node(size_in=1)
        for number in range(count):
            ensemble = nengo.Ensemble(5, 1, label=f"member<{number}>", seed=1 if same else number)
            nengo.Connection(source, ensemble, synapse=None)
            connect(ensemble, target)
        nengo.Probe(target)
    return network


def array(count: int) -> nengo.Network:
    """Ensembles that write and read neighbouring slices, twice around."""
    with nengo.Network(seed=0) as network:
        ensembles = nengo.networks.EnsembleArray(5, count)
        nengo.Connection(ensembles.output, ensembles.input)
        nengo.Connection(nengo.Node(np.linspace(0, 1, count)), ensembles.input)
        nengo.Probe(ensembles.output)
    return network


def functions(count: int) -> nengo.Network:
    """Python functions of time, one table each."""
    with nengo.Network(seed=0) as network:
        target = nengo.Node(size_in=1)
        for _ in range(count):
            nengo.Connection(nengo.Node(lambda t: t), target)
        nengo.Probe(target)
    return network


def calls(network: nengo.Network, tmp_path) -> int:
    """How many Python and C functions importing and writing call."""
    model = nengo.builder.Model(dt=0.001)
    model.build(network)
    count = 0

    def seen(_frame, event, _argument) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(seen)
    try:
        to_module(model, n_steps=1).save(tmp_path / "graph.json")
    finally:
        sys.setprofile(None)
    return count


@pytest.mark.parametrize("build", [fan, array, functions])
def test_work_is_linear(build: Callable[[int], nengo.Network], tmp_path) -> None:
    """Each further member costs the same: from 100 to 400 what it costs from 25 to 100."""
    small, middle, large = (calls(build(count), tmp_path) for count in (25, 100, 400))
    assert large - middle < 1.05 * 4 * (middle - small)


def test_members_are_alike() -> None:
    nodes = to_module(fan(4)).functions["step"].nodes
    texts = [
        [
            json.dumps(node).replace(f"member<{number}>", "member")
            for node in nodes
            if f"<{number}>." in node["name"]
        ]
        for number in range(4)
    ]
    assert len(texts[0]) > 20
    assert texts[0] == texts[1] == texts[2] == texts[3]


def test_many_connections_into_one_signal_are_a_chain_of_adds() -> None:
    nodes = {node["name"]: node for node in to_module(fan(6)).functions["step"].nodes}
    (last,) = to_module(fan(6)).functions["step"].outputs.values()
    terms = []
    while last in nodes and nodes[last]["op"] == "add":
        last, term = nodes[last]["inputs"]
        terms.append(term)
    assert [f"member<{number}>" in term for number, term in zip(range(5, 0, -1), terms)] == [True] * 5
    assert "member<0>" in last


def test_slices_of_one_signal_are_joined_once() -> None:
    module = to_module(array(6))
    joined = [node for node in module.functions["step"].nodes if node["op"] == "concat"]
    assert [len(node["inputs"]) for node in joined] == [6]
    assert not any("slice" in node["op"] and node["op"] != "slice" for node in module.functions["step"].nodes)


def test_equal_constants_are_stored_once() -> None:
    distinct, shared = (to_module(fan(8, same)) for same in (False, True))
    assert len(distinct.constants) == 3 * 8
    assert len(shared.constants) == 3
