#!/usr/bin/env python3
"""Writes the graphs of this folder that come from other tools: the networks of tools/bench/nengo_networks.py, small,
and models of tests/python/bayesian_models.py with their gradients. They are kept as files so that the tests of
emitted CUDA need neither Nengo nor PyMC.

    COHORT=build/release/tools/cohort/cohort .venv/bin/python tests/slow/cuda/models/make.py
"""

import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[3]
sys.path[:0] = [str(ROOT / folder) for folder in ("tools/python", "tools/bench", "tests/python")]

import nengo  # noqa: E402
from bayesian_models import MODELS  # noqa: E402
from nengo_networks import NETWORKS  # noqa: E402

import cohort  # noqa: E402
from cohort.importers.nengo import to_module  # noqa: E402

SIZES = {
    "integrator": {"dimensions": 6, "neurons": 8},
    "circular_convolution": {"dimensions": 2, "neurons": 6},
    "basal_ganglia": {"actions": 2, "neurons": 6},
    "stream": {"count": 5, "neurons": 18},
    "nengo778": {"count": 12, "neurons": 5},
    "random20": {"count": 4, "neurons": 12, "dimensions": 3, "connections": 2},
}
BAYESIAN = ["eight_schools", "mixture", "poisson_counts", "garch", "gaussian_process"]


def main() -> None:
    for name, sizes in SIZES.items():
        model = nengo.builder.Model(dt=0.001)
        model.build(NETWORKS[name](**sizes))
        to_module(model, name=name).save(HERE / f"{name}.json")
    for name in BAYESIAN:
        cohort.from_pymc(MODELS[name](), name=name).module.save(HERE / f"{name}.json")


if __name__ == "__main__":
    main()
