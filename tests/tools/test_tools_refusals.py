"""Answers that only say why there is none, in traces that lost the mark of an error (D4)."""

from __future__ import annotations

from typing import Any

import pytest

from groundtrace.config import Settings
from groundtrace.model import CallView, ToolCall, ToolResult, Trace
from groundtrace.tools import view_calls

REPO = "github.com/acme/lamps--v1"


def view(name: str, arguments: dict[str, Any], text: str) -> CallView:
    call = ToolCall(name, arguments, result=ToolResult(text), cwd="/workspace")
    return view_calls(Trace(calls=(call,), cwd="/workspace"), Settings())[0]


@pytest.mark.parametrize(
    ("name", "arguments", "text"),
    [
        ("mcp__sourcegraph__read_file", {"repo": REPO, "path": "a/b.go"},
         'repository not found: repo not found: name="github.com/acme/lamps"'),
        ("mcp__sourcegraph__read_file", {"repo": REPO, "path": "a/b.go"}, '{"text":"file not found: a/b.go"}'),
        ("mcp__sourcegraph__sg_read_file", {"repo": REPO, "path": "a/b.go"},
         "failed to read file: open a/b.go: file does not exist"),
        ("mcp__sourcegraph__keyword_search", {"query": "lamp"}, 'failed to plan search: invalid query "lamp"'),
        ("mcp__sourcegraph__list_files", {"repo": REPO}, "repository not found: lamps"),
        ("mcp__sourcegraph__commit_search", {"repos": [REPO]}, "failed to search commits"),
        ("read", {"filePath": "/workspace/a.py"}, "Error: File not found: /workspace/a.py"),
        ("edit", {"filePath": "/workspace/a.py", "oldString": "a", "newString": "b"},
         "Error: oldString not found in content"),
        ("apply_patch", {"input": "*** Begin Patch\n*** Update File: a.py\n@@\n-x\n+y\n*** End Patch"},
         "apply_patch verification failed: Failed to find expected lines in /workspace/a.py"),
    ],
)  # fmt: skip
def test_a_refusal_touches_nothing(name: str, arguments: dict[str, Any], text: str) -> None:
    found = view(name, arguments, text)
    assert found.refs == ()
    assert found.failed


@pytest.mark.parametrize(
    ("name", "arguments", "text", "lines"),
    [
        # Numbered lines are the file's, whatever words they hold.
        ("mcp__sourcegraph__read_file", {"repo": REPO, "path": "b.go"}, "1: failed to open\n2: error", (1, 2)),
        ("Read", {"file_path": "/workspace/a.py"}, "     1→Error: no lamp\n", (1, 1)),
        # A file of several lines that begins with an error, such as a log.
        ("read", {"filePath": "/workspace/a.log"}, "Error: no lamp\nat line 3\n", (None, None)),
    ],
)  # fmt: skip
def test_text_of_a_file_is_no_refusal(
    name: str, arguments: dict[str, Any], text: str, lines: tuple[int | None, int | None]
) -> None:
    found = view(name, arguments, text)
    assert [(ref.kind, ref.line_start, ref.line_end) for ref in found.refs] == [("read", *lines)]
    assert not found.failed


@pytest.mark.parametrize("place", ["directory", "dir_path", "workdir"])
def test_a_command_runs_in_the_directory_that_its_call_names(place: str) -> None:
    """Gemini CLI names it relative to the project."""
    found = view(
        "run_shell_command", {"command": "cat a.py", place: "src"}, "Output: x\nExit Code: 0\n"
    )
    assert [ref.path for ref in found.refs] == ["/workspace/src/a.py"]


def test_the_notice_of_a_time_out_is_no_line_of_the_file() -> None:
    text = "Exit code 143\nCommand timed out after 2m 0.0s\nx = 1\ny = 2"
    found = view("Bash", {"command": "cat a.py && sleep 600"}, text)
    assert [ref.line_end for ref in found.refs if ref.line_end] in ([], [2])


def test_a_read_in_tags_may_begin_on_the_line_of_its_tag() -> None:
    head = "<path>/workspace/a.py</path>\n<type>file</type>\n"
    for opening in ("<content>", "<content>\n"):
        text = f"{head}{opening}11: a\n12: b\n\n(Showing lines 11-12 of 50)\n</content>"
        found = view("read", {"filePath": "/workspace/a.py"}, text)
        assert [(ref.line_start, ref.line_end) for ref in found.refs] == [(11, 12)]
