"""Members of a zip archive that is not trusted: size limits, and nothing is written to disk.

An archive is refused if it has more members than any log, or if its list of members is too large
for memory. A member is refused if it is encrypted or unpacks to more than any sample. The size that
a member states is not trusted: reading stops at the limit.
"""

from __future__ import annotations

import importlib
import io
import struct
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from itertools import pairwise
from typing import Any, BinaryIO, NamedTuple, cast

from groundtrace.storage import Folder

MAX_MEMBERS = 200_000
MAX_LIST = 64 * 1024 * 1024
"""Largest list of members, in bytes."""
MAX_MEMBER = 1024 * 1024 * 1024
"""Largest size of an unpacked member, in bytes."""
MAX_RATIO = 1_000
"""Largest ratio of unpacked to packed size: repeated prompts pack well, but not this well."""
MAX_NAME = 4096
SMALL = 16 * 1024 * 1024
"""Members up to this size may have any ratio."""
MAX_WINDOW = 1 << 27
_ZSTD = 93
_END = b"PK\x05\x06"
_END_64 = b"PK\x06\x06"
_LOCATOR = b"PK\x06\x07"
_TAIL = 65_557
MISSING = "packed with zstd: pip install 'groundtrace[zstd]' to read it"


class ArchiveError(OSError):
    """An archive or a member that is refused, and why."""


class Member(NamedTuple):
    """One line of the list."""

    info: zipfile.ZipInfo
    room: int
    """Bytes from its header to the next one. Members that share bytes unpack to any size."""


Members = Mapping[str, Member]
"""The list of members, by name."""


def read_members(stream: BinaryIO) -> Members:
    """The list of an archive; raises ArchiveError."""
    _check_list(stream)
    try:
        infos = zipfile.ZipFile(stream).infolist()
    except (zipfile.BadZipFile, NotImplementedError, ValueError, struct.error) as error:
        raise ArchiveError(f"not a whole zip archive ({error})") from error
    starts = sorted({info.header_offset for info in infos})
    room = dict(zip(starts, (b - a for a, b in pairwise([*starts, 1 << 62])), strict=True))
    return {info.filename: Member(info, room[info.header_offset]) for info in infos}


class Archive:
    """An open archive. Its list of members may be known already: to read the list for each of 4,000
    members took two minutes."""

    def __init__(self, stream: BinaryIO, members: Members | None = None) -> None:
        self._stream = stream
        self.members = read_members(stream) if members is None else members

    def open(self, name: str) -> BinaryIO:
        """A member, unpacked while it is read, before the next one is opened; raises ArchiveError."""
        info, room = self.members[name]
        if info.flag_bits & 0x1:
            raise ArchiveError(f"{name}: encrypted; logs are never encrypted")
        if info.file_size > MAX_MEMBER:
            raise ArchiveError(f"{name}: {info.file_size:,} bytes unpacked; not read")
        if info.file_size > max(SMALL, MAX_RATIO * info.compress_size):
            ratio = info.file_size // max(1, info.compress_size)
            raise ArchiveError(f"{name}: unpacks to {ratio:,} times its size; not read")
        if info.compress_size > room:
            raise ArchiveError(f"{name}: overlaps another member; not read")
        self._find(info)
        try:
            if info.compress_type == _ZSTD and not _knows_zstd():
                packed = self._stream.read(min(info.compress_size, MAX_MEMBER))
                inner = _unpacked(io.BytesIO(packed))
            else:
                inner = cast(BinaryIO, zipfile.ZipExtFile(self._stream, "r", info))
        except (zipfile.BadZipFile, NotImplementedError, RuntimeError, ValueError) as error:
            raise ArchiveError(f"{name}: cannot be unpacked ({error})") from error
        bound = max(SMALL, MAX_RATIO * info.compress_size)
        return cast(BinaryIO, _Bounded(inner, info, min(MAX_MEMBER, bound)))

    def _find(self, info: zipfile.ZipInfo) -> None:
        """Go to the packed bytes of a member."""
        header = b""
        if info.header_offset >= 0:  # damage may give a place before the file
            self._stream.seek(info.header_offset)
            header = self._stream.read(30)
        if len(header) < 30 or header[:4] != b"PK\x03\x04":
            raise ArchiveError(f"{info.filename}: its header is damaged")
        name, extra = struct.unpack("<HH", header[26:30])
        if name > MAX_NAME or self._stream.read(name) != _name_of(info):
            raise ArchiveError(f"{info.filename}: its header has another name")
        self._stream.seek(extra, io.SEEK_CUR)


