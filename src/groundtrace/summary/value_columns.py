"""Rows as compact columns: eight bytes for each value, so that a million trials fit into memory."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Mapping
from math import fsum, isfinite, sqrt

from groundtrace.documents.summary import Distribution
from groundtrace.rows.means import mean_of, quantile


class NameCodes:
    """Strings as small numbers, in the order in which they first appear."""

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

    def drop(self, row: int, why: str) -> None:
        """Remove a row's value; a row without a value keeps its reason."""
        if self._why[row] < 0:
            self._values[row] = 0.0
            self._why[row] = self._reasons.code(why)

    def has(self, row: int) -> bool:
        """Whether a row has a value."""
        return self._why[row] < 0

    def by_unit(
        self, rows: array[int], units: array[int] | None
    ) -> tuple[list[float], Mapping[str, int]]:
        """The mean of each unit's rows; and the number of units without any value, by reason.

        The reason of a unit is the one that most of its rows give (if several, the first by name),
        as in the impact analysis. `units` holds the unit of each row of the table; None if every
        row is its own unit.
        """
        names = self._reasons.names
        values, whys = self._values, self._why
        if units is None:
            found = [values[row] for row in rows if whys[row] < 0]
            if len(found) == len(rows):  # true for most columns of most groups
                return found, {}
            return found, Counter(names[whys[row]] for row in rows if whys[row] >= 0)
        by_unit: dict[int, list[float]] = {}
        missing: dict[int, list[str]] = {}
        for row in rows:
            if whys[row] < 0:
                by_unit.setdefault(units[row], []).append(values[row])
            else:
                missing.setdefault(units[row], []).append(names[whys[row]])
        left_out = Counter(
            max(sorted(set(whys_of)), key=whys_of.count)
            for unit, whys_of in missing.items()
            if unit not in by_unit
        )
        means = (mean_of(of_unit) for of_unit in by_unit.values())
        return [mean for mean in means if mean is not None], left_out

    def distribution(self, rows: array[int], units: array[int] | None) -> Distribution:
        """Statistics over the units of these rows."""
        if len(rows) == 1:  # every group of a run of one trial, most groups of a run of two
            why = self._why[row := rows[0]]
            if why < 0:
                return _of_at_most_one([self._values[row]], {})
            return Distribution(n=0, left_out={self._reasons.names[why]: 1})
        values, left_out = self.by_unit(rows, units)
        return distribution(values, left_out)


def distribution(values: list[float], left_out: Mapping[str, int]) -> Distribution:
    """Mean, median, spread and quartiles of values, with what was left out."""
    reasons = dict(sorted(left_out.items())) if left_out else {}
    n = len(values)
    if n < 2:
        return _of_at_most_one(values, reasons)
    ordered = sorted(values)
    mean = mean_of(ordered)
    assert mean is not None
    return Distribution(
        n=n,
        left_out=reasons,
        mean=mean,
        median=quantile(ordered, 0.5),
        sd=_spread(ordered, mean),
        q1=quantile(ordered, 0.25),
        q3=quantile(ordered, 0.75),
        minimum=ordered[0],
        maximum=ordered[-1],
    )


def _of_at_most_one(values: list[float], left_out: dict[str, int]) -> Distribution:
    """The same for no value or one value, without sorting: folders of small runs have hundreds of
    such groups."""
    if not values:
        return Distribution(n=0, left_out=left_out)
    only = values[0]
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


def _spread(ordered: list[float], mean: float) -> float | None:
    """Sample standard deviation; None if it is too large for a double."""
    # Scaled by the largest deviation: the square of 1e200 is too large for a double.
    scale = max(ordered[-1] - mean, mean - ordered[0])
    if not isfinite(scale):
        return None
    if scale <= 0:
        return 0.0
    share = fsum([((value - mean) / scale) ** 2 for value in ordered]) / (len(ordered) - 1)
    return scale * sqrt(share)
