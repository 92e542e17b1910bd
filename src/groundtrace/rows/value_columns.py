"""Rows as compact columns: eight bytes for each value, so that a million trials fit into memory."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from math import fsum, isfinite, sqrt
from operator import itemgetter
from typing import NamedTuple, cast

from groundtrace.documents.base import in_order
from groundtrace.documents.summary import Distribution
from groundtrace.rows.means import mean_of, quartiles

Units = Sequence[Sequence[int]]
"""The rows of each unit: grouped once, for 200 columns."""


class NameCodes:
    """Strings as small numbers, in the order in which they first appear."""

    def __init__(self) -> None:
        self.names: list[str] = []
        self.codes: dict[str, int] = {}

    def code(self, name: str) -> int:
        """The number of a name; a new name gets the next one."""
        code = self.codes.setdefault(name, len(self.names))
        if code == len(self.names):
            self.names.append(name)
        return code


class ValueColumn:
    """One value for each row, or the reason why there is none."""

    __slots__ = ("_missing", "_only", "_reasons", "_values", "_why")

    def __init__(self, reasons: NameCodes, values: array[float], why: array[int]) -> None:
        self._reasons = reasons
        self._values = values
        self._why = why
        """The code of the reason; -1 for a value."""
        self._missing: int | None = None
        """Rows without a value, once they are counted."""
        self._only: int | None = None
        """The code that all rows have, -2 if they differ, once that is known."""

    def extend(self, values: array[float], why: array[int]) -> None:
        """Append more rows."""
        self._values.extend(values)
        self._why.extend(why)
        self._missing = self._only = None

    def drop(self, row: int, why: str) -> None:
        """Remove a row's value; a row without a value keeps its reason."""
        if self._why[row] < 0:
            self._values[row] = 0.0
            self._why[row] = self._reasons.code(why)
            self._missing = self._only = None

    def __getitem__(self, row: int) -> tuple[float, int]:
        """The value of a row and -1; else the code of the reason."""
        return self._values[row], self._why[row]

    def has(self, row: int) -> bool:
        """Whether a row has a value."""
        return self._why[row] < 0

    def _has_all(self) -> bool:
        """Whether every row has a value."""
        if self._missing is None:
            self._missing = len(self._why) - self._why.count(-1)
        return not self._missing

    def by_unit(
        self, rows: array[int], units: Units | None
    ) -> tuple[list[float], Mapping[str, int]]:
        """The mean of each unit's rows; and the number of units without any value, by reason.

        The reason of a unit is the one that most of its rows give (if several, the first by name),
        as in the impact analysis. `units` holds the rows of each unit; None if every row is its own
        unit.
        """
        names = self._reasons.names
        values, whys = self._values, self._why
        if self._only is None:
            self._only = whys[0] if whys and whys.count(whys[0]) == len(whys) else -2
        if self._only >= 0 and len(rows):  # nothing of the kind was measured: half of the columns
            return [], {names[self._only]: len(rows if units is None else units)}
        if units is None and self._has_all():  # true for most columns
            whole = len(rows) == len(values)
            return values.tolist() if whole else list(map(values.__getitem__, rows)), {}
        return _by_unit(values, whys, names, rows, units)

    def distribution(self, rows: array[int], units: Units | None) -> Distribution:
        """Statistics over the units of these rows."""
        values, left_out = self.by_unit(rows, units)
        return distribution(values, left_out)


def _by_unit(
    values: Sequence[float],
    whys: Sequence[int],
    names: Sequence[str],
    rows: Sequence[int],
    units: Units | None,
) -> tuple[list[float], Mapping[str, int]]:
    """See `ValueColumn.by_unit`."""
    if units is None:
        found = [values[row] for row in rows if whys[row] < 0]
        codes = Counter([why for row in rows if (why := whys[row]) >= 0])
        return found, {names[code]: n for code, n in codes.items()}
    means: list[float] = []
    left_out: Counter[str] = Counter()
    for of_unit in units:
        if len(of_unit) == 1 and whys[of_unit[0]] < 0:
            means.append(values[of_unit[0]])
            continue
        mean = mean_of([values[row] for row in of_unit if whys[row] < 0])
        if mean is not None:
            means.append(mean)
        else:
            whys_of = [names[whys[row]] for row in of_unit]
            left_out[max(sorted(set(whys_of)), key=whys_of.count)] += 1
    return means, left_out


