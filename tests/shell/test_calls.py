"""Shell calls at their edges: refusals, hostile input, commands that users add."""

from __future__ import annotations

import pytest

from groundtrace.config import Settings
from groundtrace.errors import UsageError
from groundtrace.shell import ShellView, shell_refs
from tests.shell.views import touched, view


@pytest.mark.parametrize(
    "output",
    [
        "<tool_use_error>Cancelled: parallel tool call Bash(x) errored</tool_use_error>",
        "ERROR: Cannot execute multiple commands at once.\nProvided commands:\n(1) cat a.py",
        "Exit code 1",
        "(Bash completed with no output)",
        "",
        "cat: a.py: No such file or directory",
    ],
)
def test_a_call_that_obtained_nothing_touches_nothing(output: str) -> None:
    """D4."""
    assert view("cat a.py", output, is_error=output.startswith("Exit")) == ShellView(failed=True)


def test_no_answer_at_all_is_a_failure() -> None:
    assert shell_refs("cat a.py", None, "/w", Settings()).failed


def test_an_error_that_still_shows_output_has_the_files_it_shows() -> None:
    """D4."""
    output = "Exit code 1\none\ngrep: b.py: No such file or directory\n"
    assert touched("cat a.py; grep x b.py", output, is_error=True) == [("read", "/w/a.py", 1, 1)]


def test_ignored_shell_gives_no_files() -> None:
    """D6."""
    assert view("cat a.py", "x\n", settings=Settings(shell="ignore")).refs == ()


def test_remote_repositories_are_named_by_the_call() -> None:
    found = view("sgx read github.com/a/b src/x.go --start 1 --end 2", "1: a\n2: b\n3: \n")
    assert found.repos == ("github.com/a/b",)
    assert [(r.repo, r.path, r.line_start, r.line_end) for r in found.refs] == [
        ("github.com/a/b", "src/x.go", 1, 2)
    ]


def test_a_command_that_does_not_parse_gives_its_readable_parts_and_a_problem() -> None:
    found = view("head -2 a.py; if then ((", "one\ntwo\n")
    assert [problem.kind for problem in found.problems] == ["shell_syntax"]
    assert [ref.path for ref in found.refs] == ["/w/a.py"]


def test_users_add_commands() -> None:
    added = Settings(
        shell_commands={
            "mycat": {"like": "cat"},
            "peek": {"kind": "read", "operands": "last", "value_options": ["-n", "--mode"]},
            "put": {"kind": "written", "operands": "rest"},
            "run": {"kind": "prefix"},
        }
    )
    assert touched("mycat a.py", "x\n", settings=added) == [("read", "/w/a.py", 1, 1)]
    assert touched("peek -n 3 --mode x y a.py", "x\n", settings=added) == [
        ("read", "/w/a.py", 1, 1)
    ]
    assert touched("put s a.py b.py", "", settings=added) == [
        ("written", "/w/a.py", None, None),
        ("written", "/w/b.py", None, None),
    ]
    assert touched("run cat a.py", "x\n", settings=added) == [("read", "/w/a.py", 1, 1)]


@pytest.mark.parametrize(
    ("entry", "nearest"),
    [
        ({"knd": "read"}, "'kind'"),
        ({"kind": "reed"}, "'read'"),
        ({"like": "catt"}, "'cat'"),
        ({"kind": "read", "operands": "frist"}, "'first'"),
    ],
)
def test_a_wrong_entry_is_refused_with_the_nearest_name(
    entry: dict[str, str], nearest: str
) -> None:
    with pytest.raises(UsageError, match=nearest):
        view("x a", "y\n", settings=Settings(shell_commands={"x": entry}))


@pytest.mark.parametrize(
    ("command", "files"),
    [
        ("(" * 3000, 0),
        ("$(" * 2000, 0),
        ("a | " * 3000 + "b", 0),
        ("x=a; " + "x=$x$x; " * 60 + "cat $x", 0),
        ("echo " + "{a,b}" * 40, 0),
        ("f() { f; f | f; }; f", 0),
        # One file a line: 202 lines cannot be of more files.
        ("for a in {1..300}; do for b in {1..300}; do cat $a$b; done; done", 202),
        ("cat a\0b \ud800 '", 0),
        ("head -n " + "9" * 6000 + " a", 1),
        ("grep -E '(a+)+$' f; grep b g", 1),
        ("python3 -c '" + "(" * 5000 + "'", 0),
    ],
)
def test_hostile_commands_end(command: str, files: int) -> None:
    """Nothing raises and nothing runs away, or the suite would not end; no file is invented."""
    found = view(command, "a" * 1500 + "!\n" + "9" * 6000 + ":x\n" + "y\n" * 200)
    assert len({ref.path for ref in found.refs}) == files


def test_a_very_long_output_is_read_in_linear_time() -> None:
    found = view("cat a; echo ---; grep -rn x .; ls -la", "./b.py:3:x\n" * 50_000)
    assert ("matched", "/w/b.py") in {(ref.kind, ref.path) for ref in found.refs}
