"""Mappings: the ones in groundtrace, one of a user, and mappings that cannot be used."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from groundtrace.api import read_trace
from groundtrace.config import MAX_MAPPING, Settings, load_mappings, load_settings
from groundtrace.errors import InputError
from groundtrace.model import ReadResult, Trace
from groundtrace.testing import Case, check_reader
from groundtrace.tools import view_calls
from groundtrace.traces.mapped.expressions import Expression, ExpressionError
from groundtrace.traces.mapped.mapping import EXPRESSIONS, LISTS, TEXTS, parse_mapping
from groundtrace.traces.mapped.reader import BUNDLED, MappedReader

LONG = "line\n" * 200


def lines(*values: Any) -> bytes:
    return b"".join(json.dumps(value).encode() + b"\n" for value in values)


PI = lines(
    {"type": "session", "id": "s", "timestamp": "2026-05-04T10:00:00Z", "cwd": "/w", "modelId": "m"},
    {"type": "message", "timestamp": "2026-05-04T10:00:01Z", "message": {"role": "user", "content": "go"}},
    {"type": "message", "timestamp": "2026-05-04T10:00:02Z", "message": {
        "role": "assistant", "stopReason": "toolUse",
        "content": [{"type": "toolCall", "id": "a", "name": "read", "arguments": {"path": "a.py"}},
                    {"type": "toolCall", "id": "b", "name": "read", "arguments": {"path": "b.py", "offset": 7, "limit": 2}}],
        "usage": {"input": 10, "output": 5, "cacheRead": 100, "cacheWrite": 3, "cost": {"total": 0.25}}}},
    {"type": "message", "timestamp": "2026-05-04T10:00:03Z", "message": {
        "role": "toolResult", "toolCallId": "a", "content": [{"type": "text", "text": LONG}], "isError": False}},
    {"type": "message", "timestamp": "2026-05-04T10:00:04Z", "message": {
        "role": "toolResult", "toolCallId": "b", "isError": False, "content": [
            {"type": "text", "text": "x\n\n\n... (90 more lines not shown. Use offset=9 to continue reading)"}]}},
    {"type": "message", "timestamp": "2026-05-04T10:00:05Z", "message": {
        "role": "assistant", "stopReason": "aborted",
        "content": [{"type": "toolCall", "id": "never", "name": "bash", "arguments": {}}],
        "usage": {"input": 1, "output": 1, "cacheRead": 0, "cacheWrite": 0, "cost": {"total": 0.5}}}},
)  # fmt: skip
TRAE = json.dumps({
    "task": "a long prompt", "start_time": "2026-05-04T10:00:00", "provider": "p", "model": "m", "max_steps": 9,
    "llm_interactions": [],
    "agent_steps": [
        {"step_number": 1, "timestamp": "2026-05-04T10:00:01", "llm_response": {"usage": {"input_tokens": 10, "output_tokens": 2}},
         "tool_calls": [{"call_id": "a", "name": "bash", "arguments": {"command": "cat /w/a"}}],
         "tool_results": [{"call_id": "a", "success": True, "result": LONG, "error": None}]},
        {"step_number": 2, "timestamp": "2026-05-04T10:00:05", "llm_response": {"usage": {"input_tokens": 20, "output_tokens": 3}},
         "tool_calls": [{"call_id": "b", "name": "bash", "arguments": {"command": "cat /w/b"}}],
         "tool_results": [{"call_id": "b", "success": False, "result": None, "error": "cat: /w/b: No such file"}]},
        {"step_number": 3, "timestamp": "2026-05-04T10:00:09", "llm_response": None, "tool_calls": None, "tool_results": None},
    ], "success": True, "execution_time": 12.5}).encode()  # fmt: skip


def event(kind: str, second: int, **data: Any) -> dict[str, Any]:
    return {"type": kind, "data": data, "id": f"e{second}", "timestamp": f"2026-05-04T10:00:{second:02d}Z"}  # fmt: skip


COPILOT = lines(
    event("session.start", 0, copilotVersion="1.0.77", selectedModel="m", context={"cwd": "/w", "repository": "o/r"}),
    event("assistant.message", 1, toolRequests=[{"toolCallId": "a", "name": "bash", "arguments": '{"command": "cat a"}'}]),
    event("tool.execution_start", 2, toolCallId="a", toolName="bash", arguments={"command": "cat a"}),
    event("tool.execution_complete", 3, toolCallId="a", success=True, result={"content": LONG}),
    event("tool.execution_start", 4, toolCallId="b", toolName="view", arguments={"path": "/w/b"}, parentToolCallId="p"),
    event("tool.execution_complete", 5, toolCallId="b", success=False, result={"content": "no such file"}),
    event("assistant.message", 6, toolRequests=[{"toolCallId": "c", "name": "bash", "arguments": {}}]),
)  # fmt: skip


def loop(second: int, **members: Any) -> dict[str, Any]:
    return {"type": "context.append_loop_event", "event": members, "time": 1777888800000 + 1000 * second}  # fmt: skip


KIMI = lines(
    {"type": "metadata", "protocol_version": "1.4", "created_at": 1777888800000},
    {"type": "config.update", "modelAlias": "kimi", "time": 1777888800000},
    loop(1, type="tool.call", toolCallId="Bash_0", name="Bash", args={"command": "cat a"}, display={"cwd": "/w"}),
    loop(2, type="tool.result", toolCallId="Bash_0", result={"output": LONG}),
    loop(3, type="step.end", usage={"inputOther": 5, "output": 2, "inputCacheRead": 10, "inputCacheCreation": 0}),
    loop(4, type="tool.call", toolCallId="Bash_0", name="Bash", args={"command": "cat b"}, display={"cwd": "/w"}),
    loop(5, type="tool.result", toolCallId="Bash_0", result={"output": "cat: b: No such file", "isError": True}),
    loop(6, type="step.end", usage={"inputOther": 7, "output": 3, "inputCacheRead": 10, "inputCacheCreation": 0}),
)  # fmt: skip


def qwen(kind: str, *parts: Any, **rest: Any) -> dict[str, Any]:
    return {"uuid": "u", "parentUuid": None, "sessionId": "s", "timestamp": "2026-05-04T10:00:00Z", "type": kind,
            "cwd": "/w", "version": "0.21.1", "message": {"role": "model", "parts": list(parts)}, **rest}  # fmt: skip


QWEN = lines(
    qwen("user", {"text": "go"}),
    qwen("assistant", {"functionCall": {"id": "a", "name": "read_file", "args": {"path": "/w/a"}}}, model="m",
         usageMetadata={"promptTokenCount": 10, "candidatesTokenCount": 2, "thoughtsTokenCount": 3}),
    qwen("tool_result", {"functionResponse": {"id": "a", "name": "read_file", "response": {"output": LONG}}},
         toolCallResult={"status": "success"}),
    qwen("assistant", {"functionCall": {"id": "b", "name": "read_file", "args": {"path": "/w/b"}}}),
    qwen("tool_result", {"functionResponse": {"id": "b", "name": "read_file", "response": {"error": "not found"}}}),
)  # fmt: skip
OPENCODE = json.dumps({
    "info": {"id": "ses_1", "version": "1.0.1", "directory": "/w"},
    "messages": [
        {"info": {"id": "m1", "sessionID": "ses_1", "role": "user"}, "parts": [{"type": "text", "text": "go"}]},
        {"info": {"id": "m2", "sessionID": "ses_1", "role": "assistant", "modelID": "m", "path": {"cwd": "/w"}, "cost": 0.5,
                  "tokens": {"input": 1, "output": 2, "reasoning": 3, "cache": {"read": 4, "write": 5}}},
         "parts": [
            {"type": "tool", "callID": "a", "tool": "read", "state": {"status": "completed", "input": {"filePath": "/w/a"},
             "output": "<file>\n00001| x\n</file>" + LONG, "time": {"start": 1777888801000, "end": 1777888802000}}},
            {"type": "tool", "callID": "b", "tool": "bash", "state": {"status": "error", "input": {"command": "cat b"},
             "error": "aborted", "time": {"start": 1777888803000}}}]},
    ]}).encode()  # fmt: skip


def ran(kind: str, **part: Any) -> dict[str, Any]:
    return {"type": kind, "timestamp": 1777888801000, "sessionID": "ses_1",
            "part": {"id": "p", "sessionID": "ses_1", "messageID": "m1", **part}}  # fmt: skip


OPENCODE_RUN = lines(
    ran("step_start", type="step-start"),
    ran("tool_use", type="tool", callID="a", tool="read", state={"status": "completed", "input": {"filePath": "/w/a"},
        "output": "<file>\n00001| x\n</file>" + LONG, "time": {"start": 1777888801000, "end": 1777888802000}}),
    ran("tool_use", type="tool", callID="b", tool="bash", state={"status": "error", "input": {"command": "cat b"},
        "error": "aborted", "time": {"start": 1777888803000}}),
    ran("step_finish", type="step-finish", cost=0.5,
        tokens={"input": 1, "output": 2, "reasoning": 3, "cache": {"read": 4, "write": 5}}),
)  # fmt: skip
KIMI_EARLIER = lines(
    {"type": "metadata", "protocol_version": "1.1"},
    {"timestamp": 1777888801.0, "message": {"type": "ToolCall", "payload": {
        "type": "function", "id": "a", "function": {"name": "ReadFile", "arguments": '{"path": "/w/a"}'}}}},
    {"timestamp": 1777888802.0, "message": {"type": "ToolResult", "payload": {
        "tool_call_id": "a", "return_value": {"is_error": False, "output": "     1\tx\n", "message": "1 line"}}}},
)  # fmt: skip
CHAT_LINES = lines(
    {"role": "_checkpoint", "id": 0},
    {"role": "user", "content": "go"},
    {"role": "assistant", "content": "", "tool_calls": [
        {"type": "function", "id": "a", "function": {"name": "Shell", "arguments": '{"command": "sed -n 3,4p /w/a.py"}'}}]},
    {"role": "_usage", "token_count": 9},
    {"role": "tool", "tool_call_id": "a", "content": [
        {"type": "text", "text": "<system>Command executed successfully.</system>"}, {"type": "text", "text": "x\ny\n"}]},
    {"role": "assistant", "tool_calls": [
        {"type": "function", "id": "b", "function": {"name": "Shell", "arguments": '{"command": "cat /w/b"}'}}]},
    {"role": "tool", "tool_call_id": "b", "content": LONG},
)  # fmt: skip

CASES = {
    "chat-lines": Case("c.jsonl", CHAT_LINES, (("a", "Shell", True), ("b", "Shell", True))),
    "pi": Case("s.jsonl", PI, (("a", "read", True), ("b", "read", True))),
    "trae-agent": Case("t.json", TRAE, (("a", "bash", True), ("b", "bash", True))),
    "copilot-cli": Case(
        "e.jsonl", COPILOT, (("a", "bash", True), ("b", "view", True), ("c", "bash", False))
    ),
    "kimi-cli": Case("w.jsonl", KIMI, (("Bash_0", "Bash", True), ("Bash_0", "Bash", True))),
    "qwen-code": Case("q.jsonl", QWEN, (("a", "read_file", True), ("b", "read_file", True))),
    "opencode-run": Case("o.jsonl", OPENCODE_RUN, (("a", "read", True), ("b", "bash", True))),
    "opencode": Case("o.json", OPENCODE, (("a", "read", True), ("b", "bash", True))),
}


@pytest.mark.parametrize("reader", BUNDLED, ids=lambda reader: reader.name)
def test_a_mapping_passes_the_checklist_of_readers(reader: MappedReader, tmp_path: Path) -> None:
    assert reader.mapping.reader == reader.name
    check_reader(reader, CASES[reader.name], tmp_path)


def read(folder: Path, name: str) -> ReadResult:
    case = CASES[name]
    (folder / case.path).write_bytes(case.data)
    return read_trace(folder / case.path)


def facts(trace: Trace) -> list[tuple[Any, ...]]:
    return [
        (call.call_id, call.cwd, call.result and call.result.is_error, call.cumulative_tokens)
        for call in trace.calls
    ]


def test_pi(tmp_path: Path) -> None:
    trace, problems = read(tmp_path, "pi")
    assert not problems
    assert facts(trace) == [("a", "/w", False, 118), ("b", "/w", False, 118)]
    assert (trace.harness, trace.model, trace.usage.cached_tokens) == ("pi", "m", 100)
    assert trace.stated.cost_usd == 0.75 and trace.usage.output_tokens == 6
    views = view_calls(trace, Settings())
    spans = [(r.path, r.line_start, r.line_end) for view in views for r in view.refs]
    # The second shows lines 7 and 8, of which the last is empty; the note says what follows.
    assert spans == [("/w/a.py", 1, 200), ("/w/b.py", 7, 8)]


def test_trae_agent(tmp_path: Path) -> None:
    trace, problems = read(tmp_path, "trae-agent")
    assert not problems
    assert facts(trace) == [("a", None, False, 12), ("b", None, True, 35)]
    assert trace.stated.agent_seconds == 12.5 and trace.stated.task is None
    assert trace.calls[1].result is not None and "No such file" in trace.calls[1].result.text


@pytest.mark.parametrize(
    ("message", "root"),
    [
        (
            "[Project root path]:\n/srv/work/repo-1\n\n[Problem statement]: fix it",
            "/srv/work/repo-1",
        ),
        ("[Project root path]:\n  /srv/work/my repo  \nrest", "/srv/work/my repo"),
        ("[Project root path]:\n\n[Problem statement]: none named", None),
        ("fix it in /srv/work/repo-1", None),
    ],
)
def test_trae_agent_names_its_project_in_the_first_message(
    tmp_path: Path, message: str, root: str | None
) -> None:
    """Tools get absolute paths; without the project's folder they are no paths of a repository."""
    data = json.loads(TRAE)
    asked = [{"role": "system", "content": "[Project root path]:\n/no"}, {"role": "user", "content": message}]  # fmt: skip
    data["llm_interactions"] = [{"input_messages": asked}, {"input_messages": []}]
    (tmp_path / "t.json").write_bytes(json.dumps(data).encode())
    trace, problems = read_trace(tmp_path / "t.json")
    assert not problems
    assert trace.cwd == root and {call.cwd for call in trace.calls} == {root}


