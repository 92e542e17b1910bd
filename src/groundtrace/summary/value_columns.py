"""Rows as compact columns: eight bytes for each value, so that a million trials fit into memory."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Mapping
from math import fsum, isfinite, sqrt

from groundtrace.documents.summary import Distribution
from groundtrace.metrics.rounding import rounded


class NameCodes:
    """Strings as small numbers, first seen first."""

    def __init__(self) -> None:
        self.names: list[str] = []
        self._codes: dict[str, int] = {}

    def code(self, name: str) -> int:
        """The number of a name; a new name gets the next one."""
        code = self._codes.setdefault(name, len(self.names))
        if code == len(self.names):
            self.names.append(name)
        return code


class ValueColumn:
    """One value for each row, or the reason why there is none."""

    def __init__(self, reasons: NameCodes) -> None:
        self._values = array("d")
        self._why = array("h")
        self._reasons = reasons

    def add(self, value: float) -> None:
        """Append a value; infinities and NaN count as missing."""
        if isfinite(value):
            self._values.append(value)
            self._why.append(-1)
        else:
            self.skip("not_finite")

    def skip(self, why: str) -> None:
        """Append the reason why this row has no value."""
        self._values.append(0.0)
        self._why.append(self._reasons.code(why))

    def by_unit(
        self, rows: array[int], units: array[int] | None
    ) -> tuple[list[float], Mapping[str, int]]:
        """The mean of each unit's rows, and the units without any value by their first reason.

        `units` holds the unit of each row of the table; None when every row is its own unit.
        """
        names = self._reasons.names
        values, whys = self._values, self._why
        if units is None:
            found = [values[row] for row in rows if whys[row] < 0]
            if len(found) == len(rows):  # most columns of most groups
                return found, {}
            return found, Counter(names[whys[row]] for row in rows if whys[row] >= 0)
        sums: dict[int, list[float]] = {}
        missing: dict[int, int] = {}
        for row in rows:
            if whys[row] < 0:
                sums.setdefault(units[row], []).append(values[row])
            else:
                missing.setdefault(units[row], whys[row])
        left_out = Counter(names[why] for unit, why in missing.items() if unit not in sums)
        return [fsum(of_unit) / len(of_unit) for of_unit in sums.values()], left_out

    def distribution(self, rows: array[int], units: array[int] | None) -> Distribution:
        """Statistics over the units of these rows."""
        values, left_out = self.by_unit(rows, units)
        return distribution(values, left_out)


def distribution(values: list[float], left_out: Mapping[str, int]) -> Distribution:
    """Mean, median, spread and quartiles of values, with what was left out."""
    reasons = dict(sorted(left_out.items())) if left_out else {}
    n = len(values)
    if not n:
        return Distribution(n=0, left_out=reasons)
    if n == 1:
        return _of_one(values[0], reasons)
    ordered = sorted(values)
    mean = fsum(ordered) / n
    spread = sqrt(fsum((value - mean) ** 2 for value in ordered) / (n - 1))
    return Distribution(
        n=n,
        left_out=reasons,
        mean=rounded(mean),
        median=rounded(quantile(ordered, 0.5)),
        sd=rounded(spread),
        q1=rounded(quantile(ordered, 0.25)),
        q3=rounded(quantile(ordered, 0.75)),
        minimum=rounded(ordered[0]),
        maximum=rounded(ordered[-1]),
    )


def _of_one(value: float, left_out: dict[str, int]) -> Distribution:
    """The same for one value, without sorting: folders of small runs have hundreds of such groups."""
    only = rounded(value)
    return Distribution(
        n=1,
        left_out=left_out,
        mean=only,
        median=only,
        sd=None,
        q1=only,
        q3=only,
        minimum=only,
        maximum=only,
    )


def quantile(ordered: list[float], share: float) -> float:
    """The quantile by linear interpolation between the closest ranks (Hyndman and Fan's type 7,
    which numpy and most spreadsheets use)."""
    place = (len(ordered) - 1) * share
    below = int(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (place - below)
