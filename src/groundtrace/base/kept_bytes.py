"""Pieces of data that wait in a temporary file until they are needed, so that memory does not grow
with their number."""

from __future__ import annotations

from typing import IO

from groundtrace.errors import OutputError

IN_MEMORY = 1 << 20
"""Up to this many bytes (a few hundred rows or trials) no file is made."""


class KeptBytes:
    """The file. Pieces are added at its end and read from any position; it is deleted after use."""

    def __init__(self) -> None:
        self._stream: IO[bytes] | None = None

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
        stream = self._opened()
        stream.seek(place)
        return stream.read(int.from_bytes(stream.read(4), "little"))

    def _opened(self) -> IO[bytes]:
        if self._stream is None:
            # Imported when used: a run without changes keeps nothing.
            from tempfile import SpooledTemporaryFile

            self._stream = SpooledTemporaryFile(IN_MEMORY)  # noqa: SIM115 - open while it is wanted
        return self._stream


class KeptByName:
    """Pieces by name."""

    def __init__(self) -> None:
        self._file = KeptBytes()
        self._places: dict[str, int] = {}

    def keep(self, name: str, data: bytes) -> None:
        """Add a piece, or replace the piece of this name."""
        self._places[name] = self._file.add(data)

    def get(self, name: str) -> bytes | None:
        """The piece of a name; None if there is none."""
        place = self._places.get(name)
        return None if place is None else self._file.data(place)
