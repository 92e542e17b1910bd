"""What a Cursor line says about one call: the tool, the arguments, the result."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from groundtrace.base.mcp import UNKNOWN_SERVER, content_text, server_in_name
from groundtrace.base.values import as_mapping, as_text
from groundtrace.traces.cursor.lines import Body, value_of
from groundtrace.traces.kit.arguments import as_arguments

FAILURES = ("failure", "error", "rejected", "permissionDenied", "timeout", "fileNotFound")
"""Outcomes that a call may have instead of `success`."""


NO_BODY = Body()


def tool_in(calls: Mapping[str, Body] | None) -> tuple[str | None, Body]:
    """The kind of tool (the only key of `tool_call` whose value is an object), and its body."""
    if not calls:
        return None, NO_BODY
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
