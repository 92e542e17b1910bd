"""Actions of OpenHands' agent as calls, and what their observations say about them."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence
from typing import Any

from groundtrace.base import jsonio
from groundtrace.base.frozen import Frozen
from groundtrace.base.mcp import UNKNOWN_SERVER, content_text
from groundtrace.base.patterns import regex
from groundtrace.base.values import as_mapping, as_text
from groundtrace.traces.openhands.dialect import BUILTIN_TOOLS
from groundtrace.traces.openhands.records import (
    BOOKKEEPING,
    NO_CALLS,
    Event,
    ToolCall,
    calls_of,
)

NAMES: Mapping[str, str] = {
    "run": "execute_bash",
    "run_ipython": "execute_ipython_cell",
    "read": "str_replace_editor",
    "edit": "str_replace_editor",
    "write": "write_file",
    "browse": "browser",
    "browse_interactive": "browser",
    "delegate": "delegate",
    "think": "think",
    "finish": "finish",
    "task_tracking": "task_tracker",
}
"""The tool of an action for which no function call of the model is recorded."""
_OWN = BUILTIN_TOOLS.union(NAMES.values())
_MCP = ("mcp", "call_tool_mcp")
_PROMPT = regex(r"(?:\r?\n|\A)[^\n@]{0,200}+@[^\n:]{1,200}+:(?P<folder>[^\n]{0,4096}?) [#$]\s*+\Z")
"""The shell's prompt at the end of old observations."""
_FOOTER = regex(
    r"\n?\[Jupyter current working directory: (?P<folder>[^\n\]]*)\](?:\n\[[^\n]*\])*\s*\Z"
)


class Asked(Frozen, frozen=True):
    """A call that an action makes."""

    name: str
    arguments: dict[str, Any]
    call_id: str | None = None
    server: str | None = None


def asked_v0(event: Event) -> Asked | None:
    """The call of an action; None if the action is not a call."""
    action = as_text(event.action) or ""
    meta = event.tool_call_metadata
    name = None if meta is None else as_text(meta.function_name)
    args = event.args or {}
    if name is None:
        if action in NO_CALLS or event.source == "user":
            return None
        name = as_text(args.get("name")) if action in _MCP else NAMES.get(action)
        name = name or action
    call_id = None if meta is None else as_text(meta.tool_call_id)
    given = None if meta is None else _given(calls_of(meta.model_response), name, call_id)
    if given is None:
        given = _from_action(action, args)
    skill = skill_of(given.get("code")) if action == "run_ipython" else None
    if skill is not None:
        return Asked(*skill, call_id)
    return Asked(name, given, call_id, None if name in _OWN else UNKNOWN_SERVER)


def _given(calls: Sequence[ToolCall], name: str, call_id: str | None) -> dict[str, Any] | None:
    """The arguments as the model wrote them, if the model's reply shows whose they are."""
    fitting = [call.function for call in calls if call.id == call_id]
    if len(fitting) != 1 or fitting[0] is None or fitting[0].name != name:
        return None
    return _decoded(fitting[0].arguments)


def _decoded(value: Any) -> dict[str, Any] | None:
    if isinstance(value, str):
        value = jsonio.loads_text(value)
    return value if isinstance(value, dict) else None


