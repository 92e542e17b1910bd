"""Exports of the libraries that write spans of agents: each has its own names for the same facts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from groundtrace.storage import folder_at
from groundtrace.traces.kit.keep import Keep
from groundtrace.traces.otel.trace import read
from groundtrace.traces.source import RawCall, Source

START = 1_777_888_800
READ, GREP = json.dumps({"path": "a.py"}), json.dumps({"pattern": "x"})
Event = tuple[str, dict[str, Any]]


def typed(value: object) -> dict[str, Any]:
    if isinstance(value, int):
        return {"intValue": str(value)}
    if isinstance(value, dict):
        return {"kvlistValue": {"values": listed(value)}}
    if isinstance(value, list):
        return {"arrayValue": {"values": [typed(item) for item in value]}}
    return {"stringValue": value}


def listed(attributes: dict[str, Any]) -> list[dict[str, Any]]:
    return [{"key": key, "value": typed(value)} for key, value in attributes.items()]


def span(number: int, name: str, parent: int = 0, *events: Event, **more: Any) -> dict[str, Any]:
    """A span; attributes are `more`, with `__` for a dot."""
    attributes = {key.replace("__", "."): value for key, value in more.items()}
    return {
        "traceId": "5b8efff798038103d269b633813fc60c",
        "spanId": f"{number:016x}",
        "parentSpanId": f"{parent:016x}" if parent else "",
        "name": name,
        "startTimeUnixNano": f"{START + number}000000000",
        "endTimeUnixNano": f"{START + number}500000000",
        "attributes": listed(attributes),
        "events": [{"name": name, "attributes": listed(given)} for name, given in events],
    }


def log(number: int, name: str, body: object, **attributes: Any) -> dict[str, Any]:
    return {
        "timeUnixNano": f"{START + number}000000000",
        "eventName": name,
        "body": typed(body),
        "traceId": "5b8efff798038103d269b633813fc60c",
        "spanId": f"{1:016x}",
        "attributes": listed({k.replace("__", "."): v for k, v in attributes.items()}),
    }


def source_of(tmp_path: Path, *spans: dict[str, Any], logs: list[dict[str, Any]] = []) -> Source:  # noqa: B006
    resource = {"attributes": listed({"service.name": "claude-code"})}
    lines = [{"resourceSpans": [{"resource": resource, "scopeSpans": [{"spans": list(spans)}]}]}]
    lines.append({"resourceLogs": [{"resource": resource, "scopeLogs": [{"logRecords": logs}]}]})
    text = "".join(json.dumps(line) + "\n" for line in lines)
    (tmp_path / "traces.jsonl").write_text(text)
    return read(folder_at(str(tmp_path)), "traces.jsonl", None, Keep())


def seen(source: Source) -> list[tuple[str, dict[str, Any], str | None]]:
    return [(call.name, call.arguments, text_of(call)) for call in source.calls]


def text_of(call: RawCall) -> str | None:
    return None if call.result is None else call.result.text


BOTH = [
    ("read_file", {"path": "a.py"}, "EGGS = 3"),
    ("grep", {"pattern": "x"}, "a.py:1:x"),
]


def flat(start: str, form: str, calls: list[tuple[str, str, str]]) -> dict[str, Any]:
    """Calls of one message, an attribute for each member."""
    found = {}
    for number, (call_id, name, given) in enumerate(calls):
        for key, value in (("id", call_id), ("name", name), ("arguments", given)):
            found[f"{start}.tool_calls.{number}.{form if key != 'id' else form[:10]}{key}"] = value
    return found


CALLS = [("c1", "read_file", READ), ("c2", "grep", GREP)]


def test_openllmetry_flattens_its_messages(tmp_path: Path) -> None:
    """Only model calls are spans. The second one repeats what the first one asked for."""
    usage = {"gen_ai.usage.prompt_tokens": 10, "gen_ai.usage.completion_tokens": 5}
    common = {"llm.request.type": "chat", "gen_ai.request.model": "wader-1", **usage}
    asked = flat("gen_ai.completion.0", "", CALLS)
    again = flat("gen_ai.prompt.1", "", CALLS)
    for number, (call_id, text) in enumerate((("c1", "EGGS = 3"), ("c2", "a.py:1:x")), 2):
        again[f"gen_ai.prompt.{number}.role"] = "tool"
        again[f"gen_ai.prompt.{number}.tool_call_id"] = call_id
        again[f"gen_ai.prompt.{number}.content"] = text
    source = source_of(
        tmp_path,
        span(2, "openai.chat", **common, **again),
        span(1, "openai.chat", **common, **asked),
    )
    assert seen(source) == BOTH
    assert [call.call_id for call in source.calls] == ["c1", "c2"]
    assert (source.usage.input_tokens, source.usage.output_tokens) == (20, 10)
    assert source.model == "wader-1" and not source.problems


def test_openinference_flattens_its_messages(tmp_path: Path) -> None:
    common = {"openinference.span.kind": "LLM", "llm.model_name": "wader-1"}
    form = "tool_call.function."
    asked = flat("llm.output_messages.0.message", form, CALLS)
    again = flat("llm.input_messages.11.message", form, CALLS)
    for number, (call_id, text) in enumerate((("c1", "EGGS = 3"), ("c2", '["a.py:1:x"]')), 12):
        again[f"llm.input_messages.{number}.message.role"] = "tool"
        again[f"llm.input_messages.{number}.message.tool_call_id"] = call_id
        again[f"llm.input_messages.{number}.message.content"] = text
    source = source_of(
        tmp_path, span(1, "Chat", **common, **asked), span(2, "Chat", **common, **again)
    )
    assert seen(source) == BOTH


@pytest.mark.parametrize(
    "attributes",
    [
        {
            "traceloop.span.kind": "tool",
            "traceloop.entity.name": "read_file",
            "traceloop.entity.input": json.dumps({"args": [], "kwargs": {"path": "a.py"}}),
            "traceloop.entity.output": json.dumps("EGGS = 3"),
        },
        {
            "traceloop.span.kind": "tool",
            "traceloop.entity.name": "read_file",
            "traceloop.entity.input": json.dumps({"inputs": {"path": "a.py"}, "kwargs": {"n": 1}}),
            "traceloop.entity.output": json.dumps({"output": "EGGS = 3", "kwargs": {}}),
        },
        {
            "openinference.span.kind": "TOOL",
            "tool.name": "read_file",
            "tool.parameters": json.dumps({"type": "object", "properties": {"path": {}}}),
            "input.value": READ,
            "output.value": "EGGS = 3",
        },
        {
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": "read_file",
            "gcp.vertex.agent.tool_call_args": READ,
            "gcp.vertex.agent.tool_response": json.dumps({"result": "EGGS = 3"}),
        },
        {
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": "read_file",
            "gen_ai.tool.call.arguments": {"path": "a.py"},
            "gen_ai.tool.call.result": [{"type": "text", "text": "EGGS = 3"}],
        },
        {
            "gen_ai.tool.name": "read_file",  # Logfire
            "tool_arguments": READ,
            "tool_response": "EGGS = 3",
        },
        {
            "mlflow.spanType": '"TOOL"',
            "mlflow.spanInputs": READ,
            "mlflow.spanOutputs": '"EGGS = 3"',
        },
    ],
)
def test_a_tool_of_each_library(tmp_path: Path, attributes: dict[str, Any]) -> None:
    source = source_of(tmp_path, span(1, "read_file", **attributes))
    assert seen(source) == BOTH[:1]


def test_strands_puts_both_sides_of_a_call_into_events(tmp_path: Path) -> None:
    given = ("gen_ai.tool.message", {"role": "tool", "content": READ, "id": "c1"})
    answer = ("gen_ai.choice", {"message": json.dumps([{"text": "EGGS = 3"}]), "id": "c1"})
    about = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "read_file"}
    source = source_of(tmp_path, span(1, "execute_tool read_file", 0, given, answer, **about))
    assert seen(source) == BOTH[:1]


def test_messages_that_are_records_of_a_log(tmp_path: Path) -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "read_file", "arguments": READ}}
    logs = [
        log(1, "gen_ai.user.message", {"content": "hi"}),
        log(1, "gen_ai.choice", {"index": 0, "message": {"tool_calls": [call]}}),
        log(2, "gen_ai.assistant.message", {"tool_calls": [call]}),
        log(2, "gen_ai.tool.message", {"id": "c1", "content": "EGGS = 3"}),
    ]
    chat = span(1, "chat", gen_ai__operation__name="chat", gen_ai__request__model="wader-1")
    assert seen(source_of(tmp_path, chat, logs=logs)) == BOTH[:1]


def test_an_agent_that_repeats_its_model_calls(tmp_path: Path) -> None:
    """The agent's span began first, and holds everything; each call still counts once, in order."""
    parts = [{"type": "tool_call", "id": i, "name": n, "arguments": a} for i, n, a in CALLS]
    first, second = ([{"role": "assistant", "parts": [part]}] for part in parts)
    key = "gen_ai.output.messages"
    source = source_of(
        tmp_path,
        span(1, "invoke_agent b", gen_ai__operation__name="invoke_agent", **{key: first + second}),
        span(2, "chat", 1, gen_ai__operation__name="chat", **{key: json.dumps(first)}),
        span(3, "chat", 1, gen_ai__operation__name="chat", **{key: json.dumps(second)}),
    )
    assert [call.call_id for call in source.calls] == ["c1", "c2"]
    assert [call.made_at for call in source.calls] == [START + 2.5, START + 3.5]
    alone = source_of(
        tmp_path,
        span(1, "invoke_agent b", gen_ai__operation__name="invoke_agent", **{key: first + second}),
    )
    assert [call.call_id for call in alone.calls] == ["c1", "c2"]


