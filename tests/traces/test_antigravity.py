"""Antigravity's transcripts: answers by order, arguments that are JSON in JSON, Windows paths."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from groundtrace.model import ContextMark
from groundtrace.testing import Case, check_reader
from groundtrace.traces.antigravity.reader import AntigravityReader
from groundtrace.traces.antigravity.records import arguments_of
from tests.traces.seen import seen
from tests.traces.trials import FIXTURES, read, read_bytes

NAME = "antigravity.jsonl"
DATA = (FIXTURES / "antigravity-steps/agent" / NAME).read_bytes()
STEPS: list[dict[str, Any]] = [json.loads(line) for line in DATA.splitlines()]


def test_every_call_has_the_answer_of_its_step() -> None:
    trace, problems = read("antigravity-steps")
    assert seen(trace) == [
        "list_dir | file_search | surfaced /d:/nest/README.md",
        "view_file | file_read | read /d:/nest/src/egg.py:1-3",
        "view_file | file_read | read /d:/nest/src/nest.py:3-5",
        "grep_search | code_search | matched /d:/nest/src/egg.py:1-1 | matched /d:/nest/src/nest.py:7-7",
        "find_by_name | file_search | surfaced /d:/nest/src/egg.py | surfaced /d:/nest/src/nest.py",
        "view_file! | file_read",
        "replace_file_content | file_write | written /d:/nest/src/egg.py",
        "write_to_file | file_write | written /d:/nest/tests/test_egg.py",
        "run_command | other | read /d:/nest/src/nest.py:1-3",
        "run_command? | other",
    ]
    assert [problem.kind for problem in problems] == ["trimmed_result"]
    assert trace.harness == "antigravity" and trace.calls[0].timestamp == 1777888810.0
    assert trace.calls[4].context_change == ContextMark("compaction", drops_all=False)
    shown = trace.calls[8].result
    assert shown is not None and shown.text == "import egg\ndef nest():\n    return EGGS\n"


def test_the_reader_passes_the_checks(tmp_path: Path) -> None:
    trace, _ = read("antigravity-steps")
    calls = tuple((None, call.name, call.result is not None) for call in trace.calls)
    check_reader(AntigravityReader(), Case(f"agent/{NAME}", DATA, calls), tmp_path)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"A": '"d:\\\\x"', "N": "12", "B": "true"}, {"A": "d:\\x", "N": 12, "B": True}),
        ({"A": "d:\\x", "N": "12"}, {"A": "d:\\x", "N": "12"}),
        ({"A": "plain", "N": 12}, {"A": "plain", "N": 12}),
        (json.dumps({"A": "x"}), {"A": "x"}),
        (json.dumps(json.dumps({"A": "x"})), {"A": "x"}),
        (None, {}),
        ([1], None),
    ],
)
def test_arguments_may_be_json_in_json(given: Any, expected: Any) -> None:
    assert arguments_of(given) == expected


def step(kind: str, content: str = "", **more: Any) -> dict[str, Any]:
    return {"step_index": 1, "source": "MODEL", "type": kind, "content": content, **more}


def lines(*steps: dict[str, Any]) -> bytes:
    return "".join(json.dumps(one) + "\n" for one in steps).encode()


def test_answers_of_several_kinds_find_their_calls(tmp_path: Path) -> None:
    """The answer of a tool that nobody knows is of no known kind."""
    asked = [{"name": name, "args": {}} for name in ("view_file", "new_tool", "run_command")]
    data = lines(
        step("PLANNER_RESPONSE", tool_calls=asked),
        step("RUN_COMMAND", "c"),
        step("BRAND_NEW", "b"),
        step("EPHEMERAL_MESSAGE", "x"),
        step("ERROR_MESSAGE", "a"),
        step("VIEW_FILE", "too late"),
    )
    result = read_bytes(tmp_path, NAME, data)
    given = [None if c.result is None else c.result.text for c in result.trace.calls]
    assert given == ["a", "b", "c"]
    assert [problem.kind for problem in result.problems] == ["orphan_results"]


def test_what_is_lost_is_counted(tmp_path: Path) -> None:
    bad = [{"name": 7, "args": {}}, {"name": "view_file", "args": 5}, "x"]
    data = lines(step("PLANNER_RESPONSE", tool_calls=bad), {"step_index": 2, "type": 3})
    result = read_bytes(tmp_path, NAME, data + b"not JSON\n" + DATA.splitlines()[4][:80])
    assert not result.trace.calls
    assert [(p.kind, p.lost_calls) for p in result.problems] == [
        ("wrong_type", 1),
        ("wrong_type", 1),
        ("wrong_type", 1),
        ("wrong_type", 0),
        ("truncated_line", 0),
        ("non_json_lines", 0),
    ]
