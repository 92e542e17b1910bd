"""What the arguments of an unknown tool's call name: files with lines, folders, repositories."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from groundtrace.answers import words
from groundtrace.answers.file_names import is_file, may_be_file, path_of
from groundtrace.answers.fold import Run
from groundtrace.answers.places import absolute
from groundtrace.answers.ranges import lines_in, split_anchor
from groundtrace.base.values import as_items, as_mapping, as_texts, distinct
from groundtrace.tools.sourcegraph import named_repos

_MAX_FILES = 1000


class AskedFile(msgspec.Struct, frozen=True):
    """A file that the arguments name."""

    path: str
    """As given in the arguments, without line numbers at its end."""
    lines: Run | None = None
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


def _places(value: Any) -> Iterator[tuple[str, Run | None]]:
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


def joined(path: str, folder: str, cwd: str | None, repo: str | None) -> str:
    """Where a path of the arguments or the answer lies: in its repository, or in the container."""
    if repo is not None:
        return path.lstrip("/").removeprefix("./")
    return absolute(path, absolute(folder, cwd) if folder else cwd)
