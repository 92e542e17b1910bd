"""ATIF trajectories, whatever the harness."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from groundtrace.model import ToolResult
from groundtrace.storage import LocalFolder
from groundtrace.traces import read_trace
from groundtrace.traces.atif.calls import take_apart
from groundtrace.traces.atif.trace import inside
from tests.traces.trials import read


def results(name: str) -> dict[str, ToolResult]:
    trace, _ = read(name)
    return {call.call_id: call.result for call in trace.calls if call.call_id and call.result}


def test_appended_sections_are_not_the_tools_output() -> None:
    """Harbor appends copies and metadata; a path inside them was not printed by the tool."""
    found = results("atif-1.2-appended-sections")
    assert {key: result.text for key, result in found.items()} == {
        "c1": "Found 2 files\nfs/a.c\nfs/b.h",
        "c2": "a.c\nb.h",
        "c3": "",
        "c4": "<tool_use_error>String to replace not found</tool_use_error>",
        "c5": "File created successfully at: /workspace/o.json",
        "c6": "     1→int x;",
        "c7": "log:\n[stdout]\nnothing of the harness",
        "c8": "out\nwarn",
        "c9": "first\nsecond",
    }
    assert [key for key, result in found.items() if result.is_error] == ["c4"]
    assert found["c1"].data["filenames"] == ["fs/a.c", "fs/b.h"]
    assert found["c5"].data["filePath"] == "/workspace/o.json"
    assert found["c6"].data["file"]["totalLines"] == 1
    assert found["c8"].data["stderr"] == "warn"


def test_repeated_usage_is_one_model_call_and_cache_creation_is_added() -> None:
    """D9: 14,003 + 19,627 + 3 for the first message, whose usage two steps repeat."""
    trace, _ = read("atif-1.2-appended-sections")
    first = 14003 + 19627 + 3
    assert [call.cumulative_tokens for call in trace.calls[:2]] == [first, first + 33640 + 200 + 2]
    assert trace.usage.output_tokens is None, "a placeholder is no output count"
    assert trace.usage.input_tokens == 14003 + 19627 + 33640 + 200
    assert trace.calls[0].cwd == "/workspace" and trace.calls[0].step_id == "3"
    assert trace.source == "trajectory" and trace.model == "claude-haiku-4-5"


def test_results_join_by_id_then_by_position() -> None:
    found = results("atif-1.7-parallel-calls-and-parts")
    assert {key: result.text for key, result in found.items()} == {
        "p1": "aa",
        "p2": "bb",
        "p3": "cc",
        "p4": "No files found",
    }
    trace, _ = read("atif-1.7-parallel-calls-and-parts")
    assert dict(trace.calls[2].arguments) == {"command": "ls"}
    assert [call.is_subagent for call in trace.calls] == [False, False, False, False, True]


def test_a_deterministic_dispatch_has_no_tokens() -> None:
    """`llm_call_count` 0: its metrics are not a model call's."""
    trace, _ = read("atif-1.7-parallel-calls-and-parts")
    assert [call.cumulative_tokens for call in trace.calls] == [110, 110, 110, 110, 165]


def test_references_are_followed_inside_the_trial_only() -> None:
    """D37; copied context is not counted twice, and a circle of references ends."""
    trace, problems = read("atif-references")
    assert [(call.call_id, call.is_subagent) for call in trace.calls] == [
        ("o1", False),
        ("i1", True),
        ("o2", False),
        ("i2", True),
        ("o3", False),
    ]
    kinds = sorted(problem.kind for problem in problems)
    assert kinds == ["reference_escapes", "reference_escapes", "reference_missing"]
    assert [call.cumulative_tokens for call in trace.calls] == [11, 44, 65, 98, 140]


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("b.json", "agent/b.json"),
        ("../b.json", "b.json"),
        ("../../b.json", None),
        ("/b.json", None),
        ("x/../../../b.json", None),
        ("a\0b", None),
        ("C:/b.json", None),
    ],
)
def test_paths_of_references(path: str, expected: str | None) -> None:
    assert inside(path, "agent/trajectory.json") == expected


def test_a_link_out_of_the_trial_is_not_followed(tmp_path: Path) -> None:
    """D37: also when it stays inside the runs folder."""
    trial = tmp_path / "runs" / "trial"
    (trial / "agent").mkdir(parents=True)
    other = tmp_path / "runs" / "other.json"
    step = {"step_id": 1, "source": "agent", "message": "", "tool_calls": []}
    call = {"tool_call_id": "x", "function_name": "Read", "arguments": {}}
    other.write_text(json.dumps({"steps": [{**step, "tool_calls": [call]}]}))
    (trial / "agent" / "more.json").symlink_to(other)
    root = {"schema_version": "ATIF-v1.7", "steps": [step], "continued_trajectory_ref": "more.json"}
    (trial / "agent" / "trajectory.json").write_text(json.dumps(root))
    trace, problems = read_trace(LocalFolder(trial, tmp_path / "runs"))
    assert not trace.calls
    assert [problem.kind for problem in problems] == ["reference_missing"]


def test_wrong_types_lose_themselves_only() -> None:
    trace, problems = read("atif-wrong-types")
    assert [(call.call_id, call.name) for call in trace.calls] == [("ok", "Read"), ("ok2", "Bash")]
    assert trace.calls[0].result is not None and trace.calls[0].result.text == "seen"
    places = {problem.place for problem in problems}
    assert {"$.steps[0]", "$.steps[3].tool_calls", "$.steps[4].tool_calls[1]"} <= places
    assert sum(problem.lost_calls for problem in problems) == 3


def test_trimmed_steps_give_what_their_previews_hold_whole() -> None:
    """A cut last line is dropped: half a path would name another file; totals end at the gap."""
    trace, problems = read("atif-trimmed-by-corpus")
    first, second, third = trace.calls
    assert first.result is not None
    assert first.result.text == "     1→int x;\n     2→int y;\n"
    assert (second.call_id, dict(second.arguments)) == ("c2", {"file_path": "/workspace/o.json"})
    assert second.result is not None and not second.result.is_error
    assert second.cumulative_tokens is not None and third.cumulative_tokens is None
    assert [problem.kind for problem in problems] == [
        "trimmed_result",
        "trimmed_call",
        "trimmed_steps",
    ]


@pytest.mark.parametrize(
    "text",
    ["", "plain", "[metadata] not json", "a\n[metadata] {broken", "[error] in the middle\nmore"],
)
def test_text_without_sections_stays_whole(text: str) -> None:
    assert take_apart(text).text == text
