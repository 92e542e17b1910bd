"""What a Cursor line says about one call: the tool, the arguments, the result."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from groundtrace.mcp import UNKNOWN_SERVER, content_text, server_in_name
from groundtrace.traces.arguments import as_arguments
from groundtrace.values import as_mapping, as_text

FAILURES = ("failure", "error", "rejected", "permissionDenied", "timeout", "fileNotFound")
"""Outcomes that a call may have instead of `success`."""


def tool_in(value: Any) -> tuple[str | None, Mapping[str, Any]]:
    """The kind of tool (the only key of `tool_call` whose value is an object), and its body."""
    members = {key: item for key, item in as_mapping(value).items() if isinstance(item, dict)}
    named = [key for key in members if key.endswith("ToolCall") or key == "function"]
    kind = next(iter(named or members), None)
    return kind, {} if kind is None else members[kind]


def identity(
    kind: str | None, body: Mapping[str, Any]
) -> tuple[str | None, dict[str, Any] | None, str | None]:
    """Tool name, arguments and MCP server."""
    if kind is None:
        return None, None, None
    if kind == "function":
        name = as_text(body.get("name"))
        return name, as_arguments(body.get("arguments")), server_in_name(name or "")
    arguments = as_arguments(body.get("args"))
    if kind == "mcpToolCall" and arguments is not None:
        name = as_text(arguments.get("toolName")) or as_text(arguments.get("name")) or kind
        server = as_text(arguments.get("providerIdentifier")) or server_in_name(name)
        return name, as_arguments(arguments.get("args")), server or UNKNOWN_SERVER
    return kind, arguments, None


def outcome_of(result: Any) -> tuple[Any, bool]:
    """The outcome of the call, and whether it failed."""
    members = as_mapping(result)
    if "success" in members:
        return members["success"], False
    for key in FAILURES:
        if key in members:
            return members[key], True
    return result, False


def text_of(outcome: Any) -> str:
    """The text that the agent saw, if this kind of tool has one."""
    if isinstance(outcome, str):
        return outcome
    members = as_mapping(outcome)
    content = members.get("content")
    if isinstance(content, str | list):
        return content_text(content)
    streams = [members.get(key) for key in ("stdout", "stderr", "interleavedOutput")]
    told = [item for item in streams[:2] if isinstance(item, str) and item]
    if told:
        return "\n".join(told)
    if isinstance(streams[2], str):
        return streams[2]
    files = members.get("files")
    if isinstance(files, list):
        return "\n".join(item for item in files if isinstance(item, str))
    for key in ("error", "errorMessage", "message", "reason"):
        if isinstance(members.get(key), str):
            return str(members[key])
    return ""
