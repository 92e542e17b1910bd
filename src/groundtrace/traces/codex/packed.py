"""Rollouts that Codex compressed with zstd; the package that unpacks them is optional."""

from __future__ import annotations

import importlib
from typing import Any, BinaryIO, cast

from groundtrace.storage import Folder

MISSING = "packed with zstd: pip install 'groundtrace[zstd]' to read it"


class CannotUnpackError(OSError):
    """No installed package can unpack the file."""


def open_plain(folder: Folder, path: str) -> BinaryIO:
    """The unpacked content of a file."""
    stream = folder.open(path)
    if not path.endswith(".zst"):
        return stream
    try:
        return _unpacked(stream)
    except ImportError:
        stream.close()
        raise CannotUnpackError(MISSING) from None


def _unpacked(stream: BinaryIO) -> BinaryIO:
    try:
        own: Any = importlib.import_module("compression.zstd")  # Python 3.14
    except ImportError:
        package: Any = importlib.import_module("zstandard")
        reader = package.ZstdDecompressor().stream_reader(
            stream, read_across_frames=True, closefd=True
        )
        return cast(BinaryIO, reader)
    return cast(BinaryIO, own.ZstdFile(stream))
