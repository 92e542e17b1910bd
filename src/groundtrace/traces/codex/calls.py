"""What Codex says about one call: the tool, the arguments, the server."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from groundtrace.base.mcp import server_in_name
from groundtrace.base.values import as_mapping, as_text
from groundtrace.traces.codex.lines import Body
from groundtrace.traces.codex.outputs import Output, mcp_output, streams
from groundtrace.traces.kit.fit import as_arguments


class Asked(msgspec.Struct, frozen=True, gc=False):
    """A call as the model asked for it; a name or arguments that cannot be used are None."""

    name: str | None
    arguments: dict[str, Any] | None
    call_id: str | None = None
    server: str | None = None
    output: Output | None = None
    """Its output, if the same line states it."""


def asked_by(body: Body) -> Asked:
    """The call in an item."""
    kind, call_id = body.type, as_text(body.call_id)
    if kind == "web_search_call":
        return Asked("web_search", as_arguments(body.action), call_id)
    if kind == "tool_search_call":
        return Asked("tool_search", as_arguments(body.arguments), call_id)
    if kind == "local_shell_call":
        action = as_mapping(body.action)
        arguments = {"command": action.get("command"), "workdir": action.get("working_directory")}
        given = {key: value for key, value in arguments.items() if value is not None}
        return Asked("local_shell", given, call_id or as_text(body.id))
    tool = as_text(body.name) or as_text(as_mapping(body.function).get("name"))
    if kind == "custom_tool_call":
        text = body.input
        custom = as_arguments(text) if isinstance(text, dict) or _is_object(text) else None
        if custom is None and isinstance(text, str):
            custom = {"input": text}
        return Asked(tool, custom, call_id, server_in_name(tool or ""))
    full, server = _named(tool, as_text(body.namespace))
    return Asked(full, as_arguments(body.arguments), call_id, server)


def _is_object(text: Any) -> bool:
    return isinstance(text, str) and text.lstrip().startswith("{")


def _named(tool: str | None, namespace: str | None) -> tuple[str | None, str | None]:
    """Name and server: newer versions write `mcp__<server>` as the namespace of a tool."""
    if tool is None or namespace is None or not namespace.startswith("mcp__"):
        return tool, server_in_name(tool or "")
    server = namespace.removeprefix("mcp__").strip("_")
    return f"mcp__{server}__{tool}", server or None


def ended_call(kind: str, body: Mapping[str, Any]) -> Asked | None:
    """The call whose end an event reports; None for an event about something else."""
    if kind == "item_completed":
        item = as_mapping(body.get("item"))
        kind, body = (
            _ITEMS.get(as_text(item.get("type")) or "", ""),
            {"call_id": item.get("id"), **item},
        )
    reader = _ENDS.get(kind)
    return None if reader is None else reader(body)


def _command(body: Mapping[str, Any]) -> Asked:
    arguments = {"command": body.get("command"), "workdir": body.get("cwd")}
    given = {key: value for key, value in arguments.items() if value is not None}
    return Asked("exec_command", given, as_text(body.get("call_id")), None, streams(body))


def _patch(body: Mapping[str, Any]) -> Asked:
    return Asked(
        "apply_patch",
        {"changes": changes_of(body.get("changes"))},
        as_text(body.get("call_id")),
        None,
        streams(body),
    )


def _mcp(body: Mapping[str, Any]) -> Asked:
    invocation = as_mapping(body.get("invocation")) or body
    return Asked(
        as_text(invocation.get("tool")),
        as_arguments(invocation.get("arguments")) or {},
        as_text(body.get("call_id")),
        as_text(invocation.get("server")),
        mcp_output(body.get("result"), body.get("error")),
    )


_ENDS = {
    "exec_command_end": _command,
    "patch_apply_end": _patch,
    "mcp_tool_call_end": _mcp,
}
_ITEMS = {
    "CommandExecution": "exec_command_end",
    "FileChange": "patch_apply_end",
    "McpToolCall": "mcp_tool_call_end",
}


def changes_of(changes: Any) -> list[dict[str, Any]]:
    """The files of a patch, from a list of `{path, kind}` or an object from path to change."""
    if isinstance(changes, list):
        return [dict(as_mapping(change)) for change in changes]
    found = []
    for path, change in as_mapping(changes).items():
        members = as_mapping(change)
        kind = as_text(members.get("type")) or next(iter(members), None)
        found.append({"path": path, "kind": kind})
        inner = as_mapping(members[kind]) if kind is not None and kind in members else members
        moved = as_text(inner.get("move_path"))
        if moved is not None:
            found.append({"path": moved, "kind": "add"})
    return found
