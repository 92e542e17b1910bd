"""Cursor's lines, also if they are collected in one file."""

from __future__ import annotations

import json
from pathlib import Path

from groundtrace.config import Settings
from groundtrace.discover import discover
from groundtrace.discover.found import Skipped
from groundtrace.model import Trial
from groundtrace.storage import LocalFolder, place_at
from groundtrace.testing import Case, check_reader
from groundtrace.traces import read_trace
from groundtrace.traces.cursor.reader import CursorReader
from groundtrace.traces.kit.claims import Probe
from tests.traces.seen import seen
from tests.traces.trials import FIXTURES, read, read_bytes


def test_cursor_pairs_are_one_call_with_results_per_kind() -> None:
    trace, problems = read("cursor-pairs")
    assert not problems
    assert [(call.call_id, call.name) for call in trace.calls] == [
        ("k1", "readToolCall"),
        ("k2", "grepToolCall"),
        ("k3", "shellToolCall"),
        ("k4", "globToolCall"),
        ("k5", "read_file"),
    ]
    found = [call.result for call in trace.calls]
    assert found[0] is not None and found[0].text == "line3\nline4"
    assert found[0].data["readRange"]["startLine"] == 3
    assert found[1] is not None and "/workspace" in found[1].data["workspaceResults"]
    assert found[2] is not None and found[2].is_error and found[2].text == "no rule"
    assert found[3] is not None and found[3].text == "/workspace/a.h"
    assert found[4] is None
    assert trace.calls[4].server == "sourcegraph"
    assert dict(trace.calls[4].arguments) == {"repo": "r", "path": "p"}
    assert trace.calls[0].timestamp == 1774379941.1
    assert trace.calls[0].cumulative_tokens is None
    assert trace.usage.output_tokens == 321 and trace.usage.input_tokens == 17
    assert trace.source == "transcript" and trace.harness == "cursor"


def collect(folder: Path, extra: list[object]) -> Path:
    """The lines of cursor-pairs as one JSON file where trajectories lie."""
    lines = (FIXTURES / "cursor-pairs/agent/cursor-agent.jsonl").read_text().splitlines()
    document = {
        "schema_version": "cursor-jsonl-v1",
        "steps": [*(json.loads(line) for line in lines), *extra],
    }
    path = folder / "agent" / "trajectory.json"
    path.parent.mkdir()
    path.write_text(json.dumps(document))
    return path


def test_cursor_lines_collected_in_one_file_read_as_the_lines_do(tmp_path: Path) -> None:
    collect(tmp_path, [{"step_id": 12, "source": "malformed"}])
    trace, problems = read_trace(LocalFolder(tmp_path))
    assert trace.calls == read("cursor-pairs").trace.calls
    assert trace.source == "transcript" and not trace.has_trajectory
    assert [problem.kind for problem in problems] == ["trimmed_steps"]


def test_collected_cursor_lines_before_damage_are_read(tmp_path: Path) -> None:
    path = collect(tmp_path, [])
    whole = path.read_text()
    path.write_text(whole[: whole.index('"k3"')])
    trace, problems = read_trace(LocalFolder(tmp_path))
    assert [call.call_id for call in trace.calls][:2] == ["k1", "k2"]
    assert "broken_json" in {problem.kind for problem in problems}


def test_only_lines_of_calls_have_the_shape_of_cursor() -> None:
    """In indented JSON of another harness every line was tried as a record, and failed."""
    event = {"type": "tool_call", "subtype": "started", "call_id": "k1", "tool_call": {}}
    indented = json.dumps({"events": [event]}, indent=2).encode()
    line = json.dumps({"type": "system"}).encode() + b"\n" + json.dumps(event).encode() + b"\n"
    assert CursorReader().recognise(Probe("log.json", indented)) is None
    found = CursorReader().recognise(Probe("log.json", line))
    assert found is not None and found.strength == "shape"


def test_transcripts_of_the_editor_have_calls_without_answers() -> None:
    trace, problems = read("cursor-session")
    assert seen(trace) == [
        "Read? | file_read | read /home/u/heron/src/egg.py",
        "Grep? | code_search",
        "Shell? | other",
        "StrReplace? | file_write | written /home/u/heron/src/egg.py",
    ]
    assert trace.harness == "cursor" and trace.calls[2].cwd == "/home/u/heron"
    assert [problem.kind for problem in problems] == ["result_not_captured"]


