"""Merged models (CASES 20, 22, 26): few loops, and the bits of the same model unmerged.

`tests/unit/merge` has the cases of merging itself; here are whole Nengo models.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path

import nengo
import numpy as np
import pytest
from backends import QUICK_BUILD, needs

import cohort
from cohort.importers.nengo import to_module
from cohort.tool import run_tool

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools" / "bench"))
from nengo_networks import NETWORKS, RNG, random_network  # noqa: E402

nengo.rc.set("decoder_cache", "enabled", "False")
STEPS = 60


def random20() -> nengo.Network:
    """The bench's network with fewer neurons, so that Nengo builds it in a second."""
    RNG.seed(0)
    with nengo.Network(seed=0) as network:
        random_network(20, 256, 64, 5)
    return network


def basal_ganglia() -> nengo.Network:
    """The bench's network with fewer actions, for the same reason."""
    with nengo.Network(seed=0) as network:
        ganglia = nengo.networks.BasalGanglia(12, n_neurons_per_ensemble=30)
        nengo.Connection(nengo.Node(np.linspace(0.2, 1.0, 12)), ganglia.input)
        nengo.Probe(ganglia.output)
    return network


def fan() -> nengo.Network:
    """nengo#778 with 60 members."""
    with nengo.Network(seed=0) as network:
        source, target = nengo.Node([0.5]), nengo.Node(size_in=1)
        for _ in range(60):
            ensemble = nengo.Ensemble(5, 1)
            nengo.Connection(source, ensemble, synapse=None)
            nengo.Connection(ensemble, target)
        nengo.Probe(target)
    return network


SMALLER = {"random20": random20, "basal_ganglia": basal_ganglia, "fan": fan}


def poisson(probed: bool) -> nengo.Network:
    """Three ensembles whose spikes are drawn from streams of their own."""
    with nengo.Network(seed=3) as network:
        source = nengo.Node([0.5])
        target = nengo.Node(size_in=1)
        for seed in range(3):
            ensemble = nengo.Ensemble(
                20, 1, neuron_type=nengo.PoissonSpiking(nengo.RectifiedLinear()), seed=seed
            )
            nengo.Connection(source, ensemble)
            nengo.Connection(ensemble, target)
            if probed and seed == 1:
                nengo.Probe(ensemble.neurons)
        nengo.Probe(target)
    return network


def noisy() -> nengo.Network:
    """Alike ensembles with noise of their own, two neuron types and learning."""
    with nengo.Network(seed=5) as network:
        source = nengo.Node([0.3])
        for number in range(6):
            kind = nengo.LIF() if number % 2 else nengo.AdaptiveLIF()
            noise = nengo.processes.WhiteNoise(seed=number)
            pre = nengo.Ensemble(15, 1, neuron_type=kind, noise=noise, seed=number)
            post = nengo.Ensemble(15, 1, seed=10 + number)
            error = nengo.Node(size_in=1)
            learned = nengo.Connection(pre, post, learning_rule_type=nengo.PES())
            nengo.Connection(source, pre)
            nengo.Connection(post, error)
            nengo.Connection(error, learned.learning_rule)
            nengo.Probe(post, synapse=0.01)
    return network


def kernels(graph: Path, *options: str) -> int:
    explained = json.loads(run_tool("explain", "--json", *options, graph))
    (step,) = explained["functions"].values()
    return len(step["kernels"] if isinstance(step, dict) else step)


@needs("explain")
@pytest.mark.parametrize(
    ("name", "most"),
    [
        ("integrator", 14),
        ("circular_convolution", 23),
        ("basal_ganglia", 23),
        ("stream", 10),
        ("random20", 10),
        ("random256", 10),
        ("nengo778", 10),
    ],
)
def test_few_loops(name: str, most: int, tmp_path: Path) -> None:
    network = (SMALLER.get(name) or NETWORKS[name])()
    graph = to_module(network).save(tmp_path / f"{name}.json")
    assert kernels(graph) <= most


def trace(network: nengo.Network, merge: str) -> tuple[list[dict[str, np.ndarray]], dict[str, np.ndarray]]:
    """What the outputs are at every step, and all state after the last."""
    module = to_module(network, n_steps=STEPS)
    program = cohort.compile(module, options=[*QUICK_BUILD, f"--merge={merge}"])
    rows = [program.call("step") for _ in range(STEPS)]
    return rows, {name: program.state(name) for name in program.state_names()}


def assert_same_bits(network: Callable[[], nengo.Network]) -> None:
    merged_rows, merged_state = trace(network(), "always")
    rows, state = trace(network(), "off")
    assert any(np.any(value) for value in rows[-1].values())
    for merged_row, row in zip(merged_rows, rows):
        for name, value in row.items():
            assert merged_row[name].tobytes() == value.tobytes(), name
    assert merged_state.keys() == state.keys()
    for name, value in state.items():
        assert merged_state[name].tobytes() == value.tobytes(), name


@needs("compile")
@pytest.mark.parametrize("name", ["circular_convolution", "basal_ganglia", "stream", "random20", "fan"])
def test_merged_is_unmerged(name: str) -> None:
    assert_same_bits(SMALLER.get(name) or NETWORKS[name])


@needs("compile")
@pytest.mark.parametrize("network", [noisy, lambda: poisson(False), lambda: poisson(True)])
def test_merged_is_unmerged_with_streams_and_learning(network: Callable[[], nengo.Network]) -> None:
    """Case 26: random streams stay each member's own."""
    assert_same_bits(network)


@needs("compile")
def test_a_probe_changes_nothing() -> None:
    """Case 22, merged, with and without an observer of one member."""
    with_probe, _ = trace(poisson(True), "always")
    without, _ = trace(poisson(False), "always")
    (name,) = without[0]
    for seen, row in zip(with_probe, without):
        assert seen[name].tobytes() == row[name].tobytes()
