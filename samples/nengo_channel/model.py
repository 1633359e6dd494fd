"""A communication channel: two ensembles of 50 spiking neurons pass a signal on.

`python model.py` writes `channel.json` (with its weights) and `expected.npy`, the probe's values over 1000
steps by `nengo.Simulator`. The same versions of Nengo and NumPy (`tests/python/requirements.txt`) give the
same bytes.
"""

from pathlib import Path

import nengo
import numpy as np

STEPS = 1000

with nengo.Network(seed=1, label="channel") as model:
    stimulus = nengo.Node([0.0], label="stimulus")
    sender = nengo.Ensemble(50, dimensions=1, label="sender")
    receiver = nengo.Ensemble(50, dimensions=1, label="receiver")
    nengo.Connection(stimulus, sender)
    nengo.Connection(sender, receiver)
    nengo.Probe(receiver, synapse=0.03, label="received")


def stimulus_values() -> np.ndarray:
    """The input of every step: exact in binary, so that any language can reproduce it."""
    step = np.arange(1, STEPS + 1)
    return np.abs((step % 512) / 256.0 - 1.0)[:, None]


def simulated() -> np.ndarray:
    """What Nengo's simulator records when the node plays `stimulus_values`."""
    values = stimulus_values()
    constant, stimulus.output = stimulus.output, lambda t: values[round(t / 0.001) - 1]
    try:
        with nengo.Simulator(model, progress_bar=False, optimize=False) as simulator:
            simulator.run_steps(STEPS, progress_bar=False)
            return np.array(simulator.data[model.probes[0]])
    finally:
        stimulus.output = constant


def main() -> None:
    from cohort.importers.nengo import to_module

    folder = Path(__file__).resolve().parent
    to_module(model, inputs={"stimulus": "u"}).save(folder / "channel.json")
    np.save(folder / "expected.npy", simulated())


if __name__ == "__main__":
    nengo.rc.set("decoder_cache", "enabled", "False")
    main()
