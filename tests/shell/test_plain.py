"""Commands of plain words are read without the grammar, and mean what they mean with it."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from groundtrace.config import Settings
from groundtrace.model import ToolResult
from groundtrace.shell import ShellView
from groundtrace.shell.syntax import parse
from groundtrace.shell.syntax.plain import plain_statements
from tests.shell.scratch_repository import FIXTURES, read_cases
from tests.shell.views import shell_refs

COMMANDS = sorted(
    {case.command for path in FIXTURES.glob("*.commands") for case in read_cases(path.name)}
)
OUTPUT = "src/app.py\n7:alpha = 1\nlib/index.js:3:beta\nREADME.md\nlib:\ntext\n"


def both(command: str, output: str) -> tuple[ShellView, ShellView]:
    """What is found with and without the shorter way."""
    result = ToolResult(text=output)
    plain = shell_refs(command, result, "/w", Settings())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(parse, "plain_statements", lambda _: None)
        return plain, shell_refs(command, result, "/w", Settings())


def test_both_ways_agree_on_the_lists() -> None:
    plain = [command for command in COMMANDS if plain_statements(command) is not None]
    assert len(plain) > len(COMMANDS) / 3
    for command in plain:
        short, long = both(command, OUTPUT)
        assert short == long, command


PIECES = st.sampled_from(
    [
        "cat", "a.py", "'b c.md'", '"d e"', "grep", "-n", "x", "head", "-5", "|", "&&", "||", ";", "\n",
        "2>/dev/null", "2>&1", "cd", "src", "ls", "time", "x=1", "#", "!", "if", "&", "''", "-", ".", "then",
        "echo", "a'b'c", "export", "\t", "sed", "'1,3p'", "{", "}", "2>", ">", "*.py", "~", "a=b", "[", "]",
        r'"a\|b"', r'"x\.py\"', r'"\n"', r'"a\\b"', r'"\$x"', r'--include="*.py"', r'"a[.(]\|b*"', r'"{a,b}\t~"',
    ]
)  # fmt: skip


@settings(max_examples=400, deadline=None, derandomize=True)
@given(st.lists(PIECES, max_size=9))
def test_both_ways_agree_on_whatever_is_put_together(pieces: list[str]) -> None:
    """Broken commands go to the grammar, which knows what a shell makes of them."""
    command = " ".join(pieces)
    if plain_statements(command) is None:
        return
    short, long = both(command, OUTPUT)
    assert short == long


@pytest.mark.parametrize(
    "command",
    [
        "cat $x", "cat *.py", "x=1 cat a", "cat a &", "for f in a; do cat $f; done", "cat a > b", "cat a # b",
        "cat <<E\na\nE", "cat a;; b", "| cat", "cat a |", "export A=b", "(cat a)", "cat a\\ b", 'cat "$x"',
        "cat ~/a", "echo {a,b}", "! cat a", "cat a |& b",
        r'cat "a\$b"', r'cat "a\"b"', r'cat "a\\b"', 'cat "a\\\nb"', r'cat "a\!"',
    ],
)  # fmt: skip
def test_what_a_shell_reads_in_another_way_is_left_to_the_grammar(command: str) -> None:
    assert plain_statements(command) is None


def test_the_lists_are_read_from_the_fixtures() -> None:
    assert Path(FIXTURES / "sessions.commands").exists()


def test_a_backslash_that_means_itself_needs_no_grammar() -> None:
    command = r'grep -rn "alpha\|beta[.(]" lib --include="*.js" | head -5'
    statements = plain_statements(command)
    assert statements is not None
    assert statements[0][0].words[2] == r"alpha\|beta[.(]"  # type: ignore[union-attr]
    short, long = both(command, OUTPUT)
    assert short == long
    assert [(ref.path, ref.line_start) for ref in short.refs] == [("/w/lib/index.js", 3)]
