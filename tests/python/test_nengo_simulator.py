"""`cohort.nengo_simulator.Simulator` beside `nengo.Simulator`, and a part of Nengo's own suite with it."""

from __future__ import annotations

import subprocess
import sys

import nengo
import numpy as np
import pytest
from backends import needs
from conftest import ROOT
from nengo.exceptions import SimulatorClosed

import cohort
from cohort.importers.nengo.parts import to_parts
from cohort.nengo_simulator import Simulator

pytestmark = needs("compile")
nengo.rc.set("decoder_cache", "enabled", "False")


def python_network(seen: list[np.ndarray]) -> tuple[nengo.Network, list[nengo.Probe]]:
    """Functions of time and of inputs, one after the other and in a cycle, noise, and a sink."""
    with nengo.Network(seed=3) as network:
        wave = nengo.Node(lambda t: np.sin(10 * t))
        a, b = nengo.Ensemble(30, 1), nengo.Ensemble(40, 2)
        nengo.Connection(wave, a, synapse=None)
        nengo.Connection(a, b[1])
        squared = nengo.Node(lambda t, x: x**2 + t, size_in=2)
        shifted = nengo.Node(lambda t, x: x + 0.25, size_in=1)
        nengo.Connection(b, squared)
        nengo.Connection(squared[1], shifted, synapse=None)
        nengo.Connection(shifted, a, function=lambda x: 0.3 * x)
        nengo.Connection(squared, nengo.Node(lambda t, x: seen.append(np.copy(x)), size_in=2))
        nengo.Connection(nengo.Node(nengo.processes.WhiteNoise(), size_out=1), a)
        probes = [
            nengo.Probe(b, synapse=0.03),
            nengo.Probe(squared),
            nengo.Probe(shifted, sample_every=0.003),
            nengo.Probe(a.neurons, "voltage"),
        ]
    return network, probes


def recorded(simulator: type, network: nengo.Network, probes: list[nengo.Probe], **options):
    with simulator(network, progress_bar=False, **options) as sim:
        sim.run_steps(50)
        assert sim.n_steps == 50 and sim.time == pytest.approx(0.05)
        assert sim.trange().shape == (50,)
        return [np.array(sim.data[probe]) for probe in probes]


def test_python_functions_run_between_compiled_parts() -> None:
    seen: list[np.ndarray] = []
    network, probes = python_network(seen)
    results = []
    for simulator in (nengo.Simulator, Simulator):
        values = recorded(simulator, network, probes, seed=5, **OPTIONS[simulator])
        results.append([*values, np.array(seen[-50:])])
    for expected, found in zip(*results):
        assert np.ptp(expected) > 0
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9)


OPTIONS = {nengo.Simulator: {"optimize": False}, Simulator: {}}


def test_parts() -> None:
    """Two functions of inputs in a row cut the step twice; a model without any is one part."""
    network, _ = python_network([])
    with nengo.Simulator(network, progress_bar=False, optimize=False) as sim:
        parts = to_parts(sim.model, sim.dg, "f64", 1)
    assert [len(part.before) for part in parts.parts] == [2, 0, 0, 0]
    assert [len(part.after) for part in parts.parts] == [2, 1, 1, 0]
    with nengo.Network(seed=1) as plain:
        nengo.Probe(nengo.Ensemble(5, 1))
    with nengo.Simulator(plain, progress_bar=False, optimize=False) as sim:
        assert len(to_parts(sim.model, sim.dg, "f64", 1).parts) == 1


def test_reset_begins_anew_and_a_seed_changes_the_noise() -> None:
    network, probes = python_network([])
    with Simulator(network, progress_bar=False) as sim:
        runs = []
        for seed in (None, None, 77):
            sim.reset(seed=seed)
            assert sim.n_steps == 0 and sim.time == 0
            sim.run_steps(20)
            runs.append(np.array(sim.data[probes[3]]))
    np.testing.assert_array_equal(runs[0], runs[1])
    assert not np.array_equal(runs[0], runs[2])


def test_signals() -> None:
    with nengo.Network(seed=1) as network:
        ens = nengo.Ensemble(6, 1)
        nengo.Connection(nengo.Node([0.5]), ens)
    with Simulator(network, progress_bar=False) as sim, nengo.Simulator(network, progress_bar=False) as ref:
        sim.run_steps(9)
        ref.run_steps(9)
        signals = sim.model.sig[ens.neurons]
        np.testing.assert_allclose(
            sim.signals[signals["voltage"]], ref.signals[ref.model.sig[ens.neurons]["voltage"]]
        )
        np.testing.assert_array_equal(sim.signals[signals["bias"]], sim.data[ens].bias)
        assert sim.signals[sim.model.step] == 9
        sim.signals[signals["voltage"]] = 0.25
        assert (sim.signals[signals["voltage"]] == 0.25).all()
        with pytest.raises(KeyError, match="lives within the compiled step"):
            sim.signals[signals["in"]]
    with pytest.raises(SimulatorClosed):
        sim.step()


def test_what_is_not_known_is_an_error() -> None:
    class Odd(nengo.LIF):
        def step(self, dt, J, output, voltage, refractory_time):
            output[...] = 1.0

    with nengo.Network(seed=1) as network:
        nengo.Ensemble(3, 1, neuron_type=Odd())
    with pytest.raises(cohort.GraphError, match="neuron type `Odd`"):
        Simulator(network, progress_bar=False)


def test_part_of_nengos_own_suite() -> None:
    """One module of each kind; tools/nengo_suite runs them all."""
    modules = ["nengo.tests.test_probe", "nengo.tests.test_node", "nengo.tests.test_learning_rules"]
    chosen = "test_probe.py or test_node.py or test_pes_multidim_error or test_bcm or test_oja"
    command = [sys.executable, ROOT / "tools" / "nengo_suite", *modules, "-k", chosen]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    last = [line for line in done.stdout.splitlines() if line.endswith(" skipped")][-1]
    passed, failed, _ = (int(word.split()[0]) for word in last.split(", "))
    assert passed >= 30 and failed == 0, done.stdout
