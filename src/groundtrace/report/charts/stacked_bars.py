"""One bar for each configuration, divided into parts that add up to all of its tasks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from groundtrace.report.charts.grouped_bars import NARROW_BELOW
from groundtrace.report.svg import Scale, bar, circle, fitted, picture, text, text_width

BAR, BETWEEN, MOST_NAMES = 20, 9, 0.44


@dataclass(frozen=True, slots=True)
class BarPart:
    """A part of a bar."""

    class_: str
    number: int
    title: str


@dataclass(frozen=True, slots=True)
class StackedRow:
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
        middle = y + BAR / 2
        if stacked:
            marks.append(circle(5, y + 7, 5, f"f-{row.colour}"))
            marks.append(text(16, y + 11, fitted(row.label, width - 16), "label"))
            y += 17
            middle = y + BAR / 2
        else:
            marks.append(circle(5, middle, 5, f"f-{row.colour}"))
            marks.append(text(16, middle + 4, fitted(row.label, names - 26), "label"))
        scale = Scale(0.0, float(row.total), names, width - room)
        before = 0
        for part in row.parts:
            start, end = scale(before), scale(before + part.number)
            if part.number:
                marks.append(bar(start, y, end - start - 1, BAR, part.class_, part.title))
                if end - start > text_width(f"{part.number:,}") + 6:
                    where = (start + end) / 2
                    marks.append(text(where, middle + 4, f"{part.number:,}", "inside", "middle"))
            before += part.number
        marks.append(text(width - room + 8, middle + 4, _tasks(row.total), "value"))
        y += BAR + BETWEEN
    return picture(width, y - BETWEEN + 4, label, *marks)


def _tasks(number: int) -> str:
    return f"of {number:,}"
