"""Learning rules: what each `Sim...` operator of `nengo/builder/learning_rules.py` computes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from nengo.builder import learning_rules as rules

if TYPE_CHECKING:
    from .step import Step


def pes(step: Step, op: rules.SimPES) -> None:
    activities, error = step.memory.read(op.pre_filtered), step.memory.read(op.error)
    alpha = -op.learning_rate * step.dt / activities.shape[0]
    step.memory.write(op.delta, step.emit.outer(alpha * error, activities))


def bcm(step: Step, op: rules.SimBCM) -> None:
    pre, post, theta = (step.memory.read(signal) for signal in (op.pre_filtered, op.post_filtered, op.theta))
    alpha = op.learning_rate * step.dt
    step.memory.write(op.delta, step.emit.outer(alpha * post * (post - theta), pre))


def oja(step: Step, op: rules.SimOja) -> None:
    emit, read = step.emit, step.memory.read
    pre, post, weights = read(op.pre_filtered), read(op.post_filtered), read(op.weights)
    alpha = op.learning_rate * step.dt
    squared = alpha * post * post
    forgotten = -op.beta * weights * emit.reshape(squared, (post.size, 1))
    step.memory.write(op.delta, forgotten + emit.outer(alpha * post, pre))


def voja(step: Step, op: rules.SimVoja) -> None:
    emit, read = step.emit, step.memory.read
    pre, post, encoders = read(op.pre_decoded), read(op.post_filtered), read(op.scaled_encoders)
    scale = emit.constant(np.asarray(op.scale)[:, None], f"{emit.scope}.scale")
    change = scale * emit.outer(post, pre) - emit.reshape(post, (post.size, 1)) * encoders
    step.memory.write(op.delta, op.learning_rate * step.dt * read(op.learning_signal) * change)


def rls(step: Step, op: rules.SimRLS) -> None:
    emit, read = step.emit, step.memory.read
    rates, error, inverse = read(op.pre_filtered), read(op.error), emit.solid(read(op.inv_gamma))
    product = emit.matmul(inverse, rates)
    scale = 1.0 / (1.0 + emit.matmul(rates, product))
    row, column = emit.reshape(product, (1, product.size)), emit.reshape(product, (product.size, 1))
    step.memory.write(op.inv_gamma, inverse - column * (row * scale))
    step.memory.write(op.delta, emit.reshape(error, (error.size, 1)) * (-scale * row))


LEARNING: dict[type, Any] = {
    rules.SimPES: pes,
    rules.SimBCM: bcm,
    rules.SimOja: oja,
    rules.SimVoja: voja,
    rules.SimRLS: rls,
}
