"""One writer at a time for an output folder; the lock is the system's and dies with its holder."""

from __future__ import annotations

import json
import os
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from groundtrace.errors import LockedError
from groundtrace.storage import Folder, LocalFolder

FILE_NAME = ".lock"


@contextmanager
def locked(folder: Folder) -> Iterator[None]:
    """Hold the folder while the block runs; raises LockedError naming the holder.

    Object stores have no locks; there the caller must see to it.
    """
    if not isinstance(folder, LocalFolder):
        yield
        return
    import fcntl

    folder.path.mkdir(parents=True, exist_ok=True)
    path = folder.path / FILE_NAME
    with path.open("a+", encoding="utf-8") as stream:
        try:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise LockedError(f"{folder.url}: {_holder(path)}; wait for it or stop it") from error
        stream.truncate(0)
        stream.write(
            json.dumps(
                {"pid": os.getpid(), "host": socket.gethostname(), "since": int(time.time())}
            )
        )
        stream.flush()
        try:
            yield
        finally:
            stream.truncate(0)


def _holder(path: Path) -> str:
    try:
        said = json.loads(path.read_text(encoding="utf-8"))
        return f"in use by process {said['pid']} on {said['host']}"
    except (OSError, ValueError, KeyError, TypeError):
        return "in use by another process"
