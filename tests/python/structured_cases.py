"""Cases of the structured operators; see `op_cases`."""

from __future__ import annotations

import warnings

import numpy as np
import special_cases  # noqa: F401  adds its cases
from op_cases import CASES, RNG, case, normal

X = normal(np.float64, (3, 5))
CUBE = normal(np.float32, (2, 3, 4))
EMPTY = np.zeros((0, 3))
NAN = np.array([[1.0, np.nan], [3.0, 4.0]])
SUM_TOLERANCE = 1e-12


def shape_cases() -> None:
    case("broadcast", [X[:, :1]], np.broadcast_to(X[:, :1], (2, 3, 4)), shape=[2, 3, 4])
    case("broadcast", [2.0], np.full((2, 2), 2.0), shape=[2, 2])
    case("reshape", [X], X.reshape(5, 3), shape=[5, 3])
    case("reshape", [X], X.reshape(-1), shape=[-1])
    case("reshape", [EMPTY], EMPTY.reshape(3, 0), shape=[3, 0])
    case("transpose", [CUBE], CUBE.transpose())
    case("transpose", [CUBE], CUBE.transpose(1, 0, 2), axes=[1, 0, 2])
    case("transpose", [CUBE], CUBE.transpose(1, 2, 0), axes=[-2, -1, 0])
    case("squeeze", [X[None, :, :1]], X[:, 0])
    case("squeeze", [X[None, :, :1]], X[:, :1], axes=[0])
    case("expand", [X], X[None, :, :, None], axes=[0, -1])
    case("add_n", [X], X)
    case("add_n", [X, 2 * X, X[::-1]], (X + 2 * X) + X[::-1])
    case("add_n", [EMPTY, EMPTY], EMPTY)
    case("concat", [X, X[:1]], np.concatenate([X, X[:1]]))
    case("concat", [X, X[:, :2], X], np.concatenate([X, X[:, :2], X], 1), axis=-1)
    case("concat", [np.zeros(0), np.ones(2)], np.ones(2))
    case("stack", [X, X], np.stack([X, X]))
    case("stack", [X, X], np.stack([X, X], -1), axis=-1)
    case("split", [X], (X[:1], X[1:]), sizes=[1, 2])
    case("split", [X], (X[:, :2], X[:, 2:2], X[:, 2:]), axis=1, sizes=[2, 0, 3])
    case("tile", [X], np.tile(X, (2, 3)), reps=[2, 3])
    case("tile", [X[0]], np.tile(X[0], (2, 1)), reps=[2, 1])
    case("repeat", [X], np.repeat(X, 2, 0), repeats=2)
    case("repeat", [X], np.repeat(X, 3, 1), repeats=3, axis=1)
    case("roll", [X], np.roll(X, (1, -2), (0, 1)), shifts=[1, -2])
    case("roll", [X], np.roll(X, 7, 1), shifts=[7], axes=[1])
    case("flip", [X], np.flip(X))
    case("flip", [X], np.flip(X, 1), axes=[1])
    case("pad", [X], np.pad(X, ((1, 2), (0, 3))), low=[1, 0], high=[2, 3])
    case("pad", [X], np.pad(X, ((1, 0), (0, 1)), constant_values=2.5), low=[1, 0], high=[0, 1], value=2.5)
    for mode in ("edge", "reflect", "wrap"):
        case("pad", [X], np.pad(X, ((1, 2), (2, 3)), mode), low=[1, 2], high=[2, 3], mode=mode)
    case("iota", [], np.arange(5), shape=[5])
    case("iota", [], np.broadcast_to(np.arange(3.0), (2, 3)), shape=[2, 3], axis=1, dtype="f64")
    case("iota", [], np.zeros((0,), np.int64), shape=[0])
    case("full", [1.5], np.full((2, 3), 1.5), shape=[2, 3])
    case("full", [np.float32(2)], np.full((3,), np.float32(2)), shape=[3])
    case("size", [], np.int64(6), shape=[2, 3])
    case("size", [], np.int64(1), shape=[])
    case("eye", [], np.eye(3), n=3)
    case("eye", [], np.eye(2, 4, 1, dtype=np.int32), n=2, m=4, k=1, dtype="i32")
    case("tri", [], np.tri(3), n=3)
    case("tri", [], np.tri(3, 4, -1, dtype=np.float32), n=3, m=4, k=-1, dtype="f32")
    case("diag", [X[0]], np.diag(X[0]))
    case("diag", [X[0, :2]], np.diag(X[0, :2], -1), k=-1)
    case("diag", [X], np.diag(X, 1), k=1)
    case(
        "one_hot",
        [np.array([0, 2, -1, 3])],
        np.array([[1.0, 0, 0], [0, 0, 1], [0, 0, 0], [0, 0, 0]]),
        depth=3,
    )
    case("one_hot", [np.array([[1]])], np.array([[[0, 1]]], np.int32), depth=2, dtype="i32")
    case("copy", [X], X)
    case("stop_gradient", [X], X)
    case("assert", [X, np.array([True, True])], X)
    case("assert", [X, np.array([True, False])], "weights must sum to one", message="weights must sum to one")


