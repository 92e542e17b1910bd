"""Answers of tools, in the forms that mappings give them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from groundtrace.base.mcp import content_text
from groundtrace.base.patterns import regex
from groundtrace.base.values import as_count, as_mapping
from groundtrace.traces.codex.records import streams

_MORE = regex(
    r"\n\n(?:\.\.\. \(\d{1,9} more lines? not shown[^\n]*\)"
    r"|\[(?:Showing lines |\d{1,9} more lines? )[^\n]*\])\Z"
)
"""A note after the lines that were shown: there are more lines."""
_STREAMS = frozenset({"stdout", "stderr"})


def lines_of(text: str, arguments: Mapping[str, Any]) -> dict[str, Any] | None:
    """Which lines of a file a text without line numbers shows; None if that is unknown."""
    shown, cut = _MORE.subn("", text) if text.endswith((")", "]")) else (text, 0)
    first = arguments.get("offset")
    start = 1 if first is None else as_count(first)
    if not shown or not start:
        return None
    # Before such a note the last line has no newline, so an empty text there is a line too.
    count = shown.count("\n") + (bool(cut) or not shown.endswith("\n"))
    return {"file": {"startLine": start, "numLines": count}}


def printed(value: Any) -> tuple[str, bool]:
    """An answer as text, and whether it says that it failed."""
    if isinstance(value, str):
        return value, False
    if value is None:
        return "", False
    members = as_mapping(value)
    if _STREAMS & members.keys():
        output = streams(members)
        return output.text, output.failed
    if isinstance(value, list) or isinstance(members.get("text"), str):
        return content_text(value), False
    if isinstance(members.get("content"), str | list):
        return content_text(members["content"]), members.get("isError") is True
    import json

    try:
        return json.dumps(value, ensure_ascii=False), False
    except (ValueError, RecursionError):
        return "", False
