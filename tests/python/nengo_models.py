"""Nengo models for the importer's tests: each function of `MODELS` gives a network with probes."""

from __future__ import annotations

from collections.abc import Callable

import nengo
import numpy as np
from nengo import processes, synapses

MODELS: dict[str, Callable[[], nengo.Network]] = {}
SINE = processes.WhiteSignal(0.2, high=20, rms=0.6, seed=7)


def model(build: Callable[[], None]) -> Callable[[], None]:
    """Registers a function that adds to the network it is called in."""

    def make() -> nengo.Network:
        with nengo.Network(seed=11, label=build.__name__) as network:
            build()
        return network

    MODELS[build.__name__] = make
    return build


def stimulus(size: int = 1) -> nengo.Node:
    return nengo.Node(SINE, size_out=size, label="stimulus")


NEURON_TYPES = {
    "lif": nengo.LIF(),
    "lif_min_voltage": nengo.LIF(min_voltage=-0.5, amplitude=0.5),
    "lif_no_min_voltage": nengo.LIF(min_voltage=-np.inf),
    "lif_rate": nengo.LIFRate(amplitude=2.0),
    "adaptive_lif": nengo.AdaptiveLIF(tau_n=0.1, inc_n=0.05),
    "adaptive_lif_rate": nengo.AdaptiveLIFRate(),
    "rectified_linear": nengo.RectifiedLinear(amplitude=0.5),
    "spiking_rectified_linear": nengo.SpikingRectifiedLinear(),
    "sigmoid": nengo.Sigmoid(),
    "tanh": nengo.Tanh(),
    "izhikevich": nengo.Izhikevich(),
    "izhikevich_chattering": nengo.Izhikevich(reset_voltage=-50, reset_recovery=2),
    "regular_spiking": nengo.RegularSpiking(nengo.LIFRate()),
    "regular_spiking_tanh": nengo.RegularSpiking(nengo.Tanh()),
    "stochastic_spiking": nengo.StochasticSpiking(nengo.LIFRate()),
    "stochastic_spiking_tanh": nengo.StochasticSpiking(nengo.Tanh(), amplitude=0.5),
    "poisson_spiking": nengo.PoissonSpiking(nengo.LIFRate()),
    "poisson_spiking_tanh": nengo.PoissonSpiking(nengo.Tanh()),
    "stochastic_of_adaptive": nengo.StochasticSpiking(nengo.AdaptiveLIFRate()),
}


def neuron_model(neuron_type: nengo.neurons.NeuronType) -> Callable[[], None]:
    def build() -> None:
        rates = nengo.dists.Uniform(30, 60) if isinstance(neuron_type, nengo.Izhikevich) else nengo.Default
        ens = nengo.Ensemble(13, 1, neuron_type=neuron_type, max_rates=rates, label="ens")
        nengo.Connection(stimulus(), ens, synapse=None)
        nengo.Probe(ens.neurons)
        nengo.Probe(ens, synapse=0.01)
        for name in neuron_type.probeable:
            nengo.Probe(ens.neurons, name)

    return build


for _name, _type in NEURON_TYPES.items():
    _build = neuron_model(_type)
    _build.__name__ = f"neurons_{_name}"
    model(_build)

SYNAPSES = {
    "none": None,
    "lowpass": synapses.Lowpass(0.03),
    "lowpass_zero": synapses.Lowpass(0),
    "alpha": synapses.Alpha(0.02),
    "triangle": synapses.Triangle(0.007),
    "linear_two_poles": synapses.LinearFilter([0.5, 1], [0.001, 0.05, 1]),
    "linear_passthrough": synapses.LinearFilter([0.1, 1], [0.05, 1]),
    "linear_discrete": synapses.LinearFilter([0.3], [1, -0.7], analog=False),
    "linear_gain": synapses.LinearFilter([2.0], [1.0], analog=False),
}


def synapse_model(synapse: nengo.synapses.Synapse | None) -> Callable[[], None]:
    def build() -> None:
        for size in (1, 3):
            target = nengo.Node(size_in=size, label=f"target{size}")
            nengo.Connection(stimulus(size), target, synapse=synapse)
            nengo.Probe(target)
            nengo.Probe(target, synapse=synapse)

    return build


for _name, _synapse in SYNAPSES.items():
    _build = synapse_model(_synapse)
    _build.__name__ = f"synapse_{_name}"
    model(_build)

