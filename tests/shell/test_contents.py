"""Contents of files: which lines are known, and where a file ends (D4, D6)."""

from __future__ import annotations

import pytest

from groundtrace.config import Settings
from groundtrace.model import ToolResult
from groundtrace.shell import ShellView
from tests.shell.views import seen, shell_refs, spans, view

GO = "/*\nCopyright 2015 The Authors.\n*/\n\npackage a\n"


TEMPLATE = '{% extends "base.html" %}\n<p>x</p>\n'


@pytest.mark.parametrize(
    ("command", "output"),
    [
        ("cat k1.go 2>/dev/null; cat README.md", GO + "# Title\n"),
        ("cat page.html 2>/dev/null; cat README.md", TEMPLATE + "# Title\n"),
        ("cat gone.json package.json 2>/dev/null", '{\n "a": 1\n}\n'),
        ("cat package.json 2>/dev/null; cat README.md", "# Title\n\ntext\n"),
    ],
)
def test_of_two_files_that_can_both_have_printed_both_stand_without_lines(
    command: str, output: str
) -> None:
    assert [(kind, low, high) for kind, _, low, high in seen(command, output)] == [
        ("read", None, None),
        ("read", None, None),
    ]


@pytest.mark.parametrize("beside", ["date", "./run.sh", "pyreverse -o dot p"])
def test_a_whole_file_beside_an_unknown_program_has_no_known_end(beside: str) -> None:
    """The program may have printed the first or the last of the lines (D143)."""
    nowhere = [("read", "a.py", None, None)]
    assert seen(f"{beside}; cat a.py", "parsing\nx = 1\ny = 2\n") == nowhere
    assert seen(f"cat a.py; {beside}", "x = 1\ny = 2\ndone\n") == nowhere


@pytest.mark.parametrize(
    "silent",
    [
        "conda activate testbed", "source venv/bin/activate", "cd src/..", "mkdir -p x", "gcc -c a.c",
        "clear", "sync", "git config user.name me", "export A=1", "javac A.java",
    ],
)  # fmt: skip
def test_programs_that_usually_print_nothing_leave_the_lines_known(silent: str) -> None:
    assert seen(f"{silent} && cat a.py", "x = 1\ny = 2\n") == [("read", "a.py", 1, 2)]


def test_known_ranges_and_separators_say_where_a_file_ends() -> None:
    assert seen("sed -n 3,4p a.py; ./run", "x\ny\ndone\n") == [("read", "a.py", 3, 4)]
    assert seen("cat a.py; echo ---; ./run", "x\ny\n---\ndone\n") == [("read", "a.py", 1, 2)]


def view_beside(command: str, text: str, stdout: str | None = None) -> ShellView:
    data = None if stdout is None else {"stdout": stdout, "stderr": ""}
    return shell_refs(command, ToolResult(text=text, data=data), "/w", Settings())


def rows(first: int, last: int) -> str:
    return "\n".join(f"row {n}" for n in range(first, last + 1))


def test_a_blank_last_line_that_was_cut_off_is_within_the_range() -> None:
    """The stored output is cut as well: it never ends with a newline."""
    text = f"=== lock\n{rows(1, 19)}"
    view = view_beside("echo '=== lock'; head -20 yarn.lock", text, stdout=text)
    assert spans(view) == [("/w/yarn.lock", 1, 20)]


def test_a_blank_first_line_that_was_cut_off_is_within_the_range() -> None:
    text = f"{rows(11, 25)}\n---\n{rows(40, 45)}"
    view = view_beside("sed -n '10,25p' a.py; echo ---; sed -n '40,45p' a.py", text)
    assert spans(view) == [("/w/a.py", 10, 25), ("/w/a.py", 40, 45)]


def test_a_range_that_ends_short_between_others_ends_with_its_file() -> None:
    """Only the ends of the output are cut, so in the middle the lines are what there was."""
    text = f"a\n{rows(1, 9)}\nb\n{rows(1, 5)}"
    view = view_beside("echo a; head -10 x.py; echo b; head -5 y.py", text)
    assert spans(view) == [("/w/x.py", 1, 9), ("/w/y.py", 1, 5)]


def test_each_run_of_numbered_lines_has_its_own_characters() -> None:
    output = "     1\ta\n     2\tb\n\n... [87 lines truncated] ...\n\n    90\tccc"
    found = view("cat -n a.py", output).refs
    assert [(ref.line_start, ref.line_end, ref.shown_chars) for ref in found] == [
        (1, 2, len("     1\ta\n     2\tb\n")),
        (90, 90, len("    90\tccc\n")),
    ]


def test_heads_of_several_files_count_without_their_headings() -> None:
    found = view("head -2 a.py b.py", "==> a.py <==\nx\ny\n\n==> b.py <==\nzz\n").refs
    assert [(ref.path, ref.shown_chars, ref.printed) for ref in found] == [
        ("/w/a.py", 4, ["x", "y"]),
        ("/w/b.py", 3, ["zz"]),
    ]
