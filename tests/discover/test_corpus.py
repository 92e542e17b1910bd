"""Real trials: every one is found, named and joined to its task."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from groundtrace.config import Settings
from groundtrace.discover import layout_of, select
from groundtrace.storage import LocalFolder
from groundtrace.truth.tasks import build_index
from tests.discover.run_trees import found

CORPUS = os.environ.get("GROUNDTRACE_CORPUS", "")

pytestmark = [
    pytest.mark.corpus,
    pytest.mark.skipif(not CORPUS, reason="GROUNDTRACE_CORPUS is not set"),
]


def test_every_trial_is_found_named_and_joined() -> None:
    """Each result.json that names a trial is one trial; nothing is lost, nothing doubled."""
    runs = Path(CORPUS) / "runs" / "official"
    expected = {
        str(p.parent.relative_to(runs)): json.loads(p.read_text())
        for p in runs.rglob("result.json")
    }
    tasks = build_index(LocalFolder(Path(CORPUS) / "benchmarks"))
    trials, skipped, problems = found(runs, tasks)
    assert {t.path for t in trials} == set(expected)
    assert len(trials) == len(expected)
    assert not skipped
    assert not problems
    for one in trials:
        record = expected[one.path]
        parts = one.path.split("/")
        assert one.task is not None, one.path
        assert one.task_name.casefold() in record["task_name"].casefold()
        assert one.trial_name == record["trial_name"]
        assert one.run_id == parts[0]
        assert one.outcome.reward == record["verifier_result"]["rewards"]["reward"]
        assert one.batch_timestamp == (parts[2] if len(parts) == 4 else None)
        if not (runs / one.path / "task_metrics.json").exists():
            assert one.config_name == parts[1]
    assert len(select(trials).selected) == len(trials)
    assert len({t.trial_key for t in trials}) == len(trials)


def test_runs_and_folders_of_runs_are_told_apart() -> None:
    """By what lies in them."""
    runs = Path(CORPUS) / "runs"
    for folder in (runs, runs / "official"):
        assert not layout_of(LocalFolder(folder), Settings()).single
    for folder in (runs / "official").iterdir():
        assert layout_of(LocalFolder(folder), Settings()).single
