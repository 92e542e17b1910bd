"""Sessions that go on in a new file repeat the earlier one: no call counts twice (D136)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from groundtrace.config import Settings
from groundtrace.discover.found import FoundProblem, Skipped
from groundtrace.discover.loose import discover_loose
from groundtrace.discover.loose_items import LooseRun
from groundtrace.model import Trace, Trial
from groundtrace.storage import LocalFolder
from groundtrace.traces.kit.loose import read_trace_of

CALLS = [f"toolu_01ExampleCall{number:06d}" for number in range(9)]


def entry(kind: str, content: Any, number: int, session: str) -> dict[str, Any]:
    usage = {"input_tokens": 100, "output_tokens": 10 + number}
    message = {"id": f"msg_{number}", "role": kind, "content": content}
    if kind == "assistant":
        message |= {"model": "m", "usage": usage}
    return {
        "type": kind,
        "sessionId": session,
        "isSidechain": False,
        "uuid": f"u{kind}{number}",
        "cwd": "/w",
        "timestamp": f"2026-05-04T10:{number:02d}:00Z",
        "message": message,
    }


def asked(number: int, session: str) -> dict[str, Any]:
    return entry("user", f"please {number}", number, session)


def step(number: int, session: str) -> list[dict[str, Any]]:
    """One call of a session, answered."""
    given = {"file_path": f"/w/{number}.py"}
    use = {"type": "tool_use", "id": CALLS[number], "name": "Read", "input": given}
    got = {"type": "tool_result", "tool_use_id": CALLS[number], "content": "     1\tx"}
    return [entry("assistant", [use], number, session), entry("user", [got], number, session)]


def write(path: Path, lines: list[dict[str, Any]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))


def found_in(folder: Path) -> tuple[dict[str, Trace], dict[str, str], list[str]]:
    """The traces of the trials, what was skipped and why, and problems."""
    found = list(discover_loose(LocalFolder(folder), "run", LooseRun(), settings=Settings()))
    traces = {item.path: read_trace_of(item).trace for item in found if isinstance(item, Trial)}
    skipped = {item.path: item.reason for item in found if isinstance(item, Skipped)}
    problems = [
        f"{item.problem.kind}: {item.problem.reason}"
        for item in found
        if isinstance(item, FoundProblem)
    ]
    return traces, skipped, problems


def ids(trace: Trace) -> list[int]:
    return [CALLS.index(call.call_id or "") for call in trace.calls]


@pytest.mark.parametrize("copied_id", ["a", "b"])
def test_a_resumed_session_has_what_it_adds(copied_id: str, tmp_path: Path) -> None:
    """Some versions write the new session's id on what they copy, others keep the old one."""
    write(tmp_path / "a.jsonl", [asked(0, "a"), *step(1, "a"), *step(2, "a")])
    copy = [asked(0, copied_id), *step(1, copied_id), *step(2, copied_id)]
    write(tmp_path / "b.jsonl", [*copy, asked(3, "b"), *step(4, "b"), *step(5, "b")])
    traces, skipped, problems = found_in(tmp_path)
    assert {path: ids(trace) for path, trace in traces.items()} == {
        "a.jsonl": [1, 2],
        "b.jsonl": [4, 5],
    }
    assert not skipped
    assert problems == [
        "repeated_calls: goes on from a.jsonl; 2 calls of it repeated here and left out"
    ]
    first, second = traces["a.jsonl"], traces["b.jsonl"]
    assert (first.usage.input_tokens, first.usage.output_tokens) == (200, 11 + 12)
    assert (second.usage.input_tokens, second.usage.output_tokens) == (200, 14 + 15)
    assert [c.cumulative_tokens for c in second.calls] == [114, 229]
    # The time of a session begins with what was asked for in it.
    assert second.calls[0].timestamp is not None and second.first_timestamp is not None
    assert second.calls[0].timestamp - second.first_timestamp == 60
    assert second.evidence[-1] == "b.jsonl: 2 calls of a.jsonl repeated and left out"


def test_a_chain_of_sessions_counts_each_call_once(tmp_path: Path) -> None:
    for name, last in (("a", 2), ("b", 4), ("c", 6)):
        lines = [line for number in range(1, last + 1) for line in step(number, name)]
        write(tmp_path / f"{name}.jsonl", lines)
    traces, _, problems = found_in(tmp_path)
    assert [ids(trace) for trace in traces.values()] == [[1, 2], [3, 4], [5, 6]]
    assert [problem.split(";")[0] for problem in problems] == [
        "repeated_calls: goes on from a.jsonl",
        "repeated_calls: goes on from b.jsonl",
    ]


