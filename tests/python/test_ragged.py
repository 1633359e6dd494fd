"""Rows of a Scan whose condition may end it early: what is read of them is PyTensor's for each number of steps,
and what PyTensor refuses is refused, be it while the graph is written or while it runs."""

from __future__ import annotations

import numpy as np
import pytest
from backends import needs

pytest.importorskip("pytensor", reason="PyTensor is not installed")

import pytensor  # noqa: E402
import pytensor.tensor as pt  # noqa: E402
from pytensor.scan.utils import until as stop_if  # noqa: E402

import cohort  # noqa: E402

MODE = pytensor.compile.mode.Mode("py", None)
MOST = 4
READS = {
    "length": lambda rows: rows.shape[0],
    "size": lambda rows: rows.size,
    "sum": lambda rows: rows.sum(),
    "product": lambda rows: rows.prod(axis=0),
    "mean": lambda rows: rows.mean(),
    "any": lambda rows: (rows > 1.0).any(),
    "all": lambda rows: (rows > 100.0).all(),
    "max": lambda rows: rows.max(),
    "min": lambda rows: rows.min(axis=0),
    **{f"row {position}": lambda rows, i=position: rows[i] for position in (0, 1, 3, 4, -1, -2, -4, -5)},
    **{f"row {position} of squares": lambda rows, i=position: (rows * rows)[i] for position in (1, -1, -3)},
}
SLICES = {
    "whole": lambda rows: rows,
    "from 1": lambda rows: rows[1:],
    "from 3": lambda rows: rows[3:],
    "from 1 from 1": lambda rows: rows[1:][1:],
    "from the end": lambda rows: rows[MOST:],
    "from behind the end": lambda rows: rows[MOST + 3 :],
}


def _rows():
    """Carried numbers, carried vectors and what a step gives beside them, of a loop that stops above 8."""
    y, x, z = pt.vector("y", shape=(MOST,)), pt.scalar("x", dtype="float64"), pt.vector("z", shape=(2,))
    found = pytensor.scan(
        lambda y, x, z: ([x + y, z * y, x - 1.0], stop_if(x + y > 8.0)), y, [x, z, None], return_updates=False
    )
    return [y, x, z], dict(zip(("numbers", "vectors", "others"), found))


def _given(steps: int) -> list[np.ndarray]:
    """Numbers with which the loop takes so many steps."""
    return [np.full(MOST, 2.0), np.float64(8.5 - 2.0 * steps), np.array([0.5, -1.5])]


def _wanted(inputs, output) -> list[np.ndarray | None]:
    """What PyTensor gives for each number of steps; None where it refuses."""
    function = pytensor.function(inputs, output, mode=MODE, on_unused_input="ignore")
    results: list[np.ndarray | None] = []
    for steps in range(1, MOST + 1):
        try:
            results.append(function(*_given(steps)))
        except (IndexError, ValueError):
            results.append(None)
    return results


def _check(program, wanted, name: str) -> None:
    for steps, expected in enumerate(wanted, 1):
        given = dict(zip(("y", "x", "z"), _given(steps)))
        if expected is None:
            with pytest.raises(cohort.EvaluationError, match="a loop that has stopped before"):
                program.call(name, given)
            continue
        got = program.call(name, given)["result"]
        assert (got.dtype, got.shape) == (expected.dtype, expected.shape), (name, steps)
        np.testing.assert_allclose(got, expected, rtol=1e-13, err_msg=f"{name} after {steps} steps")


@pytest.mark.parametrize("part", list(SLICES))
@pytest.mark.parametrize("which", ["numbers", "vectors", "others"])
def test_rows_of_a_loop_that_stops(which, part) -> None:
    with pytensor.config.change_flags(cxx=""):
        inputs, found = _rows()
        for read in READS.values():
            output = read(SLICES[part](found[which]))
            wanted = _wanted(inputs, output)
            if all(result is None for result in wanted):
                with pytest.raises(cohort.GraphError, match=f"of at most [0-{MOST}] rows"):
                    cohort.from_pytensor(output, inputs)
                continue
            _check(cohort.Evaluator(cohort.from_pytensor({"result": output}, inputs)), wanted, "f")


@needs("compile")
def test_compiled_rows_of_a_loop_that_stops() -> None:
    with pytensor.config.change_flags(cxx=""):
        inputs, found = _rows()
        for which, part, read in (
            ("numbers", "from 3", "mean"),
            ("numbers", "from 3", "row -1"),
            ("numbers", "whole", "row -2"),
            ("vectors", "from 1", "max"),
            ("others", "from 1 from 1", "length"),
        ):
            output = READS[read](SLICES[part](found[which]))
            module = cohort.from_pytensor({"result": output}, inputs)
            _check(cohort.compile(module, options=["--flag=-O0"]), _wanted(inputs, output), "f")


def test_slices_whose_length_no_loop_tells_are_refused() -> None:
    inputs, found = _rows()
    for part in (
        slice(None, 2),
        slice(None, -1),
        slice(-2, None),
        slice(None, None, 2),
        slice(None, None, -1),
    ):
        with pytest.raises(cohort.GraphError, match="begins near the end, has an end or a step"):
            cohort.from_pytensor(found["numbers"][part].sum(), inputs)
