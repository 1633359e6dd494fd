"""Neuron types: one function for each, a transcription of its `step` in `nengo/neurons.py`.

A function takes the step, the neuron type, the input current and the state by name; it gives the output and
the new state.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from nengo import neurons as types

from .arrays import Array

if TYPE_CHECKING:
    from .step import Step

State = dict[str, Any]  # arrays, and `rng` of the random types
Result = tuple[Array, State]


def rectified_linear(step: Step, neurons: Any, current: Array, state: State) -> Result:
    return step.emit.elementwise("max", 0.0, current) * neurons.amplitude, {}


def spiking_rectified_linear(step: Step, neurons: Any, current: Array, state: State) -> Result:
    voltage = state["voltage"] + step.emit.elementwise("max", current, 0.0) * step.dt
    return _whole_spikes(step, neurons.amplitude, voltage)


def regular_spiking(step: Step, neurons: Any, current: Array, state: State) -> Result:
    return _whole_spikes(step, neurons.amplitude, state["voltage"] + step.dt * current)


def _whole_spikes(step: Step, amplitude: float, voltage: Array) -> Result:
    spikes = step.emit.call("floor", voltage)
    return (amplitude / step.dt) * spikes, {"voltage": voltage - spikes}


def sigmoid(step: Step, neurons: Any, current: Array, state: State) -> Result:
    return (1.0 / neurons.tau_ref) / (step.emit.call("exp", -current) + 1.0), {}


def tanh(step: Step, neurons: Any, current: Array, state: State) -> Result:
    return (1.0 / neurons.tau_ref) * step.emit.call("tanh", current), {}


def lif_rate(step: Step, neurons: Any, current: Array, state: State) -> Result:
    emit = step.emit
    above = current - 1.0
    is_active = above > 0.0
    period = neurons.tau_ref + neurons.tau_rc * emit.call("log1p", 1.0 / emit.where(is_active, above, 1.0))
    return emit.where(is_active, neurons.amplitude / period, 0.0), {}


def lif(step: Step, neurons: Any, current: Array, state: State) -> Result:
    emit, dt = step.emit, step.dt
    refractory = state["refractory_time"] - dt
    active = emit.elementwise("clip", dt - refractory, 0.0, dt)
    voltage = state["voltage"]
    voltage = voltage - (current - voltage) * emit.call("expm1", -active / neurons.tau_rc)
    spiked = voltage > 1.0
    output = emit.where(spiked, neurons.amplitude / dt, 0.0)
    overshoot = emit.where(spiked, -(voltage - 1.0) / (current - 1.0), 0.0)
    spike_time = dt + neurons.tau_rc * emit.call("log1p", overshoot)
    if np.isfinite(neurons.min_voltage):
        voltage = emit.where(voltage < float(neurons.min_voltage), float(neurons.min_voltage), voltage)
    return output, {
        "voltage": emit.where(spiked, 0.0, voltage),
        "refractory_time": emit.where(spiked, neurons.tau_ref + spike_time, refractory),
    }


def _adaptive(base: Callable[[Step, Any, Array, State], Result]):
    def adaptive(step: Step, neurons: Any, current: Array, state: State) -> Result:
        adaptation = state["adaptation"]
        output, after = base(step, neurons, current - adaptation, state)
        change = (step.dt / neurons.tau_n) * (neurons.inc_n * output - adaptation)
        return output, {**after, "adaptation": adaptation + change}

    return adaptive


def izhikevich(step: Step, neurons: Any, current: Array, state: State) -> Result:
    emit, dt = step.emit, step.dt
    voltage, recovery = state["voltage"], state["recovery"]
    current = emit.elementwise("max", -30.0, current)
    slope = 0.04 * emit.call("square", voltage) + 5.0 * voltage + 140.0 - recovery + current
    voltage = voltage + (slope * 1000.0) * dt
    spiked = voltage >= 30.0
    output = emit.where(spiked, 1.0 / dt, 0.0)
    voltage = emit.where(spiked, float(neurons.reset_voltage), voltage)
    slope = neurons.tau_recovery * (neurons.coupling * voltage - recovery)
    recovery = recovery + (slope * 1000.0) * dt
    recovery = emit.where(spiked, recovery + neurons.reset_recovery, recovery)
    return output, {"voltage": voltage, "recovery": recovery}


def stochastic_spiking(step: Step, neurons: Any, current: Array, state: State) -> Result:
    """The uniform draws do not depend on the rates: they are a table with one row for each step."""
    emit = step.emit
    rng = _copied(state["rng"])
    draws = np.stack(
        [rng.random_sample(size=current.shape) for _ in range(step.table_steps("random spikes"))]
    )
    expected = step.dt * (emit.call("abs", current) if neurons.negative else current)
    spikes = emit.call("trunc", expected)
    spikes = emit.where(step.table_row(draws, "draws") < expected - spikes, spikes + 1.0, spikes)
    output = (neurons.amplitude / step.dt) * spikes
    return output * emit.call("sign", current) if neurons.negative else output, {}


POISSON_WINDOW = 32
POISSON_DRAWS = 3


def poisson_spiking(step: Step, neurons: Any, current: Array, state: State) -> Result:
    """See Note [Poisson]."""
    emit = step.emit
    n, steps = current.size, step.table_steps("random spikes")
    count = (POISSON_DRAWS * steps * n + POISSON_WINDOW + 63) // 64 * 64
    draws = emit.constant(_copied(state["rng"]).random_sample(count), f"{emit.scope}.draws")
    state_of_stream, position = step.extra_state("position", np.int64(0))
    expected = (emit.call("abs", current) if neurons.negative else current) * step.dt
    expected = step.asserted(
        expected, expected < 10.0, "a Poisson neuron expects 10 or more spikes in a step"
    )
    threshold = emit.call("exp", -expected)
    counts = []
    for neuron in range(n):
        here = emit.slice(threshold, [slice(neuron, neuron + 1)])
        window = emit.node("slice", [draws, position], (POISSON_WINDOW,), axes=[0], sizes=[POISSON_WINDOW])
        product = emit.node("cumprod", [window], (POISSON_WINDOW,))
        spikes = emit.node("reduce_sum", [product > here], ())
        spikes = step.asserted(
            spikes, spikes < POISSON_WINDOW, "a Poisson neuron drew too many spikes in a step"
        )
        draws_any = emit.reshape(emit.slice(expected, [slice(neuron, neuron + 1)]) > 0.0, ())
        position = position + emit.where(draws_any, spikes + 1, 0)
        counts.append(emit.reshape(emit.where(draws_any, spikes, 0), (1,)))
    step.extra.append((state_of_stream, position))
    spikes = emit.cast(emit.concat(counts), emit.dtype)
    output = (neurons.amplitude / step.dt) * spikes
    return output * emit.call("sign", current) if neurons.negative else output, {}


def _copied(rng: np.random.RandomState) -> np.random.RandomState:
    copy = np.random.RandomState()
    copy.set_state(rng.get_state())
    return copy


NEURONS: dict[type, Callable[[Any, Any, Array, State], Result]] = {
    types.RectifiedLinear: rectified_linear,
    types.SpikingRectifiedLinear: spiking_rectified_linear,
    types.Sigmoid: sigmoid,
    types.Tanh: tanh,
    types.LIFRate: lif_rate,
    types.LIF: lif,
    types.AdaptiveLIFRate: _adaptive(lif_rate),
    types.AdaptiveLIF: _adaptive(lif),
    types.Izhikevich: izhikevich,
    types.RegularSpiking: regular_spiking,
    types.StochasticSpiking: stochastic_spiking,
    types.PoissonSpiking: poisson_spiking,
}

# Note [Poisson]
# NumPy draws a Poisson number with mean m < 10 by multiplying uniform draws until the product falls below
# exp(-m); how many it consumes depends on the outcome, so the stream is shared by all neurons and cannot be
# cut into rows. The table holds the stream, a state variable the position in it, and the neurons take their
# turns in order. A neuron of mean 0 takes none. POISSON_WINDOW bounds the draws of one neuron in one step
# (for m < 10 more than 32 have a probability of about 1e-8), POISSON_DRAWS the average; reading past the
# table's end is an index error.
