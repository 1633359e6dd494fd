"""The networks of nengo_models.py. Large ensembles get random decoders, since solving for them would take
longer than all else."""

from collections.abc import Callable

import nengo
import numpy as np

NETWORKS: dict[str, Callable[..., nengo.Network]] = {}
RNG = np.random.RandomState(0)


def network(build: Callable[..., None]) -> Callable[..., None]:
    """Registers a function that adds to the network it is called in; its arguments are sizes."""

    def make(**sizes: int) -> nengo.Network:
        RNG.seed(0)
        with nengo.Network(seed=0, label=build.__name__) as net:
            build(**sizes)
        return net

    NETWORKS[build.__name__] = make
    return build


def decoded(pre: nengo.Ensemble, post, **options) -> None:
    """A connection with small random decoders, so that recurrent networks stay bounded."""
    weights = RNG.uniform(-1, 1, size=(pre.n_neurons, post.size_in)) / (100 * pre.n_neurons)
    nengo.Connection(pre, post, solver=nengo.solvers.NoSolver(weights), **options)


@network
def integrator(dimensions: int = 128, neurons: int = 32) -> None:
    """128 dimensions, 32 neurons for each, recurrent."""
    source = nengo.Node(np.linspace(-0.5, 0.5, dimensions))
    array = nengo.networks.EnsembleArray(neurons, dimensions)
    nengo.Connection(source, array.input, transform=0.1, synapse=0.1)
    nengo.Connection(array.output, array.input, synapse=0.1)
    nengo.Probe(array.output)


@network
def circular_convolution(dimensions: int = 16, neurons: int = 64) -> None:
    """16 dimensions, 64 neurons for each product."""
    source = nengo.Node(np.linspace(-0.3, 0.3, dimensions))
    convolution = nengo.networks.CircularConvolution(neurons, dimensions)
    nengo.Connection(source, convolution.input_a)
    nengo.Connection(source, convolution.input_b)
    nengo.Probe(convolution.output)


@network
def basal_ganglia(actions: int = 64, neurons: int = 100) -> None:
    """64 actions."""
    source = nengo.Node(np.linspace(0.2, 1.0, actions))
    ganglia = nengo.networks.BasalGanglia(actions, neurons)
    nengo.Connection(source, ganglia.input)
    nengo.Probe(ganglia.output)


@network
def stream(count: int = 64, neurons: int = 200) -> None:
    """A chain of 64 ensembles of 200 neurons."""
    before = nengo.Node([0.5])
    for _ in range(count):
        ensemble = nengo.Ensemble(neurons, 1)
        if isinstance(before, nengo.Ensemble):
            decoded(before, ensemble)
        else:
            nengo.Connection(before, ensemble)
        before = ensemble
    nengo.Probe(before)


def random_network(count: int, neurons: int, dimensions: int, connections: int) -> None:
    """Ensembles that are each connected to others drawn at random."""
    source = nengo.Node(np.linspace(-0.5, 0.5, dimensions))
    target = nengo.Node(size_in=dimensions)
    ensembles = [nengo.Ensemble(neurons, dimensions) for _ in range(count)]
    for ensemble in ensembles:
        nengo.Connection(source, ensemble)
        decoded(ensemble, target)
        for post in RNG.choice(count, size=connections, replace=False):
            decoded(ensemble, ensembles[post])
    nengo.Probe(target)


@network
def random20(count: int = 20, neurons: int = 2048, dimensions: int = 64, connections: int = 5) -> None:
    """20 ensembles of 2048 neurons for 64 dimensions, 5 connections from each."""
    random_network(count, neurons, dimensions, connections)


@network
def random256() -> None:
    """256 ensembles of 100 neurons for 1 dimension, 13 connections from each."""
    random_network(256, 100, 1, 13)


def fan(count: int, neurons: int) -> None:
    """Ensembles that all read one node and are decoded into another."""
    source, target = nengo.Node([0.5]), nengo.Node(size_in=1)
    for _ in range(count):
        ensemble = nengo.Ensemble(neurons, 1)
        nengo.Connection(source, ensemble, synapse=None)
        decoded(ensemble, target)
    nengo.Probe(target)


@network
def nengo778(count: int = 1000, neurons: int = 5) -> None:
    """1000 ensembles of 5 neurons from one node into another (nengo#778)."""
    fan(count, neurons)


@network
def one5000() -> None:
    """One ensemble of 5000 neurons in their place."""
    fan(1, 5000)


@network
def fan10000() -> None:
    """10,000 ensembles of 5 neurons: for the importer, not part of the default run."""
    fan(10_000, 5)
