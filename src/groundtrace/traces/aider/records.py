"""The sessions of a history, and what its lines say.

aider writes a notice as `> text` and a line of the user as `#### text`, both with two blanks behind
it. The model may write such lines too: a quotation, a heading. It writes no blanks behind them, so
in a session that has the blanks they tell, and lines inside an edit block count as the model's.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import BinaryIO

from groundtrace.base.frozen import Frozen
from groundtrace.base.patterns import regex
from groundtrace.traces.kit.rows import UniqueNames

_STARTED = regex(rb"# aider chat started at (\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d)")
_EDIT_BEGINS = regex(r"<{5,9} (?:SEARCH|ORIGINAL)\s*+$")
_EDIT_ENDS = regex(r">{5,9} (?:REPLACE|UPDATED)\s*+$")
_NOTICE, _ASKED = "> ", "#### "
_STAMP = "  "
"""What aider writes behind its own lines, which Markdown takes for a line break."""
CHUNK = 1 << 20
MAX_LINE = 1 << 20
"""Bytes that are kept of a line."""


class Session(Frozen, frozen=True):
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
    for number, line in enumerate(_lines(stream), 1):
        begun = _STARTED.match(line)
        if begun is not None:
            if current is not None:
                yield current
            started = begun[1].decode()
            name = names.next(started.replace(":", "-").replace(" ", "_").replace("T", "_"))
            current = Session(name, started, number, [])
        elif current is not None:
            current.lines.append(line.decode("utf-8", errors="replace"))
    if current is not None:
        yield current


def _lines(stream: BinaryIO) -> Iterator[bytes]:
    """All lines, with the blanks at their ends: these say whose a line is."""
    rest = b""
    while chunk := stream.read(CHUNK):
        *whole, rest = (rest + chunk).split(b"\n")
        for line in whole:
            yield line.removesuffix(b"\r")
        rest = rest[:MAX_LINE]
    if rest:
        yield rest.removesuffix(b"\r")


class Said(Frozen, frozen=True):
    """A line of a session that is not the model's."""

    is_notice: bool
    """Said by aider; else by the user."""
    text: str
    goes_on: bool = False
    """A later line of one message of the user: no command, whatever it begins with."""


def said_in(lines: list[str]) -> Iterator[Said]:
    """Notices of aider and lines of the user, in order."""
    stamped = any(line.endswith(_STAMP) and line.startswith((_NOTICE, _ASKED)) for line in lines)
    in_edit = in_message = False
    for line in lines:
        is_asked = line.startswith(_ASKED)
        is_said = is_asked or line.startswith(_NOTICE)
        is_said = is_said and (not stamped or line.endswith(_STAMP))
        goes_on, in_message = in_message, is_asked and is_said
        if in_edit:
            # A reply that was cut off does not end its edit; what follows is not in it.
            cut_off = is_said and is_asked and stamped
            if not cut_off and not (is_said and _SPENT.match(line[len(_NOTICE) :])):
                in_edit = _EDIT_ENDS.match(line) is None
                continue
            in_edit = False
        if _EDIT_BEGINS.match(line):
            in_edit = True
        elif is_asked and is_said:
            yield Said(False, line[len(_ASKED) :].strip(), goes_on)
        elif is_said:
            yield Said(True, line[len(_NOTICE) :].strip())


ADDED = regex(
    r"Added (?!\d+ lines? of |\d+ files from |clipboard image )"
    r"(?P<path>.{1,1000}?) to (?:the chat|read-only files)\b"
)
"""A file that was added. `Added 12 lines of output to the chat` is not one."""
ADDED_FOLDER = regex(r"Added \d+ files from directory .{1,1000} to read-only files\b")
"""Files that were added and are not named."""
EDITED = regex(r"Applied edit to (?P<path>.{1,1000})")
OFFERED = regex(
    r"Add (?P<what>file|these files|[^\s?]{1,1000}) to the chat\?.{0,120}?(?P<answer>[A-Za-z]*+)\s*$"
)
"""A question about the notices before it, or about a file that it names. The answer is the last
word; without one, yes."""
NO_FILE = regex(r"(?:URL|\w{1,20}+://.*+)$", re.IGNORECASE)
"""What else may be added."""
ALLOWED = regex(
    r"Allow edits to (?:file that has not been added to the chat"
    r"|(?P<path>.{1,1000}?) which was not previously .{1,80}?)\?"
    r".{0,120}?(?P<answer>[A-Za-z]*+)\s*$"
)
"""aider asks whether it may edit a file that the model did not see. From then on the file is in the
chat: the next model call sees it whole."""
ECHO = regex(r".{1,400}?\? \(Y\)es/\(N\)o.{0,80}?\[\w{1,10}\]: ")
"""A question that aider answers itself, because the answer to an earlier one was `all`. It repeats
the question as if the user said it."""
DROPPED = regex(r"(?:Dropping all files from the chat|All files dropped)")
REMOVED = regex(r"Removed (?:read-only file )?(?P<path>.{1,1000}?) from the chat")
PATH = regex(r"[^\s:?]{1,1000}")
"""A notice that is one of several files; other notices have more than one word."""
RAN = regex(r"Running (?P<command>\S.{0,4000})")
COMMANDS = regex(r"(?:!\s*|/(?:run|test|git)\s+)(?P<command>\S.{0,4000})")
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
_SPENT = regex(r"Tokens: [\d.,]++[kM]? sent,|[\d,]++ prompt tokens, ")
"""What every reply ends with."""
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
