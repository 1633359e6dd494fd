"""`cohort explain`: the story of merging as text, JSON and a page, looked at in a browser if there is one."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import quote

import numpy as np
import pytest
from backends import needs

import cohort
from cohort import ops
from cohort.tool import run_tool

pytestmark = needs("explain")

HOSTILE = "</script><script>window.broken = 1</script>"
BROWSER = shutil.which("chromium") or shutil.which("google-chrome")


def filters(names: list[str]) -> cohort.Module:
    """One variable of each name and size 20 that decays, and a product that is alike in nothing."""
    module = cohort.Module("filters")
    weights = module.constant("weights", np.arange(9.0).reshape(3, 3))
    other = module.state("other", np.ones(3))
    states = [module.state(name, np.full(20, k + 1.0)) for k, name in enumerate(names)]
    with module.function("step") as f:
        for k, state in enumerate(states):
            f.update(state, ops.cumsum(state * (0.5 + k / 64), axis=0, name=f"next_{names[k]}"))
        f.output("product", ops.matmul(weights, other))
    return module


@pytest.fixture(scope="module")
def graph(tmp_path_factory) -> Path:
    names = [f"filter{k}" for k in range(30)] + [HOSTILE]
    return filters(names).save(tmp_path_factory.mktemp("explain") / "filters.json")


def test_json_tells_groups_storages_and_near_misses(graph) -> None:
    report = json.loads(run_tool("explain", "--json", "--merge=always", graph))
    step = report["functions"]["step"]
    assert step["kernels_after"] < step["kernels_before"]
    group = max(step["groups"], key=lambda g: g["statements"])
    assert group["count"] == group["kernels_before"] == 31
    assert group["kernels_after"] == 1
    assert group["saved"] == {"calls": 30, "statements": 30 * group["statements"], "bytes": 0}
    assert group["in_kernels"]
    (copies,) = (g for g in step["groups"] if g["name"].startswith("update "))
    assert copies["in_kernels"] == group["in_kernels"]
    sizes = report["sources"]
    assert sizes["as_compiled"]["lines"] < sizes["unmerged"]["lines"]
    (storage,) = report["storages"]
    assert storage["count"] == 31
    members = storage["members"]
    assert [m["position"] for m in members] == list(range(31))
    assert {m["name"] for m in members} == {f"filter{k}" for k in range(30)} | {HOSTILE}
    assert [m["offset"] - storage["offset"] for m in members] == [160 * k for k in range(31)]
    assert storage["bytes"] == 31 * 160


def test_operands_in_common_are_read_once(tmp_path) -> None:
    module = cohort.Module("common")
    gain = module.state("gain", np.arange(20.0))
    states = [module.state(f"x{k}", np.full(20, k + 1.0)) for k in range(10)]
    with module.function("step") as f:
        for state in states:
            f.update(state, ops.cumsum(state * gain, axis=0))
    report = json.loads(
        run_tool("explain", "--json", "--merge=always", module.save(tmp_path / "common.json"))
    )
    group = max(report["functions"]["step"]["groups"], key=lambda g: g["statements"])
    assert (group["count"], group["shared"], group["tables"]) == (10, 1, 0)
    assert group["saved"]["bytes"] == 9 * 20 * 8


def test_a_node_of_another_member_is_found(graph) -> None:
    step = json.loads(run_tool("explain", "--json", "--node=next_filter7", graph))["functions"]["step"]
    storages = json.loads(run_tool("explain", "--json", graph))["storages"]
    offsets = {m["name"]: m["offset"] for m in storages[0]["members"]}
    assert len(step["kernels"]) == 1
    member = step["member"]
    assert (member["number"], member["of"]) == (7, 31)
    assert member["stands_for_it"] == "next_filter0"
    assert [(s["state"], s["offset"]) for s in member["storage"]] == [("filter7", offsets["filter7"])]
    text = run_tool("explain", "--node=next_filter7", graph)
    assert "`next_filter7` is member 7 of 31 of the loop" in text
    assert f"state `filter7`: workspace+{offsets['filter7']}, 160 bytes" in text


def test_text_tells_the_same(graph) -> None:
    text = run_tool("explain", graph)
    assert re.search(r"group \S+: 31 members of \d+ statements \(", text)
    assert re.search(
        r"31 kernels before, 1 after: 30 calls, \d+ statements and 0 bytes of operands less", text
    )
    assert re.search(
        r"storage at workspace\+\d+: 31 state variables side by side, 4960 bytes \(filter0, ", text
    )
    assert "for each of 31 alike" in text
    assert "storage at" not in run_tool("explain", "--merge=off", graph)


def test_near_misses(tmp_path) -> None:
    module = cohort.Module("inputs")
    with module.function("f") as f:
        for k in range(3):
            f.output(f"y{k}", ops.cumsum(f.input(f"x{k}", "f64[5]"), axis=0))
    path = module.save(tmp_path / "inputs.json")
    (miss,) = json.loads(run_tool("explain", "--json", path))["functions"]["f"]["near_misses"]
    assert miss["count"] == 3
    assert miss["reason"] == "one reads `x0`, another `x1`: the caller's arrays keep their place"
    assert "near miss: 3 kernels (" in run_tool("explain", path)


@needs("compile")
def test_notes_in_emitted_code_count_members(graph, tmp_path) -> None:
    run_tool("compile", "-o", tmp_path, graph)
    notes = [line for line in (tmp_path / "filters.cpp").read_text().splitlines() if line.startswith("// ")]
    assert any(line.startswith("// for each of 31 alike: next_filter0 = cumsum(") for line in notes)
    assert any(line.startswith("// matmul = matmul(") for line in notes)


@needs("compile")
def test_measured(graph) -> None:
    measured = json.loads(run_tool("explain", "--json", "--measure", graph))["measured"]["step"]
    assert measured["merged_us"] > 0
    assert measured["gain"] == pytest.approx(measured["unmerged_us"] / measured["merged_us"])


class Balance(HTMLParser):
    """Every element is closed in order; gives the scripts' texts."""

    VOID = frozenset({"meta", "input", "link", "br", "img"})

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.scripts: list[str] = []

    def handle_starttag(self, tag, attrs) -> None:
        if tag not in self.VOID:
            self.open.append(tag)
        if tag == "script":
            self.scripts.append("")

    def handle_endtag(self, tag) -> None:
        assert self.open
        assert self.open.pop() == tag

    def handle_data(self, data) -> None:
        if self.open and self.open[-1] == "script":
            self.scripts[-1] += data