def test_copilot_cli(tmp_path: Path) -> None:
    trace, problems = read(tmp_path, "copilot-cli")
    assert not problems
    assert facts(trace) == [("a", "/w", False, None), ("b", "/w", True, None), ("c", "/w", None, None)]  # fmt: skip
    assert [call.is_subagent for call in trace.calls] == [False, True, False]
    assert (trace.harness_version, trace.stated.repo) == ("1.0.77", "o/r")


def test_kimi_cli_repeats_ids_and_states_tokens_after_the_calls(tmp_path: Path) -> None:
    trace, problems = read(tmp_path, "kimi-cli")
    assert not problems
    assert facts(trace) == [("Bash_0", "/w", False, 17), ("Bash_0", "/w", True, 37)]
    assert trace.calls[0].timestamp == 1777888801.0 and trace.model == "kimi"


def test_qwen_code(tmp_path: Path) -> None:
    trace, problems = read(tmp_path, "qwen-code")
    assert not problems
    assert facts(trace) == [("a", "/w", False, 15), ("b", "/w", True, 15)]
    assert (trace.model, trace.harness_version) == ("m", "0.21.1")


def test_kimi_cli_of_earlier_protocols(tmp_path: Path) -> None:
    (tmp_path / "w.jsonl").write_bytes(KIMI_EARLIER)
    (call,) = read_trace(tmp_path / "w.jsonl").trace.calls
    assert (call.name, call.arguments) == ("ReadFile", {"path": "/w/a"})
    assert call.result is not None and call.result.text == "     1\tx\n"
    assert (call.timestamp, call.answered_at) == (1777888801.0, 1777888802.0)


