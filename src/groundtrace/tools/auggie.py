"""Retrieval that answers with sections of files: auggie's tools and Cursor's semantic search.

Path: src/server/auth.go
...
    12<TAB>func Check(…)
"""

from __future__ import annotations

import re

from groundtrace.answers.fold import FilesWithLines, numbered
from groundtrace.answers.payload import Payload, payload_of
from groundtrace.answers.places import absolute
from groundtrace.base.patterns import regex
from groundtrace.base.values import (
    as_items,
    as_mapping,
    distinct,
    first_text,
    text_or_empty,
    whole_number,
)
from groundtrace.model import ToolCall
from groundtrace.tools.findings import Findings
from groundtrace.tools.table import ToolEntry

_HEADER = regex(r"\s*(?:#+ |[-*] )?(?:Path|File): `?(?P<path>[^\s`][^`]*)`?\s*")
_TAG = regex(
    r'<search_result path="(?P<path>[^"\n]{1,4096})" startLine="(?P<start>\d{1,9})" endLine="(?P<end>\d{1,9})"'
)
_FENCE = regex(r"```(?P<start>\d{1,9}):(?P<end>\d{1,9}):(?P<path>[^\n]{1,4096})$")
"""How Cursor names a section."""
_LINE = regex(r"\s*(\d+)(?:\t|→|: ?)(.*)", re.DOTALL)


def retrieval(call: ToolCall, entry: ToolEntry, cwd: str | None) -> Findings:
    """Files with sections that were shown (D2: retrieval is code search)."""
    payload = payload_of(call.result)
    repo = _repository(call)
    cwd = first_text(call.arguments, ("directory_path", "workspace_path")) or cwd
    spans = FilesWithLines("matched", f"{entry.short}: sections shown", bare_kind="surfaced")
    _add_json(payload, spans, repo, cwd)
    _add_named(payload, spans, repo, cwd)
    path = ""
    lines: list[str] = []
    for line in [*payload.text.split("\n"), "Path: end"]:
        header = _HEADER.fullmatch(line)
        if header is None:
            lines.append(line)
            continue
        _add_section(spans, path, lines, repo)
        path, lines = _place(header["path"], repo, cwd), []
    return Findings(spans.refs(), failed=not spans, repos=distinct((repo or "",)))


def _place(path: str, repo: str | None, cwd: str | None) -> str:
    return path.strip().lstrip("/") if repo else absolute(path, cwd)


def _add_section(spans: FilesWithLines, path: str, lines: list[str], repo: str | None) -> None:
    if not path:
        return
    found = list(numbered(lines, _LINE))
    shown = any(line.strip() and line.strip() != "..." for line in lines)
    numbers = [number for number, _ in found]
    chars = sum(len(line) + 1 for line in lines if line.strip())
    if numbers:
        runs = [(number, number) for number in numbers]
        spans.add(path, min(numbers), max(numbers), repo=repo, runs=runs, chars=chars)
    else:
        spans.add(path, repo=repo, shown=shown, chars=chars)


def _add_named(payload: Payload, spans: FilesWithLines, repo: str | None, cwd: str | None) -> None:
    """Add sections whose heading has the lines: `<search_result path=…>`, "```10:20:a.py"."""
    for line in payload.text.split("\n"):
        found = _TAG.match(line.lstrip()) or _FENCE.match(line)
        if found is not None:
            start, end = int(found["start"]), int(found["end"])
            spans.add(_place(found["path"], repo, cwd), start, end, repo=repo, shown=True)


def _add_json(payload: Payload, spans: FilesWithLines, repo: str | None, cwd: str | None) -> None:
    for key in ("results", "codeResults", "snippets"):
        for item in as_items(payload.mapping.get(key)):
            item = as_mapping(item)
            item = as_mapping(item.get("codeBlock")) or item
            path = first_text(item, ("path", "file", "filePath", "relativeWorkspacePath"))
            if not path:
                continue
            start = whole_number(item.get("startLine")) or whole_number(item.get("lineStart"))
            end = whole_number(item.get("endLine")) or whole_number(item.get("lineEnd"))
            shown = bool(first_text(item, ("content", "contents", "text", "code")))
            spans.add(_place(path, repo, cwd), start, end, repo=repo, shown=shown)


def _repository(call: ToolCall) -> str | None:
    owner = first_text(call.arguments, ("repo_owner", "owner"))
    name = first_text(call.arguments, ("repo_name", "repo", "repository"))
    if "/" in name:
        return name if name.count("/") > 1 else f"github.com/{name}"
    if owner and name:
        return f"github.com/{owner}/{name}"
    return text_or_empty(name) or None
