"""Retrieval that answers with sections of files: auggie's tools and Cursor's semantic search.

Path: src/server/auth.go
...
    12<TAB>func Check(…)
"""

from __future__ import annotations

from collections.abc import Iterator

from groundtrace.answers.fold import fold
from groundtrace.answers.headed import path_sections, ranged_headings
from groundtrace.answers.line import Shown
from groundtrace.answers.payload import Payload, payload_of
from groundtrace.answers.places import absolute
from groundtrace.base.values import (
    as_items,
    as_mapping,
    distinct,
    first_text,
    text_or_empty,
    whole_number,
)
from groundtrace.model import AccessKind, ToolCall
from groundtrace.tools.findings import Findings
from groundtrace.tools.table import ToolEntry


def retrieval(call: ToolCall, entry: ToolEntry, cwd: str | None) -> Findings:
    """Files with sections that were shown (D2: retrieval is code search)."""
    payload = payload_of(call.result)
    repo = _repository(call)
    cwd = first_text(call.arguments, ("directory_path", "workspace_path")) or cwd
    lines = payload.text.split("\n")

    def place(path: str) -> str:
        return _place(path, repo, cwd)

    shown = [
        *_in_fields(payload, repo, cwd),
        *ranged_headings(lines, place, repo),
        *path_sections(lines, place, repo),
    ]
    refs = fold(shown, f"{entry.short}: sections shown")
    return Findings(refs, failed=not refs, repos=distinct((repo or "",)))


def _place(path: str, repo: str | None, cwd: str | None) -> str:
    return path.strip().lstrip("/") if repo else absolute(path, cwd)


def _in_fields(payload: Payload, repo: str | None, cwd: str | None) -> Iterator[Shown]:
    for key in ("results", "codeResults", "snippets"):
        for item in as_items(payload.mapping.get(key)):
            item = as_mapping(item)
            item = as_mapping(item.get("codeBlock")) or item
            path = first_text(item, ("path", "file", "filePath", "relativeWorkspacePath"))
            if not path:
                continue
            start = whole_number(item.get("startLine")) or whole_number(item.get("lineStart"))
            end = whole_number(item.get("endLine")) or whole_number(item.get("lineEnd"))
            text = first_text(item, ("content", "contents", "text", "code"))
            kind: AccessKind = "matched" if text or start else "surfaced"
            chars = len(text) if text else None
            yield Shown(_place(path, repo, cwd), kind, start, end, chars, repo)


def _repository(call: ToolCall) -> str | None:
    owner = first_text(call.arguments, ("repo_owner", "owner"))
    name = first_text(call.arguments, ("repo_name", "repo", "repository"))
    if "/" in name:
        return name if name.count("/") > 1 else f"github.com/{name}"
    if owner and name:
        return f"github.com/{owner}/{name}"
    return text_or_empty(name) or None
