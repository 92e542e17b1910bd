"""Trials whose truth the specification leaves out are named."""

from __future__ import annotations

from msgspec.structs import replace

from groundtrace.documents.answer import LookAt
from groundtrace.impact.answer_look_at import look_at_trials
from groundtrace.impact.observations import observe
from groundtrace.rows.make import row_from
from groundtrace.rows.trial_row import TrialRow
from tests.metrics.builders import Seen, metrics_of, step, trial


def row(task: str, source: str) -> TrialRow:
    document = trial(step(Seen("read", "a", "a")), truth=["a"], task_name=task, trial_name=task)
    coverage = replace(document.coverage, ground_truth_source=source)
    return row_from(metrics_of(replace(document, coverage=coverage)))


def without(task: str, **problems: int) -> TrialRow:
    document = trial(step(Seen("read", "a", "a")), truth=[], task_name=task, trial_name=task)
    coverage = replace(document.coverage, problems={"no_ground_truth": 1, **problems})
    return row_from(metrics_of(replace(document, coverage=coverage)))


def said_of(rows: list[TrialRow], kind: str = "truth_sources") -> list[LookAt]:
    return [one for one in look_at_trials(observe(rows)) if one.kind == kind]


def test_truth_on_request_is_said_with_its_tasks() -> None:
    rows = [row("b", "tests/task_spec.json"), row("a", "tests/oracle_answer.json")]
    rows.append(row("c", "tests/ground_truth.json"))
    (said,) = said_of(rows)
    assert said.tasks == ["a", "b"]
    assert "2 of 3 trials" in said.text
    assert "tests/oracle_answer.json (1), tests/task_spec.json (1)" in said.text


def test_without_such_truth_nothing_is_said() -> None:
    assert said_of([row("c", "tests/ground_truth.json")]) == []


def test_truth_that_counts_only_on_request_is_offered_where_there_is_none() -> None:
    """“--tasks says where the tasks are defined” was said to those who had given it."""
    off = [without("a", truth_source_off=1), without("b", truth_source_off=1)]
    (said,) = said_of(off, "no_ground_truth")
    assert said.text == (
        "no trial has ground truth: relevant files are named by sources that count only with "
        "--truth-sources"
    )
    (said,) = said_of([*off, without("c"), row("d", "tests/ground_truth.json")], "no_ground_truth")
    assert said.text.startswith("3 trials without ground truth: relevant files of 2 of them are ")
    (said,) = said_of([without("c", no_task_definition=1)] * 2, "no_ground_truth")
    assert (
        said.text
        == "no trial has ground truth (no definition of their tasks was found; --tasks says where to look)"
    )
    (said,) = said_of([without("c", no_file_list=1)], "no_ground_truth")
    assert said.text == "no trial has ground truth (the definitions of their tasks name no files)"
    (said,) = said_of([without("c")], "no_ground_truth")
    assert said.text == "no trial has ground truth (--tasks says where the tasks are defined)"
