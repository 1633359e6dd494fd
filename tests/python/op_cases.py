"""Operator cases: small operand sets for every operator, with results from plain NumPy and SciPy.

`CASES` maps an operator to its cases. A case holds operands (arrays become inputs of a function, Python
scalars literals), attributes and the expected results. The same cases run on the NumPy evaluator, the
interpreter and compiled code.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import ml_dtypes
import numpy as np
from scipy import special

RNG = np.random.RandomState(12345)


@dataclass
class Case:
    """One call of an operator. `rtol` is relative to the expected value; 0 means equal."""

    op: str
    operands: list[Any]
    expected: list[np.ndarray]
    attrs: dict[str, Any] = field(default_factory=dict)
    rtol: float = 0.0
    error: str = ""


CASES: dict[str, list[Case]] = {}


def case(op: str, operands: list[Any], expected: Any, rtol: float = 0.0, **attrs: Any) -> None:
    """Adds a case; `expected` is an array, a tuple of arrays, or an exception's text."""
    if isinstance(expected, str):
        CASES.setdefault(op, []).append(Case(op, operands, [], attrs, rtol, expected))
        return
    results = list(expected) if isinstance(expected, tuple) else [expected]
    CASES.setdefault(op, []).append(Case(op, operands, [np.asarray(x) for x in results], attrs, rtol))


SPECIAL = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    np.inf,
    -np.inf,
    np.nan,
    0.5,
    -0.5,
    1.5,
    2.5,
    1e-40,
    1e-300,
    1e300,
    3.0,
    -7.25,
]
FLOATS = (np.float32, np.float64)
INTEGERS = (np.int8, np.int32, np.int64, np.uint8, np.uint64)
SHAPES = ((), (1,), (7,), (17,), (0,), (3, 5), (2, 0, 3))


def specials(dtype) -> np.ndarray:
    with np.errstate(over="ignore"):
        return np.array(SPECIAL).astype(dtype)


def normal(dtype, shape, low=-3.0, high=3.0) -> np.ndarray:
    return RNG.uniform(low, high, size=shape).astype(dtype)


def integers(dtype, shape) -> np.ndarray:
    info = np.iinfo(dtype)
    low = max(info.min, -100)
    return RNG.randint(low, min(info.max, 100), size=shape).astype(dtype)


def extremes(dtype) -> np.ndarray:
    info = np.iinfo(dtype)
    return np.unique(np.array([0, 1, 2, 3, 5, info.max, info.max - 1, info.min, info.min + 1], dtype=dtype))


def rounded(reference: Callable, factor: float, *operands: np.ndarray) -> np.ndarray:
    """The reference's value; inexact functions of f32 are computed in f64 and rounded."""
    if factor == 0:
        return reference(*operands)
    return np.asarray(reference(*(x.astype(np.float64) for x in operands))).astype(operands[0].dtype)


def eps(dtype, factor: float) -> float:
    return 0.0 if factor == 0 else factor * float(np.finfo(dtype).eps)


def log1mexp(x):
    return np.where(x > -0.5, np.log(-np.expm1(x)), np.log1p(-np.exp(x)))


