"""Compiled modules through the loader: calls, named state, dims, errors, print, checkpoints, hostile
names."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from backends import needs
from test_builder import HOSTILE, toy

import cohort
from cohort import ops, safetensors

pytestmark = needs("compile")


@pytest.fixture(scope="module")
def mixed() -> cohort.CompiledModule:
    """A module with a named dim, an index, an assertion, a print and state."""
    module = cohort.Module("mixed")
    batch = module.dim("batch", 1, 4)
    total = module.state("total", np.zeros(3))
    counts = module.state("counts", np.zeros((2, 2), np.int32))
    with module.function("add_rows") as f:
        x = f.input("x", "f64", [batch, 3])
        f.update(total, total + ops.reduce_sum(x, axes=[0]))
        f.output("doubled", x * 2.0)
    with module.function("pick") as f:
        i = f.input("i", "i64[1]")
        f.output("y", ops.take(total, i))
        f.update(counts, counts + 1)
    with module.function("positive") as f:
        x = f.input("x", "f64[2]")
        f.output("y", ops.assert_(x, x > 0.0, message="weights must be positive"))
    with module.function("shown") as f:
        x = f.input("x", "f32[2]")
        f.output("y", ops.print_(x, message="x is"))
    with module.function("counting") as f:
        f.output("n", ops.iota([batch], function=f))
    return cohort.compile(module)


def test_the_workspace_toy() -> None:
    graph = cohort.compile(toy())
    graph.f()
    assert [graph.state("x").tolist(), graph.state("y").tolist()] == [[2, 4], [4, 6]]
    graph.f()
    assert [graph.state("x").tolist(), graph.state("y").tolist()] == [[4, 8], [6, 10]]
    graph.set_state("x", [10, 20])
    graph.f()
    assert [graph.state("x").tolist(), graph.state("y").tolist()] == [[20, 40], [16, 30]]
    graph.reset()
    assert graph.state("x").tolist() == [1, 2]


def test_named_dims(mixed) -> None:
    """case 31: an extent out of range names argument and dimension."""
    mixed.reset()
    for rows in (1, 3, 4):
        x = np.arange(rows * 3.0).reshape(rows, 3)
        assert mixed.add_rows(x)["doubled"].tolist() == (2 * x).tolist()
    with pytest.raises(cohort.EvaluationError, match="`batch` in 1..4"):
        mixed.add_rows(np.zeros((5, 3)))
    with pytest.raises(cohort.EvaluationError, match="argument `x`, axis 1: expected 3 = 3, got 2"):
        mixed.add_rows(np.zeros((1, 2)))
    assert mixed.call("counting", dims={"batch": 3})["n"].tolist() == [0, 1, 2]
    with pytest.raises(cohort.EvaluationError, match="no input determines the dim `batch`"):
        mixed.counting()


def test_wrong_arguments(mixed) -> None:
    with pytest.raises(cohort.EvaluationError, match="expected f64"):
        mixed.positive(np.zeros(2, np.complex128))
    with pytest.raises(cohort.EvaluationError, match="input `x` is missing"):
        mixed.positive()
    with pytest.raises(cohort.EvaluationError, match="no input `z`"):
        mixed.positive([1, 2], z=1)
    with pytest.raises(cohort.EvaluationError, match="no function `nothing`"):
        mixed.call("nothing")
    with pytest.raises(AttributeError, match="no function `nothing`"):
        mixed.nothing()
    with pytest.raises(cohort.EvaluationError, match="no state variable `nothing`"):
        mixed.state("nothing")


def test_errors_of_the_record(mixed) -> None:
    mixed.reset()
    assert mixed.pick([-1])["y"].tolist() == [0]
    for index in (3, -4):
        with pytest.raises(cohort.EvaluationError, match=f"take.*{index}.*3"):
            mixed.pick([index])
    assert mixed.state("counts").tolist() == [[1, 1], [1, 1]], "a failed call changes no state"
    assert mixed.positive([1.0, 2.0])["y"].tolist() == [1, 2]
    with pytest.raises(cohort.EvaluationError, match="weights must be positive"):
        mixed.positive([1.0, -2.0])


def test_arrays_of_any_layout(mixed) -> None:
    mixed.reset()
    wide = np.arange(24.0).reshape(4, 6)[:, ::2]
    assert mixed.add_rows(wide)["doubled"].tolist() == (2 * wide).tolist()
    assert mixed.add_rows(np.asfortranarray(wide))["doubled"].tolist() == (2 * wide).tolist()
    assert mixed.add_rows([[1, 2, 3]])["doubled"].tolist() == [[2, 4, 6]]


def test_print_reaches_the_hook(tmp_path) -> None:
    module = cohort.Module("noisy")
    f = module.function("f")
    x = f.input("x", "f32[2]")
    f.output("y", ops.print_(x, message="x is"))
    seen = []
    graph = cohort.compile(module, print_hook=lambda message, value: seen.append((message, value)))
    assert graph.f(np.float32([1, 2]))["y"].tolist() == [1, 2]
    assert [(message, value.dtype, value.tolist()) for message, value in seen] == [
        ("x is", np.float32, [1, 2])
    ]


@needs("run")
def test_run_shows_what_a_module_prints(tmp_path) -> None:
    module = cohort.Module("talk")
    f = module.function("f")
    x = f.input("x", "f32[2,3]")
    f.output("y", ops.print_(x * 2, message="twice") + 1)
    f.output("n", ops.print_(ops.reduce_sum(x), message="sum"))
    cohort.compile(module, tmp_path)
    np.save(tmp_path / "x.npy", np.arange(6, dtype=np.float32).reshape(2, 3))
    command = ["run", str(module.save(tmp_path / "graph.json")), "--input", f"x={tmp_path / 'x.npy'}"]
    interpreted = cohort.tool.run_tool(*command)
    assert "twice" in interpreted and "sum" in interpreted
    assert cohort.tool.run_tool(*command, "--module", str(tmp_path / "libtalk.so")) == interpreted


def test_checkpoints(mixed, tmp_path) -> None:
    mixed.reset()
    mixed.add_rows([[1, 2, 3]])
    path = tmp_path / "state of é.safetensors"
    mixed.save(path)
    assert {name: array.tolist() for name, array in safetensors.read(path).items()} == {
        "total": [1, 2, 3],
        "counts": [[0, 0], [0, 0]],
    }
    mixed.reset()
    mixed.load(path)
    assert mixed.state("total").tolist() == [1, 2, 3]
    safetensors.write(path, {"total": np.zeros(2), "counts": np.zeros((2, 2), np.int32)})
    with pytest.raises(cohort.EvaluationError, match="total"):
        mixed.load(path)
    with pytest.raises(cohort.EvaluationError):
        mixed.load(tmp_path / "missing.safetensors")
    assert mixed.state("total").tolist() == [1, 2, 3]


def test_copies_have_state_of_their_own(mixed) -> None:
    mixed.reset()
    mixed.add_rows([[1, 2, 3]])
    other = mixed.copy()
    other.add_rows([[1, 1, 1]])
    assert (mixed.state("total").tolist(), other.state("total").tolist()) == ([1, 2, 3], [2, 3, 4])


def test_hostile_names() -> None:
    """case 28"""
    module = cohort.Module("class")
    f = module.function("")
    names = [name for name in HOSTILE if name != "__metadata__"]  # safetensors' own; the compiler refuses it
    for index, name in enumerate(names):
        state = module.state(name, np.full(3, float(index)))
        f.update(state, ops.add(state, 1.0, name=name))
        f.output(name, state)
    graph = cohort.compile(module)
    results = graph.call("")
    assert {name: value[0] for name, value in results.items()} == {name: i for i, name in enumerate(names)}
    assert [graph.state(name)[0] for name in names] == [i + 1.0 for i in range(len(names))]


def test_every_dtype_goes_through_a_call() -> None:
    dtypes = sorted(set(cohort.dtypes.NUMPY) - {"bf16"})
    module = cohort.Module("dtypes")
    f = module.function("f")
    for dtype in dtypes:
        f.output(f"out_{dtype}", ops.copy(f.input(f"in_{dtype}", f"{dtype}[3]")))
    graph = cohort.compile(module)
    inputs = {f"in_{dtype}": np.array([0, 1, 1]).astype(cohort.dtypes.NUMPY[dtype]) for dtype in dtypes}
    for name, value in graph.call("f", inputs).items():
        given = inputs[name.replace("out", "in")]
        assert (value.dtype, value.tobytes()) == (given.dtype, given.tobytes())


def test_loading_by_folder_library_and_manifest(tmp_path) -> None:
    cohort.compile(toy(), tmp_path)
    libraries = [path for path in tmp_path.iterdir() if path.suffix in (".so", ".dylib")]
    assert len(libraries) == 1
    for path in (tmp_path, libraries[0], next(tmp_path.glob("*.manifest.json"))):
        graph = cohort.load(path)
        graph.f()
        assert graph.state("x").tolist() == [2, 4]
    with pytest.raises(cohort.CohortError, match="found 0"):
        (tmp_path / "empty").mkdir()
        cohort.load(tmp_path / "empty")


def test_what_is_built_anew_in_a_folder_is_what_runs(tmp_path) -> None:
    """As in a notebook: the system's loader gives the library that it opened under this path before."""
    kept = []
    for factor in (2, 3, 2, 5):
        module = cohort.Module("again")
        f = module.function("f")
        f.output("y", f.input("x", "f64[3]") * factor)
        kept.append((factor, cohort.compile(module, tmp_path)))
        for expected, program in kept:
            assert program.call("f", {"x": np.ones(3)})["y"].tolist() == [expected] * 3
    assert [path for path in tmp_path.iterdir() if path.suffix == ".so"] == [tmp_path / "libagain.so"]


