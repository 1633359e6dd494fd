"""Random numbers: Philox4x32-10 over element numbers, inverses of distribution functions; `ir/README.md`.

Every entry of `TABLE` is called as `prepare(attrs, shape_of)`, like those of `shaping`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..dtypes import F64, I64, is_float, numpy_dtype, promote
from .scalar import cast
from .special import philox_bits
from .special_functions import TABLE as SPECIAL

Attrs = dict[str, Any]
ShapeOf = Callable[[list[int | str]], tuple[int, ...]]
_DIGITS = {"float64": 53, "float32": 24, "float16": 11, "bfloat16": 8}


def _bits(key, draw, shape: tuple[int, ...]) -> np.ndarray:
    numbers = np.arange(int(np.prod(shape)), dtype=np.uint64).reshape(shape)
    return philox_bits(np.asarray(key).astype(np.uint64), np.asarray(draw).astype(np.uint64), numbers)


def _midpoints(key, draw, shape) -> np.ndarray:
    return ((_bits(key, draw, shape) >> np.uint64(12)).astype(F64) + 0.5) * 2.0**-52


def _uniform(key, draw, shape, dtype=F64) -> np.ndarray:
    digits = _DIGITS[np.dtype(dtype).name]
    high = (_bits(key, draw, shape) >> np.uint64(64 - digits)).astype(dtype)
    return high * np.asarray(2.0**-digits, dtype=dtype)


def _shape(attrs: Attrs, shape_of: ShapeOf, *parts: Any) -> tuple[int, ...]:
    if "shape" in attrs:
        return shape_of(attrs["shape"])
    return np.broadcast_shapes(*(np.shape(part) for part in parts))


def _draw(sample):
    """A draw without parameters: `sample(key, draw, shape, dtype)`."""

    def prepare(attrs: Attrs, shape_of: ShapeOf):
        dtype = numpy_dtype(attrs.get("dtype", "f64"))
        return lambda key, draw: sample(key, draw, _shape(attrs, shape_of, key, draw), dtype)

    return prepare


def _float_of(x) -> np.dtype:
    dtype = np.asarray(x).dtype
    return dtype if is_float(dtype) else F64


def _variate(sample, dtype_of):
    """A draw by the inverse of its distribution function: `sample(u, parameters in f64)`."""

    def prepare(attrs: Attrs, shape_of: ShapeOf):
        def run(key, draw, *parameters):
            shape = _shape(attrs, shape_of, key, draw, *parameters)
            wide = [np.asarray(x).astype(F64) for x in parameters]
            return cast(sample(_midpoints(key, draw, shape), *wide), dtype_of(*parameters))

        return run

    return prepare


def _normal(key, draw, shape, dtype) -> np.ndarray:
    return SPECIAL["ndtri"](_midpoints(key, draw, shape)).astype(dtype)


def _exponential(key, draw, shape, dtype) -> np.ndarray:
    return (-np.log(_midpoints(key, draw, shape))).astype(dtype)


def _bernoulli(attrs: Attrs, shape_of: ShapeOf):
    def run(key, draw, p):
        return _uniform(key, draw, _shape(attrs, shape_of, key, draw, p)) < np.asarray(p).astype(F64)

    return run


def _softmax(p: np.ndarray) -> np.ndarray:
    e = np.exp(p - p.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def _categorical(attrs: Attrs, shape_of: ShapeOf):
    def run(key, draw, p):
        p = np.asarray(p).astype(F64)
        sums = np.cumsum(_softmax(p) if attrs.get("logits", False) else p, axis=-1)
        u = _uniform(key, draw, _shape(attrs, shape_of, key, draw, p[..., 0]))
        passed = sums <= u[..., None] * sums[..., -1:]
        return np.minimum(passed.sum(axis=-1), p.shape[-1] - 1)

    return run


def _multinomial(attrs: Attrs, shape_of: ShapeOf):
    def run(key, draw, n, p):
        p = np.asarray(p).astype(F64)
        shape = _shape(attrs, shape_of, key, draw, n, p[..., 0])
        stream = (x if np.ndim(x) == 0 else np.expand_dims(x, -1) for x in (key, draw))
        u = _midpoints(*stream, (*shape, p.shape[-1]))
        left = np.flip(np.cumsum(np.flip(p, -1), axis=-1), -1)
        rest, counts = np.broadcast_to(np.asarray(n).astype(F64), shape), []
        for k in range(p.shape[-1] - 1):
            share = np.where(left[..., k] > 0, p[..., k] / left[..., k], 0)
            counts.append(SPECIAL["binomial_quantile"](rest, np.clip(share, 0, 1), u[..., k]))
            rest = rest - counts[-1]
        return cast(np.stack([*counts, rest], axis=-1), I64)

    return run


def _permutation(attrs: Attrs, shape_of: ShapeOf):
    return lambda key, draw: np.argsort(_bits(key, draw, (attrs["n"],)), kind="stable")


def _count(*_parameters: Any) -> np.dtype:
    return I64


TABLE: dict[str, Callable[[Attrs, ShapeOf], Callable[..., Any]]] = {
    "random_bits": _draw(lambda key, draw, shape, dtype: _bits(key, draw, shape)),
    "random_uniform": _draw(_uniform),
    "random_normal": _draw(_normal),
    "random_exponential": _draw(_exponential),
    "random_bernoulli": _bernoulli,
    "random_categorical": _categorical,
    "random_gamma": _variate(lambda u, a: SPECIAL["gammaincinv"](a, u), _float_of),
    "random_beta": _variate(
        lambda u, a, b: SPECIAL["betaincinv"](a, b, u), lambda a, b: promote(_float_of(a), _float_of(b))
    ),
    "random_poisson": _variate(lambda u, mean: SPECIAL["poisson_quantile"](mean, u), _count),
    "random_binomial": _variate(lambda u, n, p: SPECIAL["binomial_quantile"](n, p, u), _count),
    "random_multinomial": _multinomial,
    "random_permutation": _permutation,
}
