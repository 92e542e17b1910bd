"""Files and lines in diffs: git's text, and the `files` with hunks of structured comparisons."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from groundtrace.answers.fold import FilesWithLines
from groundtrace.base.patterns import regex
from groundtrace.base.values import as_items, as_mapping, text_or_empty, whole_name, whole_number

_GIT = regex(r'diff --git (?:"a/(?P<qa>[^"]+)"|a/(?P<a>.+?)) (?:"b/(?P<qb>[^"]+)"|b/(?P<b>.+))')
_FILE = regex(r"(?P<side>---|\+\+\+) (?P<path>\"?[^\t\n]+?\"?)(?:\t.*)?")
_HUNK = regex(r"@@ -\d+(?:,\d+)? \+(?P<start>\d{1,9})(?:,(?P<count>\d{1,9}))? @@")
_NEW = ("newPath", "newFile", "path", "file", "filename", "name", "newName")
_OLD = ("oldPath", "oldFile", "previous_filename", "oldName")
_LISTS = ("files", "fileDiffs", "diffs", "results", "nodes", "changes", "commits")


def add_text(text: str, spans: FilesWithLines, repo: str | None) -> None:
    """The files of a unified diff; line numbers are those of the new side."""
    old = path = ""
    for line in text.split("\n"):
        header = _GIT.fullmatch(line)
        if header is not None:
            path = "b/" + (header["b"] or header["qb"] or "")
            old = "a/" + (header["a"] or header["qa"] or "")
            spans.add(path, repo=repo, from_diff=True)
            if old[2:] != path[2:]:
                spans.add(old, repo=repo, from_diff=True)
            continue
        file = _FILE.fullmatch(line)
        if file is not None:
            name = file["path"].strip('"').strip()
            if file["side"] == "---":
                old = name
            else:
                path = old if name == "/dev/null" else name
                if path != "/dev/null":
                    spans.add(path, repo=repo, from_diff=True)
            continue
        hunk = _HUNK.match(line)
        if hunk is not None and path:
            start, count = int(hunk["start"]), int(hunk["count"] or 1)
            # A removed file (`+0,0`) has no lines on the new side, so no line of it is known.
            first = max(start, 1) if start or count else None
            spans.add(path, first, start + max(count, 1) - 1, repo=repo, shown=True, from_diff=True)


def add_json(value: Any, spans: FilesWithLines, repo: str | None, depth: int = 6) -> None:
    """The files of a structured comparison, in any list that holds them."""
    if depth <= 0:
        return
    if isinstance(value, str):
        add_text(value, spans, repo)
        return
    if isinstance(value, (list, tuple)):
        for item in value:
            add_json(item, spans, repo, depth - 1)
        return
    data = as_mapping(value)
    repo = text_or_empty(data.get("repository")) or text_or_empty(data.get("repo")) or repo
    if _add_file(data, spans, repo):
        return
    for key in _LISTS:
        if isinstance(data.get(key), (list, tuple)):
            add_json(data[key], spans, repo, depth - 1)
    for key in ("diff", "text", "content", "patch"):
        if isinstance(data.get(key), str):
            add_text(data[key], spans, repo)


def _add_file(data: Mapping[str, Any], spans: FilesWithLines, repo: str | None) -> bool:
    """Add one file with its hunks; False if this object is not a file."""
    new = next((name for key in _NEW if (name := _name(data.get(key)))), "")
    old = next((name for key in _OLD if (name := _name(data.get(key)))), "")
    if not (new or old) or not any(k in data for k in ("hunks", "patch", "added", "status", *_OLD)):
        return False
    path = new or old
    spans.add(path, repo=repo)
    for hunk in as_items(data.get("hunks")):
        added = as_mapping(as_mapping(hunk).get("newRange"))
        start = whole_number(added.get("startLine"))
        count = whole_number(added.get("lines")) or 1
        if start is not None and start >= 1:
            spans.add(path, start, start + max(count, 1) - 1, repo=repo)
        else:
            spans.add(path, repo=repo, shown=bool(text_or_empty(as_mapping(hunk).get("body"))))
    for match in _HUNK.finditer(text_or_empty(data.get("patch"))):
        start, count = int(match["start"]), int(match["count"] or 1)
        spans.add(path, max(start, 1), max(start, 1) + max(count, 1) - 1, repo=repo)
    if old and old != path:
        spans.add(old, repo=repo)
    return True


def _name(value: Any) -> str:
    if isinstance(value, Mapping):
        value = value.get("path") or value.get("name")
    name = whole_name(value)
    return "" if name == "/dev/null" else name
