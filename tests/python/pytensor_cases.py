"""PyTensor graphs by family, each with inputs and their values; `test_pytensor.py` compares what they
give."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytensor
import pytensor.tensor as pt
from pytensor.ifelse import ifelse
from pytensor.raise_op import Assert
from pytensor.scan.utils import until as stop_if

Case = tuple[list, list, list]  # inputs, outputs, the inputs' values
CASES: dict[str, Callable[[], Case]] = {}


def case(build: Callable[[], Case]) -> Callable[[], Case]:
    CASES[build.__name__] = build
    return build


def _numbers(*shape: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=shape)


def _vector(name: str = "x", size: int = 5):
    return pt.vector(name, shape=(size,), dtype="float64")


def _matrix(name: str = "a", rows: int = 3, columns: int = 4):
    return pt.matrix(name, shape=(rows, columns), dtype="float64")


@case
def unary_floats() -> Case:
    x = _vector()
    everywhere = "exp exp2 expm1 sin cos tan arctan sinh cosh tanh arcsinh sigmoid softplus erf erfc"
    everywhere += " neg abs sign ceil floor trunc sqr reciprocal deg2rad rad2deg isnan isinf"
    inside = "arcsin arccos arctanh"
    above = "log log2 log10 log1p sqrt gammaln psi"
    outputs = [getattr(pt, name)(x) for name in everywhere.split()]
    outputs += [getattr(pt, name)(pt.tanh(x)) for name in inside.split()]
    outputs += [getattr(pt, name)(pt.exp(x)) for name in above.split()]
    outputs += [pt.gamma(x), pt.arccosh(1 + pt.exp(x)), pt.log1mexp(-pt.exp(x)), pt.xlogx.xlogx(pt.exp(x))]
    outputs += [pt.round(4 * x, mode="half_to_even"), pt.round(4 * x, mode="half_away_from_zero")]
    return [x], outputs, [_numbers(5)]


@case
def binary_floats() -> Case:
    x, y = _vector("x"), _vector("y")
    outputs = [x + y, x - y, x * y, x / y, x // y, x % y, pt.exp(x) ** y, pt.arctan2(x, y)]
    outputs += [
        pt.maximum(x, y),
        pt.minimum(x, y),
        pt.second(x, 2.0),
        pt.clip(x, -0.5, y),
        pt.xlogx.xlogy0(x, abs(y)),
    ]
    outputs += [pt.switch(x > y, x, 0.0), pt.switch(x > 0, 1.0, 2.0), pt.switch(pt.eq(x, y), 1, x)]
    outputs += [x < y, x <= y, x > 0, x >= y, pt.eq(x, x), pt.neq(x, y)]
    return [x, y], outputs, [_numbers(5), _numbers(5, seed=1)]


@case
def broadcasting() -> Case:
    x, a, s = _vector("x", 4), _matrix(), pt.scalar("s", dtype="float64")
    outputs = [x + a, a * s, x[None, :] - x[:, None], pt.add(x, s, a, 1.0), a + np.arange(3.0)[:, None]]
    outputs += [
        pt.ones((3, 1)) + x,
        pt.zeros_like(a) + s,
        pt.fill(a, s),
        pt.switch(x > 0, a, np.ones((3, 1))),
    ]
    return [x, a, s], outputs, [_numbers(4), _numbers(3, 4, seed=1), 0.3]


@case
def integers() -> Case:
    i, j = pt.vector("i", dtype="int64", shape=(4,)), pt.vector("j", dtype="int32", shape=(4,))
    outputs = [i + j, i - j, i * j, i / j, i // j, i % j, i**2, abs(i), -i, pt.sign(i), pt.maximum(i, j)]
    outputs += [
        i & j,
        i | j,
        i ^ j,
        ~i,
        pt.exp(i),
        pt.sqr(j),
        i > j,
        pt.eq(i, 7),
        i.sum(),
        i.prod(),
        i.mean(),
    ]
    outputs += [pt.floor(i), pt.isnan(i), j.sum(), j.max(), i.argmax(), pt.cast(i, "float32"), i.cumsum()]
    return [i, j], outputs, [np.array([7, -7, 0, 3]), np.array([2, 2, 5, -2], dtype=np.int32)]


@case
def dtypes() -> Case:
    x, f = _vector(), pt.vector("f", dtype="float32", shape=(5,))
    b = pt.vector("b", dtype="bool", shape=(5,))
    outputs = [pt.cast(x * 10, dtype) for dtype in "int8 int16 int32 int64 float32 bool".split()]
    outputs += [x + f, f * 2.5, f + np.float32(0.1), pt.exp(f), f.sum(), f.mean(), b & (x > 0), b | (f > 0)]
    outputs += [
        ~b,
        b ^ b,
        b * x,
        b + b,
        b.sum(),
        b.all(),
        b.any(),
        b.mean(),
        pt.switch(b, f, 0),
        pt.cast(b, "int8"),
    ]
    values = [_numbers(5), _numbers(5, seed=1).astype(np.float32), np.array([True, False, True, True, False])]
    return [x, f, b], outputs, values


@case
def shapes() -> Case:
    a, x = _matrix(), _vector("x", 12)
    outputs = [
        a.T,
        a.dimshuffle(1, "x", 0),
        a.ravel(),
        x.reshape((3, 4)),
        x.reshape((2, -1)),
        a.shape,
        a.shape[0] * x,
    ]
    outputs += [
        a[None],
        pt.squeeze(a[:1]),
        pt.expand_dims(a, 1),
        pt.specify_shape(x, (12,)),
        pt.atleast_2d(x),
    ]
    outputs += [
        pt.concatenate([a, 2 * a], axis=0),
        pt.concatenate([a, a[:, :1]], axis=1),
        pt.stack([x, x], axis=1),
    ]
    outputs += [
        *pt.split(x, [2, 4, 6], n_splits=3),
        pt.tile(a, (2, 1)),
        pt.repeat(a, 2, axis=1),
        pt.repeat(x, 3),
    ]
    outputs += [
        pt.repeat(a, [1, 0, 2], axis=0),
        pt.stack([x[0], x[1], 1.0]),
        pt.alloc(x[0], 2, 3),
        pt.flip(a),
    ]
    outputs += [
        pt.eye(3) @ a,
        pt.arange(12) * x,
        pt.full((2, 2), x[3]),
        pt.diag(x[:3]),
        pt.diagonal(a, 1),
        pt.roll(x, 2),
    ]
    outputs += [
        pt.diagonal(a.reshape((2, 2, 3)), 0, 1, 2),
        pt.fill_diagonal(a, 3.0),
        pt.swapaxes(a, 0, 1),
        pt.outer(x, x[:2]),
    ]
    outputs += [
        pt.tril(a),
        pt.triu(a, 1),
        pt.broadcast_to(x[:4], (3, 4)),
        pt.pad(x, 2),
        pt.ones_like(a),
        a.size * x,
    ]
    return [a, x], outputs, [_numbers(3, 4), _numbers(12, seed=1)]


@case
def slices() -> Case:
    a, x, i = _matrix("a", 4, 5), _vector("x", 7), pt.scalar("i", dtype="int64")
    outputs = [
        a[1],
        a[-1],
        a[1:3],
        a[:, ::2],
        a[::-1, 1:-1],
        a[2, 3],
        a[..., 0],
        x[0:-3:-1],
        x[None:-3:-1],
        x[5:2],
    ]
    outputs += [a[i], a[:, i], a[i, i], a[i, 1:3], x[i - 1], a[:, 1:][i]]
    outputs += [
        pt.set_subtensor(a[1], 0.0),
        pt.set_subtensor(a[:, 1:3], x[:2]),
        pt.inc_subtensor(a[::2, 0], 1.0),
    ]
    outputs += [
        pt.inc_subtensor(x[::-2], 1.0),
        pt.set_subtensor(a[i], x[:5]),
        pt.inc_subtensor(a[i, 2], x[0]),
    ]
    outputs += [
        pt.inc_subtensor(a[1:, i], x[1:4]),
        pt.set_subtensor(a[:], x[:5]),
        pt.inc_subtensor(a[i, 1:], 2.0),
    ]
    outputs += [pt.set_subtensor(x[2], 1.0), pt.inc_subtensor(pt.zeros(7)[2:5], x[:3])]
    return [a, x, i], outputs, [_numbers(4, 5), _numbers(7, seed=1), np.int64(1)]


@case
def indices() -> Case:
    a, x = _matrix("a", 4, 5), _vector("x", 3)
    t = pt.tensor("t", shape=(2, 3, 4), dtype="float64")
    i = pt.vector("i", dtype="int64", shape=(3,))
    mask = np.array([True, False, True, True])
    outputs = [
        a[i],
        a[[0, 2, 2]],
        a[:, i],
        a[i, i],
        a[i[:, None], i],
        a[1:, i],
        t[:, i[:2], 1:],
        t[i % 2, :, i],
        t[0, i],
    ]
    outputs += [
        t[:, i, i],
        a[mask],
        t[..., mask],
        a[mask, 0],
        t[i % 2, None, 1],
        pt.take(a, i, axis=1),
        a[::-1][i],
    ]
    outputs += [pt.set_subtensor(a[i], 0.5), pt.inc_subtensor(a[i], x[:, None]), pt.inc_subtensor(a[i, i], x)]
    outputs += [
        pt.inc_subtensor(a[:, i], x),
        pt.set_subtensor(a[1:, [0, 2, 3]], x),
        pt.inc_subtensor(t[i % 2, :, i], 1.0),
    ]
    outputs += [
        pt.inc_subtensor(t[:, i, 1:], x[:, None]),
        pt.set_subtensor(a[mask], 7.0),
        pt.set_subtensor(a[a > 0], 9.0),
    ]
    outputs += [
        pt.inc_subtensor(a[a > 0], 1.0),
        pt.inc_subtensor(pt.zeros(4)[i], x),
        pt.set_subtensor(t[:, i], t[:, :1]),
    ]
    values = [_numbers(4, 5), _numbers(3, seed=1), _numbers(2, 3, 4, seed=2), np.array([2, 0, 2])]
    return [a, x, t, i], outputs, values


@case
def reductions() -> Case:
    a, t = _matrix(), pt.tensor("t", shape=(2, 3, 4), dtype="float64")
    outputs = []
    for axis in (None, 0, 2, (0, 2), (1,)):
        kept = [
            t.sum(axis),
            t.prod(axis),
            t.max(axis),
            t.min(axis),
            t.mean(axis),
            t.var(axis),
            t.argmax(axis),
            t.argmin(axis),
        ]
        outputs += [*kept, (t > 0).all(axis), (t > 0).any(axis), pt.logsumexp(t, axis=axis)]
    outputs += [
        a.sum(axis=[]),
        a.sum(axis=0, keepdims=True),
        a.std(),
        pt.max(a, axis=1, keepdims=True),
        a.norm(2),
    ]
    outputs += [
        pt.cumsum(a),
        pt.cumsum(a, axis=1),
        pt.cumprod(a, axis=0),
        pt.diff(a, axis=1),
        pt.ptp(a, axis=0),
    ]
    outputs += [
        pt.sort(a, axis=0),
        pt.sort(a),
        pt.argsort(a, axis=1),
        pt.sort(a, axis=None),
        pt.searchsorted([-1.0, 0, 1], a[0]),
    ]
    outputs += [
        pytensor.grad(t.prod(axis=1).sum(), t),
        pt.special.softmax(a, axis=1),
        pt.special.softmax(a, axis=None),
    ]
    outputs += [
        pt.special.log_softmax(a, axis=0),
        pytensor.grad((pt.special.softmax(a, axis=1) ** 2).sum(), a),
    ]
    outputs += [
        pytensor.grad((pt.special.log_softmax(a, axis=0) ** 2).sum(), a),
        pytensor.grad(a.max(axis=0).sum(), a),
    ]
    return [a, t], outputs, [_numbers(3, 4), _numbers(2, 3, 4, seed=1)]


@case
def products() -> Case:
    a, b, x, y = _matrix("a", 3, 4), _matrix("b", 4, 2), _vector("x", 4), _vector("y", 3)
    s, t = pt.tensor("s", shape=(2, 3, 4), dtype="float64"), pt.tensor("t", shape=(2, 4, 2), dtype="float64")
    outputs = [
        a @ b,
        a @ x,
        y @ a,
        x @ x,
        pt.dot(a, b),
        s @ t,
        s @ b,
        a @ t,
        pt.batched_dot(s, t),
        pt.outer(x, y),
    ]
    outputs += [
        pt.tensordot(s, t, [[2], [1]]),
        pt.dot(a, 2.0),
        s @ x,
        pt.einsum("ij,jk->ki", a, b),
        pt.linalg.matrix_dot(a, b),
    ]
    outputs += pytensor.grad(((s @ t) ** 2).sum() + (a @ b).sum() + (a @ x).sum(), [s, t, a, b, x])
    values = [_numbers(3, 4), _numbers(4, 2, seed=1), _numbers(4, seed=2), _numbers(3, seed=3)]
    return [a, b, x, y, s, t], outputs, [*values, _numbers(2, 3, 4, seed=4), _numbers(2, 4, 2, seed=5)]


@case
def decompositions() -> Case:
    a, b, v = _matrix("a", 4, 4), _matrix("b", 4, 3), _vector("v", 4)
    positive = a @ a.T + 2 * pt.eye(4)
    lower, upper = pt.linalg.cholesky(positive), pt.linalg.cholesky(positive, lower=False)
    solutions = [
        pt.linalg.solve_triangular(a, b, lower=True),
        pt.linalg.solve_triangular(a, v, lower=False),
        pt.linalg.solve_triangular(a, b, lower=True, unit_diagonal=True, b_ndim=2),
        pt.linalg.solve_triangular(lower.T, v, lower=False),
        pt.linalg.cho_solve((lower, True), b),
        pt.linalg.solve(positive, v, assume_a="pos", b_ndim=1),
        pt.linalg.solve_triangular(pt.stack([lower, 2 * lower]), b, lower=True, b_ndim=2),
    ]
    density = pt.log(pt.diag(lower)).sum() + (solutions[3] ** 2).sum()
    gradients = pytensor.grad(density, [a, v])
    failed = pt.linalg.cholesky(positive - 9.0 * pt.eye(4))
    values = [np.tril(_numbers(4, 4)) + 3 * np.eye(4) + 0.1, _numbers(4, 3, seed=1), _numbers(4, seed=2)]
    return [a, b, v], [lower, upper, *solutions, density, *gradients, failed], values


@case
def factors() -> Case:
    a, b, v = pt.tensor("a", shape=(2, 4, 4), dtype="float64"), _matrix("b", 5, 3), _vector("v", 4)
    outputs = [pt.linalg.inv(a), pt.linalg.det(a), *pt.linalg.slogdet(a)]
    outputs += [pt.linalg.solve(a, v, b_ndim=1), pt.linalg.solve(a, a[0])]
    outputs += [abs(part) for part in pt.linalg.qr(b, mode="economic")]
    outputs += [pt.linalg.svd(b, full_matrices=False, compute_uv=False)]
    values, vectors = pt.linalg.eigh(a[0])
    outputs += [values, abs(vectors), *pytensor.grad(outputs[1].sum() + outputs[4].sum(), [v])]
    matrices = _numbers(2, 4, 4) + 5 * np.eye(4)
    return [a, b, v], outputs, [matrices, _numbers(5, 3, seed=1), _numbers(4, seed=2)]


@case
def flow() -> Case:
    x, c = _vector(), pt.scalar("c", dtype="float64")
    outputs = [
        ifelse(c > 0, x, 2 * x),
        *ifelse(c < 0, [x, c], [-x, c + 1]),
        Assert("x is too large")(x, (x < 100).all()),
    ]
    inner = pytensor.compile.builders.OpFromGraph([x, c], [x * c, x.sum() + c])
    outputs += [*inner(x + 1, c), inner(2 * x, c)[0], pytensor.gradient.disconnected_grad(x) * x]
    outputs += [
        pt.switch(c > 0, x, -x),
        pt.clip(x, -1, 1),
        pt.as_tensor(3.0),
        x.copy(),
        pytensor.gradient.zero_grad(x),
    ]
    return [x, c], outputs, [_numbers(5), np.float64(0.5)]


@case
def loops() -> Case:
    """Taps, several carried values, per-step outputs, sequences with taps, backwards, and gradients of all."""
    a, b, w = pt.dscalar("a"), pt.dscalar("b"), _matrix("w", 3, 3)
    y, first, h0 = _vector("y", 6), _vector("first", 2), _vector("h0", 3)
    zero, one = pt.as_tensor(np.float64(0.0)), pt.as_tensor(np.float64(1.0))

    def scan(step, sequences=None, initial=None, others=None, **options):
        return pytensor.scan(step, sequences, initial, others, return_updates=False, **options)

    taps = scan(
        lambda y, old, new, a, b: a * new + b * old + y, y, [{"initial": first, "taps": [-2, -1]}], [a, b]
    )
    hidden = scan(lambda y, h, w: pt.tanh(w @ h + y), y, h0, w)
    total, rows = scan(
        lambda y, c: (c + y * y, pt.stack([y, c])), y, [zero, None], go_backwards=True, name="backwards"
    )
    powers = scan(lambda p, a: p * a, None, one, a, n_steps=5)
    pairs = scan(lambda here, after, p: p + here * after, [{"input": y, "taps": [0, 1]}], zero)
    pair = scan(lambda u, v, a: (v * a, u + v), None, [one, zero], a, n_steps=4)
    loss = (taps**2).sum() + (hidden[-1] ** 3).sum() + hidden.sum() + powers[-1] + pairs[-1] + pair[1].sum()
    slopes = pytensor.grad(loss, [a, b, y, first, w, h0])
    second = pytensor.grad(slopes[2].sum() + slopes[0], y)
    outputs = [taps, hidden, total, rows, powers, pairs, *pair, loss, *slopes, second]
    values = [
        np.float64(0.5),
        np.float64(0.25),
        _numbers(3, 3),
        np.linspace(0.1, 0.6, 6),
        _numbers(2),
        np.ones(3),
    ]
    return [a, b, w, y, first, h0], outputs, values


@case
def gradients() -> Case:
    x, a = _vector("x", 4), _matrix()
    loss = pt.sum(pt.tanh(a @ x) ** 2) + pt.logsumexp(a * x) + pt.sum(pt.sigmoid(a[:, 1:3]).max(axis=0))
    loss += pt.sum(pt.switch(x > 0, pt.sqrt(abs(x)), pt.exp(x))) + pt.sum(a[[0, 0, 2]] ** 3) + pt.cumsum(x)[2]
    first = pytensor.grad(loss, [x, a])
    second = pytensor.grad((first[0] ** 2).sum(), x)
    return [x, a], [loss, *first, second], [_numbers(4), _numbers(3, 4, seed=1)]


@case
def branches() -> Case:
    """What only one branch needs is in it; what both need, and branches in branches and loops."""
    x, c, w = _vector(), pt.scalar("c", dtype="float64"), _matrix("w", 5, 5)
    both = pt.tanh(w @ x)
    state = pytensor.shared(np.arange(5.0), name="state")
    one = ifelse(c > 0, pt.exp(both) + state, pt.sqrt(x * x + 1.0) * both)
    inner = ifelse(c > 1, pt.sin(x), ifelse(c > 0.25, pt.cos(x * both), x))
    pair = ifelse(pt.lt(c, 0), [pt.sum(x**3), x * c], [pt.sum(both), pt.exp(x) - c])
    known = ifelse(pt.as_tensor(np.int8(1)), pt.log1p(x * x), pt.tan(x))
    rows = pytensor.scan(
        lambda row, h: ifelse(pt.sum(row) > 0, pt.tanh(h + row), h * row), w, x, return_updates=False
    )
    outputs = [one, inner, *pair, known, rows, one.sum() + ifelse(c > 0, inner.sum(), (one * both).sum())]
    return [x, c, w], outputs, [_numbers(5), np.float64(0.5), _numbers(5, 5, seed=3)]


@case
def until() -> Case:
    """A loop that stops early: its last row, sums of its rows and how many there are."""
    y, x0, h0, w = _vector("y", 12), pt.scalar("x0", dtype="float64"), _vector("h0", 2), _matrix("w", 2, 2)
    xs = pytensor.scan(lambda y, x: (1.3 * x + y, stop_if(1.3 * x + y > 5)), y, x0, return_updates=False)
    hs, sizes = pytensor.scan(
        lambda h, w: ([pt.tanh(w @ h), pt.sum(h * h)], stop_if(pt.sum(h * h) < 0.05)),
        None,
        [h0, None],
        w,
        n_steps=9,
        return_updates=False,
    )
    outputs = [xs.sum(), xs[-1], xs[2], xs.shape[0], (xs**2).sum(), xs.max(), pt.exp(xs).prod()]
    outputs += [hs[-1], sizes[-1], sizes.mean(), hs.sum(axis=0), hs.sum(axis=1)[-2], (sizes * 2 + 1).sum()]
    values = [np.linspace(0.4, 0.9, 12), np.float64(0.2), np.array([0.7, -0.4]), 0.4 * _numbers(2, 2)]
    return [y, x0, h0, w], outputs, values


@case
def truncated() -> Case:
    """Gradients through the last steps only."""
    y, h0, w, a = _vector("y", 6), _vector("h0", 3), _matrix("w", 3, 3), pt.dscalar("a")
    hs = pytensor.scan(
        lambda y, h, w, a: pt.tanh(w @ h + y * a), y, h0, [w, a], truncate_gradient=2, return_updates=False
    )
    outputs = [hs.sum() + (hs[-1] ** 2).sum()]
    return [y, h0, w, a], outputs, [np.linspace(0.1, 0.6, 6), np.ones(3), _numbers(3, 3), np.float64(0.5)]
