"""Holes: private characters that stand for text that cannot be known.

`echo "== $f =="` in a loop prints a line with an unknown middle. It is kept as `== H ==`, where H
is one private character. Each unknown text has its own character, so a printed line can later show
the value of exactly this variable. A word with a hole in it is never used as a file name.
"""

from __future__ import annotations

from groundtrace.base.patterns import regex

HOLE = "\ue000"
"""Any unknown text."""
FIRST_HOLE = 0xE001
LAST_HOLE = 0xF8FF
HOLES = regex("[\ue000-\uf8ff]")


def has_hole(text: str) -> bool:
    """Whether a text has an unknown part. Most texts are plain ASCII, which is checked first; the
    pattern, dear to compile, is asked only in a text with a sign as late in Unicode."""
    return not text.isascii() and max(text) >= HOLE and HOLES.search(text) is not None


class Holed:
    """A line with holes. Each hole matches any text, as short as possible.

    It is matched piece by piece: compiling a regular expression took longer than all its matches.
    """

    __slots__ = ("_first", "_last", "_middle")

    def __init__(self, text: str) -> None:
        self._first, *self._middle, self._last = HOLES.split(text)

    def match(self, line: str, unended: bool = False) -> list[str] | None:
        """The text in each hole; None if the line does not match. `unended`: more may follow."""
        if not line.startswith(self._first):
            return None
        at = len(self._first)
        if unended:
            return self._begin(line, at)
        end = len(line) - len(self._last)
        if not line.endswith(self._last):
            return None
        values: list[str] = []
        for piece in self._middle:
            where = line.find(piece, at)
            if where < 0:
                return None
            values.append(line[at:where])
            at = where + len(piece)
        if at > end:
            return None
        return [*values, line[at:end]]

    def _begin(self, line: str, at: int) -> list[str] | None:
        """The same for a text that another text continues."""
        values: list[str] = []
        for piece in [*self._middle, self._last]:
            where = line.find(piece, at)
            if where < 0:
                return None
            values.append(line[at:where])
            at = where + len(piece)
        return [*values, line[at:]]
