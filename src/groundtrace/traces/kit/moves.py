"""The directory of a lasting shell after a command, as far as the command alone shows it.

If a format states the directory, that is used. Otherwise only simple moves are followed: `cd a` at
the start of a command, alone or before `&&`, `;` or a new line. After any other move the directory
is unknown.
"""

from __future__ import annotations

import posixpath
import re

from groundtrace.base.patterns import regex

MOVES = regex(r"\b(?:cd|pushd|popd)\b")
"""A word that may change the directory."""

_CD = regex(
    r"""\s*+cd[ \t]++(?:--[ \t]++)?
    (?:"(?P<double>[^"$`\\\n]++)" | '(?P<single>[^'\n]++)' | (?P<bare>[^\s;&|<>()"'$`\\*?\[~-][^\s;&|<>()"'$`\\*?\[]*+))
    [ \t]*+(?:&&|;|\n|\Z)""",
    re.VERBOSE,
)
_GROUPS = regex(r"\([^()]*+\)?|\"(?:[^\"\\]++|\\.)*+\"?|'[^']*+'?", re.DOTALL)
"""A subshell or a quoted text: a move inside it has no effect outside."""
_HERE = regex(r"<<-?\s*(['\"]?)(\w+)\1[^\n]*\n.*?^\t*\2$", re.DOTALL | re.MULTILINE)
_NO_MOVE = regex(r"\bcd: [^\n]{0,300}?(?:No such file|Not a directory|can't cd|Permission denied)")
MAX_COMMAND = 100_000
"""A longer command is a pasted script; it is not followed."""


def may_move(command: str) -> bool:
    """Whether a command has a word that may change the directory."""
    mentioned = "cd" in command or "pushd" in command or "popd" in command
    return mentioned and MOVES.search(command) is not None


def folder_after(command: str, folder: str | None, answer: str = "") -> str | None:
    """The directory after a command that started in `folder`; None if it is unknown."""
    if not may_move(command):
        return folder
    if len(command) > MAX_COMMAND:
        return None
    if "cd: " in answer and _NO_MOVE.search(answer):
        return folder if _CD.match(command) else None
    position = 0
    while (move := _CD.match(command, position)) is not None:
        place = move["double"] or move["single"] or move["bare"]
        if place.startswith("/"):
            folder = posixpath.normpath(place)
        elif folder is not None:
            folder = posixpath.normpath(posixpath.join(folder, place))
        position = move.end()
    rest = _GROUPS.sub(" ", _HERE.sub(" ", command[position:]))
    return None if MOVES.search(rest) else folder
