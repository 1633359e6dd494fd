"""Factors of matrices, systems of equations and determinants, with batch axes in front where Blockwise adds
them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from pytensor.tensor.nlinalg import SVD, Det, Eigh, MatrixInverse, SLogDet
from pytensor.tensor.slinalg import QR, Cholesky, CholeskySolve, Solve, SolveTriangular

from .arrays import Array, Emitter

if TYPE_CHECKING:
    from .convert import Conversion


def _core(node: Any) -> Any:
    return getattr(node.op, "core_op", node.op)


def _swapped(emit: Emitter, x: Array) -> Array:
    """The last two axes exchanged."""
    axes = list(range(x.rank))
    return emit.transpose(x, [*axes[:-2], axes[-1], axes[-2]])


def _matrix(to: Conversion, node: Any, arrays: list[Array]) -> Array:
    return to.emit.cast(arrays[0], node.outputs[0].type.dtype)


def cholesky(to: Conversion, node: Any, arrays: list[Array]) -> list[Array]:
    """PyTensor reads the triangle it writes and gives zeros in the other one; NaN where there is no
    factor."""
    x = _matrix(to, node, arrays)
    return [to.emit.node("cholesky", [x], x.shape, x.dtype, lower=_core(node).lower)]


def _with_columns(to: Conversion, node: Any, arrays: list[Array], solve: Any) -> list[Array]:
    """`solve(matrix, right)` where a right side of one axis is a column."""
    emit, dtype = to.emit, node.outputs[0].type.dtype
    matrix, right = (emit.cast(array, dtype) for array in arrays)
    if _core(node).b_ndim == 1:
        found = solve(matrix, emit.expand(right, [right.rank]))
        return [emit.squeeze(found, [found.rank - 1])]
    return [solve(matrix, right)]


def _solved(emit: Emitter, op: str, matrix: Array, right: Array, **attrs: Any) -> Array:
    batch = np.broadcast_shapes(matrix.shape[:-2], right.shape[:-2])
    return emit.node(op, [matrix, right], (*batch, *right.shape[-2:]), matrix.dtype, **attrs)


def solve_triangular(to: Conversion, node: Any, arrays: list[Array]) -> list[Array]:
    core = _core(node)
    attrs = {"lower": core.lower, "unit_diagonal": core.unit_diagonal}
    return _with_columns(to, node, arrays, lambda a, b: _solved(to.emit, "solve_triangular", a, b, **attrs))


def cholesky_solve(to: Conversion, node: Any, arrays: list[Array]) -> list[Array]:
    lower = _core(node).lower

    def solve(a: Array, b: Array) -> Array:
        first = _solved(to.emit, "solve_triangular", a, b, lower=lower, transpose=not lower)
        return _solved(to.emit, "solve_triangular", a, first, lower=lower, transpose=lower)

    return _with_columns(to, node, arrays, solve)


def solve(to: Conversion, node: Any, arrays: list[Array]) -> list[Array]:
    core = _core(node)
    if core.assume_a in ("gen", "general"):
        return _with_columns(to, node, arrays, lambda a, b: _solved(to.emit, "solve", a, b))
    if core.assume_a not in ("pos", "positive definite"):
        to.refuse(f"Solve that assumes a matrix of kind `{core.assume_a}`")

    def positive(a: Array, b: Array) -> Array:
        lower = a if core.lower else _swapped(to.emit, a)
        return _solved(to.emit, "solve", lower, b, assume="positive")

    return _with_columns(to, node, arrays, positive)


def inverse(to: Conversion, node: Any, arrays: list[Array]) -> list[Array]:
    x = _matrix(to, node, arrays)
    return [to.emit.node("inv", [x], x.shape, x.dtype)]


def determinant(to: Conversion, node: Any, arrays: list[Array]) -> list[Array]:
    x = _matrix(to, node, arrays)
    return [to.emit.node("det", [x], x.shape[:-2], x.dtype)]


def sign_and_logarithm(to: Conversion, node: Any, arrays: list[Array]) -> list[Array]:
    x = _matrix(to, node, arrays)
    return to.emit.nodes("slogdet", [x], [(x.shape[:-2], x.dtype)] * 2)


def eigenvalues(to: Conversion, node: Any, arrays: list[Array]) -> list[Array]:
    x = _matrix(to, node, arrays)
    if _core(node).UPLO == "U":
        x = _swapped(to.emit, x)
    return to.emit.nodes("eigh", [x], [(x.shape[:-1], x.dtype), (x.shape, x.dtype)])


def orthogonal(to: Conversion, node: Any, arrays: list[Array]) -> list[Array]:
    """QR without pivots, with as many columns of q as there are rows of r."""
    core, x = _core(node), _matrix(to, node, arrays)
    *batch, rows, columns = x.shape
    if core.pivoting or core.mode not in ("economic", "r") and not (core.mode == "full" and rows <= columns):
        to.refuse(f"QR of mode `{core.mode}`" + (" with pivots" if core.pivoting else ""))
    least = min(rows, columns)
    q, r = to.emit.nodes("qr", [x], [((*batch, rows, least), x.dtype), ((*batch, least, columns), x.dtype)])
    return [r] if core.mode == "r" else [q, r]


def singular_values(to: Conversion, node: Any, arrays: list[Array]) -> list[Array]:
    core, x = _core(node), _matrix(to, node, arrays)
    *batch, rows, columns = x.shape
    least = min(rows, columns)
    if core.compute_uv and core.full_matrices and rows != columns:
        to.refuse("SVD with full matrices")
    shapes = ((*batch, rows, least), (*batch, least), (*batch, least, columns))
    u, s, vt = to.emit.nodes("svd", [x], [(shape, x.dtype) for shape in shapes])
    return [u, s, vt] if core.compute_uv else [s]


OPERATORS = {
    Cholesky: cholesky,
    SolveTriangular: solve_triangular,
    CholeskySolve: cholesky_solve,
    Solve: solve,
    MatrixInverse: inverse,
    Det: determinant,
    SLogDet: sign_and_logarithm,
    Eigh: eigenvalues,
    QR: orthogonal,
    SVD: singular_values,
}
BATCHED = set(OPERATORS.values())
