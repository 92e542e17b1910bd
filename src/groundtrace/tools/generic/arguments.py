"""What the arguments of an unknown tool's call name: files with lines, folders, repositories."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from groundtrace.answers.places import absolute
from groundtrace.base.patterns import regex
from groundtrace.base.values import as_items, as_mapping, as_texts, distinct, whole_number
from groundtrace.tools.generic import words
from groundtrace.tools.generic.pieces import (
    Lines,
    is_drive,
    is_file,
    lines_of,
    may_be_file,
    path_of,
    split_anchor,
)
from groundtrace.tools.sourcegraph import named_repos

_MAX_FILES = 1000
_RANGE = regex(r"\s*L?(\d{1,9})\s*(?:-|:|,|\.\.|to)\s*L?(\d{1,9})\s*")
_ONE = regex(r"\s*L?(\d{1,9})\s*")


class AskedFile(msgspec.Struct, frozen=True):
    """A file that the arguments name."""

    path: str
    """As given in the arguments, without line numbers at its end."""
    lines: Lines | None = None
    """Lines that are asked for."""


class AskedFiles(msgspec.Struct, frozen=True):
    """What the arguments of a call say."""

    files: tuple[AskedFile, ...] = ()
    """Files that the call is about, in order."""
    folder: str = ""
    """Folder in which the names of the answer lie; empty if none is given."""
    repos: tuple[str, ...] = ()
    """Repositories that are named."""
    question: bool = False
    """The call asks something, so what it shows is a match."""
    writes: bool = False
    """The arguments hold what is to be written."""
    data: bool = False
    """The call asks a database: its rows are not files."""

    @property
    def repo(self) -> str | None:
        """The repository, if exactly one is named."""
        return self.repos[0] if len(self.repos) == 1 else None


def asked_of(arguments: Mapping[str, Any]) -> AskedFiles:
    """What the arguments say, by the argument names in `words`."""
    named = {words.plain(key): value for key, value in list(arguments.items())[:200]}
    files: dict[str, AskedFile] = {}
    folder = next(
        (path for key in sorted(words.FOLDER_ARGUMENTS) if (path := path_of(named.get(key)))), ""
    )
    own_lines = lines_in(named, loose=True)
    for key, value in named.items():
        if key not in words.FILE_ARGUMENTS:
            continue
        for path, lines in _places(value):
            if is_file(path, sure=key.startswith(("file", "target"))) and "*" not in path:
                files.setdefault(path, AskedFile(path, lines or own_lines))
            elif may_be_file(path.rstrip("/")) or path.startswith("/"):
                folder = folder or path
            if len(files) >= _MAX_FILES:
                break
    trial = any(named.get(key) is True for key in words.TRIAL_ARGUMENTS)
    return AskedFiles(
        files=tuple(files.values()),
        folder=folder,
        repos=_repositories(named, arguments),
        question=bool(words.QUESTION_ARGUMENTS & named.keys()),
        writes=bool(words.WRITING_ARGUMENTS & named.keys()) and not trial,
        data=bool(words.DATA_ARGUMENTS & named.keys()),
    )


def _places(value: Any) -> Iterator[tuple[str, Lines | None]]:
    """Paths with lines in an argument: a text, a list of texts or of objects."""
    for item in (value,) if isinstance(value, (str, Mapping)) else as_items(value)[:_MAX_FILES]:
        fields = {words.plain(str(key)): inner for key, inner in as_mapping(item).items()}
        paths = (path_of(fields.get(name)) for name in words.FILE_FIELDS)
        given = path_of(item) or next((path for path in paths if path), "")
        path, lines = split_anchor(given)
        if path:
            yield path, lines or lines_in(fields, loose=True)


def _repositories(named: Mapping[str, Any], arguments: Mapping[str, Any]) -> tuple[str, ...]:
    owner = next(iter(as_texts(named.get("owner"))), "")
    found = []
    for key in sorted(words.REPO_ARGUMENTS & named.keys()):
        for name in as_texts(named[key]):
            whole = f"{owner}/{name}" if owner and "/" not in name else name
            if "/" in whole and not whole.startswith(("/", ".")) and "://" not in whole:
                found.append(whole.strip("^$").replace("\\", "").partition("@")[0])
    inside = named_repos({k: v for k, v in arguments.items() if k in ("query", "question")})
    return distinct((*found, *inside))


def lines_in(fields: Mapping[str, Any], *, loose: bool = False, depth: int = 4) -> Lines | None:
    """Lines in an object with plain names: two fields, a pair, a text, or a range of positions."""
    if depth <= 0:
        return None
    for key in words.RANGE_FIELDS:
        lines = range_of(fields.get(key), depth)
        if lines is not None:
            return lines
    head = whole_number(fields.get("head")) if loose else None
    if head is not None and head > 0:
        return 1, head
    start = _first_number(fields, words.LOOSE_START_FIELDS if loose else words.START_FIELDS)
    end = _first_number(fields, words.LOOSE_END_FIELDS if loose else words.END_FIELDS)
    if loose and end is None and start is not None:
        count = _first_number(fields, words.COUNT_FIELDS)
        end = start + count - 1 if count is not None else None
    return lines_of(start, end)


def range_of(value: Any, depth: int = 4) -> Lines | None:
    """Lines in one value: `20-22`, `[20, 22]`, `{start: 20, end: 22}`, a range of positions."""
    if isinstance(value, str):
        match = _RANGE.fullmatch(value[:64])
        if match is not None:
            return lines_of(int(match[1]), int(match[2]))
        one = _ONE.fullmatch(value[:64])
        return lines_of(int(one[1]), None) if one else None
    if isinstance(value, (list, tuple)) and len(value) == 2:
        numbers = [whole_number(item) for item in value]
        return lines_of(*numbers) if None not in numbers else None
    data = {words.plain(str(key)): inner for key, inner in as_mapping(value).items()}
    if not data:
        return None
    first, last = as_mapping(data.get("start")), as_mapping(data.get("end"))
    if first and last:
        # In the language server protocol positions count from zero and the end is exclusive.
        start, end = whole_number(first.get("line")), whole_number(last.get("line"))
        if start is None or end is None:
            return None
        ends_before = end > start and whole_number(last.get("character")) == 0
        return lines_of(start + 1, end if ends_before else end + 1)
    return lines_in(data, loose=True, depth=depth - 1)


def _first_number(fields: Mapping[str, Any], names: tuple[str, ...]) -> int | None:
    for name in names:
        number = whole_number(fields.get(name))
        if number is not None:
            return number
    return None


def joined(path: str, folder: str, cwd: str | None, repo: str | None) -> str:
    """Where a path of the arguments or the answer lies: in its repository, or in the container."""
    if repo is not None:
        return path.lstrip("/").removeprefix("./")
    if is_drive(path):
        return path
    return absolute(path, absolute(folder, cwd) if folder else cwd)
