"""A span as a type with plain attributes, whoever wrote it.

OTLP writes attributes as a list of keys with typed values, where a whole number may be a text; other
exporters write an object. The same fact has several names: conventions changed, and libraries have
their own.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec
from msgspec import field

from groundtrace.base import jsonio
from groundtrace.base.mcp import content_text, envelope_of
from groundtrace.base.patterns import regex
from groundtrace.base.times import EARLIEST, LATEST, parse_time
from groundtrace.base.values import as_count, as_items, as_mapping, as_text
from groundtrace.traces.kit.ledger import TokenCounts

MAX_DEPTH = 32
MESSAGE = "message"
"""Operation of a record of a log that holds one message of a model call."""


class Span(msgspec.Struct):
    """One span, or one event of a log (`events.py`)."""

    name: str
    trace: str
    id: str
    parent: str
    started: float | None
    ended: float | None
    attributes: Mapping[str, Any]
    operation: str
    """`execute_tool`, `chat`, `invoke_agent`, or empty for a span of something else."""
    failed: bool = False
    events: Sequence[tuple[str, Mapping[str, Any]]] = ()
    resource: Mapping[str, Any] = field(default_factory=dict)

    def first(self, names: Iterable[str]) -> Any:
        """The value of the first of these attributes that is there."""
        attributes = self.attributes
        for name in names:
            value = attributes.get(name)
            if value is not None and value != "":
                return value
        return None

    def text(self, names: Iterable[str]) -> str | None:
        """The same as a text."""
        value = self.first(names)
        if value is None:
            return None
        return str(value) if isinstance(value, int) else as_text(value)


def operation_of(name: str, attributes: Mapping[str, Any]) -> str:
    """What a span is a span of."""
    said = attributes.get("gen_ai.operation.name")
    if isinstance(said, str) and said:
        return _OPERATIONS.get(said, said)
    for place in _KIND:
        kind = decoded(attributes.get(place))
        if isinstance(kind, str):
            return _KINDS.get(kind.casefold(), "")
    if name in _OF_CLAUDE:
        return _OF_CLAUDE[name]
    word = name.partition(" ")[0]
    if word in ("execute_tool", "invoke_agent"):
        return word
    if any(attributes.get(key) for key in TOOL):
        return "execute_tool"
    return "chat" if word == "chat" and any(attributes.get(key) for key in MODEL) else ""


_OPERATIONS = {
    "text_completion": "chat",
    "generate_content": "chat",
    "ai.generateText.doGenerate": "chat",
    "ai.streamText.doStream": "chat",
    "ai.toolCall": "execute_tool",
    "tool_call": "execute_tool",  # Gemini CLI
    "llm_call": "chat",
    "agent_call": "invoke_agent",
}
_KIND = (
    *("openinference.span.kind", "traceloop.span.kind", "mlflow.spanType", "llm.request.type"),
)
_KINDS = {"tool": "execute_tool", "llm": "chat", "agent": "invoke_agent"}
_KINDS |= {"chat_model": "chat", "chat": "chat", "completion": "chat"}
_OF_CLAUDE = {
    "claude_code.tool": "execute_tool",
    "claude_code.llm_request": "chat",
    "claude_code.interaction": "invoke_agent",
}
"""Spans that Claude Code writes, which have names of their own for everything."""
TOOL = ("gen_ai.tool.name", "ai.toolCall.name", "tool.name")
TOOL_OF_ENTITY = (*TOOL, "traceloop.entity.name", "tool_name")
CALL_ID = ("gen_ai.tool.call.id", "ai.toolCall.id", "tool_call.id", "tool_use_id")
ARGUMENTS = (
    *("gen_ai.tool.call.arguments", "gen_ai.tool.arguments", "tool_arguments"),
    *("ai.toolCall.args", "ai.toolCall.input", "input.value", "traceloop.entity.input"),
    *("gen_ai.tool.input", "tool.arguments", "gen_ai.tool.call.input"),
    *("gcp.vertex.agent.tool_call_args", "mlflow.spanInputs", "tool_input", "tool_parameters"),
)
"""Not `tool.parameters`: OpenInference keeps the tool's schema there."""
RESULT = (
    *("gen_ai.tool.call.result", "gen_ai.tool.result", "tool_response", "gen_ai.tool.output"),
    *("ai.toolCall.result", "ai.toolCall.output", "output.value", "traceloop.entity.output"),
    *("gen_ai.tool.message", "gen_ai.tool.call.output"),
    *("gcp.vertex.agent.tool_response", "mlflow.spanOutputs"),
)
MODEL = (
    *("gen_ai.response.model", "gen_ai.request.model", "llm.model_name", "ai.model.id"),
    "model",
)
AGENT = ("gen_ai.agent.name", "gen_ai.agent.id", "agent.name", "traceloop.entity.name")
CONVERSATION = ("gen_ai.conversation.id", "session.id")
_SENT = (
    *("gen_ai.usage.input_tokens", "gen_ai.usage.prompt_tokens", "llm.token_count.prompt"),
    "llm.usage.prompt_tokens",
)
_RECEIVED = (
    *("gen_ai.usage.output_tokens", "gen_ai.usage.completion_tokens"),
    *("llm.token_count.completion", "llm.usage.completion_tokens"),
)


CACHED = ("input_tokens", "cache_read_tokens", "cache_creation_tokens")
"""Input of Claude Code, which counts cached input beside the rest."""


