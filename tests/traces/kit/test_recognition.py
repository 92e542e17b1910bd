"""Files are recognised by the members that tell, wherever they stand, and refused aloud."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any, BinaryIO

import pytest

from benchmarks.sessions import WRITERS, made
from groundtrace.api import run
from groundtrace.config import Settings
from groundtrace.discover import FoundProblem, Skipped, discover
from groundtrace.model import Trial
from groundtrace.runs.normalize import nothing_found
from groundtrace.storage import Folder, LocalFolder, local
from groundtrace.storage.watch import WatchedFile
from groundtrace.traces import all_readers, read_trace
from groundtrace.traces.kit import choose, loose
from groundtrace.traces.kit.choose import what_it_is
from groundtrace.traces.kit.known import HELD, Known
from groundtrace.traces.kit.loose import read_loose, read_trace_of, recognise

READERS = all_readers()[0]
FENCE = "THOUGHT: look\n\n```bash\nls src\n```"
MINI = {
    "info": {
        "exit_status": "Submitted",
        "submission": "PATCH",
        "model_stats": {"instance_cost": 0.1, "api_calls": 1},
        "mini_version": "1.14.2",
    },
    "messages": [
        {"role": "system", "content": "You are a helper."},
        {"role": "assistant", "content": FENCE},
        {"role": "user", "content": "<returncode>0</returncode>\n<output>\na.py\n</output>"},
    ],
    "trajectory_format": "mini-swe-agent-1",
}
OPENHANDS = {
    "instance_id": "heron__heron-1",
    "test_result": {"git_patch": "PATCH"},
    "history": [
        {
            "id": 1,
            "timestamp": "2026-05-04T10:00:00",
            "source": "agent",
            "action": "run",
            "args": {"command": "ls src"},
        },
        {"id": 2, "cause": 1, "observation": "run", "content": "a.py", "extras": {}},
    ],
}
ASKED = {"id": "c1", "function": {"name": "bash", "arguments": '{"command": "ls src"}'}}
CHAT = {
    "instance_id": "heron__heron-1",
    "patch": "PATCH",
    "messages": [
        {"role": "system", "content": "SYSTEM"},
        {"role": "assistant", "content": "", "tool_calls": [ASKED]},
        {"role": "tool", "content": "a.py", "tool_call_id": "c1"},
    ],
}


def long(value: Any, **texts: str) -> Any:
    """The same value with some texts replaced."""
    data = json.dumps(value)
    for name, text in texts.items():
        data = data.replace(json.dumps(name), json.dumps(text))
    return json.loads(data)


PATCH = 'diff --git a/n.py "b"\n+\\x\t' * 5_000
CASES = {
    "heron-1.traj.json": (MINI, {"PATCH": PATCH}),
    "output.jsonl": (OPENHANDS, {"PATCH": PATCH}),
    "rows.jsonl": (CHAT, {"PATCH": PATCH}),
    "prompts.jsonl": (CHAT, {"SYSTEM": "Do this.\n" * 9_000}),
    "rows.json": ([CHAT, CHAT], {"PATCH": PATCH, "SYSTEM": "é" * 70_000}),
}


@pytest.mark.parametrize("name", CASES)
def test_a_long_value_before_the_members_that_tell_hides_nothing(name: str, tmp_path: Path) -> None:
    value, texts = CASES[name]
    calls = []
    for place, written in (("short", value), ("long", long(value, **texts))):
        folder = tmp_path / place
        folder.mkdir()
        (folder / name).write_text(json.dumps(written) + "\n")
        found = [
            t for t in discover(LocalFolder(folder), settings=Settings()) if isinstance(t, Trial)
        ]
        traces = [read_trace_of(trial).trace for trial in found]
        assert traces and all(trace.calls for trace in traces)
        calls.append([[(c.name, c.arguments, c.result) for c in t.calls] for t in traces])
    assert calls[0] == calls[1]
    assert len(json.dumps(long(value, **texts))) > choose.HEAD


def test_a_list_of_thousands_before_the_members_that_tell_hides_nothing(tmp_path: Path) -> None:
    row = {"FAIL_TO_PASS": [f"tests/t.py::test_{n}" for n in range(9_000)], **CHAT}
    (tmp_path / "rows.jsonl").write_text(json.dumps(row) + "\n")
    found, why, problem = recognise(LocalFolder(tmp_path), "rows.jsonl", READERS)
    assert found is not None and found.reader.name == "chat", (why, problem)


def test_a_trials_own_file_is_recognised_the_same_way(tmp_path: Path) -> None:
    (tmp_path / "agent").mkdir()
    written = long(MINI, PATCH=PATCH)
    (tmp_path / "agent/heron-1.traj.json").write_text(json.dumps(written))
    trace, problems = read_trace(LocalFolder(tmp_path))
    assert [call.name for call in trace.calls] == ["bash"] and not problems


def test_a_claim_on_an_outline_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [{**long(CHAT, PATCH=PATCH), "instance_id": f"heron-{n}"} for n in range(3)]
    (tmp_path / "rows.jsonl").write_text("\n".join(map(json.dumps, rows)))
    folder = LocalFolder(tmp_path)
    assert recognise(folder, "rows.jsonl", READERS)[0] is not None
    monkeypatch.setattr(choose, "_claim_on_outline", None)  # it would not be callable
    assert len(read_loose(folder, "rows.jsonl", "heron-2").trace.calls) == 1


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How often each file was opened."""
    count: Counter[str] = Counter()
    real = LocalFolder.open

    def counting(self: LocalFolder, relative: str) -> BinaryIO:
        count[relative.rpartition("/")[2]] += 1
        return real(self, relative)

    monkeypatch.setattr(LocalFolder, "open", counting)
    return count


