"""Shapes of Copilot CLI, Codex, Kimi, Trae and of shells that no table names."""

from __future__ import annotations

from typing import Any

import pytest

from groundtrace.config import Settings
from groundtrace.model import CallView, ToolCall, ToolResult, Trace
from groundtrace.tools import view_calls


def view(name: str, text: str, **arguments: Any) -> CallView:
    call = ToolCall(name, arguments, result=ToolResult(text))
    (made,) = view_calls(Trace(calls=(call,), cwd="/w"), Settings())
    return made


def found(made: CallView) -> list[tuple[str, str, int | None, int | None]]:
    return [(ref.kind, ref.path, ref.line_start, ref.line_end) for ref in made.refs]


def test_copilot_numbers_lines_with_a_dot() -> None:
    whole = view("view", "1. #!/bin/sh\n2.\n3. make\n4. ", path="/w/run.sh")
    assert found(whole) == [("read", "/w/run.sh", 1, 3)]
    part = view("view", "10. a\n11. b", path="/w/a.py", view_range=[10, 11])
    assert found(part) == [("read", "/w/a.py", 10, 11)]


def test_a_text_with_a_list_has_no_numbered_lines() -> None:
    made = view("view", "Steps:\n1. build\n2. run", path="/w/README.md")
    assert found(made) == [("read", "/w/README.md", None, None)]


@pytest.mark.parametrize("text", ["a.py\nsub\nsub/b.py", "/w/src\n/w/src/a.py\n/w/src/sub/b.py\n"])
def test_a_view_of_a_folder_reads_no_file(text: str) -> None:
    made = view("view", text, path="/w/src")
    assert made.category == "file_search"
    assert [path for _, path, *_ in found(made)] == ["/w/src/a.py", "/w/src/sub/b.py"]


def test_codex_lists_a_folder_with_indents() -> None:
    text = "Absolute path: /w/src\na.py\nsub/\n  b.py\n  deep/\n    c.py\nMore than 5 entries found"
    made = view("list_dir", text, dir_path="/w/src")
    names = ["/w/src/a.py", "/w/src/sub/b.py", "/w/src/sub/deep/c.py"]
    assert [path for _, path, *_ in found(made)] == names


def test_other_names_of_writers() -> None:
    body = "*** Begin Patch\n*** Update File: a.py\n@@\n-x\n+y\n*** End Patch"
    assert found(view("patch", "Patch applied.", patchText=body))[0][:2] == ("written", "/w/a.py")
    told = "Successfully updated JSONPath '$.name'"
    made = view("json_edit_tool", told, operation="set", file_path="/w/p.json", value="y")
    assert found(made) == [("written", "/w/p.json", None, None)]
    assert view("StrReplaceFile", "No replacements were made.", path="a.py").failed


def test_diagnostics_show_no_text_of_a_file() -> None:
    assert not view("get_errors", "No errors found.", filePaths=["/w/a.py"]).refs
    assert not view("readLintsToolCall", "No linter errors found.", paths=["/w/a.py"]).refs


@pytest.mark.parametrize(
    "output",
    [
        "import os\nx\n",
        '{"stdout": "import os\\nx\\n", "stderr": "", "exit_code": 0}',
        "Process started with PID 7 (shell: bash)\nInitial output:\nimport os\nx\n"
        "✅ Process completed with exit code 0",
    ],
)
def test_a_command_of_an_unknown_tool_is_a_command(output: str) -> None:
    made = view("mcp__acme__go", output, command="cat src/a.py")
    assert found(made) == [("read", "/w/src/a.py", 1, 2)]
    assert made.tool is None
    assert made.refs[0].evidence == "generic"


@pytest.mark.parametrize(
    "name",
    ["explain_command", "mcp__acme__check_command_safety", "approveCommand", "mcp__x__Validate"],
)
def test_a_tool_that_only_looks_at_a_command_touches_nothing(name: str) -> None:
    assert found(view(name, "It prints the file.", command="cat src/a.py")) == []
    assert found(view(name, "This removes the file.", command="rm -rf src/a.py")) == []


@pytest.mark.parametrize("name", ["checkout_run", "task_runner", "execCommand", "mcp__x__shell"])
def test_a_tool_that_is_called_nearly_so_runs_it(name: str) -> None:
    assert found(view(name, "x = 1\ny = 2", command="cat src/a.py")) == [
        ("read", "/w/src/a.py", 1, 2)
    ]