# op: (reference, domain, tolerance in eps, whether infinities and NaN are tried too)
UNARY: dict[str, tuple[Callable, tuple[float, float], float]] = {
    "neg": (np.negative, (-3, 3), 0),
    "reciprocal": (lambda x: 1 / x, (0.1, 3), 0),
    "square": (lambda x: x * x, (-3, 3), 0),
    "sqrt": (np.sqrt, (0, 9), 0),
    "cbrt": (np.cbrt, (-9, 9), 4),
    "abs": (np.abs, (-3, 3), 0),
    "sign": (np.sign, (-3, 3), 0),
    "isnan": (np.isnan, (-3, 3), 0),
    "isinf": (np.isinf, (-3, 3), 0),
    "isfinite": (np.isfinite, (-3, 3), 0),
    "floor": (np.floor, (-3, 3), 0),
    "ceil": (np.ceil, (-3, 3), 0),
    "trunc": (np.trunc, (-3, 3), 0),
    "round": (np.round, (-3, 3), 0),
    "rint": (np.rint, (-3, 3), 0),
    "exp": (np.exp, (-20, 20), 4),
    "exp2": (np.exp2, (-20, 20), 4),
    "expm1": (np.expm1, (-2, 2), 4),
    "log": (np.log, (0.01, 100), 4),
    "log2": (np.log2, (0.01, 100), 4),
    "log10": (np.log10, (0.01, 100), 4),
    "log1p": (np.log1p, (-0.9, 10), 4),
    "sin": (np.sin, (-10, 10), 6),
    "cos": (np.cos, (-10, 10), 6),
    "tan": (np.tan, (-1.5, 1.5), 6),
    "asin": (np.arcsin, (-1, 1), 6),
    "acos": (np.arccos, (-1, 0.99), 6),
    "atan": (np.arctan, (-10, 10), 6),
    "sinh": (np.sinh, (-5, 5), 6),
    "cosh": (np.cosh, (-5, 5), 6),
    "tanh": (np.tanh, (-5, 5), 6),
    "asinh": (np.arcsinh, (-5, 5), 6),
    "acosh": (np.arccosh, (1.01, 9), 6),
    "atanh": (np.arctanh, (-0.99, 0.99), 6),
    "sigmoid": (special.expit, (-20, 20), 6),
    "softplus": (lambda x: np.logaddexp(x, x.dtype.type(0)), (-20, 20), 6),
    "relu": (lambda x: np.maximum(x, x.dtype.type(0)), (-3, 3), 0),
    "log1mexp": (log1mexp, (-20, -0.01), 8),
    "erf": (special.erf, (-4, 4), 8),
    "erfc": (special.erfc, (-4, 4), 16),
    "gammaln": (special.gammaln, (2.5, 30), 16),
    "digamma": (special.digamma, (2, 30), 16),
}

# Where the reference itself is undefined or differs by convention, special values are left out.
NO_SPECIALS = {"gammaln", "digamma", "log1mexp", "sign", "relu"}
BINARY_FLOAT: dict[str, tuple[Callable, float]] = {
    "add": (np.add, 0),
    "sub": (np.subtract, 0),
    "mul": (np.multiply, 0),
    "true_div": (np.true_divide, 0),
    "floor_div": (np.floor_divide, 0),
    "mod": (np.mod, 0),
    "pow": (np.power, 8),
    "min": (np.minimum, 0),
    "max": (np.maximum, 0),
    "eq": (np.equal, 0),
    "ne": (np.not_equal, 0),
    "lt": (np.less, 0),
    "le": (np.less_equal, 0),
    "gt": (np.greater, 0),
    "ge": (np.greater_equal, 0),
    "atan2": (np.arctan2, 6),
    "logaddexp": (np.logaddexp, 6),
    "xlogy": (special.xlogy, 6),
    "copysign": (np.copysign, 0),
    "nextafter": (np.nextafter, 0),
    "hypot": (np.hypot, 4),
}
BINARY_INTEGER = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "floor_div": np.floor_divide,
    "mod": np.mod,
    "min": np.minimum,
    "max": np.maximum,
    "eq": np.equal,
    "ne": np.not_equal,
    "lt": np.less,
    "le": np.less_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
    "bit_and": np.bitwise_and,
    "bit_or": np.bitwise_or,
    "bit_xor": np.bitwise_xor,
}


