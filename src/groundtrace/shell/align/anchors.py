"""Anchors: separators that tie a line of the output to a part before the division begins.

They make long outputs cheap, because each stretch between two anchors is divided on its own. They
are nearly always right: an anchor is a text of three characters or more that the command prints
once and that the output holds once.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from groundtrace.shell.align.fit import Segment
from groundtrace.shell.streams.text import Text
from groundtrace.shell.weights import MIN_ANCHOR


def anchors_of(printing: Sequence[Segment], lines: Sequence[str]) -> list[tuple[int, int]]:
    """Separators that occur once in the command and once in the output: (part, line), rising."""
    texts: dict[str, int] = {}  # a Counter takes longer to make than to count so few
    for segment in printing:
        if isinstance(segment.part, Text):
            for line in segment.part.lines:
                texts[line] = texts.get(line, 0) + 1
    if not texts:
        return []
    where: dict[str, int] = {}
    repeated: set[str] = set()
    for number, line in enumerate(lines):
        if line in texts:
            if line in where:
                repeated.add(line)
            where[line] = number
    fixed: list[tuple[int, int]] = []
    for index, segment in enumerate(printing):
        part = segment.part
        if not isinstance(part, Text) or len(part.lines) != 1:
            continue
        text = part.lines[0]
        if len(text) >= MIN_ANCHOR and texts[text] == 1 and text in where and text not in repeated:
            fixed.append((index, where[text]))
    return _rising(fixed)


def _rising(pairs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The longest list of pairs in which the lines rise with the parts.

    By chance a file may hold the text before its real place; the other pairs outvote that pair.
    """
    if all(a[1] < b[1] for a, b in itertools.pairwise(pairs)):
        return pairs
    best = [1] * len(pairs)
    back = [-1] * len(pairs)
    for i in range(len(pairs)):
        for j in range(i):
            if pairs[j][1] < pairs[i][1] and best[j] + 1 > best[i]:
                best[i], back[i] = best[j] + 1, j
    at = max(range(len(pairs)), key=best.__getitem__)
    out: list[tuple[int, int]] = []
    while at >= 0:
        out.append(pairs[at])
        at = back[at]
    return out[::-1]