def test_opencode_run_is_not_taken_for_claude_code(tmp_path: Path) -> None:
    trace, problems = read(tmp_path, "opencode-run")
    assert not problems and trace.harness == "opencode"
    assert trace.usage.output_tokens == 5 and trace.usage.cost_usd == 0.5


def test_copilot_cli_gives_a_patch_as_plain_text_and_names_servers_later(tmp_path: Path) -> None:
    patch = "*** Begin Patch\n*** Delete File: a\n*** End Patch"
    (tmp_path / "e.jsonl").write_bytes(lines(
        event("session.start", 0, copilotVersion="1.0.77", context={"cwd": "/w"}),
        event("assistant.message", 1, toolRequests=[{"toolCallId": "a", "name": "apply_patch", "arguments": patch},
              {"toolCallId": "b", "name": "acme-read_file", "arguments": {"path": "z"}}]),
        event("tool.execution_start", 2, toolCallId="b", toolName="acme-read_file", mcpServerName="acme",
              mcpToolName="read_file", arguments={"path": "z"}),
    ))  # fmt: skip
    result = read_trace(tmp_path / "e.jsonl")
    assert not result.problems
    first, second = result.trace.calls
    assert first.arguments == {"input": patch}
    assert (second.name, second.server) == ("read_file", "acme")


