#!/usr/bin/env python3
"""A training step of an LSTM (tests/python/lstm_training.py: 20 steps, batch of 16, 32 inputs, 64 units, f64,
SGD): microseconds on one thread, beside PyTensor (Numba, C) and JAX. Contenders run in turns in one process;
medians count. Every time includes the call from Python. Cohort's module is built by hand; from PyTensor's
loss, with Cohort's gradient; and from PyTensor's loss, gradient and updates.

    .venv/bin/python tools/bench/lstm_training.py [--rounds N] [--without jax,c]
"""

import argparse
import os
import pathlib
import statistics
import sys
import time

for variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"):
    os.environ[variable] = "1"
os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
os.environ["JAX_ENABLE_X64"] = "1"
sys.path[:0] = [
    str(pathlib.Path(__file__).resolve().parents[2] / name) for name in ("tools/python", "tests/python")
]

import lstm_training as lstm  # noqa: E402
import numpy as np  # noqa: E402
from common import BUILD, tool  # noqa: E402

import cohort  # noqa: E402

os.environ.setdefault("COHORT", tool())
BATCH = lstm.batch(0)


def with_cohort(module: cohort.Module):
    compiled = cohort.compile(module, BUILD / module.name)
    outputs = {"loss": np.empty(())}
    call = compiled.bind("train", dict(zip(("xs", "y"), BATCH)), outputs)

    def run() -> float:
        call()
        return float(outputs["loss"])

    return run


def with_gradient():
    """PyTensor's loss, gradient and updates."""
    inputs, loss, updates, _ = lstm.pytensor_graph()
    outputs = {"loss": loss}
    return cohort.from_pytensor(outputs, inputs, updates=updates, name="lstm_gradient", function="train")


def with_pytensor(mode: str):
    import pytensor

    inputs, loss, updates, _ = lstm.pytensor_graph()
    train = pytensor.function(inputs, loss, updates=updates, mode=mode, trust_input=True)
    return lambda: float(train(*BATCH))


def with_jax():
    import jax
    import jax.numpy as jnp

    step, (xs, y) = lstm.jax_step(), map(jnp.asarray, BATCH)
    values = {name: jnp.asarray(value) for name, value in lstm.weights().items()}

    def run() -> float:
        nonlocal values
        loss, values = jax.block_until_ready(step(values, xs, y))
        return float(loss)

    return run


CONTENDERS = {
    "cohort": lambda: with_cohort(lstm.cohort_module()),
    "loss imported": lambda: with_cohort(lstm.imported_module()),
    "gradient, too": lambda: with_cohort(with_gradient()),
    "numba": lambda: with_pytensor("NUMBA"),
    "c": lambda: with_pytensor("FAST_RUN"),
    "jax": with_jax,
}


def main() -> None:
    formatter = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=formatter)
    parser.add_argument("--rounds", type=int, default=40)
    parser.add_argument("--without", default="")
    options = parser.parse_args()
    runs = {}
    for name, make in CONTENDERS.items():
        if name in options.without.split(","):
            continue
        try:
            runs[name] = make()
        except ImportError as error:
            print(f"{name}: {error}")
    losses = {name: [run() for _ in range(3)] for name, run in runs.items()}
    for name, values in losses.items():
        np.testing.assert_allclose(values, losses["cohort"], rtol=1e-10, err_msg=name)
    times: dict[str, list[float]] = {name: [] for name in runs}
    for _ in range(options.rounds):
        for name, run in runs.items():
            run()  # after the others, caches are cold
            for _ in range(5):
                start = time.perf_counter()
                run()
                times[name].append(1e6 * (time.perf_counter() - start))
    medians = {name: statistics.median(values) for name, values in times.items()}
    for name, median in medians.items():
        print(f"{name:>18} {median:9.1f} us   {median / medians['cohort']:.2f}x")


if __name__ == "__main__":
    main()
