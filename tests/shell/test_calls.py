"""Shell calls at their edges: refusals, hostile input, commands that users add."""

from __future__ import annotations

import pytest

from groundtrace.config import Settings
from groundtrace.errors import UsageError
from groundtrace.model import ToolResult
from groundtrace.shell import ShellView
from tests.shell.views import shell_refs, touched, view


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


LOG = [
    "Error: Cannot find module 'x'\n",
    "Error: ENOENT: no such file or directory, open 'c.json'\n    at open (node:fs:601:3)\n",
    'Traceback (most recent call last):\n  File "<stdin>", line 1, in <module>\n'
    "FileNotFoundError: [Errno 2] No such file or directory: 'x'\n",
    "error: Could not open input file\n",
    "jq: error: no such file or directory\n",
]


@pytest.mark.parametrize("text", LOG)
@pytest.mark.parametrize("command", ["cat server.log", "cd logs; cat server.log | head -20"])
def test_errors_in_a_file_that_is_shown_are_lines_of_it(command: str, text: str) -> None:
    """Only programs that ran can complain (D205)."""
    found = shell_refs(command, ToolResult(text=text), "/w", Settings())
    assert not found.failed
    assert [(ref.kind, ref.line_end) for ref in found.refs] == [("read", text.count("\n"))]


def test_an_error_of_a_program_that_ran_is_none() -> None:
    found = shell_refs("node app.js; cat a.log", ToolResult(text=LOG[0]), "/w", Settings())
    assert found.refs == ()
    missing = "cat: server.log: No such file or directory\n"
    assert shell_refs("cat server.log", ToolResult(text=missing), "/w", Settings()).failed


def test_a_search_behind_and_that_failed_found_nothing() -> None:
    """pnpm failed, and its message holds the word that grep would have looked for."""
    command = "pnpm --version && cat package.json | grep packageManager"
    text = " ERROR  This project's packageManager is yarn\n"
    failed = shell_refs(command, ToolResult(text=text, is_error=True), "/w", Settings())
    assert failed.refs == () and failed.failed
    passed = shell_refs(command, ToolResult(text='9.1\n"packageManager": "x"\n'), "/w", Settings())
    assert [ref.path for ref in passed.refs] == ["/w/package.json"]


@pytest.mark.parametrize(
    ("command", "output", "written"),
    [
        ("git checkout src/a.py", "Updated 1 path from the index\n", ["src/a.py"]),
        ("git checkout a.py b.py", "Updated 2 paths from the index\n", ["a.py", "b.py"]),
        ("git checkout Makefile", "Updated 1 path from the index\n", ["Makefile"]),
        ("git checkout HEAD~1 Makefile", "Updated 1 path from 1a2b3c4\n", ["Makefile"]),
        ("git checkout main", "Switched to branch 'main'\n", []),
        ("git checkout release.next", "Switched to branch 'release.next'\n", []),
        ("git checkout a.py", "Updated 0 paths from the index\n", []),
        ("mv a.py b.py", "", ["b.py", "a.py"]),
        ("mv a.py b.py src/", "", ["src/a.py", "src/b.py", "a.py", "b.py"]),
        ("git mv a.py b.py", "", ["b.py", "a.py"]),
        ("git commit -qam x", " create mode 100644 a.py\n", []),
    ],
)
def test_one_rule_for_git_and_moves(command: str, output: str, written: list[str]) -> None:
    """A commit changes no file, a move removes its source, a checkout of a file writes it (D203)."""
    found = shell_refs(command, ToolResult(text=output), "/w", Settings())
    assert [ref.path.removeprefix("/w/") for ref in found.refs] == written
    assert {ref.kind for ref in found.refs} <= {"written"}


@pytest.mark.parametrize(
    ("command", "output", "failed"),
    [
        ("pytest -q && cat a.py", "..F\n1 failed\n", True),
        ("pytest -q && cat a.py", "....\n\nCommand timed out after 120 seconds\n", False),
        ("python run.py && sed -n '3,4p' a.py", "<returncode>1</returncode>\n<output>\nx\n</output>", False),
    ],
)  # fmt: skip
def test_what_ran_before_a_failed_and_is_no_file(command: str, output: str, failed: bool) -> None:
    """`cat` behind `&&` did not run, so nothing of the file was shown."""
    assert touched(command, output, is_error=failed) == []


@pytest.mark.parametrize(
    "command",
    ["pytest -q", "npx jest", "pip install x", "make", "go test ./...", "cargo test"],
)
def test_lines_beside_a_program_that_talks_have_no_numbers(command: str) -> None:
    """`.. [100%]` was the first line of the file."""
    found = touched(f"{command}; cat a.py", ".. [100%]\n2 passed\nx = 1\n")
    assert found == [("read", "/w/a.py", None, None)]
    assert touched("pip install -q x; cat a.py", "x = 1\n") == [("read", "/w/a.py", 1, 1)]


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("git checkout 1234567", "Note: switching to '1234567'.\n\nYou are in 'detached HEAD' state.\n\nHEAD is now at 1234567 x"),
        ("git commit -m x", "[main 1234567] x\n 1 file changed, 1 insertion(+)"),
        ("git stash", "Saved working directory and index state WIP on main: 1234567 x"),
    ],
)  # fmt: skip
def test_what_git_says_is_no_line_of_a_file(command: str, said: str) -> None:
    assert touched(f"{command}; cat a.py", f"{said}\nx = 1\n") == [("read", "/w/a.py", None, None)]


@pytest.mark.parametrize(
    "prefix", ["uv run", "uv run --with rich -q", "poetry run", "conda run -n testbed", "pdm run"]
)
def test_runners_of_environments_run_the_command_behind_them(prefix: str) -> None:
    assert touched(f"{prefix} sed -n 3,4p a.py", "a\nb\n") == [("read", "/w/a.py", 3, 4)]
    assert touched(f"{prefix} pytest -q", "1 passed\n") == []


@pytest.mark.parametrize(
    "choice", ['[ $n -ge 15 ] && echo "$n: $l"', 'case $l in *x*) echo "$l";; esac']
)
def test_a_loop_that_leaves_out_lines_has_no_numbers(choice: str) -> None:
    """Three lines out of the middle were lines 1 to 3."""
    loop = "while read -r l; do {}; done < a.py"
    assert touched(loop.format(choice), "a x\nb x\nc x\n") == [("read", "/w/a.py", None, None)]
    assert touched(loop.format('echo "> $l"'), "> a\n> b\n") == [("read", "/w/a.py", 1, 2)]


def test_what_ast_grep_bat_and_eza_print_on_a_terminal() -> None:
    assert touched("ast-grep run -p 'f()' src", "src/a.py\n20│def f():\n21│    x\n") == [
        ("matched", "/w/src/a.py", 20, 21)
    ]
    assert touched("bat -pp -r 20:+2 a.py", "a\nb\nc\n") == [("read", "/w/a.py", 20, 22)]
    rows = "drwxr-xr-x    - me 3 Nov 10:00 sub\n.rw-r--r-- 1.2k me 3 Nov 10:00 a.py\n"
    assert touched("eza -l src", rows) == [("surfaced", "/w/src/a.py", None, None)]
    assert touched("eza --tree src", "src\n└── a.py\n") == [("surfaced", "/w/src/a.py", None, None)]
