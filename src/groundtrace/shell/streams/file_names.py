"""Names in output: how to join them to a directory, and which words can be one file (D5).

`tools.file_names` distinguishes files from directories by their names.
"""

from __future__ import annotations

import posixpath
import re

from groundtrace.base.patterns import regex
from groundtrace.paths.windows import spelled_beside
from groundtrace.shell.syntax.holes import has_hole

_NOT_FILES = regex(r"(?:/dev(?:/|$)|/proc/|&\d|-$|[a-z][a-z0-9+.-]*://)")


_WINDOWS = (":", "\\")
"""The third letter of a folder on Windows, as `paths.windows` writes it: `/c:/w`."""


def join(cwd: str | None, name: str) -> str:
    """The path of `name` for a program in `cwd`; relative if the directory is not known."""
    first = name[:1]
    if first == "~":
        return name
    if "\\" in name or name[1:2] == ":" or (cwd and cwd[2:3] in _WINDOWS):
        name = spelled_beside(name, cwd or "")  # few commands run on Windows
        first = name[:1]
    path = f"{cwd}/{name}" if cwd and first != "/" else name
    if "/." in path or "//" in path or path[:1] in ("", ".") or path[-1] == "/":
        return posixpath.normpath(path)
    return path  # the usual case: the path needs no shortening


def path_of(cwd: str | None, name: str) -> str | None:
    """The path of `name` for a program in `cwd`; None if it cannot be one file."""
    if _ORDINARY_NAME.fullmatch(name) is None or len(name) >= 4096:
        return join(cwd, name) if is_file_name(name) else None
    if not cwd:
        return name
    if cwd[2:3] in _WINDOWS:
        return join(cwd, name)
    if name[0] == "/":
        return name
    if "/." in cwd or "//" in cwd or cwd[0] == "." or cwd[-1] == "/":
        return posixpath.normpath(f"{cwd}/{name}")
    return f"{cwd}/{name}"


_ORDINARY_NAME = regex(r"(?!/(?:dev|proc)\b)/?\w[\w-]*+(?:[./][\w-]++)*+", re.ASCII)


def is_file_name(name: str) -> bool:
    """Whether a word can be the name of one file: no device, descriptor, URL, pattern or folder."""
    if _ORDINARY_NAME.fullmatch(name):
        return len(name) < 4096  # the usual case: letters, dashes, dots and slashes
    return (
        bool(name)
        and len(name) < 4096
        and not name.endswith(("/", "/.", "/..", ":"))
        and name not in {".", ".."}
        and not _NOT_FILES.match(name)
        and not has_hole(name)
        and "\0" not in name
        and "\n" not in name
    )
