"""Damage: every call whose bytes are intact is read, the same as in the whole file."""

from __future__ import annotations

import io
import json
import os
import random
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from groundtrace.cut_json import read_prefix
from groundtrace.model import ReadResult, ToolCall
from groundtrace.storage import LocalFolder
from groundtrace.traces import detect, jsonl, read_trace
from groundtrace.traces.atif.load import load
from groundtrace.traces.atif.steps import Step
from groundtrace.traces.salvage import intact_objects
from groundtrace.traces.source import Keep

FIXTURES = Path(__file__).parent.parent / "fixtures" / "traces"
FILES = sorted(
    path
    for path in FIXTURES.rglob("*")
    if path.is_file() and path.name != "README.md" and path.stat().st_size
)


def read_bytes(folder: Path, name: str, data: bytes) -> ReadResult:
    path = folder / "agent" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return read_trace(LocalFolder(folder))


def name_in_trial(path: Path) -> str:
    parts = path.parts
    start = len(parts) - 1 - parts[::-1].index("agent")
    return "/".join(parts[start + 1 :])


def damaged(data: bytes, rng: random.Random, count: int) -> list[tuple[int, bytes]]:
    """Cuts and flipped bits, with the place of the damage."""
    result = []
    for _ in range(count):
        cut = rng.randrange(len(data))
        result.append((cut, data[:cut]))
        flip = rng.randrange(len(data))
        changed = bytearray(data)
        changed[flip] ^= 1 << rng.randrange(8)
        result.append((flip, bytes(changed)))
    return result


def without_tokens(call: ToolCall) -> ToolCall:
    """Usage of a message is stated again after its calls, so totals may depend on what follows."""
    return replace(call, cumulative_tokens=None)


def ends(data: bytes, calls: tuple[ToolCall, ...], *, lines: bool) -> list[int]:
    """For each call the place after which no byte belongs to it or its result."""
    seen: Counter[str] = Counter()
    places = []
    for call in calls:
        marker = json.dumps(call.call_id).encode()
        position = -1
        if lines:
            position = data.rfind(marker)
            place = data.find(b"\n", position)
        else:
            for _ in range(seen[str(call.step_id)] + 1):
                position = data.find(b'"step_id": %s,' % str(call.step_id).encode(), position + 1)
            place = data.find(b'"step_id":', position + 1)
        places.append(len(data) if place < 0 or position < 0 else place)
    return places


def check(folder: Path, name: str, data: bytes, rng: random.Random, count: int) -> None:
    whole = read_bytes(folder, name, data).trace.calls
    lines = not name.endswith(".json")
    limits = ends(data, whole, lines=lines)
    for place, bad in damaged(data, rng, count):
        trace, _ = read_bytes(folder, name, bad)
        found = [without_tokens(call) for call in trace.calls]
        for call, limit in zip(whole, limits, strict=True):
            if limit < place:
                assert without_tokens(call) in found, (name, place, call)


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parts[-3]}-{path.name}")
def test_cuts_and_flips_lose_nothing_before_the_damage(path: Path, tmp_path: Path) -> None:
    if "wrong-types" in str(path) or "references" in str(path) or "odd-bytes" in str(path):
        pytest.skip("has no plain order of bytes; covered below")
    rng = random.Random(path.name)
    check(tmp_path, name_in_trial(path), path.read_bytes(), rng, 25)


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parts[-3]}-{path.name}")
def test_random_bytes_never_raise(path: Path, tmp_path: Path) -> None:
    rng = random.Random(path.name)
    data = path.read_bytes()
    for _ in range(15):
        start = rng.randrange(len(data))
        noise = rng.randbytes(rng.randrange(40))
        trace, problems = read_bytes(
            tmp_path, name_in_trial(path), data[:start] + noise + data[start + 7 :]
        )
        assert trace.readable or not trace.calls
        assert all(problem.reason and problem.kind for problem in problems)


def corpus_files() -> list[Path]:
    root = os.environ.get("GROUNDTRACE_CORPUS")
    if not root:
        return []
    names = ("claude-code.txt", "session.jsonl", "trajectory.json")
    return [path for path in sorted(Path(root).glob("runs/**/agent/*")) if path.name in names]


@pytest.mark.corpus
def test_real_files_cut_and_flipped(tmp_path: Path) -> None:
    files = corpus_files()
    if not files:
        pytest.skip("GROUNDTRACE_CORPUS is not set")
    for number, path in enumerate(files):
        folder = tmp_path / str(number)
        check(folder, path.name, path.read_bytes(), random.Random(number), 3)


def test_odd_bytes_of_every_kind() -> None:
    """A BOM, NaN, lone surrogates, huge integers, Latin-1, U+2028, null where objects belong."""
    trace, problems = read_trace(LocalFolder(FIXTURES / "damage-odd-bytes"))
    assert [call.call_id for call in trace.calls] == ["t1", "t2"]
    assert trace.calls[0].result is not None
    assert trace.calls[0].result.text == "caf\ufffd \u2028 line"
    kinds = Counter(problem.kind for problem in problems)
    assert kinds["not_utf8"] == 1 and kinds["orphan_results"] == 1
    assert sum(problem.lost_calls for problem in problems) == 2
    assert all(call.cumulative_tokens is None for call in trace.calls)


