"""The special functions that SciPy has, computed in f64 and rounded; it is needed for these alone.

The slopes of the incomplete functions in their parameters are central differences with Richardson's
extrapolation: about ten digits.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..errors import GraphError


def _scipy() -> Any:
    try:
        from scipy import special
    except ImportError:
        raise GraphError("evaluating this operator in Python needs SciPy") from None
    return special


def _from_scipy(name: str) -> Callable[..., np.ndarray]:
    def apply(*operands):
        wide = [np.asarray(x).astype(np.float64) for x in operands]
        return np.asarray(getattr(_scipy(), name)(*wide)).astype(np.asarray(operands[0]).dtype)

    return apply


def _polygamma(n, x):
    n, x = np.broadcast_arrays(n, x)
    wide = _scipy().polygamma(np.where(n == np.floor(n), n, 0), x.astype(np.float64))
    return np.where((n >= 0) & (n == np.floor(n)), wide, np.nan).astype(x.dtype)


def _trigamma(x):
    return _scipy().polygamma(1, np.asarray(x).astype(np.float64)).astype(np.asarray(x).dtype)


def _slope(name: str, which: int) -> Callable[..., np.ndarray]:
    def apply(*operands):
        dtype = np.asarray(operands[0]).dtype
        wide = [np.asarray(x).astype(np.float64) for x in operands]
        function, step = getattr(_scipy(), name), 1e-3 * wide[which]

        def difference(h):
            above = function(*wide[:which], wide[which] + h, *wide[which + 1 :])
            below = function(*wide[:which], wide[which] - h, *wide[which + 1 :])
            return (above - below) / (2 * h)

        once, half, quarter = difference(step), difference(step / 2), difference(step / 4)
        first, second = (4 * half - once) / 3, (4 * quarter - half) / 3
        return np.asarray((16 * second - first) / 15).astype(dtype)

    return apply


def _poisson_quantile(mean, p):
    from scipy import stats

    return np.asarray(stats.poisson.ppf(p, mean)).astype(np.asarray(mean).dtype)


def _binomial_quantile(n, chance, p):
    from scipy import stats

    return np.asarray(stats.binom.ppf(p, n, chance)).astype(np.asarray(n).dtype)


NAMES = (
    "erfcx erfinv erfcinv ndtr log_ndtr ndtri gammainc gammaincc betainc gammaincinv betaincinv"
    " i0 i1 i0e i1e ive kve"
).split()
TABLE: dict[str, Callable[..., np.ndarray]] = {
    **{name: _from_scipy(name) for name in NAMES},
    "trigamma": _trigamma,
    "polygamma": _polygamma,
    "poisson_quantile": _poisson_quantile,
    "binomial_quantile": _binomial_quantile,
    "gammainc_grad": _slope("gammainc", 0),
    "betainc_grad_a": _slope("betainc", 0),
    "betainc_grad_b": _slope("betainc", 1),
}
