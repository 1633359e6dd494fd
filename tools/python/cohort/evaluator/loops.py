"""Operators that take functions: loops, branches and calls. A function here takes and gives arrays."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol

import numpy as np


class Applied(Protocol):
    """A function of arrays, with the names of its inputs."""

    inputs: tuple[str, ...]

    def __call__(self, *operands: Any) -> list[np.ndarray]: ...


def scan(attrs: Mapping[str, Any], steps_of: Callable[[Any], tuple[int, ...]], body: Applied):
    count_sequences, count_carries = attrs.get("sequences", 0), attrs.get("carries", 0)
    until = attrs.get("until", False)

    def run(*operands: Any) -> list[np.ndarray]:
        arrays = [np.asarray(operand) for operand in operands]
        sequences = arrays[:count_sequences]
        carries = arrays[count_sequences : count_sequences + count_carries]
        others = arrays[count_sequences + count_carries :]
        steps = steps_of(attrs["steps"])[0] if "steps" in attrs else len(sequences[0])
        order = range(steps - 1, -1, -1) if attrs.get("reverse", False) else range(steps)
        stacked, taken = None, 0
        for t in order:
            results = body(*(sequence[t] for sequence in sequences), *carries, *others)
            outputs = results[count_carries:]
            stacked = stacked or _zeros(steps, outputs)
            for whole, part in zip(stacked, outputs):
                whole[t] = part
            carries, taken = results[:count_carries], taken + 1
            if until and results[-1]:
                break
        if stacked is None:
            elements = [np.zeros(sequence.shape[1:], sequence.dtype) for sequence in sequences]
            stacked = _zeros(0, body(*elements, *carries, *others)[count_carries:])
        return [*carries, *(stacked[:-1] + [np.int64(taken)] if until else stacked)]

    return run


def _zeros(steps: int, outputs: list[np.ndarray]) -> list[np.ndarray]:
    return [np.zeros((steps, *np.shape(part)), np.asarray(part).dtype) for part in outputs]


def cond(attrs: Mapping[str, Any], steps_of: Any, then: Applied, otherwise: Applied):
    return lambda condition, *operands: (then if condition else otherwise)(*operands)


def call(attrs: Mapping[str, Any], steps_of: Any, function: Applied):
    return lambda *operands: function(*operands)


def while_(attrs: Mapping[str, Any], steps_of: Any, condition: Applied, body: Applied):
    count = attrs["carries"]

    def run(*operands: Any) -> list[np.ndarray]:
        carries, others = [np.asarray(operand) for operand in operands[:count]], operands[count:]
        for _ in range(attrs["max_steps"]):
            if not condition(*carries, *others)[0]:
                break
            carries = body(*carries, *others)
        return carries

    return run


def vmap(attrs: Mapping[str, Any], steps_of: Any, function: Applied):
    batched = [name in attrs["batched"] for name in function.inputs]

    def run(*operands: Any) -> list[np.ndarray]:
        arrays = [np.asarray(operand) for operand in operands]
        count = next(len(array) for array, is_batched in zip(arrays, batched) if is_batched)
        elements = [
            function(*(array[i] if is_batched else array for array, is_batched in zip(arrays, batched)))
            for i in range(count)
        ]
        if not elements:
            pairs = zip(arrays, batched)
            return _zeros(0, function(*(np.zeros(a.shape[1:], a.dtype) if axis else a for a, axis in pairs)))
        return [np.stack(parts) for parts in zip(*elements)]

    return run


# What the compiler writes as other operators before it means anything.
DERIVATIVES = frozenset({"grad", "value_and_grad", "vjp", "jvp", "hvp"})

# The operator and the keys of its functions.
TABLE: dict[str, tuple[Callable[..., Any], tuple[str, ...]]] = {
    "scan": (scan, ("body",)),
    "cond": (cond, ("then", "else")),
    "call": (call, ("function",)),
    "while": (while_, ("condition", "body")),
    "vmap": (vmap, ("function",)),
}