def slice_cases() -> None:
    v = np.arange(10.0)
    for start, stop, step in [
        (2, 7, 1),
        (None, None, -1),
        (7, 2, -2),
        (-3, None, 1),
        (0, -100, 1),
        (None, -3, -1),
        (1, 100, 4),
    ]:
        case("slice", [v], v[start:stop:step], axes=[0], starts=[start], stops=[stop], steps=[step])
    case("slice", [X], X[1:, ::-2], starts=[1, None], stops=[None, None], steps=[1, -2])
    case("slice", [X], X[:, 1:3], axes=[-1], starts=[1], stops=[3])
    case("slice", [v, np.array(3)], v[3:7], axes=[0], sizes=[4])
    case("slice", [v, np.array(-2)], v[8:10], axes=[0], sizes=[2])
    case("slice", [X, np.array(1), np.array(2)], X[1:3, 2:5:2], axes=[0, 1], sizes=[2, 2], steps=[1, 2])
    case("slice", [v, np.array(8)], "out of range", axes=[0], sizes=[4])
    y = np.array([100.0, 200.0])
    for op in ("set_slice", "inc_slice"):
        expected = v.copy()
        if op == "set_slice":
            expected[2:8:4] = y
        else:
            expected[2:8:4] += y
        case(op, [v, y], expected, axes=[0], starts=[2], stops=[8], steps=[4])
        moved = v.copy()
        moved[5:7] = y if op == "set_slice" else moved[5:7] + y
        case(op, [v, y, np.array(5)], moved, axes=[0], sizes=[2])
        wide = X.copy()
        wide[:, 1:3] = y if op == "set_slice" else wide[:, 1:3] + y
        case(op, [X, y], wide, axes=[1], starts=[1], stops=[3])
    case(
        "inc_slice",
        [np.zeros(4), 1.0],
        np.array([0.0, 1, 0, 1]),
        axes=[0],
        starts=[None],
        stops=[None],
        steps=[-2],
    )
    case("set_slice", [v, y, np.array(9)], "out of range", axes=[0], sizes=[2])