PROCESSES = {
    "white_noise": processes.WhiteNoise(nengo.dists.Gaussian(0, 1)),
    "white_noise_seeded": processes.WhiteNoise(nengo.dists.Uniform(-1, 1), scale=False, seed=5),
    "filtered_noise": processes.FilteredNoise(synapses.Alpha(0.01)),
    "brown_noise": processes.BrownNoise(),
    "white_signal": processes.WhiteSignal(0.05, high=100, y0=0.2),
    "white_signal_long": processes.WhiteSignal(3.0, high=10),
    "present_input": processes.PresentInput(np.arange(10.0).reshape(5, 2), 0.0213),
    "piecewise": processes.Piecewise({0.02: [1, -1], 0.05: [0.5, 0.25], 0.1011: [3, 2]}),
    "piecewise_callable": processes.Piecewise({0: lambda t: [t, 1.0], 0.05: lambda t: [1.0, np.sin(t)]}),
    "piecewise_linear": processes.Piecewise(
        {0: [1, -1], 0.05: [0.5, 0.25], 0.3: [3, 2]}, interpolation="linear"
    ),
}


def process_model(process: nengo.Process) -> Callable[[], None]:
    def build() -> None:
        node = nengo.Node(process, size_out=2, label="source")
        ens = nengo.Ensemble(10, 2, neuron_type=nengo.RectifiedLinear(), label="ens")
        nengo.Connection(node, ens)
        nengo.Probe(node)
        nengo.Probe(ens)

    return build


for _name, _process in PROCESSES.items():
    _build = process_model(_process)
    _build.__name__ = f"process_{_name}"
    model(_build)


@model
def two_unseeded_processes() -> None:
    for label in "ab":
        node = nengo.Node(processes.WhiteNoise(), size_out=1, label=label)
        target = nengo.Node(size_in=1)
        nengo.Connection(node, target, synapse=0.01)
        nengo.Probe(target)


@model
def ensemble_noise() -> None:
    ens = nengo.Ensemble(10, 1, noise=processes.WhiteNoise(seed=3), label="ens")
    nengo.Probe(ens.neurons)


@model
def communication_channel() -> None:
    a, b = (nengo.Ensemble(30, 1, label=label) for label in "ab")
    nengo.Connection(stimulus(), a)
    nengo.Connection(a, b)
    nengo.Probe(b, synapse=0.03)


@model
def nonlinear_functions() -> None:
    a = nengo.Ensemble(40, 2, radius=1.4, label="a")
    b = nengo.Ensemble(40, 1, label="b")
    nengo.Connection(stimulus(2), a)
    nengo.Connection(a, b, function=lambda x: x[0] * x[1])
    nengo.Connection(a[1], b, function=np.square, transform=0.5)
    nengo.Connection(b, b, function=np.sin, synapse=0.1)
    nengo.Probe(b, synapse=0.02)
    nengo.Probe(a, "input")


@model
def recurrent_oscillator() -> None:
    ens = nengo.Ensemble(100, 2, label="oscillator")
    nengo.Connection(ens, ens, transform=[[1, 1], [-1, 1]], synapse=0.1)
    kick = nengo.Node(processes.Piecewise({0: [1, 0], 0.05: [0, 0]}), label="kick")
    nengo.Connection(kick, ens)
    nengo.Probe(ens, synapse=0.01)


@model
def slicing() -> None:
    a = nengo.Ensemble(30, 4, label="a")
    b = nengo.networks.EnsembleArray(10, 3, label="b")
    source = stimulus(4)
    nengo.Connection(source, a)
    nengo.Connection(source[2], a[1], synapse=None)
    nengo.Connection(a[[3, 1]], b.input[::2])
    nengo.Connection(a[::-2], b.input[[1, 0]], synapse=0.02)
    nengo.Connection(a[:2], b.input[1:], transform=[[1, 0.5], [0, -1]])
    nengo.Connection(a.neurons[:5], b.ensembles[0].neurons[2:7], transform=0.01)
    nengo.Connection(a.neurons[[1, 3]], b.ensembles[1].neurons[[4, 4]], transform=0.01)
    nengo.Probe(b.output, synapse=0.01)
    nengo.Probe(a[1:3], synapse=0.01)
    nengo.Probe(a.neurons[3:9:2])


@model
def reversed_target() -> None:
    target = nengo.Node(size_in=3, label="target")
    nengo.Connection(stimulus(3), target[::-1], synapse=None)
    nengo.Connection(stimulus(2), target[[0, 0]], synapse=None)
    nengo.Probe(target)


