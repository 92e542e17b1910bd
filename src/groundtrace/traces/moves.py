"""Where a shell that lasts is after a command, as far as the command alone tells.

Formats that state the directory are believed. Of the others only plain moves are followed: `cd a`
at the start of a command, alone or before `&&`, `;` or a new line. After any other move the
directory is not known.
"""

from __future__ import annotations

import posixpath
import re

MOVES = re.compile(r"\b(?:cd|pushd|popd)\b")
"""Something in a command may change the directory."""

_CD = re.compile(
    r"""\s*+cd[ \t]++(?:--[ \t]++)?
    (?:"(?P<double>[^"$`\\\n]++)" | '(?P<single>[^'\n]++)' | (?P<bare>[^\s;&|<>()"'$`\\*?\[~-][^\s;&|<>()"'$`\\*?\[]*+))
    [ \t]*+(?:&&|;|\n|\Z)""",
    re.VERBOSE,
)
_GROUPS = re.compile(r"\([^()]*+\)?|\"(?:[^\"\\]++|\\.)*+\"?|'[^']*+'?", re.DOTALL)
"""A subshell or a text: a move in it moves nothing outside."""
_HERE = re.compile(r"<<-?\s*(['\"]?)(\w+)\1[^\n]*\n.*?^\t*\2$", re.DOTALL | re.MULTILINE)
_NO_MOVE = re.compile(
    r"\bcd: [^\n]{0,300}?(?:No such file|Not a directory|can't cd|Permission denied)"
)
MAX_COMMAND = 100_000
"""Longer commands are scripts that somebody pasted; they are not followed."""


def folder_after(command: str, folder: str | None, answer: str = "") -> str | None:
    """The directory after a command that began in `folder`; None where it is not known."""
    if not MOVES.search(command):
        return folder
    if len(command) > MAX_COMMAND:
        return None
    if _NO_MOVE.search(answer):
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
