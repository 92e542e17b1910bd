"""OpenTelemetry: spans in any order and form, messages of model calls, logs of command lines."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from groundtrace.config import Settings
from groundtrace.discover import discover
from groundtrace.discover.found import Skipped
from groundtrace.model import Trial
from groundtrace.storage import LocalFolder
from groundtrace.testing import Case, check_reader
from groundtrace.traces.kit.loose import read_trace_of
from groundtrace.traces.otel.reader import OtelReader
from groundtrace.traces.otel.records import attributes_of, moment_of, shown
from tests.traces.seen import seen
from tests.traces.trials import FIXTURES, read, read_bytes

NAME = "otel.jsonl"
DATA = (FIXTURES / "otel-spans/agent" / NAME).read_bytes()
EXPORTS = [json.loads(line) for line in DATA.splitlines()]
ROOT = "/home/u/heron"
EXPECTED = [
    f"list_dir | file_search | surfaced {ROOT}/README.md",
    f"read_file | file_read | read {ROOT}/src/egg.py:1-3",
    f"grep_search | code_search | matched {ROOT}/src/egg.py:1-1",
    f"run_in_terminal | other | read {ROOT}/src/nest.py:1-1",
    "runSubagent | other",
    f"read_file | file_read | read {ROOT}/src/nest.py:1-1",
    f"read_file | file_read | read {ROOT}/docs/a.md",
    f"replace_string_in_file | file_write | written {ROOT}/src/egg.py",
    "read_file! | file_read",
    "run_in_terminal? | other",
]


def test_spans_are_calls_in_the_order_of_their_times() -> None:
    trace, problems = read("otel-spans")
    assert seen(trace) == EXPECTED
    assert [c.call_id for c in trace.calls] == [f"c{n}" for n in range(1, 11)]
    assert [(c.call_id, c.agent) for c in trace.calls if c.is_subagent] == [("c6", "c5")]
    assert (trace.harness, trace.harness_version, trace.model, trace.cwd) == (
        "copilot-chat",
        "0.40.0",
        "tern-2-0504",
        ROOT,
    )
    # 110 after the first model call, 330 after the second, 385 with the subagent's
    assert [c.cumulative_tokens for c in trace.calls] == [110] * 2 + [330] * 3 + [385] * 2 + [
        715
    ] * 3
    assert trace.usage.output_tokens == 60 and trace.usage.input_tokens == 600
    assert [p.kind for p in problems] == ["result_not_captured"]
    assert "1 of 10 calls have no result" in problems[0].reason


def test_the_reader_passes_the_checks(tmp_path: Path) -> None:
    trace, _ = read("otel-spans")
    calls = tuple((call.call_id, call.name, call.result is not None) for call in trace.calls)
    check_reader(OtelReader(), Case(f"agent/{NAME}", DATA, calls), tmp_path)


def joined() -> dict[str, Any]:
    return {"resourceSpans": [one for export in EXPORTS for one in export["resourceSpans"]]}


def flat() -> list[dict[str, Any]]:
    """Every span alone, with plain attributes and numbers, as other exporters write them."""
    found = []
    for resource in joined()["resourceSpans"]:
        for span in resource["scopeSpans"][0]["spans"]:
            attributes = attributes_of(span["attributes"])
            found.append(
                {
                    "name": span["name"],
                    "context": {"trace_id": "0x7a", "span_id": span["spanId"]},
                    "parent_id": span.get("parentSpanId"),
                    "start_time": int(span["startTimeUnixNano"]),
                    "end_time": int(span["endTimeUnixNano"]),
                    "status": {"status_code": "ERROR" if span["status"] else "UNSET"},
                    "attributes": attributes,
                    "resource": {"attributes": attributes_of(resource["resource"]["attributes"])},
                }
            )
    return found


FORMS = {
    "document": json.dumps(joined()),
    "indented": json.dumps(joined(), indent=2),
    "a list of exports": json.dumps(EXPORTS),
    "one after the other": "\n".join(json.dumps(export, indent=1) for export in EXPORTS),
    "lines of spans": "".join(json.dumps(span) + "\n" for span in flat()),
    "snake case": json.dumps(joined())
    .replace("resourceSpans", "resource_spans")
    .replace("scopeSpans", "scope_spans")
    .replace("stringValue", "string_value")
    .replace("intValue", "int_value"),
    "numbers": json.dumps(joined()).replace('"intValue": "100"', '"intValue": 100'),
    "backwards": "".join(json.dumps(export) + "\n" for export in reversed(EXPORTS)),
}


@pytest.mark.parametrize("form", FORMS)
def test_every_form_says_the_same(form: str, tmp_path: Path) -> None:
    trace, problems = read_bytes(tmp_path, NAME, FORMS[form].encode())
    assert seen(trace) == EXPECTED
    assert [c.cumulative_tokens for c in trace.calls][-1] == 715
    assert [p.kind for p in problems] == ["result_not_captured"]


def span(number: int, parent: int, operation: str, **attributes: Any) -> dict[str, Any]:
    stated = {"gen_ai.operation.name": operation, **attributes}
    return {
        "traceId": attributes.pop("trace", "t1"),
        "spanId": str(number),
        "parentSpanId": str(parent or ""),
        "name": operation,
        "startTimeUnixNano": str((1777888800 + number) * 10**9),
        "endTimeUnixNano": str((1777888801 + number) * 10**9),
        "attributes": stated,
    }


def export(*spans: dict[str, Any]) -> bytes:
    scopes = [{"spans": list(spans)}]
    return (json.dumps({"resourceSpans": [{"scopeSpans": scopes}]}) + "\n").encode()


def test_calls_that_only_messages_hold_are_read(tmp_path: Path) -> None:
    """Some libraries write no span for a tool."""
    asked = [{"type": "tool_call", "id": "a", "name": "read_file", "arguments": {"path": "/w/a"}}]
    given = [{"type": "tool_call_response", "id": "a", "result": "text"}]
    data = export(
        span(1, 0, "chat", **{"gen_ai.output.messages": [{"role": "assistant", "parts": asked}]}),
        span(
            2,
            0,
            "chat",
            **{"gen_ai.input.messages": json.dumps([{"role": "tool", "parts": given}])},
        ),
    )
    trace, problems = read_bytes(tmp_path, NAME, data)
    assert seen(trace) == ["read_file | file_read | read /w/a"] and not problems


def test_names_of_before_the_conventions(tmp_path: Path) -> None:
    data = export(
        {**span(1, 0, ""), "name": "execute_tool read_file",
         "attributes": {"gen_ai.tool.name": "read_file", "gen_ai.tool.call.id": "a"},
         "events": [{"name": "gen_ai.tool.message", "attributes": [
             {"key": "content", "value": {"stringValue": "x"}}]}]},
        {**span(2, 0, ""), "attributes": {"openinference.span.kind": "TOOL", "tool.name": "grep",
         "input.value": '{"pattern": "x"}', "output.value": "a.py:1:x"}},
        {**span(3, 0, ""), "attributes": {"gen_ai.operation.name": "ai.toolCall",
         "ai.toolCall.name": "read_file", "ai.toolCall.args": '{"path": "b"}'}},
    )  # fmt: skip
    trace, _ = read_bytes(tmp_path, NAME, data)
    assert [(c.name, c.result is not None) for c in trace.calls] == [
        ("read_file", True),
        ("grep", True),
        ("read_file", False),
    ]


def tool(number: int, trace: str, conversation: str | None = None) -> dict[str, Any]:
    made = span(number, 0, "execute_tool", **{"gen_ai.tool.name": f"tool{number}"})
    if conversation is not None:
        made["attributes"]["gen_ai.conversation.id"] = conversation
    return {**made, "traceId": trace}


def test_a_trial_is_a_conversation_or_a_trace(tmp_path: Path) -> None:
    http = {**span(9, 0, ""), "traceId": "t9", "attributes": {"http.method": "GET"}}
    spans = tool(1, "t1"), tool(2, "t2", "c"), tool(3, "t3", "c"), http
    (tmp_path / "spans.jsonl").write_bytes(b"".join(export(one) for one in spans))
    found = [
        t for t in discover(LocalFolder(tmp_path), settings=Settings()) if isinstance(t, Trial)
    ]
    calls = {t.trial_name: [c.name for c in read_trace_of(t).trace.calls] for t in found}
    assert calls == {"spans#t1": ["tool1"], "spans#c": ["tool2", "tool3"]}


def test_an_export_without_an_agent_is_no_trial(tmp_path: Path) -> None:
    data = export({**span(1, 0, ""), "attributes": {"note": "gen_ai.x", "gen_ai.other": 1}})
    (tmp_path / "spans.json").write_bytes(data)
    found = list(discover(LocalFolder(tmp_path), settings=Settings()))
    reasons = [one.reason for one in found if isinstance(one, Skipped)]
    assert any("without a span of an agent" in reason for reason in reasons)
    assert not any(isinstance(one, Trial) for one in found)


def event(name: str, at: int, **attributes: Any) -> dict[str, Any]:
    listed = [
        {"key": key, "value": {"stringValue": str(value)}} for key, value in attributes.items()
    ]
    listed.append({"key": "event.name", "value": {"stringValue": name}})
    return {
        "timeUnixNano": str((1777888800 + at) * 10**9),
        "body": {"stringValue": name},
        "attributes": listed,
    }


def logs(service: str, *records: dict[str, Any]) -> bytes:
    resource = {"attributes": [{"key": "service.name", "value": {"stringValue": service}}]}
    made = {"resource": resource, "scopeLogs": [{"logRecords": list(records)}]}
    return (json.dumps({"resourceLogs": [made]}) + "\n").encode()


def test_events_of_command_lines(tmp_path: Path) -> None:
    claude = logs(
        "claude-code",
        {**event("api_request", 1, **{"session.id": "s", "model": "m", "input_tokens": 5,
                                      "cache_read_tokens": 100, "output_tokens": 7}),
         "body": {"stringValue": "claude_code.api_request"}},
        {**event("tool_result", 4, **{"session.id": "s", "tool_name": "Bash", "success": "true",
                                      "duration_ms": 1000, "tool_parameters": '{"command": "ls"}'}),
         "body": {"stringValue": "claude_code.tool_result"}},
    )  # fmt: skip
    trace, problems = read_bytes(tmp_path / "a", NAME, claude)
    assert [(c.name, c.arguments, c.timestamp) for c in trace.calls] == [
        ("Bash", {"command": "ls"}, 1777888803.0)
    ]
    assert (trace.harness, trace.model, trace.usage.input_tokens) == ("claude-code", "m", 105)
    assert [p.kind for p in problems] == ["result_not_captured"]
    codex = logs(
        "codex_cli_rs",
        event("codex.tool_result", 2, **{"conversation.id": "c", "tool_name": "shell",
              "call_id": "x", "arguments": '{"command": ["cat", "a.py"]}', "output": "one\n",
              "success": "true"}),
    )  # fmt: skip
    trace, _ = read_bytes(tmp_path / "b", NAME, codex)
    assert seen(trace) == ["shell | other | read a.py:1-1"] and trace.harness == "codex"
    gemini = {"attributes": {"event.name": "gemini_cli.tool_call", "function_name": "read_file",
              "function_args": '{"absolute_path": "/w/a.py"}', "success": False, "session.id": "g",
              "event.timestamp": "2026-05-04T10:00:00Z", "gen_ai.x": 1}, "hrTime": [1777888800, 5]}  # fmt: skip
    trace, _ = read_bytes(tmp_path / "c", NAME, (json.dumps(gemini, indent=2) * 2).encode())
    assert [(c.name, c.result is not None) for c in trace.calls] == [("read_file", True)] * 2


def test_what_is_lost_is_counted(tmp_path: Path) -> None:
    cut = DATA[: DATA.index(b'"c4"')]
    result = read_bytes(tmp_path / "a", NAME, cut)
    assert [c.call_id for c in result.trace.calls] == ["c1", "c2", "c3"]
    assert [(p.kind, p.lost_calls) for p in result.problems] == [("truncated_line", 1)]
    bad = span(1, 0, "execute_tool", **{"gen_ai.tool.name": "x", "gen_ai.tool.call.arguments": 5})
    result = read_bytes(tmp_path / "b", NAME, export(bad))
    assert [(p.kind, p.lost_calls) for p in result.problems] == [("wrong_type", 1)]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("1777888800000000000", 1777888800.0),
        (1777888800000000000, 1777888800.0),
        (1777888800000000, 1777888800.0),
        ([1777888800, 500000000], 1777888800.5),
        ("2026-05-04T10:00:00Z", 1777888800.0),
        ("x", None),
        ([1], None),
        (True, None),
        ("9" * 24, None),
    ],
)
def test_times(value: Any, expected: float | None) -> None:
    assert moment_of(value) == expected


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("plain", "plain"),
        ('"quoted"', "quoted"),
        ('[{"type": "text", "text": "a"}]', "a"),
        ({"content": [{"type": "text", "text": "a"}], "isError": True}, "a"),
        ({"output": "a", "exit": 0}, "a"),
        ({"x": 1}, '{"x": 1}'),
        ("{broken", "{broken"),
    ],
)
def test_what_a_result_shows(value: Any, text: str) -> None:
    assert shown(value)[0] == text


def test_a_call_with_masked_arguments_is_still_a_call(tmp_path: Path) -> None:
    masked = {"gen_ai.tool.name": "x", "gen_ai.tool.call.arguments": "[REDACTED]"}
    result = read_bytes(tmp_path, NAME, export(span(1, 0, "execute_tool", **masked)))
    assert [(c.name, c.arguments) for c in result.trace.calls] == [("x", {})]
    kinds = [problem.kind for problem in result.problems]
    assert kinds == ["arguments_lost", "result_not_captured"]
