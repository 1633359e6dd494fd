#!/usr/bin/env python3
"""Recurrent nets: milliseconds for the sum of all outputs and its gradient by all weights (f32, 50 steps,
batch of 10), simple, GRU and LSTM, beside JAX and PyTorch where they are installed. Contenders run in turns;
medians count.

    .venv/bin/python tools/bench/recurrent.py [--units 100,250] [--kinds gru,lstm] [--rounds N] [--threads N]

`unmerged` is Cohort without the pass `merge_products`, so with a product for each gate. Cohort runs on one
thread.
"""

import argparse
import os
import pathlib
import statistics
import sys
import time

PARSER = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
PARSER.add_argument("--units", default="100,250,1000")
PARSER.add_argument("--kinds", default="simple,gru,lstm")
PARSER.add_argument("--rounds", type=int, default=15)
PARSER.add_argument("--threads", type=int, default=1, help="of JAX and PyTorch")
ARGUMENTS = PARSER.parse_args()
for variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(variable, str(ARGUMENTS.threads))
if ARGUMENTS.threads == 1:
    os.environ.setdefault("XLA_FLAGS", "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1")
sys.path[:0] = [str(pathlib.Path(__file__).resolve().parents[2] / "tools" / "python")]

import numpy as np  # noqa: E402
from common import BUILD, tool  # noqa: E402

import cohort  # noqa: E402
from cohort import ops  # noqa: E402

os.environ.setdefault("COHORT", tool())
STEPS, BATCH = 50, 10
GATES = {"simple": 1, "gru": 3, "lstm": 4}


def cell(kind: str, x, h, c, w, u, b, m):
    """One step by the functions of `m`: (new h, new c). Biases stand with the input's products."""
    gates = [m.matmul(x, w[g]) + b[g] for g in range(GATES[kind])]
    if kind == "simple":
        return m.tanh(gates[0] + m.matmul(h, u[0])), None
    if kind == "gru":
        update = m.sigmoid(gates[0] + m.matmul(h, u[0]))
        reset = m.sigmoid(gates[1] + m.matmul(h, u[1]))
        candidate = m.tanh(gates[2] + reset * m.matmul(h, u[2]))
        return candidate + update * (h - candidate), None
    put, keep, give = (m.sigmoid(gates[g] + m.matmul(h, u[g])) for g in range(3))
    c = keep * c + put * m.tanh(gates[3] + m.matmul(h, u[3]))
    return give * m.tanh(c), c


def parameters(kind: str, units: int) -> list[str]:
    return [f"{name}{gate}" for name in "wub" for gate in range(GATES[kind])]


def shape(name: str, units: int) -> tuple[int, ...]:
    if name == "xs":
        return (STEPS, BATCH, units)
    return {"w": (units, units), "u": (units, units), "b": (units,)}.get(name[0], (BATCH, units))


def with_cohort(kind: str, units: int, *options: str):
    module = cohort.Module(f"{kind}{units}")
    names = parameters(kind, units)
    carried = ["h", "c"] if kind == "lstm" else ["h"]

    def type_of(name: str) -> str:
        return f"f32[{','.join(map(str, shape(name, units)))}]"

    body = module.body("step")
    x = body.input("x", f"f32[{BATCH},{units}]")
    h, c = (body.input(name, type_of(name)) if name in carried else None for name in "hc")
    given = {name: body.input(name, type_of(name)) for name in names}
    w, u, b = ([given[f"{n}{g}"] for g in range(GATES[kind])] for n in "wub")
    h, c = cell(kind, x, h, c, w, u, b, ops)
    for name, value in zip(carried, (h, c)):
        body.output(name, value)
    body.output("y", h)
    inputs = ["xs", *carried, *names]
    with module.function("loss") as loss:
        values = [loss.input(name, type_of(name)) for name in inputs]
        count = 1 + len(carried)
        loss.output("loss", ops.reduce_sum(ops.scan(body, values[:1], values[1:count], values[count:])[-1]))
    with module.function("train") as train:
        results = ops.value_and_grad(loss, [train.input(name, type_of(name)) for name in inputs], names)
        for name, value in zip(["loss", *names], results):
            train.output(f"d_{name}", value)
    folder = BUILD / f"recurrent_{kind}{units}_{'_'.join(options) or 'merged'}"
    compiled = cohort.compile(module, folder, options=list(options))
    arrays = data(kind, units)
    outputs = {"d_loss": np.empty((), np.float32)}
    outputs |= {f"d_{name}": np.empty(shape(name, units), np.float32) for name in names}
    call = compiled.bind("train", arrays, outputs)

    def run():
        call()
        return [outputs[f"d_{name}"] for name in ["loss", *names]]

    return run


