"""The bundled sample: the same every time, small, and with the results it should show."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from groundtrace.demo import write_sample
from tests.conftest import Ran

Call = Callable[..., Ran]


def contents(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def test_the_sample_is_the_same_bytes_every_time_and_small(tmp_path: Path) -> None:
    write_sample(tmp_path / "a")
    write_sample(tmp_path / "b")
    first = contents(tmp_path / "a")
    assert first == contents(tmp_path / "b")
    assert sum(map(len, first.values())) < 2_000_000


def test_the_demo_tells_its_story(groundtrace: Call, tmp_path: Path) -> None:
    """Cases that later stages need are there: no truth, degraded, chunks, edits, dropped pairs."""
    ran = groundtrace("demo", "--out", tmp_path)
    assert ran.code == 0, ran.err
    assert "retrieval_report.md" in ran.out
    aggregate = tmp_path / "runs/official/retrieval_events_aggregate"
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


def test_the_demo_has_a_clear_yes_a_clear_no_and_an_open_question(
    groundtrace: Call, tmp_path: Path
) -> None:
    ran = groundtrace("demo", "--out", tmp_path, "--json")
    found = json.loads(ran.out)
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
    page = tmp_path / "runs/official/retrieval_events_aggregate/retrieval_report.html"
    assert page.stat().st_size <= 400_000


def test_the_demo_runs_again_in_the_same_folder(groundtrace: Call, tmp_path: Path) -> None:
    assert groundtrace("demo", "--out", tmp_path).code == 0
    before = contents(tmp_path)
    assert groundtrace("demo", "--out", tmp_path).code == 0
    after = contents(tmp_path)
    assert {k: v for k, v in after.items() if "/." not in k} == {
        k: v for k, v in before.items() if "/." not in k
    }
