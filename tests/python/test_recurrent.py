"""Recurrent loops of many sizes and dtypes, whose products read weights that are copied before the loop: compiled
code equals the interpreter bit for bit, with threads and without, and with the gates' products merged or not.
"""

from __future__ import annotations

import numpy as np
import pytest
from backends import QUICK_BUILD, needs

import cohort
from cohort import ops
from cohort.dtypes import NUMPY
from cohort.tool import run_tool

pytestmark = [needs("compile"), needs("run")]

STEPS = 5
# Rows, inputs, units: tiles and panels that are whole, in parts, single.
SIZES = [
    (1, 70, 65),
    (2, 9, 33),
    (7, 40, 31),
    (10, 64, 32),
    (13, 37, 100),
    (14, 16, 48),
    (29, 33, 17),
    (64, 20, 24),
]
HALVES = [("f16", 3, 33, 20), ("bf16", 3, 20, 33), ("i32", 5, 40, 33), ("i8", 4, 33, 35)]


def _type(dtype: str, *shape: int) -> str:
    return f"{dtype}[{','.join(map(str, shape))}]"


def _net(dtype: str, rows: int, inputs: int, units: int) -> cohort.Module:
    """Two gates, a matrix that is read transposed, and a vector by a matrix; only operators without a last bit."""
    module = cohort.Module("net")
    body = module.body("step")
    x, h = body.input("x", _type(dtype, rows, inputs)), body.input("h", _type(dtype, rows, units))
    v = body.input("v", _type(dtype, units))
    w, u, r = (body.input(n, _type(dtype, m, units)) for n, m in (("w", inputs), ("u", units), ("r", units)))
    gate = ops.matmul(x, w) + ops.matmul(h, u)
    body.output(
        "h", ops.clip(gate, -3, 3) - ops.matmul(ops.clip(h, -1, 1), ops.transpose(r)) * ops.matmul(h, r)
    )
    body.output("v", ops.clip(ops.matmul(u, v), -2, 2))
    body.output("y", gate)
    with module.function("f") as f:
        names = {"xs": (STEPS, rows, inputs), "h": (rows, units), "v": (units,)}
        names |= {"w": (inputs, units), "u": (units, units), "r": (units, units)}
        values = [f.input(name, _type(dtype, *shape)) for name, shape in names.items()]
        for name, value in zip(
            ("h_last", "v_last", "ys"), ops.scan(body, values[:1], values[1:3], values[3:])
        ):
            f.output(name, value)
        if dtype[0] == "f":
            f.output("dz", ops.grad(_loss(module, body, names, dtype), values, ["u"])[0])
    return module


def _loss(module: cohort.Module, body, names, dtype: str):
    with module.function("loss") as loss:
        values = [loss.input(name, _type(dtype, *shape)) for name, shape in names.items()]
        h = ops.scan(body, values[:1], values[1:3], values[3:])[0]
        loss.output("loss", ops.reduce_sum(h * h))
    return loss


def _arguments(compiled: cohort.CompiledModule) -> dict[str, np.ndarray]:
    rng, made = np.random.default_rng(3), {}
    for name, type_ in compiled.input_types("f").items():
        scale = 3 if np.issubdtype(type_.numpy_dtype, np.integer) else 0.3
        made[name] = (scale * rng.standard_normal(type_.extents())).astype(type_.numpy_dtype)
    return made


