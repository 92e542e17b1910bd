"""Files and lines in diffs: git's text, and the `files` with hunks of structured comparisons."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from groundtrace.answers.line import Shown
from groundtrace.base.patterns import regex
from groundtrace.base.values import as_items, as_mapping, text_or_empty, whole_name, whole_number
from groundtrace.model import AccessKind

_GIT = regex(r'diff --git (?:"a/(?P<qa>[^"]+)"|a/(?P<a>.+?)) (?:"b/(?P<qb>[^"]+)"|b/(?P<b>.+))')
_FILE = regex(r"(?P<side>---|\+\+\+) (?P<path>\"?[^\t\n]+?\"?)(?:\t.*)?")
_HUNK = regex(
    r"@@ -(?P<old>\d{1,9})(?:,(?P<olds>\d{1,9}))? \+(?P<new>\d{1,9})(?:,(?P<news>\d{1,9}))? @@"
)
_NEW = ("newPath", "newFile", "path", "file", "filename", "name", "newName")
_OLD = ("oldPath", "oldFile", "previous_filename", "oldName")
_LISTS = ("files", "fileDiffs", "diffs", "results", "nodes", "changes", "commits")


def in_text(text: str, repo: str | None, kind: AccessKind = "read") -> Iterator[Shown]:
    """The files of a unified diff; line numbers are those of the new side.

    A file that is gone has lines on the old side alone.
    """
    old = path = ""
    hunk: Hunk | None = None
    for line in text.split("\n"):
        if hunk is not None and hunk.takes(line):
            continue
        if hunk is not None:
            yield hunk.shown(path, kind, repo)
            hunk = None
        header = _GIT.fullmatch(line) if line.startswith("diff --git ") else None
        file = _FILE.fullmatch(line) if line.startswith(("--- ", "+++ ")) else None
        begins = _HUNK.match(line) if line.startswith("@@ ") else None
        if header is not None:
            path = "b/" + (header["b"] or header["qb"] or "")
            old = "a/" + (header["a"] or header["qa"] or "")
            yield Shown(path, "surfaced", repo=repo, from_diff=True)
            if old[2:] != path[2:]:
                yield Shown(old, "surfaced", repo=repo, from_diff=True)
        elif file is not None:
            name = file["path"].strip('"').strip()
            if file["side"] == "---":
                old = name
            else:
                path = old if name == "/dev/null" else name
                if path != "/dev/null":
                    yield Shown(path, "surfaced", repo=repo, from_diff=True)
        elif begins is not None and path:
            hunk = Hunk(begins)
    if hunk is not None:
        yield hunk.shown(path, kind, repo)


class Hunk:
    """One place of a diff: its lines on both sides, and how many of them are still to come."""

    def __init__(self, head: re.Match[str]) -> None:
        self.old, self.olds = int(head["old"]), int(head["olds"] or 1)
        self.new, self.news = int(head["new"]), int(head["news"] or 1)
        self._left = [self.olds, self.news]
        self._chars = 0

    def takes(self, line: str) -> bool:
        """Whether the line belongs to the hunk: `--- x` is a removed line while lines are due."""
        sign = line[:1] or " "
        if sign == "\\":  # `\\ No newline at end of file`
            return True
        sides = {" ": (1, 1), "-": (1, 0), "+": (0, 1)}.get(sign)
        if sides is None or any(n > left for n, left in zip(sides, self._left, strict=True)):
            return False
        self._left = [left - n for n, left in zip(sides, self._left, strict=True)]
        if line:
            self._chars += len(line) + 1
        return True

    def shown(self, path: str, kind: AccessKind, repo: str | None) -> Shown:
        """The lines of the new side, or of the old one if the file is gone."""
        first, count = (self.new, self.news) if self.new or self.news else (self.old, self.olds)
        first = max(first, 1)
        last = first + max(count, 1) - 1
        return Shown(path, kind, first, last, self._chars, repo, from_diff=True)


def in_objects(
    value: Any, repo: str | None, kind: AccessKind = "read", depth: int = 6
) -> Iterator[Shown]:
    """The files of a structured comparison, in any list that holds them."""
    if depth <= 0:
        return
    if isinstance(value, str):
        yield from in_text(value, repo, kind)
        return
    if isinstance(value, (list, tuple)):
        for item in value:
            yield from in_objects(item, repo, kind, depth - 1)
        return
    data = as_mapping(value)
    repo = text_or_empty(data.get("repository")) or text_or_empty(data.get("repo")) or repo
    new = next((name for key in _NEW if (name := _name(data.get(key)))), "")
    old = next((name for key in _OLD if (name := _name(data.get(key)))), "")
    if (new or old) and any(key in data for key in ("hunks", "patch", "added", "status", *_OLD)):
        yield from _file(data, new or old, repo, kind)
        if old and new and old != new:
            yield Shown(old, "surfaced", repo=repo)
        return
    for key in _LISTS:
        if isinstance(data.get(key), (list, tuple)):
            yield from in_objects(data[key], repo, kind, depth - 1)
    for key in ("diff", "text", "content", "patch"):
        if isinstance(data.get(key), str):
            yield from in_text(data[key], repo, kind)


def _file(
    data: Mapping[str, Any], path: str, repo: str | None, kind: AccessKind
) -> Iterator[Shown]:
    """One file with its hunks."""
    yield Shown(path, "surfaced", repo=repo)
    for hunk in as_items(data.get("hunks")):
        added = as_mapping(as_mapping(hunk).get("newRange"))
        start = whole_number(added.get("startLine"))
        count = max(whole_number(added.get("lines")) or 1, 1)
        body = text_or_empty(as_mapping(hunk).get("body"))
        chars = len(body) or None
        if start is not None and start >= 1:
            yield Shown(path, kind, start, start + count - 1, chars, repo)
        elif body:
            yield Shown(path, kind, chars=chars, repo=repo)
    for match in _HUNK.finditer(text_or_empty(data.get("patch"))):
        yield Hunk(match).shown(path, kind, repo)._replace(chars=None, from_diff=False)


def _name(value: Any) -> str:
    if isinstance(value, Mapping):
        value = value.get("path") or value.get("name")
    name = whole_name(value)
    return "" if name == "/dev/null" else name
