"""How shell calls of every harness reach the shell's reader, and when they do not count (D6)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from groundtrace.config import Settings
from groundtrace.model import FileRef, ToolCall, ToolResult, Trace
from groundtrace.shell import ShellView
from groundtrace.tools import view_calls


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str | None]]:
    """The commands that the shell's reader is given, with the directory."""
    seen: list[tuple[str, str | None]] = []

    def shell_refs(
        command: str, result: Any, cwd: str | None, settings: Settings, texts: Mapping[str, str]
    ) -> ShellView:
        seen.append((command, cwd))
        return ShellView(refs=(FileRef("/workspace/a.py", "read", rule="cat"),))

    monkeypatch.setattr("groundtrace.shell.shell_refs", shell_refs)
    return seen


def view(name: str, arguments: dict[str, Any], settings: Settings | None = None) -> Any:
    call = ToolCall(name, arguments, result=ToolResult("x"))
    return view_calls(Trace(calls=(call,), cwd="/workspace"), settings or Settings())[0]


@pytest.mark.parametrize(
    ("name", "arguments", "command", "cwd"),
    [
        ("Bash", {"command": "cat a.py"}, "cat a.py", "/workspace"),
        ("execute_bash", {"command": "cat a.py"}, "cat a.py", "/workspace"),
        ("bash", {"command": "cat a.py"}, "cat a.py", "/workspace"),
        ("shellToolCall", {"command": "ls", "workingDirectory": "/app"}, "ls", "/app"),
        (
            "shell",
            {"command": ["bash", "-lc", "cat a b"], "workdir": "x"},
            "cat a b",
            "/workspace/x",
        ),
        ("shell", {"command": ["cat", "a b"]}, "cat 'a b'", "/workspace"),
        ("execute_ipython_cell", {"code": "!cat a.py"}, "cat a.py", "/workspace"),
        ("execute_ipython_cell", {"code": "%%bash\ncat a.py"}, "cat a.py", "/workspace"),
        (
            "execute_ipython_cell",
            {"code": "print(open('a.py').read())"},
            "python3 - <<'END_OF_CELL'\nprint(open('a.py').read())\nEND_OF_CELL",
            "/workspace",
        ),
        ("Bash", {"command": 7}, "", "/workspace"),
    ],
)
def test_shell_calls_reach_the_shell_reader(
    asked: list[tuple[str, str | None]],
    name: str,
    arguments: dict[str, Any],
    command: str,
    cwd: str,
) -> None:
    found = view(name, arguments)
    assert asked == [(command, cwd)]
    assert found.category == "other"
    assert [ref.path for ref in found.refs] == ["/workspace/a.py"]


def test_shell_evidence_can_be_left_out(asked: list[tuple[str, str | None]]) -> None:
    assert view("Bash", {"command": "cat a.py"}, Settings(shell="ignore")).refs == ()


def test_one_view_per_call_in_order() -> None:
    calls = tuple(ToolCall(name, {}) for name in ("Read", "nonsense", "Task", "mcp__x__y"))
    views = view_calls(Trace(calls=calls), Settings())
    assert [found.tool for found in views] == ["Read", None, "Task", None]


def test_the_revision_and_the_characters_of_a_call_are_told_where_they_can_be() -> None:
    opened = ToolCall(
        "mcp__sourcegraph__read_file",
        {"repo": "github.com/o/r", "path": "a.go", "revision": "v1.2.0"},
        result=ToolResult("1: x\n2: y"),
    )
    shell = ToolCall("Bash", {"command": "cat a.go && make"}, result=ToolResult("x\nmade\n"))
    views = view_calls(Trace(calls=(opened, shell), cwd="/workspace"), Settings())
    (ref,) = views[0].refs
    assert (ref.revision, ref.shown_chars) == ("v1.2.0", len("1: x\n2: y\n"))
    assert {ref.shown_chars for ref in views[1].refs} == {None}
