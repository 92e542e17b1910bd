"""Contents whose lines begin with their numbers, with every separator that tools print.

    12<TAB>text    12→text    12 | text    12| text    12: text    12:text    12) text    L12: text

A number alone proves nothing: logs begin with times, lists with numbers. So most lines must have a
number, and the numbers must differ. Tools that always number their lines (`SURE`) need no such
proof.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import pairwise, zip_longest

import msgspec
from msgspec.structs import replace

from groundtrace.answers.fold import Run
from groundtrace.base.patterns import regex

ANY = regex(
    r"[ \t]*+(?:\.\.\.|>)?[ \t]*+L?(\d{1,9})(?:→|\t| ?\|| ?:(?!\d\d[:.]) ?|\)(?= )|-(?=\s))(.*)",
    re.DOTALL,
)
"""A number before text, in any form; a mark (`>`, `...`) may stand before it. `12:30:45` is a time."""
SURE = regex(r"[ \t]*+(\d{1,9})(?:→|\t|(?<=\d{5})\| )(.*)", re.DOTALL)
"""The forms of `cat -n` and of harnesses that number every line."""
EXACT_SIGNS = ("→", "\t", "| ", ": ")
"""What comes between a number and the exact text of its line."""
EXACT = regex(rf"[ \t]*(\d{{1,9}})(?:{'|'.join(map(re.escape, EXACT_SIGNS))})(.*)", re.DOTALL)
"""Forms behind which a line stands as it is in the file, so that it can be compared with it."""
_DOTTED = regex(r"(\d{1,9})\.(?: (.*)|$)", re.DOTALL)
"""A line of Copilot CLI's view, and a point of a numbered list."""
SPACED = regex(r" *+(\d{1,9}) (.*)", re.DOTALL)
"""A line of R2E-Gym's editor, which writes a blank where `cat -n` writes a tab."""
COLON = regex(r"(\d{1,9}): ?(.*)", re.DOTALL)
"""A line of remote readers and of opencode."""
LEAD = regex(r"\s*(\d{1,9})(?:[\t :→|).,-]|$)")
"""A number at the start of a line of a program that was asked for numbers, in any form."""
COUNTED = regex(r" *(\d{1,9})(?:\t|[:.)] ?| ?)")
"""A number that `nl`, `cat -n` and `uniq -c` put in front of the lines of another program."""
GREPPED = regex(r"(\d{1,9})[:-](.*)", re.DOTALL)
"""A line that `grep -n` found in the only file searched."""
BLAME = regex(r"\^?[0-9a-f]{4,40}\b[^)]{0,400}?\b(\d{1,9})\) ")
"""A line of git blame: the number stands behind commit, author and date."""
BARRED = regex(r"(?<!\d)(\d{1,9})[:|](.*)", re.DOTALL)
"""A line of SWE-agent's window."""

_LABEL = regex(r"[A-Z][\w ]{0,40}:|[-=#.]{3,}|#+ ")
"""Lines that may come before the first number: `File: lib/pad.js`, `At: L8:C7`, a bar."""
_LABELS = 8
_AROUND = regex(r"\s*(?:</?\w[^<>]{0,200}>|\(.{0,200}\)|\[.{0,200}\]|\.\.\.|`{3,}\w*)\s*$")
"""Lines around contents: tags, notes in brackets, fences."""
_LONGEST_LINE = 4096
"""How many characters of a line are looked at: a number is at its start."""


class Line(msgspec.Struct, frozen=True):
    """A line that begins with a number."""

    number: int
    text: str
    """What follows the number."""
    size: int
    """Characters of the whole line, with its line break."""


class Numbered(msgspec.Struct, frozen=True):
    """The numbered lines of an answer."""

    runs: list[Run]
    """Lines shown, in the order of the answer."""
    chars: int
    """Characters of these lines."""
    last: Line
    """The last numbered line: some tools print an empty line after a file's last one."""

    @property
    def first(self) -> int:
        """The first line shown."""
        return min(self.runs)[0]

    @property
    def end(self) -> int:
        """The last line shown."""
        return max([end for _, end in self.runs])

    def ends_empty(self) -> bool:
        """Whether the last of several lines has no text."""
        return self.end > self.first and not self.last.text.strip()

    def without_last(self) -> Numbered:
        """The lines before the last one."""
        first, last = self.runs[-1]
        rest = [(first, last - 1)] if first < last else []
        return replace(self, runs=[*self.runs[:-1], *rest], chars=self.chars - self.last.size)


