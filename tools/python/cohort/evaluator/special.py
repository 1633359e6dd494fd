"""Functions NumPy lacks, computed element by element in double precision and rounded once."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

_LN2 = math.log(2.0)


def _elementwise(function):
    """A NumPy function from one on Python floats; narrower floats are computed in f64 and rounded."""
    wide = np.frompyfunc(function, 1, 1)

    def apply(x):
        x = np.asarray(x)
        return np.asarray(wide(x.astype(np.float64)), dtype=np.float64).astype(x.dtype)

    return apply


def _gammaln(x: float) -> float:
    if math.isnan(x):
        return x
    if math.isinf(x) or (x <= 0 and x == math.floor(x)):
        return math.inf
    return math.lgamma(x)


# Coefficients B_2k / (2k) of the asymptotic series of digamma, Abramowitz and Stegun 6.3.18.
_DIGAMMA_SERIES = (1 / 12, -1 / 120, 1 / 252, -1 / 240, 1 / 132, -691 / 32760, 1 / 12)
_DIGAMMA_ROOT = 1.4616321449683623


def _digamma(x: float) -> float:
    if math.isnan(x) or x == math.inf:
        return x
    if x == 0:
        return math.copysign(math.inf, -x)
    if x < 0:
        if x == -math.inf or x == math.floor(x):
            return math.nan
        return _digamma(1 - x) - math.pi / math.tan(math.pi * math.fmod(x, 1.0))
    shift = []
    while x < 10:
        shift.append(-1 / x)
        x += 1
    square = 1 / (x * x)
    tail = [-coefficient * square ** (k + 1) for k, coefficient in enumerate(_DIGAMMA_SERIES)]
    return math.fsum([math.log(x), -0.5 / x, *tail, *shift])


def _nan_safe(function):
    return lambda x: x if math.isnan(x) else function(x)


erf = _elementwise(_nan_safe(math.erf))
erfc = _elementwise(_nan_safe(math.erfc))
gammaln = _elementwise(_gammaln)
digamma = _elementwise(_digamma)


def sigmoid(x):
    """1 / (1 + exp(-x)) without overflow."""
    e = np.exp(-np.abs(x))
    return np.where(x >= 0, 1 / (1 + e), e / (1 + e)).astype(e.dtype)


def softplus(x):
    """log(1 + exp(x)) without overflow."""
    return np.logaddexp(x, np.zeros_like(x))


def log1mexp(x):
    """log(1 - exp(x)) for x < 0 (Maechler 2012: the switch at -log 2 keeps both branches accurate)."""
    return np.where(x > -_LN2, np.log(-np.expm1(x)), np.log1p(-np.exp(x))).astype(np.asarray(x).dtype)


def xlogy(x, y):
    """x * log(y), 0 where x is 0 and y is not NaN."""
    x, y = np.broadcast_arrays(x, y)
    return np.where((x == 0) & ~np.isnan(y), np.zeros_like(x), x * np.log(y))


def philox_bits(key, draw, element):
    """The first two words of a block of Philox4x32-10 with counter (element, draw) and this key."""
    word = np.uint64(0xFFFFFFFF)
    wide = [np.asarray(x).astype(np.uint64) for x in (element, draw, key)]
    half = np.uint64(32)
    (c0, c2, k0), (c1, c3, k1) = [x & word for x in wide], [x >> half for x in wide]
    for _ in range(10):
        first, third = c0 * np.uint64(0xD2511F53), c2 * np.uint64(0xCD9E8D57)
        c0, c1, c2, c3 = (third >> half) ^ c1 ^ k0, third & word, (first >> half) ^ c3 ^ k1, first & word
        k0, k1 = (k0 + np.uint64(0x9E3779B9)) & word, (k1 + np.uint64(0xBB67AE85)) & word
    return (c0 | c1 << half).astype(np.asarray(key).dtype)


def _fma_exact(a: float, b: float, c: float) -> float:
    if not (math.isfinite(a) and math.isfinite(b) and math.isfinite(c)):
        if math.isinf(c) and math.isfinite(a) and math.isfinite(b):
            return c
        return a * b + c
    exact = Fraction(a) * Fraction(b) + Fraction(c)
    if exact == 0:
        return a * b + c if a * b == 0 else 0.0
    try:
        return float(exact)
    except OverflowError:
        return math.copysign(math.inf, exact)


_fma64 = np.frompyfunc(_fma_exact, 3, 1)


def fma(a, b, c):
    """a * b + c rounded once."""
    dtype = np.asarray(a).dtype
    if dtype == np.float64:
        return np.asarray(_fma64(a, b, c), dtype=np.float64)
    return _round_to_odd_sum(np.multiply(a, b, dtype=np.float64), np.asarray(c, dtype=np.float64)).astype(
        dtype
    )


def _round_to_odd_sum(p, c):
    """p + c in f64, rounded to odd, so that rounding it again to f32 or f16 gives the exact sum rounded
    once."""
    total = np.asarray(p + c)
    back = total - p
    error = (p - (total - back)) + (c - back)
    inexact = np.isfinite(total) & (error != 0) & ((total.view(np.int64) & 1) == 0)
    return np.where(inexact, np.nextafter(total, np.where(error > 0, np.inf, -np.inf)), total)
