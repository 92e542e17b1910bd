"""What charts share: their record and their two widths."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Literal

from markupsafe import Markup

from groundtrace.base.frozen import Frozen
from groundtrace.report.blocks import Paragraph, ReportTable

FEW_CONFIGS = 4
"""Most configurations in a chart that has a group of marks for each of several questions."""

WIDE, HALF, NARROW = 940, 450, 330
"""Widths in pixels: a chart over the whole column, one of two side by side, one on a phone."""

Colours = Mapping[str, str]
"""Configuration to the name of its colour, `k0` to `k7`."""

Draw = Callable[[int], Markup]
"""Draws a chart for a width."""


class Chart(Frozen, frozen=True):
    """One chart, drawn for wide and for narrow screens."""

    id: str
    section: str
    """Id of the section that shows it."""
    question: Paragraph
    alt: str
    """What it shows, for readers who cannot see it."""
    wide: Markup | None
    """None if a sentence says everything; then the note is that sentence."""
    narrow: Markup | None
    key: tuple[tuple[str, str], ...] = ()
    """Configurations with their colours."""
    numbers: ReportTable | None = None
    """The numbers behind it."""
    note: Paragraph = ()
    size: Literal["whole", "half"] = "half"
    on_phones: str = ""
    """What else to say below the narrow drawing."""
    pair: str = ""
    """The pair of configurations that it is about; shown while that pair is chosen."""


_TITLES = re.compile("<title>[^<]*</title>(?=</(?:rect|circle|path)>)")


def drawn(draw: Draw, size: Literal["whole", "half"] = "half") -> tuple[Markup, Markup]:
    """A chart at both of its widths. On a phone nothing hovers, so marks need no titles there."""
    narrow = Markup(_TITLES.sub("", draw(NARROW)))
    return draw(WIDE if size == "whole" else HALF), narrow


def key_of(configs: Iterable[str], colours: Colours) -> tuple[tuple[str, str], ...]:
    """The colours that a chart has to explain."""
    return tuple((name, colours[name]) for name in configs)