def data(kind: str, units: int) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(units)
    names = ["xs", "h", *(["c"] if kind == "lstm" else []), *parameters(kind, units)]
    scale = 1 / np.sqrt(units)
    return {n: (scale * rng.standard_normal(shape(n, units))).astype(np.float32) for n in names}


def with_jax(kind: str, units: int):
    import jax
    import jax.numpy as jnp

    class Functions:
        matmul, tanh, sigmoid = staticmethod(jnp.matmul), staticmethod(jnp.tanh), staticmethod(jax.nn.sigmoid)

    arrays = {name: jnp.asarray(array) for name, array in data(kind, units).items()}
    names = parameters(kind, units)

    def loss(values):
        w, u, b = ([values[f"{n}{g}"] for g in range(GATES[kind])] for n in "wub")

        def step(carry, x):
            h, c = cell(kind, x, carry[0], carry[1], w, u, b, Functions)
            return (h, carry[1] if c is None else c), h

        start = (arrays["h"], arrays.get("c", arrays["h"]))
        return jax.lax.scan(step, start, arrays["xs"])[1].sum()

    function = jax.jit(jax.value_and_grad(loss))
    values = {name: arrays[name] for name in names}

    def run():
        value, gradients = jax.block_until_ready(function(values))
        return [value, *(gradients[name] for name in names)]

    return run


def with_torch(kind: str, units: int):
    """PyTorch's own module: its biases and the place of GRU's reset gate are the same as here."""
    import torch

    torch.set_num_threads(ARGUMENTS.threads)
    net = {"simple": torch.nn.RNN, "gru": torch.nn.GRU, "lstm": torch.nn.LSTM}[kind](units, units)
    xs = torch.from_numpy(data(kind, units)["xs"])

    def run():
        net.zero_grad()
        net(xs)[0].sum().backward()
        return None

    return run


def main() -> None:
    print(f"{'':14} ms, median of {ARGUMENTS.rounds}; ratios to cohort")
    for kind in ARGUMENTS.kinds.split(","):
        for units in map(int, ARGUMENTS.units.split(",")):
            runs = {"cohort": with_cohort(kind, units)}
            if GATES[kind] > 1:
                runs["unmerged"] = with_cohort(kind, units, "--disable=merge_products")
            for name, make in {"jax": with_jax, "torch": with_torch}.items():
                try:
                    runs[name] = make(kind, units)
                except ImportError:
                    pass
            expected = runs["cohort"]()
            for name, run in runs.items():
                found = run()
                if found is not None:
                    for a, b in zip(expected, found):
                        np.testing.assert_allclose(a, b, rtol=2e-3, atol=2e-3 * float(np.max(np.abs(a))))
            times: dict[str, list[float]] = {name: [] for name in runs}
            for _ in range(ARGUMENTS.rounds):
                for name, run in runs.items():
                    start = time.perf_counter()
                    run()
                    times[name].append(1e3 * (time.perf_counter() - start))
            medians = {name: statistics.median(values) for name, values in times.items()}
            shown = [f"{n} {m:.2f} ({m / medians['cohort']:.2f}x)" for n, m in medians.items()]
            print(f"{kind:>6} {units:>5}   " + "   ".join(shown), flush=True)


if __name__ == "__main__":
    main()
