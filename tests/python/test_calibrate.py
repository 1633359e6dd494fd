"""`cohort calibrate` measures this machine; `cohort compile --device-profile` takes what it wrote."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from backends import needs

from cohort.tool import run_tool

pytestmark = needs("calibrate")

GRAPH = {
    "format": "cohort-ir",
    "version": "1.0",
    "name": "m",
    "functions": {
        "f": {
            "inputs": {"x": "f64[200000]"},
            "nodes": [{"name": "y", "op": "mul", "inputs": ["x", 2.0]}],
            "outputs": {"y": "y"},
        }
    },
}


def test_what_is_measured_is_a_profile(tmp_path: Path) -> None:
    (tmp_path / "m.json").write_text(json.dumps(GRAPH))
    path = tmp_path / "device.json"
    table = run_tool("calibrate", "--output", str(path))
    assert "instruction_ns" in table
    profile = json.loads(path.read_text())
    assert profile["format"] == "cohort-device-profile"
    assert profile["cpu"]["lanes"] in (1, 2, 4, 8, 16)
    assert 0.01 < profile["cpu"]["instruction_ns"] < 100
    assert 1 < profile["cpu"]["function_instructions"] < 1000
    assert ("gpu" in profile) == ("no GPU found" not in table)
    run_tool("compile", str(tmp_path / "m.json"), "-o", str(tmp_path), "--device-profile", str(path))
    assert "device.json" in (tmp_path / "m.d").read_text()


def test_the_default_profile_changes_nothing(tmp_path: Path) -> None:
    (tmp_path / "m.json").write_text(json.dumps(GRAPH))
    (tmp_path / "device.json").write_text(run_tool("calibrate", "--default"))
    sources = []
    for options in ([], ["--device-profile", str(tmp_path / "device.json")]):
        run_tool("compile", str(tmp_path / "m.json"), "-o", str(tmp_path), *options)
        sources.append((tmp_path / "m.cpp").read_text())
    assert sources[0] == sources[1]


def test_constants_of_the_profile_decide(tmp_path: Path) -> None:
    (tmp_path / "m.json").write_text(json.dumps(GRAPH))
    profile = json.loads(run_tool("calibrate", "--default"))
    profile["cpu"]["fork_join_ns"] = 1e9
    (tmp_path / "device.json").write_text(json.dumps(profile))
    run_tool("compile", str(tmp_path / "m.json"), "-o", str(tmp_path))
    assert "rt_parallel_for(" in (tmp_path / "m.cpp").read_text()
    run_tool("compile", str(tmp_path / "m.json"), "-o", str(tmp_path), "--device-profile", str(tmp_path / "device.json"))
    assert "rt_parallel_for(" not in (tmp_path / "m.cpp").read_text()
