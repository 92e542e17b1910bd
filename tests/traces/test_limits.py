"""Lines, memory and folders have limits, and what a limit leaves out is reported."""

from __future__ import annotations

import io
import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundtrace.base import jsonl
from groundtrace.storage import LocalFolder
from groundtrace.traces import read_trace
from groundtrace.traces.kit import choose as choose_reader
from groundtrace.traces.kit.keep import Keep
from groundtrace.traces.kit.lists import ListKind, load_opened
from tests.traces.trials import FIXTURES, read_bytes


@given(st.lists(st.sampled_from([b"a", b"bc", b"\n", b" ", b"\r\n", b"\n\n"]), max_size=30))
def test_lines_are_the_same_however_the_file_comes_in_chunks(pieces: list[bytes]) -> None:
    data = b"".join(pieces)
    expected = []
    offset = 0
    rows = data.split(b"\n")
    for number, row in enumerate(rows, 1):
        bare = row.strip(b" \t\r")
        if bare:
            expected.append(jsonl.RawLine(number, offset, bare, len(row), number < len(rows)))
        offset += len(row) + 1
    for size in (1, 2, 3, 7, 1000):
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(jsonl, "CHUNK", size)
            assert list(jsonl.read_lines(io.BytesIO(data))) == expected


def test_lines_are_split_at_line_feeds_alone() -> None:
    data = "a\u2028b\r\n\n  \nc\x0bd\x85".encode()
    lines = list(jsonl.read_lines(io.BytesIO(data)))
    assert [(line.number, line.data.decode(), line.ended) for line in lines] == [
        (1, "a\u2028b", True),
        (4, "c\x0bd\x85", False),
    ]


def test_a_line_over_the_limit_is_skipped_and_the_rest_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jsonl, "MAX_LINE", 5000)
    monkeypatch.setattr(jsonl, "CHUNK", 700)
    data = (FIXTURES / "stream-subagents/agent/claude-code.txt").read_bytes()
    first, rest = data.split(b"\n", 1)
    long = b'{"type":"user","x":"' + b"y" * 6000 + b'"}'
    trace, problems = read_bytes(tmp_path, "claude-code.txt", first + b"\n" + long + b"\n" + rest)
    assert len(trace.calls) == 5
    (problem,) = problems
    assert problem.kind == "line_too_long" and problem.line == 2
    assert f"{len(long):,} bytes at offset {len(first) + 1:,}" in problem.reason


def test_results_beyond_the_memory_budget_keep_a_head(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Keep, "MAX_RESULT", 1000)
    use = {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "cat x"}}
    text = "\n".join(f"src/file_{n}.py" for n in range(500))
    answer = {"type": "tool_result", "tool_use_id": "t1", "content": text}
    lines: list[dict[str, Any]] = [
        {"type": "assistant", "message": {"id": "m", "content": [use]}, "parent_tool_use_id": None},
        {"type": "user", "message": {"content": [answer]}, "parent_tool_use_id": None},
    ]
    data = "\n".join(json.dumps(line) for line in lines).encode()
    trace, problems = read_bytes(tmp_path, "claude-code.txt", data)
    result = trace.calls[0].result
    assert result is not None and text.startswith(result.text) and result.text.endswith(".py\n")
    assert [problem.kind for problem in problems] == ["result_cut"]


def test_arguments_beyond_the_memory_budget_are_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """D38: a command of which only the head is known touches files that nobody sees."""
    monkeypatch.setattr(Keep, "MAX_RESULT", 4000)
    command = "cat a.py; " + "x" * 5000 + "; cat b.py"
    use = {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": command}}
    line = {"type": "assistant", "message": {"id": "m", "content": [use]}}
    trace, problems = read_bytes(tmp_path, "claude-code.txt", json.dumps(line).encode() + b"\n")
    kept = trace.calls[0].arguments["command"]
    assert command.startswith(kept) and len(kept) < len(command)
    assert [(problem.file, problem.kind) for problem in problems] == [
        ("agent/claude-code.txt", "arguments_cut")
    ]


@given(st.lists(st.integers(0, 900), max_size=40))
def test_all_results_together_stay_within_the_budget(lengths: list[int]) -> None:
    """A text within the limit of one result and the rest of the budget is whole, a longer one is
    its start; when the budget is used up, the starts have a reserve, and after that 256 bytes."""
    keep = Keep()
    keep.MAX_RESULT, keep.BUDGET, keep.HEAD, keep.RESERVE = 700, 4000, 300, 1000
    used = 0
    for length in lengths:
        text = "x" * length
        left = 4000 - used
        room = min(700, left) if left > 0 else 300 if used < 5000 else 0
        whole = sys.getsizeof(text) <= max(room, 256)
        result, cut = keep.result(text, None, False, None)
        assert (cut, result.text) == (not whole, text if whole else result.text)
        assert whole or (text.startswith(result.text) and len(result.text) <= max(room, 256))
        used += sys.getsizeof(result.text)
        assert keep.used == used


def test_a_file_that_grows_while_it_is_opened_is_read_whole() -> None:
    data = b'{"messages": [1, 2, 3], "kind": "main"}'
    loaded = load_opened(
        lambda: io.BytesIO(data), 12, "s.json", ListKind("messages", re.compile(b"x"))
    )
    assert (list(loaded.items), loaded.root, loaded.problems) == ([1, 2, 3], {"kind": "main"}, [])


def test_session_folders_beyond_the_limit_are_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """D38: what was not searched is said, not silently left out."""
    for name in "abcd":
        (tmp_path / "agent/sessions/projects" / name).mkdir(parents=True)
    assert read_trace(LocalFolder(tmp_path)).problems == ()
    monkeypatch.setattr(choose_reader, "MAX_FOLDERS", 3)
    (problem,) = read_trace(LocalFolder(tmp_path)).problems
    assert (problem.file, problem.kind) == ("agent/sessions/projects", "too_many_folders")
