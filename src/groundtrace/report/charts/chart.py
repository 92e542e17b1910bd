"""What charts share: their record, their two widths, and the colour of each configuration (D69)."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from markupsafe import Markup

from groundtrace.report.blocks import Paragraph, ReportTable

MAX_CONFIGS = 8
"""Configurations in one chart: one for each colour that a reader can tell apart."""

FEW_CONFIGS = 4
"""Configurations in a chart that has a group of marks for each of several questions."""

WIDE, HALF, NARROW = 940, 450, 330
"""Widths in pixels: a chart over the whole column, one of two side by side, one on a phone."""

BASELINE_CLASS = "baseline"

Colours = Mapping[str, str]
"""Configuration to the name of its colour, `k0` to `k7`."""

Draw = Callable[[int], Markup]
"""Draws a chart for a width."""


@dataclass(frozen=True, slots=True)
class Chart:
    """One chart, drawn for wide and for narrow screens."""

    id: str
    section: str
    """Id of the section that shows it."""
    question: Paragraph
    alt: str
    """What it shows, for readers who cannot see it."""
    wide: Markup | None
    """None where a sentence says all: the note then is that sentence."""
    narrow: Markup | None
    key: tuple[tuple[str, str], ...] = ()
    """Configurations with their colours."""
    numbers: ReportTable | None = None
    """The numbers behind it."""
    note: Paragraph = ()
    size: Literal["whole", "half"] = "half"


def drawn(draw: Draw, size: Literal["whole", "half"] = "half") -> tuple[Markup, Markup]:
    """A chart at both of its widths."""
    return draw(WIDE if size == "whole" else HALF), draw(NARROW)


def colours_of(configs: Iterable[str]) -> dict[str, str]:
    """A colour for each configuration, the same in every chart and nearly every report.

    The name decides, so that a configuration keeps its colour from one report to the next: those
    called `baseline…` are blue, the others get one of the other colours. Where two names ask for
    the same colour, the one that comes later takes the next free one.
    """
    taken: dict[str, int] = {}
    for name in sorted(configs, key=lambda name: (not name.startswith(BASELINE_CLASS), name)):
        number = zlib.crc32(name.encode("utf-8", "surrogatepass")) % (MAX_CONFIGS - 1)
        wanted = 0 if name.startswith(BASELINE_CLASS) else 1 + number
        free = [n for n in range(MAX_CONFIGS) if n not in taken.values()]
        taken[name] = min(free, key=lambda n: (n - wanted) % MAX_CONFIGS) if free else wanted
    return {name: f"k{number}" for name, number in taken.items()}


def key_of(configs: Iterable[str], colours: Colours) -> tuple[tuple[str, str], ...]:
    """The colours that a chart has to explain."""
    return tuple((name, colours[name]) for name in configs)
