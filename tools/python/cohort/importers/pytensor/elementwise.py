"""Elemwise and the scalar operators inside it: one table row for each scalar operator.

A row says in which dtype the operands meet: `same` (that of the result), `joint` (the operands' common one,
the
result is bool) or `float` (that of the result, or f64 where the result is no float).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from pytensor.scalar import basic as scalar
from pytensor.scalar import math as special
from pytensor.tensor.elemwise import Elemwise
from pytensor.tensor.math import MulWithoutZeros
from pytensor.tensor.xlogx import XlogX, XlogY0

from ... import ops
from .arrays import Array

if TYPE_CHECKING:
    from .convert import Conversion

Convert = Callable[["Conversion", list[Array], np.dtype], Array]


def _same(op: str) -> Convert:
    """The operands have the result's dtype."""
    return _named(op, lambda to, arrays, dtype: to.emit.elementwise(op, arrays, dtype))


def _chain(op: str) -> Convert:
    """A two-operand operator on any number of operands."""

    def apply(to: Conversion, arrays: list[Array], dtype: np.dtype) -> Array:
        result = to.emit.cast(arrays[0], dtype)
        for array in arrays[1:]:
            result = to.emit.elementwise(op, [result, array], dtype)
        return result

    return _named(op, apply)


def _joint(op: str) -> Convert:
    """A comparison."""

    def apply(to: Conversion, arrays: list[Array], dtype: np.dtype) -> Array:
        common = np.result_type(*(array.dtype for array in arrays))
        return to.emit.elementwise(op, arrays, common, np.bool_)

    return _named(op, apply)


def _float(op: str) -> Convert:
    """An operator on floats only."""

    def apply(to: Conversion, arrays: list[Array], dtype: np.dtype) -> Array:
        inner = dtype if dtype.kind == "f" else np.dtype(np.float64)
        return to.emit.cast(to.emit.elementwise(op, arrays, inner), dtype)

    return _named(op, apply)


def _float_test(op: str) -> Convert:
    """A test of one float; of integers it asks nothing."""

    def apply(to: Conversion, arrays: list[Array], dtype: np.dtype) -> Array:
        inner = arrays[0].dtype if arrays[0].dtype.kind == "f" else np.dtype(np.float64)
        return to.emit.elementwise(op, arrays, inner, np.bool_)

    return _named(op, apply)


def _bits(logical: str, bitwise: str) -> Convert:
    """Logical on bool, bit by bit on integers."""

    def apply(to: Conversion, arrays: list[Array], dtype: np.dtype) -> Array:
        op = logical if dtype == np.bool_ else bitwise
        result = to.emit.cast(arrays[0], dtype)
        if len(arrays) == 1:
            return to.emit.elementwise(op, [result], dtype)
        for array in arrays[1:]:
            result = to.emit.elementwise(op, [result, array], dtype)
        return result

    return apply


def _rounding(op: str) -> Convert:
    """Integers are round already."""

    def apply(to: Conversion, arrays: list[Array], dtype: np.dtype) -> Array:
        if arrays[0].dtype.kind != "f":
            return to.emit.cast(arrays[0], dtype)
        return to.emit.cast(to.emit.elementwise(op, arrays, arrays[0].dtype), dtype)

    return _named(op, apply)


def _scaled(factor: float) -> Convert:
    return lambda to, arrays, dtype: to.emit.elementwise("mul", [arrays[0], Array.of(factor, dtype)], dtype)


def _named(op: str, apply: Convert) -> Convert:
    apply.needs = op  # type: ignore[attr-defined]
    return apply


def _identity(to: Conversion, arrays: list[Array], dtype: np.dtype) -> Array:
    return to.emit.cast(arrays[0], dtype)


def _second(to: Conversion, arrays: list[Array], dtype: np.dtype) -> Array:
    shape = np.broadcast_shapes(*(array.shape for array in arrays))
    return to.emit.broadcast(to.emit.cast(arrays[1], dtype), shape)


def _switch(to: Conversion, arrays: list[Array], dtype: np.dtype) -> Array:
    condition, a, b = arrays
    if condition.filler is not None:
        shape = np.broadcast_shapes(*(array.shape for array in arrays))
        return to.emit.broadcast(to.emit.cast(a if condition.filler else b, dtype), shape)
    return to.emit.where(condition, a, b, dtype)


