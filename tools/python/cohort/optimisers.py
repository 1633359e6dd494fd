"""Optimisers as plain updates: state variables, and nodes that compute their next values from gradients.

    loss, *gradients = ops.value_and_grad(objective, inputs, wrt=["w", "b"])
    optimisers.adam(step, {w: gradients[0], b: gradients[1]}, learning_rate=1e-3)

Each adds to `function` the update of every parameter (a state variable) and of the optimiser's own state,
which is called after the parameter (`w.momentum`, `w.first_moment`). Learning rates are numbers or scalar
values, so that a caller may change them as an input or a state variable. The formulas are PyTorch's.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from . import ops
from .builder import Function
from .errors import GraphError
from .values import Value

Rate = float | Value


def _zeros_like(parameter: Value, name: str) -> Value:
    array = parameter.module.states[parameter.name]
    return parameter.module.state(f"{parameter.name}.{name}", np.zeros_like(array))


def _check(parameters: Mapping[Value, Value]) -> None:
    for parameter in parameters:
        if parameter.name not in parameter.module.states:
            raise GraphError(f"`{parameter.name}` is no state variable, so it cannot be trained")


def sgd(function: Function, parameters: Mapping[Value, Value], learning_rate: Rate) -> None:
    """w <- w - learning_rate * gradient."""
    _check(parameters)
    for parameter, gradient in parameters.items():
        function.update(parameter, parameter - gradient * learning_rate)


def momentum(
    function: Function,
    parameters: Mapping[Value, Value],
    learning_rate: Rate,
    decay: float = 0.9,
    nesterov: bool = False,
) -> None:
    """v <- decay * v + gradient; w <- w - learning_rate * v; Nesterov's takes gradient + decay * v for v."""
    _check(parameters)
    for parameter, gradient in parameters.items():
        velocity = _zeros_like(parameter, "momentum")
        after = velocity * decay + gradient
        step = gradient + after * decay if nesterov else after
        function.update(velocity, after)
        function.update(parameter, parameter - step * learning_rate)


def adam(
    function: Function,
    parameters: Mapping[Value, Value],
    learning_rate: Rate,
    beta1: float = 0.9,
    beta2: float = 0.999,
    epsilon: float = 1e-8,
    weight_decay: float = 0.0,
) -> None:
    """Adam with bias correction; with `weight_decay` AdamW, which shrinks weights apart from the gradient."""
    _check(parameters)
    if not parameters:
        return
    module = next(iter(parameters)).module
    # beta^t by multiplication: one state variable each for all parameters.
    powers = [module.state(f"adam.beta{i}_power", np.float64(1.0)) for i in (1, 2)]
    after = [power * beta for power, beta in zip(powers, (beta1, beta2))]
    for power, value in zip(powers, after):
        function.update(power, value)
    for parameter, gradient in parameters.items():
        dtype = str(np.dtype(module.states[parameter.name].dtype))
        correction = [
            ops.cast(1.0 - value, dtype={"float32": "f32", "float64": "f64", "float16": "f16"}[dtype])
            for value in after
        ]
        first, second = (_zeros_like(parameter, f"{which}_moment") for which in ("first", "second"))
        mean = first * beta1 + gradient * (1.0 - beta1)
        square = second * beta2 + gradient * gradient * (1.0 - beta2)
        step = mean / correction[0] / (ops.sqrt(square / correction[1]) + epsilon)
        kept = parameter * (1.0 - learning_rate * weight_decay) if weight_decay else parameter
        function.update(first, mean)
        function.update(second, square)
        function.update(parameter, kept - step * learning_rate)