def _name_of(info: zipfile.ZipInfo) -> bytes:
    """The name of a member as it is written."""
    return info.orig_filename.encode("utf-8" if info.flag_bits & 0x800 else "cp437")


@contextmanager
def open_archive(folder: Folder, path: str, members: Members | None = None) -> Iterator[Archive]:
    """The archive in a file; raises ArchiveError."""
    with folder.open(path) as stream:
        yield Archive(stream, members)


class _Bounded(io.RawIOBase):
    """A member; raises an error if it gives more bytes than the limit."""

    def __init__(self, inner: BinaryIO, info: zipfile.ZipInfo, most: int) -> None:
        self._inner = inner
        self._name = info.filename
        self._left = most
        self._piece = max(1 << 20, info.file_size + 1)
        """Bytes to ask for at once: all of a member that has the size that it states."""

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        """The next `size` bytes, fewer only at the end.

        Nothing is buffered: to unpack piece by piece and to copy each took a third of the time.
        """
        size = self._left + 1 if size < 0 else size
        parts = []
        while size > 0 and (data := self._unpack(min(size, self._piece))):
            parts.append(data)
            size -= len(data)
        return parts[0] if len(parts) == 1 else b"".join(parts)

    def _unpack(self, size: int) -> bytes:
        try:
            data = self._inner.read(size)
        except (zipfile.BadZipFile, zlib.error, EOFError, ValueError, RuntimeError) as error:
            raise ArchiveError(f"{self._name}: damaged ({error})") from error
        except OSError:
            raise
        except Exception as error:
            raise ArchiveError(f"{self._name}: damaged ({error})") from error
        self._left -= len(data)
        if self._left < 0:
            raise ArchiveError(
                f"{self._name}: unpacks to more than the limit; the rest is not read"
            )
        return data


def _knows_zstd() -> bool:
    """Whether the standard library can unpack zstd, as from Python 3.14 on."""
    return hasattr(zipfile, "ZIP_ZSTANDARD")


def _unpacked(raw: BinaryIO) -> BinaryIO:
    try:
        package: Any = importlib.import_module("zstandard")
    except ImportError:
        raise ArchiveError(MISSING) from None
    unpacker = package.ZstdDecompressor(max_window_size=MAX_WINDOW)
    return cast(BinaryIO, unpacker.stream_reader(raw, read_across_frames=True))


def _check_list(stream: BinaryIO) -> None:
    """Check the end of an archive before its list of members is loaded into memory."""
    stream.seek(0, 2)
    size = stream.tell()
    stream.seek(max(0, size - _TAIL))
    tail = stream.read(_TAIL)
    at = tail.rfind(_END)
    if at < 0 or len(tail) - at < 22:
        raise ArchiveError("not a whole zip archive (its end is missing)")
    members, length = struct.unpack("<10xHL", tail[at : at + 16])
    if (members == 0xFFFF or length == 0xFFFFFFFF) and tail[at - 20 : at - 16] == _LOCATOR:
        (place,) = struct.unpack("<Q", tail[at - 12 : at - 4])
        stream.seek(min(place, size))
        record = stream.read(56)
        if len(record) == 56 and record[:4] == _END_64:
            members, length = struct.unpack("<32xQQ", record[:48])
    if members > MAX_MEMBERS:
        raise ArchiveError(f"{members:,} members; a log has no more than {MAX_MEMBERS:,}")
    if length > MAX_LIST:
        raise ArchiveError(f"a list of members of {length:,} bytes; the limit is {MAX_LIST:,}")
    stream.seek(0)
