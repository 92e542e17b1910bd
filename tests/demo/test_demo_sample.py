"""The bundled sample: the same every time, small, and with the results it should show."""

from __future__ import annotations

import json
from pathlib import Path
from typing import NamedTuple

import pytest

from groundtrace.demo import write_sample
from tests.conftest import Ran, fixed


def contents(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def test_the_sample_is_the_same_bytes_every_time_and_small(tmp_path: Path) -> None:
    write_sample(tmp_path / "a")
    write_sample(tmp_path / "b")
    first = contents(tmp_path / "a")
    assert first == contents(tmp_path / "b")
    assert sum(map(len, first.values())) < 2_000_000


class Twice(NamedTuple):
    """The demo, run twice in the same folder."""

    folder: Path
    first: Ran
    second: Ran
    """With `--json`."""
    before: dict[str, bytes]
    """All files after the first run."""


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Twice:
    folder = tmp_path_factory.mktemp("demo")
    with fixed() as call:
        first, before = call("demo", "--out", folder), contents(folder)
        return Twice(folder, first, call("demo", "--out", folder, "--json"), before)


def test_the_demo_tells_its_story(demo: Twice) -> None:
    """Cases that later stages need are there: no truth, degraded, chunks, edits, dropped pairs."""
    assert demo.first.code == 0, demo.first.err
    assert "retrieval_report.md" in demo.first.out
    aggregate = demo.folder / "runs/official/retrieval_events_aggregate"
    summary = json.loads((aggregate / "run_retrieval_summary.json").read_text())
    overall = summary["overall"]
    assert (overall["trials"], overall["computable"]) == (78, 75)
    assert overall["left_out"] == {"no_ground_truth": 2, "no_trace": 1}
    assert overall["metrics"]["chunk_recall"]["n"] == 2
    assert overall["metrics"]["util_write_overlap_with_expected_edit_files"]["n"] == 6 + 3 * 8
    assert [t["task_name"] for t in summary["superseded"]] == ["tide-table-008"]
    assert summary["unknown_tools"] == {}
    assert summary["problems"] == {"no_file_list": 2, "no_ground_truth": 2}
    impact = json.loads((aggregate / "impact_analysis.json").read_text())
    pair = next(
        one
        for one in impact["matched_comparisons"]
        if one["config"] == "mcp-remote-direct" and one["suite"] is None
    )
    assert pair["n_matched_tasks"] == 28
    assert pair["dropped"] == {"model_differs": 1, "no_valid_reward": 1}


def test_the_demo_has_a_clear_yes_a_clear_no_and_an_open_question(demo: Twice) -> None:
    found = json.loads(demo.second.out)
    verdicts = {
        one["config"]: {row["question"]: row["verdict"] for row in one["rows"]}
        for one in found["answers"]
    }
    assert verdicts["mcp-remote-direct"] == {
        "found": "higher",
        "used": "higher",
        "result": "open",
        "price": "higher",
    }
    assert verdicts["index-only-direct"]["result"] == "lower"
    assert found["answer"]["config"] == "mcp-remote-direct", "the pair with most tasks"
    page = demo.folder / "runs/official/retrieval_events_aggregate/retrieval_report.html"
    assert page.stat().st_size <= 400_000


def test_the_demo_runs_again_in_the_same_folder(demo: Twice) -> None:
    assert (demo.first.code, demo.second.code) == (0, 0)
    after = contents(demo.folder)
    assert {k: v for k, v in after.items() if "/." not in k} == {
        k: v for k, v in demo.before.items() if "/." not in k
    }
