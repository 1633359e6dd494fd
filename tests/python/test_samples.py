"""The committed sample: its graph gives the committed values, and the documented command makes it anew."""

from __future__ import annotations

import json
import shutil
import subprocess

import numpy as np
import pytest
from backends import needs
from conftest import ROOT

import cohort
from cohort.importers.nengo.__main__ import main

SAMPLE = ROOT / "samples" / "nengo_channel"


def stimulus() -> np.ndarray:
    step = np.arange(1, 1001)
    return np.abs((step % 512) / 256.0 - 1.0)[:, None]


def test_channel_gives_what_nengo_recorded() -> None:
    graph = cohort.Evaluator(SAMPLE / "channel.json")
    received = np.stack([graph.step(u)["received"] for u in stimulus()])
    expected = np.load(SAMPLE / "expected.npy")
    assert np.ptp(expected) > 0.5
    np.testing.assert_allclose(received, expected, rtol=1e-9, atol=1e-9)


def test_channel_is_what_the_command_makes(tmp_path) -> None:
    made = []
    for name in ("a.json", "b.json"):
        arguments = [f"{SAMPLE / 'model.py'}:model", "-o", str(tmp_path / name), "--input", "stimulus=u"]
        assert main(arguments) == 0
        made.append((tmp_path / name).read_bytes())
    assert made[0] == made[1]
    new, old = json.loads(made[0]), json.loads((SAMPLE / "channel.json").read_text())
    assert new["functions"] == old["functions"]
    assert new["state"] == old["state"]
    for name, constant in old[
        "constants"
    ].items():  # solved by NumPy, whose rounding depends on the processor
        np.testing.assert_allclose(new["constants"][name]["data"], constant["data"], rtol=1e-9)


@needs("compile")
@pytest.mark.skipif(shutil.which("cc") is None, reason="there is no C compiler")
def test_channel_driver(tmp_path) -> None:
    """The C program, compiled with all warnings, steps the module as Nengo did."""
    cohort.compile(SAMPLE / "channel.json", tmp_path)
    program = tmp_path / "channel"
    warnings = "-Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror".split()
    includes = [f"-I{tmp_path}", f"-I{ROOT / 'runtime' / 'include'}"]
    libraries = [f"-L{tmp_path}", "-lchannel", f"-Wl,-rpath,{tmp_path}", "-lm"]
    command = ["cc", "-std=c11", *warnings, *includes, str(SAMPLE / "main.c"), *libraries, "-o", str(program)]
    subprocess.run(command, check=True)
    done = subprocess.run([program, SAMPLE / "expected.npy"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.startswith("1000 steps")
