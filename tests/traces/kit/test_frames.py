"""What harnesses put around the output of commands, and what is left of it."""

from __future__ import annotations

import pytest

from groundtrace.config import Settings
from groundtrace.model import Printed, ToolResult
from groundtrace.shell import ShellView
from groundtrace.traces.kit.frames import printed
from tests.shell.views import shell_refs, spans, touched


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


def test_codex_desktop_repeats_the_command_before_its_facts() -> None:
    facts = "Chunk ID: a1\nWall time: 0.05 seconds\nProcess exited with code 0\nOutput:\n"
    output = f"Command: /bin/zsh -lc 'cat package.json'\n{facts}{{\n}}\n"
    assert touched("cat package.json", output) == [("read", "/w/package.json", 1, 2)]


def test_a_file_that_begins_with_command_is_no_frame() -> None:
    assert touched("cat a.txt", "Command: x\ny\n") == [("read", "/w/a.txt", 1, 2)]


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("one\ntwo\n", "one\ntwo\n"),
        ("", ""),
        ("(no output)", ""),
        ("Exit code 1\none", "one"),
        ("Exit code 1\n\n", "\n"),
        ("one\n\n\n[Command finished with exit code 0]\n[Current working directory: /w]\n", "one"),
        ("[Command finished with exit code 0]", ""),
        ("<returncode>0</returncode>\n<output>\none\n</output>", "one"),
        ("Exit code: 0\nWall time: 0.1 seconds\nOutput:\none\n", "one\n"),
        ("Output: one\nError: (none)\nExit Code: 0\n", "one\n"),
        ("\x1b[31mone\x1b[0m\r\n", "one\n"),
        ("cat a.py\none", "one"),
    ],
)
def test_what_is_left_of_an_output(text: str, left: str) -> None:
    assert printed(ToolResult(text), "cat a.py").text == left


@pytest.mark.parametrize(
    "text",
    [
        "<tool_use_error>x</tool_use_error>",
        "Permission to use Bash with command x has been denied.",
        "exec_command failed",
        "aborted by user after 1.2s",
    ],
)
def test_a_command_that_was_not_run(text: str) -> None:
    assert printed(ToolResult(text), "cat a.py").refused
    assert not printed(ToolResult(f"x\n{text}"), "cat a.py").refused


def test_a_call_without_an_answer_printed_nothing() -> None:
    assert printed(None, "cat a.py") == Printed(refused=True)


@pytest.mark.parametrize(
    ("command", "text", "is_submission"),
    [
        ("echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT && git diff", "", True),
        ("cd /w && echo 'MINI_SWE_AGENT_FINAL_OUTPUT'; cat patch", "", True),
        ("./submit.sh", "COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT\ndiff --git a/x b/x\n", True),
        ("grep -rn COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT .", "a.py:1:x", False),
        ("cat a.py", "x\nCOMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT\n", False),
    ],
)
def test_a_submission_is_no_read(command: str, text: str, is_submission: bool) -> None:
    assert printed(ToolResult(text), command).submitted == is_submission


def test_the_text_counts_if_the_structured_output_holds_less() -> None:
    text = "x" * 500
    kept = printed(ToolResult(text, {"stdout": "y", "stderr": "z"}), "cat a.py")
    assert (kept.text, kept.errors) == (text, "")
    stored = printed(ToolResult("x", {"stdout": "y"}, persisted_path="/t/x"), "cat a.py")
    assert stored.text == "x"


def test_an_exit_code_with_no_output_is_a_failure() -> None:
    frame = "<returncode>{}</returncode>\n<output>\n{}\n</output>"
    assert printed(ToolResult(frame.format(1, "")), "x").failed
    assert not printed(ToolResult(frame.format(1, "one")), "x").failed
    assert not printed(ToolResult(frame.format(0, "")), "x").failed