def test_a_shell_of_serena_answers_with_an_object() -> None:
    output = '{"stdout": "import os\\nx\\n", "return_code": 0, "cwd": "/w"}'
    made = view("mcp__serena__execute_shell_command", output, command="cat src/a.py")
    assert found(made) == [("read", "/w/src/a.py", 1, 2)]


@pytest.mark.parametrize(
    "arguments",
    [
        {"command": "select a > b.txt from t"},
        {"command": "view", "path": "/w/a.py"},
        {"command": "diff HEAD~1 -- src/b.py"},  # git's
        {"command": "sort mylist"},  # Redis's
        {"command": "cat the readme and tell me"},
        {"command": "cat /etc/app.conf", "pod": "web"},
        {"command": "sed -i s/a/b/ src/b.py", "event": "pre"},
        {"script": "for (const e of all) { e > b.txt; }"},
        {"script": "for i=1,10 do print(i) end > b.txt"},
        {"command": ""},
        {"command": 3},
    ],
)
def test_other_things_called_command_are_none(arguments: dict[str, Any]) -> None:
    made = view("mcp__acme__go", "1\tx = 1\n2\ty = 2\n", **arguments)
    assert all(ref.kind == "read" and ref.path == "/w/a.py" for ref in made.refs)


@pytest.mark.parametrize("text", ['{"error": "denied"}', '{"status": "running", "pid": 12}'])
def test_an_answer_without_output_shows_no_line(text: str) -> None:
    assert not view("mcp__acme__go", text, command="cat src/a.py", timeout_ms=10).refs


def test_a_search_with_the_name_of_a_program_is_no_command() -> None:
    made = view("mcp__acme__go", "src/a.py:3: foo", command="find", term="foo")
    assert found(made) == [("matched", "/w/src/a.py", 3, 3)]


@pytest.mark.parametrize(
    "state", ["", "\n✅ Process exited", "\n⏳ Process waits\nCommand is still running"]
)
def test_the_state_of_a_process_is_no_output(state: str) -> None:
    text = f"Process started with PID 7 (shell: bash)\nInitial output:\nx\n\n y{state}\n\n"
    made = view("mcp__acme__go", text, command="for f in a.py; do cat $f; done", cwd="/w/src")
    assert found(made) == [("read", "/w/src/a.py", 1, 3)]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("list_directory", "Directory listing for /w/src:\n[DIR] sub\na.py\nb.py (12 bytes)"),
        ("glob", "src/a.py\nb.py"),
        ("grep_search", "---\nFile: a.py\nL3: x\n---\nFile: src/b.py\nL9: x\n---"),
    ],
)
def test_names_of_a_relative_folder_lie_in_it_if_no_directory_is_known(
    name: str, text: str
) -> None:
    """Sessions of Gemini CLI do not state the working directory."""
    call = ToolCall(name, {"pattern": "x", "dir_path": "src"}, result=ToolResult(text))
    (made,) = view_calls(Trace(calls=(call,)), Settings())
    assert [path for _, path, *_ in found(made)] == ["src/a.py", "src/b.py"]


@pytest.mark.parametrize(
    ("operation", "text", "places"),
    [
        ("goToDefinition", "Defined in src/b.ts:12:5", [("matched", "/w/src/b.ts", 12, 12)]),
        ("documentSymbol", "Document symbols:\nfoo (Function) - Line 3\n  x (Class) - Line 9", []),
    ],
)
def test_a_language_server_shows_places_and_no_content(
    operation: str, text: str, places: list[tuple[str, str, int, int]]
) -> None:
    made = view("LSP", text, operation=operation, filePath="/w/src/a.ts", line=3, character=4)
    assert found(made) == places


@pytest.mark.parametrize("folder", ["", "/w/"])
def test_ast_grep_puts_places_above_the_text(folder: str) -> None:
    body = f"{folder}src/a.py:3\nfoo()\n\n{folder}src/b.py:9-11\nfoo(\n\n)"
    made = view("mcp__ast-grep__find_code", f"Found 2 matches:\n\n{body}", pattern="foo")
    assert found(made) == [("matched", "/w/src/a.py", 3, 3), ("matched", "/w/src/b.py", 9, 11)]
    unknown = view("mcp__ast-grep__find_code", f"Found 3 matches:\n\n{body}", pattern="foo")
    assert found(unknown) == []
