"""One line of a rollout, in the form of any version."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from groundtrace.times import parse_time

CALLS = frozenset(
    {
        "function_call",
        "custom_tool_call",
        "local_shell_call",
        "web_search_call",
        "tool_search_call",
        "tool_call",
    }
)
"""Items that are a call."""
OUTPUTS = frozenset(
    {
        "function_call_output",
        "custom_tool_call_output",
        "local_shell_call_output",
        "mcp_tool_call_output",
        "tool_search_output",
        "tool_result",
        "function_result",
    }
)
"""Items that answer a call."""
_BARE = CALLS | OUTPUTS | {"message", "reasoning", "ghost_snapshot", "compaction"}


class Line(NamedTuple):
    """The content of a line."""

    kind: str
    """`session_meta`, `turn_context`, `response_item`, `event_msg`, `compacted`, …"""
    body: Mapping[str, Any]
    moment: float | None = None

    @property
    def item(self) -> str:
        """The type of an item or event; empty if it has none."""
        kind = self.body.get("type")
        return kind if isinstance(kind, str) else ""


def line_of(value: Any) -> Line | None:
    """The line in a decoded value; None if the value is not a line of a rollout."""
    if not isinstance(value, dict):
        return None
    kind, body = value.get("type"), value.get("payload")
    moment = parse_time(value.get("timestamp", value.get("created_at")))
    if isinstance(kind, str) and isinstance(body, dict):
        return Line(kind, body, moment)
    if isinstance(kind, str) and kind in _BARE:
        return Line("response_item", value, moment)
    if isinstance(value.get("record_type"), str):
        return Line("state", {})
    if "id" in value and "timestamp" in value and ("instructions" in value or "git" in value):
        return Line("session_meta", value, moment)
    if isinstance(kind, str) and "payload" in value:
        return Line(kind, {}, moment)
    return None
