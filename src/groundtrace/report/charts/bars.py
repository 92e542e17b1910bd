"""Bars: by row and configuration with their numbers, or divided into parts that add up."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup

from groundtrace.base.frozen import Frozen
from groundtrace.report.svg import Scale, bar, fitted, mark, picture, text, text_width

BAR, GAP, BETWEEN = 13, 3, 13
STACK, BETWEEN_STACKS, MOST_NAMES = 20, 9, 0.44
NARROW_BELOW = 400


class Bar(Frozen, frozen=True):
    """One bar."""

    colour: str
    value: float | None
    """None if there is no value. Then words say so; a bar of length 0 is never drawn for it."""
    text: str
    """The number beside it."""
    title: str
    """The full text, on hover and for screen readers."""


class BarRow(Frozen, frozen=True):
    """Bars of all configurations under one label."""

    label: str
    bars: tuple[Bar, ...]


def grouped_bars(
    rows: Sequence[BarRow], label: str, width: int, *, top: float | None = None
) -> Markup:
    """The picture; `top` is the value of the longest possible bar (default: the largest value)."""
    stacked = width < NARROW_BELOW
    names = 14.0 if stacked else min(max(text_width(r.label) for r in rows) + 26, width * 0.42)
    room = max((text_width(b.text) for r in rows for b in r.bars if b.value is not None), default=0)
    longest = top or max((b.value or 0.0 for r in rows for b in r.bars), default=0.0) or 1.0
    scale = Scale(0.0, longest, names, width - room - 10)
    marks: list[Markup] = []
    y = 4.0
    for row in rows:
        height = len(row.bars) * (BAR + GAP) - GAP
        if stacked:
            marks.append(text(0, y + 11, fitted(row.label, width), "label"))
            y += 17
        else:
            middle = y + height / 2 + 4
            marks.append(text(names - 22, middle, fitted(row.label, names - 22), "label", "end"))
        for one in row.bars:
            marks.append(mark(names - 8, y + BAR / 2, 4, one.colour))
            if one.value is None:
                marks.append(text(names + 2, y + 11, one.text, "absent"))
            else:
                end = scale(one.value)
                marks.append(bar(names, y, end - names, BAR, f"f-{one.colour}", one.title))
                marks.append(text(end + 5, y + 11, one.text, "value"))
            y += BAR + GAP
        y += BETWEEN - GAP
    return picture(width, y, label, *marks)


class BarPart(Frozen, frozen=True):
    """A part of a bar."""

    class_: str
    number: int
    title: str


class StackedRow(Frozen, frozen=True):
    """The bar of one configuration."""

    label: str
    colour: str
    parts: tuple[BarPart, ...]

    @property
    def total(self) -> int:
        """The sum of its parts."""
        return sum(part.number for part in self.parts)


def stacked_bars(
    rows: Sequence[StackedRow], key: Sequence[tuple[str, str]], label: str, width: int
) -> Markup:
    """The picture; `key` gives the class and the words of each part, shown above the bars."""
    stacked = width < NARROW_BELOW
    longest = max(text_width(row.label) for row in rows) + 30
    names = 0.0 if stacked else min(longest, width * MOST_NAMES)
    room = max(text_width(_tasks(row.total)) for row in rows) + 10
    marks: list[Markup] = []
    x = names
    for class_, words in key:
        marks.append(bar(x, 3, 11, 11, class_))
        marks.append(text(x + 16, 13, words, "tick"))
        x += text_width(words) + 26
    y = 24.0
    for row in rows:
        middle = y + STACK / 2
        if stacked:
            marks.append(mark(6, y + 7, 5, row.colour))
            marks.append(text(16, y + 11, fitted(row.label, width - 16), "label"))
            y += 17
            middle = y + STACK / 2
        else:
            marks.append(mark(6, middle, 5, row.colour))
            marks.append(text(16, middle + 4, fitted(row.label, names - 26), "label"))
        scale = Scale(0.0, float(row.total), names, width - room)
        before = 0
        for part in row.parts:
            start, end = scale(before), scale(before + part.number)
            if part.number:
                marks.append(bar(start, y, end - start - 1, STACK, part.class_, part.title))
                if end - start > text_width(f"{part.number:,}") + 6:
                    where = (start + end) / 2
                    marks.append(text(where, middle + 4, f"{part.number:,}", "inside", "middle"))
            before += part.number
        marks.append(text(width - room + 8, middle + 4, _tasks(row.total), "value"))
        y += STACK + BETWEEN_STACKS
    return picture(width, y - BETWEEN_STACKS + 4, label, *marks)


def _tasks(number: int) -> str:
    return f"of {number:,}"
