r"""Windows paths: one folder in its many spellings (D180).

`C:\Users\u\cap`, `c:/Users/u/cap`, `/c/Users/u/cap` (Git Bash) and `/mnt/c/Users/u/cap` (WSL) are
one folder. Everything else in this package joins and compares paths that begin with a slash. So a
Windows path is written in that form as well, `/c:/Users/u/cap`, a share as `/\\server/share`, and
only a document shows the drive again (`as_shown`).

`/c/…`, `/mnt/c/…` and a backslash in a relative name mean the same only on Windows. On another
system they are an ordinary folder and a part of a name, so they are read like this only beside a
path that is certainly one of Windows (`spelled_beside`).
"""

from __future__ import annotations

import re

from groundtrace.base.patterns import regex

_DRIVE = regex(
    r"[A-Za-z]:(?=[\\/])|\\\\[^\\/:*?\"<>|]+[\\/]+(?=[^\\/])|\\\\[?.]\\(?=[A-Za-z]:|UNC)"
)
_LONG = regex(r"\\\\[?.]\\(UNC\\)?", re.IGNORECASE)
"""The prefix that lifts the limit on the length of a path."""
_LINUX_INSIDE = regex(r"\\\\(?:wsl\$|wsl\.localhost)\\[^\\/]+(?=[\\/])", re.IGNORECASE)
"""A distribution of WSL, as Windows sees it: below it are ordinary paths of Linux."""
_ROOTED = regex(r"/(?:[A-Za-z]:|\\\\[^/]+)(?=/|$)")
_MOUNTED = regex(r"/(?:mnt/|cygdrive/)?([A-Za-z])(?=/|$)")
"""A drive as Git Bash, WSL and Cygwin mount it."""


def is_drive(path: str) -> bool:
    r"""Whether a path begins with a drive (`C:\`) or a share (`\\server\share`)."""
    return path[1:2] in (":", "\\") and _DRIVE.match(path) is not None


def is_rooted(path: str) -> bool:
    """Whether a path is one of Windows in the form of this module."""
    return path[2:3] in (":", "\\") and _ROOTED.match(path) is not None


def rooted(path: str) -> str:
    r"""A path in the form that begins with a slash; others are unchanged. Idempotent.

    `C:\a` and `c:/a` are `/c:/a`, `\\server\share\a` is `/\\server/share/a`.
    """
    if path[1:2] in (":", "\\"):  # few paths have one there
        return _from_drive(path)
    if path[2:3] == ":" and _ROOTED.match(path):  # `/C:/a`, as a file URI has it
        return path[:2].lower() + path[2:].replace("\\", "/")
    return path


def _from_drive(path: str) -> str:
    if not is_drive(path):
        return path
    if inside := _LINUX_INSIDE.match(path):
        return path[inside.end() :].replace("\\", "/")
    if long := _LONG.match(path):
        path = ("\\\\" if long[1] else "") + path[long.end() :]
    if path[1:2] == ":":
        return f"/{path[0].lower()}:{path[2:]}".replace("\\", "/")
    server, _, below = path[2:].replace("\\", "/").partition("/")
    return f"/\\\\{server.lower()}/{below}"


def spelled_beside(path: str, folder: str) -> str:
    r"""A path beside a folder in the form of this module: on Windows, if that folder is there.

    `src\a.py` is then `src/a.py`, and `/c/a.py` and `/mnt/c/a.py` are `/c:/a.py`.
    """
    path = rooted(path)
    if not is_rooted(folder) or is_rooted(path):
        return path
    if path[:1] == "\\":
        return folder[:3] + path.replace("\\", "/")  # from the top of the drive
    path = path.replace("\\", "/")
    mounted = _MOUNTED.match(path)
    return path if mounted is None else f"/{mounted[1].lower()}:{path[mounted.end() :]}"


def as_shown(path: str) -> str:
    """A path as documents show it: `/c:/a` is `C:/a`; others are unchanged."""
    if not is_rooted(path):
        return path
    return path[1].upper() + path[2:] if path[2] == ":" else path[1:]


def without_drive(path: str) -> str:
    """A path without its drive or server: `/c:/a` is `/a`; others are unchanged."""
    found = _ROOTED.match(path)
    return path if found is None else path[found.end() :] or "/"


class OneCase:
    """Windows folders in the case in which each was met first, because there case says nothing."""

    def __init__(self) -> None:
        self._known: dict[str, str] = {"": ""}

    def of(self, path: str) -> str:
        """A path in the form of this module with its folders in one case; others are unchanged."""
        if not is_rooted(path):
            return path
        if (known := self._known.get(path.lower())) is not None:
            return known  # it is a folder: `C:/W` beside the directory `c:/w` was a file
        folder, _, name = path.rpartition("/")
        return f"{self.folder(folder)}/{name}"

    def folder(self, folder: str) -> str:
        """The same for the path of a folder."""
        todo: list[str] = []
        above = folder
        while (found := self._known.get(above.lower())) is None:
            above, _, name = above.rpartition("/")
            todo.append(name)
        for name in reversed(todo):
            found = f"{found}/{name}"
            self._known[found.lower()] = found
        return found
