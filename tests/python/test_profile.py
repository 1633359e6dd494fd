"""Modules that count (`--instrument`) and what `--profile` makes of it: layout, copies for common dims."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from backends import QUICK_BUILD, needs

import cohort
from cohort import ops
from cohort.tool import run_tool

pytestmark = needs("compile")


def model() -> cohort.Module:
    """A function with a named dim, which may fail, and one without."""
    module = cohort.Module("counted")
    batch = module.dim("batch", 1, 64)
    total = module.state("total", np.zeros(4))
    with module.function("rows") as f:
        x = f.input("x", "f64", [batch, 4])
        i = f.input("i", "i64[1]")
        f.update(total, total + ops.reduce_sum(x, axes=[0]))
        f.output("mean", ops.exp(ops.reduce_mean(x, axes=[0])))
        f.output("y", ops.tanh(x) * 0.5)
        f.output("z", ops.cumsum(x, axis=0))
        f.output("picked", ops.take(total, i))
    with module.function('a "quoted" name') as f:
        f.update(total, total * 0.5)
    return module


def inputs(rows: int) -> dict[str, np.ndarray]:
    return {"x": np.random.default_rng(rows).normal(size=(rows, 4)), "i": np.array([1])}


@pytest.fixture(scope="module")
def counted() -> cohort.CompiledModule:
    return cohort.compile(model(), options=[*QUICK_BUILD, "--instrument"])


def test_calls_dims_and_kernels_are_counted(counted) -> None:
    program = counted.copy()
    for rows in [32] * 9 + [7]:
        program.call("rows", inputs(rows))
    for _ in range(3):
        program.call('a "quoted" name')
    profile = program.profile()
    assert (profile["format"], profile["module"]) == ("cohort-profile", "counted")
    rows = profile["functions"]["rows"]
    assert rows["calls"] == 10
    assert rows["dims"] == {"batch": {"values": [[32, 9], [7, 1]], "other": 0}}
    assert rows["kernels"]
    assert all(kernel["calls"] == 10 and kernel["ns"] > 0 for kernel in rows["kernels"].values())
    other = profile["functions"]['a "quoted" name']
    assert (other["calls"], other["dims"]) == (3, {})


def test_values_beyond_the_first_sixteen_are_other(counted) -> None:
    program = counted.copy()
    for rows in [*range(1, 21), 20, 3]:
        program.call("rows", inputs(rows))
    dim = program.profile()["functions"]["rows"]["dims"]["batch"]
    assert dim == {"values": [[n, 1 + (n == 3)] for n in range(1, 17)], "other": 5}


def test_counts_belong_to_a_workspace_and_outlive_a_reset(counted) -> None:
    one, two = counted.copy(), counted.copy()
    one.call("rows", inputs(3))
    assert two.profile()["functions"]["rows"]["calls"] == 0
    one.reset()
    assert one.profile()["functions"]["rows"]["calls"] == 1


def test_refused_calls_are_not_counted(counted) -> None:
    program = counted.copy()
    short = program.bind('a "quoted" name', {}, {})
    short.arguments[0] = 4  # the size of the argument struct
    with pytest.raises(cohort.EvaluationError, match="struct_size"):
        short()
    with pytest.raises(cohort.EvaluationError, match="index 9"):
        program.call("rows", {**inputs(2), "i": np.array([9])})
    functions = program.profile()["functions"]
    assert functions['a "quoted" name']["calls"] == 0
    rows = functions["rows"]
    assert rows["dims"]["batch"]["values"] == [[2, 1]]
    assert min(kernel["calls"] for kernel in rows["kernels"].values()) == 0


def test_equal_calls_give_equal_counts(counted) -> None:
    def counts() -> dict:
        program = counted.copy()
        for rows in (5, 5, 8):
            program.call("rows", inputs(rows))
        profile = program.profile()
        for function in profile["functions"].values():
            for kernel in function["kernels"].values():
                del kernel["ns"]
        return profile

    assert counts() == counts()


def test_counting_changes_no_result(counted) -> None:
    program, plain = counted.copy(), cohort.compile(model(), options=QUICK_BUILD)
    for rows in (1, 32, 64):
        expected, got = plain.call("rows", inputs(rows)), program.call("rows", inputs(rows))
        assert all(expected[name].tobytes() == got[name].tobytes() for name in expected)
    with pytest.raises(cohort.CohortError, match="--instrument"):
        plain.profile()


@pytest.mark.parametrize("more", [[], ["--merge=off"], ["--threads=off", "--shards=2"]])
def test_the_copy_for_a_common_dim_gives_the_same_bits_and_all_other_values_work(
    counted, tmp_path, more
) -> None:
    program = counted.copy()
    for rows in [32] * 19 + [7]:
        program.call("rows", inputs(rows))
    program.profile(tmp_path / "stats.json")
    options = [*QUICK_BUILD, *more]
    plain = cohort.compile(model(), options=options)
    fast = cohort.compile(model(), tmp_path / "fast", [*options, "--profile", str(tmp_path / "stats.json")])
    emitted = "".join(path.read_text() for path in (tmp_path / "fast").glob("*.cpp"))
    assert "if (args->batch == 32) {" in emitted
    for rows in (32, 7, 1, 31, 33, 64, 32):
        expected, got = plain.call("rows", inputs(rows)), fast.call("rows", inputs(rows))
        assert all(expected[name].tobytes() == got[name].tobytes() for name in expected), rows
        assert plain.state("total").tobytes() == fast.state("total").tobytes()


def test_a_specialised_module_can_count_too(counted, tmp_path) -> None:
    program = counted.copy()
    program.call("rows", inputs(32))
    program.profile(tmp_path / "stats.json")
    again = cohort.compile(
        model(), options=[*QUICK_BUILD, "--instrument", "--profile", str(tmp_path / "stats.json")]
    )
    again.call("rows", inputs(32))
    again.call("rows", inputs(5))
    kernels = again.profile()["functions"]["rows"]["kernels"]
    assert {kernel["calls"] for kernel in kernels.values()} == {1}
    assert any("batch32" in name for name in kernels)


def test_cohort_run_writes_the_profile(tmp_path) -> None:
    graph = model().save(tmp_path / "graph.json")
    for folder, options in {"counted": ["--instrument"], "plain": []}.items():
        run_tool("compile", graph, "--build", "shared", "-o", tmp_path / folder, *QUICK_BUILD, *options)
    given = []
    for name, value in inputs(8).items():
        np.save(tmp_path / f"{name}.npy", value)
        given += ["--input", f"{name}={tmp_path / name}.npy"]
    run = [
        "run",
        graph,
        "--function",
        "rows",
        *given,
        "--steps",
        "4",
        "--profile-out",
        tmp_path / "stats.json",
    ]
    run_tool(*run, "--module", tmp_path / "counted" / "libcounted.so")
    stats = json.loads(Path(tmp_path / "stats.json").read_text())
    assert stats["functions"]["rows"]["dims"]["batch"]["values"] == [[8, 4]]
    # The counts of two workspaces are added.
    twice = ["--profile", tmp_path / "stats.json", "--profile", tmp_path / "stats.json"]
    run_tool("compile", graph, "-o", tmp_path / "fast", *twice)
    assert "args->batch == 8" in (tmp_path / "fast" / "counted.cpp").read_text()
    with pytest.raises(cohort.ToolError, match="counts nothing, as it is compiled without --instrument"):
        run_tool(*run, "--module", tmp_path / "plain" / "libcounted.so")
    with pytest.raises(cohort.ToolError, match="--module"):
        run_tool(*run)
