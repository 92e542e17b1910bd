"""Trials whose truth the specification leaves out are named."""

from __future__ import annotations

from msgspec.structs import replace

from groundtrace.impact.observations import observe
from groundtrace.impact.truth_sources import truth_on_request
from groundtrace.rows.make import row_from
from groundtrace.rows.trial_row import TrialRow
from tests.metrics.builders import Seen, metrics_of, step, trial


def row(task: str, source: str) -> TrialRow:
    document = trial(step(Seen("read", "a", "a")), truth=["a"], task_name=task, trial_name=task)
    coverage = replace(document.coverage, ground_truth_source=source)
    return row_from(metrics_of(replace(document, coverage=coverage)))


def test_truth_on_request_is_said_with_its_tasks() -> None:
    rows = [row("b", "tests/task_spec.json"), row("a", "tests/oracle_answer.json")]
    rows.append(row("c", "tests/ground_truth.json"))
    said = truth_on_request(observe(rows))
    assert said is not None
    text, tasks = said
    assert tasks == ["a", "b"]
    assert "2 of 3 trials" in text
    assert "tests/oracle_answer.json (1), tests/task_spec.json (1)" in text


def test_without_such_truth_nothing_is_said() -> None:
    assert truth_on_request(observe([row("c", "tests/ground_truth.json")])) is None
