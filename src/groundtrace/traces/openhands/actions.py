"""Actions of OpenHands' agent as calls, and what their observations say about them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from groundtrace import jsonio
from groundtrace.frozen import Frozen
from groundtrace.mcp import UNKNOWN_SERVER, content_text
from groundtrace.patterns import regex
from groundtrace.traces.openhands.dialect import BUILTIN_TOOLS
from groundtrace.traces.openhands.skills import skill_of
from groundtrace.values import as_mapping, as_text

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
NO_CALLS = frozenset(
    {
        "system",
        "message",
        "recall",
        "condensation",
        "change_agent_state",
        "null",
        "pause",
        "resume",
        "start",
        "stop",
        "loop_recovery",
    }
)
"""Actions that are not calls of a tool."""
_BOOKKEEPING = frozenset(
    {
        "action",
        "thought",
        "timestamp",
        "id",
        "source",
        "message",
        "is_confirmed",
        "confirmation_state",
        "action_risk",
        "security_risk",
        "keep_prompt",
        "kernel_init_code",
        "tool_call_metadata",
        "llm_metrics",
        "hidden",
        "blocking",
        "is_static",
        "cwd",
        "impl_source",
    }
)
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


def asked_v0(event: Mapping[str, Any]) -> Asked | None:
    """The call of an action; None if the action is not a call."""
    action = as_text(event.get("action")) or ""
    meta = as_mapping(event.get("tool_call_metadata"))
    name = as_text(meta.get("function_name"))
    args = as_mapping(event.get("args")) or {
        key: value for key, value in event.items() if key not in _BOOKKEEPING
    }
    if name is None:
        if action in NO_CALLS or (action != "recall" and event.get("source") == "user"):
            return None
        name = (
            as_text(args.get("name")) if action in ("mcp", "call_tool_mcp") else NAMES.get(action)
        )
        name = name or action
    call_id = as_text(meta.get("tool_call_id"))
    given = _given(meta, name, call_id)
    if given is None:
        given = _from_action(action, args)
    skill = skill_of(given.get("code")) if action == "run_ipython" else None
    if skill is not None:
        return Asked(*skill, call_id)
    server = None if name in BUILTIN_TOOLS or name in NAMES.values() else UNKNOWN_SERVER
    return Asked(name, given, call_id, server)


def _given(meta: Mapping[str, Any], name: str, call_id: str | None) -> dict[str, Any] | None:
    """The arguments as the model wrote them, if the model's reply shows whose they are."""
    choices = as_mapping(meta.get("model_response")).get("choices")
    first = as_mapping(choices[0]) if isinstance(choices, list) and choices else {}
    calls = as_mapping(first.get("message")).get("tool_calls")
    fitting = [
        as_mapping(as_mapping(call).get("function"))
        for call in (calls if isinstance(calls, list) else [])
        if as_mapping(call).get("id") == call_id
    ]
    if len(fitting) != 1 or fitting[0].get("name") != name:
        return None
    return _decoded(fitting[0].get("arguments"))


def _decoded(value: Any) -> dict[str, Any] | None:
    if isinstance(value, str):
        try:
            value = jsonio.loads(value.encode())
        except (jsonio.BadJsonError, UnicodeEncodeError):
            return None
    return value if isinstance(value, dict) else None


def _from_action(action: str, args: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments that the action records, under the names that its tool uses."""
    if action in ("mcp", "call_tool_mcp"):
        return dict(as_mapping(args.get("arguments")))
    given = {k: v for k, v in args.items() if k not in _BOOKKEEPING and v is not None}
    if action == "read":
        given = {"command": "view", **given}
    elif action == "edit":
        given.setdefault("command", "str_replace")
    return given


def asked_v1(event: Mapping[str, Any]) -> Asked:
    """The call of an ActionEvent."""
    call = as_mapping(event.get("tool_call"))
    name = as_text(event.get("tool_name")) or as_text(call.get("name")) or "unknown"
    given = _decoded(call.get("arguments"))
    if given is None:
        action = as_mapping(event.get("action"))
        given = {k: v for k, v in action.items() if k != "kind" and v is not None}
    server = None if name in BUILTIN_TOOLS else UNKNOWN_SERVER
    if name in _SDK_TOOLS:
        server = None
    return Asked(name, given, as_text(event.get("tool_call_id")), server)


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


def outcome_v0(event: Mapping[str, Any]) -> tuple[str, bool, str | None]:
    """Text of an observation, whether the call failed, and the directory after it."""
    text = content_text(event.get("content"))
    extras = as_mapping(event.get("extras"))
    metadata = as_mapping(extras.get("metadata"))
    folder = as_text(metadata.get("working_dir"))
    code = next(
        (
            value
            for place in (metadata, extras, event)
            if isinstance(value := place.get("exit_code"), int)
        ),
        0,
    )
    kind = event.get("observation")
    found = _PROMPT.search(text) if kind == "run" and not metadata else None
    found = found or (_FOOTER.search(text) if kind == "run_ipython" else None)
    if found is not None:
        place = found["folder"].strip()
        folder = folder or (place if place.startswith("/") else None)
        text = text[: found.start()]
    text = text.replace("\r\n", "\n")
    failed = kind == "error" or code not in (0, -1) or event.get("success") is False
    return text, failed or text.lstrip().startswith("ERROR:"), folder


def outcome_v1(kind: str, event: Mapping[str, Any]) -> tuple[str, bool, str | None]:
    """The same for an answer of V1."""
    if kind != "ObservationEvent":
        text = as_text(event.get("error")) or as_text(event.get("rejection_reason")) or ""
        return text, True, None
    seen = as_mapping(event.get("observation"))
    code = seen.get("exit_code")
    folder = as_text(as_mapping(seen.get("metadata")).get("working_dir"))
    failed = seen.get("is_error") is True or (isinstance(code, int) and code not in (0, -1))
    return content_text(seen.get("content", seen.get("output"))), failed, folder