def counts_of(span: Span) -> TokenCounts | None:
    """Tokens of a model call. The conventions count cached input as input."""
    sent, received = as_count(span.first(_SENT)), as_count(span.first(_RECEIVED))
    if span.name in _OF_CLAUDE:
        own = [as_count(span.attributes.get(key)) for key in CACHED]
        sent = None if own[0] is None else sum(count or 0 for count in own)
        received = as_count(span.attributes.get("output_tokens"))
    return None if sent is None or received is None else TokenCounts(sent, received)


# --- messages, one attribute for each member ---

_FLAT = regex(
    r"(?P<list>gen_ai\.prompt|gen_ai\.completion|llm\.input_messages|llm\.output_messages)"
    r"\.(?P<number>\d{1,6})\.(?:message\.)?"
    r"(?:(?P<member>role|content|tool_call_id)"
    r"|tool_calls\.(?P<call>\d{1,6})\.(?:tool_call\.)?(?:function\.)?(?P<of>id|name|arguments))"
)
_FLAT_STARTS = ("gen_ai.prompt.", "gen_ai.completion.", "llm.input_m", "llm.output_m")
_SENT_LISTS = ("gen_ai.prompt", "llm.input_messages")


def flat_messages(attributes: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Messages of a span that has an attribute for each of their members, as OpenLLMetry and
    OpenInference write them: `gen_ai.prompt.0.tool_calls.1.name`. What was sent comes first."""
    found: dict[tuple[bool, int], dict[str, Any]] = {}
    for key, value in attributes.items():
        place = _FLAT.fullmatch(key) if key.startswith(_FLAT_STARTS) else None
        if place is None:
            continue
        number = place["list"] not in _SENT_LISTS, int(place["number"])
        message = found.setdefault(number, {})
        if place["member"]:
            message[place["member"]] = value
        else:
            call = message.setdefault("calls", {}).setdefault(int(place["call"]), {})
            call[place["of"]] = value
    messages = [found[number] for number in sorted(found)]
    for message in messages:
        calls = message.pop("calls", {})
        if calls:
            message["tool_calls"] = [calls[number] for number in sorted(calls)]
    return messages


# --- values ---


def plain(value: Any, depth: int = 0) -> Any:
    """The value of OTLP's `{"stringValue": …}`; any other value as it is."""
    if not isinstance(value, dict) or depth > MAX_DEPTH:
        return value
    for key, item in value.items():
        kind = key.replace("_v", "V")
        if kind == "intValue":
            try:
                return int(item)
            except (TypeError, ValueError):
                return None
        if kind in ("stringValue", "boolValue", "doubleValue", "bytesValue"):
            return item
        if kind == "arrayValue":
            return [plain(one, depth + 1) for one in as_items(as_mapping(item).get("values"))]
        if kind == "kvlistValue":
            return attributes_of(as_mapping(item).get("values"), depth + 1)
    return value


def attributes_of(value: Any, depth: int = 0) -> dict[str, Any]:
    """Attributes as an object, from a list of keys and values or from an object."""
    if isinstance(value, dict):
        return {key: plain(item, depth) for key, item in value.items()}
    found: dict[str, Any] = {}
    for item in as_items(value):
        if not isinstance(item, dict):
            continue
        key, held = item.get("key"), item.get("value")
        if isinstance(key, str):
            if isinstance(held, dict) and "stringValue" in held:  # as nearly all are
                found[key] = held["stringValue"]
            else:
                found[key] = plain(held, depth)
    return found


def moment_of(value: Any) -> float | None:
    """A time: nanoseconds as a number or a text, seconds with nanoseconds, or a date."""
    if isinstance(value, str) and len(value) < 25 and value.isdigit():
        value = int(value)
        if value >= 10**17:  # as OTLP writes it
            seconds = value / 1e9
            return seconds if EARLIEST <= seconds <= LATEST else None
    if isinstance(value, list) and len(value) == 2:
        seconds, rest = value
        if isinstance(seconds, int) and isinstance(rest, int):
            return parse_time(seconds + rest / 1e9)
        return None
    if isinstance(value, int) and not isinstance(value, bool) and value >= 10**17:
        return parse_time(value / 1e9)
    if isinstance(value, int) and not isinstance(value, bool) and value >= 10**14:
        return parse_time(value / 1e6)  # Jaeger's microseconds
    return parse_time(value)


def decoded(value: Any) -> Any:
    """The value of JSON in a text, also of JSON in JSON; any other value as it is."""
    for _ in range(2):
        if not isinstance(value, str) or value[:1] not in ("{", "[", '"'):
            return value
        value = jsonio.loads_text(value, value)
    return value


def _is_empty(part: Any) -> bool:
    """Whether a part of a result is a text without a letter: the command printed nothing."""
    return as_mapping(part).get("text") == "" and set(part) <= {"type", "text"}


def shown(value: Any) -> tuple[str, Any]:
    """The text of a result as the model saw it, and the result if it is an object."""
    found = decoded(value)
    if isinstance(found, str):
        return found, None
    envelope = envelope_of(found)
    if envelope is not None:
        return content_text(envelope.content), None
    text = content_text(found) if isinstance(found, list | dict) else ""
    if text or (isinstance(found, list) and found and all(_is_empty(part) for part in found)):
        return text, None
    for key in ("output", "result", "content", "stdout"):
        inner = as_mapping(found).get(key)
        if isinstance(inner, dict) and "lc" in inner:  # a message as LangChain writes it
            inner = as_mapping(inner.get("kwargs")).get("content")
        if isinstance(inner, str):
            return inner, found
        if isinstance(inner, list) and (text := content_text(inner)):
            return text, found
    if isinstance(value, str):
        return value, found
    return jsonio.written(found) if found is not None else "", found
