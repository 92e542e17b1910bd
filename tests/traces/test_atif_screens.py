"""Terminus 2: keystrokes, and one screen that answers all calls of a step."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from groundtrace.api import read_trace
from groundtrace.config import Settings
from groundtrace.model import Trace
from groundtrace.tools import view_calls

AT = "root@8f3a:"


def trace(tmp_path: Path, keys: list[str], screen: str, results: list[Any] | None = None) -> Trace:
    calls: list[dict[str, Any]] = [
        {"tool_call_id": f"call_1_{n}", "function_name": "bash_command",
         "arguments": {"keystrokes": typed, "duration": 0.1}}
        for n, typed in enumerate(keys)
    ]  # fmt: skip
    step = {"step_id": 1, "source": "agent", "message": "", "tool_calls": calls,
            "observation": {"results": results or [{"content": screen}]}}  # fmt: skip
    document = {"schema_version": "ATIF-v1.6", "session_id": "s",
                "agent": {"name": "terminus-2", "version": "2"}, "steps": [step]}  # fmt: skip
    (tmp_path / "trajectory.json").write_text(json.dumps(document))
    return read_trace(tmp_path / "trajectory.json").trace


def found(read: Trace) -> list[tuple[str, str, int | None, int | None]]:
    refs = (ref for view in view_calls(read, Settings()) for ref in view.refs)
    return [(ref.kind, ref.path, ref.line_start, ref.line_end) for ref in refs]


def test_each_command_gets_its_part_of_the_screen(tmp_path: Path) -> None:
    screen = (
        f"New Terminal Output:\n\n{AT}/app# cd src && cat a.py\nimport os\nx = 1\n"
        f"{AT}/app/src# grep -n x b.py\n7:x\n{AT}/app/src# "
    )
    read = trace(tmp_path, ["cd src && cat a.py\n", "grep -n x b.py\n"], screen)
    assert found(read) == [("read", "/app/src/a.py", 1, 2), ("matched", "/app/src/b.py", 7, 7)]


def test_a_command_of_several_lines_and_rows_that_go_on(tmp_path: Path) -> None:
    long = "y" * 200
    screen = (
        f"{AT}/app# cat > a.txt <<'EOF'\n> one\n> EOF\n{AT}/app# cat b.txt\n"
        f"{long[:160]}\n{long[160:]}\nend\n\n{AT}/app# "
    )
    read = trace(tmp_path, ["cat > a.txt <<'EOF'\none\nEOF\n", "cat b.txt\n"], screen)
    assert found(read) == [("written", "/app/a.txt", None, None), ("read", "/app/b.txt", 1, 3)]


def test_a_command_that_the_screen_does_not_show_has_no_result(tmp_path: Path) -> None:
    read = trace(tmp_path, ["cat a.py\n", "q"], f"Current Terminal Screen:\nx\n{AT}/app# ")
    assert [call.result for call in read.calls] == [None, None]


def test_the_screen_can_show_the_same_command_of_an_earlier_step(tmp_path: Path) -> None:
    screen = f"{AT}/app# cat a.py\nold\n{AT}/app# vi a.py\n{AT}/app# cat a.py\nx\ny\n{AT}/app# "
    assert found(trace(tmp_path, ["cat a.py\n"], screen)) == [("read", "/app/a.py", 1, 2)]


def test_two_commands_in_one_call(tmp_path: Path) -> None:
    screen = f"{AT}~/p# cd src\n{AT}~/p/src# cat a.py\nx\ny\n{AT}~/p/src# "
    read = trace(tmp_path, ["cd src\ncat a.py\n"], screen)
    assert found(read) == [("read", "~/p/src/a.py", 1, 2)]


def test_results_of_their_own(tmp_path: Path) -> None:
    screens = [f"{AT}/app# cat {name}\n{name}\n{AT}/app# " for name in ("a.py", "b.py")]
    results = [
        {"source_call_id": f"call_1_{n}", "content": screen} for n, screen in enumerate(screens)
    ]
    read = trace(tmp_path, ["cat a.py\n", "cat b.py\n"], "", results)
    assert found(read) == [("read", "/app/a.py", 1, 1), ("read", "/app/b.py", 1, 1)]


def test_who_waits_asks_for_nothing(tmp_path: Path) -> None:
    """A call without a result counts as one whose files are unknown."""
    read = trace(tmp_path, ["", "C-c"], f"a.py\n^C\n{AT}/app# ")
    assert all(call.result is not None for call in read.calls)
    assert not found(read)
