"""Tables as CSV files: what is written can be read again without loss."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from pathlib import Path

Value = str | int | float | None
Row = dict[str, Value]
Table = list[Row]


def csv_text(table: Sequence[Row]) -> str:
    """A table as CSV: floats with all their digits, no value as an empty cell, no row as no text."""
    if not table:
        return ""
    out = io.StringIO()
    writer = csv.DictWriter(out, list(table[0]), lineterminator="\n")
    writer.writeheader()
    for row in table:
        writer.writerow({name: "" if value is None else value for name, value in row.items()})
    return out.getvalue()


def read_csv(path: Path) -> Table:
    """A table that `csv_text` wrote; a cell that looks like a number is one."""
    with path.open(encoding="utf-8", newline="") as lines:
        return [{name: _value(text) for name, text in row.items()} for row in csv.DictReader(lines)]


def number(row: Row, name: str) -> float:
    """A value that is a number."""
    value = row[name]
    if not isinstance(value, int | float):
        raise TypeError(f"{name} is {value!r}, not a number")
    return value


def _value(text: str) -> Value:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return text or None
