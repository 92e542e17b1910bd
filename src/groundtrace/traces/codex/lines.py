"""One line of a rollout, in the form of any version."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec
from msgspec import UNSET

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


class Line(msgspec.Struct, frozen=True, gc=False):
    """The content of a line."""

    kind: str
    """`session_meta`, `turn_context`, `response_item`, `event_msg`, `compacted`, …"""
    body: Mapping[str, Any]
    moment: float | None = None
    item: str = ""
    """The type of an item or event; empty if it has none."""


def line_of(value: Any) -> Line | None:
    """The line in a decoded value; None if the value is not a line of a rollout."""
    if not isinstance(value, dict):
        return None
    kind, body = value.get("type"), value.get("payload")
    moment = parse_time(value.get("timestamp", value.get("created_at")))
    if isinstance(kind, str) and isinstance(body, dict):
        item = body.get("type")
        return Line(kind, body, moment, item if isinstance(item, str) else "")
    if isinstance(kind, str) and kind in _BARE:
        return Line("response_item", value, moment, kind)
    if isinstance(value.get("record_type"), str):
        return Line("state", {})
    if "id" in value and "timestamp" in value and ("instructions" in value or "git" in value):
        return Line("session_meta", value, moment)
    if isinstance(kind, str) and "payload" in value:
        return Line(kind, {}, moment)
    return None


_BODY = b'"payload":{"type":"'
_HEAD = 200
"""Bytes in which a line says what it is, as Codex writes it."""
_SKIMMED = frozenset({b"reasoning", b"agent_reasoning", b"agent_message", b"user_message"})
"""Items and events of which only the time matters. Encrypted reasoning is a third of a rollout."""


class _Body(msgspec.Struct, gc=False):
    type: str


class _Skimmed(msgspec.Struct, gc=False):
    type: str
    payload: _Body
    timestamp: Any = UNSET
    created_at: Any = None


_skim = msgspec.json.Decoder(_Skimmed).decode


def skim(data: bytes) -> Line | None:
    """A line of which only kind and time matter, without its text; None if the line is another.

    The line must look as Codex writes it; any other is read by `line_of`.
    """
    start = data.find(_BODY, 0, _HEAD) + len(_BODY)
    if start < len(_BODY) or data[start : data.find(b'"', start)] not in _SKIMMED:
        return None
    try:
        found = _skim(data)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None
    moment = found.created_at if found.timestamp is UNSET else found.timestamp
    return Line(found.type, {}, parse_time(moment), found.payload.type)
