"""Files and lines in diffs: git's text, and the `files` with hunks of structured comparisons."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from groundtrace.answers.line import Shown
from groundtrace.base.patterns import regex
from groundtrace.base.values import as_items, as_mapping, text_or_empty, whole_name, whole_number
from groundtrace.model import AccessKind

_GIT = regex(r'diff --git (?:"a/(?P<qa>[^"]+)"|a/(?P<a>.+?)) (?:"b/(?P<qb>[^"]+)"|b/(?P<b>.+))')
_FILE = regex(r"(?P<side>---|\+\+\+) (?P<path>\"?[^\t\n]+?\"?)(?:\t.*)?")
_HUNK = regex(r"@@ -\d+(?:,\d+)? \+(?P<start>\d{1,9})(?:,(?P<count>\d{1,9}))? @@")
_NEW = ("newPath", "newFile", "path", "file", "filename", "name", "newName")
_OLD = ("oldPath", "oldFile", "previous_filename", "oldName")
_LISTS = ("files", "fileDiffs", "diffs", "results", "nodes", "changes", "commits")


def in_text(text: str, repo: str | None, kind: AccessKind = "read") -> Iterator[Shown]:
    """The files of a unified diff; line numbers are those of the new side."""
    old = path = ""
    shown: Shown | None = None
    chars = 0
    for line in text.split("\n"):
        header = _GIT.fullmatch(line) if line.startswith("diff --git ") else None
        file = _FILE.fullmatch(line) if line.startswith(("--- ", "+++ ")) else None
        hunk = _HUNK.match(line) if line.startswith("@@ ") else None
        if shown is not None and (header or file or hunk):
            yield shown._replace(chars=chars)
            shown = None
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
        elif hunk is not None and path:
            start, count = int(hunk["start"]), int(hunk["count"] or 1)
            # A removed file (`+0,0`) has no lines on the new side, so no line of it is known.
            first = max(start, 1) if start or count else None
            last = start + max(count, 1) - 1 if first else None
            shown = Shown(path, kind, first, last, repo=repo, from_diff=True)
            chars = 0
        elif line[:1] in (" ", "+", "-"):
            chars += len(line) + 1
    if shown is not None:
        yield shown._replace(chars=chars)


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
        start, count = max(int(match["start"]), 1), max(int(match["count"] or 1), 1)
        yield Shown(path, kind, start, start + count - 1, repo=repo)


def _name(value: Any) -> str:
    if isinstance(value, Mapping):
        value = value.get("path") or value.get("name")
    name = whole_name(value)
    return "" if name == "/dev/null" else name