def _multiply_without_zeros(to: Conversion, arrays: list[Array], dtype: np.dtype) -> Array:
    """The product in which zeros count as ones."""
    one = Array.of(1, dtype)
    filled = [to.emit.where(_is_zero(to, array), one, array, dtype) for array in arrays]
    return to.emit.elementwise("mul", filled, dtype)


def _is_zero(to: Conversion, array: Array) -> Array:
    return to.emit.elementwise("eq", [array, Array.of(0, array.dtype)], array.dtype, np.bool_)


def _absolute(to: Conversion, arrays: list[Array], dtype: np.dtype) -> Array:
    return to.emit.cast(arrays[0], dtype) if dtype == np.bool_ else to.emit.elementwise("abs", arrays, dtype)


def _x_log_x(to: Conversion, arrays: list[Array], dtype: np.dtype) -> Array:
    return to.emit.elementwise("xlogy", [arrays[0], arrays[0]], dtype)


def _gamma(to: Conversion, arrays: list[Array], dtype: np.dtype) -> Array:
    """`exp(gammaln(x))` with the sign gamma has between its poles; NaN at them."""
    emit, x = to.emit, to.emit.cast(arrays[0], dtype)
    size = emit.elementwise("exp", [emit.elementwise("gammaln", [x], dtype)], dtype)
    below = emit.elementwise("floor", [x], dtype)
    half = emit.elementwise("mul", [below, Array.of(0.5, dtype)], dtype)
    is_odd = emit.elementwise("ne", [half, emit.elementwise("floor", [half], dtype)], dtype, np.bool_)
    is_negative = emit.elementwise("lt", [x, Array.of(0, dtype)], dtype, np.bool_)
    is_pole = emit.elementwise("eq", [x, below], dtype, np.bool_)
    signed = emit.where(is_odd, emit.elementwise("neg", [size], dtype), size, dtype)
    signed = emit.where(is_pole, Array.of(np.nan, dtype), signed, dtype)
    return emit.where(is_negative, signed, size, dtype)


def _iv(to: Conversion, arrays: list[Array], dtype: np.dtype) -> Array:
    """`ive(v, x) * exp(abs(x))`."""
    scaled = to.emit.elementwise("ive", arrays, dtype)
    size = to.emit.elementwise("exp", [to.emit.elementwise("abs", [arrays[1]], dtype)], dtype)
    return to.emit.elementwise("mul", [scaled, size], dtype)