def index_cases() -> None:
    v = np.arange(10.0)
    case("take", [X, np.array([2, 0, -1])], X[[2, 0, -1]])
    case("take", [X, np.array([[1, -5]], np.int32)], np.take(X, [[1, -5]], 1), axis=1)
    case("take", [X, np.array(1)], X[1])
    case("take", [X, np.zeros((0,), np.int64)], X[:0])
    case("take", [v, np.array([13])], "index 13 is out of range for size 10")
    case("take", [v[:2], np.array([-3])], "index -3 is out of range for size 2")
    order = np.argsort(X, 1)
    case("take_along_axis", [X, order], np.take_along_axis(X, order, 1), axis=1)
    case("take_along_axis", [X, order], np.take_along_axis(X, order, 1), axis=-1)
    case("gather", [X, np.array([0, 2, 1])], X[[0, 2, 1]])
    case("gather", [X, np.array([[0], [-1]]), np.array([1, 4, 2])], X[[[0], [-1]], [1, 4, 2]])
    case("gather", [X, np.array([0]), np.array([5])], "index 5 is out of range for size 5")
    y, i = np.array([1.0, 2.0, 4.0]), np.array([1, 1, -1])
    set_, add = v.copy(), v.copy()
    set_[1], set_[9] = 2.0, 4.0
    np.add.at(add, i, y)
    case("scatter_set", [v, y, i], set_)
    case("scatter_add", [v, y, i], add)
    rows = X.copy()
    np.add.at(rows, ([0, 0, 2], [1, 1, 3]), y)
    case("scatter_add", [X, y, np.array([0, 0, 2]), np.array([1, 1, 3])], rows)
    case("scatter_add", [X, 1.0, np.array([1])], X + np.array([[0.0], [1.0], [0.0]]))
    case("scatter_set", [v, y, np.array([0, 10, 1])], "index 10 is out of range for size 10")
    for side in ("left", "right"):
        sorted_ = np.array([1.0, 2, 2, 5])
        found = np.searchsorted(sorted_, [[0.0, 2], [5, 9]], side)
        case("searchsorted", [sorted_, np.array([[0.0, 2], [5, 9]])], found, side=side)
    case("searchsorted", [np.array([1.0, 2]), np.array(1.5)], np.array(1))


def order_cases() -> None:
    mixed = np.array([3.0, np.nan, -1.0, 3.0, -np.inf, np.inf, 0.0])
    case("sort", [mixed], np.sort(mixed))
    case("sort", [X], np.sort(X, 0), axis=0)
    case("sort", [np.array([3, -1, 2], np.int8)], np.array([-1, 2, 3], np.int8))
    case("argsort", [mixed], np.argsort(mixed, kind="stable"))
    case("argsort", [X], np.argsort(X, 0, kind="stable"), axis=0)
    case("argsort", [np.array([1, 0, 1, 0])], np.array([1, 3, 0, 2]))
    case("sort", [np.zeros((0,))], np.zeros((0,)))
    case("topk", [mixed], (np.array([np.nan, np.inf, 3.0, 3.0]), np.array([1, 5, 0, 3])), k=4)
    top = np.argsort(-X, 0, kind="stable")[:2]
    case("topk", [X], (np.take_along_axis(X, top, 0), top), k=2, axis=0)
    case("argmax", [np.array([1.0, np.nan, 3.0, np.nan])], np.array(1))
    case("argmin", [X], np.argmin(X))
    case("argmax", [X], np.argmax(X, 1), axis=1)
    case("argmin", [X], np.argmin(X, 0)[None], axis=0, keepdims=True)
    case("argmax", [np.array([2, 7, 7])], np.array(1))


