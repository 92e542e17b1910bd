"""Names that listings print: which are files, and which of several listings printed them (D4, D5)."""

from __future__ import annotations

import pytest

from groundtrace.answers.file_names import looks_like_folder
from groundtrace.config import Settings
from groundtrace.model import ToolResult
from groundtrace.shell import ShellView
from tests.shell.views import seen_in_repo, shell_refs, touched


def test_a_list_of_names_takes_no_found_lines() -> None:
    output = "./a.py:1:heron\n./b.py:7:- heron\n./a.py\n./b.py\n./c.py\n"
    assert seen_in_repo("grep -rn heron .; find . -type f", output) == [
        ("matched", "repo/a.py", 1, 1),
        ("matched", "repo/b.py", 7, 7),
        ("surfaced", "repo/c.py", None, None),
    ]


def test_a_list_of_names_takes_no_counts() -> None:
    output = "17 src/a.py\ntests/test_a.py\n"
    assert seen_in_repo("wc -l src/a.py\ngit ls-files tests", output) == [
        ("surfaced", "repo/src/a.py", None, None),
        ("surfaced", "repo/tests/test_a.py", None, None),
    ]


def test_the_pattern_of_git_ls_files_matches_across_folders() -> None:
    assert seen_in_repo("git ls-files '*.py'", "a.py\nsrc/b.py\n") == [
        ("surfaced", "repo/a.py", None, None),
        ("surfaced", "repo/src/b.py", None, None),
    ]


def view_beside(command: str, text: str, stdout: str | None = None) -> ShellView:
    data = None if stdout is None else {"stdout": stdout, "stderr": ""}
    return shell_refs(command, ToolResult(text=text, data=data), "/w", Settings())


def test_names_in_one_order_are_one_listing() -> None:
    """The first of the two found no directory, and its error was thrown away."""
    view = view_beside(
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
    view = view_beside(
        "ls src",
        "BUILD        app.py     'my notes.txt'   util\nREADME.md    engine.cc  setup.cfg        x.h",
    )
    assert [ref.path.removeprefix("/w/src/") for ref in view.refs] == [
        "BUILD", "app.py", "my notes.txt", "README.md", "engine.cc", "setup.cfg", "x.h",
    ]  # fmt: skip
    several = view_beside("ls src tests", "src:\na.py  lib\n\ntests:\nconftest.py\ttest_a.py")
    assert [ref.path for ref in several.refs] == [
        "/w/src/a.py",
        "/w/tests/conftest.py",
        "/w/tests/test_a.py",
    ]
    given = view_beside("ls src/*.py", "src/a.py  src/b.py")
    assert [ref.path for ref in given.refs] == ["/w/src/a.py", "/w/src/b.py"]


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
    found = [(ref.path, ref.kind) for ref in view_beside(command, output).refs]
    assert found == [("/w/src/a.py", "surfaced"), ("/w/src/b.py", "surfaced")]


ROOT = "CONTRIBUTING.md\nLICENSE\nREADME.md\nassembly\nlib\npackage.json\nyarn.lock"


def folders(command: str, output: str) -> set[str]:
    """Folders in which the command is said to have listed files."""
    found = shell_refs(command, ToolResult(output), "/workspace", Settings())
    return {ref.path.rpartition("/")[0] for ref in found.refs}


@pytest.mark.parametrize(
    "command",
    [
        "ls w/packages 2>/dev/null | head -5; ls w 2>/dev/null",
        "ls w/packages 2>/dev/null | head -30; ls w 2>/dev/null",
        "ls w/packages/ 2>/dev/null; ls w/",
        "ls w/ 2>/dev/null; ls w/packages 2>/dev/null",
    ],
)
def test_of_a_folder_and_its_parent_the_parent_cannot_be_the_silent_one(command: str) -> None:
    """A real trial listed the root of webpack after a folder that it does not have."""
    assert folders(command, ROOT) == {"/workspace/w"}


def test_two_listings_meet_where_the_order_breaks() -> None:
    output = "index.js\nmain.js\n" + ROOT
    found = folders("ls w/packages 2>/dev/null; ls w 2>/dev/null", output)
    assert found == {"/workspace/w/packages", "/workspace/w"}


def test_a_first_listing_that_says_its_errors_printed_what_its_head_allows() -> None:
    found = folders("ls w/packages | head -4; ls w", ROOT)
    assert found == {"/workspace/w/packages", "/workspace/w"}


def test_a_name_that_begins_alike_is_no_parent() -> None:
    assert folders("ls wide/a 2>/dev/null; ls w", ROOT) == {"/workspace/w"}
    assert folders("ls wide/a; ls w 2>/dev/null", ROOT) == {"/workspace/wide/a"}


def test_two_listings_without_a_line_between_meet_where_the_order_breaks() -> None:
    found = touched("ls a && ls b", "x.py\nz.py\nc.py\nd.py\n")
    assert [path for _, path, _, _ in found] == ["/w/a/x.py", "/w/a/z.py", "/w/b/c.py", "/w/b/d.py"]


@pytest.mark.parametrize(
    ("total", "date"),
    [
        ("total 8", "May 14 09:32"),
        ("total 8", "14 mai 09:32"),
        ("total 8", "fev 12  2024"),
        ("insgesamt 8", "12. Mär 10:30"),
        ("insgesamt 8", "Mär 12 10:30"),
        ("total 8", "févr. 12 10:30"),
        ("total 8", "12 dic  2024"),
        ("合計 8", " 5月 12 10:30"),
        ("总用量 8", "5月  12 2024"),
        ("итого 8", "мая 12 10:30"),
    ],
)
def test_dates_of_long_listings_in_any_language(total: str, date: str) -> None:
    rows = [f"-rw-r--r-- 1 root root   12 {date} a.py", f"drwxr-xr-x 2 root root 4096 {date} src"]
    found = touched("ls -l", "\n".join([total, *rows]) + "\n")
    assert found == [("surfaced", "/w/a.py", None, None)]
