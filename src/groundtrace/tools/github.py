"""GitHub's MCP server: file contents, code search, trees, commits, writes (D2)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from groundtrace.answers import diffs
from groundtrace.answers.file_names import usable
from groundtrace.answers.fold import fold, surfaced
from groundtrace.answers.line import Shown, size
from groundtrace.answers.payload import Payload, payload_of
from groundtrace.base.patterns import regex
from groundtrace.base.values import (
    as_items,
    as_mapping,
    distinct,
    first_text,
    text_or_empty,
    whole_name,
)
from groundtrace.model import AccessKind, FileRef, ToolCall
from groundtrace.tools.findings import NOTHING, Findings
from groundtrace.tools.sourcegraph import repos_in
from groundtrace.tools.table import ToolEntry

_FAILED = regex(r"\s*(?:failed to |error|not found|missing required)", re.IGNORECASE)
_RESOURCE = regex(r"repo://[^/\s]+/[^/\s]+/(?:.*?/)?contents/(?P<path>[^\s\])]+)")


def _repository(arguments: Mapping[str, Any]) -> str | None:
    """`github.com/owner/name` from the arguments."""
    owner, name = first_text(arguments, ("owner",)), first_text(arguments, ("repo", "repository"))
    if "/" in name:
        return name if name.startswith("github.com/") else f"github.com/{name}"
    return f"github.com/{owner}/{name}" if owner and name else None


def _failed(payload: Payload) -> bool:
    return payload.is_error or (payload.value is None and bool(_FAILED.match(payload.text)))


def contents(call: ToolCall, _entry: ToolEntry, _cwd: str | None) -> Findings:
    """A file that was opened, or the files of a directory that was opened."""
    payload = payload_of(call.result)
    repo = _repository(call.arguments)
    repos = distinct((repo or "",))
    if _failed(payload) or (payload.value is None and not payload.text.strip()):
        return Findings(failed=True, repos=repos)
    if isinstance(payload.value, list) and _is_listing(payload.value):
        items = [as_mapping(item) for item in payload.value]
        names = [whole_name(item.get("path")) for item in items if item.get("type") == "file"]
        return Findings(surfaced(names, "get_file_contents: files listed", repo), repos=repos)
    stated = _RESOURCE.search(payload.text[:1000])
    path = first_text(call.arguments, ("path",)).strip("/")
    path = path or text_or_empty(payload.mapping.get("path")) or (stated["path"] if stated else "")
    if not usable(path):
        return Findings(failed=True, repos=repos)
    chars = len(payload.text) if payload.value is None else None
    rule = "get_file_contents: file opened"
    ref = FileRef(path, "read", repo=repo, rule=rule, shown_chars=chars)
    return Findings((ref,), repos=repos)


def _is_listing(items: list[Any]) -> bool:
    kinds = ("file", "dir", "symlink", "submodule")
    return bool(items) and all(as_mapping(item).get("type") in kinds for item in items)


def search_code(call: ToolCall, _entry: ToolEntry, _cwd: str | None) -> Findings:
    """Files of a code search: matched if fragments of them were shown, else surfaced."""
    payload = payload_of(call.result)
    shown = []
    repos = list(_query_repos(first_text(call.arguments, ("query", "q"))))
    for item in as_items(payload.mapping.get("items")):
        item = as_mapping(item)
        name = whole_name(as_mapping(item.get("repository")).get("full_name"))
        repo = f"github.com/{name}" if name else repos[0] if len(repos) == 1 else None
        matches = [as_mapping(match) for match in as_items(item.get("text_matches"))]
        texts = [text for match in matches if (text := text_or_empty(match.get("fragment")))]
        kind: AccessKind = "matched" if texts else "surfaced"
        shown.append(Shown(whole_name(item.get("path")), kind, chars=size(texts), repo=repo))
        repos.append(repo or "")
    refs = fold(shown, "search_code: files found")
    return Findings(refs, failed=not refs, repos=distinct(repos))


def _query_repos(query: str) -> tuple[str, ...]:
    found = repos_in(query)
    return tuple(r if r.startswith("github.com/") else f"github.com/{r}" for r in found)


def tree(call: ToolCall, _entry: ToolEntry, _cwd: str | None) -> Findings:
    """The files of a repository's tree."""
    payload = payload_of(call.result)
    repo = _repository(call.arguments)
    items = [as_mapping(item) for item in as_items(payload.mapping.get("tree"))]
    names = [whole_name(item.get("path")) for item in items if item.get("type") == "blob"]
    refs = surfaced(names, "get_repository_tree: files listed", repo)
    return Findings(refs, failed=not items, repos=distinct((repo or "",)))


def changes(call: ToolCall, entry: ToolEntry, _cwd: str | None) -> Findings:
    """The files of a commit or a pull request: a hunk shows content, a name does not (D7)."""
    payload = payload_of(call.result)
    repo = _repository(call.arguments)
    shown: Iterable[Shown] = ()
    if payload.value is not None:
        shown = diffs.in_objects(payload.value, repo)
    elif not _failed(payload):
        shown = diffs.in_text(payload.text, repo)
    refs = fold(shown, f"{entry.short}: hunks shown")
    failed = _failed(payload) or not (payload.value or payload.text.strip())
    return Findings(refs, failed=failed and not refs, repos=distinct((repo or "",)))


def write(call: ToolCall, entry: ToolEntry, _cwd: str | None) -> Findings:
    """Files written to the remote repository."""
    payload = payload_of(call.result)
    if call.result is None or _failed(payload):
        return NOTHING
    repo = _repository(call.arguments)
    names = [first_text(call.arguments, ("path",))]
    names += [
        text_or_empty(as_mapping(f).get("path")) for f in as_items(call.arguments.get("files"))
    ]
    rule = f"{entry.short}: file named in the arguments"
    refs = tuple(FileRef(n, "written", repo=repo, rule=rule) for n in distinct(names) if usable(n))
    return Findings(refs, failed=not refs, repos=distinct((repo or "",)))


def repository(call: ToolCall, _entry: ToolEntry, _cwd: str | None) -> Findings:
    """Calls about a repository that name no files."""
    repo = _repository(call.arguments)
    return Findings(failed=_failed(payload_of(call.result)), repos=distinct((repo or "",)))