def unary_cases() -> None:
    for op, (reference, (low, high), factor) in UNARY.items():
        for dtype in FLOATS:
            for shape in SHAPES:
                x = normal(dtype, shape, low, high)
                case(op, [x], rounded(reference, factor, x), eps(dtype, factor))
            if op not in NO_SPECIALS:
                x = specials(dtype)
                if op == "trunc" or factor:  # huge arguments of periodic functions are their own subject
                    x = x[np.isnan(x) | np.isinf(x) | (np.abs(x) < 100)]
                case(op, [x], rounded(reference, factor, x), eps(dtype, factor))
    for dtype in INTEGERS:
        x = extremes(dtype)
        for op, reference in {
            "square": np.square,
            "abs": np.abs,
            "sign": np.sign,
            "neg": np.negative,
        }.items():
            if not (dtype in (np.uint8, np.uint64) and op in ("neg",)):
                case(op, [x], reference(x))
        case("bit_not", [x], ~x)
    case("sqrt", [np.array([0, 1, 4, 9], np.int32)], np.array([0.0, 1, 2, 3]))
    case("exp", [np.array([True, False])], np.exp(np.array([1.0, 0.0])), eps(np.float64, 4))
    case("not", [np.array([True, False])], np.array([False, True]))
    case("bit_not", [np.array([True, False])], np.array([False, True]))
    case("gammaln", [np.array([0.5, 1.0, -0.5, np.inf])], special.gammaln([0.5, 1.0, -0.5, np.inf]), 1e-14)
    case("digamma", [np.array([0.5, 1.0, -0.5, 10.0])], special.digamma([0.5, 1.0, -0.5, 10.0]), 1e-14)
    case("sigmoid", [np.array([-800.0, 800.0, np.nan])], np.array([0.0, 1.0, np.nan]))
    case("softplus", [np.array([800.0, -800.0])], np.array([800.0, 0.0]))
    case("relu", [np.array([np.nan, -1.0, 2.0, np.inf])], np.array([np.nan, 0.0, 2.0, np.inf]))
    case("log1mexp", [np.array([-1e-20])], np.array([-46.0517018598809]), 1e-14)


def binary_cases() -> None:
    pairs = [
        ((), ()),
        ((7,), (7,)),
        ((17,), ()),
        ((3, 1), (1, 5)),
        ((0,), (1,)),
        ((2, 3, 5), (3, 1)),
        ((4, 0), (4, 1)),
    ]
    for op, (reference, factor) in BINARY_FLOAT.items():
        for dtype in FLOATS:
            for left, right in pairs:
                low = 0.1 if op in ("pow", "xlogy") else -3.0
                a, b = normal(dtype, left, low), normal(dtype, right, 0.1)
                case(op, [a, b], rounded(reference, factor, a, b), eps(dtype, factor))
            x = specials(dtype)
            x = x[np.isnan(x) | (np.abs(x) < 100) | np.isinf(x)]
            a, b = np.repeat(x, len(x)), np.tile(x, len(x))
            if op in ("min", "max"):  # NumPy leaves open which zero it gives
                keep = ~((a == 0) & (b == 0))
                a, b = a[keep], b[keep]
            if op not in ("pow", "xlogy", "mod", "floor_div"):
                case(op, [a, b], rounded(reference, factor, a, b), eps(dtype, factor))
    for op, reference in BINARY_INTEGER.items():
        for dtype in INTEGERS:
            x = extremes(dtype)
            a, b = np.repeat(x, len(x)), np.tile(x, len(x))
            case(op, [a, b], reference(a, b))
            a, b = integers(dtype, (3, 1)), integers(dtype, (1, 5))
            case(op, [a, b], reference(a, b))
    for op, reference in {"and": np.logical_and, "or": np.logical_or, "xor": np.logical_xor}.items():
        a, b = np.array([True, True, False, False]), np.array([True, False, True, False])
        case(op, [a, b], reference(a, b))
    for dtype in INTEGERS:
        a = integers(dtype, (9,))
        b = (np.arange(9) % 7).astype(dtype)
        case("shift_left", [a, b], np.left_shift(a, b))
        case("shift_right", [a, b], np.right_shift(a, b))
    nan, inf = np.nan, np.inf
    case("max", [np.array([0.0, -0.0, -0.0]), np.array([-0.0, 0.0, -0.0])], np.array([0.0, 0.0, -0.0]))
    case("min", [np.array([0.0, -0.0, 0.0]), np.array([-0.0, 0.0, 0.0])], np.array([-0.0, -0.0, 0.0]))
    case("xlogy", [np.array([0.0]), np.array([nan])], np.array([nan]))
    wide = np.array([-5, 5], np.int8)
    case("shift_left", [wide, np.array([8, -1], np.int8)], np.array([0, 0], np.int8))
    case("shift_right", [wide, np.array([8, 9], np.int8)], np.array([-1, 0], np.int8))
    case(
        "mod",
        [np.array([5.0, -1e-17, 5.0, 1.0]), np.array([-inf, 1.0, 3.0, 0.0])],
        np.array([-inf, 1.0, 2.0, nan]),
    )
    case(
        "floor_div",
        [np.array([1.0, -1.0, 7.0, -7.0]), np.array([0.0, 0.0, 2.0, 2.0])],
        np.array([inf, -inf, 3.0, -4.0]),
    )
    case(
        "floor_div",
        [np.array([-7, 7, 5], np.int32), np.array([2, -2, 0], np.int32)],
        np.array([-4, -4, 0], np.int32),
    )
    case(
        "mod",
        [np.array([-7, 7, 3], np.int32), np.array([2, -2, 0], np.int32)],
        np.array([1, -1, 0], np.int32),
    )
    case(
        "pow",
        [np.array([2, 3, -2], np.int8), np.array([6, 4, 7], np.int8)],
        np.array([64, 81, -128], np.int8),
    )
    case("pow", [np.array([2], np.int8), np.array([64], np.int8)], np.array([0], np.int8))
    case("pow", [np.array([0.0, 4.0, -2.0]), 0.5], np.array([0.0, 2.0, nan]), 1e-15)
    case("xlogy", [np.array([0.0, 0.0, 2.0]), np.array([0.0, 2.0, 0.0])], np.array([0.0, 0.0, -inf]))


