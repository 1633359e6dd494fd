"""Training steps of an LSTM equal PyTensor's to 1e-10: built by hand, and imported from PyTensor's own graph."""

from __future__ import annotations

import numpy as np
import pytest
from backends import needs

pytest.importorskip("pytensor", reason="PyTensor is not installed")

import lstm_training as lstm  # noqa: E402
import pytensor  # noqa: E402

import cohort  # noqa: E402

pytestmark = needs("compile")
TRAINED = 4


@pytest.fixture(scope="module")
def expected():
    """Losses of some steps and the weights after them, by PyTensor in Python."""
    with pytensor.config.change_flags(cxx=""):
        inputs, loss, updates, shared = lstm.pytensor_graph()
        train = pytensor.function(inputs, loss, updates=updates, mode=pytensor.compile.mode.Mode("py", "fast_run"))
        losses = [float(train(*lstm.batch(seed))) for seed in range(TRAINED)]
    return losses, {name: variable.get_value() for name, variable in shared.items()}


def _check(compiled: cohort.CompiledModule, function: str, expected) -> None:
    losses, weights = expected
    for seed, loss in enumerate(losses):
        found = compiled.call(function, dict(zip(("xs", "y"), lstm.batch(seed))))
        np.testing.assert_allclose(next(iter(found.values())), loss, rtol=1e-10)
    for name, value in weights.items():
        np.testing.assert_allclose(compiled.state(name), value, rtol=1e-10, atol=1e-12, err_msg=name)


PLAIN = [f"--disable={name}" for name in ("merge_products", "hoist_from_loops", "pack_weights")]


@pytest.mark.parametrize("options", [[], PLAIN])
def test_a_module_by_hand(expected, options) -> None:
    _check(cohort.compile(lstm.cohort_module(), options=options), "train", expected)


def test_an_imported_loss(expected) -> None:
    _check(cohort.compile(lstm.imported_module()), "train", expected)


def test_imported_with_its_gradient(expected) -> None:
    inputs, loss, updates, _ = lstm.pytensor_graph()
    module = cohort.from_pytensor({"loss": loss}, inputs, updates=updates, function="train")
    _check(cohort.compile(module), "train", expected)
