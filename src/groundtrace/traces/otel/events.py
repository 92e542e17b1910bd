"""Events that Claude Code, Codex and Gemini CLI send as logs, as spans.

Their members have other names than those of spans; one table says which.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from groundtrace.base.values import as_count, as_text
from groundtrace.traces.otel.records import Span, moment_of, plain


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
_HARNESSES = {"claude_code": "claude-code", "codex": "codex", "gemini_cli": "gemini-cli"}
_SESSION = ("session.id", "conversation.id", "session_id")
_CACHED = ("input_tokens", "cache_read_tokens", "cache_creation_tokens")


def event_of(
    record: Mapping[str, Any], attributes: Mapping[str, Any], resource: Mapping[str, Any]
) -> Span | None:
    """An event of a log as a span; None if the record is none that is known."""
    if "spanId" in record and "name" in record:  # a span of OTLP, as most records are
        return None
    body = plain(record.get("body"))
    named = (attributes.get("event.name"), record.get("eventName"), body)
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
        counts = [as_count(_number(attributes.get(key))) for key in _CACHED]
        found["gen_ai.usage.input_tokens"] = (
            None if counts[0] is None else sum(count or 0 for count in counts)
        )
    for key in ("gen_ai.usage.input_tokens", "gen_ai.usage.output_tokens"):
        found[key] = _number(found.get(key))
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


def _before(ended: float | None, took: Any) -> float | None:
    """When something began that took so many milliseconds."""
    return ended - took / 1000 if ended is not None and isinstance(took, int | float) else ended


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
