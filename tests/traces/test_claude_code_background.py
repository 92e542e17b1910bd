"""What a command in the background printed belongs to the command, where it was shown."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from groundtrace.api import read_trace
from groundtrace.config import Settings
from groundtrace.tools import view_calls
from tests.traces.test_claude_code_variants import got, says, use, user

STARTED = (
    "Command running in background with ID: b1. Output is being written to: /t/tasks/b1.output"
)
TASK = (
    "<retrieval_status>{}</retrieval_status>\n\n<task_id>b1</task_id>\n\n<task_type>local_bash"
    "</task_type>\n\n<status>{}</status>"
)
DONE = TASK.format("success", "completed") + "\n\n<exit_code>0</exit_code>"
FOUND = "src/a.py:3:foo\nsrc/b.py:9:foo"


def seen(folder: Path, *steps: tuple[str, dict[str, object], str]) -> list[list[tuple[str, str]]]:
    lines = []
    for number, (name, given, said) in enumerate(steps):
        lines += [
            says(f"m{number}", use(f"c{number}", name, **given)),
            user([got(f"c{number}", said)]),
        ]
    (folder / "s.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    trace = read_trace(folder / "s.jsonl").trace
    assert trace is not None
    views = view_calls(trace, Settings())
    return [[(ref.kind, ref.path) for ref in view.refs] for view in views]


MATCHED = [("matched", "/w/src/a.py"), ("matched", "/w/src/b.py")]


@pytest.mark.parametrize(
    ("tool", "asks", "said"),
    [
        ("TaskOutput", "task_id", f"{DONE}\n\n<output>\n{FOUND}\n</output>"),
        (
            "BashOutput",
            "bash_id",
            f"<status>completed</status>\n\n<exit_code>0</exit_code>\n\n<stdout>\n{FOUND}\n</stdout>"
            "\n\n<timestamp>2026-05-04T10:00:00.000Z</timestamp>",
        ),
    ],
)
def test_output_that_came_later_is_the_commands(
    tmp_path: Path, tool: str, asks: str, said: str
) -> None:
    waits = (tool, {asks: "b1"}, TASK.format("timeout", "running"))
    shows = (tool, {asks: "b1"}, said)
    command = {"command": "grep -rn foo src", "run_in_background": True}
    other = (tool, {asks: "b2"}, said)
    files = seen(tmp_path, ("Bash", command, STARTED), waits, other, shows, shows)
    assert files == [[], [], [], MATCHED, []]


def test_a_file_that_begins_with_a_status_is_a_file(tmp_path: Path) -> None:
    said = "<status>ok</status>\n<list>\n</list>\n"
    assert seen(tmp_path, ("Bash", {"command": "cat a.xml"}, said)) == [[("read", "/w/a.xml")]]
