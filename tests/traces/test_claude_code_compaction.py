"""Compaction of Claude Code's context, in the stream and in session logs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from groundtrace.events.stated import context_changes
from groundtrace.storage import LocalFolder
from groundtrace.traces.claude_code import trace as transcript
from groundtrace.traces.kit.keep import Keep
from groundtrace.traces.kit.merge import merge


def use(name: str, parent: str | None = None) -> dict[str, Any]:
    block = {"type": "tool_use", "id": name, "name": "Read", "input": {"file_path": "/w/a.py"}}
    message = {"id": f"m{name}", "model": "m", "content": [block]}
    return {"type": "assistant", "parent_tool_use_id": parent, "message": message}


BOUNDARY = {
    "type": "system",
    "subtype": "compact_boundary",
    "compact_metadata": {"trigger": "auto"},
}
KEPT = {
    **BOUNDARY,
    "compactMetadata": {"preservedSegment": {"headUuid": "u"}},
    "compact_metadata": None,
}
MICRO = {"type": "system", "subtype": "microcompact_boundary"}
SUMMARY = {"type": "user", "isCompactSummary": True, "message": {"role": "user", "content": "…"}}


@pytest.mark.parametrize(
    ("lines", "changes"),
    [
        ([use("1"), use("2"), BOUNDARY, SUMMARY, use("3")], [(1, "compaction", [0, 1])]),
        ([use("1"), SUMMARY, use("2")], [(0, "compaction", [0])]),
        ([use("1"), KEPT, use("2")], [(0, "compaction", None)]),
        ([use("1"), MICRO, use("2")], [(0, "truncation", None)]),
        ([use("1"), use("2", "1"), BOUNDARY, use("3")], [(0, "compaction", [0])]),
        ([BOUNDARY, use("1")], []),
        ([use("1"), use("2")], []),
    ],
    ids=["boundary", "old summary", "part kept", "micro", "subagent stays", "before", "none"],
)
def test_compaction(tmp_path: Path, lines: list[Any], changes: list[Any]) -> None:
    (tmp_path / "log.txt").write_text("\n".join(map(json.dumps, lines)))
    source = transcript.read(LocalFolder(tmp_path), "log.txt", Keep())
    found = context_changes(merge([source], []))
    assert [(c.after_step, c.kind, c.dropped_steps) for c in found] == changes
