"""Small events documents for tests: a call is `step(kind, file, …)`, a trial is `trial(calls…)`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from groundtrace.documents.events import (
    Access,
    Chunk,
    Coverage,
    Event,
    EventsDocument,
    GroundTruthSection,
    Provenance,
)
from groundtrace.documents.metrics import MetricsDocument
from groundtrace.metrics import evaluate

CATEGORIES = {
    "read": "file_read",
    "matched": "code_search",
    "surfaced": "file_search",
    "written": "file_write",
}
NOW = "2026-01-01T00:00:00Z"


class Seen(NamedTuple):
    """One file touched; `truth` is the entry that it is."""

    kind: str
    file: str
    truth: str | None = None
    repo: str | None = None


def step(
    *seen: Seen,
    category: str | None = None,
    seconds: float | None = None,
    tokens: int | None = None,
    mcp: bool = False,
    accesses: bool = True,
    tool: str = "Tool",
) -> dict[str, Any]:
    """One call; its position is given by `trial`."""
    hits = list(dict.fromkeys(item.truth for item in seen if item.truth is not None))
    fields: dict[str, Any] = {
        "timestamp": None,
        "tool_name": tool,
        "tool_category": category or (CATEGORIES[seen[0].kind] if seen else "other"),
        "is_mcp": mcp,
        "arguments": {},
        "target_files": list(dict.fromkeys(item.file for item in seen)),
        "target_symbols": [],
        "hits_ground_truth": bool(hits),
        "matched_ground_truth_files": hits,
        "is_subagent": False,
        "cumulative_tokens": tokens,
        "elapsed_seconds": seconds,
    }
    if accesses:
        fields["accesses"] = [_access(item) for item in seen]
    return fields


def _access(item: Seen) -> Access:
    optional = {"repo": item.repo, "ground_truth_file": item.truth}
    given = {name: value for name, value in optional.items() if value is not None}
    return Access(file=item.file, kind=item.kind, **given)


def trial(
    *calls: dict[str, Any],
    truth: Sequence[str] = (),
    edits: Sequence[str] | None = None,
    chunks: Sequence[str] = (),
    source: str | None = "transcript",
    version: str = "1.1",
    **provenance: Any,
) -> EventsDocument:
    """An events document of these calls."""
    optional: dict[str, Any] = {}
    if edits is not None:
        optional["expected_edit_files"] = list(edits)
    if chunks:
        optional["chunks"] = [
            Chunk(file=file, line_start=1, line_end=2, annotation=None) for file in chunks
        ]
    identity: dict[str, Any] = {
        "run_id": "run",
        "batch_timestamp": None,
        "task_name": "task",
        "trial_name": "task__1",
        "config_name": "baseline",
        "benchmark": "suite",
        "model": "model",
    }
    return EventsDocument(
        schema_version=version,
        provenance=Provenance(**{**identity, **provenance}),
        coverage=Coverage(
            has_trajectory=False,
            has_transcript=source is not None,
            has_ground_truth=bool(truth),
            has_chunk_ground_truth=bool(chunks),
            trace_source=source,
            degraded_reason=None if source else "no trajectory and no transcript",
            ground_truth_source="tests/ground_truth.json" if truth else None,
            ground_truth_confidence="high" if truth else None,
        ),
        ground_truth=GroundTruthSection(files=list(truth), **optional),
        events=[Event(step_index=position, **call) for position, call in enumerate(calls)],
    )


def plain(files: Sequence[str], truth: Sequence[str], kind: str = "read") -> EventsDocument:
    """A trial that touches the files one after the other."""
    return trial(
        *(step(Seen(kind, file, file if file in truth else None)) for file in files), truth=truth
    )


def metrics_of(document: EventsDocument) -> MetricsDocument:
    """Its metrics, at a fixed time."""
    return evaluate(document, generated_at=NOW)
