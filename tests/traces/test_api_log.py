"""Logs of Anthropic's Messages and OpenAI's Responses: files, lines, rows, requests and replies."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from groundtrace.config import Settings
from groundtrace.discover import discover
from groundtrace.model import Trial
from groundtrace.storage import LocalFolder
from groundtrace.testing import Case, check_reader
from groundtrace.traces import all_readers
from groundtrace.traces.api_log.reader import ApiLogReader
from groundtrace.traces.kit.loose import read_loose, read_trace_of, recognise
from tests.traces.seen import seen
from tests.traces.trials import FIXTURES, read, read_bytes

ROOT = "/home/u/heron"


def test_requests_repeat_what_was_said_and_every_call_counts_once() -> None:
    trace, problems = read("api-log-anthropic")
    assert seen(trace) == [
        f"read_file | file_read | read {ROOT}/src/egg.py:1-1",
        f"read_file | file_read | read {ROOT}/src/nest.py:1-1",
        f"bash | other | matched {ROOT}/src/egg.py:1-1",
        f"list_dir | file_search | surfaced {ROOT}/README.md",
        f"bash | other | read {ROOT}/README.md:1-1",
        f"str_replace_based_edit_tool | file_read | read {ROOT}/src/nest.py:1-2",
        "read_file! | file_read",
        f"edit_file | file_write | written {ROOT}/src/egg.py",
        f"grep_search | code_search | matched {ROOT}/src/egg.py:1-1",
        "bash? | other",
    ]
    assert trace.model == "tern-2-0504" and trace.usage.output_tokens == 80
    assert trace.usage.input_tokens == 8 * 25 + sum(range(0, 800, 100))
    assert trace.calls[0].timestamp == 1777888815.0 and not problems


def test_items_of_responses() -> None:
    trace, problems = read("api-log-responses")
    assert seen(trace) == [
        f"read_file | file_read | read {ROOT}/src/egg.py:1-1",
        f"shell | other | read {ROOT}/src/nest.py:1-1",
        f"local_shell | other | read {ROOT}/README.md:1-1",
        f"grep_search | code_search | matched {ROOT}/src/egg.py:1-1",
        f"list_dir | file_search | surfaced {ROOT}/README.md",
        "read_file! | file_read",
        f"shell | other | read {ROOT}/src/nest.py:1-2",
        "apply_patch | file_write | written src/egg.py",
        f"write_file | file_write | written {ROOT}/tests/test_egg.py",
        "shell? | other",
    ]
    assert not problems


@pytest.mark.parametrize(
    "place", ["api-log-anthropic/agent/messages.jsonl", "api-log-responses/agent/responses.jsonl"]
)
def test_the_reader_passes_the_checks(place: str, tmp_path: Path) -> None:
    data = (FIXTURES / place).read_bytes()
    trace, _ = read(place.partition("/")[0])
    calls = tuple((call.call_id, call.name, call.result is not None) for call in trace.calls)
    check_reader(ApiLogReader(), Case(place.partition("/")[2], data, calls), tmp_path)


USE = {"type": "tool_use", "id": "t1", "name": "read_file", "input": {"path": "/w/a.py"}}
RESULT = {"type": "tool_result", "tool_use_id": "t1", "content": [{"type": "text", "text": "x"}]}
MESSAGES = [
    {"role": "user", "content": "go"},
    {"role": "assistant", "content": [USE]},
    {"role": "user", "content": [RESULT]},
]
CALL = {"type": "function_call", "call_id": "t1", "name": "read_file", "arguments": '{"path": "a"}'}
OUTPUT = {"type": "function_call_output", "call_id": "t1", "output": "x"}
RESPONSE = {"id": "resp_1", "object": "response", "model": "m", "output": [CALL],
            "usage": {"input_tokens": 7, "output_tokens": 2}}  # fmt: skip


def lines(*values: Any) -> str:
    return "".join(json.dumps(value) + "\n" for value in values)


FORMS = {
    "list.json": json.dumps(MESSAGES),
    "indented.json": json.dumps(MESSAGES, indent=2),
    "object.json": json.dumps({"model": "m", "messages": MESSAGES}),
    "lines.jsonl": lines(*MESSAGES),
    "request.jsonl": lines({"model": "m", "max_tokens": 9, "messages": MESSAGES}),
    "pairs.jsonl": lines(
        {"request": {"messages": MESSAGES[:1]}, "response": {**MESSAGES[1], "id": "m1"}},
        {"request": {"messages": MESSAGES}, "response": {"role": "assistant", "content": "done"}},
    ),
    "items.json": json.dumps([CALL, OUTPUT]),
    "input.json": json.dumps({"input": [{"role": "user", "content": "go"}, CALL, OUTPUT]}),
    "output.jsonl": lines(RESPONSE, {"input": [OUTPUT], "previous_response_id": "resp_1"}),
    "rows.jsonl": lines({"instance_id": "a__a-1", "messages": MESSAGES, "resolved": True}),
    "text.jsonl": lines({"instance_id": "a__a-1", "messages": json.dumps(MESSAGES)}),
}


@pytest.mark.parametrize("name", FORMS)
def test_every_form_has_the_call_and_its_answer(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(FORMS[name])
    folder = LocalFolder(tmp_path)
    found, why, _ = recognise(folder, name, all_readers()[0])
    assert found is not None and found.reader.name == "api-log", why
    (trial,) = (t for t in discover(folder, settings=Settings()) if isinstance(t, Trial))
    trace, problems = read_trace_of(trial)
    assert [(c.call_id, c.name) for c in trace.calls] == [("t1", "read_file")], problems
    result = trace.calls[0].result
    assert result is not None and result.text == "x" and not problems


def test_rows_are_trials_with_their_verdicts(tmp_path: Path) -> None:
    rows = [
        {"instance_id": f"a__a-{n}", "messages": MESSAGES, "resolved": n == 1, "model": "m"}
        for n in (1, 2)
    ]
    (tmp_path / "rows.jsonl").write_text(lines(*rows))
    trials = [
        t for t in discover(LocalFolder(tmp_path), settings=Settings()) if isinstance(t, Trial)
    ]
    assert [(t.task_name, t.outcome.reward, t.model) for t in trials] == [
        ("a__a-1", 1.0, "m"),
        ("a__a-2", 0.0, "m"),
    ]
    trace, _ = read_loose(LocalFolder(tmp_path), "rows.jsonl", "a__a-2")
    assert len(trace.calls) == 1


def test_what_is_lost_is_counted(tmp_path: Path) -> None:
    bad = {"role": "assistant", "content": [{**USE, "id": "t2", "name": 5}]}
    orphan = {"role": "user", "content": [{**RESULT, "tool_use_id": "no"}]}
    data = lines(*MESSAGES, bad, orphan) + json.dumps(MESSAGES[1])[:-3]
    result = read_bytes(tmp_path, "messages.jsonl", data.encode())
    assert len(result.trace.calls) == 1
    assert [(p.kind, p.lost_calls) for p in result.problems] == [
        ("wrong_type", 1),
        ("broken_line", 1),
        ("orphan_results", 0),
    ]


@pytest.mark.parametrize(
    "data",
    [
        lines({"role": "user", "content": "the type is tool_use"}),
        lines({"type": "assistant", "message": {"content": [USE]}, "sessionId": "s"}),
        json.dumps({"messages": [{"role": "assistant", "tool_calls": [{"function": {}}]}]}),
        json.dumps({"a": {"messages": "tool_use"}}),
    ],
)
def test_files_of_other_formats_are_left_alone(data: str) -> None:
    from groundtrace.traces.kit.claims import Probe

    assert ApiLogReader().recognise(Probe("x.jsonl", data.encode())) is None


ITEMS: list[dict[str, object]] = [
    {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "eggs"}]},
    {
        "type": "shell_call",
        "call_id": "c1",
        "action": {"commands": ["ls src", "cat b.py"], "timeout_ms": 1000},
    },
    {
        "type": "shell_call_output",
        "call_id": "c1",
        "output": [
            {"stdout": "x.py\n", "stderr": "", "outcome": {"type": "exit", "exit_code": 0}},
            {
                "stdout": "",
                "stderr": "cat: b.py: No such file or directory",
                "outcome": {"type": "exit", "exit_code": 1},
            },
        ],
    },
    {
        "type": "apply_patch_call",
        "call_id": "c2",
        "operation": {"type": "update_file", "path": "a.py", "diff": "@@\n-a\n+b"},
    },
    {"type": "apply_patch_call_output", "call_id": "c2", "status": "completed", "output": "ok"},
    {
        "type": "apply_patch_call",
        "call_id": "c3",
        "operation": {"type": "delete_file", "path": "d"},
    },
    {"type": "apply_patch_call_output", "call_id": "c3", "status": "failed", "output": "no d"},
    {"type": "web_search_call", "id": "c4", "action": {"type": "search", "query": "eggs"}},
    {
        "type": "code_interpreter_call",
        "id": "c5",
        "code": "print(1)",
        "outputs": [{"type": "text", "text": "1"}],
    },
]


def test_items_of_tools_that_the_server_knows(tmp_path: Path) -> None:
    """Its shell runs several commands in a call; its patches are of one file; searches have no
    answer."""
    data = b"".join(json.dumps(item).encode() + b"\n" for item in ITEMS)
    trace, problems = read_bytes(tmp_path, "responses.jsonl", data)
    assert seen(trace) == [
        "local_shell! | other | surfaced src/x.py",
        "apply_patch | file_write | written a.py",
        "apply_patch! | file_write",
        "web_search? | other",
        "code_interpreter | other",
    ]
    assert [call.call_id for call in trace.calls] == ["c1", "c2", "c3", "c4", "c5"]
    assert dict(trace.calls[0].arguments) == {"command": "ls src\ncat b.py"}
    assert not problems


def test_blocks_of_tools_that_the_server_runs(tmp_path: Path) -> None:
    searched = {"type": "web_search_result", "url": "u", "title": "Eggs"}
    content: list[dict[str, object]] = [
        {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {"query": "x"}},
        {"type": "web_search_tool_result", "tool_use_id": "s1", "content": [searched]},
        {"type": "mcp_tool_use", "id": "s2", "name": "echo", "server_name": "sg", "input": {}},
        {
            "type": "mcp_tool_result",
            "tool_use_id": "s2",
            "is_error": False,
            "content": [{"type": "text", "text": "hello"}],
        },
        {"type": "tool_use", "id": "t1", "name": "Read", "input": {"file_path": "/a.py"}},
    ]
    messages = [
        {"role": "user", "content": "eggs"},
        {"role": "assistant", "content": content},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "x"}]},
    ]
    data = json.dumps({"messages": messages}).encode()
    trace, problems = read_bytes(tmp_path, "messages.json", data)
    assert [(call.name, call.server) for call in trace.calls] == [
        ("web_search", None),
        ("mcp__sg__echo", "sg"),
        ("Read", None),
    ]
    assert [call.result is not None for call in trace.calls] == [True, True, True]
    assert not problems
