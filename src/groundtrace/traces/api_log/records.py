"""Messages, items and replies of Anthropic's and OpenAI's servers, as turns in order."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from groundtrace.base import jsonio
from groundtrace.base.frozen import Frozen
from groundtrace.base.values import as_items, as_mapping, as_text
from groundtrace.traces.chat.records import as_message
from groundtrace.traces.kit.rows import row_id

HOSTED = frozenset({"web_search_call", "file_search_call", "code_interpreter_call"})
"""Calls that the model's server answers itself; their items are named for the tool."""
CALLS = HOSTED | {
    *("function_call", "custom_tool_call", "local_shell_call", "shell_call", "mcp_call"),
    "apply_patch_call",
}
ANSWERS = frozenset(
    {
        *("function_call_output", "custom_tool_call_output", "local_shell_call_output"),
        *("shell_call_output", "apply_patch_call_output"),
    }
)
_SILENT = frozenset({"reasoning", "message", "item_reference", "compaction"})
"""Items that are no calls."""
MEMBERS = ("messages", "input", "history", "conversation", "conversations", "items")
"""Members of a request that may hold turns."""
REPLIES = ("output", "response", "choices", "message")
_AROUND = ("request", "req", "request_body", "body", "data", "response", "res", "response_body")
"""Members of a line that a log puts around a request or its reply; a request comes first."""
_OF_REQUEST = frozenset(
    {
        *("max_tokens", "max_output_tokens", "max_completion_tokens", "tools", "tool_choice"),
        *("stream", "previous_response_id", "temperature", "request", "response"),
    }
)
_DEPTH = 6


class Turn(Frozen, frozen=True):
    """One message or item."""

    value: Mapping[str, Any]
    around: Mapping[str, Any]
    """The object that holds it, which may state time, model and usage."""


def is_turn(value: Mapping[str, Any]) -> bool:
    """Whether an object is a message or an item."""
    kind = as_text(value.get("type"))
    if kind in CALLS or kind in ANSWERS or kind in _SILENT:
        return True
    if not isinstance(value.get("role"), str):
        return False
    return any(key in value for key in ("content", "tool_calls", "message"))


def is_row(value: Mapping[str, Any]) -> bool:
    """Whether an object is a whole conversation of its own, and not a request of a log."""
    if is_turn(value) or value.get("object") == "response":
        return False
    holds = any(isinstance(value.get(key), list | str) for key in (*MEMBERS, "output"))
    named = any(as_text(value.get(key)) for key in ("instance_id", "task_id", "traj_id"))
    return holds and (named or (_OF_REQUEST.isdisjoint(value) and row_id(value) is not None))


def turns_in(value: Any, around: Mapping[str, Any] | None = None, depth: int = 0) -> Iterator[Turn]:
    """The turns of a line, a request, a reply, a row or a list of these, in order."""
    if depth > _DEPTH:
        return
    if isinstance(value, list):
        for item in value:
            yield from turns_in(item, around, depth + 1)
        return
    if not isinstance(value, dict):
        return
    around = {**(around or {}), **_facts(value)}
    inner = value.get("message")
    if isinstance(value.get("role"), str) and isinstance(inner, dict):
        yield Turn({"role": value["role"], **inner}, around)  # Cursor puts the role outside
        return
    if is_turn(value):
        yield Turn(as_message(value), around)
        return
    for key in (*MEMBERS, *_AROUND, *REPLIES):
        held = value.get(key)
        if isinstance(held, str):
            held = _decoded(held)
        if isinstance(held, list | dict):
            yield from turns_in(held, around, depth + 1)


def _decoded(text: str) -> Any:
    """A list or an object that is JSON in a text."""
    if text[:1] not in ("[", "{"):
        return None
    return jsonio.loads_text(text)


_FACTS = ("timestamp", "created_at", "created", "ts", "time", "model", "usage", "id")


def _facts(value: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value[key] for key in _FACTS if value.get(key) is not None}


class Asked(Frozen, frozen=True):
    """A call as a turn holds it."""

    call_id: str | None
    name: Any
    arguments: Any


def asked_in(turn: Mapping[str, Any]) -> Iterator[Asked]:
    """The calls of a turn."""
    if as_text(turn.get("type")) in CALLS:
        yield _item(turn)
    elif turn.get("role") == "assistant":
        for block in map(as_mapping, as_items(turn.get("content"))):
            if block.get("type") in ("tool_use", "mcp_tool_use", "server_tool_use"):
                yield _block(block)
        for call in map(as_mapping, as_items(turn.get("tool_calls"))):
            function = as_mapping(call.get("function"))
            yield Asked(as_text(call.get("id")), function.get("name"), function.get("arguments"))


