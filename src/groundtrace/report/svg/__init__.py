"""Pictures as inline SVG: elements, scales and axes. The page loads nothing for them.

Colours are classes of the page's style sheet, so pictures need no redrawing for another theme or
for printing. Every text is escaped; no name can become markup.
"""

from __future__ import annotations

from groundtrace.report.svg.axes import across
from groundtrace.report.svg.elements import (
    bar,
    circle,
    element,
    fitted,
    group,
    line,
    link,
    path,
    picture,
    text,
    text_width,
)
from groundtrace.report.svg.scales import Scale, tick_text

__all__ = [
    "Scale",
    "across",
    "bar",
    "circle",
    "element",
    "fitted",
    "group",
    "line",
    "link",
    "path",
    "picture",
    "text",
    "text_width",
    "tick_text",
]
