"""One line of a rollout, in the form of any version."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec
from msgspec import UNSET, field

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


ENDS = frozenset({"exec_command_end", "patch_apply_end", "mcp_tool_call_end", "item_completed"})
"""Events about the end of a call."""
_COMPLETE = ENDS | {"session_meta", "compacted"}
"""Lines and events of which all members are needed."""


class Counts(msgspec.Struct, frozen=True, gc=False):
    """Tokens that a `token_count` states."""

    input_tokens: Any = None
    cached_input_tokens: Any = None
    output_tokens: Any = None


class Info(msgspec.Struct, frozen=True, gc=False):
    """The totals of a `token_count`."""

    total: Counts | None = field(default=None, name="total_token_usage")
    last: Counts | None = field(default=None, name="last_token_usage")


class Body(msgspec.Struct, frozen=True, gc=False):
    """What is needed of most items and events. The rest is skipped: encrypted reasoning alone is a
    third of a rollout."""

    type: str = ""
    """Empty if it has none."""
    call_id: Any = None
    id: Any = None
    name: Any = None
    namespace: Any = None
    function: Any = None
    arguments: Any = None
    input: Any = None
    action: Any = None
    output: Any = UNSET
    result: Any = UNSET
    tools: Any = None
    role: Any = None
    content: Any = None
    info: Info | None = None
    num_turns: Any = None
    cwd: Any = None
    model: Any = None


class Line(msgspec.Struct, frozen=True, gc=False):
    """The content of a line."""

    kind: str = field(name="type")
    """`session_meta`, `turn_context`, `response_item`, `event_msg`, `compacted`, …"""
    body: Body = field(name="payload")
    timestamp: Any = UNSET
    created_at: Any = None

    @property
    def stamp(self) -> Any:
        """Its time as it is written."""
        return self.created_at if self.timestamp is UNSET else self.timestamp

    @property
    def members(self) -> Mapping[str, Any]:
        """All members of the body; none if only those that `Body` names were decoded."""
        return {}


class WholeLine(Line, frozen=True, gc=False):
    """A line that was decoded completely."""

    members: Mapping[str, Any] = {}


_decode = msgspec.json.Decoder(Line).decode
_FIELDS = frozenset(Body.__struct_fields__) - {"type", "info"}


def decode_line(data: bytes) -> Line | None:
    """A line with only the members that are needed; None for a line of which all are needed, or of
    another form: `line_of` reads it."""
    try:
        line = _decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    return None if line.kind in _COMPLETE or line.body.type in _COMPLETE else line


def line_of(value: Any) -> WholeLine | None:
    """The line in a decoded value; None if the value is not a line of a rollout."""
    if not isinstance(value, dict):
        return None
    kind, body = value.get("type"), value.get("payload")
    stamp = value.get("timestamp", value.get("created_at"))
    if isinstance(kind, str) and isinstance(body, dict):
        return WholeLine(kind, _fit_body(body), stamp, None, body)
    if isinstance(kind, str) and kind in _BARE:
        return WholeLine("response_item", _fit_body(value), stamp, None, value)
    if isinstance(value.get("record_type"), str):
        return WholeLine("state", Body())
    if "id" in value and "timestamp" in value and ("instructions" in value or "git" in value):
        return WholeLine("session_meta", Body(), stamp, None, value)
    if isinstance(kind, str) and "payload" in value:
        return WholeLine(kind, Body(), stamp)
    return None


def _fit_body(value: dict[str, Any]) -> Body:
    """A decoded object as a body, with members of any type."""
    kind, info = value.get("type"), value.get("info")
    members = {key: value[key] for key in _FIELDS if key in value}
    if isinstance(info, dict):
        members["info"] = Info(
            _fit_counts(info.get("total_token_usage")), _fit_counts(info.get("last_token_usage"))
        )
    return Body(kind if isinstance(kind, str) else "", **members)


def _fit_counts(value: Any) -> Counts | None:
    if not isinstance(value, dict):
        return None
    return Counts(*(value.get(key) for key in Counts.__struct_fields__))
