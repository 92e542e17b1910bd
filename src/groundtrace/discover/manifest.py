"""Manifests: a CSV or JSONL file with one trial per row.

`trace` is the path of a trace, relative to the manifest; `#id` at its end picks a sample. What a
row states wins over what the trace states. An unknown column becomes a group.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from msgspec import field

from groundtrace.base.frozen import Frozen
from groundtrace.base.jsonio import BadJsonError, clean_text, loads
from groundtrace.base.limit import OverLimitError, guarded
from groundtrace.base.values import as_amount, as_score, known
from groundtrace.model import Problem
from groundtrace.storage import Folder, TooLargeError

SUFFIXES = (".csv", ".jsonl")
TEXTS = ("task", "config", "run", "trial", "repo", "model", "harness", "harness_version")
NUMBERS = ("reward", "cost_usd", "agent_seconds")
COLUMNS = ("trace", *TEXTS, *NUMBERS)

MAX_MANIFEST = 256 * 1024 * 1024
MAX_ROWS = 200_000
"""A million rows took 500 MB."""


class ManifestRow(Frozen, frozen=True):
    """One row: a trace and what is stated about it."""

    number: int
    """Line of the manifest, from 1."""
    trace: str
    """Path of the file as written, without the sample."""
    sample: str | None = None
    texts: Mapping[str, str] = field(default_factory=dict)
    numbers: Mapping[str, float] = field(default_factory=dict)
    groups: Mapping[str, str] = field(default_factory=dict)


def is_manifest(folder: Folder, name: str) -> bool:
    """Whether a file is a manifest: its header or its first row has the column `trace`."""
    if not name.casefold().endswith(SUFFIXES):
        return False
    try:
        with folder.open(name) as stream:
            head = stream.read(64 * 1024)
    except OSError:
        return False
    first = head.removeprefix(b"\xef\xbb\xbf").lstrip().replace(b"\r", b"\n").partition(b"\n")[0]
    if name.casefold().endswith(".csv"):
        return _mark_between(first.decode("utf-8", errors="replace")) is not None
    try:
        row = loads(first)
    except BadJsonError:
        return False
    return isinstance(row, dict) and isinstance(row.get("trace"), str)


def _mark_between(first: str) -> str | None:
    """The mark between the columns of a header that has `trace`; in many countries programs write `;`."""
    import csv

    for mark in ",;\t":
        try:
            header = _columns(next(csv.reader([first], delimiter=mark), []))
        except csv.Error:  # a cell larger than any
            continue
        if "trace" in header:
            return mark
    return None


def _columns(cells: Iterable[str]) -> list[str]:
    """Names of columns; those that are known in lower case."""
    names = [cell.strip() for cell in cells]
    return [name.casefold() if name.casefold() in COLUMNS else name for name in names]


def read_manifest(folder: Folder, name: str, problems: list[Problem]) -> list[ManifestRow]:
    """The rows that can be used; every other row becomes a problem with its line."""
    entry = folder.stat(name)
    try:
        with guarded(0 if entry is None else entry.size):
            return list(_rows(folder.read(name, MAX_MANIFEST), name, problems))
    except (TooLargeError, OverLimitError) as error:
        problems.append(Problem(name, "too_large", str(error)))
    except OSError as error:
        problems.append(Problem(name, "unreadable", f"cannot be read: {error}"))
    return []


def _rows(data: bytes, name: str, problems: list[Problem]) -> Iterator[ManifestRow]:
    text = data.decode("utf-8-sig", errors="replace")
    rows = (
        _csv(text, name, problems)
        if name.casefold().endswith(".csv")
        else _jsonl(text, name, problems)
    )
    for count, (number, row) in enumerate(rows):
        if count == MAX_ROWS:
            reason = f"more than {MAX_ROWS:,} rows; the others are not read"
            problems.append(Problem(name, "too_large", reason, line=number))
            return
        made = _row(row, number, name, problems)
        if made is not None:
            yield made


def _csv(text: str, name: str, problems: list[Problem]) -> Iterator[tuple[int, dict[str, Any]]]:
    import csv
    import io

    if "\n" not in text:
        text = text.replace("\r", "\n")  # as old programs end lines
    mark = _mark_between(text.lstrip().partition("\n")[0])
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=mark or ",")
    header: list[str] | None = None
    try:
        for cells in reader:
            if not any(cell.strip() for cell in cells):
                continue
            if header is None:
                header = _columns(cells)
                continue
            if len(cells) > len(header):
                reason = f"{len(cells)} cells under {len(header)} columns"
                problems.append(Problem(name, "bad_row", reason, line=reader.line_num))
                continue
            yield reader.line_num, dict(zip(header, cells, strict=False))
    except csv.Error as error:
        problems.append(Problem(name, "bad_row", f"not CSV: {error}", line=reader.line_num))


def _jsonl(text: str, name: str, problems: list[Problem]) -> Iterator[tuple[int, dict[str, Any]]]:
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            row = loads(line.encode("utf-8", errors="surrogatepass"))
        except BadJsonError as error:
            problems.append(Problem(name, "bad_row", f"not valid JSON: {error}", line=number))
            continue
        if isinstance(row, dict):
            yield number, row
        else:
            problems.append(Problem(name, "bad_row", "no object", line=number))


def _row(
    row: Mapping[str, Any], number: int, name: str, problems: list[Problem]
) -> ManifestRow | None:
    trace = _text(row.get("trace"))
    if trace is None:
        problems.append(Problem(name, "bad_row", "no trace in this row", line=number))
        return None
    if "\0" in trace:
        problems.append(Problem(name, "bad_row", "no file has a NUL in its name", line=number))
        return None
    numbers: dict[str, float] = {}
    for column in NUMBERS:
        given = row.get(column)
        if given is None or given == "":
            continue
        value = _number(given)
        if column != "reward" and value is not None:
            value = as_amount(value)
        if value is None:
            reason = f"{column} is not a number and was left out"
            problems.append(Problem(name, "bad_row", reason, line=number, place=column))
        else:
            numbers[column] = value
    path, _, sample = trace.partition("#")
    return ManifestRow(
        number,
        path,
        sample or None,
        {column: text for column in TEXTS if (text := _text(row.get(column))) is not None},
        numbers,
        {
            clean_text(str(column)): text
            for column, given in row.items()
            if column not in COLUMNS and (text := _text(given)) is not None
        },
    )


def _text(value: Any) -> str | None:
    if isinstance(value, bool | int | float):
        value = str(value)
    return known(clean_text(value)) if isinstance(value, str) else None


def _number(value: Any) -> float | None:
    if isinstance(value, str):
        try:
            value = float(value)
        except ValueError:
            return {"true": 1.0, "false": 0.0}.get(value.strip().casefold())
    return as_score(value)