class _Alike(NamedTuple):
    """Columns of a table that are the same."""

    values: list[float]
    whys: list[int]
    names: list[str]


BLOCK = 256
"""Rows that are collected before they are moved into columns."""


Why = Callable[[str], str]
"""Says why a row has no value of a name."""


class ValueTable:
    """Values of all rows, as columns by name.

    Rows are collected one after the other, because appending a row to 200 columns takes 200 calls.
    The tables of most runs never have more rows than that.
    """

    def __init__(self, places: Mapping[str, int]) -> None:
        """`places` are the names of the values and their places in a row, in the order of places."""
        self._places = places
        self._reasons = NameCodes()
        self._values = array("d")
        self._why = array("h")
        self._columns: dict[str, ValueColumn] = {}
        self._alike: Sequence[_Alike] | None = None
        """The columns of a small table, equal ones as one, once statistics are asked for."""
        self._made: dict[tuple[bytes, tuple[tuple[str, int], ...]], Distribution] = {}
        self._made_of_one: dict[tuple[float | str, int], Distribution] = {}
        """Statistics by what they are of. Half of the columns of a run without ground truth are
        alike: as one record they are made, masked and ordered once."""

    def add(self, values: list[float | None], names: Sequence[str], why: Why) -> None:
        """Append a row: a value for each name, or None for `why` to say why there is none.

        Infinities and NaN count as missing.
        """
        codes = array("h", (-1,)) * len(values)
        code, known, place = self._reasons.code, self._reasons.codes.get, -1
        for _ in range(values.count(None)):
            place = values.index(None, place + 1)
            values[place] = 0.0
            reason = why(names[place])
            found = known(reason)
            codes[place] = code(reason) if found is None else found
        row = array("d", cast("list[float]", values))  # no None is left
        if not isfinite(sum(row)):
            for place, value in enumerate(row):
                if not isfinite(value):
                    row[place] = 0.0
                    codes[place] = code("not_finite")
        self._values += row
        self._why += codes
        if len(self._values) >= BLOCK * len(self._places):
            self._move()

    def _move(self) -> None:
        """Move the rows collected so far to the ends of the columns."""
        width = len(self._places)
        for name, place in self._places.items():
            values, why = self._values[place::width], self._why[place::width]
            if name in self._columns:
                self._columns[name].extend(values, why)
            else:
                self._columns[name] = ValueColumn(self._reasons, values, why)
        self._values, self._why = array("d"), array("h")

    def finish(self) -> None:
        """Call this after the last row."""
        self._alike = None
        if self._columns:
            self._move()

    def has(self, name: str, row: int) -> bool:
        """Whether a row has a value."""
        return self[name].has(row)

    def drop(self, name: str, row: int, why: str) -> None:
        """Remove a row's value; a row without a value keeps its reason."""
        self._alike = None
        self[name].drop(row, why)
        if self._why:  # the column is a copy
            place = row * len(self._places) + self._places[name]
            if self._why[place] < 0:
                self._values[place], self._why[place] = 0.0, self._reasons.code(why)

    def __getitem__(self, name: str) -> ValueColumn:
        """A column of the finished table."""
        column = self._columns.get(name)
        if column is None:
            place, width = self._places[name], len(self._places)
            values, why = self._values[place::width], self._why[place::width]
            column = self._columns[name] = ValueColumn(self._reasons, values, why)
        return column

    def statistics(self, rows: array[int], units: Units | None) -> dict[str, Distribution]:
        """Statistics of every value over the units of these rows; see `ValueColumn.by_unit`."""
        if len(rows) == 1:
            return self._of_row(rows[0])
        if not self._why:  # a large table is not searched for columns that are alike
            return {name: self[name].distribution(rows, units) for name in self._places}
        if self._alike is None:
            self._alike = self._columns_alike()
        places = {row: place for place, row in enumerate(rows)}
        within = None if units is None else [[places[row] for row in unit] for unit in units]
        one_by_one = within is None or len(within) == len(rows)
        reasons, number = self._reasons.names, len(rows if units is None else units)
        complete = (-1,) * len(rows)
        of_rows = itemgetter(*rows)
        known: dict[tuple[bytes, tuple[int, ...]], Distribution] = {}
        found: dict[str, Distribution] = {}
        for column in self._alike:
            values, whys = of_rows(column.values), of_rows(column.whys)
            key = (array("d", values).tobytes(), whys)  # 0.0 is not -0.0
            made = known.get(key)
            if made is None:
                if whys == complete and one_by_one:
                    made = self._made_of(values, {})
                elif whys[0] >= 0 and whys.count(whys[0]) == len(whys):
                    made = self._made_of((), {reasons[whys[0]]: number})
                else:
                    made = self._made_of(*_by_unit(values, whys, reasons, range(len(rows)), within))
                known[key] = made
            found.update(dict.fromkeys(column.names, made))
        return found

    def _columns_alike(self) -> list[_Alike]:
        """Half of the columns are the same as another: two lists of files are equal, or nothing of
        the kind was measured. They are compared once, and not again for each group of rows."""
        width = len(self._places)
        found: dict[tuple[bytes, bytes], _Alike] = {}
        for name, place in self._places.items():
            values, whys = self._values[place::width], self._why[place::width]
            key = (values.tobytes(), whys.tobytes())  # 0.0 is not -0.0
            if key not in found:
                found[key] = _Alike(values.tolist(), whys.tolist(), [])
            found[key].names.append(name)
        return list(found.values())

    def _of_row(self, row: int) -> dict[str, Distribution]:
        """The same for one row, which most groups of a small run have."""
        names, found = self._reasons.names, {}
        values, whys = self._row(row)
        for name, place in self._places.items():
            value, why = values[place], whys[place]
            key = (value if value or why >= 0 else str(value), why)  # 0.0 is not -0.0
            made = self._made_of_one.get(key)
            if made is None:
                made = _of_one(value) if why < 0 else Distribution(n=0, left_out={names[why]: 1})
                self._made_of_one[key] = made
            found[name] = made
        return found

    def _row(self, row: int) -> tuple[Sequence[float], Sequence[int]]:
        """The values of a row and the codes of reasons, by place."""
        if self._why:  # not in columns, and 200 columns need not be made for one row
            start, end = row * len(self._places), (row + 1) * len(self._places)
            return self._values[start:end], self._why[start:end]
        values, whys = zip(*(self[name][row] for name in self._places), strict=True)
        return values, whys

    def _made_of(self, values: Sequence[float], left_out: Mapping[str, int]) -> Distribution:
        key = (array("d", values).tobytes(), tuple(left_out.items()))  # 0.0 is not -0.0
        made = self._made.get(key)
        if made is None:
            made = self._made[key] = distribution(values, left_out)
        return made


