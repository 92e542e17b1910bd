"""What commands show about folders as repositories, and names that git prints from a top (D181)."""

from __future__ import annotations

import pytest

from groundtrace.config import Settings
from groundtrace.model import RootSign, ToolResult
from groundtrace.shell import ShellView
from groundtrace.shell.streams.file_names import from_top
from tests.shell.views import shell_refs


def view(command: str, answer: str = "", cwd: str | None = "/w") -> ShellView:
    return shell_refs(command, ToolResult(answer), cwd, Settings())


@pytest.mark.parametrize(
    ("command", "signs"),
    [
        ("git status", [RootSign("git", "/w")]),
        ("git -C sub log", [RootSign("git", "/w/sub")]),
        ("git --work-tree=x -C /a -C b log", [RootSign("git", "/a/b")]),
        ("cd a && git diff", [RootSign("entered", "/w/a"), RootSign("git", "/w/a")]),
        ("cd a; ls", [RootSign("entered", "/w/a")]),
        ("git clone https://x.org/o/r.git", [RootSign("clone", "/w/r", "https://x.org/o/r.git")]),
        ("git clone -b v1 --depth 1 u/r /d", [RootSign("clone", "/d", "u/r")]),
        ("git clone git@x.org:r.git", [RootSign("clone", "/w/r", "git@x.org:r.git")]),
        ("git worktree add -b new ../two", [RootSign("worktree", "/two")]),
        ("git worktree list", []),
        ("git init new", [RootSign("top", "/w/new")]),
        ("git clone $URL", []),
        ("git -C $X status", []),
        ("echo git status", []),
    ],
)
def test_signs_of_a_command(command: str, signs: list[RootSign]) -> None:
    assert list(view(command).signs) == signs


@pytest.mark.parametrize(
    ("answer", "tops"),
    [
        ("/w/a", ["/w/a"]),
        ("/w", ["/w"]),
        ("C:/w", []),
        ("/elsewhere", []),
        ("fatal: not a git repository", []),
    ],
)
def test_git_says_where_the_top_is(answer: str, tops: list[str]) -> None:
    found = view("cd a && git rev-parse --show-toplevel", answer).signs
    assert [sign.folder for sign in found if sign.kind == "top"] == tops


def test_a_command_without_an_answer_shows_no_folder() -> None:
    assert shell_refs("git status", None, "/w", Settings()).signs == ()
    assert view("git status", cwd=None).signs == ()


@pytest.mark.parametrize("cwd", ["/code/django/django", "/code/django/django/django/db"])
def test_a_clone_by_convention_is_the_top_whatever_its_packages_are_called(cwd: str) -> None:
    """`django/urls.py` in `/code/django/django` is not `/code/django/django/urls.py`."""
    assert from_top(cwd, ["django/urls.py"]) == "/code/django/django"
    assert from_top("/testbed/src", ["src/a.py"]) == "/testbed"


@pytest.mark.parametrize(
    ("command", "path"),
    [
        ("cd src && cat a.py", "src/a.py"),
        ("cd src/nests; cat a.py", "src/nests/a.py"),
        ("(cd src && cat a.py)", "src/a.py"),
        ("cd src && cd nests && cat a.py", "src/nests/a.py"),
        ("cd .. && cat a.py", "a.py"),
        ("cd . && cat a.py", "a.py"),
        ("cd $DIR && cat a.py", "a.py"),
        ("cd /w/src && cat a.py", "/w/src/a.py"),
    ],
)
def test_below_an_unknown_directory_the_folders_of_cd_are_known(command: str, path: str) -> None:
    found = view(command, "x\n", cwd=None)
    assert [ref.path for ref in found.refs] == [path]
    assert all(sign.folder.startswith("/") for sign in found.signs)
