"""Names in output: joining them to a directory, and which words can be one file (D5).

`tools.file_names` tells files from directories by their names.
"""

from __future__ import annotations

import posixpath
import re

from groundtrace.tools.shell.syntax.holes import HOLES

_NOT_FILES = re.compile(r"(?:/dev(?:/|$)|/proc/|&\d|-$|[a-z][a-z0-9+.-]*://)")


def join(cwd: str | None, name: str) -> str:
    """`name` as a program in `cwd` means it; relative where the directory is not known."""
    if name.startswith(("/", "~")):
        return posixpath.normpath(name) if name.startswith("/") else name
    return posixpath.normpath(f"{cwd}/{name}" if cwd else name)


def is_file_name(name: str) -> bool:
    """Whether a word can stand for one file: no device, descriptor, URL, pattern or folder."""
    return (
        bool(name)
        and len(name) < 4096
        and not name.endswith(("/", "/.", "/.."))
        and name not in {".", ".."}
        and not _NOT_FILES.match(name)
        and HOLES.search(name) is None
        and "\0" not in name
        and "\n" not in name
    )
