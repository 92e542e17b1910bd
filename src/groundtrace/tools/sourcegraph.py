"""Sourcegraph's tools: what a call opened, matched or listed, and in which repository."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from groundtrace.answers import diffs
from groundtrace.answers.fold import fold, surfaced
from groundtrace.answers.line import Shown, in_runs, text_size
from groundtrace.answers.payload import Payload, payload_of
from groundtrace.answers.sourcegraph_text import (
    Block,
    blocks_of,
    folder_files,
    fragments,
    is_past_the_end,
    link_of,
    opened_lines,
    plain_repo,
)
from groundtrace.base.patterns import regex
from groundtrace.base.values import (
    as_items,
    as_mapping,
    as_texts,
    distinct,
    first_text,
    text_or_empty,
    whole_name,
    whole_number,
)
from groundtrace.model import AccessKind, ToolCall
from groundtrace.tools.findings import Findings
from groundtrace.tools.table import ToolEntry

_IN_QUERY = regex(r"""(?<![\w-])(?:repo|r):(?P<name>"[^"]+"|[^\s'",]+)""")
_GROUP = regex(r"(?P<before>[^()]*)\((?:\?:)?(?P<in>[^()]*)\)(?P<after>[^()]*)")
_NO_RESULTS = regex(
    r"\s*(?:#+ )?(?:No (?:results?|files?|references?|definitions?|matches|symbols?)\b"
    r"|Total results: 0\b)",
    re.IGNORECASE,
)
_REFUSAL = regex(
    r"\s*+(?:(?:MCP )?error\b|failed to |invalid |no such |(?:could not|unable to|cannot|can't) "
    r"|(?:repository|repo|file|path|revision|commit|directory|symbol)\b[^\n:]{0,200}? (?:not found|does not exist))"
    r"[^\n]{0,2000}+\s*+",
    re.IGNORECASE,
)
"""One line that says why there is no answer. Harnesses that keep only text lose the server's mark of
an error, and then such a line was taken for the file's text."""
_LISTING_NOTE = regex(
    r"(?:No (?:files|results|entries)\b|Showing \d|\(\d+ |\(more |Error: |Total |URL: |\.\.\.|\[Truncated)",
    re.IGNORECASE,
)
_REPO_LINE = regex(r"(?P<repo>[\w-]+(?:\.[\w-]+)+/[^\s]+?)(?:\s+[-\[(].*)?\s*")
_CITED = regex(r"\]\((?P<target>[^()\s]{1,2000})\)")
_CITED_NAME = regex(r"\[(?P<where>[^\[\]\s]{5,1000})\]")


def repos_in(query: str) -> tuple[str, ...]:
    """Repositories that a query is limited to: `repo:^github\\.com/org/name$`, also alternatives."""
    if ":" not in query:
        return ()
    names = []
    for match in _IN_QUERY.finditer(query):
        pattern = match["name"].strip('"').replace("\\", "")
        group = _GROUP.fullmatch(pattern)
        parts = pattern.split("|")
        if group is not None:
            parts = [group["before"] + part + group["after"] for part in group["in"].split("|")]
        for part in parts:
            name = plain_repo(part.strip("^$"))
            if "/" in name and not re.search(r"[*+?|()\[\]]", name):
                names.append(name)
    return distinct(names)


def named_repos(arguments: Mapping[str, Any]) -> tuple[str, ...]:
    """Repositories that the arguments name."""
    direct = (*as_texts(arguments.get("repo")), *as_texts(arguments.get("repos")))
    queries = (text_or_empty(arguments.get(key)) for key in ("query", "question", "pattern"))
    inside = [repo for query in queries for repo in repos_in(query)]
    plain = (plain_repo(repo.strip("^$").replace("\\", "")) for repo in direct)
    return distinct((*plain, *inside))


# --- opened and listed files --------------------------------------------------------------


