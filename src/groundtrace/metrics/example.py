"""The example that every metric is worked out on by hand.

One small trial serves all metrics, so that a reader has to learn it once. It is data: the
documentation prints it, and a test computes every value that is stated about it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from msgspec import UNSET

from groundtrace.documents.base import SCHEMA_VERSION
from groundtrace.documents.events import (
    Access,
    Chunk,
    Coverage,
    Event,
    EventsDocument,
    GroundTruthSection,
    Provenance,
)
from groundtrace.model import AccessKind, Category


class ExampleCall(NamedTuple):
    """One call of the example; its step is its position."""

    tool: str
    category: Category
    kind: AccessKind
    file: str
    seconds: float
    tokens: int


CALLS = (
    ExampleCall("Glob", "file_search", "surfaced", "docs/guide.md", 5.0, 1000),
    ExampleCall("Glob", "file_search", "surfaced", "src/app.py", 8.0, 1800),
    ExampleCall("Read", "file_read", "read", "src/app.py", 12.0, 2500),
    ExampleCall("Grep", "code_search", "matched", "src/util.py", 20.0, 4000),
    ExampleCall("Read", "file_read", "read", "src/db.py", 31.0, 6000),
    ExampleCall("Edit", "file_write", "written", "src/app.py", 40.0, 7500),
    ExampleCall("Write", "file_write", "written", "src/new.py", 44.0, 8200),
)
"""Retrieved, in order: docs/guide.md, src/app.py, src/util.py, src/db.py; their content shown:
src/app.py, src/util.py, src/db.py."""

RELEVANT = ("src/app.py", "src/db.py", "src/config.py")
EXPECTED_EDITS = ("src/app.py", "src/config.py")
NEIGHBOURS = ("src/util.py", "src/new.py")
"""Files that are not relevant, in the folder of relevant ones."""
CHUNKS: Mapping[str, tuple[int, int]] = {"src/app.py": (10, 20), "src/config.py": (1, 5)}


def example_document() -> EventsDocument:
    """The example as an events document."""
    return EventsDocument(
        schema_version=SCHEMA_VERSION,
        provenance=Provenance(
            run_id="example",
            batch_timestamp=None,
            task_name="example",
            trial_name="example",
            config_name="baseline",
            benchmark=None,
            model=None,
        ),
        coverage=Coverage(
            has_trajectory=False,
            has_transcript=True,
            has_ground_truth=True,
            has_chunk_ground_truth=True,
            trace_source="transcript",
            degraded_reason=None,
            ground_truth_source="tests/ground_truth.json",
            ground_truth_confidence="high",
        ),
        ground_truth=GroundTruthSection(
            files=list(RELEVANT),
            expected_edit_files=list(EXPECTED_EDITS),
            chunks=[
                Chunk(file=file, line_start=start, line_end=end, annotation=None)
                for file, (start, end) in CHUNKS.items()
            ],
        ),
        events=[_event(step, call) for step, call in enumerate(CALLS)],
    )


def _event(step: int, call: ExampleCall) -> Event:
    hits = [call.file] if call.file in RELEVANT else []
    access = Access(
        file=call.file,
        kind=call.kind,
        ground_truth_file=call.file if hits else UNSET,
        expected_edit_file=call.file if call.file in EXPECTED_EDITS else UNSET,
        near_ground_truth=True if call.file in NEIGHBOURS else UNSET,
    )
    return Event(
        step_index=step,
        timestamp=None,
        tool_name=call.tool,
        tool_category=call.category,
        is_mcp=False,
        arguments={},
        target_files=[call.file],
        target_symbols=[],
        hits_ground_truth=bool(hits),
        matched_ground_truth_files=hits,
        is_subagent=False,
        cumulative_tokens=call.tokens,
        elapsed_seconds=call.seconds,
        accesses=[access],
    )
