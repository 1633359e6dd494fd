"""Cholesky factors and triangular systems as loops over rows, for matrices of one batch member."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from pytensor.tensor.slinalg import Cholesky, CholeskySolve, Solve, SolveTriangular

from .arrays import Array, Emitter, fresh_input

if TYPE_CHECKING:
    from .convert import Conversion


def _loop(emit: Emitter, sequences: list[Array], carried: Array, others: list[Array], step: Any) -> Array:
    """The last value of `carried`, where `step(emit, elements, carried, others)` gives the next one."""
    body = emit.module.body("rows")
    elements = [fresh_input(body, "element", array.dtype, array.shape[1:]) for array in sequences]
    inside = fresh_input(body, "carried", carried.dtype, carried.shape)
    given = [fresh_input(body, "given", array.dtype, array.shape) for array in others]
    inner = Emitter(emit.module, body)
    body.output("next", inner.solid(step(inner, elements, inside, given)))
    attrs = {"sequences": len(sequences), "carries": 1}
    types = [(carried.shape, carried.dtype)]
    return emit.nodes("scan", [*sequences, carried, *others], types, regions={"body": body}, **attrs)[0]


def _at(emit: Emitter, vector: Array, position: Array) -> Array:
    """The element at a position known at run time only."""
    part = emit.node("slice", [vector, position], (1,), vector.dtype, axes=[0], sizes=[1])
    return emit.squeeze(part, [0])


def _zeros(shape: tuple[int, ...], dtype: Any) -> Array:
    return Array(shape, dtype, known=np.broadcast_to(np.zeros((), dtype), shape))


def factor(emit: Emitter, matrix: Array) -> Array:
    """The transposed lower Cholesky factor of a symmetric matrix, of which the upper triangle is read.

    Column j of the factor is what earlier columns leave of the matrix's, over the root of its element j
    (Golub and Van Loan, Matrix Computations, 4.2.5). Where the matrix is not positive definite the rest is
    NaN.
    """
    size, dtype = matrix.shape[0], matrix.dtype
    rows = Array.of(np.arange(size))

    def step(inner: Emitter, elements: list[Array], done: Array, _: list[Array]) -> Array:
        position, row = elements
        column = inner.node("slice", [done, position], (size, 1), dtype, axes=[1], sizes=[1])
        left = inner.elementwise("sub", [row, inner.matmul(inner.squeeze(column, [1]), done)], dtype)
        root = inner.elementwise("sqrt", [_at(inner, left, position)], dtype)
        is_below = inner.elementwise("ge", [rows, position], np.int64, np.bool_)
        scaled = inner.elementwise("true_div", [left, root], dtype)
        found = inner.expand(inner.where(is_below, scaled, Array.of(0, dtype), dtype), [0])
        return inner.node("set_slice", [done, found, position], done.shape, dtype, axes=[0], sizes=[1])

    return _loop(emit, [rows, matrix], _zeros(matrix.shape, dtype), [], step)


def solved(emit: Emitter, matrix: Array, right: Array, lower: bool, unit: bool = False) -> Array:
    """X with `matrix @ X = right` for a triangular matrix, of which the other triangle is not read.

    Rows are found from the first to the last, or from the last to the first: each is what the rows found
    before leave.
    """
    size, dtype = matrix.shape[0], matrix.dtype
    order = np.arange(size) if lower else np.arange(size)[::-1]

    def step(inner: Emitter, elements: list[Array], done: Array, given: list[Array]) -> Array:
        (position,) = elements
        whole, wanted = given
        row = _row(inner, whole, position)
        left = inner.elementwise("sub", [_row(inner, wanted, position), inner.matmul(row, done)], dtype)
        if not unit:
            left = inner.elementwise("true_div", [left, _at(inner, row, position)], dtype)
        found = inner.expand(left, [0])
        return inner.node("set_slice", [done, found, position], done.shape, dtype, axes=[0], sizes=[1])

    index = Array.of(order)
    return _loop(emit, [index], _zeros(right.shape, dtype), [matrix, right], step)


def _row(emit: Emitter, matrix: Array, position: Array) -> Array:
    shape = (1, matrix.shape[1])
    part = emit.node("slice", [matrix, position], shape, matrix.dtype, axes=[0], sizes=[1])
    return emit.squeeze(part, [0])


def cholesky(to: Conversion, node: Any, arrays: list[Array]) -> list[Array]:
    """PyTensor reads the triangle it writes and gives zeros in the other one; NaN everywhere where there is
    none."""
    matrix, emit = arrays[0], to.emit
    upper = factor(emit, emit.transpose(matrix, [1, 0]) if node.op.lower else matrix)
    last = emit.node("slice", [upper], (1, 1), upper.dtype, axes=[0, 1], starts=[-1, -1], stops=[None, None])
    failed = emit.elementwise("isnan", [emit.reshape(last, ())], upper.dtype, np.bool_)
    found = emit.where(failed, Array.of(np.nan, upper.dtype), upper, upper.dtype)
    return [emit.transpose(found, [1, 0]) if node.op.lower else found]


def _with_columns(to: Conversion, node: Any, arrays: list[Array], solve: Any) -> list[Array]:
    """`solve(matrix, right)` where a right side of one axis is a column."""
    dtype = node.outputs[0].type.dtype
    matrix, right = (to.emit.cast(array, dtype) for array in arrays)
    if node.op.b_ndim == 1:
        return [to.emit.squeeze(solve(matrix, to.emit.expand(right, [1])), [1])]
    return [solve(matrix, right)]


def solve_triangular(to: Conversion, node: Any, arrays: list[Array]) -> list[Array]:
    op = node.op
    return _with_columns(
        to, node, arrays, lambda matrix, right: solved(to.emit, matrix, right, op.lower, op.unit_diagonal)
    )


def _from_factor(emit: Emitter, upper: Array, right: Array) -> Array:
    """X with `upper.T @ upper @ X = right`."""
    first = solved(emit, emit.transpose(upper, [1, 0]), right, True)
    return solved(emit, upper, first, False)


def cholesky_solve(to: Conversion, node: Any, arrays: list[Array]) -> list[Array]:
    emit, lower = to.emit, node.op.lower

    def solve(matrix: Array, right: Array) -> Array:
        return _from_factor(emit, emit.transpose(matrix, [1, 0]) if lower else matrix, right)

    return _with_columns(to, node, arrays, solve)


def solve_positive(to: Conversion, node: Any, arrays: list[Array]) -> list[Array]:
    emit = to.emit
    if node.op.assume_a not in ("pos", "positive definite"):
        to.refuse(f"Solve that assumes a matrix of kind `{node.op.assume_a}`")

    def solve(matrix: Array, right: Array) -> Array:
        upper = factor(emit, emit.transpose(matrix, [1, 0]) if node.op.lower else matrix)
        return _from_factor(emit, upper, right)

    return _with_columns(to, node, arrays, solve)


OPERATORS = {
    Cholesky: cholesky,
    SolveTriangular: solve_triangular,
    CholeskySolve: cholesky_solve,
    Solve: solve_positive,
}