def numbered_lines(lines: Iterable[str], form: re.Pattern[str] = ANY) -> list[Line]:
    """The lines that have a number."""
    return [
        Line(int(m[1]), m[2] or "", len(line) + 1)
        for line in lines
        if (m := form.match(line[:_LONGEST_LINE])) is not None
    ]


def runs_of(found: Iterable[Line]) -> list[Run]:
    """The lines shown, run by run. Pieces of a file come in any order and may overlap."""
    runs: list[Run] = []
    start = last = 0
    for line in found:
        number = line.number
        if number != last + 1 or not start:
            if start:
                runs.append((start, last))
            start = number
        last = number
    return [*runs, (start, last)] if start else runs


def without_padding(found: list[Line]) -> list[Line]:
    """The lines without the empty ones that tools print behind each piece of a file.

    Such a line is the last before the numbers jump, or the last of all.
    """
    kept = []
    begins = True
    for line, following in zip_longest(found, found[1:]):
        ends = following is None or following.number != line.number + 1
        if begins or not ends or line.text.strip():
            kept.append(line)
        begins = ends
    return kept


def numbered(lines: Sequence[str], form: re.Pattern[str] = SURE) -> Numbered | None:
    """The numbered lines of a tool that numbers its lines; None if there is none.

    If the first and the last number are as far apart as their lines, every line between them has
    its number: they need not be looked at, which is a tenth of the time for a long file.
    """
    at, first = next(((at, m) for at, m in enumerate(map(form.match, lines)) if m), (0, None))
    if first is None:
        return None
    back, last = next((at, m) for at, m in enumerate(map(form.match, reversed(lines))) if m)
    start, end, stop = int(first[1]), int(last[1]), len(lines) - back
    if end - start == stop - 1 - at and start >= 1:
        shown = lines[at:stop]
        chars = sum(map(len, shown)) + len(shown)
        return Numbered([(start, end)], chars, Line(end, last[2], len(shown[-1]) + 1))
    return _together(numbered_lines(lines[at:stop], form))


def _together(found: list[Line], *, grows: bool = True) -> Numbered | None:
    """The lines; `grows`: only if their numbers do, because identifiers of rows do not."""
    found = [line for line in found if line.number >= 1]
    falls = sum([after.number <= before.number for before, after in pairwise(found)])
    if not found or (grows and falls and 2 * falls >= len(found) - 1):
        return None
    return Numbered(runs_of(found), sum([line.size for line in found]), found[-1])


def contents(lines: Sequence[str], *, grows: bool = True) -> Numbered | None:
    """Contents in any form; None if the lines are not numbered.

    Most lines must have a number: three numbered points in a long text are none. `grows`: so must
    the numbers; pieces that a search found come in any order.
    """
    found = numbered_lines(lines)
    if not found:
        return None
    filled = [line for line in lines if line.strip() and not _AROUND.match(line)]
    labels = 0
    while labels < min(_LABELS, len(filled)) and _LABEL.match(filled[labels][:_LONGEST_LINE]):
        labels += 1
    if 2 * len(found) < len(filled) - labels:
        return None
    return _together(without_padding(found), grows=grows)


def dotted(lines: Sequence[str]) -> Numbered | None:
    """Contents as `12. text`; None if one line has no number, as in a text with a list."""
    found = numbered_lines(lines, _DOTTED)
    is_all = len(found) == len(lines) and len(runs_of(found)) == 1
    return _together(found) if is_all else None


def is_past_the_end(text: str) -> bool:
    """Whether only one empty numbered line is shown: a read past the last line."""
    match = ANY.fullmatch(text.strip("\n")[:64])
    return match is not None and not match[2].strip()