def literal_cases() -> None:
    x32, x8 = normal(np.float32, 5), integers(np.int8, 5)
    case("add", [x32, 2], x32 + np.float32(2))
    case("mul", [0.1, x32], np.float32(0.1) * x32)
    case("add", [x8, 0.5], x8.astype(np.float64) + 0.5)
    case("add", [x8, 3], x8 + np.int8(3))
    case("add", [np.array([True, False]), 1], np.array([2, 1]))
    case(
        "add",
        [np.float32(1.5) * np.ones(3, np.float32), np.array([1.0, 2.0, 3.0])],
        np.array([2.5, 3.5, 4.5]),
    )
    case("add", [np.array([1], np.int64), np.array([1], np.uint64)], np.array([2.0]))
    case("where", [np.array([True, False]), x32[:2], 0.0], np.array([x32[0], 0], np.float32))
    case("log", [2.0 / 2], np.array(0.0))


def ternary_cases() -> None:
    for dtype in FLOATS:
        x, low, high = specials(dtype), dtype(-1), dtype(1.5)
        case("clip", [x, low, high], np.clip(x, low, high))
        condition = RNG.uniform(size=(3, 1)) < 0.5
        a, b = normal(dtype, (3, 5)), normal(dtype, (5,))
        case("where", [condition, a, b], np.where(condition, a, b))
        case("where", [np.zeros((0,), bool), np.zeros((0,), dtype), dtype(1)], np.zeros((0,), dtype))
        a, b, c = (normal(dtype, 17) for _ in range(3))
        wide = np.longdouble
        exact = (a.astype(wide) * b.astype(wide) + c.astype(wide)).astype(dtype)
        case("fma", [a, b, c], exact, eps(dtype, 2))
    tiny = 2.0**-60
    case("fma", [np.array([1 + 2.0**-30]), np.array([1 - 2.0**-30]), np.array([-1.0])], np.array([-tiny]))
    case("clip", [np.array([1, 5, 9], np.int32), 2, 6], np.array([2, 5, 6], np.int32))
    case(
        "clip",
        [np.array([1.0, np.nan]), np.array([np.nan, 0.0]), np.array([2.0, 2.0])],
        np.array([np.nan, np.nan]),
    )


