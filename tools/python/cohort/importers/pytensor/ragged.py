"""What a Scan with a condition gives: arrays of which only the first rows count, as many as steps were taken.

They stay as long as the most steps allow. Few operators know what to do with them; all others are refused.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from pytensor.graph.type import Type
from pytensor.scalar import basic as scalar
from pytensor.tensor.elemwise import CAReduce, Elemwise
from pytensor.tensor.shape import Shape, Shape_i
from pytensor.tensor.subtensor import Subtensor

from . import elementwise, reductions
from .arrays import Array, Rows

if TYPE_CHECKING:
    from .convert import Conversion

_WHAT = "of what a Scan with a condition gives, whose number of steps decides its shape"


def convert(to: Conversion, node: Any, arrays: list[Any]) -> list[Array]:
    for kind, known in _OPERATORS.items():
        if isinstance(node.op, kind):
            return known(to, node, arrays)
    to.refuse(f"{type(node.op).__name__} {_WHAT}")


def _with_rows(array: Array, rows: Rows | None) -> Array:
    array.rows = rows
    return array


def _demanded(to: Conversion, array: Array, rows: Rows, most: int, count: int, what: str) -> Array:
    """The array, which is read only where there are `count` of at most `most` rows."""
    if count <= rows.sure(most):
        return array
    if count > most:
        to.refuse(f"{what} of at most {most} rows, {_WHAT}")
    there = to.emit.elementwise("le", [Array.of(np.int64(count)), rows.array(to.emit)], np.int64, np.bool_)
    message = f"{what} of a loop that has stopped before"
    return to.emit.node("assert", [array, there], array.shape, array.dtype, message=message)


def _elemwise(to: Conversion, node: Any, arrays: list[Array]) -> list[Array]:
    """Element by element, beside what is the same for all rows or has as many."""
    found = [array.rows for array in arrays if array.rows is not None]
    fits = all(rows == found[0] for rows in found)
    if not fits or any(array.rows is None and array.rank and array.shape[0] != 1 for array in arrays):
        to.refuse(f"{node.op} beside arrays of other lengths {_WHAT}")
    return [_with_rows(result, found[0]) for result in elementwise.elemwise(to, node, arrays)]


_IDENTITIES = {scalar.Add: 0, scalar.Mul: 1, scalar.AND: True, scalar.OR: False}


def _reduction(to: Conversion, node: Any, arrays: list[Array]) -> list[Array]:
    """Rows that do not count are replaced by what changes nothing."""
    (value,) = arrays
    rows = value.rows
    assert rows is not None
    axis = node.op.axis
    if axis is not None and 0 not in [entry % value.rank for entry in axis]:
        return [_with_rows(result, rows) for result in reductions.reduction(to, node, arrays)]
    kind = type(node.op.scalar_op)
    if kind in (scalar.Maximum, scalar.Minimum) and value.dtype.kind == "f":
        value = _demanded(to, value, rows, value.shape[0], 1, f"{node.op}")
        identity: Any = -np.inf if kind is scalar.Maximum else np.inf
    elif kind in _IDENTITIES:
        identity = _IDENTITIES[kind]
    else:
        to.refuse(f"{node.op} {_WHAT}")
    shape = (value.shape[0], *[1] * (value.rank - 1))
    numbers = Array.of(np.arange(value.shape[0]).reshape(shape))
    counts = to.emit.elementwise("lt", [numbers, rows.array(to.emit)], np.int64, np.bool_)
    kept = to.emit.where(counts, value, Array.of(identity, value.dtype), value.dtype)
    return reductions.reduction(to, node, [kept])


def _shape(to: Conversion, node: Any, arrays: list[Array]) -> list[Array]:
    value = arrays[0]
    assert value.rows is not None
    extents = [value.rows.array(to.emit), *(Array.of(np.int64(extent)) for extent in value.shape[1:])]
    return [to.emit.node("stack", extents, (value.rank,), np.int64, axis=0)]


def _extent(to: Conversion, node: Any, arrays: list[Array]) -> list[Array]:
    value, axis = arrays[0], node.op.i
    assert value.rows is not None
    return [value.rows.array(to.emit) if axis == 0 else Array.of(np.int64(value.shape[axis]))]


def _subtensor(to: Conversion, node: Any, arrays: list[Any]) -> list[Array]:
    """One row, counted from either end, or all from some row on."""
    value, rows = arrays[0], arrays[0].rows
    operands = iter(zip(node.inputs[1:], arrays[1:]))

    def static(entry: Any) -> int | None:
        if not isinstance(entry, Type):
            return None if entry is None else int(entry)
        return int(to.static(*next(operands), "an index into the rows of a Scan with a condition"))

    if rows is None or len(node.op.idx_list) != 1:
        to.refuse(f"Subtensor of several axes {_WHAT}")
    (entry,) = node.op.idx_list
    if not isinstance(entry, slice):
        return [_row(to, value, rows, static(entry) or 0)]
    start, stop, step = static(entry.start) or 0, static(entry.stop), static(entry.step)
    if start < 0 or stop is not None or step not in (None, 1):
        to.refuse(f"Subtensor with a slice that begins near the end, has an end or a step {_WHAT}")
    start = min(start, value.shape[0])
    shape = (value.shape[0] - start, *value.shape[1:])
    part = to.emit.node("slice", [value], shape, value.dtype, axes=[0], starts=[start], stops=[None])
    part.last = value.last
    return [_with_rows(part, Rows(rows.taken, rows.offset - start))]


def _row(to: Conversion, value: Array, rows: Rows, position: int) -> Array:
    count = position + 1 if position >= 0 else -position
    most, what = value.shape[0], f"row {position}"
    if position == -1 and value.last is not None:
        return _demanded(to, value.last, rows, most, count, what)
    start = Array.of(np.int64(position))
    if position < 0:
        start = to.emit.elementwise("add", [rows.array(to.emit), start], np.int64)
    value = _demanded(to, value, rows, most, count, what)
    shape = (1, *value.shape[1:])
    part = to.emit.node("slice", [value, start], shape, value.dtype, axes=[0], sizes=[1])
    return to.emit.squeeze(part, [0])


_OPERATORS = {
    Elemwise: _elemwise,
    CAReduce: _reduction,
    Shape: _shape,
    Shape_i: _extent,
    Subtensor: _subtensor,
}
