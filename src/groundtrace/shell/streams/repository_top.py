"""Where the top of a repository is, for names that git prints relative to it.

`git diff`, `git log --stat` and `git show REV:path` name files from the top, in whatever directory
they run. Agents usually run them at the top, so the directory is taken as the top, unless a name
shows that it lies below.
"""

from __future__ import annotations

from collections.abc import Iterable

from groundtrace.base.patterns import regex
from groundtrace.paths.containers import clone_of
from groundtrace.shell.streams.file_names import join

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
