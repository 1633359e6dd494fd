#!/usr/bin/env python3
"""PyMC models: microseconds for a log density with its gradient, beside PyTensor's Numba and C modes and JAX
(f64, one thread). Calls of all contenders run in turns in one process; medians count.

    .venv/bin/python tools/bench/pymc_models.py [--models a,b] [--seconds S] [--rounds N] [--without jax,c]

Cohort and Numba are called from a loop in C through the function a sampler calls. PyTensor's C mode and JAX
have no such function: their times include the call from Python, as a sampler would pay it. `cohort` has the
observed data as constants, like the others; `cohort, data as state` can be given other data. Numba mode
compiles with LLVM's fast arithmetic (PyTensor's default), to be held against `--fp=fast`; by default Cohort
computes every element as the model says.
"""

import argparse
import ctypes
import os
import pathlib
import statistics
import sys
import time

for variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"):
    os.environ.setdefault(variable, "1")
os.environ.setdefault("XLA_FLAGS", "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1")
os.environ.setdefault("JAX_ENABLE_X64", "1")
sys.path[:0] = [
    str(pathlib.Path(__file__).resolve().parents[2] / name) for name in ("tools/python", "tests/python")
]

import nutpie  # noqa: E402
import numpy as np  # noqa: E402
from common import BUILD, FLAGS, run, tool  # noqa: E402
from bayesian_models import MODELS  # noqa: E402

import cohort  # noqa: E402

_DOUBLES = ctypes.POINTER(ctypes.c_double)


def driver():
    BUILD.mkdir(parents=True, exist_ok=True)
    library = BUILD / "libpymc_models_driver.so"
    source = pathlib.Path(__file__).with_name("pymc_models_driver.cpp")
    run(os.environ.get("CXX", "c++"), *FLAGS, "-shared", "-fPIC", source, "-o", library)
    function = ctypes.CDLL(str(library)).time_calls
    function.restype = ctypes.c_double
    function.argtypes = [ctypes.c_void_p, ctypes.c_uint64, *[_DOUBLES] * 3, ctypes.c_void_p, ctypes.c_int64]
    return function


class Native:
    """A sampler's function at an address, called from C."""

    def __init__(self, address: int, user: int, size: int, kept: object, time_calls) -> None:
        self.address, self.user, self.kept, self.time_calls = address, user, kept, time_calls
        self.x, self.gradient, self.logp = np.zeros(size), np.zeros(size), np.zeros(1)

    def seconds(self, x: np.ndarray, count: int) -> float:
        self.x[:] = x
        pointers = [array.ctypes.data_as(_DOUBLES) for array in (self.x, self.gradient, self.logp)]
        seconds = self.time_calls(self.address, x.size, *pointers, self.user, count)
        if seconds < 0:
            raise SystemExit("a call failed")
        return seconds

    def value(self, x: np.ndarray) -> tuple[float, np.ndarray]:
        self.seconds(x - np.eye(1, x.size)[0] * 1e-9, 1)
        return float(self.logp[0]), self.gradient.copy()


class FromPython:
    """A function called from Python; `wait` makes its results ready."""

    def __init__(self, function, wait=lambda results: results) -> None:
        self.function, self.wait = function, wait

    def seconds(self, x: np.ndarray, count: int) -> float:
        x = x.copy()
        start = time.perf_counter()
        for _ in range(count):
            x[0] += 1e-9
            self.wait(self.function(x))
        return time.perf_counter() - start

    def value(self, x: np.ndarray) -> tuple[float, np.ndarray]:
        logp, gradient = self.wait(self.function(x.copy()))
        return float(logp), np.asarray(gradient)


def ours(name: str, build, observed: str, gradient: str, time_calls, *options: str) -> Native:
    """Our own, compiled as a user would."""
    posterior = cohort.from_pymc(build(), name=name, observed=observed, gradient=gradient, expand=False)
    flags = (option.strip("-").replace("=", "_") for option in options)
    folder = BUILD / "_".join((name, observed, gradient, *flags))
    compiled = posterior.compile(folder, ["--threads=off", *options])
    return Native(compiled.address(), compiled.workspace, posterior.size, compiled, time_calls)


