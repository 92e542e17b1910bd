"""Documents that other programs write by the published schema of version 1.0: its required members
and nothing else. Every number is worked out by hand, and what they do not tell is null (D190)."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from groundtrace.documents.codec import decode
from groundtrace.documents.metrics import MetricsDocument
from groundtrace.errors import GroundtraceError
from tests.conftest import Ran
from tests.documents.test_schema import VALIDATORS
from tests.metrics.builders import metrics_of

A, B, C = "src/Core/Engine.java", "src/core/pool.java", "docs/guide.md"


def event(category: str, *targets: str, tool: str = "Read", **other: Any) -> dict[str, Any]:
    """A call; targets in lower case, as the specification has them for matching."""
    hits = [entry for entry in (A, B) if entry.lower() in targets]
    return {
        "step_index": 0,
        "timestamp": None,
        "tool_name": tool,
        "tool_category": category,
        "is_mcp": tool.startswith("mcp__"),
        "target_files": list(targets),
        "target_symbols": [],
        "hits_ground_truth": bool(hits),
        "matched_ground_truth_files": hits,
        "is_subagent": False,
        "cumulative_tokens": None,
        "elapsed_seconds": None,
        **other,
    }


def foreign(
    *events: dict[str, Any],
    truth: tuple[str, ...] = (A, B),
    task: str = "engine-fix",
    config: str = "baseline",
    **coverage: Any,
) -> dict[str, Any]:
    return {
        "schema_version": "1.0",
        "generated_at": "2026-03-01T12:00:00+00:00",
        "provenance": {
            "run_id": "r",
            "task_name": task,
            "config_name": config,
            "benchmark": "csb_sdlc_fix",
        },
        "coverage": {
            "has_trajectory": False,
            "has_transcript": True,
            "has_ground_truth": bool(truth),
            "has_chunk_ground_truth": False,
            "trace_source": "transcript",
            "degraded_reason": None,
            **coverage,
        },
        "ground_truth": {"files": list(truth)},
        "events": [{**one, "step_index": place} for place, one in enumerate(events)],
    }


def read(document: dict[str, Any]) -> MetricsDocument:
    return metrics_of(decode("retrieval_events", json.dumps(document).encode(), "a.json"))


READ_A = event("file_read", A.lower(), cumulative_tokens=700, elapsed_seconds=3.5)
SEARCH = event("code_search", C, B, tool="mcp__sourcegraph__sg_keyword_search")
EDIT_B = event("file_write", B, tool="Edit")


def test_reads_searches_and_writes_by_category() -> None:
    """Met in order: guide, pool (hit), Engine (hit). Read: Engine. Written: pool, never read."""
    document = foreign(SEARCH, READ_A, EDIT_B)
    document["ground_truth"] |= {
        "expected_edit_files": [B],
        "chunks": [
            {"file": A, "line_start": 3, "line_end": 9},
            {"file": "src/other.java", "line_start": 1, "line_end": 2},
        ],
        "symbols": [{"file": A, "symbol": "run"}],
    }
    document["coverage"]["has_chunk_ground_truth"] = True
    made = read(document)
    found, probes = made.file_level_metrics, made.utilization_probes
    assert (found.file_recall, found.context_efficiency) == (1, 2 / 3)
    assert (found.mrr, found.map_score) == (1 / 2, (1 / 2 + 2 / 3) / 2)
    assert (found.first_gt_hit_step, found.ttfr_seconds, found.ttfr_tokens) == (0, None, None)
    assert made.chunk_level_metrics.chunk_recall == 0.5
    assert probes.util_read_overlap_with_relevant_files == 0.5
    assert probes.util_write_overlap_with_relevant_files_proxy == 0.5
    assert probes.util_write_overlap_with_expected_edit_files == 1
    assert probes.util_read_before_write_ratio == 0
    labels = made.error_taxonomy.labels
    assert labels == {
        "irrelevant_retrieval": 1,
        "missed_key_evidence": 0,
        "wrong_evidence_used": 0,
        "unused_correct_retrieval": 1,
        "ambiguity_near_miss": 0,
    }
    assert made.error_taxonomy.files is not None
    assert made.error_taxonomy.files["unused_correct_retrieval"] == [A], "as the truth spells it"
    assert made.error_taxonomy.slices is not None
    assert made.error_taxonomy.slices.evidence_type == "mcp"


def values(made: MetricsDocument) -> tuple[float | None, str | None, float | None]:
    found = made.file_level_metrics
    return (
        found.file_recall,
        found.reason,
        made.utilization_probes.util_read_overlap_with_relevant_files,
    )


TASKS = [event("other", tool="Task")] * 5
SHELL = event("other", A.lower(), tool="Bash")
LONG = event(
    "file_read", f"repo/{A}".lower(), hits_ground_truth=True, matched_ground_truth_files=[]
)
NESTED = {**READ_A, "arguments": {"edits": [{"old": "a", "new": {"text": "b"}}]}}


@pytest.mark.parametrize(
    ("document", "expected"),
    [
        (foreign(READ_A), (0.5, None, 0.5)),
        (foreign(NESTED), (0.5, None, 0.5)),
        (foreign(LONG), (0.5, None, 0.5)),
        (foreign(SHELL), (0.5, None, None)),
        (foreign(event("file_read", C)), (0, None, 0)),
        (foreign(EDIT_B), (0, None, 0)),
        (foreign(*TASKS), (None, "subagents_unseen", None)),
        (foreign(trace_source=None), (None, "no_trace", None)),
        (foreign(), (None, "empty_trace", None)),
        (foreign(READ_A, truth=()), (None, "no_ground_truth", None)),
        (foreign(READ_A, trace_source=None), (None, "no_trace", None)),
        (foreign(event("code_search"), degraded_reason="cut"), (None, "older_document", None)),
    ],
    ids=[
        "read",
        "nested arguments",
        "a hit in another spelling",
        "a shell command that may have read or written",
        "read and missed",
        "written, not retrieved",
        "subagents alone",
        "no trace",
        "no call",
        "no truth",
        "null source with events",
        "incomplete, without a file",
    ],
)
def test_what_it_tells_is_counted_and_the_rest_is_null(
    document: dict[str, Any], expected: tuple[float | None, str | None, float | None]
) -> None:
    made = read(document)
    assert values(made) == expected
    shown = made.file_level_metrics_shown
    assert (shown.computable, shown.file_recall) == (False, None)
    assert shown.reason == (expected[1] or "older_document")


def changed(where: str, value: Any) -> dict[str, Any]:
    """A foreign document with another value; None for no value at all is `DROPPED`."""
    document: Any = foreign({**READ_A, "arguments": {}}, SEARCH)
    *folders, name = where.split("/")
    inside = document
    for folder in folders:
        inside = inside[int(folder)] if folder.isdigit() else inside[folder]
    if value is DROPPED:
        del inside[name]
    else:
        inside[name] = value
    made: dict[str, Any] = document
    return made


DROPPED = object()
CHUNK = {"file": A, "line_start": 3, "line_end": 9}
OTHERS = [
    ("generated_at", DROPPED, True),
    ("provenance/benchmark", None, True),
    ("provenance/benchmark", DROPPED, False),
    ("provenance/batch_timestamp", None, True),
    ("provenance/model", None, True),
    ("provenance/trial_name", "engine-fix__a1", True),
    ("coverage/ground_truth_source", None, True),
    ("coverage/ground_truth_confidence", "sure", False),
    ("coverage/trace_source", "session", False),
    ("ground_truth/chunks", [CHUNK], True),
    ("ground_truth/chunks", [{**CHUNK, "annotation": None}], True),
    ("ground_truth/chunks", [{**CHUNK, "line_start": 0}], False),
    ("ground_truth/symbols", [{"file": A, "symbol": "run"}], True),
    ("ground_truth/expected_edit_files", [B], True),
    ("events/0/arguments", {"edits": [{"old": {"text": [1, 2.5, None]}}]}, True),
    ("events/0/arguments", [1], False),
    ("events/0/cumulative_tokens", 700.0, True),
    ("events/0/cumulative_tokens", -5, False),
    ("events/0/timestamp", "2026-03-01T12:00:00", True),
    ("events/0/tool_category", "browse", False),
    ("events/0/note", "of a program that the schema does not know", False),
    ("schema_version", "1.9", True),
    ("schema_version", "2.0", False),
    ("schema_version", "1.0.0", False),
]


@pytest.mark.parametrize(("where", "value", "good"), OTHERS)
def test_reader_and_schema_judge_foreign_documents_alike(
    where: str, value: Any, good: bool
) -> None:
    """What the published schema leaves open is read, and computed as ever; the rest is refused."""
    document = changed(where, value)
    assert VALIDATORS["retrieval_events"].is_valid(document) is good
    if good:
        assert values(read(document)) == (1, None, 0.5)
        return
    with pytest.raises(GroundtraceError):
        read(document)


def test_a_run_of_foreign_documents_goes_through_every_command(
    groundtrace: Callable[..., Ran], tmp_path: Path
) -> None:
    """No trace, task or outcome is there: only documents where the specification has them."""
    for config, calls in {"baseline": (READ_A,), "mcp": (SEARCH, READ_A)}.items():
        folder = tmp_path / "run_1" / "retrieval_events" / config
        folder.mkdir(parents=True)
        for task in ("one", "two", "three"):
            document = foreign(*calls, task=task, config=config)
            (folder / f"{task}.retrieval_events.json").write_text(json.dumps(document))
    written = sorted(tmp_path.rglob("*.retrieval_events.json"))
    assert groundtrace("validate", *written).code == 0
    for command in ("evaluate", "impact", "report"):
        ran = groundtrace(command, tmp_path, *(["--jobs", 1] if command == "evaluate" else []))
        assert ran.code == 0, ran.err
    results = tmp_path / "run_1" / "retrieval_events"
    summary = json.loads((results / "run_retrieval_summary.json").read_text())
    means = {name: group["metrics"]["file_recall"]["mean"] for name, group in groups(summary)}
    assert means == {"baseline": 0.5, "mcp": 1}
    assert "shown.file_recall" not in summary["overall"]["metrics"]
    shown = summary["overall"]["more_metrics"]["shown.file_recall"]
    assert (shown["mean"], shown["left_out"]) == (None, {"older_document": 6})
    answer = json.loads((results / "impact_analysis.json").read_text())["answer"]
    deltas = {row["metric"]: row["delta"] for row in answer["rows"]}
    assert deltas["shown.file_recall"] is None
    assert "older_document" in [line["kind"] for line in answer["look_at"]]
    report = (results / "retrieval_report.md").read_text()
    assert "0.50" in report and "made from an older document" in report


def groups(summary: dict[str, Any]) -> list[tuple[str, Any]]:
    return list(summary["by_config"].items())
