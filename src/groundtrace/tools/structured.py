"""Structured results that state what was shown: a range, matches by workspace, a tree of files.

They are recognised by their fields, for every tool and trace. Nothing of this is printed: these are
fields that a harness keeps beside the text, so `answers` does not know them. `local_files` and `grep`
read the printed text if a result has none of these fields.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from groundtrace.answers.file_names import usable
from groundtrace.answers.fold import fold, surfaced
from groundtrace.answers.line import Shown
from groundtrace.answers.places import absolute, locate
from groundtrace.base.values import (
    as_items,
    as_mapping,
    as_texts,
    first_text,
    text_or_empty,
    whole_number,
)
from groundtrace.model import FileRef, ToolCall
from groundtrace.tools.findings import NOTHING, Findings
from groundtrace.tools.table import ToolEntry

_KEYS = frozenset(["readRange", "totalLines", "workspaceResults", "directoryTreeRoot", "files"])


def stated(data: Any) -> Mapping[str, Any] | None:
    """The result if it states what was shown, else None."""
    return data if isinstance(data, Mapping) and not _KEYS.isdisjoint(data) else None


def read(call: ToolCall, entry: ToolEntry, cwd: str | None, done: Mapping[str, Any]) -> Findings:
    """A file that was opened, with the range that the result states."""
    if done.get("isEmpty") is True or done.get("content") == "":
        return NOTHING
    path = text_or_empty(done.get("path")) or first_text(call.arguments, entry.path_arguments)
    path = absolute(path, cwd)
    if not usable(path):
        return NOTHING
    start, end = _range(call, done)
    ref = FileRef(
        path,
        "read",
        line_start=start,
        line_end=end,
        rule="read: range that the result states",
        shown_chars=len(text_or_empty(done.get("content"))) or None,
    )
    return Findings(refs=(ref,))


def _range(call: ToolCall, done: Mapping[str, Any]) -> tuple[int | None, int | None]:
    stated = as_mapping(done.get("readRange"))
    total = whole_number(done.get("totalLines"))
    offset = whole_number(call.arguments.get("offset"))
    limit = whole_number(call.arguments.get("limit"))
    start = whole_number(stated.get("startLine"))
    if start is None:
        start = offset if offset is not None and offset > 0 else 1
    end = whole_number(stated.get("endLine"))
    if end is None:
        end = start + limit - 1 if limit is not None and limit > 0 else total
        if end is not None and total is not None:
            end = min(end, total)
    if start < 1 or end is None or end < start:
        return None, None
    content = text_or_empty(done.get("content"))
    # If the file ends in a newline, the result counts one more, empty line at its end.
    if (
        end == total
        and end > start
        and content.count("\n") == end - start
        and content.endswith("\n")
    ):
        end -= 1
    return start, end


def glob(call: ToolCall, entry: ToolEntry, cwd: str | None, done: Mapping[str, Any]) -> Findings:
    """File names that a pattern matched."""
    scope = text_or_empty(done.get("path")) or first_text(call.arguments, entry.path_arguments)
    scope = absolute(scope, cwd) if scope else cwd or ""
    names = as_texts(done.get("files")) or as_texts(done.get("filenames"))
    refs = surfaced(
        (locate(name, cwd, scope) for name in names), "glob: names in the structured result"
    )
    return Findings(refs=refs, failed=not refs)


def grep(done: Mapping[str, Any], cwd: str | None) -> Findings:
    """Matches per workspace; names are relative to the workspace's key."""
    shown: list[Shown] = []
    for root, found in as_mapping(done.get("workspaceResults")).items():
        base = absolute(root, cwd)
        found = as_mapping(found)
        for name in as_texts(as_mapping(found.get("files")).get("files")):
            shown.append(Shown(absolute(name, base), "surfaced"))
        for counted in as_items(as_mapping(found.get("count")).get("counts")):
            name = text_or_empty(as_mapping(counted).get("file"))
            shown.append(Shown(absolute(name, base), "surfaced"))
        for match in as_items(as_mapping(found.get("content")).get("matches")):
            path = absolute(text_or_empty(as_mapping(match).get("file")), base)
            for line in as_items(as_mapping(match).get("matches")):
                line = as_mapping(line)
                chars = len(text_or_empty(line.get("content"))) or None
                number = whole_number(line.get("lineNumber"))
                shown.append(Shown(path, "matched", number, None, chars))
    refs = fold(shown, "grep: matches in the structured result")
    return Findings(refs=refs, failed=not refs)


def listing(done: Mapping[str, Any]) -> Findings:
    """The files of a directory tree."""
    root = as_mapping(done.get("directoryTreeRoot"))
    refs = surfaced(_tree(root, depth=0), "listing: files in the structured result")
    return Findings(refs=refs, failed=not root)


def _tree(node: Mapping[str, Any], depth: int) -> Iterator[str]:
    base = text_or_empty(node.get("absPath"))
    for child in as_items(node.get("childrenFiles")):
        name = child if isinstance(child, str) else text_or_empty(as_mapping(child).get("name"))
        if name:
            yield absolute(name, base)
    if depth < 50:
        for folder in as_items(node.get("childrenDirs")):
            yield from _tree(as_mapping(folder), depth + 1)
