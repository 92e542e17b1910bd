"""Trials of Terminal-Bench before Harbor: verdicts, agent and model, and which trace is missing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from groundtrace.config import Settings
from groundtrace.discover import discover, trial_at
from groundtrace.discover.found import FoundProblem
from groundtrace.model import Trial
from groundtrace.storage import LocalFolder

RUN = "2025-06-15__10-00-00"


def trial(runs: Path, task: str, resolved: Any, **more: Any) -> Path:
    folder = runs / RUN / task / f"{task}.1-of-1.{RUN}"
    for name in ("sessions", "panes", "agent-logs"):
        (folder / name).mkdir(parents=True)
    (folder / "sessions/agent.cast").write_text('{"version": 2, "width": 80, "height": 24}\n')
    record = {
        "id": f"id-{task}",
        "trial_name": folder.name,
        "task_id": task,
        "is_resolved": resolved,
        "failure_mode": "unset",
        "trial_started_at": "2025-06-15T10:00:00+00:00",
        "trial_ended_at": "2025-06-15T10:05:00+00:00",
        "agent_started_at": "2025-06-15T10:01:00+00:00",
        "agent_ended_at": "2025-06-15T10:04:00+00:00",
    }
    (folder / "results.json").write_text(json.dumps({**record, **more}))
    about = {"agent_name": "terminus", "model_name": "lab/tern-2", "dataset_name": "core"}
    (runs / RUN / "run_metadata.json").write_text(json.dumps(about))
    (runs / RUN / "results.json").write_text('{"results": [], "n_resolved": 1, "accuracy": 0.5}')
    return folder


def test_verdict_times_agent_and_model(tmp_path: Path) -> None:
    trial(tmp_path, "fix-git", True)
    trial(tmp_path, "hello", False, failure_mode="agent_timeout")
    trial(tmp_path, "untested", None)
    found = list(discover(LocalFolder(tmp_path), settings=Settings()))
    trials = {one.task_name: one for one in found if isinstance(one, Trial)}
    rewards = {name: one.outcome.reward for name, one in trials.items()}
    assert rewards == {"fix-git": 1.0, "hello": 0.0, "untested": None}
    first = trials["fix-git"]
    assert (first.config_name, first.model, first.harness) == (
        "terminus-tern-2",
        "tern-2",
        "terminus",
    )
    assert first.benchmark == "core" and first.evidence["task_name"].startswith("results.json")
    assert (first.outcome.agent_seconds, first.outcome.trial_seconds) == (180.0, 300.0)
    assert first.outcome.found_in["reward"] == "results.json is_resolved"
    assert trials["hello"].outcome.exception == "agent_timeout"
    said = [one.problem.reason for one in found if isinstance(one, FoundProblem)]
    missing = [reason for reason in said if "trace is missing" in reason]
    assert len(missing) == 3 and "sessions/ and panes/ only record the terminal" in missing[0]


def test_files_of_the_agent_are_named(tmp_path: Path) -> None:
    folder = trial(tmp_path, "fix-git", True)
    (folder / "agent-logs/prompt.txt").write_text("go")
    one, problems = trial_at(LocalFolder(folder), [RUN, "fix-git"])
    assert one is not None and one.config_name == "terminus-tern-2"
    assert [p.kind for p in problems].count("no_trace") == 1
    assert any("give that folder as RUNS" in problem.reason for problem in problems)


@pytest.mark.parametrize(
    "record",
    [{}, [], {"is_resolved": True}, {"task_id": "x"}, {"is_resolved": True, "task_id": 5}, "{"],
)
def test_other_files_of_that_name_are_no_trial(record: Any, tmp_path: Path) -> None:
    text = record if isinstance(record, str) else json.dumps(record)
    (tmp_path / "results.json").write_text(text)
    assert trial_at(LocalFolder(tmp_path), ["run"])[0] is None


@pytest.mark.parametrize("verdict", ["yes", [], {}, 7.5, "NaN"])
def test_a_verdict_of_another_type_is_none(verdict: Any, tmp_path: Path) -> None:
    folder = trial(tmp_path, "fix-git", verdict, trial_name=7, id=[], agent_started_at={})
    one, _ = trial_at(LocalFolder(folder), [RUN, "fix-git"])
    assert one is not None and one.outcome.reward is None
