"""Several trials of one task and configuration: which counts (D32), and the rows of a dry run."""

from __future__ import annotations

import itertools
from dataclasses import replace
from pathlib import Path

import pytest

from groundtrace.config import Settings
from groundtrace.discover import select, survey
from groundtrace.model import Outcome, Trial
from groundtrace.storage import LocalFolder
from tests.discover.run_trees import index, put, trial


def a_trial(name: str, **outcome: float | None) -> Trial:
    return Trial(
        folder=LocalFolder(Path("x")),
        path=f"mcp/{name}",
        run_id="r1",
        config_name="mcp",
        task_name="a-1",
        trial_name=name,
        trial_key=name,
        outcome=Outcome(**outcome),  # type: ignore[arg-type]
    )


CASES = {
    "the latest finished with a reward": (
        a_trial("old", reward=1.0, finished_at=1.0),
        a_trial("new", reward=0.0, finished_at=2.0),
        "new",
    ),
    "a reward before a later end without": (
        a_trial("scored", reward=0.0, finished_at=1.0),
        a_trial("crashed", finished_at=2.0),
        "scored",
    ),
    "the latest finished": (
        a_trial("ended", finished_at=1.0, started_at=0.0),
        a_trial("running", started_at=5.0),
        "ended",
    ),
    "the latest": (a_trial("first", started_at=1.0), a_trial("second", started_at=2.0), "second"),
    "a reward proves an end": (
        a_trial("scored", reward=0.5, started_at=1.0),
        a_trial("crashed", finished_at=2.0),
        "scored",
    ),
    "the last by name when nothing else tells": (a_trial("a"), a_trial("b"), "b"),
}


@pytest.mark.parametrize("case", CASES)
def test_which_of_two_counts(case: str) -> None:
    """In either order of input, with a reason for the other."""
    *trials, winner = CASES[case]
    for order in itertools.permutations(trials):
        selected, superseded = select(order)  # type: ignore[arg-type]
        assert [t.trial_name for t in selected] == [winner]
        assert len(superseded) == 1
        assert superseded[0].by.trial_name == winner
        assert superseded[0].reason


def test_runs_configurations_and_tasks_are_apart() -> None:
    """Only trials of the same run, configuration and task compete; case does not count."""
    one = a_trial("x", reward=1.0, finished_at=1.0)
    others = [replace(one, run_id="r2"), replace(one, config_name="b"), replace(one, task_name="c")]
    assert len(select([one, *others]).selected) == 4
    assert len(select([one, replace(one, task_name="A-1", path="z")]).selected) == 1


def test_a_copy_in_the_same_run_is_called_one() -> None:
    """It is not another attempt."""
    one = a_trial("x", reward=1.0, finished_at=1.0)
    (other,) = select([one, replace(one, path="mcp/y")]).superseded
    assert other.reason == "a copy of mcp/y"


def test_the_rows_of_a_dry_run(tmp_path: Path) -> None:
    """Run, configuration, task, trial, files, and why a folder or a trial was skipped."""
    runs = tmp_path / "runs"
    trial(runs / "r1/mcp/a-1__AAAAAAA", "a-1")
    trial(runs / "r1/mcp/a-1__BBBBBBB", "a-1", finished_at="2026-03-21T00:00:00")
    put(trial(runs / "r1/mcp/b-1__CCCCCCC") / "result.json", "[]")
    trial(runs / "r1/_errored/c-1__DDDDDDD", "c-1")
    trial(runs / "archive/r0/mcp/d-1__EEEEEEE", "d-1")
    tasks = index(tmp_path / "tasks", "csb_sdlc_fix/a-1")
    rows = list(survey(LocalFolder(runs), settings=Settings(), tasks=tasks))
    assert {(row.path, row.state) for row in rows} == {
        ("archive", "skipped"),
        ("r1/_errored", "skipped"),
        ("r1/mcp/a-1__AAAAAAA", "superseded"),
        ("r1/mcp/a-1__BBBBBBB", "selected"),
        ("r1/mcp/b-1__CCCCCCC", "problem"),
        ("r1/mcp/b-1__CCCCCCC", "selected"),
    }
    lines = [row.as_dict() for row in rows]
    chosen = next(line for line in lines if line["trial_name"] == "a-1__BBBBBBB")
    assert chosen["files"] == ("result.json", "agent/claude-code.txt")
    assert chosen["has_task"]
    assert [line["has_task"] for line in lines if line["task_name"] == "b-1"] == [False]
    skipped = next(line for line in lines if line["path"] == "archive")
    assert skipped.keys() == chosen.keys()
    assert (skipped["config_name"], skipped["has_task"], skipped["files"]) == (None, None, ())
    all_trials = list(survey(LocalFolder(runs), settings=Settings(trials="all")))
    assert "written too" in next(r.reason or "" for r in all_trials if r.state == "superseded")
    fitting = survey(LocalFolder(runs), settings=Settings(), only="a*")
    assert {row.trial.task_name for row in fitting if row.trial is not None} == {"a-1"}