def read_file(call: ToolCall, _entry: ToolEntry, _cwd: str | None) -> Findings:
    """A file that was opened, or the files of a directory that was opened."""
    payload = payload_of(call.result)
    given = named_repos(call.arguments)
    text = text_or_empty(payload.mapping.get("content")) or payload.text
    url = text_or_empty(payload.mapping.get("url")) or _url_line(text)
    link = link_of(url)
    repo = (link.repo if link else "") or next(iter(given), "")
    path = (link.path if link else "") or first_text(call.arguments, ("path", "file")).strip("/")
    repos = distinct((*given, repo))
    end = link.end if link else whole_number(call.arguments.get("endLine"))
    if is_past_the_end(text, end):
        return Findings(failed=True, repos=repos)
    shown = opened_lines(text, end)
    if shown is None and (payload.is_error or not text.strip() or _NO_RESULTS.match(text)):
        return Findings(failed=True, repos=repos)
    if shown is None and link is None and _REFUSAL.fullmatch(text):
        return Findings(failed=True, repos=repos)
    if not link and payload.is_error:
        return Findings(failed=True, repos=repos)
    names = folder_files(text.split("\n"))
    if names is not None:
        files = (posixpath.join(path, name) for name in names)
        return Findings(surfaced(files, "read_file: files of the directory", repo), repos=repos)
    if link is not None and link.is_folder:
        return Findings(repos=repos)
    lines: Iterable[Shown] = [Shown(path, "read", chars=text_size(text), repo=repo)]
    if shown is not None:
        lines = in_runs(path, "read", shown.runs, shown.chars, repo)
    refs = fold(lines, "read_file: lines shown")
    return Findings(refs, failed=not refs, repos=repos)


def _url_line(text: str) -> str:
    first = text.lstrip().partition("\n")[0]
    return first.removeprefix("URL:").strip() if first.startswith("URL:") else ""


def list_files(call: ToolCall, _entry: ToolEntry, _cwd: str | None) -> Findings:
    """The files of a listing. Directories end in `/` and do not count (D5)."""
    payload = payload_of(call.result)
    repos = named_repos(call.arguments)
    repo = next(iter(repos), None)
    if payload.value is not None:
        listed = [as_mapping(item) for item in as_items(payload.mapping.get("files"))]
        names = [whole_name(item.get("path")) for item in listed if not item.get("isDirectory")]
        obtained = bool(listed)
    else:
        lines = [line.strip() for line in payload.text.split("\n")]
        lines = [line for line in lines if line and not _LISTING_NOTE.match(line)]
        names = [] if payload.is_error or _REFUSAL.fullmatch(payload.text) else lines
        obtained = bool(names)
    refs = surfaced((name.lstrip("/") for name in names), "list_files: files listed", repo)
    return Findings(refs, failed=not obtained, repos=repos)


# --- searches -----------------------------------------------------------------------------


def search(call: ToolCall, entry: ToolEntry, _cwd: str | None) -> Findings:
    """Files whose lines a search showed; a file that it only named is surfaced."""
    payload = payload_of(call.result)
    blocks = blocks_of(payload) or list(fragments(payload.text))
    return _matched(call, entry, payload, blocks)


def symbol(call: ToolCall, entry: ToolEntry, _cwd: str | None) -> Findings:
    """References to a symbol or its definition: lines shown, and the symbol that was asked for."""
    payload = payload_of(call.result)
    blocks = blocks_of(payload, padded=False) or list(fragments(payload.text))
    if not blocks:
        blocks = list(_opened_block(payload))
    asked = as_texts(call.arguments.get("symbol")) or as_texts(call.arguments.get("symbolName"))
    return _matched(call, entry, payload, blocks, symbols=asked)


def _opened_block(payload: Payload) -> Iterator[Block]:
    """A definition whose answer looks like an opened file: a URL and numbered lines."""
    text = text_or_empty(payload.mapping.get("content")) or payload.text
    link = link_of(text_or_empty(payload.mapping.get("url")) or _url_line(text))
    if link is not None and not link.is_folder:
        shown = opened_lines(text, link.end)
        runs = [] if shown is None else shown.runs
        if not runs and link.start:
            runs = [(link.start, link.end or link.start)]
        chars = None if shown is None else shown.chars
        yield Block(link.repo, link.path, shown=True, runs=tuple(runs), chars=chars)


def _matched(
    call: ToolCall,
    entry: ToolEntry,
    payload: Payload,
    blocks: Iterable[Block],
    symbols: tuple[str, ...] = (),
) -> Findings:
    asked = named_repos(call.arguments)
    blocks = list(blocks)
    default = asked[0] if len(asked) == 1 else None
    refs = fold(
        (line for block in blocks for line in block.lines(default)), f"{entry.short}: lines shown"
    )
    repos = distinct((*asked, *(block.repo for block in blocks)))
    return Findings(
        refs,
        failed=not refs and (payload.is_error or (not blocks and _is_empty(payload))),
        repos=repos,
        symbols=symbols,
    )


