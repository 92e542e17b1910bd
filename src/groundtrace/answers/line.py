"""What a line of an answer shows: the record that every printed shape is read into."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import zip_longest

import msgspec

from groundtrace.model import AccessKind


class Shown(msgspec.Struct, frozen=True):
    """A line of an answer that shows or names a file, or a run of such lines.

    A run has one record, because 2,000 lines of an opened file need no 2,000 of them.
    """

    path: str
    kind: AccessKind = "matched"
    """`read` or `matched`: content of the file is shown; `surfaced`: only its name."""
    first: int | None = None
    """Number of the line in the file, if known."""
    last: int | None = None
    """Number of the last line of a run."""
    chars: int | None = None
    """Characters of the answer that show it, with what stands before the text; None if they cannot
    be counted."""
    repo: str | None = None
    """Repository that the answer names beside it."""
    from_diff: bool = False
    """The path comes from a diff and may begin with `a/` or `b/` (D13)."""
    text: str | None = None
    """The line of the file, where the answer shows it without its number."""
    apart: bool = False
    """The answer says that lines were left out before it."""


def size(lines: Sequence[str]) -> int:
    """The characters of lines, each with its line break."""
    return sum(map(len, lines)) + len(lines)


def text_size(text: str, *, cut: bool = False) -> int:
    """The characters of a text's lines; whether it ends with a line break makes no difference.

    `cut`: more lines follow that are not shown, so an empty line at the end is a line.
    """
    return len(text if cut else text.rstrip("\n")) + 1


def sections(head: re.Pattern[str], text: str) -> Iterator[tuple[re.Match[str], str]]:
    """Each place where a pattern fits, and the text from there to the next one."""
    marks = list(head.finditer(text))
    for mark, following in zip_longest(marks, marks[1:]):
        yield mark, text[mark.end() : len(text) if following is None else following.start()]


def in_runs(
    path: str,
    kind: AccessKind,
    runs: Iterable[tuple[int, int]],
    chars: int | None,
    repo: str | None = None,
) -> Iterator[Shown]:
    """Contents in runs of lines; the characters of all of them count with the first."""
    left = chars
    for first, last in runs:
        yield Shown(path, kind, first, last, left, repo)
        left = None if chars is None else 0
