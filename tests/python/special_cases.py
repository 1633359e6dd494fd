"""Cases of the special functions, with SciPy's values; those of the slopes from mpmath."""

from __future__ import annotations

import numpy as np
from op_cases import FLOATS, RNG, case, eps
from scipy import special, stats

from cohort.evaluator import randoms

UNARY = {
    "trigamma": (lambda x: special.polygamma(1, x), (0.1, 30), 16),
    "erfcx": (special.erfcx, (-5, 30), 16),
    "erfinv": (special.erfinv, (-0.99, 0.99), 32),
    "erfcinv": (special.erfcinv, (0.01, 1.9), 32),
    "ndtr": (special.ndtr, (-8, 8), 64),
    "log_ndtr": (special.log_ndtr, (-30, 3), 64),
    "ndtri": (special.ndtri, (0.001, 0.999), 64),
    "i0": (special.i0, (-20, 20), 32),
    "i1": (special.i1, (-20, 20), 32),
    "i0e": (special.i0e, (-20, 20), 32),
    "i1e": (special.i1e, (-20, 20), 32),
}
BINARY = {
    "gammainc": (special.gammainc, (0.1, 30), (0.1, 30), 256),
    "gammaincc": (special.gammaincc, (0.1, 30), (0.1, 30), 256),
    "ive": (special.ive, (0, 5), (0.1, 30), 256),
    "kve": (special.kve, (0, 5), (0.1, 30), 256),
}


def random(dtype, shape, span) -> np.ndarray:
    return RNG.uniform(*span, size=shape).astype(dtype)


def wide(reference, *operands):
    value = reference(*(x.astype(np.float64) for x in operands))
    return np.asarray(value).astype(operands[0].dtype)


def special_cases() -> None:
    for dtype in FLOATS:
        for op, (reference, span, factor) in UNARY.items():
            for shape in ((), (17,), (0,)):
                x = random(dtype, shape, span)
                case(op, [x], wide(reference, x), eps(dtype, factor))
        for op, (reference, first, second, factor) in BINARY.items():
            for shapes in (((), ()), ((17,), (17,)), ((3, 1), (5,))):
                a, b = random(dtype, shapes[0], first), random(dtype, shapes[1], second)
                case(op, [a, b], wide(reference, a, b), eps(dtype, factor))
        n, x = np.arange(6, dtype=dtype)[:, None], random(dtype, (7,), (0.2, 20))
        expected = special.polygamma(n.astype(int), x.astype(np.float64)).astype(dtype)
        case("polygamma", [n, x], expected, eps(dtype, 64))
        a, b, x = random(dtype, (17,), (0.1, 20)), random(dtype, (17,), (0.1, 20)), random(dtype, (17,), (0.05, 0.95))
        case("betainc", [a, b, x], wide(special.betainc, a, b, x), eps(dtype, 256))
    # Derivatives in the parameters at chosen points.
    a, x = np.array([0.5, 5.0, 100.0, 1000.0]), np.array([0.2, 5.5, 100.0, 1010.0])
    slopes = [-0.8201614064863388, -0.16890726746532211, -0.03992749785778605, -0.011945731337225441]
    case("gammainc_grad", [a, x], np.array(slopes), 1e-8)
    a, b, x = np.array([0.5, 2.0, 20.0]), np.array([0.5, 3.0, 30.0]), np.array([0.3, 0.4, 0.4])
    slopes = [-0.6428114811572838, -0.24086937608755657, -0.06977511922457008]
    case("betainc_grad_a", [a, b, x], np.array(slopes), 1e-8)
    slopes = [0.46874458391550544, 0.15634433641359877, 0.04638767884524421]
    case("betainc_grad_b", [a, b, x], np.array(slopes), 1e-8)

    u = RNG.uniform(size=(17,))
    a, b = RNG.uniform(0.1, 20, size=17), RNG.uniform(0.1, 20, size=17)
    case("gammaincinv", [a, u], special.gammaincinv(a, u), 1e-12)
    case("betaincinv", [a, b, u], special.betaincinv(a, b, u), 1e-12)
    case("poisson_quantile", [20 * a, u], stats.poisson.ppf(u, 20 * a))
    n, chance = np.arange(17.0), RNG.uniform(size=17)
    case("binomial_quantile", [n, chance, u], stats.binom.ppf(u, n, chance))


def random_cases() -> None:
    """Known answers of the bits; the rest against the evaluator, whose samples test_random.py judges."""
    # Random123's known answers for counters and keys of zeros and of ones.
    ones = np.uint64(2**64 - 1)
    zero = np.uint64(0)
    words = np.array([0xE169C58D6627E8D5, 0x41C83B0E408F276D], np.uint64)
    case("philox_bits", [np.array([zero, ones])] * 3, words)
    key, draw = np.uint64(12345), np.uint64(7)
    for op, attrs in (("random_bits", {}), ("random_uniform", {}), ("random_uniform", {"dtype": "f32"})):
        expected = randoms.TABLE[op](dict(attrs, shape=[3, 5]), tuple)(key, draw)
        case(op, [key, draw], expected, shape=[3, 5], **attrs)
    case("random_permutation", [key, draw], randoms.TABLE["random_permutation"]({"n": 20}, tuple)(key, draw), n=20)
    weights = np.array([[0.2, 0.0, 0.8], [1.0, 2.0, 3.0]])
    samples = {
        "random_normal": [],
        "random_exponential": [],
        "random_bernoulli": [np.array([0.0, 0.3, 1.0])],
        "random_categorical": [weights],
        "random_gamma": [np.array([0.3, 1.0, 50.0])],
        "random_beta": [np.array([0.3, 1.0, 50.0]), np.array([2.0, 1.0, 0.5])],
        "random_poisson": [np.array([0.3, 7.0, 5000.0])],
        "random_binomial": [np.array([5, 40, 1000]), np.array([0.3, 0.9, 0.01])],
        "random_multinomial": [np.array([10, 1000]), weights],
    }
    for op, parameters in samples.items():
        shape = [4, 2] if op in ("random_categorical", "random_multinomial") else [4, 3]
        expected = randoms.TABLE[op]({"shape": shape}, tuple)(key, draw, *parameters)
        case(op, [key, draw, *parameters], expected, 1e-12 if expected.dtype.kind == "f" else 0.0, shape=shape)
    keys = np.arange(4, dtype=np.uint64)[:, None]
    expected = randoms.TABLE["random_uniform"]({"shape": [4, 5]}, tuple)(keys, draw)
    case("random_uniform", [keys, draw], expected, shape=[4, 5])


with np.errstate(all="ignore"):
    special_cases()
    random_cases()
