"""Contents whose lines begin with their numbers, with every separator that tools print.

    12<TAB>text    12→text    12 | text    12| text    12: text    12:text    12) text

A number alone proves nothing: logs begin with times, lists with numbers. So most lines must have a
number, and the numbers must differ. Tools that always number their lines (`SURE`) need no such
proof.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from groundtrace.answers.fold import Run
from groundtrace.base.patterns import regex

ANY = regex(
    r"[ \t]*+(?:\.\.\.|>)?[ \t]*+(\d{1,9})(?:→|\t| ?\|| ?: ?|\)(?= )|-(?=\s))(.*)", re.DOTALL
)
"""A number before text, in any form; a mark (`>`, `...`) may stand before it."""
SURE = regex(r"[ \t]*+(\d{1,9})(?:→|\t|(?<=\d{5})\| )(.*)", re.DOTALL)
"""The forms of `cat -n` and of harnesses that number every line."""
SPACED = regex(r" *+(\d{1,9}) (.*)", re.DOTALL)
"""A line of R2E-Gym's editor, which writes a blank where `cat -n` writes a tab."""
COLON = regex(r"(\d{1,9}): ?(.*)", re.DOTALL)
"""A line of remote readers and of opencode."""
LEAD = regex(r"\s*(\d{1,9})(?:[\t :→|).,-]|$)")
"""A number at the start of a line of a program that was asked for numbers, in any form."""
BLAME = regex(r"\^?[0-9a-f]{4,40}\b[^)]{0,400}?\b(\d{1,9})\) ")
"""A line of git blame: the number stands behind commit, author and date."""
BARRED = regex(r"(?<!\d)(\d{1,9})[:|](.*)", re.DOTALL)
"""A line of SWE-agent's window."""

_LABEL = regex(r"[A-Z][\w ]{0,40}:|[-=#.]{3,}|#+ ")
"""Lines that may come before the first number: `File: lib/pad.js`, `At: L8:C7`, a bar."""
_LABELS = 8
_LONGEST_LINE = 4096
"""How many characters of a line are looked at: a number is at its start."""

Line = tuple[int, str]
"""A line's number and its text."""


class Numbered(NamedTuple):
    """The numbered lines of an answer."""

    runs: list[Run]
    """Lines shown, in the order of the answer."""
    last: str
    """Text of the last numbered line: some tools print an empty line after a file's last one."""

    @property
    def first(self) -> int:
        """The first line shown."""
        return min(self.runs)[0]

    @property
    def end(self) -> int:
        """The last line shown."""
        return max([end for _, end in self.runs])


def numbered_lines(lines: Iterable[str], form: re.Pattern[str] = ANY) -> list[Line]:
    """Number and text of each line that has a number."""
    found = (form.match(line) for line in lines)
    return [(int(match[1]), match[2]) for match in found if match is not None]


def runs_of(found: Iterable[Line], *, padded: bool = False) -> list[Run]:
    """The lines shown, run by run. Pieces of a file come in any order and may overlap.

    `padded`: where the numbers jump, and at the end, an empty last line of a run is none of the
    file: tools print it after each piece.
    """
    runs: list[Run] = []
    start = last = -1
    text = ""
    for number, content in found:
        if number != last + 1 or start < 0:
            if start >= 0:
                runs.append((start, last - (padded and last > start and not text.strip())))
            start = number
        last, text = number, content
    if start >= 0:
        runs.append((start, last - (padded and last > start and not text.strip())))
    return [run for run in runs if run[0] >= 1]


def numbered(lines: Sequence[str], form: re.Pattern[str] = SURE) -> Numbered | None:
    """The numbered lines of a tool that numbers its lines; None if there is none.

    If the first and the last number are as far apart as their lines, every line between them has
    its number: they need not be looked at, which is a tenth of the time for a long file.
    """
    first = next(((at, m) for at, m in enumerate(map(form.match, lines)) if m), None)
    if first is None:
        return None
    count = len(lines)
    back = next((at, m) for at, m in enumerate(map(form.match, reversed(lines))) if m)
    at, start = first[0], int(first[1][1])
    last, end = count - 1 - back[0], int(back[1][1])
    if end - start == last - at and start >= 1:
        return Numbered([(start, end)], back[1][2])
    runs = runs_of(numbered_lines(lines[at : last + 1], form))
    return Numbered(runs, back[1][2]) if runs else None


def contents(lines: Sequence[str]) -> list[Run] | None:
    """Runs of contents in any form; None if the lines are not numbered.

    Most lines must have a number, and the numbers must differ: `12:30:45` in a log is a time.
    """
    heads = [line[:_LONGEST_LINE] for line in lines]
    found = numbered_lines(heads)
    if not found:
        return None
    filled = [line for line in heads if line.strip() and line.strip() != "..."]
    labels = 0
    while labels < min(_LABELS, len(filled)) and _LABEL.match(filled[labels]):
        labels += 1
    numbers = {number for number, _ in found}
    if 2 * len(numbers) <= len(found) or 2 * len(found) < len(filled) - labels:
        return None
    return runs_of(found, padded=True) or None


def is_past_the_end(text: str) -> bool:
    """Whether only one empty numbered line is shown: a read past the last line."""
    match = ANY.fullmatch(text.strip("\n")[:64])
    return match is not None and not match[2].strip()