def numba(build, time_calls) -> Native:
    """PyTensor's Numba mode as nutpie compiles it."""
    model = nutpie.compile_pymc_model(build(), backend="numba")
    return Native(
        model.compiled_logp_func.address, model.user_data.ctypes.data, model.n_dim, model, time_calls
    )


def pytensor_c(build) -> FromPython:
    """PyTensor's C mode, as PyMC's samplers call it."""
    function = build().logp_dlogp_function(ravel_inputs=True, mode="FAST_RUN" if _has_c() else None)
    function.set_extra_values({})
    return FromPython(function._pytensor_function)


def _has_c() -> bool:
    import pytensor

    return bool(pytensor.config.cxx)


def jax(build) -> FromPython:
    """PyMC's log density in JAX, differentiated by JAX."""
    import jax as library
    from pymc.sampling.jax import get_jaxified_logp

    model = build()
    logp = get_jaxified_logp(model)
    parts = {part.name: part for part in cohort.from_pymc(build(), expand=False).parameters}
    order = [parts[variable.name] for variable in model.value_vars]
    both = library.value_and_grad(lambda x: logp([x[part.slice].reshape(part.shape) for part in order]))
    return FromPython(library.jit(both), library.block_until_ready)


def contenders(name: str, build, without: list[str], time_calls) -> dict:
    makers = {
        "cohort": lambda: ours(name, build, "constant", "cohort", time_calls),
        "cohort, --fp=fast": lambda: ours(name, build, "constant", "cohort", time_calls, "--fp=fast"),
        "cohort, data as state": lambda: ours(name, build, "state", "cohort", time_calls),
        "PyTensor's gradient": lambda: ours(name, build, "constant", "pytensor", time_calls),
        "the same, --fp=fast": lambda: ours(name, build, "constant", "pytensor", time_calls, "--fp=fast"),
        "numba": lambda: numba(build, time_calls),
        "c": lambda: pytensor_c(build),
        "jax": lambda: jax(build),
    }
    return {key: make() for key, make in makers.items() if key not in without}


def bench(name: str, options: argparse.Namespace, time_calls) -> None:
    build = MODELS[name]
    found = contenders(name, build, options.without.split(","), time_calls)
    size = found["cohort"].x.size
    x = np.random.default_rng(0).normal(size=size) / 4
    logp, gradient = found["cohort"].value(x)
    counts = {}
    for key, contender in found.items():
        other, slopes = contender.value(x)
        off = max(abs(other - logp) / abs(logp), np.abs(slopes - gradient).max() / np.abs(gradient).max())
        if off > 1e-9:
            print(f"  {key} differs by {off:.1e}")
        once = min(contender.seconds(x, 20) for _ in range(3)) / 20
        counts[key] = max(10, int(options.seconds / once))
    samples: dict[str, list[float]] = {key: [] for key in found}
    for _ in range(options.rounds):
        for key, contender in found.items():
            samples[key].append(1e6 * contender.seconds(x, counts[key]) / counts[key])
    medians = {key: statistics.median(values) for key, values in samples.items()}
    print(f"{name}: {size} parameters")
    for key, value in medians.items():
        ratio = value / medians["cohort"]
        print(
            f"  {key:22s} {value:10.3f} us (least {min(samples[key]):.3f})  {ratio:8.2f} x cohort", flush=True
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--models", default=",".join(MODELS), help=f"of {', '.join(MODELS)}")
    parser.add_argument("--seconds", type=float, default=0.05, help="of each contender in a round")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--without", default="", help="contenders to leave out")
    options = parser.parse_args()
    os.environ.setdefault("COHORT", tool())
    time_calls = driver()
    for name in options.models.split(","):
        bench(name, options, time_calls)


if __name__ == "__main__":
    main()
