"""What harnesses do to the output of commands, and what listings do not say."""

from __future__ import annotations

import pytest

from groundtrace.answers.file_names import looks_like_folder
from groundtrace.config import Settings
from groundtrace.model import ToolResult
from groundtrace.shell import ShellView, shell_refs


def _view(command: str, text: str, stdout: str | None = None) -> ShellView:
    data = None if stdout is None else {"stdout": stdout, "stderr": ""}
    return shell_refs(command, ToolResult(text=text, data=data), "/w", Settings())


def _spans(view: ShellView) -> list[tuple[str, int | None, int | None]]:
    return [(ref.path, ref.line_start, ref.line_end) for ref in view.refs]


def _rows(first: int, last: int) -> str:
    return "\n".join(f"row {n}" for n in range(first, last + 1))


def test_a_blank_last_line_that_was_cut_off_is_within_the_range() -> None:
    """The stored output is cut as well: it never ends with a newline."""
    text = f"=== lock\n{_rows(1, 19)}"
    view = _view("echo '=== lock'; head -20 yarn.lock", text, stdout=text)
    assert _spans(view) == [("/w/yarn.lock", 1, 20)]


def test_a_blank_first_line_that_was_cut_off_is_within_the_range() -> None:
    text = f"{_rows(11, 25)}\n---\n{_rows(40, 45)}"
    view = _view("sed -n '10,25p' a.py; echo ---; sed -n '40,45p' a.py", text)
    assert _spans(view) == [("/w/a.py", 10, 25), ("/w/a.py", 40, 45)]


def test_a_range_that_ends_short_between_others_ends_with_its_file() -> None:
    """Only the ends of the output are cut, so in the middle the lines are what there was."""
    text = f"a\n{_rows(1, 9)}\nb\n{_rows(1, 5)}"
    view = _view("echo a; head -10 x.py; echo b; head -5 y.py", text)
    assert _spans(view) == [("/w/x.py", 1, 9), ("/w/y.py", 1, 5)]


def test_a_command_repeated_above_its_empty_output_obtained_nothing() -> None:
    """OpenHands repeats commands with an escaped semicolon (D4)."""
    command = 'find /w/src -name "*.h" -exec grep -l "x" {} \\;'
    view = _view(command, command)
    assert view.refs == () and view.failed
    named = _view(command, f"{command}\n/w/src/a.h")
    assert [ref.path for ref in named.refs] == ["/w/src/a.h"] and not named.failed


def test_names_in_one_order_are_one_listing() -> None:
    """The first of the two found no directory, and its error was thrown away."""
    view = _view(
        "ls lib/packages 2>/dev/null | head -30; ls lib", "LICENSE\nREADME.md\nindex.js\nsrc"
    )
    assert [ref.path for ref in view.refs] == [
        "/w/lib/LICENSE",
        "/w/lib/README.md",
        "/w/lib/index.js",
    ]


@pytest.mark.parametrize(
    "name", ["ChangeLog-1997", "LICENSE-MIT", "Dockerfile.dev", "BUILD", "Makefile", "VERSION"]
)
def test_customary_names_are_files(name: str) -> None:
    """D5: a file needs no extension."""
    assert not looks_like_folder(name)


@pytest.mark.parametrize(
    "name", ["build", "version", "install", "cue.mod", "conf.d", "src", "k8s.io"]
)
def test_customary_directories_are_none(name: str) -> None:
    assert looks_like_folder(name)


def test_a_terminal_shows_names_in_columns() -> None:
    """OpenHands runs commands on a terminal; a name with a space is quoted there."""
    view = _view(
        "ls src",
        "BUILD        app.py     'my notes.txt'   util\nREADME.md    engine.cc  setup.cfg        x.h",
    )
    assert [ref.path.removeprefix("/w/src/") for ref in view.refs] == [
        "BUILD", "app.py", "my notes.txt", "README.md", "engine.cc", "setup.cfg", "x.h",
    ]  # fmt: skip
    several = _view("ls src tests", "src:\na.py  lib\n\ntests:\nconftest.py\ttest_a.py")
    assert [ref.path for ref in several.refs] == [
        "/w/src/a.py",
        "/w/tests/conftest.py",
        "/w/tests/test_a.py",
    ]
    given = _view("ls src/*.py", "src/a.py  src/b.py")
    assert [ref.path for ref in given.refs] == ["/w/src/a.py", "/w/src/b.py"]


def test_the_end_of_a_longer_output_has_no_known_lines() -> None:
    """OpenHands shows the last lines of what was too long."""
    mark = "[Previous command outputs are truncated. Showing the last 3 lines of the output below.]"
    assert _spans(_view("cat a.py", f"{mark}\nx\ny\nz")) == [("/w/a.py", None, None)]
    late = _view("cat a.py", "[Below is the output of the previous command.]\nx\ny")
    assert _spans(late) == [("/w/a.py", 1, 2)]


@pytest.mark.parametrize(
    ("command", "output"),
    [
        ("ls -la /w/src/*.py | awk '{print $5, $9}'", "120 /w/src/a.py\n30 /w/src/b.py"),
        ("ls -l /w/src | awk '{print $9, $5}'", "a.py 120\nb.py 30\nlib 4096"),
        ("find src -exec ls -lh {} \\; | awk '{print $9, $5}'", "src/a.py 2K\nsrc/b.py 3K"),
    ],
)
def test_names_among_columns_are_listed(command: str, output: str) -> None:
    """D7: names alone surface."""
    found = [(ref.path, ref.kind) for ref in _view(command, output).refs]
    assert found == [("/w/src/a.py", "surfaced"), ("/w/src/b.py", "surfaced")]


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
    nothing = _view("grep -n alpha a.py", notice)
    assert nothing.refs == () and nothing.failed
    view = _view("cat a.py; grep beta b.py", f"one\ntwo\n\n\n{notice}")
    assert [(ref.kind, ref.path) for ref in view.refs] == [("read", "/w/a.py")]
    alone = _view("cat a.py && false", f"one\ntwo\n{notice}")
    assert _spans(alone) == [("/w/a.py", 1, 2)]


def test_a_line_of_a_file_that_only_looks_like_a_notice_counts() -> None:
    view = _view("cat a.log", "Command exited with code 1 after 3 s\nend\n")
    assert _spans(view) == [("/w/a.log", 1, 2)]


def test_an_operation_that_the_user_cancelled_showed_nothing() -> None:
    """Gemini CLI."""
    view = _view("cat a.py", "[Operation Cancelled] Reason: User cancelled the operation.")
    assert view.refs == () and view.failed


def test_a_note_of_claude_code_to_its_model_is_no_output() -> None:
    note = "<system-reminder>\nThe TodoWrite tool was not used.\n</system-reminder>"
    assert _spans(_view("cat a.py", f"one\ntwo\n\n{note}\n{note}\n")) == [("/w/a.py", 1, 2)]
    nothing = _view("grep -n alpha a.py", note)
    assert nothing.refs == () and nothing.failed
    inside = "x = '<system-reminder>'\ny = '</system-reminder>"
    assert _spans(_view("cat a.py", inside)) == [("/w/a.py", 1, 2)]