@pytest.fixture(scope="module")
def page(graph, tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("page") / "page.html"
    assert run_tool("explain", "--html", path, graph) == ""
    return path


def test_the_page_is_well_formed_and_escapes_names(page) -> None:
    text = page.read_text()
    assert "http" not in text.replace("http://www.w3.org/2000/svg", "")
    parser = Balance()
    parser.feed(text)
    parser.close()
    assert parser.open == []
    assert len(parser.scripts) == 2  # the data and the code: no name has begun another
    data = json.loads(parser.scripts[0])
    (step,) = data["functions"]
    assert max(group["count"] for group in step["groups"]) == 31
    assert HOSTILE in data["storages"][0]["members"]
    assert {"filter3", "other", HOSTILE} <= {bar["name"] for bar in step["map"]["bars"]}
    assert f"next_{HOSTILE}" in {node[0] for node in step["graph"]}


def test_a_large_page_is_summarised(tmp_path) -> None:
    graph = filters([f"{'a_long_name_' * 6}{k}" for k in range(3000)]).save(tmp_path / "many.json")
    run_tool("explain", "--html", tmp_path / "page.html", graph)
    assert (tmp_path / "page.html").stat().st_size < 2_000_000


def rendered(page: Path, search: str) -> str:
    """The document after its scripts have run."""
    command = [
        BROWSER,
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--virtual-time-budget=5000",
        "--dump-dom",
    ]
    done = subprocess.run(
        [*command, f"file://{page}#search={quote(search)}"],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    return done.stdout


def rows(document: str, table: str) -> tuple[list[str], list[str]]:
    """The rows of a table's body that are shown and hidden."""
    body = re.search(rf'<table id="{table}">.*?<tbody>(.*?)</tbody>', document, re.DOTALL)[1]
    found = re.findall(r"<tr( hidden=\"\")?>(.*?)</tr>", body, re.DOTALL)
    return [text for hidden, text in found if not hidden], [text for hidden, text in found if hidden]


@pytest.mark.skipif(BROWSER is None, reason="there is no Chromium")
def test_the_page_in_a_browser(page) -> None:
    everything = rendered(page, "")
    shown, hidden = rows(everything, "kernels")
    assert len(shown) >= 2
    assert hidden == []
    assert 'window.broken = 1"' not in everything
    assert everything.count("<script") == 2
    one = rendered(page, "filter7")
    shown, hidden = rows(one, "kernels")
    assert shown
    assert any("product" in row for row in hidden)
    (storage,) = rows(one, "storages")[0]
    assert "<mark>filter7</mark>" in storage
    assert "filter8" not in storage
    assert re.search(r'<rect[^>]*class="hit"', one)
    assert re.search(r'id="found"[^>]*>[^<]*1 storage', one)
    none = rendered(page, "no such name")
    assert rows(none, "kernels")[0] == []
    assert "nothing has such a name" in none


@pytest.mark.skipif(BROWSER is None, reason="there is no Chromium")
def test_typing_filters(page, tmp_path) -> None:
    typing = """<script>
      const box = document.getElementById("search");
      box.value = "filter7";
      box.dispatchEvent(new Event("input"));
      document.body.dataset.typed = document.getElementById("found").textContent;
      box.value = "";
      box.dispatchEvent(new Event("input"));
    </script></body>"""
    copy = tmp_path / "typed.html"
    copy.write_text(page.read_text().replace("</body>", typing))
    document = rendered(copy, "product")
    assert re.search(r'data-typed="[^"]*1 storage', document)
    assert rows(document, "kernels")[1] == []  # emptied, it shows all again
