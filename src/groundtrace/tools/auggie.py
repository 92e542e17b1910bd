"""Retrieval that answers with sections of files: auggie's tools and Cursor's semantic search.

Path: src/server/auth.go
...
    12<TAB>func Check(…)
"""

from __future__ import annotations

from collections.abc import Iterator

from groundtrace.answers.fold import fold
from groundtrace.answers.line import Shown, in_runs, size
from groundtrace.answers.numbered import numbered_lines, runs_of
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
from groundtrace.model import AccessKind, ToolCall
from groundtrace.tools.findings import Findings
from groundtrace.tools.table import ToolEntry

_HEADER = regex(r"\s*(?:#+ |[-*] )?(?:Path|File): `?(?P<path>[^\s`][^`]*)`?\s*")
_TAG = regex(
    r'<search_result path="(?P<path>[^"\n]{1,4096})" startLine="(?P<start>\d{1,9})" endLine="(?P<end>\d{1,9})"'
)
_FENCE = regex(r"```(?P<start>\d{1,9}):(?P<end>\d{1,9}):(?P<path>[^\n]{1,4096})$")
"""How Cursor names a section."""


def retrieval(call: ToolCall, entry: ToolEntry, cwd: str | None) -> Findings:
    """Files with sections that were shown (D2: retrieval is code search)."""
    payload = payload_of(call.result)
    repo = _repository(call)
    cwd = first_text(call.arguments, ("directory_path", "workspace_path")) or cwd
    shown = [
        *_in_fields(payload, repo, cwd),
        *_named(payload, repo, cwd),
        *_sections(payload, repo, cwd),
    ]
    refs = fold(shown, f"{entry.short}: sections shown")
    return Findings(refs, failed=not refs, repos=distinct((repo or "",)))


def _sections(payload: Payload, repo: str | None, cwd: str | None) -> Iterator[Shown]:
    path = ""
    lines: list[str] = []
    for line in [*payload.text.split("\n"), "Path: end"]:
        header = _HEADER.fullmatch(line)
        if header is None:
            lines.append(line)
            continue
        if path:
            yield from _section(path, lines, repo)
        path, lines = _place(header["path"], repo, cwd), []


def _place(path: str, repo: str | None, cwd: str | None) -> str:
    return path.strip().lstrip("/") if repo else absolute(path, cwd)


def _section(path: str, lines: list[str], repo: str | None) -> Iterator[Shown]:
    found = numbered_lines(lines)
    filled = [line for line in lines if line.strip()]
    if found:
        chars = sum([line.size for line in found])
        yield from in_runs(path, "matched", runs_of(found), chars, repo)
    elif any(line.strip() != "..." for line in filled):
        yield Shown(path, "matched", chars=size(filled), repo=repo)
    else:
        yield Shown(path, "surfaced", repo=repo)


def _named(payload: Payload, repo: str | None, cwd: str | None) -> Iterator[Shown]:
    """Sections whose heading has the lines: `<search_result path=…>`, "```10:20:a.py"."""
    for line in payload.text.split("\n"):
        found = _TAG.match(line.lstrip()) or _FENCE.match(line)
        if found is not None:
            start, end = int(found["start"]), int(found["end"])
            yield Shown(_place(found["path"], repo, cwd), "matched", start, end, repo=repo)


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
