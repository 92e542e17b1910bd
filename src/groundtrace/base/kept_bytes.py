"""Pieces of data that wait in a temporary file until they are needed, so that memory does not grow
with their number."""

from __future__ import annotations

from collections.abc import Iterator
from io import BytesIO
from typing import IO

from groundtrace.errors import OutputError

IN_MEMORY = 1 << 20
"""Up to this many bytes (a few hundred rows or trials) no file is made."""


class KeptBytes:
    """The file. Pieces are added at its end and read from any position; it is deleted after use."""

    def __init__(self) -> None:
        self._stream: IO[bytes] = BytesIO()

    def add(self, data: bytes) -> int:
        """Add a piece; returns its position. Raises OutputError if the disk is full."""
        try:
            stream = self._opened()
            place = stream.seek(0, 2)
            stream.write(len(data).to_bytes(4, "little") + data)
        except OSError as error:
            reason = error.strerror or str(error)
            raise OutputError(
                f"the folder for temporary files is full or closed ({reason}); set TMPDIR"
            ) from error
        return place

    def data(self, place: int) -> bytes:
        """The piece at a position."""
        self._stream.seek(place)
        return self._stream.read(int.from_bytes(self._stream.read(4), "little"))

    def _opened(self) -> IO[bytes]:
        if isinstance(self._stream, BytesIO) and self._stream.getbuffer().nbytes > IN_MEMORY:
            # Imported when used: its modules for every kind of compression take longer to load
            # than the rows of a small run take to keep.
            from tempfile import TemporaryFile

            held = self._stream.getvalue()
            self._stream = TemporaryFile()  # noqa: SIM115 - open while it is wanted
            self._stream.write(held)
        return self._stream


class KeptByName:
    """Pieces by name."""

    def __init__(self) -> None:
        self._file = KeptBytes()
        self._places: dict[str, int] = {}

    def keep(self, name: str, data: bytes) -> None:
        """Add a piece, or replace the piece of this name."""
        self._places[name] = self._file.add(data)

    def __len__(self) -> int:
        return len(self._places)

    def items(self) -> Iterator[tuple[str, bytes]]:
        """All pieces with their names, one at a time."""
        for name, place in self._places.items():
            yield name, self._file.data(place)

    def get(self, name: str) -> bytes | None:
        """The piece of a name; None if there is none."""
        place = self._places.get(name)
        return None if place is None else self._file.data(place)
