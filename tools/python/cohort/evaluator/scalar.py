"""The scalar operators with NumPy: one table row each, like `ir/ops.def`.

`prepare(op)` gives a function of the operands. Literals arrive as Python scalars and take the dtype they
meet; operands of unequal dtype are cast to the promoted one. Which casts a node needs is found at its first
call and kept: operand dtypes never change between calls.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..dtypes import BOOL, F64, I64, NARROW_FLOATS, is_float, is_integer, promote
from ..errors import GraphError
from . import special, special_functions


def literal_dtype(literals: list[Any], meets: list[np.dtype]) -> np.dtype:
    """The common dtype of literals (weak) and the operands they meet."""
    kinds = {type(value) for value in literals}
    if meets:
        dtype = promote(*meets)
        if float in kinds and not is_float(dtype):
            return F64
        if int in kinds and dtype == BOOL:
            return I64
        return dtype
    return F64 if float in kinds else I64 if int in kinds else BOOL


def unify(operands: tuple[Any, ...]) -> list[np.ndarray]:
    """The operands cast to their common dtype."""
    plan = _plan(operands)
    return [
        cast if is_value else np.asarray(operand, dtype=cast)
        for operand, (is_value, cast) in zip(operands, plan)
    ]


def _plan(operands: tuple[Any, ...], to_float: bool = False) -> list[tuple[bool, Any]]:
    """For each operand (True, the literal as an array) or (False, the dtype to cast to)."""
    literals = [
        value for value in operands if isinstance(value, (bool, int, float)) and not hasattr(value, "dtype")
    ]
    arrays = [value.dtype for value in operands if hasattr(value, "dtype")]
    dtype = literal_dtype(literals, arrays)
    if to_float and not is_float(dtype):
        dtype = F64
    plan: list[tuple[bool, Any]] = []
    for value in operands:
        if hasattr(value, "dtype"):
            plan.append((False, dtype))
        else:
            plan.append((True, _literal(value, dtype)))
    return plan


def _literal(value: Any, dtype: np.dtype) -> np.ndarray:
    try:
        return np.array(value, dtype=dtype)
    except OverflowError:
        raise GraphError(f"the literal {value} does not fit the dtype it meets") from None


def _integer_power(a, b):
    """Wrapping power; a negative exponent gives the reciprocal truncated (1, -1 or 0; 0 to a negative power
    is 0)."""
    if not is_integer(a.dtype) or a.dtype.kind == "u" or not (b < 0).any():
        return np.power(a, b)
    power = np.power(a, np.maximum(b, 0))
    odd = (b & 1) == 1
    inverse = np.where(a == 1, 1, np.where(a == -1, np.where(odd, -1, 1), 0)).astype(a.dtype)
    return np.where(b < 0, inverse, power)


def _power(a, b):
    return _integer_power(np.asarray(a), np.asarray(b)) if a.dtype.kind in "iu" else np.power(a, b)


def cast(x, dtype: np.dtype) -> np.ndarray:
    """Conversion; from float to integer it truncates and saturates, NaN gives 0."""
    x = np.asarray(x)
    if not (is_float(x.dtype) and is_integer(dtype)):
        return (x != 0) if dtype == BOOL else x.astype(dtype)
    info = np.iinfo(dtype)
    wide = x.astype(np.float64)
    limit = float(info.max)  # rounds up to a power of two for 64 bits
    inside = np.isfinite(wide) & (wide < limit) & (wide > float(info.min))
    whole = np.where(inside, wide, 0.0).astype(dtype)
    saturated = np.where(wide >= limit, info.max, np.where(wide <= float(info.min), info.min, 0))
    return np.where(inside, whole, saturated.astype(dtype))


def _minimum(a, b):
    """The lesser; of two zeros -0 if either is."""
    lesser = np.minimum(a, b)
    return lesser if a.dtype.kind in "iub" else np.where((a == 0) & (b == 0), -((-a) + (-b)), lesser)


def _maximum(a, b):
    """The greater; of two zeros +0 if either is."""
    greater = np.maximum(a, b)
    return greater if a.dtype.kind in "iub" else np.where((a == 0) & (b == 0), a + b, greater)


def _rint(x):
    return x if x.dtype.kind in "iub" else np.rint(x)


def _round_down(function):
    return lambda x: x if x.dtype.kind in "iub" else function(x)


_ANY, _FLOAT, _LOGICAL = "any", "float", "logical"

# name: (operand rule, function). `any` promotes, `float` promotes to a float, `logical` casts to bool.
TABLE: dict[str, tuple[str, Callable[..., Any]]] = {
    "add": (_ANY, np.add),
    "sub": (_ANY, np.subtract),
    "mul": (_ANY, np.multiply),
    "true_div": (_FLOAT, np.true_divide),
    "floor_div": (_ANY, np.floor_divide),
    "mod": (_ANY, np.mod),
    "neg": (_ANY, np.negative),
    "reciprocal": (_FLOAT, lambda x: 1 / x),
    "pow": (_ANY, _power),
    "square": (_ANY, np.square),
    "sqrt": (_FLOAT, np.sqrt),
    "cbrt": (_FLOAT, np.cbrt),
    "abs": (_ANY, np.abs),
    "sign": (_ANY, np.sign),
    "min": (_ANY, _minimum),
    "max": (_ANY, _maximum),
    "clip": (_ANY, lambda x, low, high: _minimum(_maximum(x, low), high)),
    "eq": (_ANY, np.equal),
    "ne": (_ANY, np.not_equal),
    "lt": (_ANY, np.less),
    "le": (_ANY, np.less_equal),
    "gt": (_ANY, np.greater),
    "ge": (_ANY, np.greater_equal),
    "and": (_LOGICAL, np.logical_and),
    "or": (_LOGICAL, np.logical_or),
    "xor": (_LOGICAL, np.logical_xor),
    "not": (_LOGICAL, np.logical_not),
    "bit_and": (_ANY, np.bitwise_and),
    "bit_or": (_ANY, np.bitwise_or),
    "bit_xor": (_ANY, np.bitwise_xor),
    "bit_not": (_ANY, np.invert),
    "philox_bits": (_ANY, special.philox_bits),
    "shift_left": (_ANY, np.left_shift),
    "shift_right": (_ANY, np.right_shift),
    "isnan": (_FLOAT, np.isnan),
    "isinf": (_FLOAT, np.isinf),
    "isfinite": (_FLOAT, np.isfinite),
    "floor": (_ANY, _round_down(np.floor)),
    "ceil": (_ANY, _round_down(np.ceil)),
    "trunc": (_ANY, _round_down(np.trunc)),
    "round": (_ANY, _rint),
    "rint": (_ANY, _rint),
    "exp": (_FLOAT, np.exp),
    "exp2": (_FLOAT, np.exp2),
    "expm1": (_FLOAT, np.expm1),
    "log": (_FLOAT, np.log),
    "log2": (_FLOAT, np.log2),
    "log10": (_FLOAT, np.log10),
    "log1p": (_FLOAT, np.log1p),
    "sin": (_FLOAT, np.sin),
    "cos": (_FLOAT, np.cos),
    "tan": (_FLOAT, np.tan),
    "asin": (_FLOAT, np.arcsin),
    "acos": (_FLOAT, np.arccos),
    "atan": (_FLOAT, np.arctan),
    "atan2": (_FLOAT, np.arctan2),
    "sinh": (_FLOAT, np.sinh),
    "cosh": (_FLOAT, np.cosh),
    "tanh": (_FLOAT, np.tanh),
    "asinh": (_FLOAT, np.arcsinh),
    "acosh": (_FLOAT, np.arccosh),
    "atanh": (_FLOAT, np.arctanh),
    "sigmoid": (_FLOAT, special.sigmoid),
    "softplus": (_FLOAT, special.softplus),
    "relu": (_ANY, lambda x: _maximum(x, np.zeros_like(x))),
    "log1mexp": (_FLOAT, special.log1mexp),
    "logaddexp": (_FLOAT, np.logaddexp),
    "xlogy": (_FLOAT, special.xlogy),
    "erf": (_FLOAT, special.erf),
    "erfc": (_FLOAT, special.erfc),
    "gammaln": (_FLOAT, special.gammaln),
    "digamma": (_FLOAT, special.digamma),
    "copysign": (_FLOAT, np.copysign),
    "nextafter": (_FLOAT, np.nextafter),
    "hypot": (_FLOAT, np.hypot),
    "fma": (_FLOAT, special.fma),
    **{name: (_FLOAT, function) for name, function in special_functions.TABLE.items()},
}


def prepare(op: str) -> Callable[..., np.ndarray]:
    """The operator as a function of its operands."""
    if op == "where":
        return _where
    rule, function = TABLE[op]
    if rule == _LOGICAL:
        return lambda *operands: function(*(np.asarray(value, dtype=bool) for value in operands))
    return _Elementwise(function, rule == _FLOAT)


def _where(condition, a, b):
    a, b = unify((a, b))
    return np.where(condition, a, b)


class _Elementwise:
    """A scalar operator with the casts of one node."""

    def __init__(self, function: Callable[..., Any], to_float: bool) -> None:
        self._function = function
        self._to_float = to_float
        self._casts: list[tuple[int, bool, Any]] | None = None

    def __call__(self, *operands: Any) -> np.ndarray:
        if self._casts is None:
            plan = _plan(operands, self._to_float)
            self._casts = [
                (index, is_literal, cast)
                for index, (is_literal, cast) in enumerate(plan)
                if is_literal or operands[index].dtype != cast
            ]
        if self._casts:
            changed = list(operands)
            for index, is_literal, cast_to in self._casts:
                changed[index] = cast_to if is_literal else np.asarray(operands[index], dtype=cast_to)
            operands = tuple(changed)
        result = self._function(*operands)
        if operands[0].dtype in NARROW_FLOATS and result.dtype not in (BOOL, operands[0].dtype):
            return result.astype(operands[0].dtype)
        return result
