"""Holes: private characters that stand for text which cannot be known.

`echo "== $f =="` in a loop prints a line with an unknown middle. It is kept as `== H ==`,
where H is one private character; each unknown has its own, so that a printed line can later tell
the value of just this variable. A word with a hole in it is never taken for a file name.
"""

from __future__ import annotations

import re

HOLE = "\ue000"
"""Anything, unknown."""
FIRST_HOLE = 0xE001
LAST_HOLE = 0xF8FF
HOLES = re.compile("[\ue000-\uf8ff]")


def has_hole(text: str) -> bool:
    """Whether something in a text is not known. Most texts are plain ASCII, which is told at once."""
    return not text.isascii() and HOLES.search(text) is not None


class Holed:
    """A line with holes. Each stands for any text, as little as fits.

    Found piece by piece: compiling an expression for it took longer than all its matches.
    """

    __slots__ = ("_first", "_last", "_middle")

    def __init__(self, text: str) -> None:
        self._first, *self._middle, self._last = HOLES.split(text)

    def match(self, line: str, unended: bool = False) -> list[str] | None:
        """What stands in the holes; None when the line is another. `unended`: more may follow."""
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
        """The same for a text that another goes on behind."""
        values: list[str] = []
        for piece in [*self._middle, self._last]:
            where = line.find(piece, at)
            if where < 0:
                return None
            values.append(line[at:where])
            at = where + len(piece)
        return [*values, line[at:]]
