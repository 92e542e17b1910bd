"""How a row of the answer writes its numbers: all of them alike, and none rounded away."""

from __future__ import annotations

from collections.abc import Iterable
from math import isfinite

from msgspec.structs import replace

from groundtrace.base.frozen import Frozen
from groundtrace.documents.answer import AnswerRow
from groundtrace.impact.answer_names import AS_POINTS
from groundtrace.metrics.catalogue import QUANTITIES
from groundtrace.report.formats import MANY, MINUS, MISSING

MOST_MORE = 2
"""Most decimals that are added so that a difference does not read as 0, and follows from the means
beside it: 62 % and 97 % are not +36 points apart."""
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
    """Of both means and their difference."""
    decimals_of_ends: int = 0
    """Of the ends of an interval, which nobody adds up: never more."""

    def value(self, number: float | None) -> str:
        """A mean."""
        return MISSING if number is None else self._signed(number, "", self.after, self.decimals)

    def change(self, number: float | None) -> str:
        """A difference, with its sign."""
        return MISSING if number is None else self._signed(number, "+", self.behind, self.decimals)

    def end(self, number: float) -> str:
        """An end of an interval: as a difference, but a unit of words is not repeated."""
        unit = "" if self.behind == " points" else self.behind
        return self._signed(number, "+", unit, self.decimals_of_ends)

    def _signed(self, number: float, plus: str, unit: str, decimals: int) -> str:
        if not isfinite(number):
            return MISSING
        scaled = abs(number) * self.factor
        text = f"{scaled:.3g}" if scaled >= _HUGE else f"{scaled:,.{decimals}f}"
        zero = not any(char in "123456789" for char in text)
        sign = "" if zero else MINUS if number < 0 else plus
        return f"{sign}{self.before}{text}{unit}"


def style_of(row: AnswerRow) -> Style:
    """The style of a row, by its unit and its smallest number."""
    means = [abs(v) for v in (row.baseline, row.config) if v is not None]
    start = _start(row, means)
    every = [*means, *(v for v in (row.delta, row.ci_low, row.ci_high) if v is not None)]
    enough = [
        decimals
        for decimals in range(start.decimals, start.decimals + MOST_MORE + 1)
        if not _vanish(every, start.factor, decimals)
    ] or [start.decimals + MOST_MORE]
    # With about one row in 64 no number of decimals fits; then the fewest are shown.
    decimals = next((d for d in enough if _follows(row, start.factor, d)), enough[0])
    return replace(start, decimals=decimals, decimals_of_ends=enough[0])


def _start(row: AnswerRow, means: Iterable[float]) -> Style:
    unit = QUANTITIES[row.metric].unit if row.metric in QUANTITIES else ""
    if row.metric in AS_POINTS:
        return Style(100, "", " %", " points", 0)
    if unit == "USD":
        return Style(1, "$", "", "", 2)
    if unit == "s":
        largest = max(means, default=0.0)
        if largest >= 7200:
            return Style(1 / 3600, "", " h", " h", 1)
        if largest >= 120:
            return Style(1 / 60, "", " min", " min", 1 if largest < 1200 else 0)
        return Style(1, "", " s", " s", 0 if largest >= 20 else 1)
    if unit:
        return Style(1, "", "", "", 0)
    return Style(1, "", "", "", 3 if row.n >= MANY else 2)


def _vanish(numbers: Iterable[float], factor: float, decimals: int) -> bool:
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