def test_what_the_compiler_refuses_is_told(tmp_path) -> None:
    module = cohort.Module("wrong", locations=True)
    f = module.function("f")
    f.output("y", ops.matmul(f.input("a", "f64[2,3]"), f.input("b", "f64[2,3]")))
    with pytest.raises(cohort.ToolError, match="(?s)status 1.*matmul"):
        cohort.compile(module)


@needs("verify")
def test_verify_says_which_distance_it_tells(tmp_path: Path) -> None:
    """Of an element in its own ulp; what counts for the bounds where that is another number; and why."""
    module = cohort.Module("distances")
    with module.function("exact") as f:
        f.output("y", f.input("x", "f32[64]") + 1.0)
    with module.function("inexact") as f:
        f.output("y", ops.exp(f.input("x", "f32[4096]")))
    with module.function("cancels") as f:
        x = f.input("x", "f32[4096]")
        f.output("y", ops.tanh(x * 1.0001) - ops.tanh(x))
    lines = cohort.tool.run_tool("verify", module.save(tmp_path / "m.json")).splitlines()
    distance = r"off by at most \S+ ulp in `y`(, counted as at most \S+ in `y`)?"
    assert re.fullmatch(r"exact +ok +no difference", lines[0])
    assert re.fullmatch(rf"inexact +ok +({distance}|no difference)", lines[1])
    assert re.fullmatch(rf"cancels +ok +{distance}; allowed for what errors grow to on the way", lines[2])
    explained = any("counted as" in line for line in lines)
    assert [line.startswith("counted: in ulp of the element, but") for line in lines[3:]] == [
        True
    ] * explained
