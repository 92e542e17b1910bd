"""How the rows of an answer write their numbers: all of a unit alike, and none rounded away."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite

from msgspec.structs import replace

from groundtrace.base.frozen import Frozen
from groundtrace.documents.answer import AnswerRow
from groundtrace.impact.answer_names import AS_POINTS
from groundtrace.metrics.catalogue import QUANTITIES
from groundtrace.report.formats import MANY, MINUS, MISSING

MOST_MORE = 2
"""Most decimals that are added so that a number does not read as 0."""
_HUGE = 1e12
_NOISE = 1e-7
"""Smaller numbers are what a search for the end of an interval leaves of 0."""


class Style(Frozen, frozen=True):
    """How the numbers of one row are written."""

    factor: float
    before: str
    after: str
    """Behind a value."""
    behind: str
    """Behind a difference."""
    decimals: int
    """Of differences and the ends of their intervals."""
    decimals_of_means: int = 0
    """As many, or one more so that the difference follows from the means beside it: 62 % and 97 %
    are not +36 points apart, 61.5 % and 97.4 % are. One more is always enough: two means with an
    error of half a tenth each are never a tenth off."""

    def value(self, number: float | None) -> str:
        """A mean."""
        return (
            MISSING
            if number is None
            else self._signed(number, "", self.after, self.decimals_of_means)
        )

    def change(self, number: float | None) -> str:
        """A difference, with its sign."""
        return MISSING if number is None else self._signed(number, "+", self.behind, self.decimals)

    def end(self, number: float) -> str:
        """An end of an interval: as a difference, but a unit of words is not repeated."""
        unit = "" if self.behind == " points" else self.behind
        return self._signed(number, "+", unit, self.decimals)

    def _signed(self, number: float, plus: str, unit: str, decimals: int) -> str:
        if not isfinite(number):
            return MISSING
        scaled = abs(number) * self.factor
        text = f"{scaled:.3g}" if scaled >= _HUGE else f"{scaled:,.{decimals}f}"
        zero = not any(char in "123456789" for char in text)
        unit = " point" if unit == " points" and text == "1" else unit
        sign = "" if zero else MINUS if number < 0 else plus
        return f"{sign}{self.before}{text}{unit}"


def styles_of(rows: Sequence[AnswerRow]) -> list[Style]:
    """The style of each row: rows of one unit are written alike, so that they can be compared."""
    kinds = [_kind(row.metric) for row in rows]
    alike = {kind: _style([r for r, own in zip(rows, kinds, strict=True) if own == kind], kind)
             for kind in set(kinds)}  # fmt: skip
    return [alike[kind] for kind in kinds]


def decimals_of_shares(rows: Sequence[AnswerRow]) -> int:
    """How many decimals the rows give to means in per cent."""
    return max((s.decimals_of_means for s in styles_of(rows) if s.behind == " points"), default=0)


def style_of_means(metric: str, means: Sequence[float]) -> Style:
    """The style of means that stand beside each other without differences."""
    start = _enough(_start(_kind(metric), max(map(abs, means), default=0.0), 1), means)
    return replace(start, decimals_of_means=start.decimals)


def _kind(metric: str) -> str:
    if metric in AS_POINTS:
        return "share"
    return (QUANTITIES[metric].unit if metric in QUANTITIES else "") or ""


def _style(rows: Sequence[AnswerRow], kind: str) -> Style:
    means = [abs(v) for row in rows for v in (row.baseline, row.config) if v is not None]
    changes = [v for row in rows for v in (row.delta, row.ci_low, row.ci_high) if v is not None]
    start = _start(kind, max(means, default=0.0), max(row.n for row in rows))
    # Ends of an interval that are not the same do not read the same: +1 to +1 was +0.7 to +1.3.
    half = [
        (r.ci_high - r.ci_low) / 2 for r in rows if r.ci_low is not None and r.ci_high is not None
    ]
    style = _enough(start, [*means, *changes, *half])
    more = not all(_follows(row, style.factor, style.decimals) for row in rows)
    return replace(style, decimals_of_means=style.decimals + more)


def _enough(start: Style, numbers: Sequence[float]) -> Style:
    """With so many decimals that no number reads as 0."""
    decimals = start.decimals
    while decimals < start.decimals + MOST_MORE and _vanish(numbers, start.factor, decimals):
        decimals += 1
    return replace(start, decimals=decimals)


def _start(kind: str, largest: float, n: int) -> Style:
    if kind == "share":
        return Style(100, "", " %", " points", 0)
    if kind == "USD":
        return Style(1, "$", "", "", 2)
    if kind == "s":
        if largest >= 7200:
            return Style(1 / 3600, "", " h", " h", 1)
        if largest >= 120:
            return Style(1 / 60, "", " min", " min", 1 if largest < 1200 else 0)
        return Style(1, "", " s", " s", 0 if largest >= 20 else 1)
    if kind:
        return Style(1, "", "", "", 0)
    return Style(1, "", "", "", 3 if n >= MANY else 2)


def _vanish(numbers: Sequence[float], factor: float, decimals: int) -> bool:
    """Whether a number that is not 0 would be written as 0."""
    return any(
        abs(number) > _NOISE and isfinite(number) and abs(number) * factor < 0.5 * 10.0**-decimals
        for number in numbers
    )


def _follows(row: AnswerRow, factor: float, decimals: int) -> bool:
    """Whether the difference as written is that of the means as written."""
    if row.baseline is None or row.config is None or row.delta is None:
        return True
    written = [
        float(f"{number * factor:.{decimals}f}") for number in (row.config, row.baseline, row.delta)
    ]
    return abs(written[0] - written[1] - written[2]) < 0.5 * 10.0**-decimals
