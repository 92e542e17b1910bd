"""Rows that were made in this process, kept in a temporary file until later stages need them.

A row takes 4.5 kB in memory, so only the position of each row in the file is in memory, but for the
first few. Rows are not compressed: compression halved the file but doubled the time.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import TYPE_CHECKING

import msgspec

from groundtrace.base.kept_bytes import KeptBytes

if TYPE_CHECKING:
    from groundtrace.rows.trial_row import TrialRow


@cache
def _decoder() -> msgspec.msgpack.Decoder[TrialRow]:
    """Made when used: a run without changes reads no rows."""
    from groundtrace.rows.trial_row import TrialRow

    return msgspec.msgpack.Decoder(TrialRow)


_PICKLED = b"P"
"""First byte of a row in the second form; MessagePack never begins a row with it."""


HELD = 200
"""Rows that also stay as they are: a megabyte. Most commands need no others, and making what reads
them took 5 of 400 million instructions of evaluating two trials."""


class _Packed(bytes):
    """A row as it is stored, and the row itself where it was made; another process gets the bytes."""

    row: TrialRow

    def __reduce__(self) -> tuple[type[bytes], tuple[bytes]]:
        return bytes, (bytes(self),)


def packed(row: TrialRow) -> bytes:
    """A row as the file stores it. Workers pack their rows, so that the parent only writes them.

    MessagePack is made and read in a fifth of the time of pickle. It cannot hold half of a
    surrogate pair, as names of files can, or a count beyond 64 bits: then the row is pickled.
    """
    try:
        data = _Packed(msgspec.msgpack.encode(row))
    except (UnicodeEncodeError, OverflowError):
        import pickle

        data = _Packed(_PICKLED + pickle.dumps(row, pickle.HIGHEST_PROTOCOL))
    data.row = row
    return data


def unpacked(data: bytes) -> TrialRow:
    """A row from its bytes, which this program made."""
    if data.startswith(_PICKLED):
        import pickle

        row: TrialRow = pickle.loads(data[1:])
        return row
    return _decoder().decode(data)


class KeptRows(Mapping[str, "TrialRow"]):
    """Rows of one run by document; each is read from the file when it is needed."""

    __slots__ = ("_file", "_held", "_places")

    def __init__(self, file: KeptBytes, held: dict[int, TrialRow]) -> None:
        """`held`: the rows of this file that stay in memory, by their positions."""
        self._file = file
        self._held = held
        self._places: dict[str, int] = {}

    def keep(self, document: str, row: TrialRow) -> None:
        """Add a row, or replace the row of this document."""
        self.keep_packed(document, packed(row))

    def keep_packed(self, document: str, data: bytes, *, may_hold: bool = False) -> None:
        """The same, for a row that was packed where it was made. `may_hold`: all that it was made
        from was read from documents, so it is the same as when it is read back: an outcome that was
        not can have a reward of 1 that comes back as 1.0."""
        place = self._places[document] = self._file.add(data)
        if may_hold and isinstance(data, _Packed) and len(self._held) < HELD:
            self._held[place] = data.row

    def packed(self, document: str) -> bytes:
        """The row of a document as the file stores it."""
        return self._file.data(self._places[document])

    def all_packed(self) -> dict[str, bytes]:
        """All rows as the file stores them, by document: to be sent to another process."""
        return {document: self.packed(document) for document in self._places}

    def __getitem__(self, document: str) -> TrialRow:
        held = self._held.get(self._places[document])
        return unpacked(self.packed(document)) if held is None else held

    def __contains__(self, document: object) -> bool:
        return document in self._places

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)


class RowsByRun(dict[str, KeptRows]):
    """Output folder to the rows of its run, all in one file; an entry is made at first access."""

    def __init__(self) -> None:
        super().__init__()
        self._file = KeptBytes()
        self._held: dict[int, TrialRow] = {}

    def __missing__(self, folder: str) -> KeptRows:
        rows = self[folder] = KeptRows(self._file, self._held)
        return rows
