"""Bars by row and configuration, each with its number beside it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from groundtrace.report.svg import Scale, bar, fitted, picture, text, text_width

BAR, GAP, BETWEEN = 13, 3, 13
NARROW_BELOW = 400


@dataclass(frozen=True, slots=True)
class Bar:
    """One bar."""

    colour: str
    value: float | None
    """None if there is no value. Then words say so; a bar of length 0 is never drawn for it."""
    text: str
    """The number beside it."""
    title: str
    """The full text, on hover and for screen readers."""


@dataclass(frozen=True, slots=True)
class BarRow:
    """Bars of all configurations under one label."""

    label: str
    bars: tuple[Bar, ...]


def grouped_bars(
    rows: Sequence[BarRow], label: str, width: int, *, top: float | None = None
) -> Markup:
    """The picture; `top` is the value of the longest possible bar (default: the largest value)."""
    stacked = width < NARROW_BELOW
    names = 0.0 if stacked else min(max(text_width(r.label) for r in rows) + 12, width * 0.42)
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
            marks.append(text(names - 10, middle, fitted(row.label, names - 10), "label", "end"))
        for one in row.bars:
            if one.value is None:
                marks.append(text(names + 2, y + 11, one.text, "absent"))
            else:
                end = scale(one.value)
                marks.append(bar(names, y, end - names, BAR, f"f-{one.colour}", one.title))
                marks.append(text(end + 5, y + 11, one.text, "value"))
            y += BAR + GAP
        y += BETWEEN - GAP
    return picture(width, y, label, *marks)
