"""Random variables: streams of Cohort's own numbers, not NumPy's.

A generator becomes a key, taken from its state when the graph is imported, and a counter, which is state and
grows by one for each draw. Distributions are the same as PyTensor's, samples are not.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from pytensor.tensor.random.op import RandomVariable

from ...errors import GraphError
from .arrays import Array, Emitter

if TYPE_CHECKING:
    from .convert import Conversion


@dataclass(frozen=True)
class Stream:
    """A generator: its key and how many draws went before."""

    key: int
    draw: Array


def key_of(generator: Any) -> int:
    """A key that depends on the whole state of a NumPy generator."""
    state = repr(sorted(generator.bit_generator.state.items(), key=str)).encode()
    return int.from_bytes(hashlib.sha256(state).digest()[:8], "little")


class _Draws:
    """Samples of one random variable; each takes a draw of its own."""

    def __init__(self, emit: Emitter, stream: Stream, shape: tuple[int, ...]) -> None:
        self.emit, self._stream, self.shape, self._used = emit, stream, shape, 0

    @property
    def after(self) -> Stream:
        return Stream(self._stream.key, self._draw())

    def _draw(self) -> Array:
        if not self._used:
            return self._stream.draw
        step = Array.of(np.uint64(self._used))
        if self._stream.draw.known is not None:
            return Array.of(self._stream.draw.known + np.uint64(self._used))
        return self.emit.elementwise("add", [self._stream.draw, step], np.uint64)

    def sample(self, op: str, *parameters: Array, dtype: Any = np.float64) -> Array:
        draw = self._draw()
        self._used += 1
        operands = [Array.of(np.uint64(self._stream.key)), draw, *parameters]
        return self.emit.node(f"random_{op}", operands, self.shape, dtype, shape=self.shape)

    def uniform(self) -> Array:
        return self.sample("uniform")

    def normal(self) -> Array:
        return self.sample("normal")

    def exponential(self) -> Array:
        return self.sample("exponential")

    def gamma(self, shape: Array) -> Array:
        return self.sample("gamma", self.real(shape))

    def real(self, array: Array) -> Array:
        return self.emit.cast(array, np.float64)

    def apply(self, op: str, *operands: Any) -> Array:
        """A scalar operator in f64."""
        arrays = [item if isinstance(item, Array) else Array.of(float(item)) for item in operands]
        return self.emit.elementwise(op, arrays, np.float64)

    def scaled(self, loc: Array, scale: Array, sample: Array) -> Array:
        return self.apply("add", loc, self.apply("mul", scale, sample))


def _laplace(of: _Draws, loc: Array, scale: Array) -> Array:
    side = of.apply("sub", of.uniform(), 0.5)
    size = of.apply("log1p", of.apply("mul", -2.0, of.apply("abs", side)))
    return of.scaled(loc, scale, of.apply("neg", of.apply("mul", of.apply("sign", side), size)))


def _logistic(of: _Draws, loc: Array, scale: Array) -> Array:
    u = of.uniform()
    return of.scaled(loc, scale, of.apply("log", of.apply("true_div", u, of.apply("sub", 1.0, u))))


def _cauchy(of: _Draws, loc: Array, scale: Array) -> Array:
    angle = of.apply("mul", math.pi, of.apply("sub", of.uniform(), 0.5))
    return of.scaled(loc, scale, of.apply("tan", angle))


def _chi_square(of: _Draws, freedom: Array) -> Array:
    return of.apply("mul", 2.0, of.gamma(of.apply("mul", 0.5, freedom)))


def _student(of: _Draws, freedom: Array, loc: Array, scale: Array) -> Array:
    spread = of.apply("sqrt", of.apply("true_div", _chi_square(of, freedom), freedom))
    return of.scaled(loc, scale, of.apply("true_div", of.normal(), spread))


def _negative_binomial(of: _Draws, count: Array, p: Array) -> Array:
    odds = of.apply("true_div", of.apply("sub", 1.0, p), p)
    return of.sample("poisson", of.apply("mul", of.gamma(count), odds), dtype=np.int64)


def _geometric(of: _Draws, p: Array) -> Array:
    rate = of.apply("log1p", of.apply("neg", p))
    return of.apply("ceil", of.apply("neg", of.apply("true_div", of.exponential(), rate)))


def _integers(of: _Draws, low: Array, high: Array) -> Array:
    return of.apply("floor", of.scaled(low, of.apply("sub", high, low), of.uniform()))


SAMPLERS: dict[str, Callable[..., Array]] = {
    "uniform": lambda of, low, high: of.scaled(low, of.apply("sub", high, low), of.uniform()),
    "normal": lambda of, loc, scale: of.scaled(loc, scale, of.normal()),
    "halfnormal": lambda of, loc, scale: of.scaled(loc, scale, of.apply("abs", of.normal())),
    "lognormal": lambda of, loc, scale: of.apply("exp", of.scaled(loc, scale, of.normal())),
    "exponential": lambda of, scale: of.apply("mul", scale, of.exponential()),
    "laplace": _laplace,
    "logistic": _logistic,
    "gumbel": lambda of, loc, scale: of.apply(
        "sub", loc, of.apply("mul", scale, of.apply("log", of.exponential()))
    ),
    "cauchy": _cauchy,
    "halfcauchy": lambda of, loc, scale: of.scaled(
        loc, scale, of.apply("abs", _cauchy(of, Array.of(0.0), Array.of(1.0)))
    ),
    "weibull": lambda of, shape: of.apply("pow", of.exponential(), of.apply("reciprocal", shape)),
    "pareto": lambda of, shape, scale: of.apply(
        "mul", scale, of.apply("exp", of.apply("true_div", of.exponential(), shape))
    ),
    "gamma": lambda of, shape, scale: of.apply("mul", scale, of.gamma(shape)),
    "invgamma": lambda of, shape, scale: of.apply("true_div", scale, of.gamma(shape)),
    "chisquare": _chi_square,
    "beta": lambda of, a, b: of.sample("beta", of.real(a), of.real(b)),
    "t": _student,
    "bernoulli": lambda of, p: of.sample("bernoulli", of.real(p), dtype=np.bool_),
    "binomial": lambda of, n, p: of.sample("binomial", of.real(n), of.real(p), dtype=np.int64),
    "poisson": lambda of, mean: of.sample("poisson", of.real(mean), dtype=np.int64),
    "negative_binomial": _negative_binomial,
    "geometric": _geometric,
    "integers": _integers,
    "categorical": lambda of, p: of.sample("categorical", of.real(p), dtype=np.int64),
}


def random_variable(to: Conversion, node: Any, arrays: list[Any]) -> list[Any]:
    op, (stream, size, *parameters) = node.op, arrays
    if op.name not in SAMPLERS:
        to.refuse(f"random variable `{op.name}`")
    if not isinstance(stream, Stream):
        stream = Stream(key_of(stream), Array.of(np.uint64(0)))
    batches = [
        array.shape[: array.rank - core] for array, core in zip(parameters, op.ndims_params, strict=True)
    ]
    shape = np.broadcast_shapes(*batches)
    given = to.static(node.inputs[1], size, "a random variable of a size") if size is not None else None
    if given is not None and len(given):
        shape = tuple(int(extent) for extent in given)
    draws = _Draws(to.emit, stream, shape)
    sample = SAMPLERS[op.name](draws, *parameters)
    result = to.emit.broadcast(to.emit.cast(sample, node.outputs[1].type.dtype), shape)
    return [draws.after, result]


def stream_of(variable: Any, states: dict[Any, Any], module: Any) -> Stream:
    """A shared generator, whose counter is a state variable of its name."""
    generator = variable.get_value(borrow=True)
    if not isinstance(generator, np.random.Generator):
        raise GraphError(f"`{variable.name}` of type `{variable.type}` is neither an array nor a generator")
    if variable not in states:
        states[variable] = module.state(variable.name or "random", np.uint64(0))
    return Stream(key_of(generator), Array((), np.uint64, states[variable]))


OPERATORS = {RandomVariable: random_variable}
