"""What the calls of a trial are and which files they touched, in one line each, for tests."""

from __future__ import annotations

from groundtrace.config import Settings
from groundtrace.model import FileRef, ToolCall, Trace
from groundtrace.tools import view_calls


def _file(ref: FileRef) -> str:
    lines = "" if ref.line_start is None else f":{ref.line_start}-{ref.line_end}"
    return f"{ref.kind} {ref.path}{lines}"


def _call(call: ToolCall) -> str:
    ended = "?" if call.result is None else "!" if call.result.is_error else ""
    return f"{call.name}{ended}"


def seen(trace: Trace) -> list[str]:
    """Each call: its tool (`?` without an answer, `!` if it failed), its category, its files."""
    return [
        " | ".join((_call(call), view.category, *map(_file, view.refs)))
        for call, view in zip(trace.calls, view_calls(trace, Settings()), strict=True)
    ]