@model
def ensemble_array_functions() -> None:
    array = nengo.networks.EnsembleArray(20, 3, label="array")
    nengo.Connection(stimulus(3), array.input)
    array.add_output("mixed", [np.square, np.sin, lambda x: [x, -x]])
    nengo.Probe(array.output, synapse=0.01)
    nengo.Probe(array.mixed, synapse=0.01)


@model
def product_network() -> None:
    product = nengo.networks.Product(20, 2)
    nengo.Connection(stimulus(2), product.input_a)
    nengo.Connection(stimulus(2), product.input_b, transform=-1)
    nengo.Probe(product.output, synapse=0.01)


@model
def circular_convolution() -> None:
    network = nengo.networks.CircularConvolution(10, 6)
    nengo.Connection(stimulus(6), network.input_a)
    nengo.Connection(stimulus(6), network.input_b, transform=np.roll(np.eye(6), 1, 0))
    nengo.Probe(network.output, synapse=0.01)


@model
def basal_ganglia_and_thalamus() -> None:
    ganglia = nengo.networks.BasalGanglia(3, n_neurons_per_ensemble=20)
    thalamus = nengo.networks.Thalamus(3, n_neurons_per_ensemble=20)
    nengo.Connection(stimulus(3), ganglia.input)
    nengo.Connection(ganglia.output, thalamus.input)
    nengo.Probe(thalamus.output, synapse=0.01)


@model
def integrator() -> None:
    ens = nengo.Ensemble(30, 2, label="integrator")
    nengo.Connection(ens, ens, synapse=0.1)
    nengo.Connection(stimulus(2), ens, transform=0.1, synapse=0.1)
    nengo.Probe(ens, synapse=0.01)


@model
def associative_memory() -> None:
    keys = np.eye(3)
    memory = nengo.networks.AssociativeMemory(keys, n_neurons=20)
    memory.add_wta_network()
    memory.add_threshold_to_outputs(n_neurons=10)
    nengo.Connection(stimulus(3), memory.input)
    nengo.Probe(memory.output, synapse=0.01)


def learning_pair(**options: object) -> tuple[nengo.Ensemble, nengo.Ensemble, nengo.Connection]:
    pre, post = nengo.Ensemble(20, 2, label="pre"), nengo.Ensemble(15, 2, label="post")
    nengo.Connection(stimulus(2), pre)
    connection = nengo.Connection(pre, post, **options)
    nengo.Probe(post, synapse=0.01)
    nengo.Probe(connection, "weights", sample_every=0.01)
    return pre, post, connection


@model
def learning_pes() -> None:
    pre, post, connection = learning_pair(
        function=lambda x: [0, 0], learning_rule_type=nengo.PES(learning_rate=1e-3)
    )
    error = nengo.Node(size_in=2, label="error")
    nengo.Connection(post, error)
    nengo.Connection(pre, error, transform=-1)
    nengo.Connection(error, connection.learning_rule)
    nengo.Probe(connection.learning_rule, "error")
    nengo.Probe(connection.learning_rule, "delta")


@model
def learning_pes_to_neurons() -> None:
    pre, post = nengo.Ensemble(20, 1, label="pre"), nengo.Ensemble(15, 1, label="post")
    nengo.Connection(stimulus(), pre)
    weights = np.random.RandomState(2).uniform(-1e-3, 1e-3, (15, 20))
    connection = nengo.Connection(
        pre.neurons, post.neurons, transform=weights, learning_rule_type=nengo.PES(1e-4, pre_synapse=None)
    )
    nengo.Connection(post, connection.learning_rule)
    nengo.Probe(connection, "weights")


@model
def learning_bcm() -> None:
    learning_pair(solver=nengo.solvers.LstsqL2(weights=True), learning_rule_type=nengo.BCM(1e-9))


@model
def learning_oja() -> None:
    learning_pair(solver=nengo.solvers.LstsqL2(weights=True), learning_rule_type=nengo.Oja(1e-6))


@model
def learning_bcm_and_oja() -> None:
    learning_pair(
        solver=nengo.solvers.LstsqL2(weights=True), learning_rule_type=[nengo.BCM(1e-9), nengo.Oja(1e-6)]
    )


@model
def learning_voja() -> None:
    _, post, connection = learning_pair(learning_rule_type=nengo.Voja(learning_rate=0.1))
    switch = nengo.Node([-0.5], label="switch")
    nengo.Connection(switch, connection.learning_rule, synapse=None)
    nengo.Probe(connection.learning_rule, "scaled_encoders")


