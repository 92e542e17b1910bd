"""A line of Cursor's JSONL as a type, and what it says about one call.

Only what is needed has a field. The line of a completed call repeats the arguments, so they are not
decoded until they are needed.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from groundtrace.base.mcp import UNKNOWN_SERVER, content_text, server_in_name
from groundtrace.base.values import as_mapping, as_text
from groundtrace.traces.kit.fit import as_arguments, value_of

NOTHING = msgspec.Raw(b"null")
FAILURES = ("failure", "error", "rejected", "permissionDenied", "timeout", "fileNotFound")
"""Outcomes that a call may have instead of `success`."""


class Body(msgspec.Struct, frozen=True, gc=False):
    """What a line says about a call, without the kind of tool."""

    args: msgspec.Raw = NOTHING
    result: Any = None
    # The next ones are for a kind of tool that is called `function`.
    name: Any = None
    arguments: Any = None


class Line(msgspec.Struct, frozen=True, gc=False):
    """One event."""

    type: Any = None
    subtype: Any = None
    call_id: Any = None
    tool_call: dict[str, Body] | None = None
    """The kind of tool, which is nearly always the only key."""
    timestamp_ms: Any = None
    timestamp: Any = None
    cwd: Any = None
    model: Any = None
    usage: Any = None
    version: Any = None


decode_line = msgspec.json.Decoder(Line).decode
"""The event of a line of the usual form; for any other line raises one of NOT_FITTING."""
_NO_BODY = Body()


def tool_in(calls: Mapping[str, Body] | None) -> tuple[str | None, Body]:
    """The kind of tool (the only key of `tool_call` whose value is an object), and its body."""
    if not calls:
        return None, _NO_BODY
    for kind, body in calls.items():
        if kind.endswith("ToolCall") or kind == "function":
            return kind, body
    return next(iter(calls.items()))


def identity(kind: str | None, body: Body) -> tuple[str | None, dict[str, Any] | None, str | None]:
    """Tool name, arguments and MCP server."""
    if kind is None:
        return None, None, None
    if kind == "function":
        name = as_text(body.name)
        return name, as_arguments(body.arguments), server_in_name(name or "")
    arguments = as_arguments(value_of(body.args))
    if kind == "mcpToolCall" and arguments is not None:
        name = as_text(arguments.get("toolName")) or as_text(arguments.get("name")) or kind
        server = as_text(arguments.get("providerIdentifier")) or server_in_name(name)
        return name, as_arguments(arguments.get("args")), server or UNKNOWN_SERVER
    return kind, arguments, None


def outcome_of(result: Any) -> tuple[Any, bool]:
    """The outcome of the call, and whether it failed."""
    if isinstance(result, dict):
        if "success" in result:
            return result["success"], False
        for key in FAILURES:
            if key in result:
                return result[key], True
    return result, False


def text_of(outcome: Any) -> str:
    """The text that the agent saw, if this kind of tool has one."""
    if isinstance(outcome, str):
        return outcome
    members = as_mapping(outcome)
    content = members.get("content")
    if isinstance(content, (str, list)):
        return content_text(content)
    out, err = members.get("stdout"), members.get("stderr")
    if isinstance(out, str) and out:
        return f"{out}\n{err}" if isinstance(err, str) and err else out
    if isinstance(err, str) and err:
        return err
    shown = members.get("interleavedOutput")
    if isinstance(shown, str):
        return shown
    files = members.get("files")
    if isinstance(files, list):
        return "\n".join(item for item in files if isinstance(item, str))
    for key in ("error", "errorMessage", "message", "reason"):
        if isinstance(members.get(key), str):
            return str(members[key])
    return ""
