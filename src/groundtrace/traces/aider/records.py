"""The sessions of a history, and what its lines say.

aider writes a notice as `> text` with two blanks behind it. The model may quote such lines too, so
lines inside an edit block count as the model's.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO, NamedTuple

from groundtrace.base.jsonl import read_lines
from groundtrace.base.patterns import regex
from groundtrace.traces.kit.rows import UniqueNames

_STARTED = regex(rb"# aider chat started at (\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d)")
_EDIT_BEGINS = regex(r"<{5,9} (?:SEARCH|ORIGINAL)\s*+$")
_EDIT_ENDS = regex(r">{5,9} (?:REPLACE|UPDATED)\s*+$")
_NOTICE, _ASKED = "> ", "#### "


class Session(NamedTuple):
    """One session of a history."""

    name: str
    started: str
    first: int
    """Number of its first line in the file."""
    lines: list[str]


def sessions_of(stream: BinaryIO) -> Iterator[Session]:
    """The sessions of a history, in order. What stands before the first one is left out."""
    names = UniqueNames()
    current: Session | None = None
    for line in read_lines(stream):
        begun = _STARTED.match(line.data)
        if begun is not None:
            if current is not None:
                yield current
            started = begun[1].decode()
            name = names.next(started.replace(":", "-").replace(" ", "_").replace("T", "_"))
            current = Session(name, started, line.number, [])
        elif current is not None:
            current.lines.append(line.data.decode("utf-8", errors="replace"))
    if current is not None:
        yield current


class Said(NamedTuple):
    """A line of a session that is not the model's."""

    is_notice: bool
    """Said by aider; else by the user."""
    text: str


def said_in(lines: list[str]) -> Iterator[Said]:
    """Notices of aider and lines of the user, in order."""
    in_edit = False
    for line in lines:
        if in_edit:
            in_edit = _EDIT_ENDS.match(line) is None
        elif _EDIT_BEGINS.match(line):
            in_edit = True
        elif line.startswith(_NOTICE):
            yield Said(True, line[len(_NOTICE) :].strip())
        elif line.startswith(_ASKED):
            yield Said(False, line[len(_ASKED) :].strip())


ADDED = regex(r"Added (?!\d+ lines? of )(?P<path>.{1,1000}?) to (?:the chat|read-only files)\b")
"""A file that was added. `Added 12 lines of output to the chat` is not one."""
EDITED = regex(r"Applied edit to (?P<path>.{1,1000})")
OFFERED = regex(r"Add (?P<what>file|these files) to the chat\?.{0,120}?(?P<answer>[A-Za-z]*+)\s*$")
"""A question about the notices before it. The answer is the last word; without one, yes."""
PATH = regex(r"[^\s:?]{1,1000}")
"""A notice that is one of several files; other notices have more than one word."""
RAN = regex(r"Running (?P<command>\S.{0,4000})")
COMMANDS = regex(r"(?:/run|!|/test|/git)\s*(?P<command>\S.{0,4000})")
"""What the user ran: `/run pytest`, `!pytest`."""
GIT = "/git"
CLEARED = regex(r"All chat history cleared|All files dropped and chat history cleared")
MODEL = regex(r"(?:Main model|Models?): (?P<model>\S{1,200}?),? (?:with|using)\b")
VERSION = regex(r"[Aa]ider v(?P<version>\d\S{0,40})")
REPO_MAP = regex(r"Repo-map: using (?!0 )")
TOKENS = regex(
    r"Tokens: (?P<sent>[\d.,]++[kM]?) sent,.{0,120}? (?P<received>[\d.,]++[kM]?) received"
)
OLD_TOKENS = regex(
    r"(?P<sent>[\d,]++) prompt tokens, (?P<received>[\d,]++) completion tokens"
    r"(?:, \$(?P<cost>[\d.]++) cost)?"
)
SESSION_COST = regex(r"Cost: \$[\d.,]++ (?:message|send), \$(?P<cost>[\d.,]++) session")


def exact(text: str) -> int | None:
    """A count that aider wrote out; None for a rounded one (`12k`)."""
    digits = text.replace(",", "")
    return int(digits) if digits.isdigit() and len(digits) < 16 else None


def dollars(text: str) -> float | None:
    """An amount of money."""
    try:
        return float(text.replace(",", "").rstrip("."))
    except ValueError:
        return None