@model
def learning_rls() -> None:
    pre, post, connection = learning_pair(learning_rule_type=nengo.RLS(learning_rate=1e-3))
    nengo.Connection(post, connection.learning_rule)
    nengo.Probe(connection.learning_rule, "inv_gamma")


@model
def sparse_transform() -> None:
    target = nengo.Node(size_in=5, label="target")
    indices = [[0, 0], [1, 2], [4, 1], [4, 3], [2, 2]]
    transform = nengo.Sparse((5, 4), indices=indices, init=[1.0, 2.0, -0.5, 3.0, 4.0])
    nengo.Connection(stimulus(4), target, transform=transform)
    nengo.Probe(target)


@model
def sparse_transform_between_neurons() -> None:
    import scipy.sparse

    matrix = scipy.sparse.random(20, 30, 0.2, random_state=np.random.RandomState(0), format="csr") * 0.01
    pre, post = nengo.Ensemble(30, 1, label="pre"), nengo.Ensemble(20, 1, label="post")
    nengo.Connection(stimulus(), pre)
    nengo.Connection(pre.neurons, post.neurons, transform=nengo.Sparse((20, 30), init=matrix))
    nengo.Probe(post, synapse=0.01)


def convolution_model(transform: nengo.transforms.Transform) -> Callable[[], None]:
    def build() -> None:
        target = nengo.Node(size_in=transform.size_out, label="target")
        nengo.Connection(stimulus(transform.size_in), target, transform=transform)
        nengo.Probe(target)

    return build


CONVOLUTIONS = {
    "2d": nengo.Convolution(3, (6, 5, 2), kernel_size=(3, 2), strides=(2, 1)),
    "2d_same": nengo.Convolution(3, (6, 5, 2), padding="same"),
    "2d_channels_first": nengo.Convolution(3, (2, 6, 5), channels_last=False),
    "2d_groups": nengo.Convolution(4, (5, 5, 6), groups=2),
    "1d": nengo.Convolution(4, (9, 2), kernel_size=(3,), strides=(2,)),
    "transpose_2d": nengo.ConvolutionTranspose(2, (3, 4, 3), strides=(2, 2)),
    "transpose_2d_same": nengo.ConvolutionTranspose(2, (3, 4, 3), strides=(2, 2), padding="same"),
    "transpose_1d": nengo.ConvolutionTranspose(2, (4, 3), kernel_size=(3,), strides=(2,)),
}
for _name, _transform in CONVOLUTIONS.items():
    _build = convolution_model(_transform)
    _build.__name__ = f"convolution_{_name}"
    model(_build)


@model
def python_function_of_time() -> None:
    ramp = nengo.Node(lambda t: [t, t**2], label="ramp")
    ens = nengo.Ensemble(20, 2, label="ens")
    nengo.Connection(ramp, ens, function=None, transform=[[1, 0], [0, 2]])
    nengo.Connection(nengo.Node([0.3, -0.2], label="constant"), ens, transform=0.5)
    nengo.Probe(ens, synapse=0.01)
    nengo.Probe(ramp, sample_every=0.005)


@model
def direct_mode() -> None:
    a = nengo.Ensemble(1, 3, neuron_type=nengo.Direct(), label="a")
    b = nengo.Ensemble(20, 3, label="b")
    nengo.Connection(stimulus(3), a)
    nengo.Connection(a, b, transform=np.diag([1.0, 2.0, -1.0]))
    nengo.Probe(a)
    nengo.Probe(b, synapse=0.01)


@model
def direct_neuron_input() -> None:
    ens = nengo.Ensemble(12, 1, gain=np.ones(12), bias=np.linspace(0, 3, 12), label="ens")
    nengo.Connection(nengo.Node(np.linspace(0, 1, 12), label="currents"), ens.neurons, synapse=None)
    nengo.Connection(ens.neurons, ens.neurons, transform=0.001 * np.ones((12, 12)), synapse=0.005)
    nengo.Probe(ens.neurons, "voltage")
    nengo.Probe(ens.neurons, "refractory_time")
    nengo.Probe(ens.neurons, "input")


@model
def spa_state() -> None:
    import nengo.spa as spa

    state = spa.State(16, neurons_per_dimension=5, vocab=spa.Vocabulary(16, rng=np.random.RandomState(1)))
    nengo.Connection(stimulus(16), state.input)
    nengo.Probe(state.output, synapse=0.01)
