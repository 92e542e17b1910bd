"""Damage: every call whose bytes are intact is read, the same as in the whole file."""

from __future__ import annotations

import json
import os
import random
from collections import Counter
from pathlib import Path

import pytest
from msgspec.structs import replace

from groundtrace.base.cut_json import read_prefix
from groundtrace.model import ToolCall
from groundtrace.storage import LocalFolder
from groundtrace.traces import read_trace
from groundtrace.traces.atif.records import Step, load
from groundtrace.traces.kit.salvage import intact_objects
from tests.traces.trials import FIXTURES, read_bytes

FILES = sorted(
    path
    for path in FIXTURES.rglob("*")
    if path.is_file() and path.name != "README.md" and path.stat().st_size
)


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


def test_intact_objects_are_found_whatever_the_quotes_before_them() -> None:
    text = '{"a": "x" {"b": {"c": 1}, "d": "{\\"e\\": 2}"}, "f": {"g": '
    assert [piece.value for piece in intact_objects(text)] == [{"b": {"c": 1}, "d": '{"e": 2}'}]


def test_deep_nesting_does_not_raise(tmp_path: Path) -> None:
    deep = "[" * 100_000
    assert read_prefix(deep).cut
    for name in ("trajectory.json", "claude-code.txt", "cursor-agent.jsonl"):
        read_bytes(tmp_path / name, name, ('{"steps": ' + deep).encode())
        read_bytes(tmp_path / name, name, ('{"message": ' * 20_000).encode())