def distribution(values: Sequence[float], left_out: Mapping[str, int]) -> Distribution:
    """Mean, median, spread and quartiles of values, with what was left out."""
    reasons = in_order(left_out) if left_out else {}
    n = len(values)
    if n < 2:
        return _of_one(values[0], reasons) if values else Distribution(n=0, left_out=reasons)
    ordered = sorted(values)
    if ordered[0] == ordered[-1]:
        return _of_equal(ordered, reasons)
    mean = mean_of(ordered)
    assert mean is not None
    q1, median, q3 = quartiles(ordered)
    return Distribution(
        n=n,
        left_out=reasons,
        mean=mean,
        median=median,
        sd=_spread(ordered, mean),
        q1=q1,
        q3=q3,
        minimum=ordered[0],
        maximum=ordered[-1],
    )


def _of_equal(ordered: Sequence[float], left_out: dict[str, int]) -> Distribution:
    """The same for two equal values or more: the mean is that value, but never minus zero."""
    value = ordered[0] + 0.0
    return Distribution(
        n=len(ordered),
        left_out=left_out,
        mean=value,
        median=value,
        sd=0.0,
        q1=value,
        q3=value,
        minimum=ordered[0],
        maximum=ordered[-1],
    )


def _of_one(only: float, left_out: dict[str, int] | None = None) -> Distribution:
    """The same for one value, without sorting."""
    return Distribution(
        n=1,
        left_out={} if left_out is None else left_out,
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
