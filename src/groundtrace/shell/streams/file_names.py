"""Names in output: how to join them to a directory, and which words can be one file (D5).

`answers.file_names` distinguishes files from directories by their names. Git prints some names
relative to the top of the repository, which may be above the directory (`from_top`).
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable

from groundtrace.base.patterns import regex
from groundtrace.paths.containers import clone_of
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
    if name[:2] == "./" and name[2:3] != "/" and _ORDINARY_NAME.fullmatch(name, 2):
        name = name[2:]  # as in listings of the working directory and of `find .`
    elif _ORDINARY_NAME.fullmatch(name) is None:
        return join(cwd, name) if is_file_name(name) else None
    if len(name) >= 4096:
        return None
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


_INNER = frozenset(
    [
        "apps", "bin", "cmd", "crates", "doc", "docs", "include", "internal", "packages", "pkg",
        "scripts", "src", "staging", "test", "tests", "vendor",
    ]
)  # fmt: skip
"""Usual folders inside repositories that are never the name of a repository; `api`, `lib` or `web`
may be one."""
_HOLDERS = regex(
    r"/[^/]*$|/(?:home|Users|tmp)/[^/]*$"
    r"|.*/(?:repos|repositories|projects|code|work|workspace|git|dev|src|checkouts|clones)$"
)
"""Folders that hold repositories but are none: `/workspace`, `/home/me`, `/data/repos`."""


def from_top(cwd: str | None, names: Iterable[str], start: str | None = None) -> str | None:
    """The top of the repository that `cwd` lies in, as far as names relative to the top show it.

    In `/w/pkg/store` the name `pkg/store/a.go` shows that the top is `/w`. A name with only one
    matching folder shows it only if that folder cannot be the repository itself: `django/urls.py`
    in `/w/django` lies in `/w/django/django`. Without such a name, usual inner folders that the
    command entered from `start` lie below the top: `cd docs && git diff`.
    """
    if cwd is None or not cwd.startswith("/"):
        return cwd
    if (clone := clone_of(f"{cwd}/")) is not None:
        return clone.folder  # `/code/django/django` has a package `django` too
    given = list(names)
    folders = cwd.strip("/").split("/")
    for at in range(1, len(folders)):
        below = folders[at:]
        top = "/" + "/".join(folders[:at])
        if len(below) == 1 and below[0] not in _INNER and not _may_be_top(top):
            continue
        before = "/".join(below) + "/"
        if any(name.startswith(before) for name in given):
            return top
    return _entered(cwd, start)


def _may_be_top(folder: str) -> bool:
    """Whether a folder can be the top of a repository: `/workspace/jest` can, `/workspace` cannot."""
    return _HOLDERS.match(folder) is None


def _entered(cwd: str, start: str | None) -> str:
    """`cwd` without the usual inner folders that the command entered."""
    if start is None or not cwd.startswith(f"{start}/"):
        return cwd
    folders = cwd[len(start) + 1 :].split("/")
    inner = next((index for index, name in enumerate(folders) if name in _INNER), None)
    return cwd if inner is None else "/".join([start, *folders[:inner]])


def place(cwd: str | None, name: str, start: str | None = None) -> str:
    """The path of a name after a revision; `./name` is relative to the directory."""
    if name.startswith(("./", "../")):
        return join(cwd, name)
    return join(from_top(cwd, [name], start), name)
