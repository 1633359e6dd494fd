"""What `cohort explain --placement` tells: four policies side by side, the cut, transfers, where state lives."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from backends import needs

from cohort.tool import ToolError, run_tool

pytestmark = needs("calibrate")

# An input of 32 MB that is used much, state of the same size, sums that come back.
GRAPH = {
    "format": "cohort-ir",
    "version": "1.0",
    "name": "m",
    "state": {"s": {"type": "f32[8000,1000]", "init": 0}},
    "functions": {
        "step": {
            "inputs": {"x": "f32[8000,1000]"},
            "nodes": [
                {"name": "a", "op": "tanh", "inputs": ["x"]},
                {"name": "b", "op": "sin", "inputs": ["a"]},
                {"name": "c", "op": "add", "inputs": ["s", "b"]},
                {"name": "d", "op": "exp", "inputs": ["c"]},
                {"name": "total", "op": "reduce_sum", "inputs": ["d"], "attrs": {"axes": [1]}},
            ],
            "outputs": {"total": "total"},
            "updates": {"s": "c"},
        }
    },
}


@pytest.fixture
def graph(tmp_path: Path) -> Path:
    path = tmp_path / "m.json"
    path.write_text(json.dumps(GRAPH))
    return path


def placement(graph: Path, *options: str) -> dict:
    return json.loads(run_tool("explain", str(graph), "--placement", "--json", *options))["placement"]


def test_four_policies_and_the_cut(graph: Path) -> None:
    told = placement(graph)
    cost = {policy["policy"]: policy for policy in told["policies"]}
    assert list(cost) == ["cpu", "gpu", "greedy", "cut"]
    assert all(cost["cut"]["us"] <= other["us"] for other in told["policies"])
    assert cost["cpu"]["transfer_us"] == 0
    assert told["policy"] == "cut"
    assert {kernel["on"] for kernel in told["kernels"]} == {"gpu"}
    crossing = {(transfer["value"], transfer["direction"]): transfer["bytes"] for transfer in told["transfers"]}
    assert crossing == {("x", "up"): 32e6, ("total", "down"): 32e3}
    assert told["state"] == [{"names": ["s"], "on": "gpu"}]


def test_a_slow_link_keeps_everything_on_the_cpu(graph: Path, tmp_path: Path) -> None:
    profile = json.loads(run_tool("calibrate", "--default"))
    profile["gpu"]["link_bytes_per_ns"] = 0.01
    (tmp_path / "device.json").write_text(json.dumps(profile))
    told = placement(graph, "--device-profile", str(tmp_path / "device.json"))
    assert {kernel["on"] for kernel in told["kernels"]} == {"cpu"}
    assert told["transfers"] == []


def test_text_and_page(graph: Path, tmp_path: Path) -> None:
    text = run_tool("explain", str(graph), "--placement")
    assert "placement by cut" in text
    assert "state s lives on the GPU" in text
    page = tmp_path / "page.html"
    run_tool("explain", str(graph), "--placement", "--html", str(page))
    assert '"placement"' in page.read_text()


def test_an_unknown_policy_is_refused(graph: Path) -> None:
    with pytest.raises(ToolError, match="placement"):
        run_tool("compile", str(graph), "--target", "cuda", "--placement", "best")