def test_two_sessions_that_go_on_from_one(tmp_path: Path) -> None:
    write(tmp_path / "a.jsonl", step(1, "a"))
    write(tmp_path / "b.jsonl", [*step(1, "b"), *step(2, "b")])
    write(tmp_path / "c.jsonl", [*step(1, "c"), *step(3, "c")])
    traces, _, _ = found_in(tmp_path)
    assert [ids(trace) for trace in traces.values()] == [[1], [2], [3]]


def test_a_copy_that_adds_nothing_is_no_trial(tmp_path: Path) -> None:
    write(tmp_path / "a.jsonl", [*step(1, "a"), *step(2, "a")])
    write(tmp_path / "b.jsonl", [*step(1, "b"), asked(3, "b")])
    traces, skipped, _ = found_in(tmp_path)
    # Which of them is the copy is told by who made the last call first.
    assert sorted(n for trace in traces.values() for n in ids(trace)) == [1, 2]
    write(tmp_path / "b.jsonl", [*step(1, "b"), *step(2, "b"), asked(3, "b")])
    traces, skipped, _ = found_in(tmp_path)
    assert [ids(trace) for trace in traces.values()] == [[1, 2]]
    assert skipped == {"b.jsonl": "repeats a.jsonl and adds no call"}


def test_equal_ids_alone_do_not_make_a_copy(tmp_path: Path) -> None:
    """Other arguments, a short id, another project: the calls are different ones."""
    write(tmp_path / "one/a.jsonl", step(1, "a"))
    write(tmp_path / "two/b.jsonl", [*step(1, "b"), *step(2, "b")])
    other = step(1, "c")
    other[0]["message"]["content"][0]["input"] = {"file_path": "/w/other.py"}
    write(tmp_path / "one/c.jsonl", other)
    for name in "de":
        text = "".join(json.dumps(line) + "\n" for line in step(3, name))
        (tmp_path / f"one/{name}.jsonl").write_text(text.replace(CALLS[3], "t1"))
    traces, skipped, problems = found_in(tmp_path)
    assert {path: len(trace.calls) for path, trace in traces.items()} == {
        "one/a.jsonl": 1, "one/c.jsonl": 1, "one/d.jsonl": 1, "one/e.jsonl": 1, "two/b.jsonl": 2,
    }  # fmt: skip
    assert not skipped and not problems


def test_subagents_belong_to_the_session_that_started_them(tmp_path: Path) -> None:
    write(tmp_path / "a.jsonl", step(1, "a"))
    write(tmp_path / "b.jsonl", [*step(1, "a"), *step(2, "b")])
    inside = [line | {"isSidechain": True, "agentId": "x"} for line in step(7, "a")]
    write(tmp_path / "agent-x.jsonl", inside)
    traces, skipped, _ = found_in(tmp_path)
    assert {path: ids(trace) for path, trace in traces.items()} == {
        "a.jsonl": [1, 7],
        "b.jsonl": [2],
    }
    assert skipped == {"agent-x.jsonl": "no trace: a part of a.jsonl"}


def test_a_codex_thread_that_went_back_repeats_without_saying_so(tmp_path: Path) -> None:
    """Before `forked_from_id` the new file of another day was the only sign."""

    def rollout(name: str, day: str, numbers: list[int]) -> None:
        start = f"2026-05-{day}T10:00:00Z"
        meta = {"id": name, "timestamp": start, "cwd": "/w"}
        lines: list[dict[str, Any]] = [{"type": "session_meta", "payload": meta}]
        for number in numbers:
            call_id = f"call_ExampleOfCodex{number}"
            command = json.dumps({"command": ["cat", f"{number}.py"]})
            call = {"type": "function_call", "name": "shell", "arguments": command}
            output = {"type": "function_call_output", "output": "x"}
            lines += [
                {"type": "response_item", "payload": {**body, "call_id": call_id}}
                for body in (call, output)
            ]
        write(
            tmp_path / f"2026/05/{day}/rollout-{name}.jsonl",
            [{"timestamp": start, **line} for line in lines],
        )

    rollout("t1", "04", [1, 2, 3])
    rollout("t2", "05", [1, 2, 4])
    traces, _, problems = found_in(tmp_path)
    assert [[(c.call_id or "")[-1] for c in t.calls] for t in traces.values()] == [
        ["1", "2", "3"],
        ["4"],
    ]
    assert problems == [
        "repeated_calls: goes on from ../04/rollout-t1.jsonl; 2 calls of it repeated here"
        " and left out"
    ]
