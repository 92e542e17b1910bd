"""The example trial for which every metric is computed by hand.

All metrics use the same small trial, so that readers learn it only once. The documentation prints
it, and a test computes every value that is stated about it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
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
    LineChange,
    Provenance,
    StatedContext,
    Submission,
)
from groundtrace.documents.functions import FunctionFile, FunctionLines, Functions
from groundtrace.model import AccessKind, Category


class ExampleCall(NamedTuple):
    """One call of the example; its step is its position."""

    tool: str
    category: Category
    kind: AccessKind
    file: str
    seconds: float
    tokens: int
    chars: int
    """Characters of its answer."""
    lines: tuple[int, int] | None = None
    """Lines that it showed."""
    agent: str | None = None
    """Subagent that made it."""
    server: str | None = None
    """MCP server of the tool."""


_READ_FILE = "mcp__search__read_file"
CALLS = (
    ExampleCall("Glob", "file_search", "surfaced", "docs/guide.md", 5.0, 1000, 60),
    ExampleCall("Glob", "file_search", "surfaced", "src/app.py", 8.0, 1800, 40),
    ExampleCall("Read", "file_read", "read", "src/app.py", 12.0, 2500, 600, (1, 15)),
    ExampleCall("Grep", "code_search", "matched", "src/util.py", 20.0, 4000, 100, (5, 6)),
    ExampleCall(
        *(_READ_FILE, "file_read", "read", "src/db.py", 31.0, 6000, 1200, (1, 30)),
        agent="explorer",
        server="search",
    ),
    ExampleCall("Edit", "file_write", "written", "src/app.py", 40.0, 7500, 50),
    ExampleCall("Write", "file_write", "written", "src/new.py", 44.0, 8200, 30),
    ExampleCall("Read", "file_read", "read", "src/app.py", 50.0, 9000, 200, (8, 12)),
)
"""Retrieved files, in order: docs/guide.md, src/app.py, src/util.py, src/db.py. Shown files:
src/app.py, src/util.py, src/db.py."""

RELEVANT = ("src/app.py", "src/db.py", "src/config.py")
EXPECTED_EDITS = ("src/app.py", "src/config.py")
NEIGHBOURS = ("src/util.py", "src/new.py")
"""Files that are not relevant, in the folder of relevant ones."""
EDIT = LineChange(line_start=12, line_end=12, line_shift=1)
"""What the edit of src/app.py did: it replaced line 12 by two lines. The last call shows lines 8 to
11 of the file again, and the first of the two new lines."""
PATCH = ("src/app.py", "docs/guide.md", "src/new.py", "tests/test_app.py")
"""Files of the patch that the agent handed in."""
CREATED = ("src/new.py",)
PATCH_BEFORE = ("src/app.py", "docs/guide.md", "/dev/null", "tests/test_app.py")
"""The same files by their names before the patch."""
PATCH_LINES = (("src/app.py", 12, 12), ("docs/guide.md", 1, 2))
"""Lines that the patch changes."""
GOLD_LINES = (("src/app.py", 12, 13),)
"""Lines that the gold patch changes; it also adds to src/config.py, which was empty."""
TEST_FILES = ("tests/test_app.py",)
"""Files of the task's test patch."""
USED = ("src/db.py", 1, 10)
"""What the agent says, at the end of its work, that it used: a file and its lines."""
CHUNKS: Mapping[str, tuple[int, int]] = {"src/app.py": (10, 20), "src/config.py": (1, 5)}

FUNCTIONS: tuple[tuple[str, str, int, int], ...] = (
    ("src/app.py", "App.load", 8, 14),
    ("src/util.py", "helper", 4, 9),
    ("src/db.py", "connect", 2, 10),
    ("src/db.py", "query", 12, 28),
    ("src/app.py", "App.save", 16, 22),
    ("src/config.py", "read", 1, 5),
)
"""Functions with their lines; the first four were shown."""
NEEDED = ("App.load", "read")
EDITED = ("App.load", "App.save")
"""Functions that the gold patch and the submitted patch change."""
SYMBOLS = ("connect", "read")
_SHOWN: Mapping[int, tuple[int, ...]] = {2: (0,), 3: (1,), 4: (2, 3), 7: (0,)}
"""Step to the functions that it showed."""


def _functions(names: Iterable[str]) -> list[FunctionLines]:
    return [
        FunctionLines(function=f"{file}::{name}", file=file, line_start=first, line_end=last)
        for file, name, first, last in FUNCTIONS
        if name in names
    ]


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
            test_files=list(TEST_FILES),
            functions=_functions(NEEDED),
            edit_chunks=_chunks(GOLD_LINES),
            old_names=list(EXPECTED_EDITS),
        ),
        events=[_event(step, call) for step, call in enumerate(CALLS)],
        submission=Submission(
            files=list(PATCH),
            new_files=list(CREATED),
            source="trace: info.submission",
            old_names=list(PATCH_BEFORE),
            edit_chunks=_chunks(PATCH_LINES),
        ),
        final_context=[StatedContext(file=USED[0], line_start=USED[1], line_end=USED[2])],
        functions=Functions(
            listed=_functions([name for _, name, _, _ in FUNCTIONS]),
            files=[FunctionFile(file=file, functions=2) for file in ("src/app.py", "src/util.py")],
            edited=[at for at, one in enumerate(FUNCTIONS) if one[1] in EDITED],
            symbols=_functions(SYMBOLS),
        ),
    )


def _chunks(ranges: Iterable[tuple[str, int, int]]) -> list[Chunk]:
    return [Chunk(file=file, line_start=first, line_end=last) for file, first, last in ranges]


def _event(step: int, call: ExampleCall) -> Event:
    hits = [call.file] if call.file in RELEVANT else []
    access = Access(
        file=call.file,
        kind=call.kind,
        ground_truth_file=call.file if hits else UNSET,
        expected_edit_file=call.file if call.file in EXPECTED_EDITS else UNSET,
        near_ground_truth=True if call.file in NEIGHBOURS else UNSET,
        line_start=call.lines[0] if call.lines else UNSET,
        line_end=call.lines[1] if call.lines else UNSET,
        shown_chars=call.chars if call.lines else UNSET,
        line_shift=EDIT.line_shift if call.tool == "Edit" else UNSET,
        line_changes=[EDIT] if call.tool == "Edit" else UNSET,
        functions=list(_SHOWN[step]) if step in _SHOWN else UNSET,
    )
    return Event(
        step_index=step,
        timestamp=None,
        tool_name=call.tool,
        tool_category=call.category,
        is_mcp=call.server is not None,
        arguments={},
        target_files=[call.file],
        target_symbols=[],
        hits_ground_truth=bool(hits),
        matched_ground_truth_files=hits,
        is_subagent=call.agent is not None,
        cumulative_tokens=call.tokens,
        elapsed_seconds=call.seconds,
        accesses=[access],
        result_chars=call.chars,
        agent=UNSET if call.agent is None else call.agent,
        mcp_server=UNSET if call.server is None else call.server,
    )
