"""Statements of the specification that stand side by side in one sentence, each by itself.

One trial of the demo is small enough to be worked out by hand: six calls, of which a search shows
three files, a read one, an edit one; one file is relevant.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from groundtrace import evaluate_trial
from groundtrace.documents.events import EventsDocument
from groundtrace.documents.metrics import MetricsDocument
from groundtrace.documents.schema import schema
from groundtrace.truth.sources import SOURCES

TIMEOUT = "internal/dispatch/timeout.go"


@pytest.fixture(scope="module")
def trial(sample_source: Path) -> tuple[EventsDocument, MetricsDocument]:
    folder = next(sample_source.glob("runs/*/*/baseline*/*/quay-timeout-fix-001__*"))
    found = evaluate_trial(folder, tasks=sample_source / "benchmarks")
    return found.events, found.metrics


Both = tuple[EventsDocument, MetricsDocument]


def test_a_document_has_the_five_sections() -> None:
    required = schema("retrieval_events")["required"]
    assert {"provenance", "coverage", "ground_truth", "events"} <= set(required)


def test_one_document_for_each_task_and_configuration(groundtrace: Any, sample: Path) -> None:
    runs = sample / "runs/official"
    assert groundtrace("normalize", runs, "--tasks", sample / "benchmarks", "--jobs", 1).code == 0
    tasks = {(path.parents[1].name, path.name) for path in runs.glob("*/*/*/*__*")}
    assert len(tasks) == 25, "twelve tasks in two configurations, one of them run again"
    written = list(runs.glob("*/retrieval_events/*/*.retrieval_events.json"))
    assert len(written) == 24


def test_the_summary_of_the_events_is_optional() -> None:
    made = schema("retrieval_events")
    assert "summary" in made["properties"]
    assert "summary" not in made["required"]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("run_id", "demo_harbour_20260504"),
        ("batch_timestamp", "2026-05-04__10-00-00"),
        ("task_name", "quay-timeout-fix-001"),
        ("trial_name", "quay-timeout-fix-001__6df784d"),
        ("config_name", "baseline-local-direct"),
        ("benchmark", "demo_sdlc_fix"),
    ],
)
def test_provenance(name: str, value: str, trial: Both) -> None:
    assert getattr(trial[0].provenance, name) == value


def test_the_flags_of_coverage(trial: Both) -> None:
    coverage = trial[0].coverage
    assert (coverage.has_ground_truth, coverage.has_chunk_ground_truth) == (True, False)
    assert (coverage.ground_truth_source, coverage.ground_truth_confidence) == (
        "tests/reference_fix.patch",
        "high",
    )


@pytest.mark.parametrize(
    ("removed", "expected"),
    [
        ((), ("merged", True, True)),
        (("claude-code.txt",), ("trajectory", True, False)),
        (("trajectory.json",), ("transcript", False, True)),
        (("trajectory.json", "claude-code.txt"), (None, False, False)),
    ],
)
def test_what_was_found_and_what_the_events_come_from(
    removed: tuple[str, ...], expected: tuple[str | None, bool, bool], sample: Path
) -> None:
    folder = next(sample.glob("runs/*/*/baseline*/*/quay-timeout-fix-001__*"))
    for name in removed:
        (folder / "agent" / name).unlink()
    document = evaluate_trial(folder, tasks=sample / "benchmarks").events
    coverage = document.coverage
    assert (coverage.trace_source, coverage.has_trajectory, coverage.has_transcript) == expected
    assert bool(document.events) == (expected[0] is not None)
    assert (coverage.degraded_reason is not None) == (expected[0] is None)


@pytest.mark.parametrize("name", ["claude-code.txt", "trajectory.json"])
def test_a_file_that_cannot_be_parsed_was_not_found(name: str, sample: Path) -> None:
    folder = next(sample.glob("runs/*/*/baseline*/*/quay-timeout-fix-001__*"))
    (folder / "agent" / name).write_text("no trace at all\n")
    coverage = evaluate_trial(folder, tasks=sample / "benchmarks").events.coverage
    assert coverage.has_transcript is (name != "claude-code.txt")
    assert coverage.has_trajectory is (name != "trajectory.json")


@pytest.mark.parametrize(
    ("path", "confidence"),
    [
        ("tests/ground_truth.json", ["high"]),
        ("tests/expected_defects.json", ["high"]),
        ("tests/expected_changes.json", ["high"]),
        ("tests/reference_fix.patch", ["high"]),
        ("tests/expected.diff", ["high"]),
        ("solution/solve.sh", ["medium"]),
        ("instruction.md", ["medium", "low"]),
        ("tests/test.sh", ["low"]),
    ],
)
def test_the_confidence_of_each_source(path: str, confidence: list[str]) -> None:
    assert [source.confidence for source in SOURCES if source.path == path] == confidence


def test_truth_and_edit_targets_of_the_trial(trial: Both) -> None:
    truth = trial[0].ground_truth
    assert truth.files == [TIMEOUT]
    assert truth.expected_edit_files == [TIMEOUT]
    assert (truth.expected_edit_files_source, truth.expected_edit_files_confidence) == (
        "tests/reference_fix.patch",
        "high",
    )


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("step_index", [0, 1, 2, 3, 4, 5]),
        ("tool_name", ["TodoWrite", "Bash", "Read", "Bash", "Edit", "Bash"]),
        ("tool_category", ["other", "other", "file_read", "other", "file_write", "other"]),
        ("hits_ground_truth", [False, True, False, True, True, False]),
        ("cumulative_tokens", [14893, 31766, 50619, 71452, 94265, 119058]),
        ("elapsed_seconds", [7.0, 15.0, 23.0, 31.0, 39.0, 47.0]),
    ],
)
def test_events(name: str, values: list[Any], trial: Both) -> None:
    assert [getattr(event, name) for event in trial[0].events] == values


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("total_events", 6),
        ("mcp_events", 0),
        ("local_events", 6),
        ("unique_files_accessed", 3),
        ("ground_truth_files_hit", 1),
        ("first_ground_truth_hit_step", 1),
        ("events_by_category", {"file_read": 1, "file_write": 1, "other": 4}),
    ],
)
def test_summary_of_events(name: str, value: Any, trial: Both) -> None:
    summary = trial[0].summary
    assert summary
    assert getattr(summary, name) == value


def test_calls_of_mcp_are_counted(sample_source: Path) -> None:
    folder = next(sample_source.glob("runs/*/*/mcp*/*/mcp_quay-timeout-fix-001_*"))
    document = evaluate_trial(folder, tasks=sample_source / "benchmarks").events
    assert document.summary
    of_mcp = sum(event.tool_name.startswith("mcp__sourcegraph__") for event in document.events)
    assert document.summary.mcp_events == of_mcp > 0


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("precision", {"1": 0.0, "3": 1 / 3, "5": 1 / 5, "10": 1 / 10}),
        ("recall", {"1": 0.0, "3": 1.0, "5": 1.0, "10": 1.0}),
        ("mrr", 1 / 2),
        ("file_recall", 1.0),
        ("context_efficiency", 1 / 3),
        ("ttfr_seconds", 15.0),
        ("ttfr_tokens", 31766),
    ],
)
def test_file_level_metrics(name: str, value: Any, trial: Both) -> None:
    """The relevant file is the second of three, shown at 15 seconds and 31,766 tokens."""
    assert getattr(trial[1].file_level_metrics, name) == pytest.approx(value)


@pytest.mark.parametrize(
    ("label", "files"),
    [
        ("irrelevant_retrieval", ["internal/config/config.go", "internal/dispatch/server.go"]),
        ("missed_key_evidence", []),
        ("wrong_evidence_used", []),
        ("unused_correct_retrieval", []),
        ("ambiguity_near_miss", ["internal/dispatch/server.go"]),
    ],
)
def test_labels(label: str, files: list[str], trial: Both) -> None:
    taxonomy = trial[1].error_taxonomy
    assert taxonomy.files
    assert taxonomy.files[label] == files  # type: ignore[index]
