"""Linear algebra compiled, beside NumPy, SciPy and PyTensor."""

from __future__ import annotations

import functools

import numpy as np
import pytest
import scipy.linalg
from backends import QUICK_BUILD, needs

import cohort
from cohort import ops
from cohort.program import Program

pytestmark = needs("compile")
RNG = np.random.RandomState(7)
N, POINTS = 23, 12
CASES = [("f64", (N, N)), ("f32", (N, N)), ("f64", (3, 4, 4)), ("f32", (2, 9, 9))]
TIMES = np.linspace(0.0, 3.0, POINTS)


def general(shape: tuple[int, ...]) -> np.ndarray:
    return RNG.uniform(-1, 1, shape)


def positive(shape: tuple[int, ...]) -> np.ndarray:
    x = general(shape)
    return x @ np.swapaxes(x, -1, -2) + shape[-1] * np.eye(shape[-1])


def add_operators(module: cohort.Module, number: int, dtype: str, shape: tuple[int, ...]) -> None:
    with module.function(f"all_{number}") as f:
        x, p, b = (f.input(name, dtype, shape) for name in ("x", "p", "b"))
        factor = ops.cholesky(p)
        f.output("cholesky", factor)
        f.output("triangular", ops.solve_triangular(factor, b))
        f.output("transposed", ops.solve_triangular(factor, b, transpose=True))
        f.output("solve", ops.solve(x, b))
        f.output("positive", ops.solve(p, b, assume="positive"))
        f.output("inv", ops.inv(x))
        f.output("det", ops.det(x))
        names = ("sign log", "packed order", "q r", "w v", "u s vt")
        for results, parts in zip(names, (ops.slogdet(x), ops.lu(x), ops.qr(x), ops.eigh(p), ops.svd(x))):
            for name, part in zip(results.split(), parts):
                f.output(name, part)


def add_process(module: cohort.Module) -> None:
    """The log density of a Gaussian process and its gradient by scale and noise."""
    with module.function("process") as process:
        f = process
        scale, noise, y = f.input("scale", "f64[]"), f.input("noise", "f64[]"), f.input("y", "f64", (POINTS,))
        distances = np.square(TIMES[:, None] - TIMES[None, :])
        k = ops.exp(-0.5 * distances / (scale * scale)) + noise * np.eye(POINTS)
        factor = ops.cholesky(k)
        white = ops.solve_triangular(factor, y)
        f.output("logp", -0.5 * ops.reduce_sum(white * white) - ops.reduce_sum(ops.log(ops.diag(factor))))
    with module.function("gradient") as f:
        operands = [f.input("scale", "f64[]"), f.input("noise", "f64[]"), f.input("y", "f64", (POINTS,))]
        results = ops.value_and_grad(process, operands, wrt=["scale", "noise", "y"])
        for name, result in zip(("logp", "d_scale", "d_noise", "d_y"), results):
            f.output(name, result)


@functools.cache
def compiled() -> Program:
    module = cohort.Module("linalg")
    for number, (dtype, shape) in enumerate(CASES):
        add_operators(module, number, dtype, shape)
    add_process(module)
    return cohort.compile(module, options=QUICK_BUILD)


@pytest.mark.parametrize("number", range(len(CASES)))
def test_operators_are_numpys(number: int) -> None:
    dtype, shape = CASES[number]
    kind = np.float64 if dtype == "f64" else np.float32
    x, p, b = (make(shape).astype(kind) for make in (general, positive, general))
    seen = compiled().call(f"all_{number}", {"x": x, "p": p, "b": b})
    x, p, b = (each.astype(np.float64) for each in (x, p, b))
    factor = np.linalg.cholesky(p)
    condition = np.max(np.linalg.cond(x))
    precision = np.finfo(kind).eps * shape[-1] * 4

    def near(name: str, expected: np.ndarray, slack: float = 1.0) -> None:
        scale = np.max(np.abs(expected))
        np.testing.assert_allclose(seen[name], expected, rtol=0, atol=precision * slack * scale, err_msg=name)

    near("cholesky", factor)
    near("triangular", np.linalg.solve(factor, b), 10)
    near("transposed", np.linalg.solve(np.swapaxes(factor, -1, -2), b), 10)
    near("positive", np.linalg.solve(p, b), 10)
    near("solve", np.linalg.solve(x, b), condition)
    near("inv", np.linalg.inv(x), condition)
    near("det", np.linalg.det(x), condition)
    near("sign", np.linalg.slogdet(x)[0])
    near("log", np.linalg.slogdet(x)[1], condition)
    near("w", np.linalg.eigvalsh(p))
    near("s", np.linalg.svd(x, compute_uv=False))
    q, r = np.linalg.qr(x)
    near("q", q, condition)
    near("r", r, 10)
    wide = {name: part.astype(np.float64) for name, part in seen.items()}
    seen["again"] = (wide["v"] * wide["w"][..., None, :]) @ np.swapaxes(wide["v"], -1, -2)
    near("again", p)
    seen["again"] = (wide["u"] * wide["s"][..., None, :]) @ wide["vt"]
    near("again", x)
    lower = np.tril(wide["packed"], -1) + np.eye(shape[-1])
    seen["again"] = lower @ np.triu(wide["packed"])
    near("again", np.take_along_axis(x, seen["order"][..., None], -2))


def test_lu_chooses_scipys_pivots() -> None:
    x = general((N, N))
    seen = compiled().call("all_0", {"x": x, "p": positive((N, N)), "b": x})
    packed, swaps = scipy.linalg.lu_factor(x)
    order = np.arange(N)
    for i, j in enumerate(swaps):
        order[[i, j]] = order[[j, i]]
    np.testing.assert_array_equal(seen["order"], order)
    np.testing.assert_allclose(seen["packed"], packed, rtol=0, atol=1e-12)


def test_a_gaussian_process_has_pytensors_gradient() -> None:
    pytensor = pytest.importorskip("pytensor")
    pt = pytensor.tensor
    scale, noise, y = pt.dscalar("scale"), pt.dscalar("noise"), pt.dvector("y")
    k = pt.exp(-0.5 * np.square(TIMES[:, None] - TIMES[None, :]) / (scale * scale)) + noise * np.eye(POINTS)
    factor = pt.linalg.cholesky(k)
    white = pt.linalg.solve_triangular(factor, y, lower=True)
    logp = -0.5 * pt.sum(white * white) - pt.sum(pt.log(pt.diag(factor)))
    theirs = pytensor.function(
        [scale, noise, y], [logp, *pytensor.grad(logp, [scale, noise, y])], mode="FAST_COMPILE"
    )
    inputs = {"scale": 0.7, "noise": 0.1, "y": np.sin(TIMES)}
    ours = compiled().call("gradient", inputs)
    for seen, expected in zip(ours.values(), theirs(*inputs.values()), strict=True):
        np.testing.assert_allclose(seen, expected, rtol=1e-10)
