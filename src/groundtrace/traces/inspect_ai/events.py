"""Events of a sample as types.

Only what is needed has a field, so msgspec skips the rest: each model call repeats the conversation
before it, once as Inspect's messages and once as the provider's. An event of any other form is
decoded completely and fitted into the same types.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

import msgspec
from msgspec.structs import asdict

from groundtrace.base import jsonio
from groundtrace.base.values import as_mapping
from groundtrace.traces.kit.lists import Listed

MAX_DEPTH = 32
"""Events inside an event that are read, level by level."""
NOTHING = msgspec.Raw(b"null")


class Reply(msgspec.Struct, gc=False):
    """A reply of the model, without its text."""

    tool_calls: Any = None


class Choice(msgspec.Struct, gc=False):
    """One of the replies of a model call; nearly always the only one."""

    message: Reply | None = None


class Output(msgspec.Struct, gc=False):
    """What a model call gave."""

    usage: Any = None
    choices: list[Choice] | None = None


class Event(msgspec.Struct, gc=False):
    """One event."""

    event: Any = None
    timestamp: Any = None
    span_id: Any = None
    id: Any = None
    parent_id: Any = None
    type: Any = None
    name: Any = None
    action: Any = None
    options: Any = None
    # The next ones are for a call of a tool.
    function: Any = None
    arguments: Any = None
    result: Any = msgspec.UNSET
    error: Any = None
    completed: Any = None
    pending: Any = None
    agent: Any = None
    events: list[Event | None] | None = None
    """In older logs, the events inside a call; None for one that is not an object."""
    # The next ones are for a model call; `input` and `output` of a sandbox are texts.
    output: Output | str | None = None
    input: msgspec.Raw = NOTHING
    """Bytes, or the value of an event that was decoded completely: see `value_of`."""


class Short(msgspec.Struct):
    """What a sample says about itself, without its events and messages."""

    id: Any = None
    epoch: Any = None
    scores: Any = None
    metadata: Any = None
    model_usage: Any = None
    total_time: Any = None
    limit: Any = None
    error: Any = None


class _Sample(Short, kw_only=True):
    events: list[Event]
    messages: msgspec.Raw = NOTHING
    attachments: Any = None


class _Log(msgspec.Struct):
    samples: list[msgspec.Raw]
    eval: Any = None


_sample = msgspec.json.Decoder(_Sample)
_short = msgspec.json.Decoder(Short)
_log = msgspec.json.Decoder(_Log)
_AROUND = tuple(name for name in _Sample.__struct_fields__ if name != "events")
_FAILURES = (msgspec.DecodeError, RecursionError, UnicodeDecodeError)


def typed_sample(data: bytes) -> Listed | None:
    """A sample of the usual form; None for any other, which is then decoded completely."""
    try:
        sample = _sample.decode(data)
    except _FAILURES:
        return None
    return Listed(iter(sample.events), {name: getattr(sample, name) for name in _AROUND})


def short_sample(data: bytes | msgspec.Raw) -> Mapping[str, Any] | None:
    """What a sample says about itself; None if it is not an object."""
    try:
        return asdict(_short.decode(data))
    except _FAILURES:
        return None


def packed_samples(data: bytes) -> tuple[list[msgspec.Raw], Any] | None:
    """The samples of a JSON log as bytes, and its `eval`; None for a log of another form."""
    try:
        log = _log.decode(data)
    except _FAILURES:
        return None
    return log.samples, log.eval


def value_of(value: Any) -> Any:
    """The value of a member that may still be bytes."""
    if not isinstance(value, msgspec.Raw):
        return value
    try:
        return jsonio.loads(bytes(value))
    except jsonio.BadJsonError:
        return None


def event_of(value: Mapping[str, Any], depth: int = 0) -> Event:
    """An event from a decoded object; members of a wrong type count as missing."""
    members = {name: value[name] for name in _PLAIN if name in value}
    nested = value.get("events")
    if isinstance(nested, list) and depth < MAX_DEPTH:
        members["events"] = [
            event_of(item, depth + 1) if isinstance(item, dict) else None for item in nested
        ]
    if isinstance(value.get("output"), dict):
        members["output"] = _output(value["output"])
    members["input"] = cast(msgspec.Raw, value.get("input"))
    return Event(**members)


_PLAIN = tuple(n for n in Event.__struct_fields__ if n not in ("events", "output", "input"))


def _output(value: Mapping[str, Any]) -> Output:
    choices = value.get("choices")
    found = choices if isinstance(choices, list) else ()
    return Output(
        value.get("usage"),
        [
            Choice(Reply(as_mapping(choice.get("message")).get("tool_calls")))
            for choice in found
            if isinstance(choice, dict)
        ],
    )
