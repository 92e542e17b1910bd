"""Hunks of unified diffs: which lines of one side are shown."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from groundtrace.answers.cuts import Cut, Half
from groundtrace.base.patterns import regex

HUNK = regex(
    r"@@ -(?P<old>\d{1,9})(?:,(?P<olds>\d{1,9}))? \+(?P<new>\d{1,9})(?:,(?P<news>\d{1,9}))? @@"
)


def shown_of_side(lines: Iterable[str], sign: str) -> Iterator[tuple[int, int]]:
    """First and last line of each run of the side with this sign (`-`: old, `+`: new).

    Of a hunk that a cut goes through, the lines in front of it count from the hunk's first and
    those behind it from its last, if no other hunk comes in between.
    """
    start = size = 0
    pieces: list[int] = [0]
    for line in [*lines, "@@ -0,0 +0,0 @@"]:
        found = HUNK.match(line)
        if found is not None:
            yield from _runs(start, size, pieces)
            names = ("old", "olds") if sign == "-" else ("new", "news")
            start, size = int(found[names[0]]), int(found[names[1]] or 1)
            pieces = [0]
        elif isinstance(line, Cut):
            pieces.append(0)
        elif isinstance(line, Half) and not line.ends:
            continue  # the end of a line that the cut went through: its sign is gone
        elif line[:1] in (" ", "", sign):
            pieces[-1] += 1


def _runs(start: int, size: int, pieces: Sequence[int]) -> Iterator[tuple[int, int]]:
    head, *rest = pieces
    if head and size:
        yield start, start + min(head, size) - 1
    if len(rest) == 1 and rest[0] and head + rest[0] <= size:
        yield start + size - rest[0], start + size - 1