def test_qwen_code_states_which_part_of_a_file_it_shows(tmp_path: Path) -> None:
    text = "Showing lines 11-12 of 40 total lines.\n\n---\n\na\nb"
    (tmp_path / "q.jsonl").write_bytes(lines(
        qwen("assistant", {"functionCall": {"id": "a", "name": "read_file", "args": {"path": "/w/a", "offset": 10}}}),
        qwen("tool_result", {"functionResponse": {"id": "a", "response": {"output": text}}}),
    ))  # fmt: skip
    (call,) = read_trace(tmp_path / "q.jsonl").trace.calls
    assert call.result is not None
    assert call.result.data == {"file": {"startLine": 11, "numLines": 2}}


def test_opencode(tmp_path: Path) -> None:
    trace, problems = read(tmp_path, "opencode")
    assert not problems
    assert facts(trace) == [("a", "/w", False, 15), ("b", "/w", True, 15)]
    assert trace.stated.cost_usd == 0.5 and trace.calls[0].timestamp == 1777888801.0


def test_records_that_ran_together_are_taken_apart(tmp_path: Path) -> None:
    path = tmp_path / "glued.jsonl"
    path.write_bytes(QWEN.replace(b"}\n{", b"}{"))
    trace, problems = read_trace(path)
    assert [call.call_id for call in trace.calls] == ["a", "b"] and not problems


