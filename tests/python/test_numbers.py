"""Numbers given to calls, states and the builder: what a dtype cannot hold is refused, never changed."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from backends import needs

import cohort
from cohort.data import exact
from cohort.dtypes import NUMPY
from cohort.program import Program

NAN, INF = float("nan"), float("inf")

KEPT = [
    ("f64", 3, 3.0),
    ("f32", [1, True], [1.0, 1.0]),
    ("f32", [0.1, 2], [np.float32(0.1), 2.0]),
    ("f16", [NAN, INF, 1e-30], [NAN, INF, 0.0]),
    ("f64", 2**70, 2.0**70),
    ("f64", Fraction(1, 4), 0.25),
    ("bool", [True, False], [True, False]),
    ("i8", [-128, 127], [-128, 127]),
    ("i64", [1, 2.0], [1, 2]),
    ("i64", -(2**63), -(2**63)),
    ("u64", [2**64 - 1, 1], [2**64 - 1, 1]),
    ("u8", range(3), [0, 1, 2]),
    ("u8", [[], []], [[], []]),
    ("bool", [], []),
    ("i32", np.array([3.0]), [3]),
    ("f64", np.array([1.5], ">f8"), [1.5]),
    ("u64", np.array([65504.0], np.float16), [65504]),
]

LOST = [
    ("i64", 2.7, "2.7"),
    ("i64", "7", "'7'"),
    ("i64", 1 + 2j, "(1+2j)"),
    ("i64", 2**63, str(2**63)),
    ("i64", [2**63, -1], f"{2**63}` at [0]"),
    ("i64", NAN, "nan"),
    ("i32", [1, -INF], "-inf` at [1]"),
    ("i32", [1.9, -2.9], "1.9` at [0]"),
    ("i64", [1, None], "None` at [1]"),
    ("u8", [[1, 2], [3, 300]], "300` at [1, 1]"),
    ("u8", [255, -1], "-1` at [1]"),
    ("u64", np.int64(-1), "-1"),
    ("i64", np.uint64(2**63), str(2**63)),
    ("i64", 2.0**63, str(2.0**63)),
    ("u64", [2.0**64], f"{2.0**64}` at [0]"),
    ("bool", 2, "2"),
    ("bool", 0.5, "0.5"),
    ("f32", 2**24 + 1, str(2**24 + 1)),
    ("f32", 1e300, "1e+300"),
    ("f64", np.array([2**63 - 1]), f"{2**63 - 1}` at [0]"),
    ("f64", 2**70 + 1, str(2**70 + 1)),
    ("f64", 2**1100, str(2**1100)),
    ("f64", None, "None"),
    ("f64", ["1", 2], "'1'` at [0]"),
    ("f64", 1j, "1j"),
]


@pytest.mark.parametrize("dtype, value, wanted", KEPT)
def test_what_a_dtype_holds_is_kept(dtype, value, wanted) -> None:
    array = exact(value, NUMPY[dtype])
    assert array.dtype == NUMPY[dtype] and array.shape == np.shape(wanted)
    np.testing.assert_array_equal(array, np.array(wanted, NUMPY[dtype]))


@pytest.mark.parametrize("dtype, value, first", LOST)
def test_what_a_dtype_cannot_hold_is_refused(dtype, value, first) -> None:
    with pytest.raises(ValueError) as caught:
        exact(value, NUMPY[dtype])
    place = "" if "` at [" in first else "`"
    assert str(caught.value) == f"`{first}{place} is no {dtype}"


@pytest.mark.skipif("bf16" not in NUMPY, reason="bf16 needs the package ml_dtypes")
def test_numbers_of_bf16() -> None:
    for value in (0.1, 256, 2**65, Fraction(1, 3), [1, 0.5]):
        given = np.array(value, np.float64)
        np.testing.assert_array_equal(exact(value, NUMPY["bf16"]), given.astype(NUMPY["bf16"]))
    with pytest.raises(ValueError, match="`257` is no bf16"):
        exact(257, NUMPY["bf16"])
    with pytest.raises(ValueError, match=r"`3.5` at \[0\] is no i64"):
        exact(np.array([3.5], NUMPY["bf16"]), NUMPY["i64"])


def _module() -> cohort.Module:
    module = cohort.Module("numbers")
    counts = module.state("counts", [1, 2], dtype="i32")
    f = module.function("f")
    k, b, x = f.input("k", "i64[]"), f.input("b", "u8[2]"), f.input("x", "f32[2]")
    f.output("k", k * 2)
    f.output("b", b + 0)
    f.output("x", x * 1.0)
    f.output("counts", counts + 0)
    return module


def _check(program: Program) -> None:
    fine = {"k": -4, "b": [255, True], "x": [0.1, 3]}
    found = program.call("f", fine)
    assert found["k"] == -8 and found["b"].tolist() == [255, 1]
    np.testing.assert_array_equal(found["x"], np.array([0.1, 3], np.float32))
    for name, wrong, text in (
        ("k", 2.7, r"argument `k`: expected i64\[\], but `2.7` is no i64"),
        ("k", "7", "argument `k`: .*`'7'` is no i64"),
        ("k", 1 + 2j, r"argument `k`: .*`\(1\+2j\)` is no i64"),
        ("k", 2**63, f"argument `k`: .*`{2**63}` is no i64"),
        ("k", None, "argument `k`: .*`None` is no i64"),
        ("b", [300, -1], r"argument `b`: .*`300` at \[0\] is no u8"),
        ("b", [1, [2, 3]], "argument `b`: expected u8"),
        ("x", np.zeros(2), "argument `x`: .*got dtype float64"),
        ("x", np.array(["1", "2"]), "argument `x`: .*got dtype"),
    ):
        with pytest.raises(cohort.EvaluationError, match=text):
            program.call("f", {**fine, name: wrong})
    with pytest.raises(cohort.EvaluationError, match=r"argument `counts`: .*`1.9` at \[0\] is no i32"):
        program.set_state("counts", [1.9, -2.9])
    assert program.state("counts").tolist() == [1, 2]
    given = np.array([5, 6], np.int32)
    program.set_state("counts", given)
    given[:] = 0
    assert program.state("counts").tolist() == [5, 6]


def test_calls_of_an_evaluator() -> None:
    _check(cohort.Evaluator(_module()))


@needs("compile")
def test_calls_of_a_compiled_module() -> None:
    _check(cohort.compile(_module()))


def test_constants_and_states_of_a_graph() -> None:
    module = cohort.Module("m")
    module.state("x", [1, 0.1], dtype="f32")
    np.testing.assert_array_equal(module.states["x"], np.array([1, 0.1], np.float32))
    with pytest.raises(cohort.GraphError, match=r"no value of type `i32`: `1.9` at \[0\] is no i32"):
        module.state("counts", [1.9, 2], dtype="i32")
    with pytest.raises(cohort.GraphError, match="no value of type `u8`: `-1` is no u8"):
        module.constant("c", -1, dtype="u8")
