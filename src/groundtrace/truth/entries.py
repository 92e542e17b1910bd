"""One entry of a ground truth: a file, a symbol or a line range, in any spelling of a record.

Spelling (D17). A string is kept: `src/a.py`, `kafka::clients/A.java`, `kafka/clients/A.java`. An
object that names a repository becomes `repo::path` with the repository's short name, as curated
ground truths write it. A line number (`a.go:12`, `a.go#L12`), a symbol (`src/a.cc::run`) or a
remark (`a.go (entry point)`) at the end is not part of the path and is removed.

A container prefix of the specification (`/workspace/src/a.py`) is removed, since relevant files are
relative to their repository. Nothing else of a path is changed: `./` and case belong to
`groundtrace.paths`, the only place that decides when two paths mean the same file (D13).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

import msgspec

from groundtrace.base.jsonio import clean_text
from groundtrace.base.patterns import regex
from groundtrace.config import Settings
from groundtrace.model import Problem, TruthChunk, TruthFile, TruthSymbol
from groundtrace.paths.repos import is_placeholder, short_repo
from groundtrace.problems import ProblemKind

MAX_PATH = 4096
"""The longest path that a file system accepts; a longer text is not a path."""

MAX_LINE = 2**31
"""No source file has more lines; a larger number is an error and would not fit the documents."""

MAX_ENTRIES = 250_000
"""Most files, symbols or line ranges of one source. A source with more is not used at all: using a
part of it would change the ground truth."""

PATH_KEYS = ("path", "file", "file_path", "filepath", "filename")
REPO_KEYS = ("repo", "repository")
SYMBOL_KEYS = ("symbol", "function", "name")
LINE_KEYS = (("line_start", "line_end"), ("start_line", "end_line"), ("line", "line"))
ANNOTATION_KEYS = ("annotation", "description")
DEFECT_KEYS = ("defect_type",)
_CONTAINERS = Settings().container_prefixes

_CONTROL = regex(r"[\x00-\x1f\x7f]")
_LINE_SUFFIX = regex(r"(?::L?\d+(?:[-–:]L?\d+)?|#L\d+(?:-L?\d+)?)$")
_REMARK = regex(r"(?<=\w)\s+\([^()]*\)$")
_SEVERAL = regex(r"\s(?:->|=>)\s|→|^[\[{(](?=[^'\"\n]*+['\"]).*[\]})]$")
"""Chains and lists written into one text; they cannot be split safely."""
_EXTENSION = regex(r"\.[A-Za-z0-9_+-]{1,12}$")
_IDENTIFIER = regex(r"~?[A-Za-z_$][\w$]*(?:::~?[A-Za-z_$][\w$]*)*(?:\(\))?")


class RefusedEntry(msgspec.Struct, frozen=True):
    """Why an entry is not used."""

    kind: ProblemKind
    reason: str


class Notes:
    """Problems of one file, one for each kind: 100,000 bad entries give one line."""

    def __init__(self, file: str) -> None:
        self.file = file
        self._first: dict[ProblemKind, str] = {}
        self._count: dict[ProblemKind, int] = {}

    def add(self, kind: ProblemKind, reason: str) -> None:
        """Add a problem; only the first of a kind keeps its reason."""
        self._first.setdefault(kind, reason)
        self._count[kind] = self._count.get(kind, 0) + 1

    def problems(self) -> tuple[Problem, ...]:
        """The problems, in the order of their first occurrence."""
        return tuple(
            Problem(file=self.file, kind=kind, reason=reason + _others(self._count[kind]))
            for kind, reason in self._first.items()
        )


def _others(count: int) -> str:
    return "" if count == 1 else f" (and {count - 1:,} more like it)"


def shown(value: object) -> str:
    """A value for a message: on one line, printable, short."""
    try:
        text = ascii(value[:80] if isinstance(value, str | list) else value)
    except RecursionError:  # an entry with a thousand nested lists
        text = f"a {type(value).__name__} nested too deeply"
    return text if len(text) <= 80 else f"{text[:77]}…"


def has_extension(path: str) -> bool:
    """Whether the last part of a path has a file extension."""
    return _EXTENSION.search(path.rsplit("/", 1)[-1]) is not None


def fault(path: str) -> RefusedEntry | None:
    """Why a text is not the path of a file, or None if it is one."""
    if not path or _CONTROL.search(path) or len(path) > MAX_PATH:
        return RefusedEntry("bad_entry", f"{shown(path)} is not a path")
    if "://" in path:
        return RefusedEntry("bad_entry", f"{shown(path)} is a URL, not a file of a repository")
    if path.endswith("/") or path.rsplit("/", 1)[-1] in (".", ".."):
        return RefusedEntry("directory_entry", f"{shown(path)} is a folder; only files count")
    if "*" in path:
        return RefusedEntry("bad_entry", f"{shown(path)} is a glob, not a file")
    parts = path.split(",")
    if _SEVERAL.search(path) or (len(parts) > 1 and all(map(has_extension, parts))):
        return RefusedEntry("bad_entry", f"{shown(path)} holds several names")
    if re.search(r"\s", path) and not has_extension(path):
        # Names may hold blanks (`docs/Read me.md`), but an error chain also lists sentences.
        return RefusedEntry("bad_entry", f"{shown(path)} looks like a sentence, not like a path")
    return None


def _split(text: str) -> tuple[str | None, str]:
    """Repository and path in `repo::path`; the path alone in `src/a.cc::symbol`."""
    left, separator, right = text.partition("::")
    if not separator:
        return None, text
    if "/" in left and has_extension(left) and _IDENTIFIER.fullmatch(right):
        return None, left
    return left.strip() or None, right


def _first(item: Mapping[Any, Any], keys: Iterable[str]) -> Any:
    return next((item[key] for key in keys if item.get(key) is not None), None)


def truth_file(item: Any, repo: str | None = None) -> TruthFile | RefusedEntry:
    """The file that an entry names; `repo` is the repository that the entry's place gives."""
    if isinstance(item, Mapping):
        named = _first(item, REPO_KEYS)
        if named is not None and not isinstance(named, str):
            return RefusedEntry("bad_entry", f"repository {shown(named)} is not text")
        item, repo = _first(item, PATH_KEYS), named or repo
    if not isinstance(item, str) or len(item) > 2 * MAX_PATH:
        return RefusedEntry("bad_entry", f"{shown(item)} names no file")
    written, path = _split(clean_text(item).strip())
    path = _LINE_SUFFIX.sub("", _REMARK.sub("", path.strip()))
    for prefix in _CONTAINERS:
        path = path.removeprefix(prefix)
    refused = fault(path)
    if refused is not None:
        return refused
    if written is not None:
        return TruthFile(f"{written}::{path}", path, written)
    repo = clean_text(repo or "").strip()
    if is_placeholder(repo):
        return TruthFile(path, path)
    return TruthFile(f"{short_repo(repo) or repo}::{path}", path, repo)