@pytest.fixture
def looked(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How often the reader of each file was looked for."""
    count: Counter[str] = Counter()
    real = choose.look

    def counting(folder: Folder, path: str, *rest: Any) -> Any:
        count[path] += 1
        return real(folder, path, *rest)

    monkeypatch.setattr(loose, "look", counting)
    return count


def test_a_run_looks_for_the_reader_of_a_file_once(
    tmp_path: Path, opened: Counter[str], looked: Counter[str]
) -> None:
    runs = tmp_path / "runs"
    runs.mkdir()
    rows = [{**CHAT, "instance_id": f"heron__heron-{n}"} for n in range(3)]
    (runs / "rows.jsonl").write_text("\n".join(map(json.dumps, rows)))
    (runs / "session.jsonl").write_text("\n".join([json.dumps(EVENT)] * 3))
    (runs / "heron-9.traj.json").write_text(json.dumps(MINI))
    run(runs, out=tmp_path / "out", jobs=1)
    assert len(list((tmp_path / "out").rglob("*.retrieval_events.json"))) == 5
    assert looked == {"rows.jsonl": 1, "session.jsonl": 1, "heron-9.traj.json": 1}
    # To recognise it, to list its samples, to read it, and for what its user asked; the log of a
    # session is listed by reading it, and looked into to tell whose subagent it is.
    assert opened["heron-9.traj.json"] == 4
    assert opened["session.jsonl"] == 4
    assert opened["rows.jsonl"] == 2


SCANNED = {"mini-swe-agent", "swe-agent"}
"""Formats whose listing passes over the messages without decoding them, and so reads a file twice."""
LEFT = {"aider": 2.5, "api-log": 4.3, "otel": 1.5}
"""Formats that decode a file again: text that is cut into sessions, and logs that may be rows."""


@pytest.mark.parametrize("name", sorted(WRITERS))
def test_a_file_that_is_listed_and_read_here_is_decoded_once(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By the bytes that are read of it: of most formats all of them once, and its start again."""
    read: Counter[str] = Counter()

    class Counted(WatchedFile):
        def readinto(self, buffer: Any) -> int:
            got = super().readinto(buffer)
            read[Path(str(self.name)).name] += got or 0
            return got

        def readall(self) -> bytes:
            data = super().readall()
            read[Path(str(self.name)).name] += len(data)
            return data

    monkeypatch.setattr(local, "WatchedFile", Counted)
    writer = WRITERS[name]
    runs = tmp_path / "runs"
    runs.mkdir()
    data = writer.write(made(400))
    (runs / writer.file).write_bytes(data)
    HELD.clear()
    run(runs, out=tmp_path / "out", jobs=1)
    assert len(list((tmp_path / "out").rglob("*.retrieval_events.json"))) == 1
    most = LEFT.get(name, 2.2 if name in SCANNED else 1.5)
    assert 1 <= read[Path(writer.file).name] / len(data) <= most


def test_a_file_that_is_held_is_read_again_once_it_changed(tmp_path: Path) -> None:
    (tmp_path / "s.jsonl").write_text(json.dumps(EVENT) + "\n")
    trial = trial_of(tmp_path)
    whole = read_trace_of(trial).trace
    assert len(whole.calls) == 1
    trial = trial_of(tmp_path)
    (tmp_path / "s.jsonl").write_text(json.dumps(EVENT) + "\n" + json.dumps(OTHER) + "\n")
    assert len(read_trace_of(trial).trace.calls) == 2
    trial = trial_of(tmp_path)
    first, again = read_trace_of(trial).trace, read_trace_of(trial).trace
    assert first == again and len(first.calls) == 2


def test_what_weighs_too_much_is_not_held() -> None:
    known: Known[str] = Known(10)
    for letter, weight in (("a", 4), ("b", 4), ("c", 4), ("d", 11)):
        known.keep((letter,), letter, weight)
    assert [known.get((letter,)) for letter in "abcd"] == [None, "b", "c", None]
    assert known.take(("b",)) == "b" and known.take(("b",)) is None
    known.keep(("e",), "e", 6)
    assert known.get(("c",)) == "c" and known.get(("e",)) == "e"
    known.keep(None, "f")
    assert known.get(None) is None


def trial_of(folder: Path, settings: Settings | None = None) -> Trial:
    found = discover(LocalFolder(folder), settings=settings or Settings())
    (trial,) = (item for item in found if isinstance(item, Trial))
    return trial


def test_a_file_that_changed_after_discovery_is_recognised_again(
    tmp_path: Path, looked: Counter[str]
) -> None:
    (tmp_path / "a.json").write_text(json.dumps(MINI))
    trial = trial_of(tmp_path)
    assert trial.loose is not None and trial.loose.claimed is not None
    assert trial.loose.claimed.reader == "mini-swe-agent"
    (tmp_path / "a.json").write_text(json.dumps([json.loads(json.dumps(CHAT))]))
    trace, _ = read_trace_of(trial)
    assert looked["a.json"] == 2
    assert not any("mini-swe-agent" in text for text in trace.evidence)


MAPPING = """
reader = "chat"
match = "never"
calls = "calls"
name = "name"
"""


def test_a_mapping_with_the_name_of_a_reader_does_not_get_its_files(
    tmp_path: Path, looked: Counter[str]
) -> None:
    (tmp_path / "a.json").write_text(json.dumps(CHAT))
    settings = Settings(readers=(("mine.toml", MAPPING),))
    trial = trial_of(tmp_path, settings)
    trace, _ = read_trace_of(trial, settings.readers)
    assert looked["a.json"] == 2 and [call.call_id for call in trace.calls] == ["c1"]


def skipped(folder: Path) -> tuple[list[str], list[str]]:
    """Reasons of files that are no trials, and of problems."""
    found = list(discover(LocalFolder(folder), settings=Settings()))
    assert not any(isinstance(item, Trial) for item in found)
    reasons = [item.reason for item in found if isinstance(item, Skipped)]
    return reasons, [item.problem.reason for item in found if isinstance(item, FoundProblem)]


@pytest.mark.parametrize(
    ("name", "reader", "data", "looks"),
    [
        ("a.traj.json", "mini-swe-agent", b'{"info": {}}', "JSON that no reader knows"),
        ("a.traj", "swe-agent", b"not yet", "text that no reader knows"),
        ("rollout-2026.jsonl", "codex", b"", "empty"),
        ("output.jsonl", "openhands", b'{"instance_id": "x"}', "JSON that no reader knows"),
        ("log.eval", "inspect", b"\0\0", "binary"),
    ],
)
def test_a_file_with_a_readers_own_name_is_refused_by_name(
    name: str, reader: str, data: bytes, looks: str, tmp_path: Path
) -> None:
    (tmp_path / name).write_bytes(data)
    assert f"named like a trace of {reader}, but it is {looks}" in skipped(tmp_path)[1]


POINTER = b"""version https://git-lfs.github.com/spec/v1
oid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393
size 12345
"""


def test_a_pointer_of_git_lfs_is_called_that(tmp_path: Path) -> None:
    (tmp_path / "agent.log").write_bytes(POINTER)
    (tmp_path / "a.traj").write_bytes(POINTER)
    reasons, problems = skipped(tmp_path)
    assert "no trace: a Git LFS pointer: run git lfs pull" in reasons
    assert problems == [
        "named like a trace of swe-agent, but it is a Git LFS pointer: run git lfs pull"
    ]
    trial = tmp_path / "trial"
    (trial / "agent").mkdir(parents=True)
    (trial / "agent/claude-code.txt").write_bytes(POINTER)
    (problem,) = read_trace(LocalFolder(trial)).problems
    assert problem.reason == "a Git LFS pointer: run git lfs pull"


EVENT = {
    "type": "assistant",
    "message": {
        "id": "msg_1",
        "content": [{"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "ls"}}],
    },
    "parent_tool_use_id": None,
}
OTHER = json.loads(json.dumps(EVENT).replace("msg_1", "msg_2").replace("t1", "t2"))


def test_a_captured_terminal_is_no_trace(tmp_path: Path) -> None:
    line = json.dumps(EVENT)
    screen = [
        "root@box:/app# claude -p 'fix it' --output-format stream-json",
        *("npm warn deprecated something that is long enough to fill the line" for _ in range(9)),
        *(line[start : start + 80] for start in range(0, len(line), 80)),  # wrapped
        '{"type":"result","parent_tool_use_id":null}',
        "root@box:/app#",
    ]
    (tmp_path / "post-agent.txt").write_text("\n".join(screen))
    assert recognise(LocalFolder(tmp_path), "post-agent.txt", READERS)[:2] == (
        None,
        "a captured terminal with some lines of JSON",
    )


def test_a_stream_after_some_words_of_the_shell_is_a_trace(tmp_path: Path) -> None:
    shell = [f"npm warn {number}" for number in range(9)]
    (tmp_path / "stdout.txt").write_text("\n".join([*shell, *[json.dumps(EVENT)] * 5]))
    assert recognise(LocalFolder(tmp_path), "stdout.txt", READERS)[0] is not None


@pytest.mark.parametrize(
    ("data", "looks"),
    [
        (b'{"version": 2, "width": 80, "height": 24}\n[0.1, "o", "$ "]\n', "a terminal recording"),
        (b'{"v": 3, "id": "T-0a1b2c3d-11", "messages": []}', "an Amp thread"),
        (b'{"responderUsername": "x", "requests": [{"message": {}}]}', "a VS Code chat"),
        (b'{"cells": [], "nbformat": 4}', "a Jupyter notebook"),
        (b'{"resourceMetrics": [{"x": 1}]}', "OpenTelemetry without"),
        (b'{"run_type": "llm", "dotted_order": "x"}', "an export of LangSmith"),
        (b'[{"traceId": "x", "parentObservationId": null}]', "an export of Langfuse"),
        (b'[{"role": "user", "content": "hello"}]', "a chat of JSON messages without a tool call"),
        (b'{"tasks": [{"baseline": {"tool_usage": {}}}]}', "results of mcpbr"),
        (b"\x1b[2J$ ls\n", "a recorded terminal"),
    ],
)
def test_a_file_that_no_reader_knows_is_named_by_its_looks(
    data: bytes, looks: str, tmp_path: Path
) -> None:
    (tmp_path / "x").write_bytes(data)
    found, why, _ = recognise(LocalFolder(tmp_path), "x", READERS)
    assert found is None and "no reader knows: it looks like" in why and looks in why


def test_a_database_is_named() -> None:
    assert what_it_is(b"SQLite format 3\0...").startswith("a database")


def test_the_way_to_the_guide_is_told_if_nothing_was_found(tmp_path: Path) -> None:
    (tmp_path / "x.json").write_bytes(b'{"v": 3, "id": "T-0a1b2c3d-11", "messages": []}')
    found = discover(LocalFolder(tmp_path), settings=Settings())
    said = nothing_found("x", [item for item in found if isinstance(item, Skipped)])
    assert "an Amp thread" in said and "map-a-format" in said and "--reader FILE" in said
