"""Read files that a user names: whole, within limits; errors say why a file cannot be read."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from groundtrace.base.limit import OverLimitError, guarded
from groundtrace.errors import InputError

T = TypeVar("T")

MAX_GIVEN = 256 * 1024 * 1024
"""Most bytes that are read. Settings, prices and registries are far smaller. The limit is for
special files such as a pipe that never ends."""


def parse_given(path: Path, parse: Callable[[bytes], T], limit: int = MAX_GIVEN) -> T:
    """What `parse` makes of a file that a user names, within the limits of time and memory; raises
    InputError."""
    data = read_given(path, limit)
    try:
        with guarded(len(data)):
            return parse(data)
    except OverLimitError as error:
        raise InputError(f"{path}: {error}") from error


def read_given(path: Path, limit: int = MAX_GIVEN) -> bytes:
    """The bytes of a file that a user names; raises InputError if it cannot be read.

    A pipe without a writer gives nothing, like an empty file, and does not block. A pipe with a
    writer, such as a shell's `<(command)`, is read to its end.
    """
    try:
        file = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
        with os.fdopen(file, "rb") as stream:
            info = os.fstat(file)
            kind = info.st_mode
            if stat.S_ISREG(kind) and info.st_size > limit:
                raise _too_large(path, limit)
            if not (stat.S_ISREG(kind) or stat.S_ISFIFO(kind)):
                what = "a folder" if stat.S_ISDIR(kind) else "not a regular file"
                raise InputError(f"{path}: cannot be read ({what})")
            if hasattr(os, "set_blocking"):
                os.set_blocking(file, True)
            data = stream.read(limit + 1)
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror or error})") from error
    if len(data) > limit:
        raise _too_large(path, limit)
    return data


def _too_large(path: Path, limit: int) -> InputError:
    return InputError(f"{path}: over {limit:,} bytes, which is the limit")
