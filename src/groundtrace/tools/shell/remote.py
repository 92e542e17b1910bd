"""Readers of remote repositories, such as `sgx read`, `sgx search` and `sgx ls`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from groundtrace.model import FileRef
from groundtrace.tools.shell.commands import Call, Handler, Parts
from groundtrace.tools.shell.found import Names
from groundtrace.tools.shell.names import is_file_name
from groundtrace.tools.shell.parts import Content, Opaque, Part
from groundtrace.tools.shell.words import Word
from groundtrace.tools.sourcegraph_text import HEADER, LINE, text_blocks

_QUERY_REPO = re.compile(r"\brepo:\^?([\w./\\-]+?)\$?(?=[\s'\"]|$)")


class RemoteSearch(Part, kw_only=True):
    """Results of a remote search: `# repository – path`, then numbered lines."""

    @property
    def strict(self) -> bool:
        return True

    def score(self, line: str) -> float:
        if HEADER.fullmatch(line) or line.startswith("## Query"):
            return 4.0
        return 1.5 if not line or LINE.match(line) else 0.2

    def obtained(self, lines: Sequence[str]) -> bool:
        return any(map(HEADER.fullmatch, lines))

    def refs(self, lines: Sequence[str], sure: bool, trimmed: bool) -> Iterable[FileRef]:
        spans: dict[tuple[str, str], list[int]] = {}
        for block in text_blocks("\n".join(lines)):
            if is_file_name(block.path):
                numbers = spans.setdefault((block.repo, block.path), [])
                numbers.extend(n for n in (block.start, block.end) if n is not None)
        for (repo, path), numbers in spans.items():
            if numbers:
                yield FileRef(path, "matched", repo, min(numbers), max(numbers), rule=self.rule)
            else:
                yield FileRef(path, "surfaced", repo, rule=self.rule)


def _sgx(call: Call) -> Parts:
    options = call.options(
        "qnc", frozenset({"--start", "--end", "--query", "--rev", "--count", "--revision"})
    )
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
    call.walker.repos[words[0]] = None
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
            call.walker.repos[repo.replace("\\", "")] = None
    return [RemoteSearch(rule="sgx search")]


def _ls(
    call: Call, words: list[str], _start: int | None, _end: int | None, _queries: list[str]
) -> Parts:
    if not words:
        return [Opaque(rule="sgx ls")]
    call.walker.repos[words[0]] = None
    folder = words[1].strip("/") if len(words) > 1 else "."
    roots = () if folder in {"", "."} else (Word(folder),)
    return [Names(cwd=None, roots=roots, repo=words[0], only_files=True, rule="sgx ls")]


_VERBS = {
    "read": _read, "cat": _read, "search": _search, "nls": _search, "refs": _search, "references": _search,
    "find-references": _search, "ls": _ls, "list": _ls, "list-files": _ls,
}  # fmt: skip

HANDLERS: dict[str, Handler] = {"sgx": _sgx}
