"""Runs that are skipped by their names are counted and named in the results over all runs (D32)."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

from tests.conftest import Ran
from tests.whole_runs import DRAWS, RUN, run, shrink

Call = Callable[..., Ran]


def test_runs_skipped_by_name_are_in_the_aggregate(groundtrace: Call, sample: Path) -> None:
    """`skipped: []` beside two archived runs says that everything was looked at."""
    shrink(sample)
    runs = sample / "runs/official"
    for name in (f"{RUN}_broken", f"archived_{RUN}"):
        shutil.copytree(runs / RUN, runs / name)
    ran = run(groundtrace, sample)
    assert "2 folders or files skipped" in ran.err
    aggregate = runs / "retrieval_events_aggregate"
    summary = json.loads((aggregate / "run_retrieval_summary.json").read_text())
    named = {one["path"]: one["reason"] for one in summary["skipped"]}
    assert set(named) == {f"{RUN}_broken", f"archived_{RUN}"}
    assert all("skipped folders" in reason for reason in named.values())
    text = (aggregate / "retrieval_report.md").read_text()
    assert "2 folders or files skipped" in text
    assert all(name in text for name in named)
    before = (aggregate / "run_retrieval_summary.json").read_bytes()
    for command in (("evaluate", runs, "--force", "--jobs", 1), ("impact", runs, *DRAWS)):
        assert groundtrace(*command).code == 0
    assert (aggregate / "run_retrieval_summary.json").read_bytes() == before


def test_folders_skipped_inside_a_run_are_counted_once(groundtrace: Call, sample: Path) -> None:
    """The results over all runs name them with the run, and not a second time."""
    shrink(sample)
    runs = sample / "runs/official"
    (runs / RUN / "notes" / "deep").mkdir(parents=True)
    (runs / RUN / "notes" / "deep" / "x.txt").write_text("x")
    run(groundtrace, sample)
    of_run = json.loads((runs / RUN / "retrieval_events/run_retrieval_summary.json").read_text())
    of_all = json.loads(
        (runs / "retrieval_events_aggregate/run_retrieval_summary.json").read_text()
    )
    assert len(of_run["skipped"]) == len(of_all["skipped"]) == 1
    assert of_all["skipped"][0]["run_id"] == RUN
