"""Programs that fetch and unpack: curl, wget, tar, unzip; readers of remote repositories, such as
`sgx read`; and ed, an editor without a screen."""

from __future__ import annotations

import re

from groundtrace.base.patterns import regex
from groundtrace.shell.programs.call import Call, Handler
from groundtrace.shell.streams import line_algebra as algebra
from groundtrace.shell.streams.content import Content
from groundtrace.shell.streams.file_names import is_file_name, join
from groundtrace.shell.streams.found_lines import RemoteSearch
from groundtrace.shell.streams.name_lists import Names
from groundtrace.shell.streams.part import Opaque, Parts
from groundtrace.shell.streams.patched import Announced
from groundtrace.shell.streams.text import text_of
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
    queries = [word.text for word in options.every("-q", "--query")]
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


def _curl(call: Call) -> Parts:
    """`-o file` and `-O` write; without them the answer is printed, which is not a file here."""
    options = call.options()
    written = options.every("-o", "--output")
    if options.has("-O", "--remote-name"):
        written += [word for word in map(_last_piece, options.operands) if word is not None]
    return _fetched(call, written)


def _wget(call: Call) -> Parts:
    options = call.options()
    given = options.every("-O", "--output-document")
    if not given and not options.has("-P"):
        given = [word for word in map(_last_piece, options.operands) if word is not None]
    return _fetched(call, given)


def _fetched(call: Call, words: list[Word]) -> Parts:
    shown = Opaque(rule=call.name, expected=False)
    written = [] if call.name in call.shell.speakers else call.writes(words)
    return [*written, shown]


def _last_piece(word: Word) -> Word | None:
    """The file that an address is saved as."""
    name = re.sub(r"[?#].*$", "", word.text).rsplit("/", 1)[-1] if "://" in word.text else ""
    return Word(name) if name and "." in name else None


def _tar(call: Call) -> Parts:
    """With -v names are printed as they are unpacked; without it the files are not known."""
    words = list(call.args)
    if words and not words[0].text.startswith("-"):
        words[0] = Word("-" + words[0].text)  # `tar xzf a.tgz`
    call.args = words
    options = call.options()
    if options.has("-x", "--extract", "--get") and options.has("-v", "--verbose"):
        folder = options.value("-C", "--directory")
        return [
            Announced(
                cwd=join(call.cwd, folder) if folder else call.cwd, form="unpacked", rule="tar"
            )
        ]
    if options.has("-c", "--create"):
        target = options.values.get("-f") or options.values.get("--file") or []
        return [*call.writes(target), Opaque(rule="tar", expected=False)]
    return [Opaque(rule="tar", expected=options.has("-t", "--list"))]


def _unzip(call: Call) -> Parts:
    options = call.options()
    if options.has("-p"):
        return [Opaque(rule="unzip")]
    if options.has("-l", "-v", "-Z", "-t"):
        return [Announced(cwd=call.cwd, form="archive", kind="surfaced", rule="unzip")]
    return [Announced(cwd=call.cwd, form="unzip", rule="unzip")]


_ED_WRITES = regex(r"(?:w|wq|x)\s?$", re.MULTILINE)
_ED_PRINTS = regex(r"^(\d{1,9})(?:,(\d{1,9}))?[pn]$", re.MULTILINE)


def _ed(call: Call) -> Parts:
    """`ed file` with a script: `w` writes the file, `1,3p` prints lines of it."""
    files = call.options().operands[:1]
    script = text_of(call.stdin or [])
    opened = call.opened(files) if files else []
    wanted = tuple((int(low), int(high or low)) for low, high in _ED_PRINTS.findall(script))
    parts: Parts = algebra.select(opened, wanted) if wanted else []
    if _ED_WRITES.search(script):
        parts += call.writes(files)
    return [*parts, Opaque(rule="ed", expected=False)] if not wanted else parts


HANDLERS: dict[str, Handler] = {
    "curl": _curl, "wget": _wget, "tar": _tar, "unzip": _unzip, "ed": _ed, "sgx": _sgx,
}  # fmt: skip
