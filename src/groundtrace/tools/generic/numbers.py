"""Content whose lines begin with their numbers."""

from __future__ import annotations

from collections.abc import Sequence

from groundtrace.answers.fold import Numbered
from groundtrace.base.patterns import regex
from groundtrace.tools.generic.pieces import LONGEST_LINE, Lines

_NUMBERED = regex(r"[ \t]*+(?:\.\.\.|>)?[ \t]*+(\d{1,9})(?:→|\t| ?\|| ?: ?|-(?=\s))(.*)")
"""`12: text`, `12<TAB>text`, `12→text`, `12 | text`, also with a mark before the number."""
_LABEL = regex(r"[A-Z][\w ]{0,40}:|[-=#.]{3,}|#+ ")
"""Lines that may come before the first number: `File: lib/pad.js`, `At: L8:C7`, a bar."""
_LABELS = 8


def numbered_lines(lines: Sequence[str]) -> list[Numbered]:
    """The lines that begin with a number."""
    found = []
    for line in lines:
        match = _NUMBERED.match(line[:LONGEST_LINE])
        if match is not None:
            found.append((int(match[1]), match[2]))
    return found


def shown_lines(lines: Sequence[str]) -> Lines | None:
    """First and last line of numbered content; None if the lines are not numbered.

    Most lines must have a number, and the numbers must differ: `12:30:45` in a log is a time.
    """
    filled = [line for line in lines if line.strip() and line.strip() != "..."]
    labels = 0
    while labels < min(_LABELS, len(filled)) and _LABEL.match(filled[labels]):
        labels += 1
    found = numbered_lines(lines)
    numbers = {number for number, _ in found}
    if not found or 2 * len(numbers) <= len(found) or 2 * len(found) < len(filled) - labels:
        return None
    return _hull(found)


def is_past_the_end(text: str) -> bool:
    """Whether only one empty numbered line is shown: a read past the last line."""
    match = _NUMBERED.fullmatch(text.strip("\n")[:64])
    return match is not None and not match[2].strip()


def _hull(found: list[Numbered]) -> Lines | None:
    """First and last number; an empty last line before the numbers jump is padding."""
    starts: list[int] = []
    ends: list[int] = []
    for index, (number, text) in enumerate(found):
        first = index == 0 or number != found[index - 1][0] + 1
        last = index + 1 == len(found) or found[index + 1][0] != number + 1
        if first:
            starts.append(number)
        if last:
            ends.append(number - 1 if not first and not text.strip() else number)
    start, end = min(starts), max(ends)
    return (start, end) if 1 <= start <= end else None
