"""Messages of a session as types, for JSON and JSONL.

Only what is needed has a field, so msgspec skips the rest (thoughts, texts, what the terminal
displayed). A message of any other form is decoded completely and fitted into the same types.
"""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import UNSET, UnsetType, field

from groundtrace.base.values import as_mapping, as_text
from groundtrace.traces.kit.lists import Listed


class Call(msgspec.Struct, frozen=True, gc=False):
    """One call of a message, with its answer."""

    id: Any = None
    name: Any = None
    args: Any = None
    status: Any = None
    result: Any = None
    result_display: msgspec.Raw = field(default=msgspec.Raw(), name="resultDisplay")
    """What the terminal displayed, not decoded: it repeats the answer and is rarely needed. If the
    call was fitted, the value itself."""
    timestamp: Any = None
    agent_id: Any = field(default=None, name="agentId")


class Tokens(msgspec.Struct, frozen=True, gc=False):
    """The tokens of a message."""

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
    """If the message was fitted, a value of any type."""


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
_CALL_FIELDS = dict(zip(Call.__struct_encode_fields__, Call.__struct_fields__, strict=True))
_TOKEN_FIELDS = Tokens.__struct_fields__


def session_in(data: bytes) -> Listed | None:
    """The messages of a session in JSON; None if one of them has another form."""
    try:
        found = _decode_session(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    root = {"sessionId": found.session_id, "startTime": found.start_time, "kind": found.kind}
    return Listed(iter(found.messages), root)


def message_in(data: bytes) -> Message | None:
    """The message on a line of JSONL; None if the line is something else, or of another form."""
    try:
        line = _decode_line(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    others = (line.rewind, line.changed, line.project)
    events = (line.stream_session, line.stream_name, line.stream_id)
    is_message = as_text(line.id) is not None and isinstance(line.type, str)
    return line if is_message and others == events == (UNSET, UNSET, UNSET) else None


def fit_message(value: dict[str, Any]) -> Message:
    """A decoded object as a message, with members of any type."""
    tokens = value.get("tokens", UNSET)
    if tokens is not UNSET:
        stated = as_mapping(tokens)
        tokens = Tokens(**{key: stated.get(key) for key in _TOKEN_FIELDS})
    listed = value.get("toolCalls")
    if isinstance(listed, list):
        listed = [_fit_call(as_mapping(asked)) for asked in listed]
    kind, moment, model = value.get("type"), value.get("timestamp"), value.get("model")
    return Message(value.get("id"), kind, moment, model, tokens, listed)


def _fit_call(value: Any) -> Call:
    return Call(**{_CALL_FIELDS[key]: item for key, item in value.items() if key in _CALL_FIELDS})