def _from_action(action: str, args: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments that the action records, under the names that its tool uses."""
    if action in _MCP:
        return dict(as_mapping(args.get("arguments")))
    given = {k: v for k, v in args.items() if k not in BOOKKEEPING and v is not None}
    if action == "read":
        given = {"command": "view", **given}
    elif action == "edit":
        given["command"] = given.get("command") or "str_replace"
    return given


def asked_v1(event: Event) -> Asked:
    """The call of an ActionEvent."""
    call = as_mapping(event.tool_call)
    name = as_text(event.tool_name) or as_text(call.get("name")) or "unknown"
    given = _decoded(call.get("arguments"))
    if given is None:
        action = as_mapping(event.action)
        given = {k: v for k, v in action.items() if k != "kind" and v is not None}
    server = None if name in BUILTIN_TOOLS or name in _SDK_TOOLS else UNKNOWN_SERVER
    return Asked(name, given, as_text(event.tool_call_id), server)


_SDK_TOOLS = frozenset(
    {
        "terminal",
        "file_editor",
        "planning_file_editor",
        "apply_patch",
        "glob",
        "grep",
        "task",
        "delegate",
        "task_tracker",
        "browser_use",
        "finish",
        "think",
        "read_file",
        "write_file",
        "list_directory",
        "edit",
    }
)
"""The SDK's own tools."""


def outcome_v0(event: Event) -> tuple[str, bool, str | None]:
    """Text of an observation, whether the call failed, and the directory after it."""
    text = content_text(event.content)
    kind = event.observation
    shell = None if event.extras is None else event.extras.metadata
    folder = None if shell is None else as_text(shell.working_dir)
    found = _prompt(text) if kind == "run" and shell is None else None
    found = found or (_FOOTER.search(text) if kind == "run_ipython" else None)
    if found is not None:
        place = found["folder"].strip()
        folder = folder or (place if place.startswith("/") else None)
        text = text[: found.start()]
    if "\r" in text:
        text = text.replace("\r\n", "\n")
    failed = kind == "error" or _code(event) not in (0, -1) or event.success is False
    return text, failed or text.lstrip().startswith("ERROR:"), folder


def _prompt(text: str) -> re.Match[str] | None:
    """The shell's prompt. It is on the last line, so the rest of the text is not searched."""
    begin = text.rfind("\n", 0, len(text.rstrip()))
    if begin > 0 and text[begin - 1] == "\r":
        begin -= 1
    return _PROMPT.match(text, max(begin, 0))


def _code(event: Event) -> int:
    """The exit code, wherever it is; 0 if there is none."""
    extras = event.extras
    if extras is not None:
        if extras.metadata is not None and isinstance(extras.metadata.exit_code, int):
            return extras.metadata.exit_code
        if isinstance(extras.exit_code, int):
            return extras.exit_code
    return event.exit_code if isinstance(event.exit_code, int) else 0


def outcome_v1(kind: str, event: Event) -> tuple[str, bool, str | None]:
    """The same for an answer of V1."""
    if kind != "ObservationEvent":
        text = as_text(event.error) or as_text(event.rejection_reason) or ""
        return text, True, None
    seen = as_mapping(event.observation)
    code = seen.get("exit_code")
    folder = as_text(as_mapping(seen.get("metadata")).get("working_dir"))
    failed = seen.get("is_error") is True or (isinstance(code, int) and code not in (0, -1))
    return content_text(seen.get("content", seen.get("output"))), failed, folder


# --- skills that the agent calls in IPython cells, as calls of tools (D85) ---
# `open_file('/workspace/app.py')` in a cell shows a window of the file and runs no code of the task.

_FILE = "path"
SKILLS: Mapping[str, Sequence[str]] = {
    "open_file": (_FILE, "line_number", "context_lines"),
    "goto_line": ("line_number",),
    "scroll_down": (),
    "scroll_up": (),
    "create_file": (_FILE,),
    "search_dir": ("search_term", "dir"),
    "search_file": ("search_term", _FILE),
    "find_file": ("file_name", "dir"),
    "edit_file_by_replace": (_FILE, "to_replace", "new_content"),
    "edit_file": (_FILE, "start", "end", "content"),
    "insert_content_at_line": (_FILE, "line_number", "content"),
    "append_file": (_FILE, "content"),
}
"""Names of the skills and of their parameters, in order."""
_WRITES = frozenset(
    {"create_file", "edit_file_by_replace", "edit_file", "insert_content_at_line", "append_file"}
)
_NAMES = {"file_name": _FILE, "filename": _FILE, "file_path": _FILE, "dir_path": "dir"}
MAX_CELL = 200_000


def skill_of(code: Any) -> tuple[str, dict[str, Any]] | None:
    """Skill and arguments of a cell that is one call of a skill and nothing else."""
    if not isinstance(code, str) or len(code) > MAX_CELL:
        return None
    try:
        body = ast.parse(code.strip()).body
        call = body[0].value if len(body) == 1 and isinstance(body[0], ast.Expr) else None
        if isinstance(call, ast.Call) and _name(call) == "print" and len(call.args) == 1:
            call = call.args[0]
        if not isinstance(call, ast.Call) or (name := _name(call)) not in SKILLS:
            return None
        given = {
            key: ast.literal_eval(value)
            for key, value in zip(SKILLS[name], call.args, strict=False)
        }
        for item in call.keywords:
            if item.arg is None:
                return None
            key = item.arg
            key = _FILE if name == "search_file" and key == "file_path" else key
            key = key if name == "find_file" and key == "file_name" else _NAMES.get(key, key)
            given[key] = ast.literal_eval(item.value)
    except (SyntaxError, ValueError, TypeError, RecursionError, MemoryError):
        return None
    return name, given


def _name(call: ast.Call) -> str:
    return call.func.id if isinstance(call.func, ast.Name) else ""


def skill_failed(name: str, text: str) -> bool:
    """Whether the output of a skill that writes says that nothing was written.

    A write answers with a note about the file, or with what it changed, as a diff.
    """
    return name in _WRITES and not text.lstrip().startswith(("[File", "--- ", "diff --git ", "@@ "))
