"""What harnesses do to the output of commands."""

from __future__ import annotations

import pytest

from groundtrace.config import Settings
from groundtrace.model import ToolResult
from groundtrace.shell import ShellView, shell_refs
from tests.shell.views import spans, touched


def view_beside(command: str, text: str, stdout: str | None = None) -> ShellView:
    data = None if stdout is None else {"stdout": stdout, "stderr": ""}
    return shell_refs(command, ToolResult(text=text, data=data), "/w", Settings())


def test_a_command_repeated_above_its_empty_output_obtained_nothing() -> None:
    """OpenHands repeats commands with an escaped semicolon (D4)."""
    command = 'find /w/src -name "*.h" -exec grep -l "x" {} \\;'
    view = view_beside(command, command)
    assert view.refs == () and view.failed
    named = view_beside(command, f"{command}\n/w/src/a.h")
    assert [ref.path for ref in named.refs] == ["/w/src/a.h"] and not named.failed


@pytest.mark.parametrize(
    "notice",
    [
        "Command exited with code 1",  # pi
        "Command aborted",  # pi
        "Command failed with exit code: 1.",  # Kimi
        "<exited with exit code 1>",  # Copilot CLI
    ],
)
def test_a_notice_about_the_exit_code_is_no_output(notice: str) -> None:
    """A search that found nothing was shown as a match, because only the harness spoke (D4)."""
    nothing = view_beside("grep -n alpha a.py", notice)
    assert nothing.refs == () and nothing.failed
    view = view_beside("cat a.py; grep beta b.py", f"one\ntwo\n\n\n{notice}")
    assert [(ref.kind, ref.path) for ref in view.refs] == [("read", "/w/a.py")]
    alone = view_beside("cat a.py && false", f"one\ntwo\n{notice}")
    assert spans(alone) == [("/w/a.py", 1, 2)]


def test_a_line_of_a_file_that_only_looks_like_a_notice_counts() -> None:
    view = view_beside("cat a.log", "Command exited with code 1 after 3 s\nend\n")
    assert spans(view) == [("/w/a.log", 1, 2)]


def test_an_operation_that_the_user_cancelled_showed_nothing() -> None:
    """Gemini CLI."""
    view = view_beside("cat a.py", "[Operation Cancelled] Reason: User cancelled the operation.")
    assert view.refs == () and view.failed


def test_a_note_of_claude_code_to_its_model_is_no_output() -> None:
    note = "<system-reminder>\nThe TodoWrite tool was not used.\n</system-reminder>"
    assert spans(view_beside("cat a.py", f"one\ntwo\n\n{note}\n{note}\n")) == [("/w/a.py", 1, 2)]
    nothing = view_beside("grep -n alpha a.py", note)
    assert nothing.refs == () and nothing.failed
    inside = "x = '<system-reminder>'\ny = '</system-reminder>"
    assert spans(view_beside("cat a.py", inside)) == [("/w/a.py", 1, 2)]


def test_trailers_of_harnesses_are_not_lines_of_the_file() -> None:
    output = "one\ntwo\n\nShell cwd was reset to /w"
    assert touched("cd x && cat a.py", output) == [("read", "/w/x/a.py", 1, 2)]
    output = "one\n[The command completed with exit code 0.]"
    assert touched("cat a.py", output) == [("read", "/w/a.py", 1, 1)]


def test_standard_output_is_used_where_the_harness_kept_it_apart() -> None:
    data = {"stdout": "\nfirst\nsecond", "stderr": "warning: x"}
    found = touched("sed -n '4,6p' a.py", "first\nsecond\nwarning: x", data=data)
    assert found == [("read", "/w/a.py", 4, 6)]