SCALAR: dict[type, Convert] = {
    scalar.Add: _chain("add"),
    scalar.Mul: _chain("mul"),
    scalar.Sub: _same("sub"),
    scalar.TrueDiv: _float("true_div"),
    scalar.IntDiv: _same("floor_div"),
    scalar.Mod: _same("mod"),
    scalar.Pow: _same("pow"),
    scalar.Neg: _same("neg"),
    scalar.Abs: _absolute,
    scalar.Sign: _same("sign"),
    scalar.Reciprocal: _float("reciprocal"),
    scalar.Sqr: _same("square"),
    scalar.Sqrt: _float("sqrt"),
    scalar.Clip: _same("clip"),
    scalar.Maximum: _same("max"),
    scalar.Minimum: _same("min"),
    scalar.Second: _second,
    scalar.Identity: _identity,
    scalar.Cast: _identity,
    scalar.Switch: _switch,
    scalar.EQ: _joint("eq"),
    scalar.NEQ: _joint("ne"),
    scalar.LT: _joint("lt"),
    scalar.LE: _joint("le"),
    scalar.GT: _joint("gt"),
    scalar.GE: _joint("ge"),
    scalar.IsNan: _float_test("isnan"),
    scalar.IsInf: _float_test("isinf"),
    scalar.AND: _bits("and", "bit_and"),
    scalar.OR: _bits("or", "bit_or"),
    scalar.XOR: _bits("xor", "bit_xor"),
    scalar.Invert: _bits("not", "bit_not"),
    scalar.Ceil: _rounding("ceil"),
    scalar.Floor: _rounding("floor"),
    scalar.Trunc: _rounding("trunc"),
    scalar.RoundHalfToEven: _rounding("rint"),
    scalar.RoundHalfAwayFromZero: _rounding("round"),
    scalar.Deg2Rad: _scaled(math.pi / 180.0),
    scalar.Rad2Deg: _scaled(180.0 / math.pi),
    MulWithoutZeros: _multiply_without_zeros,
    XlogX: _named("xlogy", _x_log_x),
    XlogY0: _float("xlogy"),
    special.Gamma: _gamma,
    special.Iv: _named("ive", _iv),
    **{
        kind: _float(op)
        for kind, op in {
            scalar.Exp: "exp",
            scalar.Exp2: "exp2",
            scalar.Expm1: "expm1",
            scalar.Log: "log",
            scalar.Log2: "log2",
            scalar.Log10: "log10",
            scalar.Log1p: "log1p",
            scalar.Sin: "sin",
            scalar.Cos: "cos",
            scalar.Tan: "tan",
            scalar.ArcSin: "asin",
            scalar.ArcCos: "acos",
            scalar.ArcTan: "atan",
            scalar.ArcTan2: "atan2",
            scalar.Sinh: "sinh",
            scalar.Cosh: "cosh",
            scalar.Tanh: "tanh",
            scalar.ArcSinh: "asinh",
            scalar.ArcCosh: "acosh",
            scalar.ArcTanh: "atanh",
            special.Sigmoid: "sigmoid",
            special.Softplus: "softplus",
            special.Log1mexp: "log1mexp",
            special.Erf: "erf",
            special.Erfc: "erfc",
            special.Erfcx: "erfcx",
            special.Erfinv: "erfinv",
            special.Erfcinv: "erfcinv",
            special.GammaLn: "gammaln",
            special.Psi: "digamma",
            special.TriGamma: "trigamma",
            special.PolyGamma: "polygamma",
            special.GammaInc: "gammainc",
            special.GammaIncC: "gammaincc",
            special.BetaInc: "betainc",
            special.I0: "i0",
            special.I1: "i1",
            special.Ive: "ive",
            special.Kve: "kve",
        }.items()
    },
}


# Operators that PyMC defines, by the names of their classes.
NAMED: dict[str, Convert] = {"I0e": _float("i0e"), "I1e": _float("i1e")}


def _convert_of(op: scalar.ScalarOp) -> Convert | None:
    return SCALAR.get(type(op), NAMED.get(type(op).__name__))


def missing(op: scalar.ScalarOp) -> list[str]:
    """The scalar operators in `op` that have no counterpart."""
    if isinstance(op, scalar.Composite):
        return [name for node in op.fgraph.apply_nodes for name in missing(node.op)]
    convert = _convert_of(op)
    needs = getattr(convert, "needs", None)
    has_operator = convert is not None and (needs is None or needs in _OPERATORS)
    return [] if has_operator else [str(op) if convert is None else type(op).__name__]


_OPERATORS = {name for names in ops.SCALAR.values() for name in names.split()}


def apply_scalar(
    to: Conversion, op: scalar.ScalarOp, arrays: Sequence[Array], dtypes: list[Any]
) -> list[Array]:
    """The results of a scalar operator on arrays."""
    if isinstance(op, scalar.Composite):
        inner = dict(zip(op.fgraph.inputs, arrays))
        for node in op.fgraph.toposort():
            operands = [_operand(inner, variable) for variable in node.inputs]
            kinds = [variable.type.dtype for variable in node.outputs]
            inner.update(zip(node.outputs, apply_scalar(to, node.op, operands, kinds)))
        return [_operand(inner, variable) for variable in op.fgraph.outputs]
    convert = _convert_of(op)
    assert convert is not None
    return [convert(to, list(arrays), np.dtype(dtypes[0]))]


def _operand(inner: dict[Any, Array], variable: Any) -> Array:
    return inner[variable] if variable in inner else Array.of(variable.data, variable.type.dtype)


def elemwise(to: Conversion, node: Any, arrays: list[Array]) -> list[Array]:
    op = node.op.scalar_op if isinstance(node.op, Elemwise) else node.op
    shape = np.broadcast_shapes(*(array.shape for array in arrays)) if arrays else ()
    results = apply_scalar(to, op, arrays, [variable.type.dtype for variable in node.outputs])
    return [to.emit.broadcast(result, shape) for result in results]


OPERATORS = {Elemwise: elemwise, scalar.ScalarOp: elemwise}
