#!/usr/bin/env python3
"""Matrix products: GFLOP/s on one thread, beside NumPy's BLAS. Both run in turns; medians count.

    .venv/bin/python tools/bench/products.py [--rounds N]

Cohort's add in order of k by fused multiply-add, whatever the size; a BLAS is free to choose its order. Which
kernels NumPy's OpenBLAS chose depends on the CPU it takes this one for: see the line printed first.
"""

import argparse
import os
import pathlib
import statistics
import sys
import time

for variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"
sys.path[:0] = [str(pathlib.Path(__file__).resolve().parents[2] / "tools" / "python")]

import numpy as np  # noqa: E402
from common import BUILD, tool  # noqa: E402

import cohort  # noqa: E402
from cohort import ops  # noqa: E402

os.environ.setdefault("COHORT", tool())
# Rows, depth, columns.
SHAPES = [
    (1, 1000, 4000),
    (10, 1000, 4000),
    (64, 1000, 1000),
    (128, 128, 128),
    (512, 512, 512),
    (1000, 1000, 1000),
]


def blas() -> str:
    try:
        from threadpoolctl import threadpool_info
    except ImportError:
        return "which BLAS NumPy has, threadpoolctl would tell"
    found = [info for info in threadpool_info() if info["user_api"] == "blas"]
    return ", ".join(f"{i['internal_api']} {i['version']} for {i.get('architecture', '?')}" for i in found)


def compiled(dtype: str) -> cohort.CompiledModule:
    module = cohort.Module(f"products_{dtype}")
    for m, k, n in SHAPES:
        with module.function(f"f_{m}_{k}_{n}") as f:
            f.output("c", ops.matmul(f.input("a", dtype, [m, k]), f.input("b", dtype, [k, n])))
    return cohort.compile(module, BUILD / module.name)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=21)
    rounds = parser.parse_args().rounds
    print(blas())
    rng = np.random.default_rng(0)
    for dtype in ("f32", "f64"):
        program = compiled(dtype)
        for m, k, n in SHAPES:
            kind = np.float32 if dtype == "f32" else np.float64
            a, b = rng.standard_normal((m, k)).astype(kind), rng.standard_normal((k, n)).astype(kind)
            ours, theirs = np.empty((m, n), kind), np.empty((m, n), kind)
            call = program.bind(f"f_{m}_{k}_{n}", {"a": a, "b": b}, {"c": ours})
            runs = {"cohort": call, "numpy": lambda a=a, b=b, theirs=theirs: np.matmul(a, b, out=theirs)}
            times: dict[str, list[float]] = {name: [] for name in runs}
            repeats = max(1, int(2e7 / (2 * m * k * n)))
            for _ in range(rounds):
                for name, run in runs.items():
                    start = time.perf_counter()
                    for _ in range(repeats):
                        run()
                    times[name].append((time.perf_counter() - start) / repeats)
            np.testing.assert_allclose(
                ours, theirs, rtol=0, atol=1e-4 * k**0.5 if dtype == "f32" else 1e-11 * k
            )
            rates = {name: 2e-9 * m * k * n / statistics.median(values) for name, values in times.items()}
            ratio = rates["cohort"] / rates["numpy"]
            shown = "   ".join(f"{name} {rate:6.1f}" for name, rate in rates.items())
            print(f"{dtype} {m:>4} x {k} x {n:<5} {shown}   {ratio:.2f}x", flush=True)


if __name__ == "__main__":
    main()
