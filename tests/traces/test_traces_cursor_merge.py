"""Cursor's JSONL; several sources of one trial; readers of other packages."""

from __future__ import annotations

import json
from collections.abc import Iterator
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from groundtrace import traces
from groundtrace.model import READER_ENTRY_POINTS, ReadResult
from groundtrace.storage import Folder, LocalFolder
from groundtrace.traces import read_trace
from groundtrace.traces.source import Keep, Probe, RawCall, Recognised, Source

FIXTURES = Path(__file__).parent.parent / "fixtures" / "traces"


def read(name: str) -> ReadResult:
    return read_trace(LocalFolder(FIXTURES / name))


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


def test_trajectory_and_transcript_merge_without_loss_or_doubling() -> None:
    """D1, D11: the transcript's order; what only the trajectory knows follows its predecessor."""
    trace, problems = read("trajectory-and-transcript")
    assert not problems and trace.source == "merged"
    assert [call.call_id for call in trace.calls] == ["c2", "c3", "c1", "c4", "in"]
    by_id = {call.call_id: call for call in trace.calls}
    assert by_id["c1"].timestamp is not None, "times come from the trajectory"
    assert by_id["c1"].step_id == "2"
    assert by_id["c1"].cumulative_tokens == 33633
    assert by_id["c3"].cumulative_tokens is None, "its place among the model calls is not known"
    assert by_id["in"].is_subagent
    result = by_id["c4"].result
    assert result is not None and result.text == "x"
    assert result.data == {"noOutputExpected": False, "stdout": "x"}


def test_a_damaged_source_does_not_hide_a_good_one() -> None:
    trace, problems = read("damaged-transcript-good-trajectory")
    assert [call.call_id for call in trace.calls] == ["c1", "c2"]
    assert all(call.result is not None for call in trace.calls)
    assert all(call.cumulative_tokens is not None for call in trace.calls)
    assert any(problem.file == "agent/claude-code.txt" for problem in problems)


class ToyReader:
    """A third party's reader: one call per line of a text file."""

    name = "toy"
    patterns: tuple[str, ...] = ("agent/toy.trace",)

    def recognise(self, probe: Probe) -> Recognised | None:
        return Recognised("marker", "TOY") if probe.head.startswith(b"TOY") else None

    def read(self, folder: Folder, path: str, keep: Keep) -> Source:
        names = folder.read(path).decode().splitlines()[1:]
        return Source(path, "transcript", "toy", [RawCall(name, {}) for name in names], parsed=True)


def test_another_package_can_add_a_reader(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    points = [
        EntryPoint("toy", f"{__name__}:ToyReader", READER_ENTRY_POINTS),
        EntryPoint("gone", "no_such_package:Reader", READER_ENTRY_POINTS),
    ]
    monkeypatch.setattr(EntryPoint, "load", _load)
    monkeypatch.setattr(traces, "entry_points", lambda group: _points(points, group))
    (tmp_path / "agent").mkdir()
    (tmp_path / "agent" / "toy.trace").write_text("TOY\nopen\nclose\n")
    traces.all_readers.cache_clear()
    trace, problems = read_trace(LocalFolder(tmp_path))
    traces.all_readers.cache_clear()
    assert [call.name for call in trace.calls] == ["open", "close"]
    assert trace.evidence == ("agent/toy.trace: toy by marker (TOY)",)
    assert [problem.kind for problem in problems] == ["reader_failed"]


def _points(points: list[EntryPoint], group: str) -> Iterator[EntryPoint]:
    assert group == "groundtrace.readers"
    return iter(points)


def _load(point: EntryPoint) -> object:
    if point.name == "gone":
        raise ModuleNotFoundError(point.value)
    return ToyReader


def test_a_folder_without_traces_is_no_trace(tmp_path: Path) -> None:
    trace, problems = read_trace(LocalFolder(tmp_path))
    assert trace.source is None and not trace.readable and not problems


def test_evidence_names_marker_shape_or_name() -> None:
    trace, _ = read("trajectory-and-transcript")
    assert trace.evidence[0] == "agent/trajectory.json: atif by marker (schema_version ATIF-v1.2)"
    assert "by shape" in read("stream-top-level-entries").trace.evidence[0]
