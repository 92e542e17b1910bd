"""Files whose rows are trials: one JSON object per line, a list of objects, or one object.

A row has an id that is unique in its file. Several rows of one instance are several attempts; the
later ones get a number.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from groundtrace import jsonio
from groundtrace.frozen import Frozen
from groundtrace.model import Problem
from groundtrace.patterns import regex
from groundtrace.storage import Folder
from groundtrace.traces.elements import MAX_ELEMENT, Elements
from groundtrace.traces.jsonl import read_lines

_LIST = regex(rb"\s*+(?:\xef\xbb\xbf)?\s*+\[")
_NO_CALL = regex(rb"(?!)")
_LOOK = 1 << 16
_LINES = (".jsonl", ".ndjson")
_NUMBER = regex(r"\.\d+\Z|\Arow-\d+\Z")


class RawRow(Frozen, frozen=True):
    """The bytes of one row."""

    number: int
    """From 1."""
    data: bytes
    """Empty if the row is too long to decode."""
    alone: bool = False
    """Whether this one object is the whole file."""
    value: Any = None
    """The object, if it is the whole file: it was decoded to know that."""


def read_raw_rows(folder: Folder, path: str) -> Iterator[RawRow]:
    """The rows of a file, in order and not decoded."""
    with folder.open(path) as stream:
        head = stream.read(_LOOK)
        start = _LIST.match(head)
        if start is not None:
            scanner = Elements(stream, head[start.end() :], _NO_CALL)
            for number, data in enumerate(scanner.elements(), start=1):
                yield RawRow(number, data)
            return
    alone = _one_object(folder, path, head)
    if alone is not None:
        yield alone
        return
    with folder.open(path) as stream:
        for line in read_lines(stream):
            yield RawRow(line.number, line.data)


def _one_object(folder: Folder, path: str, head: bytes) -> RawRow | None:
    """The row of a file that is one object, on one or many lines, and not one object per line."""
    first, end, rest = head.partition(b"\n")
    if path.endswith(_LINES) and first.strip() not in (b"", b"{"):
        return None  # one row in a file of rows is still a row
    entry = folder.stat(path)
    if entry is None or entry.size > MAX_ELEMENT:
        return None
    try:
        if end and rest.strip():
            jsonio.loads(first)
            return None
    except jsonio.BadJsonError:
        pass
    try:
        data = folder.read(path, MAX_ELEMENT)
        return RawRow(1, data, alone=True, value=jsonio.loads(data))
    except jsonio.BadJsonError:
        return None


def decoded(row: RawRow, path: str) -> Mapping[str, Any] | Problem:
    """A row as an object, or what is wrong with it."""
    if not row.data:
        reason = "a row is too large to be decoded"
        return Problem(path, "line_too_long", reason, line=row.number)
    try:
        value = row.value if row.alone else jsonio.loads(row.data)
    except jsonio.BadJsonError as error:
        return Problem(path, "broken_line", f"not JSON: {error}", line=row.number)
    if not isinstance(value, dict):
        reason = f"a row is {type(value).__name__}, not an object"
        return Problem(path, "wrong_type", reason, line=row.number)
    return value


class RowIds:
    """Gives every row an id that is unique in its file."""

    def __init__(self, name_of: Callable[[Mapping[str, Any]], str | None]) -> None:
        self._name_of = name_of
        self._seen: Counter[str] = Counter()

    def next(self, row: RawRow, value: Mapping[str, Any]) -> str | None:
        """The id of the next row; None if the file is one object."""
        if row.alone:
            return None
        name = self._name_of(value) or f"row-{row.number}"
        self._seen[name] += 1
        count = self._seen[name]
        return name if count == 1 else f"{name}.{count}"


def find_row(
    folder: Folder,
    path: str,
    sample_id: str | None,
    name_of: Callable[[Mapping[str, Any]], str | None],
    *,
    is_literal: bool = False,
) -> Mapping[str, Any] | Problem:
    """The row with this id; without an id, the only row of a file.

    `is_literal` says that the name occurs literally in the bytes of its row. Rows without it are
    then not decoded, which saves much time in a data set of 80,000 rows.
    """
    ids = RowIds(name_of)
    name = _NUMBER.sub("", sample_id or "")
    mark = name.encode() if is_literal and re.fullmatch(r"[\w.-]+", name, re.ASCII) else b""
    only: Mapping[str, Any] | Problem | None = None
    for row in read_raw_rows(folder, path):
        if mark and row.data and mark not in row.data:
            continue
        value = decoded(row, path)
        if sample_id is None:
            if only is not None:
                return Problem(
                    path, "unrecognised", "the file has several rows; name one by its id"
                )
            only = value
        elif not isinstance(value, Problem) and ids.next(row, value) == sample_id:
            return value
    return only or Problem(path, "unrecognised", f"no row {sample_id!r} in the file")