def test_the_reader_of_the_editors_transcripts_passes_the_checks(tmp_path: Path) -> None:
    data = (FIXTURES / "cursor-session/agent/cursor.jsonl").read_bytes()
    calls = tuple((None, name, False) for name in ("Read", "Grep", "Shell", "StrReplace"))
    check_reader(CursorReader(), Case("agent/cursor.jsonl", data, calls), tmp_path)


def test_a_transcript_of_texts_alone_is_a_trace_without_calls(tmp_path: Path) -> None:
    line = '{"role": "user", "message": {"content": [{"type": "text", "text": "hello"}]}}\n'
    result = read_bytes(tmp_path, "cursor.jsonl", line.encode())
    assert result.trace.source == "transcript" and not result.trace.calls and not result.problems


def transcript(*blocks: dict[str, object]) -> bytes:
    lines: list[tuple[str, dict[str, object]]] = [("user", {"type": "text", "text": "eggs"})]
    lines += [("assistant", {"type": "tool_use", **block}) for block in blocks]
    return b"".join(
        json.dumps({"role": role, "message": {"content": [block]}}).encode() + b"\n"
        for role, block in lines
    )


EDITORS_CALLS: list[tuple[dict[str, object], str]] = [
    ({"name": "Grep", "input": {"pattern": "EGGS", "path": "/w"}}, "Grep? | code_search"),
    ({"name": "Read", "input": {"path": "/w/a.py"}}, "Read? | file_read | read /w/a.py"),
    ({"name": "Glob", "input": {"glob_pattern": "*.py"}}, "Glob? | file_search"),
    ({"name": "SemanticSearch", "input": {"query": "eggs"}}, "SemanticSearch? | code_search"),
    (
        {"name": "Shell", "input": {"command": "cat b.py", "working_directory": "/w"}},
        "Shell? | other",
    ),
    (
        {"name": "StrReplace", "input": {"path": "/w/a.py", "old_string": "3", "new_string": "4"}},
        "StrReplace? | file_write | written /w/a.py",
    ),
    (
        {"name": "Write", "input": {"path": "/w/c.py", "contents": "x"}},
        "Write? | file_write | written /w/c.py",
    ),
    ({"name": "Delete", "input": {"path": "/w/d.py"}}, "Delete? | file_write | written /w/d.py"),
    (
        {
            "name": "ApplyPatch",
            "input": "*** Begin Patch\n*** Update File: /w/e.py\n@@\n-a\n+b\n*** End Patch",
        },
        "ApplyPatch? | file_write | written /w/e.py",
    ),
    (
        {
            "name": "CallMcpTool",
            "input": {"server": "sg", "toolName": "keyword_search", "arguments": {"query": "x"}},
        },
        "mcp__sg__keyword_search? | code_search",
    ),
    ({"name": "TodoWrite", "input": {"todos": []}}, "TodoWrite? | other"),
]


def test_the_editors_calls(tmp_path: Path) -> None:
    """No answer is recorded. A tool of a server is an argument, and a patch is no object."""
    data = transcript(*(block for block, _ in EDITORS_CALLS))
    trace, problems = read_bytes(tmp_path, "cursor.jsonl", data)
    assert seen(trace) == [expected for _, expected in EDITORS_CALLS]
    assert trace.calls[9].server == "sg" and dict(trace.calls[9].arguments) == {"query": "x"}
    assert [problem.kind for problem in problems] == ["result_not_captured"]


def test_an_editors_subagent_is_no_trial(tmp_path: Path) -> None:
    folder = tmp_path / "agent-transcripts" / "c1"
    (folder / "subagents").mkdir(parents=True)
    data = transcript({"name": "Read", "input": {"path": "/w/a.py"}})
    (folder / "c1.jsonl").write_bytes(data)
    (folder / "subagents" / "s1.jsonl").write_bytes(data)
    (folder / "chat.md").write_text("# Eggs\n_Exported on 2/3/2026 at 10:00 from Cursor (2.4)_\n")
    (folder / "old.txt").write_text("user:\n<user_query>\neggs\n</user_query>\n")
    found = list(discover(place_at(str(tmp_path)), settings=Settings()))
    assert [item.trial_name for item in found if isinstance(item, Trial)] == ["c1"]
    reasons = {Path(i.path).name: i.reason for i in found if isinstance(i, Skipped)}
    assert "subagent" in reasons["s1.jsonl"]
    assert "Cursor exported" in reasons["chat.md"]
    assert "older transcript of Cursor" in reasons["old.txt"]
