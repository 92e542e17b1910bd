"""Names in output: how to join them to a directory, and which words can be one file (D5).

`tools.file_names` distinguishes files from directories by their names.
"""

from __future__ import annotations

import posixpath

from groundtrace.patterns import regex
from groundtrace.tools.shell.syntax.holes import has_hole

_NOT_FILES = regex(r"(?:/dev(?:/|$)|/proc/|&\d|-$|[a-z][a-z0-9+.-]*://)")


_ORDINARY_PATH = regex(r"[^/.~][^/]*+(?:/[^/.][^/]*+)*+")


def join(cwd: str | None, name: str) -> str:
    """The path of `name` for a program in `cwd`; relative if the directory is not known."""
    if cwd is not None and _ORDINARY_PATH.fullmatch(name) and _ORDINARY_PATH.fullmatch(cwd, 1):
        return f"{cwd}/{name}"  # the usual case: the path needs no shortening
    if name.startswith(("/", "~")):
        return posixpath.normpath(name) if name.startswith("/") else name
    return posixpath.normpath(f"{cwd}/{name}" if cwd else name)


_ORDINARY_NAME = regex(r"[A-Za-z0-9_]+(?:[./-][A-Za-z0-9_]+)*+")


def is_file_name(name: str) -> bool:
    """Whether a word can be the name of one file: no device, descriptor, URL, pattern or folder."""
    if _ORDINARY_NAME.fullmatch(name):
        return len(name) < 4096  # the usual case: letters, dots and slashes
    return (
        bool(name)
        and len(name) < 4096
        and not name.endswith(("/", "/.", "/.."))
        and name not in {".", ".."}
        and not _NOT_FILES.match(name)
        and not has_hole(name)
        and "\0" not in name
        and "\n" not in name
    )