def _interpreted(module: cohort.Module, folder, arguments: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    command = ["run", str(module.save(folder / "graph.json")), "--function", "f"]
    for name, value in arguments.items():
        np.save(folder / f"{name}.npy", value)
        command += ["--input", f"{name}={folder / name}.npy"]
    run_tool(*command, "--output-dir", str(folder / "outputs"))
    found = {path.stem: np.load(path) for path in (folder / "outputs").glob("*.npy")}
    return {k: v.view(NUMPY["bf16"]) if v.dtype == np.dtype("V2") else v for k, v in found.items()}


def _check(module: cohort.Module, folder, *options: str, rounded: tuple[str, ...] = ()) -> None:
    compiled = cohort.compile(module, options=[*QUICK_BUILD, *options])
    arguments = _arguments(compiled)
    (folder / "outputs").mkdir()
    found = compiled.call("f", arguments)
    for name, value in _interpreted(module, folder, arguments).items():
        if name in rounded:
            np.testing.assert_allclose(found[name], value, rtol=1e-5, atol=1e-5 * np.abs(value).max())
        else:
            np.testing.assert_array_equal(found[name], value, err_msg=name)


@pytest.mark.parametrize("rows, inputs, units", SIZES)
@pytest.mark.parametrize("dtype", ["f32", "f64"])
def test_compiled_equals_the_interpreter(tmp_path, dtype: str, rows: int, inputs: int, units: int) -> None:
    _check(_net(dtype, rows, inputs, units), tmp_path)


@pytest.mark.parametrize("dtype, rows, inputs, units", HALVES)
def test_other_dtypes(tmp_path, dtype: str, rows: int, inputs: int, units: int) -> None:
    _check(_net(dtype, rows, inputs, units), tmp_path)


@pytest.mark.parametrize("option", ["--disable=pack_weights", "--disable=split_rows", "--threads=openmp"])
def test_options_change_no_bit(tmp_path, option: str) -> None:
    _check(_net("f32", 10, 50, 130), tmp_path, option)


def test_without_merged_products(tmp_path) -> None:
    """Cotangents behind one product are summed within it, behind several ones after them: in another order."""
    _check(_net("f32", 10, 50, 130), tmp_path, "--disable=merge_narrow_products", rounded=("dz",))


@pytest.mark.parametrize("batched", [("xs",), ("h",), ("xs", "h"), ("u", "h")])
def test_vmap_of_a_net_is_the_net_of_a_batch(batched: tuple[str, ...]) -> None:
    """The loss summed over a batch and its gradients, by vmap and one example after the other."""
    steps, count, units = 6, 3, 9
    shapes = {"xs": (steps, units), "h": (units,), "u": (units, units)}
    whole = {name: (count, *shape) if name in batched else shape for name, shape in shapes.items()}
    module = cohort.Module("examples")
    body = module.body("step")
    x, h, u = (
        body.input(n, _type("f64", *s)) for n, s in (("x", (units,)), ("h", (units,)), ("u", (units, units)))
    )
    body.output("h", ops.tanh(ops.matmul(h, u) + x))
    with module.function("example") as example:
        values = [example.input(name, _type("f64", *shape)) for name, shape in shapes.items()]
        (last,) = ops.scan(body, values[:1], values[1:2], values[2:])
        example.output("loss", ops.reduce_sum(last * last))
    with module.function("batch") as batch:
        values = [batch.input(name, _type("f64", *shape)) for name, shape in whole.items()]
        (losses,) = ops.vmap(example, values, list(batched))
        batch.output("loss", ops.reduce_sum(losses))
    for name, function, sizes in (("train", batch, whole), ("train_one", example, shapes)):
        with module.function(name) as train:
            values = [train.input(n, _type("f64", *shape)) for n, shape in sizes.items()]
            for output, value in zip(("loss", *sizes), ops.value_and_grad(function, values, list(sizes))):
                train.output(f"d_{output}", value)
    compiled = cohort.compile(module, options=QUICK_BUILD)
    rng = np.random.default_rng(5)
    arguments = {name: 0.5 * rng.standard_normal(shape) for name, shape in whole.items()}
    found = compiled.call("train", arguments)
    each = [
        compiled.call("train_one", {n: a[i] if n in batched else a for n, a in arguments.items()})
        for i in range(count)
    ]
    np.testing.assert_allclose(found["d_loss"], sum(one["d_loss"] for one in each), rtol=1e-13)
    for name in shapes:
        parts = [one[f"d_{name}"] for one in each]
        expected = np.stack(parts) if name in batched else sum(parts)
        np.testing.assert_allclose(found[f"d_{name}"], expected, rtol=1e-11, atol=1e-13)
