"""The sample's search server under an unknown name: the numbers stay, and the report says so."""

from __future__ import annotations

import json
import re
import shutil
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from groundtrace.config import settings_from
from groundtrace.demo import write_sample
from groundtrace.tools import is_known_tool
from tests.conftest import Ran, fixed

Call = Callable[..., Ran]


@pytest.fixture(scope="module")
def renamed_source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample with `acme-search` for `sourcegraph` in every trace."""
    folder = tmp_path_factory.mktemp("renamed")
    write_sample(folder)
    for file in (folder / "runs").rglob("*"):
        if file.is_file():
            text = file.read_text(encoding="utf-8")
            text = text.replace("mcp__sourcegraph__", "mcp__acme-search__")
            text = re.sub(r'"name": ?"sourcegraph"', '"name": "acme-search"', text)
            file.write_text(text, encoding="utf-8")
    return folder


@pytest.fixture
def renamed(renamed_source: Path, tmp_path: Path) -> Path:
    """The same, to be changed at will."""
    shutil.copytree(renamed_source, tmp_path / "renamed")
    return tmp_path / "renamed"


@pytest.fixture(scope="module")
def whole_run(renamed_source: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Ran]:
    """A whole run of it, made once: its folder, and what it said."""
    folder = tmp_path_factory.mktemp("renamed_run") / "sample"
    shutil.copytree(renamed_source, folder)
    with fixed() as call:
        ran = call("run", folder / "runs/official", "--tasks", folder / "benchmarks")
    assert ran.code == 0, ran.err
    return folder, ran


def summary_of(folder: Path) -> dict[str, Any]:
    place = folder / "runs/official/retrieval_events_aggregate/run_retrieval_summary.json"
    found: dict[str, Any] = json.loads(place.read_text(encoding="utf-8"))
    return found


def mean_recall(summary: dict[str, Any], config: str) -> float:
    mean: float = summary["by_config"][config]["metrics"]["file_recall"]["mean"]
    return mean


def test_recall_holds_under_another_name_and_the_guess_is_said(
    groundtrace: Call,
    whole_run: tuple[Path, Ran],
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    renamed, ran = whole_run
    known = tmp_path_factory.mktemp("known")
    write_sample(known)
    again = ("evaluate", known / "runs/official")
    tasks = ("--tasks", known / "benchmarks")
    assert groundtrace("normalize", known / "runs/official", *tasks).code == 0
    assert groundtrace(*again).code == 0
    summary, declared = summary_of(renamed), summary_of(known)
    for config in ("baseline-local-direct", "mcp-remote-direct"):
        assert abs(mean_recall(summary, config) - mean_recall(declared, config)) <= 0.05
    assert sum(summary["unknown_tools"].values()) == 32
    assert summary["servers_not_counted"] == {"acme-search": 32}
    assert "32 calls of 4 tools that the tool table does not know" in ran.err
    assert "mcp__acme-search__read_file: 19 calls, 19 read (file_read)" in ran.err
    assert "--mcp-server acme-search" in ran.err
    aggregate = renamed / "runs/official/retrieval_events_aggregate"
    page = (aggregate / "retrieval_report.html").read_text(encoding="utf-8")
    report = (aggregate / "retrieval_report.md").read_text(encoding="utf-8")
    for text in (page, report):
        assert "mcp__acme-search__read_file" in text
        assert "not read at all" in text


def test_the_block_to_paste_declares_every_tool(
    groundtrace: Call, whole_run: tuple[Path, Ran], tmp_path: Path
) -> None:
    made, ran = whole_run
    renamed = tmp_path / "again"
    shutil.copytree(made, renamed)
    block = ran.err[ran.err.index("[tools.") : ran.err.index("Not counted as MCP")]
    settings = settings_from(tomllib.loads(block))
    tools = summary_of(renamed)["unknown_tools"]
    assert tools
    assert all(is_known_tool(name, settings) for name in tools)
    (renamed / "groundtrace.toml").write_text(block, encoding="utf-8")
    again = groundtrace(
        "run",
        renamed / "runs/official",
        *("--tasks", renamed / "benchmarks"),
        *("--config", renamed / "groundtrace.toml", "--mcp-server", "acme-search"),
    )
    assert again.code == 0, again.err
    assert "unknown tools" not in again.err
    assert summary_of(renamed)["unknown_tools"] == {}
    assert summary_of(renamed)["servers_not_counted"] == {}


def test_normalize_and_evaluate_say_it_too(groundtrace: Call, renamed: Path) -> None:
    made = groundtrace("normalize", renamed / "runs/official", "--tasks", renamed / "benchmarks")
    assert "32 calls of 4 tools that the tool table does not know" in made.err
    evaluated = groundtrace("evaluate", renamed / "runs/official")
    assert "32 calls of 4 tools that the tool table does not know" in evaluated.err
    quiet = groundtrace("evaluate", renamed / "runs/official", "--quiet")
    assert "unknown tools" not in quiet.err


def test_accesses_of_an_unknown_tool_say_that_they_were_read_generically(
    groundtrace: Call, renamed: Path
) -> None:
    groundtrace("normalize", renamed / "runs/official", "--tasks", renamed / "benchmarks")
    kinds = set()
    for file in renamed.rglob("*.retrieval_events.json"):
        for event in json.loads(file.read_text(encoding="utf-8"))["events"]:
            is_ours = event["tool_name"].startswith("mcp__acme-search__")
            kinds |= {(is_ours, access["evidence"]) for access in event["accesses"]}
    assert kinds == {(True, "generic"), (False, "declared")}