# --- a mapping of a user --------------------------------------------------------------------

OWN = """
reader = "own"
layout = "rows"
match = "steps"
task = "task"
reward = "solved"
cost = "dollars"
records = "steps"
calls = "@"
name = "tool"
arguments = "args"
result = "out"
"""
ROW = {"task": "t-1", "solved": True, "dollars": 0.5, "steps": [{"tool": "Read", "args": {"file_path": "/w/a"}, "out": "1\tx"}]}  # fmt: skip


def own(text: str = OWN) -> Settings:
    return Settings(readers=(("own.toml", text),))


def test_rows_are_trials_with_what_they_state(tmp_path: Path) -> None:
    from groundtrace.discover import discover
    from groundtrace.model import Trial
    from groundtrace.storage import LocalFolder

    path = tmp_path / "runs.jsonl"
    path.write_bytes(lines(ROW, {**ROW, "task": "t-2", "solved": 0.25}, ROW))
    found = discover(LocalFolder(tmp_path), settings=own())
    trials = [item for item in found if isinstance(item, Trial)]
    assert [(t.trial_name, t.task_name, t.outcome.reward, t.outcome.cost_usd) for t in trials] == [
        ("runs#t-1", "t-1", 1.0, 0.5), ("runs#t-2", "t-2", 0.25, 0.5), ("runs#t-1.2", "t-1", 1.0, 0.5),
    ]  # fmt: skip
    trace, problems = read_trace(f"{path}#t-2", settings=own())
    assert len(trace.calls) == 1 and not problems
    without, problems = read_trace(f"{path}#t-2")
    assert not without.calls and problems


