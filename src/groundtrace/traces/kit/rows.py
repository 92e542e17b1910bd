"""Files whose rows are trials: one JSON object per line, a list of objects, or one object.

A row has an id that is unique in its file. Several rows of one instance are several attempts; the
later ones get a number. Where each row is in its file is noted when all of them are named, so that
a row is found without reading those before it: reading 400 rows one by one took 47 seconds, and
four times as many took sixteen times as long.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from groundtrace.base import jsonio
from groundtrace.base.frozen import Frozen
from groundtrace.base.jsonl import read_lines
from groundtrace.base.patterns import regex
from groundtrace.base.values import as_text
from groundtrace.model import Problem, Stated
from groundtrace.storage import Folder
from groundtrace.traces.kit.claims import Sample
from groundtrace.traces.kit.known import HELD, Known, file_key
from groundtrace.traces.kit.lists import MAX_ELEMENT, Elements

_LIST = regex(rb"\s*+(?:\xef\xbb\xbf)?\s*+\[")
_NO_CALL = regex(rb"(?!)")
_LOOK = 1 << 16
_LINES = (".jsonl", ".ndjson")
_BOM = b"\xef\xbb\xbf"
_BLANK = b" \t\r"
MAX_PLACES = 200_000
"""Most rows of a file whose places are kept; they take about 30 MB."""


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
    offset: int = 0
    """Where it starts in the file."""
    length: int = 0
    """Its bytes in the file, with blanks around it."""


def read_raw_rows(folder: Folder, path: str) -> Iterator[RawRow]:
    """The rows of a file, in order and not decoded."""
    with folder.open(path) as stream:
        head = stream.read(_LOOK)
        start = _LIST.match(head)
        if start is not None:
            scanner = Elements(stream, head[start.end() :], _NO_CALL)
            for number, data in enumerate(scanner.elements(), start=1):
                ended = start.end() + scanner.passed + scanner.position
                yield RawRow(number, data, offset=ended - len(data), length=len(data))
            return
        alone = _one_object(folder, path, head)
        if alone is not None:
            yield alone
            return
        stream.seek(0)
        for line in read_lines(stream):
            yield RawRow(line.number, line.data, offset=line.offset, length=line.length)


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


_IDS = ("instance_id", "task_id", "id", "uid", "uuid", "traj_id", "trajectory_id")


def row_id(row: Mapping[str, Any]) -> str | None:
    """The id of a row, under any of the usual names."""
    for key in _IDS:
        value = row.get(key)
        if isinstance(value, int) and not isinstance(value, bool):
            return str(value)
        if name := as_text(value):
            return name
    return None


class Naming(Frozen, frozen=True):
    """How rows are named."""

    key: str
    """Equal for rules that give the same names."""
    name_of: Callable[[Mapping[str, Any]], str | None]
    """The instance that a row names; None if it names none."""


class UniqueNames:
    """Adds a number to a name that was given before."""

    def __init__(self) -> None:
        self._given: dict[str, int] = {}

    def next(self, name: str) -> str:
        """The name, or name.2, name.3 and so on."""
        unique = name
        while unique in self._given:  # something else can be called name.2 as well
            self._given[name] += 1
            unique = f"{name}.{self._given[name]}"
        self._given[unique] = 1
        return unique


class NamedRow(NamedTuple):
    """One row with its id."""

    name: str | None
    """Unique in the file; None if the file is one object, or for a row that cannot be used."""
    value: Mapping[str, Any] | Problem


class _Place(Frozen, frozen=True):
    """Where a row is in its file."""

    number: int
    offset: int
    length: int


_known: Known[dict[str, _Place]] = Known(4)
"""Of a file and a rule of names the places of its rows, by id."""


def named_rows(folder: Folder, path: str, naming: Naming) -> Iterator[NamedRow]:
    """All rows of a file, each with an id that is unique in it."""
    key = file_key(folder, path, naming.key)
    places: dict[str, _Place] = {}
    names = UniqueNames()
    for row in read_raw_rows(folder, path):
        value = decoded(row, path)
        if row.alone or isinstance(value, Problem):
            yield NamedRow(None, value)
            continue
        name = names.next(naming.name_of(value) or f"row-{row.number}")
        if len(places) <= MAX_PLACES:
            places[name] = _Place(row.number, row.offset, row.length)
            if key is not None:
                HELD.keep((*key, name), value, row.length)
        yield NamedRow(name, value)
    if len(places) <= MAX_PLACES:
        _known.keep(key, places)


def row_samples(
    folder: Folder, path: str, naming: Naming, stated_of: Callable[[Mapping[str, Any]], Stated]
) -> Iterator[Sample | Problem]:
    """All rows of a file as trials, each with what it states."""
    for name, value in named_rows(folder, path, naming):
        yield value if isinstance(value, Problem) else Sample(name, stated_of(value))


def find_row(
    folder: Folder, path: str, sample_id: str | None, naming: Naming
) -> Mapping[str, Any] | Problem:
    """The row with this id; without an id, the only row of a file."""
    if sample_id is None:
        return _only_row(folder, path)
    key = file_key(folder, path, naming.key)
    if key is not None and (held := HELD.take((*key, sample_id))) is not None:
        value: Mapping[str, Any] = held
        return value
    places = _known.get(key)
    if places is not None and sample_id in places:
        place = places[sample_id]
        read = decoded(_row_at(folder, path, place), path)
        if not isinstance(read, Problem):
            # A file can change so that neither its size nor its time shows it.
            name = naming.name_of(read) or f"row-{place.number}"
            if name in (sample_id, sample_id.rpartition(".")[0]):
                return read
    found: Mapping[str, Any] | None = None
    for row in named_rows(folder, path, naming):
        if row.name == sample_id and not isinstance(row.value, Problem):
            found = row.value  # the others are named too, so that each is found at once
    if key is not None:
        HELD.take((*key, sample_id))
    return found or Problem(path, "unrecognised", f"no row {sample_id!r} in the file")


def _only_row(folder: Folder, path: str) -> Mapping[str, Any] | Problem:
    only: Mapping[str, Any] | Problem | None = None
    for row in read_raw_rows(folder, path):
        if only is not None:
            return Problem(path, "unrecognised", "the file has several rows; name one by its id")
        only = decoded(row, path)
    return only or Problem(path, "unrecognised", "the file has no rows")


def _row_at(folder: Folder, path: str, place: _Place) -> RawRow:
    with folder.open(path) as stream:
        stream.seek(place.offset)
        data = stream.read(place.length)
    return RawRow(place.number, data.removeprefix(_BOM).strip(_BLANK))