def reduction_cases() -> None:
    functions = {"reduce_sum": np.sum, "reduce_prod": np.prod, "reduce_mean": np.mean}
    long = normal(np.float64, (5, 37), 0.5, 1.5)
    for op, function in functions.items():
        case(op, [X], function(X), SUM_TOLERANCE)
        for axes in ([0], [1], [0, 1], [-1]):
            case(op, [X], function(X, tuple(axes)), SUM_TOLERANCE, axes=axes)
            case(
                op,
                [long],
                function(long, tuple(axes), keepdims=True),
                SUM_TOLERANCE,
                axes=axes,
                keepdims=True,
            )
        case(op, [CUBE], function(CUBE.astype(np.float64), (0, 2)).astype(np.float32), 1e-5, axes=[0, 2])
    case("reduce_sum", [EMPTY], np.zeros(3), axes=[0])
    case("reduce_prod", [EMPTY], np.ones(3), axes=[0])
    case("reduce_mean", [EMPTY], np.full(3, np.nan), axes=[0])
    case("reduce_sum", [np.array([100, 100], np.int8)], np.array(200))
    case("reduce_prod", [np.array([100, 100], np.uint8)], np.array(10000, np.uint64))
    case("reduce_sum", [np.array([True, True, False])], np.array(2))
    case("reduce_mean", [np.array([1, 2], np.int32)], np.array(1.5))
    case("reduce_sum", [np.float32([1, 2])], np.array(3.0), dtype="f64")
    case("reduce_sum", [np.full(4096, 1, np.float16)], np.array(4096, np.float16))
    for op, function in {"reduce_max": np.max, "reduce_min": np.min}.items():
        case(op, [NAN], function(NAN))
        case(op, [NAN], function(NAN, 0), axes=[0])
        case(op, [CUBE], function(CUBE, (1, 2), keepdims=True), axes=[1, 2], keepdims=True)
        case(op, [np.array([3, -5, 2], np.int8)], function(np.array([3, -5, 2], np.int8)))
    bits = RNG.uniform(size=(3, 4)) < 0.6
    for op, function in {"reduce_all": np.all, "reduce_any": np.any}.items():
        case(op, [bits], function(bits))
        case(op, [bits], function(bits, 1), axes=[1])
        case(op, [np.zeros((0, 2), bool)], function(np.zeros((0, 2), bool), 0), axes=[0])
    case("logsumexp", [np.array([-1000.0, -1000.0])], np.array(-999.306852819440), 1e-14)
    case("logsumexp", [X], np.log(np.sum(np.exp(X), 1)), 1e-13, axes=[1])
    case("logsumexp", [np.array([-np.inf, -np.inf])], np.array(-np.inf))
    case("logsumexp", [np.array([np.inf, 1.0])], np.array(np.inf))
    case("cumsum", [X], np.cumsum(X, 0), SUM_TOLERANCE)
    case("cumsum", [X], np.cumsum(X, 1), SUM_TOLERANCE, axis=1)
    case("cumsum", [np.array([100, 100], np.int8)], np.array([100, 200]))
    case("cumprod", [X], np.cumprod(X, -1), SUM_TOLERANCE, axis=-1)
    case("cumsum", [np.zeros((0,))], np.zeros((0,)))


def product_cases() -> None:
    a, b = normal(np.float64, (4, 3, 5)), normal(np.float64, (5, 2))
    case("matmul", [a, b], a @ b, 1e-12)
    case("matmul", [X, b], X @ b, 1e-12)
    case("matmul", [X, X], X @ X.T, 1e-12, transpose_b=True)
    case("matmul", [X, X], X.T @ X, 1e-12, transpose_a=True)
    case("matmul", [X, b[:, 0]], X @ b[:, 0], 1e-12)
    case("matmul", [b[:, 0], b], b[:, 0] @ b, 1e-12)
    case("matmul", [b[:, 0], b[:, 1]], b[:, 0] @ b[:, 1], 1e-12)
    case("matmul", [np.zeros((2, 0)), np.zeros((0, 3))], np.zeros((2, 3)))
    case(
        "matmul", [np.array([[100, 100]], np.int8), np.array([[1], [2]], np.int8)], np.array([[44]], np.int8)
    )
    case("dot", [a, b], np.dot(a, b), 1e-12)
    case("dot", [X[0], X[1]], np.dot(X[0], X[1]), 1e-12)
    case("dot", [a, normal(np.float64, (2, 5, 3)) * 0 + 1], np.dot(a, np.ones((2, 5, 3))), 1e-12)
    case("dot", [X, np.array(2.0)], X * 2.0)
    case("outer", [X[0], X[:, 0]], np.outer(X[0], X[:, 0]))
    case("einsum", [X, X], np.einsum("ij,kj->ik", X, X), 1e-12, equation="ij,kj->ik")
    case("einsum", [a, b], np.einsum("bij,jk->bik", a, b), 1e-12, equation="bij,jk->bik")
    case("einsum", [X], np.einsum("ij->j", X), 1e-12, equation="ij->j")
    case("einsum", [X[:, :3]], np.trace(X[:, :3]), 1e-12, equation="ii->")
    shifted = np.exp(X - X.max(1, keepdims=True))
    case("softmax", [X], shifted / shifted.sum(1, keepdims=True), 1e-14)
    case("softmax", [np.array([1000.0, 1000.0])], np.array([0.5, 0.5]))
    columns = np.exp(X - X.max(0))
    case("softmax", [X], columns / columns.sum(0), 1e-14, axis=0)
    case("log_softmax", [X], np.log(shifted / shifted.sum(1, keepdims=True)), 1e-12)
    case("log_softmax", [np.array([0.0, 1000.0])], np.array([-1000.0, 0.0]))


