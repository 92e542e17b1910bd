"""How numbers beside each other are written: all of a unit alike, none rounded away, and every
difference is that of the means as written (D340)."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from math import isfinite
from typing import Protocol

from msgspec.structs import replace

from groundtrace.base.frozen import Frozen
from groundtrace.documents.answer import AnswerRow
from groundtrace.impact.answer_names import AS_POINTS, MANY, MINUS, MISSING
from groundtrace.metrics.catalogue import QUANTITIES

MOST_MORE = 2
"""Most decimals that are added so that a number does not read as 0."""
_HUGE = 1e12
_NOISE = 1e-7
"""Smaller numbers are what a search for the end of an interval leaves of 0."""


class Compared(Protocol):
    """Two means, their difference and its interval."""

    @property
    def baseline(self) -> float | None: ...
    @property
    def config(self) -> float | None: ...
    @property
    def delta(self) -> float | None: ...
    @property
    def ci_low(self) -> float | None: ...
    @property
    def ci_high(self) -> float | None: ...


class Numbers(Frozen, frozen=True):
    """The numbers of a row that is no row of an answer."""

    baseline: float | None
    config: float | None
    delta: float | None
    ci_low: float | None = None
    ci_high: float | None = None


class Style(Frozen, frozen=True):
    """How the numbers of one row are written."""

    factor: float
    before: str
    after: str
    """Behind a value."""
    behind: str
    """Behind a difference."""
    decimals: int
    """Of the ends of intervals."""
    decimals_of_means: int = 0
    """Of means and their difference: as many, or one more where the difference as written would not
    be the exact one, rounded. 62 % and 97 % are not +36 points apart; 61.5 % and 97.4 % are +35.9."""

    def value(self, number: float | None) -> str:
        """A mean."""
        if number is None:
            return MISSING
        return self._signed(number, "", self.after, self.decimals_of_means)

    def change(self, row: Compared) -> str:
        """The difference of a row, with its sign."""
        if row.delta is None or not self._fits(row.delta):
            return MISSING if row.delta is None else self._signed(row.delta, "+", self.behind, 0)
        found = self._difference(row, self.decimals_of_means)
        return self._sign(found, "+", f"{abs(found):,}", self.behind)

    def size(self, row: Compared) -> str:
        """The same without its sign, as a sentence says it: money below a dollar in cents, and a
        number of anything without its unit."""
        if row.delta is None or not self._fits(row.delta):
            return self.change(row).lstrip(f"+{MINUS}")
        found = abs(self._difference(row, self.decimals_of_means))
        if self.before == "$" and found < 1:
            cents = f"{found.scaleb(2):,}"
            cents = cents.rstrip("0").rstrip(".") if "." in cents else cents
            return "1 cent" if cents == "1" else f"{cents} cents"
        return self._sign(found, "", f"{found:,}", self.behind)

    def end(self, number: float) -> str:
        """An end of an interval: as a difference, but a unit of words is not repeated."""
        unit = "" if self.behind == " points" else self.behind
        return self._signed(number, "+", unit, self.decimals)

    def follows(self, row: Compared, decimals: int) -> bool:
        """Whether the difference of the means, written with so many decimals, is also the exact one,
        rounded."""
        if row.delta is None or not self._fits(row.delta):
            return True
        return self._difference(row, decimals) == self._rounded(row.delta, decimals)

    def outside(self, row: Compared) -> bool:
        """Whether the difference as written lies outside its interval as written."""
        ends = [row.ci_low, row.ci_high]
        known = [end for end in ends if end is not None and self._fits(end)]
        if row.delta is None or not self._fits(row.delta) or len(known) < 2:
            return False
        low, high = (self._rounded(end, self.decimals) for end in known)
        return not low <= self._difference(row, self.decimals_of_means) <= high

    def _difference(self, row: Compared, decimals: int) -> Decimal:
        means = [n for n in (row.baseline, row.config) if n is not None and self._fits(n)]
        if len(means) < 2:
            return self._rounded(row.delta or 0.0, decimals)
        before, after = (self._rounded(number, decimals) for number in means)
        return after - before

    def _rounded(self, number: float, decimals: int) -> Decimal:
        return Decimal(f"{number * self.factor:.{decimals}f}")

    def _fits(self, number: float) -> bool:
        return abs(number) * self.factor < _HUGE

    def _signed(self, number: float, plus: str, unit: str, decimals: int) -> str:
        if not isfinite(number):
            return MISSING
        scaled = abs(number) * self.factor
        text = f"{scaled:,.{decimals}f}" if self._fits(number) else f"{scaled:.3g}"
        return self._sign(number, plus, text, unit)

    def _sign(self, number: float | Decimal, plus: str, text: str, unit: str) -> str:
        zero = not any(char in "123456789" for char in text)
        unit = " point" if unit == " points" and text == "1" else unit
        sign = "" if zero else MINUS if number < 0 else plus
        return f"{sign}{self.before}{text}{unit}"


def styles_of(rows: Sequence[AnswerRow]) -> list[Style]:
    """The style of each row: rows of one unit are written alike, so that they can be compared."""
    kinds = [_kind(row.metric) for row in rows]
    alike = {}
    for kind in set(kinds):
        own = [row for row, of in zip(rows, kinds, strict=True) if of == kind]
        largest = max(
            (abs(n) for row in own for n in _known(row.baseline, row.config)), default=0.0
        )
        alike[kind] = _style(own, _start(kind, largest, max(row.n for row in own)))
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


def style_in_table(metric: str, row: Compared) -> Style:
    """The style of one row of a table of a report, where readers compare values: with more digits
    than the answer has."""
    largest = max(map(abs, _known(row.baseline, row.config)), default=0.0)
    return _style([row], _start_in_table(QUANTITIES[metric].unit, largest))


def style_of_task(metric: str, row: Compared) -> Style:
    """The style of one task's two values."""
    largest = max(map(abs, _known(row.baseline, row.config)), default=0.0)
    return _style([row], _start(_kind(metric), largest, 1))


def _known(*numbers: float | None) -> list[float]:
    return [number for number in numbers if number is not None]


def _style(rows: Sequence[Compared], start: Style) -> Style:
    # Ends of an interval that are not the same do not read the same: +1 to +1 was +0.7 to +1.3.
    half = [
        (r.ci_high - r.ci_low) / 2 for r in rows if r.ci_low is not None and r.ci_high is not None
    ]
    numbers = [n for r in rows for n in (r.baseline, r.config, r.delta, r.ci_low, r.ci_high)]
    style = _enough(start, [*_known(*numbers), *half])
    more = not all(style.follows(row, style.decimals) for row in rows)
    found = replace(style, decimals_of_means=style.decimals + more)
    if any(found.outside(row) for row in rows):
        return replace(found, decimals=found.decimals_of_means)
    return found


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


def _start_in_table(unit: str | None, largest: float) -> Style:
    if unit == "USD":
        return Style(1, "$", "", "", 3 if largest < 1 else 2)
    if unit == "s":
        return Style(1, "", " s", " s", 1 if largest < 99.95 else 0)
    return Style(1, "", "", "", 2 if unit in ("files", "calls") else 0 if unit else 3)


def _vanish(numbers: Sequence[float], factor: float, decimals: int) -> bool:
    """Whether a number that is not 0 would be written as 0, or a share that is not whole as 100 %; a
    half is rounded to an even digit."""
    least = 0.5 * 10.0**-decimals / factor
    missing = (
        abs(abs(number) - whole) for number in numbers for whole in (0, 1)[: 1 + (factor == 100)]
    )
    return any(_NOISE < far <= least for far in missing)
