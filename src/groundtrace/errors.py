"""Everything groundtrace raises on purpose.

    GroundtraceError            exit 1
    ├── UsageError              exit 2   wrong usage, unknown names
    ├── InputError              exit 2   unreadable or missing input
    │   └── VersionError        exit 2   a document of another major version
    ├── OutputError             exit 2   results cannot be written
    ├── NothingFoundError       exit 3   nothing to evaluate
    ├── LockedError             exit 2   another process writes to the same folder
    ├── PluginError             exit 1   a reader of another package raised an error
    └── MissingExtraError       exit 2   an optional dependency is not installed

A bad trial raises no exception: it is a `Problem` in the results. These exceptions stop the whole
command. Each message is one line that says what is wrong and how to fix it; a UsageError may also
show where the mistake is in what the user wrote.
"""

from __future__ import annotations

import sys
from pathlib import Path


class GroundtraceError(Exception):
    """Base class of all errors; `exit_code` is the exit code of the command line."""

    exit_code = 1


class UsageError(GroundtraceError):
    """Wrong usage: an unknown name, a flag that does not fit."""

    exit_code = 2

    def __init__(self, message: str, place: str = "") -> None:
        super().__init__(message)
        self.place = place
        """Lines that show where the error is, such as a query with a caret below it."""


class InputError(GroundtraceError):
    """An input that is missing or cannot be read."""

    exit_code = 2


class VersionError(InputError):
    """A document of a major version that this groundtrace cannot read."""


class OutputError(GroundtraceError):
    """Results cannot be written: a full disk, a read-only folder. Stops the whole command."""

    exit_code = 2


class NothingFoundError(GroundtraceError):
    """There is nothing to evaluate."""

    exit_code = 3


class LockedError(GroundtraceError):
    """Another process uses the output folder."""

    exit_code = 2


class PluginError(GroundtraceError):
    """A reader of another package raised an error; the message names it."""


class MissingExtraError(GroundtraceError):
    """An optional dependency is missing."""

    exit_code = 2

    def __init__(self, what: str, extra: str) -> None:
        super().__init__(f"{what} needs an extra: {install_command(f'groundtrace[{extra}]')}")
        self.extra = extra


def install_command(package: str) -> str:
    """How to install a package where groundtrace runs: each tool has a command of its own."""
    prefix = Path(sys.prefix)
    parts = [part.casefold() for part in prefix.parts]
    if "pipx" in parts:
        return f"pipx install --force '{package}'"
    if "uv" in parts and "tools" in parts:
        return f"uv tool install '{package}'"
    try:
        made_by_uv = "\nuv = " in f"\n{(prefix / 'pyvenv.cfg').read_text()}"
    except (OSError, UnicodeDecodeError):
        made_by_uv = False
    # Environments that uv made have no pip.
    return f"{'uv ' if made_by_uv else ''}pip install '{package}'"
