#!/usr/bin/env python3
"""Recurrent nets: milliseconds for the sum of all outputs and its gradient by all weights (f32, 50 steps,
batch of 10), simple, GRU and LSTM, beside JAX and PyTorch where they are installed.

    .venv/bin/python tools/bench/recurrent.py [--units 100,250] [--kinds gru,lstm] [--threads N]

Every contender is a process of its own, with N threads; they run in turns, and medians count. `unmerged` is
Cohort without the passes `merge_products` and `merge_narrow_products`, so with a product for each gate.
PyTorch may be of another Python (--torch-python). Losses and gradients are compared.
"""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import time

PARSER = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
PARSER.add_argument("--units", default="100,250,1000,2000")
PARSER.add_argument("--kinds", default="simple,gru,lstm")
PARSER.add_argument("--contenders", default="cohort,unmerged,jax,torch")
PARSER.add_argument("--rounds", type=int, default=15)
PARSER.add_argument("--seconds", type=float, default=20.0, help="at most, for each line of the table")
PARSER.add_argument("--threads", type=int, default=1)
PARSER.add_argument("--torch-python", default=sys.executable)
PARSER.add_argument("--serve", help=argparse.SUPPRESS)  # the contender that this process is
ARGUMENTS = PARSER.parse_args()
for variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = str(ARGUMENTS.threads)
if ARGUMENTS.threads == 1:
    os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
sys.path[:0] = [str(pathlib.Path(__file__).resolve().parents[2] / "tools" / "python")]

import numpy as np  # noqa: E402

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
    from common import BUILD, tool

    import cohort
    from cohort import ops

    os.environ.setdefault("COHORT", tool())
    if ARGUMENTS.threads > 1:
        options = (*options, "--threads=openmp")
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


def without_merging(kind: str, units: int):
    return with_cohort(kind, units, "--disable=merge_products", "--disable=merge_narrow_products")


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
    """PyTorch's own module, with the same weights; its second biases are zeros."""
    import torch

    torch.set_num_threads(ARGUMENTS.threads)
    net = {"simple": torch.nn.RNN, "gru": torch.nn.GRU, "lstm": torch.nn.LSTM}[kind](units, units)
    arrays = {name: torch.from_numpy(array) for name, array in data(kind, units).items()}
    order = {"simple": [0], "gru": [1, 0, 2], "lstm": [0, 1, 3, 2]}[kind]  # ours, in PyTorch's order
    with torch.no_grad():
        net.weight_ih_l0.copy_(torch.cat([arrays[f"w{g}"].T for g in order]))
        net.weight_hh_l0.copy_(torch.cat([arrays[f"u{g}"].T for g in order]))
        net.bias_ih_l0.copy_(torch.cat([arrays[f"b{g}"] for g in order]))
        net.bias_hh_l0.zero_()
    start = arrays["h"][None]
    start = (start, arrays["c"][None]) if kind == "lstm" else start

    def run():
        for parameter in net.parameters():
            parameter.grad = None
        loss = net(arrays["xs"], start)[0].sum()
        loss.backward()
        found = {"loss": loss.detach()}
        for i, g in enumerate(order):
            rows = slice(i * units, (i + 1) * units)
            found[f"w{g}"] = net.weight_ih_l0.grad[rows].T
            found[f"u{g}"] = net.weight_hh_l0.grad[rows].T
            found[f"b{g}"] = net.bias_ih_l0.grad[rows]
        return [found[name] for name in ["loss", *parameters(kind, units)]]

    return run


CONTENDERS = {"cohort": with_cohort, "unmerged": without_merging, "jax": with_jax, "torch": with_torch}


def serve(name: str) -> None:
    """Answers requests of the main process, one JSON value a line, until there are no more."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # nobody else's prints
    run = None
    for line in sys.stdin:
        kind, units, count, path = json.loads(line)
        times = []
        if count == 0:
            try:
                run = CONTENDERS[name](kind, units)
            except ImportError:
                times = None
            else:
                np.savez(path, *(np.asarray(result) for result in run()))
        elif run is not None:
            run()  # after the others, caches are cold
            for _ in range(count):
                start = time.perf_counter()
                run()
                times.append(1e3 * (time.perf_counter() - start))
        print(json.dumps(times), file=answers, flush=True)


class Contender:
    def __init__(self, name: str) -> None:
        python = ARGUMENTS.torch_python if name == "torch" else sys.executable
        command = [python, __file__, "--serve", name, "--threads", str(ARGUMENTS.threads)]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, kind: str, units: int, count: int, path: pathlib.Path):
        self._process.stdin.write(json.dumps([kind, units, count, str(path)]) + "\n")
        self._process.stdin.flush()
        return json.loads(self._process.stdout.readline())


def line(contenders: dict[str, Contender], kind: str, units: int) -> dict[str, float]:
    """Medians of those that are installed, after a comparison of what they compute."""
    from common import BUILD

    BUILD.mkdir(parents=True, exist_ok=True)
    path = BUILD / "recurrent_results.npz"
    expected, ready = None, {}
    for name, contender in contenders.items():
        if (name == "unmerged" and GATES[kind] == 1) or contender.ask(kind, units, 0, path) is None:
            continue
        ready[name] = contender
        with np.load(path) as found:
            expected = expected or {key: found[key] for key in found.files}
            for key, a in expected.items():
                np.testing.assert_allclose(
                    a, found[key], rtol=2e-3, atol=2e-3 * float(np.max(np.abs(a))), err_msg=f"{name}, {key}"
                )
    times: dict[str, list[float]] = {name: [] for name in ready}
    start = time.perf_counter()
    for done in range(ARGUMENTS.rounds):
        for name, contender in ready.items():
            times[name] += contender.ask(kind, units, 3 if units <= 250 else 1, path)
        if done >= 2 and time.perf_counter() - start > ARGUMENTS.seconds:
            break
    return {name: statistics.median(values) for name, values in times.items()}


def main() -> None:
    contenders = {name: Contender(name) for name in ARGUMENTS.contenders.split(",")}
    print(f"ms, medians, {ARGUMENTS.threads} thread(s); in brackets: of the first")
    seen = {}
    for units in map(int, ARGUMENTS.units.split(",")):
        for kind in ARGUMENTS.kinds.split(","):
            medians = line(contenders, kind, units)
            first = seen[kind, units] = next(iter(medians.values()))
            shown = [f"{name} {ms:.2f} ({ms / first:.2f}x)" for name, ms in medians.items()]
            if kind == "lstm" and ("gru", units) in seen:
                shown.append(f"LSTM/GRU {first / seen['gru', units]:.2f}")
            print(f"{kind:>6} {units:>5}   " + "   ".join(shown), flush=True)


if __name__ == "__main__":
    if ARGUMENTS.serve:
        serve(ARGUMENTS.serve)
    else:
        main()
