"""Axes: thin lines at round values, with their numbers."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from markupsafe import Markup

from groundtrace.report.svg.elements import group, line, text
from groundtrace.report.svg.scales import Scale, tick_text


def across(
    scale: Scale,
    top: float,
    bottom: float,
    *,
    ticks: Sequence[float] | None = None,
    write: Callable[[float], str] = tick_text,
    title: str = "",
) -> Markup:
    """The horizontal axis below a plot, with a line upwards at each number."""
    values = scale.ticks() if ticks is None else ticks
    marks = [
        part
        for value in values
        for part in (
            line(scale(value), top, scale(value), bottom, "grid"),
            text(scale(value), bottom + 15, write(value), "tick", "middle"),
        )
    ]
    if title:
        marks.append(text(scale.end, bottom + 32, title, "axis", "end"))
    return group(*marks)
