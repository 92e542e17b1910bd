"""What diff and git's comparisons print."""

from __future__ import annotations

import pytest

from tests.shell.views import seen, view


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


def test_a_hunk_has_the_characters_of_its_lines_and_not_of_the_headings() -> None:
    output = (
        "diff --git a/x.py b/x.py\nindex 1a2b3c4..5d6e7f8 100644\n--- a/x.py\n+++ b/x.py\n"
        "@@ -1,2 +1,2 @@\n-old\n+new\n same\n\\ No newline at end of file\n"
    )
    (ref,) = view("git diff", output).refs
    assert (ref.line_start, ref.line_end, ref.old_lines) == (1, 2, (1, 2))
    assert ref.shown_chars == len("-old\n+new\n same\n")
