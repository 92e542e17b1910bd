"""Where a name in an answer lies: joined to the working directory or to what was searched."""

from __future__ import annotations

import posixpath

from groundtrace.paths.windows import rooted, spelled_beside


def absolute(path: str, cwd: str | None) -> str:
    """The path joined to the working directory, with dots resolved.

    A Windows path has the form that begins with a slash (`paths.windows`).
    """
    path = path.strip().removeprefix("file://")
    if not path:
        return ""
    path = rooted(path) if cwd is None else spelled_beside(path, cwd)
    if not path.startswith("/") and cwd and cwd.startswith("/"):
        path = f"{cwd}/{path}"
    tidy = posixpath.normpath(path)
    return tidy[1:] if tidy.startswith("//") else tidy


def inside(name: str, folder: str) -> str:
    """The path of a name in a folder, which is relative if the working directory is not known."""
    if folder.startswith("/") or name.startswith("/"):
        return absolute(name, folder)
    return absolute(f"{folder}/{name}" if folder else name, None)


MAX_SCOPE = 4096
"""No path is longer. Without this limit, trying each part of 200 KB of `a/a/a/…` took minutes."""


def locate(name: str, cwd: str | None, scope: str) -> str:
    """The path of a name in a result; `scope` is the path that was searched. It is absolute unless
    the trace does not know the working directory.

    Claude Code prints names relative to the working directory. Its other versions and other
    harnesses print them relative to the searched path. The reading that lies inside the scope is
    the right one.
    """
    name = spelled_beside(name, scope)
    if name.startswith("/") or not scope:
        return absolute(name, cwd)
    by_cwd = absolute(name, cwd)
    if by_cwd == scope or by_cwd.startswith(scope.rstrip("/") + "/") or len(scope) > MAX_SCOPE:
        return by_cwd
    name = posixpath.normpath(name)
    top = "/" if scope.startswith("/") else ""
    parts = scope.strip("/").split("/")
    first = name.partition("/")[0]
    for start, part in enumerate(parts):
        if part != first:
            continue
        overlap = "/".join(parts[start:])
        if name == overlap or name.startswith(overlap + "/"):
            return inside(name, top + "/".join(parts[:start]))
    return inside(name, scope) if not name.startswith("../") else by_cwd