def truth_symbol(item: Any) -> TruthSymbol | RefusedEntry:
    """The symbol that an entry names; without a file there is none."""
    if not isinstance(item, Mapping):
        return RefusedEntry("bad_symbol", f"symbol {shown(item)} names no file")
    symbol = _first(item, SYMBOL_KEYS)
    file = truth_file(item)
    if isinstance(file, RefusedEntry) or not isinstance(symbol, str) or not symbol.strip():
        return RefusedEntry("bad_symbol", f"symbol {shown(symbol)} has no name or no file")
    return TruthSymbol(file.path, clean_text(symbol).strip(), file.repo)


def truth_chunk(item: Any) -> TruthChunk | RefusedEntry:
    """The line range that an entry names; missing line numbers are never invented (D28)."""
    file = truth_file(item) if isinstance(item, Mapping) else None
    if not isinstance(file, TruthFile):
        return RefusedEntry("bad_chunk", f"chunk {shown(item)} names no file")
    lines = _lines(item)
    if lines is None:
        return RefusedEntry("chunk_without_lines", f"chunk in {shown(file.path)} has no line range")
    said = [_first(item, keys) for keys in (DEFECT_KEYS, ANNOTATION_KEYS)]
    texts = [clean_text(text).strip() for text in said if isinstance(text, str)]
    annotation = ": ".join(filter(None, texts))
    return TruthChunk(file.path, lines[0], lines[1], annotation or None, file.repo)


def _lines(item: Mapping[Any, Any]) -> tuple[int, int] | None:
    for first, last in LINE_KEYS:
        lines = line_range([item.get(first), item.get(last)])
        if lines is not None:
            return lines
    return line_range(item.get("lines"))


def line_range(value: Any) -> tuple[int, int] | None:
    """A pair of line numbers, from 1 and in order, or None."""
    if not isinstance(value, list) or len(value) != 2:
        return None
    first, last = value
    if type(first) is not int or type(last) is not int or not 1 <= first <= last <= MAX_LINE:
        return None
    return first, last


Entry = TypeVar("Entry", TruthFile, TruthSymbol, TruthChunk)


def collect(
    items: Iterable[Any], read: Callable[[Any], Entry | RefusedEntry], notes: Notes
) -> tuple[Entry, ...]:
    """The usable entries of `items`, in order and without repetition; the others become notes."""
    found: dict[Any, Entry] = {}
    for number, item in enumerate(items):
        if number >= MAX_ENTRIES:
            notes.add("too_many", f"more than {MAX_ENTRIES:,} entries; none of them is used")
            return ()
        entry = read(item)
        if isinstance(entry, RefusedEntry):
            notes.add(entry.kind, entry.reason)
        else:
            found.setdefault(_identity(entry), entry)
    return tuple(found.values())


def _identity(entry: TruthFile | TruthSymbol | TruthChunk) -> Any:
    return entry.spelling.removeprefix("./") if isinstance(entry, TruthFile) else entry
