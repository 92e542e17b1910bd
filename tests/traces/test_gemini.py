"""Gemini CLI's sessions and streams, by hand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from groundtrace.api import read_trace
from groundtrace.config import Settings
from groundtrace.model import ReadResult, Trace
from groundtrace.storage import LocalFolder
from groundtrace.tools import view_calls
from groundtrace.traces import all_readers
from groundtrace.traces.gemini.trace import _is_lines
from groundtrace.traces.kit.claims import Sample
from groundtrace.traces.kit.loose import recognise, samples_of

HEADER = {
    "sessionId": "s-1",
    "projectHash": "0" * 64,
    "startTime": "2026-05-04T10:00:00.000Z",
    "lastUpdated": "2026-05-04T10:00:30.000Z",
}


def answer(call_id: str, name: str, **response: Any) -> list[Any]:
    return [{"functionResponse": {"id": call_id, "name": name, "response": response}}]


def call(call_id: str, name: str, args: Any, status: str = "success", **rest: Any) -> Any:
    response = rest.pop("response", {"output": "ok"})
    return {
        "id": call_id,
        "name": name,
        "args": args,
        "status": status,
        "timestamp": "2026-05-04T10:00:09.000Z",
        "result": answer(call_id, name, **response),
        **rest,
    }


def said(message_id: str, *calls: Any, tokens: Any = None, **rest: Any) -> dict[str, Any]:
    counted = {"input": 100, "output": 5, "cached": 40, "thoughts": 3, "tool": 0, "total": 108}
    return {
        "id": message_id,
        "timestamp": "2026-05-04T10:00:01.000Z",
        "type": "gemini",
        "content": "",
        "tokens": counted if tokens is None else tokens,
        "model": "gemini-3-pro",
        "toolCalls": list(calls),
        **rest,
    }


def session(folder: Path, *messages: Any, **rest: Any) -> ReadResult:
    path = folder / "session-2026-05-04T10-00-00000000.json"
    path.write_text(json.dumps({**HEADER, **rest, "messages": list(messages)}, indent=2))
    return read_trace(path)


def lines(folder: Path, *records: Any, name: str = "session.jsonl") -> ReadResult:
    path = folder / name
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return read_trace(path)


def touched(trace: Trace) -> list[list[tuple[str, str, int | None, int | None]]]:
    return [
        [(ref.kind, ref.path, ref.line_start, ref.line_end) for ref in view.refs]
        for view in view_calls(trace, Settings())
    ]


def names(trace: Trace) -> list[str | None]:
    return [item.call_id for item in trace.calls]


def test_a_session_gives_calls_answers_tokens_and_times(tmp_path: Path) -> None:
    trace, problems = session(
        tmp_path,
        {"id": "u", "timestamp": "2026-05-04T10:00:00.500Z", "type": "user", "content": "go"},
        said(
            "m1",
            call("read_file-1777888802000-ab", "read_file", {"absolute_path": "/w/a.py"},
                 response={"output": "x = 1\ny = 2\n"}),
            call("b", "write_file", {"file_path": "/w/b.py", "content": "z"}),
        ),
        said("m2", call("c", "read_file", {"file_path": "/w/no.py"}, "error",
                        response={"error": "File not found: /w/no.py"})),
        said("m3"),
    )  # fmt: skip
    assert not problems
    assert (trace.harness, trace.model) == ("gemini-cli", "gemini-3-pro")
    assert touched(trace) == [[("read", "/w/a.py", 1, 2)], [("written", "/w/b.py", None, None)], []]
    assert [item.cumulative_tokens for item in trace.calls] == [108, 108, 216]
    assert (trace.usage.input_tokens, trace.usage.cached_tokens) == (300, 120)
    assert trace.usage.output_tokens == 24, "thoughts are output"
    failed = [item.result.is_error for item in trace.calls if item.result is not None]
    assert failed == [False, False, True]
    # The id of the first call holds when it was asked for; the others share their message's time.
    assert [item.timestamp for item in trace.calls] == [1777888802.0, 1777888801.0, 1777888801.0]


def test_tokens_that_are_all_zero_are_no_count(tmp_path: Path) -> None:
    zeros = {"input": 0, "output": 0, "cached": 0, "thoughts": 0, "tool": 0, "total": 0}
    trace, _ = session(tmp_path, said("m1", call("a", "glob", {}), tokens=zeros), said("m2"))
    assert trace.calls[0].cumulative_tokens is None
    assert trace.usage.input_tokens is None and trace.usage.output_tokens is None


OLD = "Command: {}\nDirectory: {}\nOutput: {}\nError: {}\nExit Code: {}\nSignal: (none)\nBackground PIDs: (none)\nProcess Group PGID: 7"


@pytest.mark.parametrize(
    ("text", "printed", "failed", "cwd"),
    [
        (OLD.format("cat a.py", "(root)", "x = 1", "(none)", 0), "x = 1", False, None),
        (OLD.format("cat a.py", "/w/in", "x = 1\n", "(none)", 0), "x = 1\n", False, "/w/in"),
        (OLD.format("cat a.py", "(root)", "(empty)", "(none)", 0), "", False, None),
        (OLD.format("cat a.py", "(root)", "cat: no", "(none)", 1), "cat: no", True, None),
        ("Output: x = 1\nProcess Group PGID: 7", "x = 1", False, None),
        ("Output: no\nExit Code: 2\nProcess Group PGID: 7", "no", True, None),
        ("Output: Error: in text\nmore", "Error: in text\nmore", False, None),
        ("free text", "free text", False, None),
    ],
)
def test_a_commands_output_is_taken_out_of_the_facts_around_it(
    tmp_path: Path, text: str, printed: str, failed: bool, cwd: str | None
) -> None:
    asked = call("a", "run_shell_command", {"command": "cat a.py"}, response={"output": text})
    trace, problems = session(tmp_path, said("m", asked))
    result = trace.calls[0].result
    assert result is not None and not problems
    assert (result.text, result.is_error, trace.calls[0].cwd) == (printed, failed, cwd)


@pytest.mark.parametrize(
    ("output", "span"),
    [
        ("[File content truncated: showing lines 11-12 of 90 total lines. Use offset.]\na\nb\n", (11, 12)),
        ("\nIMPORTANT: The file content has been truncated.\nStatus: Showing lines 3-4 of 9 total lines.\n"
         "Action: read on\n\n--- FILE CONTENT (truncated) ---\na\nb\n", (3, 4)),
        ("a\nb", (None, None)),
    ],
)  # fmt: skip
def test_a_part_of_a_file_has_the_lines_that_its_first_line_states(
    tmp_path: Path, output: str, span: tuple[int | None, int | None]
) -> None:
    """Without that line nothing says which lines a part is; none are made up."""
    asked = call("a", "read_file", {"file_path": "/w/a", "offset": 10}, response={"output": output})
    trace, _ = session(tmp_path, said("m", asked))
    assert touched(trace) == [[("read", "/w/a", *span)]]


def test_cancelled_calls_failed_and_waiting_ones_have_no_answer(tmp_path: Path) -> None:
    trace, _ = session(
        tmp_path,
        said(
            "m",
            call("a", "read_file", {}, "cancelled", response={"error": "[Operation Cancelled]"}),
            call("b", "read_file", {"file_path": "/w/b"}, "executing", result=None),
            call("c", "read_file", {}, "cancelled", result=None, resultDisplay="no"),
        ),
    )
    answers = [
        None if c.result is None else (c.result.text, c.result.is_error) for c in trace.calls
    ]
    assert answers == [("[Operation Cancelled]", True), None, ("no", True)]


def test_in_jsonl_the_last_writing_of_a_message_counts_in_the_place_of_the_first(
    tmp_path: Path,
) -> None:
    waiting = call("a", "read_file", {"file_path": "/w/a"}, "executing", result=None)
    done = call("a", "read_file", {"file_path": "/w/a"}, response={"output": "x\n"})
    trace, problems = lines(
        tmp_path,
        HEADER,
        {"id": "u", "type": "user", "content": "go", "timestamp": "2026-05-04T10:00:00Z"},
        said("m1", waiting),
        {"$set": {"lastUpdated": "2026-05-04T10:00:02.000Z"}},
        said("m2", call("b", "glob", {"pattern": "*"})),
        said("m1", done, tokens={"input": 200, "output": 9, "cached": 0, "thoughts": 0}),
    )
    assert not problems
    assert names(trace) == ["a", "b"]
    assert touched(trace)[0] == [("read", "/w/a", 1, 1)]
    assert [item.cumulative_tokens for item in trace.calls] == [209, 317]
    assert trace.usage.cached_tokens == 40


def test_an_answered_call_stays_where_its_message_comes_again_without_it(tmp_path: Path) -> None:
    waiting = call("b", "glob", {}, "executing", result=None)
    trace, _ = lines(
        tmp_path,
        HEADER,
        said("m", call("a", "glob", {}), waiting),
        said("m", call("c", "glob", {})),
    )
    assert names(trace) == ["a", "c"]


def test_messages_that_were_taken_back_keep_their_calls_and_leave_the_context(
    tmp_path: Path,
) -> None:
    trace, problems = lines(
        tmp_path,
        HEADER,
        said("m1", call("a", "glob", {})),
        said("m2", call("b", "glob", {})),
        said("m3", call("c", "glob", {})),
        {"$rewindTo": "m2"},
        said("m4", call("d", "glob", {})),
    )
    assert not problems
    assert names(trace) == ["a", "b", "c", "d"]
    assert [(c.kind, c.after, c.dropped) for c in trace.context_changes] == [
        ("rollback", 2, (1, 2))
    ]


def test_a_rewind_to_nowhere_is_said(tmp_path: Path) -> None:
    trace, problems = lines(tmp_path, HEADER, said("m1", call("a", "glob", {})), {"$rewindTo": "x"})
    assert names(trace) == ["a"] and not trace.context_changes
    assert [(p.kind, p.line) for p in problems] == [("wrong_type", 3)]


def test_a_broken_line_of_jsonl_is_told_with_what_it_lost(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    cut = json.dumps(said("m2", call("b", "glob", {})))[:-40]
    whole = [json.dumps(HEADER), json.dumps(said("m1", call("a", "glob", {}))), cut]
    path.write_text("\n".join([*whole, json.dumps(said("m3", call("c", "glob", {})))]) + "\n")
    trace, problems = read_trace(path)
    assert names(trace) == ["a", "c"]
    assert [(p.kind, p.line, p.lost_calls) for p in problems] == [("broken_line", 3, 1)]
    assert trace.calls[1].cumulative_tokens is None, "tokens were lost before it"


def test_a_session_that_is_cut_off_gives_the_messages_that_are_whole(tmp_path: Path) -> None:
    path = tmp_path / "s.json"
    messages = [said(f"m{n}", call(f"c{n}", "glob", {})) for n in range(3)]
    text = json.dumps({**HEADER, "messages": messages})
    path.write_text(text[: text.index('"c2"') + 60])
    trace, problems = read_trace(path)
    assert names(trace) == ["c0", "c1"]
    assert {p.kind for p in problems} == {"broken_trajectory", "truncated_line"}
    assert sum(p.lost_calls for p in problems) == 1


def test_a_subagents_session_is_no_trial(tmp_path: Path) -> None:
    session(tmp_path, said("m", call("a", "glob", {})), kind="subagent")
    file = next(tmp_path.iterdir()).name
    found, _, _ = recognise(LocalFolder(tmp_path), file, all_readers()[0])
    assert found is not None
    (sample,) = samples_of(found, LocalFolder(tmp_path))
    assert isinstance(sample, Sample)
    assert sample.no_trial is not None and "subagent" in sample.no_trial
    trace, _ = read_trace(tmp_path / file)
    assert [c.is_subagent for c in trace.calls] == [True]


def event(kind: str, **members: Any) -> dict[str, Any]:
    return {"type": kind, "timestamp": "2026-05-04T10:00:01.000Z", **members}


STREAM = [
    event("init", session_id="s", model="gemini-3-pro"),
    event("message", role="user", content="go"),
    event("tool_use", tool_name="read_file", tool_id="a", parameters={"file_path": "/w/a.py"}),
    event("tool_result", tool_id="a", status="success", output="Read 12 lines"),
    event("tool_use", tool_name="run_shell_command", tool_id="b", parameters={"command": "cat /w/b"}),
    event("tool_result", tool_id="b", status="success", output="1\n2\n"),
    event("tool_use", tool_name="read_file", tool_id="c", parameters={"file_path": "/w/c.py"}),
    event("tool_result", tool_id="c", status="error", error={"type": "x", "message": "not found"}),
    event("result", status="success", stats={"total_tokens": 50, "input_tokens": 40,
          "output_tokens": 10, "cached": 5, "duration_ms": 2500, "tool_calls": 3}),
]  # fmt: skip


def test_what_a_stream_displays_is_no_answer(tmp_path: Path) -> None:
    """A summary says nothing of what the model saw: no lines and no characters come from it."""
    trace, problems = lines(tmp_path, *STREAM, name="gemini.log")
    assert [c.result and c.result.text for c in trace.calls] == [None, "1\n2\n", "not found"]
    assert touched(trace) == [[("read", "/w/a.py", None, None)], [("read", "/w/b", 1, 2)], []]
    assert [(p.kind, p.reason.split(" only")[0]) for p in problems] == [
        ("trimmed_result", "1 answer is")
    ]
    assert (trace.usage.total_tokens, trace.usage.output_tokens) == (50, 10)
    assert trace.stated.agent_seconds == 2.5 and trace.model == "gemini-3-pro"


def test_noise_before_a_stream_is_counted(tmp_path: Path) -> None:
    path = tmp_path / "out.txt"
    path.write_text("Loaded cached credentials.\n" + "".join(json.dumps(e) + "\n" for e in STREAM))
    trace, problems = read_trace(path)
    assert names(trace) == ["a", "b", "c"]
    assert [(p.kind, p.line) for p in problems] == [("non_json_lines", 1), ("trimmed_result", None)]


@pytest.mark.parametrize(
    ("text", "is_lines"),
    [
        ('{"sessionId": "s", "messages": []}', False),
        ('\n \t{"sessionId": "s", "messages": []} \r\n', False),
        ('\ufeff{"messages": []}', False),
        ('{"type": "init"}\n{"messages": []}', True),
        ('\ufeff{"type": "init"}\r\n', True),
        ('noise {"messages": []}\n{}\n{"type": "init"}', True),
        ('{broken}\n{"messages": []}', False),
        (json.dumps({"a": [{"b": 1}], "messages": [{}]}, indent=2), False),
        (json.dumps({"a": [{"b": 1}]}, indent=2), True),
        ('{\n "messages": [\n  {"id": 1}\n ]\n}', True),
        ("[{}]", True),
        ("", True),
    ],
)
def test_the_first_line_that_is_an_object_tells_the_layout(
    tmp_path: Path, text: str, is_lines: bool
) -> None:
    (tmp_path / "file").write_bytes(text.encode())
    assert _is_lines(LocalFolder(tmp_path), "file") is is_lines
