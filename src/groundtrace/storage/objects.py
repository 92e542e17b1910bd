"""Folders in object stores: `s3://`, `gs://` and `az://` URLs, through obstore.

A folder here is a prefix. Objects are listed one page at a time, streamed, and written whole (a
put always is). Credentials come from the environment, as obstore documents it. Errors name bucket
and key, and never what the environment holds. Stores have no locks.
"""

from __future__ import annotations

import importlib
import io
from collections.abc import Iterator
from datetime import timedelta
from functools import lru_cache
from typing import Any, BinaryIO, NoReturn

from groundtrace.errors import GroundtraceError, InputError, MissingExtraError, OutputError
from groundtrace.storage.folder import MAX_WHOLE_FILE, Folder, FolderEntry, TooLargeError

SCHEMES = ("s3", "gs", "az")
BLOCK = 1024 * 1024
"""Bytes requested at a time when an object is streamed."""

RETRY = {"max_retries": 2, "retry_timeout": timedelta(seconds=60)}
"""How often and how long a request is repeated that was not answered within obstore's 30
seconds. Obstore's own limits are ten times and three minutes. Timeouts are not set here: they
would replace what the environment says, such as `AWS_ALLOW_HTTP`."""

_REASONS = {
    "NotFoundError": "no such object",
    "PermissionDeniedError": "access denied",
    "UnauthenticatedError": "not authenticated; set the credentials in the environment",
}


def is_url(location: str) -> bool:
    """Whether a location is in an object store."""
    return location.partition("://")[0] in SCHEMES and "://" in location


class ObjectFolder(Folder):
    """A prefix in a bucket."""

    def __init__(self, url: str) -> None:
        scheme, _, rest = url.partition("://")
        bucket, _, key = rest.partition("/")
        if "@" in bucket or (scheme == "az" and "?" in rest):
            raise InputError(
                f"{scheme}://…: an address with credentials in it is refused; set them in the "
                "environment"
            )
        if not bucket:
            raise InputError(f"{url}: names no bucket; write {scheme}://bucket/folder")
        self.bucket = f"{scheme}://{bucket}"
        self.key = "/".join(part for part in key.split("/") if part)
        self.url = f"{self.bucket}/{self.key}".rstrip("/")

    def __repr__(self) -> str:
        return f"ObjectFolder({self.url!r})"

    @property
    def name(self) -> str:
        return self.key.rpartition("/")[2] or self.bucket.rpartition("/")[2]

    def folder(self, relative: str) -> ObjectFolder:
        return ObjectFolder(f"{self.url}/{_inside(relative)}")

    def _path(self, relative: str) -> str:
        relative = _inside(relative)
        return f"{self.key}/{relative}" if self.key else relative

    def entries(self) -> Iterator[FolderEntry]:
        try:
            found = _obstore().list_with_delimiter(_store(self.bucket), prefix=self.key or None)
        except _errors() as error:
            _fail(error, self.bucket, self.key)
        folders = [FolderEntry(_last(prefix), "folder") for prefix in found["common_prefixes"]]
        files = [
            FolderEntry(_last(item["path"]), "file", item["size"], _stamp(item))
            for item in found["objects"]
            if item["path"] != self.key
        ]
        yield from sorted([*folders, *files], key=lambda entry: entry.name)

    def stat(self, relative: str) -> FolderEntry | None:
        path = self._path(relative)
        try:
            item = _obstore().head(_store(self.bucket), path)
        except _errors() as error:
            if not _is_missing(error):
                _fail(error, self.bucket, path)
            inside = ObjectFolder(f"{self.bucket}/{path}")
            return FolderEntry(relative, "folder") if inside.exists() else None
        return FolderEntry(relative, "file", item["size"], _stamp(item))

    def exists(self) -> bool:
        try:
            pages = _obstore().list(_store(self.bucket), prefix=self.key or None, chunk_size=1)
            return any(len(page) > 0 for page in pages)
        except _errors() as error:
            _fail(error, self.bucket, self.key)

    def has_file(self, relative: str) -> bool:
        path = self._path(relative)
        try:
            _obstore().head(_store(self.bucket), path)
        except _errors() as error:
            if _is_missing(error):
                return False
            _fail(error, self.bucket, path)
        return True

    def open(self, relative: str) -> BinaryIO:
        path = self._path(relative)
        try:
            reader = _obstore().open_reader(_store(self.bucket), path, buffer_size=BLOCK)
        except _errors() as error:
            _fail_reading(error, self.bucket, path)
        return io.BufferedReader(_Stream(reader, self.bucket, path), BLOCK)

    def read(self, relative: str, limit: int = MAX_WHOLE_FILE) -> bytes:
        path = self._path(relative)
        try:
            found = _obstore().get(_store(self.bucket), path)
            if found.meta["size"] > limit:
                raise TooLargeError(f"{self.bucket}/{path} is over {limit:,} bytes")
            return bytes(found.bytes())
        except _errors() as error:
            _fail_reading(error, self.bucket, path)

    def write(self, relative: str, data: bytes) -> FolderEntry:
        path = self._path(relative)
        try:
            put = _obstore().put(_store(self.bucket), path, data)
        except _errors() as error:
            _fail(error, self.bucket, path, OutputError)
        return FolderEntry(relative, "file", len(data), _stamp(put))

    def remove(self, relative: str) -> None:
        path = self._path(relative)
        try:
            _obstore().delete(_store(self.bucket), path)
        except _errors() as error:
            if not _is_missing(error):
                _fail(error, self.bucket, path, OutputError)

    def everything(self, without: frozenset[str]) -> list[str] | None:
        try:
            pages = _obstore().list(_store(self.bucket), prefix=self.key or None)
            found = [
                (item["path"].removeprefix(self.key).lstrip("/"), item["size"], _stamp(item))
                for page in pages
                for item in page
            ]
        except _errors() as error:
            _fail(error, self.bucket, self.key)
        kept = (one for one in found if without.isdisjoint(one[0].split("/")[:-1]))
        return [f"{path} {size}:{stamp}" for path, size, stamp in sorted(kept)]

    def sweep(self) -> None:
        """Nothing to remove: a put writes the whole object or nothing."""


