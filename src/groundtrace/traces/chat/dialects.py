"""How a reply calls tools: as objects, as XML in its text, or as a command line in back-ticks."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from groundtrace import jsonio
from groundtrace.mcp import content_text
from groundtrace.traces.swe_agent.actions import read_action
from groundtrace.values import as_mapping, as_text

Dialect = Literal["tools", "xml", "mini", "ticks", "none"]

_FUNCTION = re.compile(r"<function=([^>\s]+)\s*>(.*?)(?:</function>|\Z)", re.DOTALL)
_PARAMETER = re.compile(
    r"<parameter=([^>\s]{1,100})\s{0,9}>((?:(?!</parameter>|<parameter=).)*+)</parameter>",
    re.DOTALL,
)
_TICKS = re.compile(r"^```(?:\w*)[ \t]*\n(.*?)^```[ \t]*$", re.DOTALL | re.MULTILINE)
_FENCE = re.compile(r"```(?:bash|mswea_bash_command)\s*\n")
_LISTS = frozenset({"view_range", "insert_line"})
"""Parameters of the editor that are JSON where they are written as text."""


@dataclass(frozen=True, slots=True)
class Asked:
    """One call of a reply."""

    name: str
    arguments: dict[str, Any]
    call_id: str | None = None
    is_whole: bool = True
    """False where its arguments do not decode."""


def dialect_of(messages: Sequence[Mapping[str, Any]]) -> Dialect:
    """The dialect of a conversation, by the first reply that shows one."""
    replies = [message for message in messages if is_reply(message)]
    if any(isinstance(reply.get("tool_calls"), list) and reply["tool_calls"] for reply in replies):
        return "tools"
    texts = [text_of(reply) for reply in replies]
    if any("<function=" in text for text in texts):
        return "xml"
    answers = [text_of(message) for message in messages if not is_reply(message)]
    if any(map(_FENCE.search, texts)) and any("<returncode>" in text for text in answers):
        return "mini"
    # Code in a talk is no command: something has to show that a harness ran it.
    is_run = any("(Current directory: " in text or "OBSERVATION:" in text for text in answers)
    return "ticks" if is_run else "none"


def is_reply(message: Mapping[str, Any]) -> bool:
    """Whether a message is the model's."""
    return message.get("role") in ("assistant", "ai")


def text_of(message: Mapping[str, Any]) -> str:
    """The text of a message; nebius writes `text`."""
    return content_text(message.get("content", message.get("text")))


def calls_of(
    message: Mapping[str, Any], dialect: Dialect, open_file: str | None = None
) -> list[Asked]:
    """The calls that a reply makes."""
    if dialect == "tools":
        calls = message.get("tool_calls")
        return [_object(call) for call in calls] if isinstance(calls, list) else []
    if dialect == "xml":
        return xml_calls(text_of(message))
    if dialect == "none":
        return []
    blocks = _TICKS.findall(text_of(message) + "\n")
    if not blocks or not blocks[-1].strip():
        return []
    action = read_action(blocks[-1], open_file)
    return [Asked(action.name, action.arguments)]


def _object(call: Any) -> Asked:
    function = as_mapping(as_mapping(call).get("function"))
    name = as_text(function.get("name")) or "unknown"
    call_id = as_text(as_mapping(call).get("id"))
    given = function.get("arguments")
    if isinstance(given, str):
        try:
            given = jsonio.loads(given.encode()) if given.strip() else {}
        except (jsonio.BadJsonError, UnicodeEncodeError):
            return Asked(name, {}, call_id, is_whole=False)
    if not isinstance(given, dict):
        return Asked(name, {}, call_id, is_whole=given is None)
    return Asked(name, given, call_id)


def xml_calls(text: str) -> list[Asked]:
    """The functions in a text; one that the text's end cuts off is a call without its last words."""
    return [
        Asked(name, {key: _value(key, value) for key, value in _PARAMETER.findall(body)})
        for name, body in _FUNCTION.findall(text)
    ]


def _value(name: str, value: str) -> Any:
    """A parameter without the line ends beside its tags."""
    value = value.removeprefix("\n").removesuffix("\n")
    if name in _LISTS:
        try:
            return jsonio.loads(value.encode())
        except (jsonio.BadJsonError, UnicodeEncodeError):
            return value
    return value