def test_empty_files_are_problems_and_no_trace() -> None:
    trace, problems = read_trace(LocalFolder(FIXTURES / "empty-files"))
    assert not trace.readable and trace.source is None
    assert not trace.has_trajectory and not trace.has_transcript
    assert {problem.kind for problem in problems} == {"empty_file"}


@pytest.mark.parametrize(
    "data", [b"null", b"7", b"[]", b'"x"', b"{}", b'{"steps": 3}', b"\xff\xfe{"]
)
def test_what_is_no_trajectory_is_a_problem(data: bytes, tmp_path: Path) -> None:
    trace, problems = read_bytes(tmp_path, "trajectory.json", data)
    assert not trace.has_trajectory and not trace.calls and problems


def test_a_cut_trajectory_keeps_the_call_whose_result_is_cut() -> None:
    data = (FIXTURES / "openhands-parallel-calls/agent/trajectory.json").read_bytes()
    place = data.index(b"cat -n")
    loaded = load(data[:place])
    steps = [step for step in loaded.steps if isinstance(step, Step)]
    assert steps[-1].tool_calls[0]["tool_call_id"] == "toolu_05"
    assert steps[-1].message == "Reading file: /workspace/c.py"
    assert steps[-1].observation is None


def test_a_lost_step_ends_the_totals(tmp_path: Path) -> None:
    """D9: null rather than wrong."""
    data = (FIXTURES / "atif-1.2-appended-sections/agent/trajectory.json").read_bytes()
    broken = data.replace(b'"prompt_tokens": 14003', b'"prompt_tokens": 14003x')
    trace, problems = read_bytes(tmp_path, "trajectory.json", broken)
    assert len(trace.calls) == 9
    assert all(call.cumulative_tokens is None for call in trace.calls)
    assert trace.usage.input_tokens is None
    assert any(problem.kind == "damaged_step" for problem in problems)


def test_lost_calls_are_counted(tmp_path: Path) -> None:
    data = (FIXTURES / "stream-one-message-over-many-lines/agent/claude-code.txt").read_bytes()
    broken = data.replace(b'"name": "Grep"', b'"name": "Gr\n"')
    trace, problems = read_bytes(tmp_path, "claude-code.txt", broken)
    assert [call.call_id for call in trace.calls] == ["toolu_b", "toolu_c"]
    assert sum(problem.lost_calls for problem in problems) == 1


def test_two_lines_run_together_are_both_read(tmp_path: Path) -> None:
    data = (FIXTURES / "stream-one-message-over-many-lines/agent/claude-code.txt").read_bytes()
    lines = data.split(b"\n")
    joined = b"\n".join([lines[0], lines[1], lines[2] + b"," + lines[3], *lines[4:]])
    trace, _ = read_bytes(tmp_path, "claude-code.txt", joined)
    assert [call.call_id for call in trace.calls] == ["toolu_a", "toolu_b", "toolu_c"]
    assert trace.calls[-1].cumulative_tokens == 2261


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


def test_session_folders_beyond_the_limit_are_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """D38: what was not searched is said, not silently left out."""
    for name in "abcd":
        (tmp_path / "agent/sessions/projects" / name).mkdir(parents=True)
    assert read_trace(LocalFolder(tmp_path)).problems == ()
    monkeypatch.setattr(detect, "MAX_FOLDERS", 3)
    (problem,) = read_trace(LocalFolder(tmp_path)).problems
    assert (problem.file, problem.kind) == ("agent/sessions/projects", "too_many_folders")


def test_intact_objects_are_found_whatever_the_quotes_before_them() -> None:
    text = '{"a": "x" {"b": {"c": 1}, "d": "{\\"e\\": 2}"}, "f": {"g": '
    assert [piece.value for piece in intact_objects(text)] == [{"b": {"c": 1}, "d": '{"e": 2}'}]


def test_deep_nesting_does_not_raise(tmp_path: Path) -> None:
    deep = "[" * 100_000
    assert read_prefix(deep).cut
    for name in ("trajectory.json", "claude-code.txt", "cursor-agent.jsonl"):
        read_bytes(tmp_path / name, name, ('{"steps": ' + deep).encode())
        read_bytes(tmp_path / name, name, ('{"message": ' * 20_000).encode())


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a": 1}', {"a": 1}),
        ('{"a": [1, {"b": "c', {"a": [1, {"b": "c"}]}),
        ('{"a": "x\\u00', {"a": "x"}),
        ('{"a": tru', {}),
        ('{"a": 1, "b', {"a": 1}),
        ("", None),
    ],
)
def test_prefixes_of_json(text: str, value: Any) -> None:
    assert read_prefix(text).value == value
