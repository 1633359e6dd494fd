"""A training step of an LSTM (20 steps, batch of 16, 32 inputs, 64 units, f64): the mean square of a linear readout of
the last hidden state, and gradient descent. As a Cohort module, a PyTensor function and a JAX function."""

from __future__ import annotations

import numpy as np

import cohort
from cohort import ops, optimisers

STEPS, BATCH, INPUTS, UNITS = 20, 16, 32, 64
RATE = 0.05
SHAPES = {"w": (INPUTS, 4 * UNITS), "u": (UNITS, 4 * UNITS), "b": (4 * UNITS,), "v": (UNITS,)}


def weights() -> dict[str, np.ndarray]:
    rng = np.random.default_rng(1)
    return {name: 0.3 * rng.standard_normal(shape) for name, shape in SHAPES.items()}


def batch(seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    return rng.standard_normal((STEPS, BATCH, INPUTS)), rng.standard_normal(BATCH)


def _cell(x, h, c, w, u, b, m):
    """(new h, new c) by the functions of `m`; the gates stand side by side in the weights."""
    z = m.dot(x, w) + m.dot(h, u) + b
    put, keep, give, new = (z[:, i * UNITS : (i + 1) * UNITS] for i in range(4))
    c = m.sigmoid(keep) * c + m.sigmoid(put) * m.tanh(new)
    return m.sigmoid(give) * m.tanh(c), c


def cohort_module() -> cohort.Module:
    """By hand. State w, u, b, v; `train` takes a batch, gives the loss and updates them."""
    module = cohort.Module("lstm_training")
    states = _states(module)
    body = module.body("step")
    types = {"x": (BATCH, INPUTS), "h": (BATCH, UNITS), "c": (BATCH, UNITS), **SHAPES}
    types.pop("v")
    x, h, c, w, u, b = (body.input(f"{name}_in", "f64", list(shape)) for name, shape in types.items())
    for name, value in zip("hc", _cell(x, h, c, w, u, b, ops)):
        body.output(name, value)
    with module.function("loss") as loss:
        xs, y = loss.input("xs", "f64", [STEPS, BATCH, INPUTS]), loss.input("y", "f64", [BATCH])
        w, u, b, v = (loss.input(f"{name}_in", "f64", list(shape)) for name, shape in SHAPES.items())
        zeros = np.zeros((BATCH, UNITS))
        last = ops.scan(body, [xs], [zeros, zeros], [w, u, b])[0]
        error = ops.matmul(last, v) - y
        loss.output("loss", ops.reduce_mean(error * error))
    return _with_training(module, loss, states)


def imported_module() -> cohort.Module:
    """The same with PyTensor's loss; its gradient is Cohort's own."""
    import pytensor.tensor as pt
    from pytensor.graph.replace import graph_replace

    inputs, loss, _, shared = pytensor_graph()
    given = {shared[name]: pt.tensor(f"{name}_in", shape=SHAPES[name], dtype="float64") for name in SHAPES}
    outputs = {"loss": graph_replace([loss], given)[0]}
    module = cohort.from_pytensor(outputs, [*inputs, *given.values()], name="lstm_imported", function="loss")
    return _with_training(module, module.functions["loss"], _states(module))


def _states(module: cohort.Module):
    return {name: module.state(name, value) for name, value in weights().items()}


def _with_training(module: cohort.Module, loss, states) -> cohort.Module:
    with module.function("train") as train:
        xs, y = train.input("xs", "f64", [STEPS, BATCH, INPUTS]), train.input("y", "f64", [BATCH])
        value, *gradients = ops.value_and_grad(loss, [xs, y, *states.values()], [f"{n}_in" for n in SHAPES])
        optimisers.sgd(train, dict(zip(states.values(), gradients)), RATE)
        train.output("loss", value)
    return module


def pytensor_graph():
    """Inputs, loss, updates and shared variables by name."""
    import pytensor
    import pytensor.tensor as pt

    shared = {name: pytensor.shared(value, name) for name, value in weights().items()}
    xs, y = pt.tensor3("xs", shape=(STEPS, BATCH, INPUTS)), pt.vector("y", shape=(BATCH,))
    zeros = pt.zeros((BATCH, UNITS))
    hs, _cs = pytensor.scan(
        lambda x, h, c, w, u, b: list(_cell(x, h, c, w, u, b, pt)),
        sequences=[xs],
        outputs_info=[zeros, zeros],
        non_sequences=[shared[name] for name in "wub"],
        strict=True,
        return_updates=False,
    )
    error = pt.dot(hs[-1], shared["v"]) - y
    loss = pt.mean(error**2)
    gradients = pytensor.grad(loss, list(shared.values()))
    updates = {p: p - RATE * g for p, g in zip(shared.values(), gradients)}
    return [xs, y], loss, updates, shared


def jax_step():
    """(weights, xs, y) to (loss, new weights), compiled; the weights are given up."""
    import jax
    import jax.numpy as jnp

    class Functions:
        dot, tanh, sigmoid = staticmethod(jnp.dot), staticmethod(jnp.tanh), staticmethod(jax.nn.sigmoid)

    def loss(values, xs, y):
        def step(carry, x):
            return _cell(x, *carry, values["w"], values["u"], values["b"], Functions), None

        zeros = jnp.zeros((BATCH, UNITS))
        (h, _), _ = jax.lax.scan(step, (zeros, zeros), xs)
        return jnp.mean((h @ values["v"] - y) ** 2)

    def train(values, xs, y):
        value, gradients = jax.value_and_grad(loss)(values, xs, y)
        return value, {name: values[name] - RATE * gradients[name] for name in values}

    return jax.jit(train, donate_argnums=0)
