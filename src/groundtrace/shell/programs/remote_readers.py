"""Readers of remote repositories, such as `sgx read`, `sgx search` and `sgx ls`."""

from __future__ import annotations

from groundtrace.base.patterns import regex
from groundtrace.shell.programs.call import Call, Handler
from groundtrace.shell.streams.content import Content
from groundtrace.shell.streams.file_names import is_file_name
from groundtrace.shell.streams.found_lines import RemoteSearch
from groundtrace.shell.streams.name_lists import Names
from groundtrace.shell.streams.part import Opaque, Parts
from groundtrace.shell.streams.word import Word

_QUERY_REPO = regex(r"\brepo:\^?([\w./\\-]+?)\$?(?=[\s'\"]|$)")


def _sgx(call: Call) -> Parts:
    options = call.options()
    operands = options.operands
    verb = operands[0].text if operands else ""
    handler = _VERBS.get(verb)
    if handler is None:
        return [Opaque(rule="sgx")]
    words = [word.text for word in operands[1:] if word.known]
    start, end = options.number("--start"), options.number("--end")
    queries = [
        word.text for word in [*options.values.get("-q", []), *options.values.get("--query", [])]
    ]
    return handler(call, words, start, end, queries)


def _read(
    call: Call, words: list[str], start: int | None, end: int | None, _queries: list[str]
) -> Parts:
    if len(words) < 2:
        return [Opaque(rule="sgx read")]
    call.shell.repos[words[0]] = None
    if not is_file_name(words[1]):
        return [Opaque(rule="sgx read")]
    spans = ((start or 1, end),)
    return [
        Content(
            path=words[1].lstrip("/"), repo=words[0], spans=spans, numbers="colon", rule="sgx read"
        )
    ]


def _search(
    call: Call, words: list[str], _start: int | None, _end: int | None, queries: list[str]
) -> Parts:
    for query in [*words, *queries]:
        for repo in _QUERY_REPO.findall(query):
            call.shell.repos[repo.replace("\\", "")] = None
    return [RemoteSearch(rule="sgx search")]


def _ls(
    call: Call, words: list[str], _start: int | None, _end: int | None, _queries: list[str]
) -> Parts:
    if not words:
        return [Opaque(rule="sgx ls")]
    call.shell.repos[words[0]] = None
    folder = words[1].strip("/") if len(words) > 1 else "."
    roots = () if folder in {"", "."} else (Word(folder),)
    return [Names(cwd=None, roots=roots, repo=words[0], only_files=True, rule="sgx ls")]


_VERBS = {
    "read": _read, "cat": _read, "search": _search, "nls": _search, "refs": _search, "references": _search,
    "find-references": _search, "ls": _ls, "list": _ls, "list-files": _ls,
}  # fmt: skip
HANDLERS: dict[str, Handler] = {"sgx": _sgx}
