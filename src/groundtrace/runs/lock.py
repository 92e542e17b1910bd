"""One writer at a time for an output folder.

The operating system holds the lock and frees it when the process dies. The process that takes the
lock removes what a killed process left half-written.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec

from groundtrace.base.jsonio import loads
from groundtrace.errors import LockedError, OutputError
from groundtrace.storage import Folder, LocalFolder

FILE_NAME = ".lock"


@contextmanager
def locked(folder: Folder) -> Iterator[None]:
    """Hold the lock of the folder while the block runs; raises LockedError that names the holder.

    Object stores have no locks; there the caller must make sure that nobody else writes.
    """
    if not isinstance(folder, LocalFolder):
        yield
        return
    import fcntl

    refuse_link(folder)
    path = f"{folder.url}/{FILE_NAME}"
    file = _opened(path)
    try:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise LockedError(f"{folder.url}: {_holder(path)}; wait for it or stop it") from error
        _say(file, {"pid": os.getpid(), "host": os.uname().nodename, "since": int(time.time())})
        try:
            yield
        finally:
            # What a killed process, or a worker that was stopped while writing, left half-written.
            folder.sweep()
            _say(file, {})
            # Closing is not enough: a worker forked in the meantime has the same file open.
            fcntl.flock(file, fcntl.LOCK_UN)
    finally:
        os.close(file)


def refuse_link(folder: LocalFolder) -> None:
    """Raise OutputError for an output folder that is a link or is outside of its root.

    Called before anything in the folder is created, emptied or removed. Through a link, the files
    of another folder would be removed and replaced, even where that folder is inside RUNS (D37).
    """
    if folder.is_link:
        raise OutputError(f"{folder.url}: a link; results are written to real folders only")
    if not folder.is_inside:
        raise OutputError(f"{folder.url}: is behind a link that leaves its folder; not written")


def _opened(path: str) -> int:
    # Do not open through a link: the file that it points to would be emptied (D37).
    flags = os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW
    try:
        try:
            file = os.open(path, flags, 0o666)
        except FileNotFoundError:  # only the first stage runs before the folder exists
            Path(path).parent.mkdir(parents=True, exist_ok=True)
            file = os.open(path, flags, 0o666)
        if os.fstat(file).st_nlink > 1:
            os.close(file)
            raise OSError("it is also another file, through a hard link")
        return file
    except OSError as error:
        raise OutputError(f"{path}: cannot be written ({error.strerror or error})") from error


def _say(file: int, holder: dict[str, Any]) -> None:
    """Write who holds the lock into its file; if the disk is full, the lock works without it."""
    try:
        os.ftruncate(file, 0)
        if holder:
            os.write(file, msgspec.json.encode(holder))
    except OSError:
        pass


def _holder(path: str) -> str:
    try:
        said = loads(Path(path).read_bytes())
        return f"in use by process {said['pid']} on {said['host']}"
    except (OSError, ValueError, KeyError, TypeError):
        return "in use by another process"
