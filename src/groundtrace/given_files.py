"""Files that a user names: read whole, up to a size, and with the reason where they cannot be."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from groundtrace.errors import InputError

MAX_GIVEN = 256 * 1024 * 1024
"""Settings, prices and registries are far smaller; a device has no end."""


def read_given(path: Path, limit: int = MAX_GIVEN) -> bytes:
    """The bytes of a file that a user names; raises InputError where it cannot be read.

    A pipe without a writer is not waited for: it gives nothing, as an empty file does. Of a pipe
    with one, such as a shell's `<(command)`, everything is read.
    """
    try:
        file = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
        with os.fdopen(file, "rb") as stream:
            kind = os.fstat(file).st_mode
            if not (stat.S_ISREG(kind) or stat.S_ISFIFO(kind)):
                what = "a folder" if stat.S_ISDIR(kind) else "not a regular file"
                raise InputError(f"{path}: cannot be read ({what})")
            if hasattr(os, "set_blocking"):
                os.set_blocking(file, True)
            data = stream.read(limit + 1)
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror or error})") from error
    if len(data) > limit:
        raise InputError(f"{path}: over {limit:,} bytes, which is the limit")
    return data