def _block(block: Mapping[str, Any]) -> Asked:
    """The call of a block."""
    name, given = block.get("name"), block.get("input")
    if name == "CallMcpTool":  # as Cursor calls the tools of servers
        members = as_mapping(given)
        server = as_text(members.get("server")) or "unknown"
        name = f"mcp__{server}__{as_text(members.get('toolName')) or 'unknown'}"
        given = members.get("arguments", {})
    elif block.get("type") == "mcp_tool_use" and isinstance(name, str):
        name = f"mcp__{as_text(block.get('server_name')) or 'unknown'}__{name}"
    elif name == "ApplyPatch" and isinstance(given, str):
        given = {"input": given}
    return Asked(as_text(block.get("id")), name, given)


def _item(item: Mapping[str, Any]) -> Asked:
    """The call of an item."""
    kind, name = item["type"], item.get("name")
    call_id = as_text(item.get("call_id")) or as_text(item.get("id"))
    if kind in ("local_shell_call", "shell_call"):
        action = as_mapping(item.get("action"))
        shell: dict[str, Any] = {"command": action.get("command")}
        commands = action.get("commands")
        if isinstance(commands, list):  # each is a line of its own, not a word of one
            shell = {"command": "\n".join(line for line in commands if isinstance(line, str))}
        folder = as_text(action.get("working_directory"))
        return Asked(call_id, "local_shell", shell | ({"workdir": folder} if folder else {}))
    if kind == "apply_patch_call":
        return Asked(call_id, "apply_patch", _patch(as_mapping(item.get("operation"))))
    if kind in HOSTED:
        members = ("action", "queries", "code")
        given = {key: item[key] for key in members if item.get(key) is not None}
        return Asked(call_id, kind.removesuffix("_call"), as_mapping(given.get("action")) or given)
    given = item.get("arguments", item.get("input"))
    if kind == "custom_tool_call" and isinstance(given, str):
        return Asked(call_id, name, {"input": given})
    if kind == "mcp_call" and isinstance(name, str):
        name = f"mcp__{as_text(item.get('server_label')) or 'unknown'}__{name}"
    return Asked(call_id, name, given)


_OPERATIONS = {"create_file": "Add", "update_file": "Update", "delete_file": "Delete"}


def _patch(operation: Mapping[str, Any]) -> dict[str, Any] | None:
    """The arguments of a patch of one file; None if it names none."""
    word = _OPERATIONS.get(as_text(operation.get("type")) or "")
    path = as_text(operation.get("path"))
    if word is None or path is None:
        return None
    lines = ["*** Begin Patch", f"*** {word} File: {path}", as_text(operation.get("diff")) or ""]
    return {"input": "\n".join([*lines, "*** End Patch"])}


class Given(Frozen, frozen=True):
    """An answer as a turn holds it."""

    call_id: str | None
    content: Any
    failed: bool


def given_in(turn: Mapping[str, Any]) -> Iterator[Given]:
    """The answers of a turn."""
    kind = as_text(turn.get("type"))
    if kind in ANSWERS:
        failed = turn.get("status") in ("incomplete", "failed")
        call_id = as_text(turn.get("call_id")) or as_text(turn.get("id"))
        content = turn.get("output")
        if kind == "shell_call_output" and isinstance(content, list):
            yield Given(call_id, *_shell_output(content))
        else:
            yield Given(call_id, content, failed)
    elif kind in HOSTED:
        shown = turn.get("results", turn.get("outputs"))
        if shown is not None:
            yield Given(as_text(turn.get("id")), shown, turn.get("status") == "failed")
    elif kind == "mcp_call" and (turn.get("output") is not None or turn.get("error")):
        call_id = as_text(turn.get("call_id")) or as_text(turn.get("id"))
        yield Given(call_id, turn.get("output") or turn.get("error"), bool(turn.get("error")))
    elif turn.get("role") == "tool":
        yield Given(as_text(turn.get("tool_call_id")), turn.get("content"), False)
    else:
        for block in map(as_mapping, as_items(turn.get("content"))):
            if (as_text(block.get("type")) or "").endswith("tool_result"):  # of any kind of tool
                failed = block.get("is_error") is True
                yield Given(as_text(block.get("tool_use_id")), block.get("content"), failed)


def _shell_output(commands: list[Any]) -> tuple[str, bool]:
    """What some commands printed, one after the other, and whether the last one failed."""
    each = [*map(as_mapping, commands)]
    printed = [item.get(name) for item in each for name in ("stdout", "stderr")]
    ended = as_mapping(each[-1].get("outcome")) if each else {}
    failed = ended.get("type") == "timeout" or ended.get("exit_code") not in (None, 0)
    return "".join(text for text in printed if isinstance(text, str)), failed
