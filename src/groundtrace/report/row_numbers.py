"""How a row of the answer writes its numbers: all of them alike, and none rounded away."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import isfinite

from groundtrace.documents.answer import AnswerRow
from groundtrace.metrics.catalogue import QUANTITIES
from groundtrace.report.formats import MANY, MINUS, MISSING

AS_POINTS = ("shown.file_recall", "util_read_overlap_with_relevant_files")
"""Shares that are shown in per cent."""

MOST_MORE = 2
"""Most decimals that are added so that a difference does not read as 0."""
_HUGE = 1e12


@dataclass(frozen=True, slots=True)
class Style:
    """How the numbers of one row are written."""

    factor: float
    before: str
    after: str
    """Behind a value."""
    behind: str
    """Behind a difference."""
    decimals: int

    def value(self, number: float | None) -> str:
        """A mean."""
        return MISSING if number is None else self._signed(number, "", self.after)

    def change(self, number: float | None) -> str:
        """A difference, with its sign."""
        return MISSING if number is None else self._signed(number, "+", self.behind)

    def end(self, number: float) -> str:
        """An end of an interval: as a difference, but a unit of words is not repeated."""
        return self._signed(number, "+", "" if self.behind == " points" else self.behind)

    def _signed(self, number: float, plus: str, unit: str) -> str:
        if not isfinite(number):
            return MISSING
        scaled = abs(number) * self.factor
        text = f"{scaled:.3g}" if scaled >= _HUGE else f"{scaled:,.{self.decimals}f}"
        zero = not any(char in "123456789" for char in text)
        sign = "" if zero else MINUS if number < 0 else plus
        return f"{sign}{self.before}{text}{unit}"


def style_of(row: AnswerRow) -> Style:
    """The style of a row, by its unit and its smallest number."""
    means = [abs(v) for v in (row.baseline, row.config) if v is not None]
    start = _start(row, means)
    every = [*means, *(v for v in (row.delta, row.ci_low, row.ci_high) if v is not None)]
    more = next(
        (k for k in range(MOST_MORE) if not _vanish(every, start.factor, start.decimals + k)),
        MOST_MORE,
    )
    return Style(start.factor, start.before, start.after, start.behind, start.decimals + more)


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
        number and isfinite(number) and abs(number) * factor < 0.5 * 10.0**-decimals
        for number in numbers
    )
