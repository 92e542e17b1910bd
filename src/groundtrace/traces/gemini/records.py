"""Messages of a session as types, for JSON and JSONL.

Only what is needed has a field, so msgspec skips the rest (thoughts, texts, what the terminal
displayed). A message of any other form is decoded completely and fitted (`kit.fit`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec
from msgspec import UNSET, UnsetType, field
from msgspec.structs import replace

from groundtrace.base.values import as_text
from groundtrace.traces.kit.fit import NOT_FITTING, fit
from groundtrace.traces.kit.lists import Listed


class Call(msgspec.Struct, frozen=True, gc=False):
    """One call of a message, with its answer."""

    id: Any = None
    name: Any = None
    args: Any = None
    status: Any = None
    result: Any = None
    result_display: msgspec.Raw = field(default=msgspec.Raw(), name="resultDisplay")
    """What the terminal displayed, not decoded: it repeats the answer and is rarely needed."""
    timestamp: Any = None
    agent_id: Any = field(default=None, name="agentId")


class Tokens(msgspec.Struct, frozen=True, gc=False):
    """Tokens of one model call, as the file states them."""

    input: Any = None
    output: Any = None
    cached: Any = None
    thoughts: Any = None
    tool: Any = None


class Message(msgspec.Struct, frozen=True, gc=False):
    """One message of a session."""

    id: Any = None
    type: Any = None
    timestamp: Any = None
    model: Any = None
    tokens: Tokens | UnsetType | None = UNSET
    """UNSET if the message does not have them, which differs from null."""
    tool_calls: list[Call] | None = field(default=None, name="toolCalls")


class _Session(msgspec.Struct, gc=False):
    """A session in JSON."""

    messages: list[Message]
    session_id: Any = field(default=None, name="sessionId")
    start_time: Any = field(default=None, name="startTime")
    kind: Any = None


class _Line(Message, frozen=True, gc=False):
    """A line of JSONL; one that has any of these members is not a message, or may not be one."""

    rewind: Any = field(default=UNSET, name="$rewindTo")
    changed: Any = field(default=UNSET, name="$set")
    project: Any = field(default=UNSET, name="projectHash")
    stream_session: Any = field(default=UNSET, name="session_id")
    stream_name: Any = field(default=UNSET, name="tool_name")
    stream_id: Any = field(default=UNSET, name="tool_id")


_decode_session = msgspec.json.Decoder(_Session).decode
_decode_line = msgspec.json.Decoder(_Line).decode


def session_in(data: bytes) -> Listed | None:
    """The messages of a session in JSON; None if one of them has another form."""
    try:
        found = _decode_session(data)
    except NOT_FITTING:
        return None
    root = {"sessionId": found.session_id, "startTime": found.start_time, "kind": found.kind}
    return Listed(iter(found.messages), root)


def message_in(data: bytes) -> Message | None:
    """The message on a line of JSONL; None if the line is something else, or of another form."""
    try:
        line = _decode_line(data)
    except NOT_FITTING:
        return None
    others = (line.rewind, line.changed, line.project)
    events = (line.stream_session, line.stream_name, line.stream_id)
    is_message = as_text(line.id) is not None and isinstance(line.type, str)
    return line if is_message and others == events == (UNSET, UNSET, UNSET) else None


def fit_message(value: Mapping[str, Any]) -> Message:
    """A decoded object as a message. Calls that are not a list are kept, to be reported."""
    message = fit(value, Message)
    listed = value.get("toolCalls")
    is_odd = listed is not None and message.tool_calls is None
    return replace(message, tool_calls=listed) if is_odd else message
