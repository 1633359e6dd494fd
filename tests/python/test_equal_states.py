"""State that cannot be set and always holds the same value: one place, as many names as before."""

from __future__ import annotations

import json
from pathlib import Path

import nengo
import numpy as np
import pytest
from backends import QUICK_BUILD, needs

import cohort
from cohort import ops, safetensors
from cohort.importers.nengo import to_module
from cohort.tool import run_tool


def filters(count: int, settable: bool = False) -> cohort.Module:
    """As many filters of one input, pairs of them with equal starts, and one that can be set."""
    module = cohort.Module("filters")
    states = [
        module.state(f"filter {k}", np.full(3, k // 2), dtype="f64", settable=settable) for k in range(count)
    ]
    own = module.state("own", np.zeros(3))
    with module.function("step") as f:
        u = f.input("u", "f64[3]")
        for state in states:
            f.update(state, 0.9 * state + 0.1 * ops.tanh(u))
        f.update(own, 0.9 * own + 0.1 * ops.tanh(u))
        f.output("total", sum(states[1:], states[0]) + own)
    with module.function("halve") as f:
        for state in states:
            f.update(state, 0.5 * state)
    return module


def run(program: cohort.Program, names: list[str]) -> list[np.ndarray]:
    rng = np.random.default_rng(0)
    results = []
    for _ in range(5):
        results.append(program.call("step", {"u": rng.normal(size=3)})["total"])
        program.call("halve")
        results += [program.state(name) for name in names]
    return results


def same(a: list[np.ndarray], b: list[np.ndarray]) -> bool:
    return len(a) == len(b) and all(x.tobytes() == y.tobytes() for x, y in zip(a, b))


@needs("compile")
@pytest.mark.parametrize("count", [10, 90])  # names as rows of the source, and in the weights
def test_every_name_answers_as_if_it_were_apart(count: int, tmp_path: Path) -> None:
    module = filters(count)
    merged = cohort.compile(module, options=QUICK_BUILD)
    apart = cohort.compile(module, options=[*QUICK_BUILD, "--merge=off"])
    names = list(merged.state_names())
    assert same(run(merged, names), run(apart, names))
    merged.set_state("own", np.arange(3.0))
    apart.set_state("own", np.arange(3.0))
    assert same(run(merged, names), run(apart, names))

    # What one saves the other loads.
    for number, (a, b) in enumerate([(merged, apart), (apart, merged), (merged, merged)]):
        a.save(tmp_path / f"{number}.safetensors")
        before = [a.state(name) for name in names]
        b.reset()
        assert [b.state(f"filter {k}")[0] for k in range(count)] == [k // 2 for k in range(count)]
        b.load(tmp_path / f"{number}.safetensors")
        assert same([b.state(name) for name in names], before)
        run(a, names)
        run(b, names)


@needs("compile")
def test_what_is_not_settable_cannot_be_set(tmp_path: Path) -> None:
    module = filters(4)
    merged = cohort.compile(module, options=QUICK_BUILD)
    evaluator = cohort.Evaluator(module)
    for program in (merged, evaluator):
        with pytest.raises(cohort.EvaluationError, match="not settable"):
            program.set_state("filter 1", np.ones(3))
        assert program.state("filter 1").tolist() == [0, 0, 0]

    # A file that says of equal variables that they differ is refused, and nothing has changed.
    evaluator.save(tmp_path / "state.safetensors")
    tensors = safetensors.read(tmp_path / "state.safetensors")
    key = safetensors.key_of("filter 3")
    tensors[key] = tensors[key] + 1
    tensors[safetensors.key_of("own")] = np.ones(3)
    safetensors.write(tmp_path / "wrong.safetensors", tensors)
    before = [merged.state(name) for name in merged.state_names()]
    with pytest.raises(cohort.EvaluationError, match="always equals"):
        merged.load(tmp_path / "wrong.safetensors")
    assert same([merged.state(name) for name in merged.state_names()], before)


@needs("explain")
def test_explain_names_them_and_settable_ones_stay_apart(tmp_path: Path) -> None:
    module = filters(6)
    graph = module.save(tmp_path / "filters.json")
    equal = json.loads(run_tool("explain", "--json", graph))["equal_states"]
    assert [entry["others"] for entry in equal] == [["filter 1"], ["filter 3"], ["filter 5"]]
    assert "`filter 2` is computed once for 1 more that always equal it (filter 3)" in run_tool("explain", graph)
    assert "equal_states" not in json.loads(run_tool("explain", "--json", "--merge=off", graph))
    graph = filters(6, settable=True).save(tmp_path / "settable.json")
    assert "equal_states" not in json.loads(run_tool("explain", "--json", graph))


@needs("verify")
@pytest.mark.parametrize("merge", ["auto", "off", "always"])
def test_verify_starts_from_states_that_can_be(merge: str, tmp_path: Path) -> None:
    graph = filters(6).save(tmp_path / "filters.json")
    assert "FAIL" not in run_tool("verify", f"--merge={merge}", graph)


def fan(count: int) -> nengo.Network:
    """One signal through as many equal filters into ensembles, and out through as many again."""
    with nengo.Network(seed=0) as network:
        source, target = nengo.Node([0.5]), nengo.Node(size_in=1)
        for _ in range(count):
            ensemble = nengo.Ensemble(5, 1)
            nengo.Connection(source, ensemble)
            nengo.Connection(ensemble, target)
        nengo.Probe(target)
    return network


@needs("compile")
def test_filters_of_one_signal_in_a_nengo_model_are_one(tmp_path: Path) -> None:
    module = to_module(fan(20), settable=False)
    merged = cohort.compile(module, options=QUICK_BUILD)
    apart = cohort.compile(module, options=[*QUICK_BUILD, "--merge=off"])
    for _ in range(60):
        a, b = merged.call("step"), apart.call("step")
        assert all(a[name].tobytes() == b[name].tobytes() for name in a)
    names = merged.state_names()
    assert same([merged.state(name) for name in names], [apart.state(name) for name in names])
    equal = json.loads(run_tool("explain", "--json", module.save(tmp_path / "fan.json")))["equal_states"]
    assert max(entry["count"] for entry in equal) == 19
