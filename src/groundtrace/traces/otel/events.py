"""Events that Claude Code, Codex and Gemini CLI send as logs, as spans.

Their members have other names than those of spans; one table says which.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from groundtrace.base.values import as_count, as_mapping, as_text
from groundtrace.traces.otel.records import (
    ARGUMENTS,
    CACHED,
    MESSAGE,
    Span,
    decoded,
    moment_of,
    plain,
)


class EventNames(msgspec.Struct, frozen=True):
    """Where an event has what a span has."""

    operation: str
    names: Mapping[str, tuple[str, ...]]


_CALL_OF_CLAUDE = {
    "gen_ai.tool.name": ("tool_name", "name"),
    "gen_ai.tool.call.id": ("tool_use_id",),
    "gen_ai.tool.call.arguments": ("tool_input", "tool_parameters"),
}
_EVENTS: Mapping[str, EventNames] = {
    "claude_code.tool_result": EventNames("execute_tool", _CALL_OF_CLAUDE),
    "claude_code.api_request": EventNames(
        "chat",
        {
            "gen_ai.request.model": ("model",),
            "gen_ai.usage.output_tokens": ("output_tokens",),
        },
    ),
    "codex.tool_result": EventNames(
        "execute_tool",
        {
            "gen_ai.tool.name": ("tool_name",),
            "gen_ai.tool.call.id": ("call_id",),
            "gen_ai.tool.call.arguments": ("arguments",),
            "gen_ai.tool.call.result": ("output",),
        },
    ),
    "gemini_cli.tool_call": EventNames(
        "execute_tool",
        {
            "gen_ai.tool.name": ("function_name",),
            "gen_ai.tool.call.arguments": ("function_args",),
        },
    ),
    "gemini_cli.api_response": EventNames(
        "chat",
        {
            "gen_ai.request.model": ("model",),
            "gen_ai.usage.input_tokens": ("input_token_count",),
            "gen_ai.usage.output_tokens": ("output_token_count",),
        },
    ),
}


def _call_of_claude(found: Mapping[str, Any]) -> dict[str, Any]:
    """Arguments and name of a call as Claude Code's tools have them: its events say
    `full_command`, and name the tool of a server in the arguments."""
    given = as_mapping(decoded(found["gen_ai.tool.call.arguments"]))
    command = given.get("full_command", given.get("bash_command"))
    if command is not None and "command" not in given:
        return {"gen_ai.tool.call.arguments": {"command": command}}
    server, tool = as_text(given.get("mcp_server_name")), as_text(given.get("mcp_tool_name"))
    if server and tool:
        own = {key: value for key, value in given.items() if not key.startswith("mcp_")}
        name = f"mcp__{server}__{tool}"
        return {"gen_ai.tool.name": name, "gen_ai.tool.call.arguments": own}
    return {}


_HARNESSES = {"claude_code": "claude-code", "codex": "codex", "gemini_cli": "gemini-cli"}
_SESSION = ("session.id", "conversation.id", "session_id")


def event_of(
    record: Mapping[str, Any], attributes: Mapping[str, Any], resource: Mapping[str, Any]
) -> Span | None:
    """An event of a log as a span; None if the record is none that is known."""
    if "spanId" in record and "name" in record:  # a span of OTLP, as most records are
        return None
    body = plain(record.get("body"))
    named = (attributes.get("event.name"), record.get("eventName"), body)
    message = next((i for i in named if isinstance(i, str) and i in _MESSAGES), None)
    if message is not None:
        return _message(record, message, body, attributes, resource)
    events = (_event_name(item, resource) for item in named)
    name = next((event for event in events if event), None)
    if name is None:
        return None
    form = _EVENTS[name]
    found: dict[str, Any] = {}
    for key, places in form.names.items():
        values = (attributes.get(place) for place in places)
        found[key] = next((value for value in values if value not in (None, "")), None)
    if name == "claude_code.api_request":
        counts = [as_count(_number(attributes.get(key))) for key in CACHED]
        found["gen_ai.usage.input_tokens"] = (
            None if counts[0] is None else sum(count or 0 for count in counts)
        )
    for key in ("gen_ai.usage.input_tokens", "gen_ai.usage.output_tokens"):
        found[key] = _number(found.get(key))
    if name == "claude_code.tool_result":
        found |= _call_of_claude(found)
    stated = (as_text(place.get(key)) for place in (attributes, resource) for key in _SESSION)
    session = next((name for name in stated if name), None)
    found["gen_ai.conversation.id"] = session
    ended = moment_of(attributes.get("event.timestamp"))
    if ended is None:
        ended = moment_of(record.get("timeUnixNano") or record.get("observedTimeUnixNano"))
    if ended is None:
        ended = moment_of(record.get("hrTime") or record.get("timestamp"))
    took = _number(attributes.get("duration_ms"))
    return Span(
        name=name,
        trace=session or as_text(record.get("traceId")) or "log",
        id="",
        parent="",
        started=_before(ended, took),
        ended=ended,
        attributes=found,
        operation=form.operation,
        failed=str(attributes.get("success")).casefold() == "false",
        resource={"service.name": _HARNESSES[name.partition(".")[0]], **_version(resource)},
    )


_MESSAGES = frozenset(
    {
        *("gen_ai.tool.message", "gen_ai.choice", "gen_ai.assistant.message"),
        "gen_ai.client.inference.operation.details",
    }
)


def _message(
    record: Mapping[str, Any],
    name: str,
    body: Any,
    attributes: Mapping[str, Any],
    resource: Mapping[str, Any],
) -> Span:
    """A message of a model call that is a record of a log, beside the call's span."""
    moment = moment_of(record.get("timeUnixNano") or record.get("observedTimeUnixNano"))
    given = body if isinstance(body, dict) else attributes
    return Span(
        name=name,
        trace=as_text(record.get("traceId")) or "log",
        id="",
        parent=as_text(record.get("spanId")) or "",
        started=moment,
        ended=moment,
        attributes={**given, **attributes},
        operation=MESSAGE,
        events=[(name, given)],
        resource=resource,
    )