def cast_cases() -> None:
    x = np.array([0.0, 1.9, -1.9, 300.0, -300.0, np.nan, np.inf, -np.inf, 1e30])
    case("cast", [x], np.array([0, 1, -1, 127, -128, 0, 127, -128, 127], np.int8), dtype="i8")
    case("cast", [x], np.array([0, 1, 0, 255, 0, 0, 255, 0, 255], np.uint8), dtype="u8")
    big = np.iinfo(np.int64)
    case("cast", [x], np.array([0, 1, -1, 300, -300, 0, big.max, big.min, big.max]), dtype="i64")
    case("cast", [x], x != 0, dtype="bool")
    case("cast", [x], x.astype(np.float32), dtype="f32")
    case(
        "cast",
        [np.array([1.0, 65519.0, 65520.0, 1e-8])],
        np.array([1, 65504, np.inf, 0], np.float16),
        dtype="f16",
    )
    case("cast", [np.array([True, False])], np.array([1.0, 0.0]), dtype="f64")
    case("cast", [np.array([300, -1, 2**40])], np.array([44, -1, 0], np.int8), dtype="i8")
    case("cast", [np.zeros((0, 3))], np.zeros((0, 3), np.int32), dtype="i32")


def half_cases() -> None:
    """Halves are computed in f32 and rounded; `f16` with `bf16` is `f32`."""
    for dtype in (np.float16, ml_dtypes.bfloat16):
        x, y = normal(np.float32, 19).astype(dtype), normal(np.float32, 19, 0.1).astype(dtype)
        wide_x, wide_y = x.astype(np.float32), y.astype(np.float32)
        near = float(ml_dtypes.finfo(dtype).eps)
        for op, reference in {
            "add": np.add,
            "mul": np.multiply,
            "true_div": np.true_divide,
            "max": np.maximum,
        }.items():
            case(op, [x, y], reference(wide_x, wide_y).astype(dtype))
        for op, reference in {"exp": np.exp, "tanh": np.tanh, "sigmoid": special.expit}.items():
            case(op, [x], reference(wide_x).astype(dtype), near)
        case("lt", [x, y], wide_x < wide_y)
        case("mul", [x, 0.5], (wide_x * np.float32(0.5)).astype(dtype))
        case("add", [x, np.ones(19, np.float32)], wide_x + 1)
        case("fma", [x, y, y], (wide_x.astype(np.float64) * wide_y + wide_y).astype(dtype), near)
        case("neg", [x], -x)
        case("cast", [x], wide_x.astype(np.int32), dtype="i32")
        case("reduce_sum", [x], wide_x.sum().astype(dtype), near)
        case("reduce_max", [x], x.max())
        case("matmul", [x[:4], y[:4]], np.dot(wide_x[:4], wide_y[:4]).astype(dtype), 4 * near)
        case("concat", [x, y], np.concatenate([x, y]))
        case("where", [wide_x > 0, x, y], np.where(wide_x > 0, x, y))
        case("take", [x, np.array([3, -1])], x[[3, -1]])
        case("sort", [x], np.sort(wide_x).astype(dtype))
    half, brain = np.ones(3, np.float16), np.ones(3, ml_dtypes.bfloat16)
    case("add", [half, brain], np.full(3, 2, np.float32))
    case(
        "cast",
        [np.array([1.0, 1.00390625, 1.01171875, 3.4e38])],
        np.array([1, 1, 1.015625, np.inf]).astype(brain.dtype),
        dtype="bf16",
    )


with np.errstate(all="ignore"):
    unary_cases()
    binary_cases()
    literal_cases()
    ternary_cases()
    cast_cases()
    half_cases()
