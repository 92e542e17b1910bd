"""Lines that could belong to another file: either no file gets them, or the right one (D4, D6)."""

from __future__ import annotations

import pytest

from groundtrace.config import Settings
from groundtrace.model import ToolResult
from groundtrace.shell import shell_refs

Found = list[tuple[str, str, int | None, int | None]]


def seen(command: str, output: str, cwd: str = "/w") -> Found:
    found = shell_refs(command, ToolResult(output), cwd, Settings())
    return [
        (ref.kind, ref.path.removeprefix("/w/"), ref.line_start, ref.line_end) for ref in found.refs
    ]


ROUNDS = "== old/f.txt ==\na\nb\nc\n== old/only.txt ==\nonly\n"
MORE = "== new/Makefile ==\nall:\n== new/f.txt ==\na\nB\nc\n"
ALL: Found = [
    ("read", "old/f.txt", 1, 3),
    ("read", "old/only.txt", 1, 1),
    ("read", "new/Makefile", 1, 1),
    ("read", "new/f.txt", 1, 3),
]


@pytest.mark.parametrize(
    "command",
    [
        'for d in old new; do for f in $d/*; do echo "== $f =="; cat $f; done; done',
        'for f in old/*; do echo "== $f =="; cat $f; done; for f in new/*; do echo "== $f =="; cat $f; done',
    ],
)
def test_headings_of_two_loops_over_patterns_are_each_their_own_loops(command: str) -> None:
    assert seen(command, ROUNDS + MORE) == ALL


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


@pytest.mark.parametrize(
    ("command", "output", "expected"),
    [
        (
            "cat old/f.txt | diff - new/f.txt",
            "2c2\n< b\n---\n> B\n",
            ["old/f.txt", "new/f.txt"],
        ),
        ("diff - new/f.txt < old/f.txt", "2c2\n< b\n---\n> B\n", ["old/f.txt", "new/f.txt"]),
        (
            "diff -r -x Makefile -x only.txt old new",
            "diff -r -x Makefile -x only.txt old/f.txt new/f.txt\n2c2\n< b\n---\n> B\n",
            ["old/f.txt", "new/f.txt"],
        ),
        (
            "diff -r --exclude=only.txt old new",
            "diff -r '--exclude=only.txt' old/f.txt new/f.txt\n2c2\n< b\n---\n> B\n",
            ["old/f.txt", "new/f.txt"],
        ),
        (
            "diff -r -U 1 z1 z2",
            'diff -r -U 1 "z1/a b.txt" "z2/a b.txt"\n@@ -1 +1 @@\n-q\n+r\n',
            ["z1/a b.txt", "z2/a b.txt"],
        ),
        ("diff -r old new", "diff -r something odd\n2c2\n< b\n---\n> B\n", []),
        ("diff -r old new", "2c2\n< b\n---\n> B\n", []),
    ],
)
def test_what_diff_compared(command: str, output: str, expected: list[str]) -> None:
    assert [(kind, path) for kind, path, _, _ in seen(command, output)] == [
        ("read", path) for path in expected
    ]


@pytest.mark.parametrize(
    ("cwd", "command", "output", "expected"),
    [
        ("/app/django", "git diff --name-only", "django/urls.py\n", "/app/django/django/urls.py"),
        ("/testbed/django", "git diff --name-only", "django/urls.py\n", "/testbed/django/urls.py"),
        ("/w/src", "git diff --name-only", "src/a.py\n", "src/a.py"),
        ("/w/src", "git ls-files --full-name", "src/a.py\n", "src/a.py"),
        ("/w/src", "git ls-files", "src/a.py\n", "src/src/a.py"),
        ("/w/src", "git diff", "diff --git a/src/q.py b/src/q.py\n+1\n", "src/q.py"),
        ("/w/src", "git diff --relative", "diff --git a/src/q.py b/src/q.py\n+1\n", "src/src/q.py"),
        ("/w", "git diff --no-prefix", "diff --git pkg/a.go pkg/a.go\n+1\n", "pkg/a.go"),
        ("/w", "git -c diff.mnemonicPrefix=true diff", "diff --git i/a.go w/a.go\n+1\n", "a.go"),
    ],
)
def test_where_gits_names_lie(cwd: str, command: str, output: str, expected: str) -> None:
    assert [path for _, path, _, _ in seen(command, output, cwd)] == [expected]


@pytest.mark.parametrize(
    ("command", "output", "expected"),
    [
        (
            "rg --heading -n alpha",
            "README.md\n3:alpha\n\nMakefile\n99:alpha\n",
            [("README.md", 3, 3), ("Makefile", 99, 99)],
        ),
        (
            "ag alpha",
            "README.md\n3:alpha\n\nwith space/a b.txt\n99:alpha\n",
            [("README.md", 3, 3), ("with space/a b.txt", 99, 99)],
        ),
        (
            "rg --heading -n alpha",
            "README.md\n3:alpha\n\n(what is this?)\n99:alpha\n",
            [("README.md", 3, 3)],
        ),
        (
            "rg --heading alpha",
            "README.md\nalpha beta\n\nsrc/a.py\ndef alpha():\n",
            [("README.md", None, None), ("src/a.py", None, None)],
        ),
    ],
)
def test_lines_belong_to_the_heading_above_them_or_to_none(
    command: str, output: str, expected: list[tuple[str, int | None, int | None]]
) -> None:
    assert [(path, low, high) for _, path, low, high in seen(command, output)] == expected


MANY = 200_000


@pytest.mark.parametrize(
    ("command", "output"),
    [
        ("diff -r old new", "diff -r " + "old/a " * MANY),
        ("diff -r old new", "diff " + "a " * MANY + '"'),
        ("diff -rq old new", "Files " + "old/a and " * MANY + "differ"),
        ("cmp old new", "old/a " * MANY + "differ: byte 3"),
        ("git diff --no-prefix", "diff --git " + "a " * MANY),
        ("git diff", "diff --git a/" + "x b/" * MANY),
        ("rg --heading -n x", "a.go\n3:x\n\n" * MANY),
    ],
)
def test_lines_of_any_length_are_looked_at_once(command: str, output: str) -> None:
    """Where every place was tried with every other these took hours: the suite would not end."""
    found = seen(command, output)
    assert len(found) <= 1


@pytest.mark.parametrize(
    "silent",
    [
        "find . -name zzz", "fd zzz", "git status -s", "git diff --stat", "git diff --name-only",
        "git ls-files zzz", "flake8 src", "npx tsc --noEmit", "go build ./...", "python -m mypy src",
    ],
)  # fmt: skip
def test_a_program_without_names_to_print_succeeded(silent: str) -> None:
    """What follows `&&` ran, although nothing was printed before it."""
    assert seen(f"{silent} && cat q.py", "x = 1\ny = 2\n") == [("read", "q.py", 1, 2)]
    assert seen(f"{silent} && grep -n y q.py", "2:y = 2\n") == [("matched", "q.py", 2, 2)]


def test_a_program_that_fails_without_names_guards_what_follows() -> None:
    """`grep -l` without a match fails, so the lines are those of b.py."""
    assert seen("grep -l zzz a.py && cat a.py; cat b.py", "x = 1\n") == [("read", "b.py", 1, 1)]


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