def _before(ended: float | None, took: Any) -> float | None:
    """When something began that took so many milliseconds."""
    return ended - took / 1000 if ended is not None and isinstance(took, int | float) else ended


def without_doubles(spans: Sequence[Span]) -> list[Span]:
    """Spans without events of the same calls: a harness may send both. Those stay that have
    arguments, else the spans."""
    left = list(spans)
    for operation in ("execute_tool", "chat"):
        own = [span for span in spans if span.operation == operation]
        events = [span for span in own if span.name in _EVENTS]
        if not events or len(events) == len(own):
            continue
        told = [any(s.first(ARGUMENTS) for s in own if (s.name in _EVENTS) == e) for e in (0, 1)]
        dropped = told == [False, True]
        left = [s for s in left if s.operation != operation or (s.name in _EVENTS) == dropped]
    return left


def _event_name(value: Any, resource: Mapping[str, Any]) -> str | None:
    """The name of an event that is known. Claude Code's `event.name` lacks its prefix."""
    if not isinstance(value, str):
        return None
    if value in _EVENTS:
        return value
    service = as_text(resource.get("service.name")) or ""
    prefix = "claude_code" if service == "claude-code" else ""
    return f"{prefix}.{value}" if f"{prefix}.{value}" in _EVENTS else None


def _version(resource: Mapping[str, Any]) -> dict[str, Any]:
    version = resource.get("service.version")
    return {} if version is None else {"service.version": version}


def _number(value: Any) -> Any:
    """A number that may be a text."""
    if isinstance(value, str) and len(value) < 25:
        try:
            return int(value)
        except ValueError:
            try:
                return float(value)
            except ValueError:
                return None
    return value