def matrix_cases() -> None:
    x = normal(np.float64, (2, 4, 4))
    positive = x @ np.swapaxes(x, 1, 2) + 4 * np.eye(4)
    factor = np.linalg.cholesky(positive)
    case("cholesky", [positive], factor, 1e-12)
    case("cholesky", [np.triu(positive)], np.swapaxes(factor, 1, 2), 1e-12, lower=False)
    case("cholesky", [positive.astype(np.float32)], factor.astype(np.float32), 1e-5)
    case("cholesky", [np.array([[1, 2], [2, 1]])], np.full((2, 2), np.nan))
    b, vector = normal(np.float64, (4, 3)), normal(np.float64, (4,))
    upper = np.swapaxes(factor, 1, 2)
    case("solve_triangular", [factor, b], np.linalg.solve(factor, b), 1e-10)
    case("solve_triangular", [factor, vector], np.linalg.solve(factor, vector[:, None])[..., 0], 1e-10)
    case("solve_triangular", [factor, b], np.linalg.solve(upper, b), 1e-10, transpose=True)
    case("solve_triangular", [upper, b], np.linalg.solve(upper, b), 1e-10, lower=False)
    ones = factor * (1 - np.eye(4)) + np.eye(4)
    case("solve_triangular", [factor, b], np.linalg.solve(ones, b), 1e-10, unit_diagonal=True)
    case("solve", [positive, b], np.linalg.solve(positive, b), 1e-10)
    case("solve", [positive[0], vector], np.linalg.solve(positive[0], vector), 1e-10)
    case("solve", [np.tril(positive), b], np.linalg.solve(positive, b), 1e-10, assume="positive")
    case("inv", [positive], np.linalg.inv(positive), 1e-10)
    case("inv", [np.array([[0, 2], [4, 0]])], np.array([[0, 0.25], [0.5, 0]]))
    case("det", [positive], np.linalg.det(positive), 1e-12)
    case("slogdet", [x], tuple(np.linalg.slogdet(x)), 1e-11)
    case("slogdet", [np.array([[1.0, 2.0], [2.0, 4.0]])], (np.array(0.0), np.array(-np.inf)))
    case("lu", [np.array([[1.0, 2.0], [4.0, 4.0]])], (np.array([[4.0, 4.0], [0.25, 1.0]]), np.array([1, 0])))
    tall = normal(np.float64, (5, 3))
    case("qr", [tall], tuple(np.linalg.qr(tall)), 1e-11)
    case("qr", [tall.T], tuple(np.linalg.qr(tall.T)), 1e-11)
    # Vectors whose signs are plain.
    case("eigh", [np.diag([3.0, 1.0])], (np.array([1.0, 3.0]), np.array([[0.0, 1.0], [1.0, 0.0]])))
    case("eigh", [np.array([[np.inf]])], (np.array([np.nan]), np.array([[np.nan]])))
    case("svd", [np.diag([3.0, 1.0])], (np.eye(2), np.array([3.0, 1.0]), np.eye(2)))


shape_cases()
slice_cases()
index_cases()
order_cases()
with np.errstate(all="ignore"), warnings.catch_warnings():
    warnings.simplefilter("ignore")
    reduction_cases()
product_cases()
matrix_cases()
__all__ = ["CASES"]