def test_claude_code_sends_spans_and_events_of_one_call(tmp_path: Path) -> None:
    own: dict[str, Any] = {"session.id": "s1"}
    tokens = {"input_tokens": 10, "output_tokens": 5, "cache_read_tokens": 100}
    spans = [
        span(1, "claude_code.interaction", **own),
        span(2, "claude_code.llm_request", 1, **own, **tokens),
        span(3, "claude_code.tool", 1, **own, tool_name="Bash", tool_use_id="t1"),
        span(4, "claude_code.tool.execution", 3, **own),
    ]
    assert seen(source_of(tmp_path, *spans)) == [("Bash", {}, None)]
    given = json.dumps({"bash_command": "ls", "full_command": "ls src", "timeout": 5})
    server = json.dumps({"mcp_server_name": "sourcegraph", "mcp_tool_name": "read_file"})
    logs = [
        log(3, "claude_code.tool_result", "", **own, tool_name="Bash", tool_parameters=given),
        log(4, "claude_code.tool_result", "", **own, tool_name="mcp_tool", tool_parameters=server),
    ]
    source = source_of(tmp_path, *spans, logs=logs)
    assert seen(source) == [
        ("Bash", {"command": "ls src"}, None),
        ("mcp__sourcegraph__read_file", {}, None),
    ]
    assert (source.usage.input_tokens, source.usage.output_tokens) == (110, 5)


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ('[{"type": "text", "text": ""}]', ""),
        ('[{"text": ""}]', ""),
        ("", ""),
        ('{"output": {"lc": 1, "type": "constructor", "kwargs": {"content": "x = 1"}}}', "x = 1"),
    ],
)
def test_results_without_text_and_messages_of_langchain(
    tmp_path: Path, given: str, text: str
) -> None:
    """An empty text is an answer: as JSON it was a line that grep found, and without it a write was lost."""
    call = span(1, "execute_tool bash", gen_ai__operation__name="execute_tool", gen_ai__tool__name="bash",
                gen_ai__tool__call__arguments=READ, gen_ai__tool__call__result=given)  # fmt: skip
    assert [text_of(made) for made in source_of(tmp_path, call).calls] == [text]
