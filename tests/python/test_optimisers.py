"""Optimisers against the same formulas in NumPy, on the evaluator and compiled."""

import numpy as np
import pytest

import cohort
from cohort import ops, optimisers
from backends import QUICK_BUILD, needs


def _model(apply) -> cohort.Module:
    """Steps on sum((w * x - y)^2 + b^2), whose gradients are written out, so that NumPy can evaluate them too."""
    module = cohort.Module("training")
    w = module.state("w", np.array([1.0, -2.0, 0.5]))
    b = module.state("b", np.array([0.25, 3.0], np.float32))
    with module.function("step") as step:
        x, y = step.input("x", "f64[3]"), step.input("y", "f64[3]")
        gradients = {w: 2.0 * (w * x - y) * x, b: b * 2.0}
        apply(step, gradients)
        step.output("w", w)
    return module


def _run(machine, steps: int = 5):
    rng = np.random.default_rng(0)
    for _ in range(steps):
        machine.call("step", {"x": rng.normal(size=3), "y": rng.normal(size=3)})
    return machine.state("w"), machine.state("b")


def _expected(update, steps: int = 5):
    rng = np.random.default_rng(0)
    w, b = np.array([1.0, -2.0, 0.5]), np.array([0.25, 3.0], np.float32)
    memory: dict[str, dict] = {"w": {}, "b": {}}
    for t in range(1, steps + 1):
        x, y = rng.normal(size=3), rng.normal(size=3)
        w, b = (
            update(w, 2 * (w * x - y) * x, memory["w"], t),
            update(b, b * np.float32(2), memory["b"], t).astype(np.float32),
        )
    return w, b


def _sgd(p, g, memory, t):
    return p - 0.1 * g


def _momentum(nesterov):
    def update(p, g, memory, t):
        memory["v"] = 0.8 * memory.get("v", 0) + g
        return p - 0.05 * (g + 0.8 * memory["v"] if nesterov else memory["v"])

    return update


def _adam(decay):
    def update(p, g, memory, t):
        memory["m"] = 0.9 * memory.get("m", 0) + 0.1 * g
        memory["s"] = 0.99 * memory.get("s", 0) + 0.01 * g * g
        step = memory["m"] / (1 - 0.9**t) / (np.sqrt(memory["s"] / (1 - 0.99**t)) + 1e-8)
        return p * (1 - 0.02 * decay) - 0.02 * step

    return update


CASES = {
    "sgd": (lambda f, g: optimisers.sgd(f, g, 0.1), _sgd),
    "momentum": (lambda f, g: optimisers.momentum(f, g, 0.05, decay=0.8), _momentum(False)),
    "nesterov": (lambda f, g: optimisers.momentum(f, g, 0.05, 0.8, nesterov=True), _momentum(True)),
    "adam": (lambda f, g: optimisers.adam(f, g, 0.02, beta2=0.99), _adam(0.0)),
    "adamw": (lambda f, g: optimisers.adam(f, g, 0.02, beta2=0.99, weight_decay=0.1), _adam(0.1)),
}


@pytest.mark.parametrize("name", CASES)
def test_steps_are_the_formulas(name: str) -> None:
    apply, update = CASES[name]
    w, b = _run(cohort.Evaluator(_model(apply)))
    expected_w, expected_b = _expected(update)
    np.testing.assert_allclose(w, expected_w, rtol=1e-12)
    np.testing.assert_allclose(b, expected_b, rtol=2e-6)


@needs("compile")
def test_training_by_derivatives() -> None:
    """Adam on a gradient that Cohort takes; the optimiser's state has names; a wrong parameter is refused."""
    module = cohort.Module("fit")
    w = module.state("w", np.zeros(2))
    loss = module.function("loss")
    x, y = loss.input("x", "f64[8,2]"), loss.input("y", "f64[8]")
    loss.output("l", ops.reduce_mean(ops.square(ops.matmul(x, w) - y)))
    with module.function("step") as step:
        inputs = [step.input("x", "f64[8,2]"), step.input("y", "f64[8]")]
        value, gradient = ops.value_and_grad(loss, inputs, ["w"])
        optimisers.adam(step, {w: gradient}, 0.1)
        step.output("loss", value)
    compiled = cohort.compile(module, options=QUICK_BUILD)
    rng = np.random.default_rng(1)
    data = rng.normal(size=(8, 2))
    for _ in range(400):
        result = compiled.call("step", {"x": data, "y": data @ [3.0, -1.0]})
    np.testing.assert_allclose(compiled.state("w"), [3.0, -1.0], atol=1e-2)
    assert result["loss"] < 1e-3 and "w.first_moment" in compiled.state_names()
    with pytest.raises(cohort.GraphError, match="no state variable"):
        optimisers.sgd(step, {inputs[0]: gradient}, 0.1)