def test_an_own_mapping_comes_before_other_readers(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(PI)
    text = (
        'reader = "mine"\nlayout = "lines"\nmatch = "cwd"\ncalls = "message.stopReason"\nname = "@"'
    )
    trace, _ = read_trace(path, settings=own(text))
    assert trace.harness == "mine" and [c.name for c in trace.calls] == ["toolUse", "aborted"]


def test_an_expression_that_fails_is_a_problem_with_its_place(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    path.write_bytes(lines({"go": 1}, {"call": {"n": "x"}}, {"call": {"n": "y"}}))
    text = 'reader = "e"\nlayout = "lines"\nmatch = "go"\ncalls = "call"\nname = "n"\nresult = "sum(n)"'
    trace, problems = read_trace(path, settings=own(text))
    assert [call.name for call in trace.calls] == ["x", "y"]
    assert [(p.kind, p.line) for p in problems] == [("wrong_type", 2)]
    assert problems[0].reason.startswith("the mapping's result failed 2 times")


def test_settings_name_mappings_beside_them(tmp_path: Path) -> None:
    (tmp_path / "own.toml").write_text(OWN)
    (tmp_path / "groundtrace.toml").write_text('[traces]\nreaders = ["own.toml"]\n')
    settings = load_settings(tmp_path / "groundtrace.toml")
    assert settings.readers == ((str(tmp_path / "own.toml"), OWN),)
    (tmp_path / "groundtrace.toml").write_text('[traces]\nreaders = ["none.toml"]\n')
    with pytest.raises(InputError, match=r"none\.toml: cannot be read"):
        load_settings(tmp_path / "groundtrace.toml")


# --- mappings that cannot be used -----------------------------------------------------------

WHOLE = {"reader": '"r"', "match": '"a"', "calls": '"b"', "name": '"c"'}
DEEP = "(" * 3000 + "a" + ")" * 3000


def toml(**changes: str | None) -> str:
    return "".join(f"{key} = {value}\n" for key, value in {**WHOLE, **changes}.items() if value)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("reader = ", "not valid TOML"),
        ("a = " + "[" * 5000, "not valid TOML"),
        ("a." * 200 + "b = 1", "not valid TOML"),
        (toml(calls=None), "calls is missing"),
        (toml(match=None), "match is missing"),
        (toml(call='"x"'), "unknown key 'call'; nearest is 'calls'"),
        (toml(name="7"), "name must be a text"),
        (toml(marks='"x"'), "marks must be a list of texts"),
        (toml(layout='"tree"'), "layout must be one of"),
        (toml(layout='"lines"', records='"x"'), "records belongs to an object"),
        (toml(reader='"a/b c"'), "reader must be a short name"),
        (toml(usage_comes='"never"'), "usage_comes must be"),
        (toml(calls='"a &&"'), "calls: not a JMESPath expression"),
        (toml(calls='"frob(a)"'), "calls: unknown function 'frob'"),
        (toml(calls=f'"{DEEP}"'), "calls: longer than"),
        (toml(calls='"' + "!" * 1900 + 'a"'), "calls: "),
        (toml(calls='"' + "[@,@][] | " * 20 + '@"'), "calls: it makes more than 64 copies"),
        (toml(calls='"' + "a." * 500 + 'b"'), "calls: nested too deeply or too complex"),
        ("#" * (MAX_MAPPING + 1), "larger than a mapping may be"),
    ],
)
def test_a_mapping_that_cannot_be_used_is_told_with_its_file_and_key(text: str, said: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_mapping(text, "m.toml")
    message = str(caught.value)
    assert message.startswith("m.toml: ") and said in message and len(message) < 1000


def test_a_file_that_is_no_text_is_told(tmp_path: Path) -> None:
    (tmp_path / "m.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(InputError, match="not UTF-8"):
        load_mappings([tmp_path / "m.toml"])
    with pytest.raises(InputError, match="cannot be read"):
        load_mappings([tmp_path / "gone.toml"])


def test_a_value_that_is_deeper_than_any_trace_fails_the_expression_alone() -> None:
    value: Any = {"a": 1}
    for _ in range(20_000):
        value = {"a": value}
    assert Expression("a.a.a").of(value) is not None
    with pytest.raises(ExpressionError):
        Expression("to_string(@)").of(value)


def test_the_guide_names_every_key() -> None:
    guide = (Path(__file__).parents[2] / "docs/guides/map-a-format.md").read_text(encoding="utf-8")
    missing = [key for key in (*TEXTS, *LISTS, *EXPRESSIONS) if f"| `{key}` |" not in guide]
    assert missing == []


def test_an_opencode_export_behind_the_notice_of_the_program(tmp_path: Path) -> None:
    path = tmp_path / "export.json"
    path.write_bytes(b"Exporting session: ses_1\n" + OPENCODE)
    trace, problems = read_trace(path)
    assert [call.call_id for call in trace.calls] == ["a", "b"]
    assert not problems


def test_an_opencode_cost_of_zero_is_unknown(tmp_path: Path) -> None:
    path = tmp_path / "export.json"
    assert b'"cost": 0.5' in OPENCODE
    path.write_bytes(OPENCODE.replace(b'"cost": 0.5', b'"cost": 0'))
    trace, _ = read_trace(path)
    assert trace.stated.cost_usd is None


@pytest.mark.parametrize(("status", "answered"), [("completed", True), ("running", False)])
def test_an_empty_output_of_opencode_is_an_answer(
    status: str, answered: bool, tmp_path: Path
) -> None:
    path = tmp_path / "o.jsonl"
    state = {"status": status, "input": {"command": "sed -i 5d a"}, "output": ""}
    path.write_bytes(lines(ran("tool_use", type="tool", callID="a", tool="bash", state=state)))
    (call,) = read_trace(path).trace.calls
    assert (call.result is not None) is answered


def test_messages_of_a_chat_one_a_line(tmp_path: Path) -> None:
    """Kimi's context.jsonl, and what `--output-format stream-json` prints; no reader knew them."""
    trace, problems = read(tmp_path, "chat-lines")
    assert not problems
    first = view_calls(trace, Settings())[0].refs
    assert [(r.path, r.line_start, r.line_end) for r in first] == [("/w/a.py", 3, 4)]
