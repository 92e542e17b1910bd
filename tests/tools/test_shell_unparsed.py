"""Commands that the shell itself refuses, and commands whose output nobody saw."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from groundtrace.config import Settings
from groundtrace.model import ToolResult
from tests.shell.views import shell_refs

BAD = "<EXPLORE_CONTEXT>\nFile: a.py\nLines: 1-2\n</EXPLORE_CONTEXT>"


def view(command: str, text: str, *, failed: bool = True) -> tuple[list[str], bool]:
    found = shell_refs(command, ToolResult(text, None, failed), "/testbed", Settings())
    return [ref.path for ref in found.refs], found.failed


def test_a_command_that_does_not_parse_wrote_nothing() -> None:
    assert view(BAD, "/bin/sh: 2: Syntax error: newline unexpected\n") == ([], True)


def test_the_first_line_of_old_bash_is_line_0() -> None:
    command = "sed -n 1,9p app/(in)/nest.ts"
    text = (
        f"bash: -c: line 0: syntax error near unexpected token `('\nbash: -c: line 0: `{command}'\n"
    )
    assert view(command, text) == ([], True)
    assert view(command, text, failed=False) == ([], True)


@pytest.mark.parametrize("shell", ["bash", "sh"])
def test_the_words_are_those_of_the_shells(shell: str, tmp_path: Path) -> None:
    """What the shells here print today is recognised, and they leave no file behind."""
    done = subprocess.run([shell, "-c", BAD], capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode != 0 and not list(tmp_path.iterdir())
    assert view(BAD, done.stderr) == ([], True)


def test_a_mistake_further_down_comes_after_what_ran(tmp_path: Path) -> None:
    command = "echo x > made.txt\nif then"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, cwd=tmp_path)
    assert (tmp_path / "made.txt").is_file()
    assert view(command, done.stderr)[0] == ["/testbed/made.txt"]


def test_a_submission_was_not_read_and_did_not_fail() -> None:
    command = "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT && git add -A && git diff --cached"
    assert view(command, "COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT\n", failed=False) == ([], False)


@pytest.mark.parametrize(
    "text",
    [
        "ERROR: This action appears to print source code content, but EXPLORE_CONTEXT is missing",
        "Repeated read-file actions without valid EXPLORE_CONTEXT exceeded the retry limit (3).",
    ],
)
def test_a_refused_command_touched_nothing(text: str) -> None:
    assert view("sed -i s/a/b/ x.py && cat x.py", text) == ([], True)