class _Stream(io.RawIOBase):
    """obstore's reader as a file object of the standard library."""

    def __init__(self, reader: Any, bucket: str, path: str) -> None:
        self._reader = reader
        self._bucket = bucket
        self._path = path
        self._at = 0
        """Where the next byte comes from; obstore's own position is that of its buffer."""

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._at

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        start = {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self._reader.size}[whence]
        self._at = max(0, start + offset)
        try:
            self._reader.seek(self._at)
        except _errors() as error:
            _fail(error, self._bucket, self._path)
        return self._at

    def readinto(self, buffer: Any) -> int:
        try:
            data = bytes(self._reader.read(len(buffer)))
        except _errors() as error:
            _fail(error, self._bucket, self._path)
        buffer[: len(data)] = data
        self._at += len(data)
        return len(data)


def _inside(relative: str) -> str:
    parts = [part for part in relative.split("/") if part not in {"", "."}]
    if ".." in parts:
        raise OSError(f"{relative}: leaves its folder")
    return "/".join(parts)


def _last(path: str) -> str:
    return path.rstrip("/").rpartition("/")[2]


def _stamp(item: Any) -> str:
    return str(item.get("e_tag") or item.get("last_modified") or "")


@lru_cache(maxsize=16)
def _store(bucket: str) -> Any:
    """The store of a bucket: one per process, configured from the environment."""
    try:
        return importlib.import_module("obstore.store").from_url(bucket, retry_config=RETRY)
    except _errors() as error:
        _fail(error, bucket, "")


def _obstore() -> Any:
    try:
        return importlib.import_module("obstore")
    except ImportError as error:
        raise MissingExtraError("reading object stores", "s3") from error


def _errors() -> tuple[type[BaseException], ...]:
    _obstore()
    base: type[BaseException] = importlib.import_module("obstore.exceptions").BaseError
    return (base, FileNotFoundError, PermissionError)


def _is_missing(error: BaseException) -> bool:
    """Whether the object is missing; a missing bucket is another error."""
    found = isinstance(error, FileNotFoundError) or type(error).__name__ == "NotFoundError"
    return found and "NoSuchBucket" not in str(error)


def _reason(error: BaseException) -> str:
    """The reason, in words; the store's own message is not shown, as it may hold signed URLs."""
    name = type(error).__name__
    text = str(error)
    if "NoSuchBucket" in text:
        return "no such bucket"
    if "AccessDenied" in text or "403 Forbidden" in text:
        return _REASONS["PermissionDeniedError"]
    return _REASONS.get(name, f"the store answered with an error ({name})")


def _fail(
    error: BaseException, bucket: str, key: str, kind: type[GroundtraceError] = InputError
) -> NoReturn:
    raise kind(f"{bucket}/{key}: {_reason(error)}") from None


def _fail_reading(error: BaseException, bucket: str, key: str) -> NoReturn:
    """A missing object is for readers to handle; a store that refuses is for the user."""
    if _is_missing(error):
        raise FileNotFoundError(f"{bucket}/{key}: no such object") from None
    _fail(error, bucket, key)
