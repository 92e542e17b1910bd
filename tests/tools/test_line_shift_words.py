"""Words and joined lines of commands with `sed -i`, with `shlex` and a loop as oracles."""

from __future__ import annotations

import shlex

from hypothesis import given
from hypothesis import strategies as st

from groundtrace.tools.line_shift import _on_one_line, _words

COMMANDS = st.text("ab \n\t\\'\"#;|&=é", max_size=16)


def by_shlex(command: str) -> list[str]:
    lexer = shlex.shlex(command, posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    try:
        return list(lexer)
    except ValueError:
        return []


def joined_by_hand(command: str) -> str:
    out, quote, at = [], "", 0
    while at < len(command):
        mark = command[at]
        if mark == "\\" and quote != "'":
            pair = command[at : at + 2]
            out.append(pair if pair != "\\\n" else "" if quote else " ")
            at += 2
            continue
        if mark in "'\"" and quote in ("", mark):
            quote = "" if quote else mark
        out.append(mark)
        at += 1
    return "".join(out)


@given(COMMANDS)
def test_words_are_those_of_shlex(command: str) -> None:
    assert _words(command) == by_shlex(command)


@given(COMMANDS)
def test_lines_are_joined_outside_of_single_quotes(command: str) -> None:
    """A quote that stays open leaves no words, however its lines are joined."""
    wanted = joined_by_hand(command)
    assert _on_one_line(command) == wanted or _words(_on_one_line(command)) == by_shlex(wanted)