def _is_empty(payload: Payload) -> bool:
    """Whether a search found nothing.

    A cut answer that lost its file name still found something.
    """
    if payload.value is not None:
        return not any(payload.mapping.values()) if payload.mapping else not payload.value
    text = payload.text
    none = not text.strip() or _NO_RESULTS.match(text) is not None
    return none or _REFUSAL.fullmatch(text) is not None


# --- history ------------------------------------------------------------------------------


def commits(call: ToolCall, _entry: ToolEntry, _cwd: str | None) -> Findings:
    """Commits: their answers name repositories and no files."""
    payload = payload_of(call.result)
    listed = [as_mapping(item) for item in as_items(payload.mapping.get("commits"))]
    repos = (whole_name(item.get("repository")) for item in listed)
    none = not listed if payload.value is not None else bool(_NO_RESULTS.match(payload.text))
    none = none or (payload.value is None and _REFUSAL.fullmatch(payload.text) is not None)
    failed = payload.is_error or none or not (listed or payload.text.strip())
    return Findings(failed=failed, repos=distinct((*named_repos(call.arguments), *repos)))


def diff_search(call: ToolCall, entry: ToolEntry, _cwd: str | None) -> Findings:
    """Files in the diffs that a search found: their changed lines are matches (D7)."""
    return _changes(call, entry, "matched")


def compare(call: ToolCall, entry: ToolEntry, _cwd: str | None) -> Findings:
    """Files that differ between two revisions.

    The call asked for their changed lines: `read` (D7).
    """
    return _changes(call, entry, "read")


def _changes(call: ToolCall, entry: ToolEntry, kind: AccessKind) -> Findings:
    payload = payload_of(call.result)
    asked = named_repos(call.arguments)
    repo = asked[0] if len(asked) == 1 else None
    if payload.value is not None:
        shown = diffs.in_objects(payload.value, repo, kind)
    else:
        shown = diffs.in_text(payload.text, repo, kind)
    refs = fold(shown, f"{entry.short}: hunks shown")
    return Findings(refs, failed=not refs, repos=asked)


# --- deep search, repositories ------------------------------------------------------------


def deepsearch(call: ToolCall, entry: ToolEntry, _cwd: str | None) -> Findings:
    """Sources that an answer cites: only their names were returned, no content."""
    payload = payload_of(call.result)
    text = text_or_empty(payload.mapping.get("markdown")) or text_or_empty(
        payload.mapping.get("answer")
    )
    text = text or ("" if payload.value is not None else payload.text)
    cited = []
    repos = list(named_repos(call.arguments))
    for match in _CITED.finditer(text):
        link = link_of(match["target"]) if "/-/blob/" in match["target"] else None
        if link is not None:
            cited.append(Shown(link.path, "surfaced", repo=link.repo))
            repos.append(link.repo)
    if not cited:
        for match in _CITED_NAME.finditer(text):
            parts = re.split(r"[@?#]", match["where"], maxsplit=1)[0].split("/")
            if len(parts) > 3 and "." in parts[0]:
                cited.append(Shown("/".join(parts[3:]), "surfaced", repo="/".join(parts[:3])))
                repos.append("/".join(parts[:3]))
    pending = payload.is_error or not (text.strip() or payload.mapping)
    refs = fold(cited, f"{entry.short}: sources cited")
    return Findings(refs, failed=pending, repos=distinct(repos))


def list_repos(call: ToolCall, _entry: ToolEntry, _cwd: str | None) -> Findings:
    """Repositories, no files."""
    payload = payload_of(call.result)
    if payload.value is not None:
        listed = as_items(payload.mapping.get("repositories")) or as_items(payload.value)
        names = [whole_name(as_mapping(item).get("name")) for item in listed]
    else:
        lines = (_REPO_LINE.fullmatch(line) for line in payload.text.split("\n"))
        names = [match["repo"] for match in lines if match]
    repos = () if payload.is_error else distinct(names)
    return Findings(failed=not repos, repos=repos)
