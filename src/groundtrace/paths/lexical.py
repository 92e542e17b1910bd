"""Paths as text: cleaning that needs no knowledge of a trial."""

from __future__ import annotations

import re
from functools import lru_cache

from groundtrace.base.patterns import regex
from groundtrace.paths.windows import rooted

MAX_LENGTH = 4096
"""No path of a file system is longer: such text is not a path."""

_WINDOWS = (":", "\\")
"""The second letter of a path with a drive or a share."""
_NOT_A_FILE = regex(r"[*?\x00-\x1f\x7f]|^[a-z][a-z0-9+.-]*://|^/dev/", re.IGNORECASE)
"""Globs, control characters, URLs and devices (D5). Brackets stay: `pages/[id].tsx` is a file."""


@lru_cache(maxsize=4096)
def clean_path(path: str) -> str | None:
    """The path without `.`, `..`, double and trailing slashes; None if it is not a file (D5).

    `..` is resolved by text alone, because the container is gone. A backslash is part of a name,
    except in a path that begins with a drive or a share of Windows. Idempotent.
    """
    if path[1:2] in _WINDOWS or path[2:3] == ":":  # few paths are of Windows
        path = rooted(path)
    if _no_path(path) or path.endswith("/"):
        return None
    if "//" not in path and "/." not in path and not path.startswith("."):
        return path  # nothing to resolve, as in most paths
    return _joined(path, _components(path))


def clean_folder(path: str) -> str | None:
    """Like `clean_path` for a folder: a trailing slash is dropped, the root is `/`."""
    path = rooted(path)
    if _no_path(path):
        return None
    if path.startswith("/"):
        return "/" + "/".join(_components(path))
    return _joined(path, _components(path))


def without_diff_prefix(path: str) -> str:
    """A path from a diff without its `a/` or `b/` (D13)."""
    return path[2:] if path[:2] in ("a/", "b/") and len(path) > 2 else path


def _no_path(text: str) -> bool:
    if not text.strip() or len(text) > MAX_LENGTH:
        return True
    if text.isprintable() and "*" not in text and "?" not in text:
        # The pattern is slow if it does not match, and most paths hold nothing that it can begin
        # with.
        could_match = "://" in text or text[:5].lower() == "/dev/"
        return could_match and _NOT_A_FILE.search(text) is not None
    return _NOT_A_FILE.search(text) is not None


def _components(text: str) -> list[str]:
    kept: list[str] = []
    for part in text.split("/"):
        if part in ("", "."):
            continue
        if part == ".." and kept and kept[-1] != "..":
            kept.pop()
        elif part != ".." or not text.startswith("/"):
            kept.append(part)
    return kept


def _joined(text: str, components: list[str]) -> str | None:
    if not components or components[-1] == "..":
        return None
    joined = ("/" if text.startswith("/") else "") + "/".join(components)
    return None if _no_path(joined) else joined  # `/./dev/null` is a device too
