"""Whether a touched file lies where an entry of the task says, for the entries that the events
stage does not match itself: edit targets, line ranges, and the neighbours of ground-truth files.

The rules are those of matching (D14–D16): the same repository, both readings of a path that
begins with a folder that may be a repository, and never a known, different repository.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from groundtrace.paths import short_repo

SEPARATOR = "::"


class Reading(NamedTuple):
    """One way to understand a spelling, in lower case."""

    repo: str | None
    path: str
    primary: bool
    """False for the reading that takes the first folder for the repository."""


def repo_of(spelling: str) -> str | None:
    """The short repository that a spelling names, in lower case."""
    repo, found, _ = spelling.partition(SEPARATOR)
    return short_repo(repo).lower() if found else None


def path_of(spelling: str) -> str:
    """The path without the repository."""
    _, found, path = spelling.partition(SEPARATOR)
    return path if found else spelling


def parent_of(path: str) -> str:
    """The directory of a path; empty for a file in the root."""
    return path.rpartition("/")[0]


def readings(spelling: str, repo: str | None = None) -> Iterator[Reading]:
    """What a spelling can mean (D15); `repo` is known from elsewhere when it names none."""
    known = repo_of(spelling) or (short_repo(repo).lower() if repo else None)
    path = path_of(spelling).lower()
    yield Reading(known, path, True)
    first, _, rest = path.partition("/")
    if first and rest and known in (None, short_repo(first)):
        yield Reading(short_repo(first), rest, False)


def home_repos(touched: Iterable[tuple[str, str | None, str | None]]) -> frozenset[str]:
    """Repositories to which paths without a repository belong, from (file, repo, truth).

    They are those whose files the document spells without a repository, because the task has no
    other (D8), and those in which an entry that names no repository was found.
    """
    home = set()
    for file, repo, truth in touched:
        named = repo_of(file)
        if named is None and repo is not None:
            home.add(short_repo(repo).lower())
        elif named is not None and truth is not None and repo_of(truth) is None:
            home.add(named)
    return frozenset(home)


class Places:
    """Places named by spellings: the files themselves or, with `parent_of`, their directories."""

    def __init__(
        self,
        spellings: Iterable[tuple[str, str | None]],
        home: frozenset[str],
        level: Callable[[str], str] = str,
    ) -> None:
        self._home = home
        self._level = level
        self._known: set[tuple[str, str]] = set()
        self._without_repo: set[str] = set()
        self._anywhere: set[str] = set()
        for spelling, repo in spellings:
            for reading in readings(spelling, repo):
                self._add(reading)

    def _add(self, reading: Reading) -> None:
        place = self._level(reading.path)
        if reading.repo is not None:
            self._known.add((reading.repo, place))
        elif reading.primary:
            self._without_repo.add(place)
        if reading.primary:
            self._anywhere.add(place)

    def has(self, spelling: str, repo: str | None) -> bool:
        """Whether a touched file lies in one of the places."""
        return any(self._has(reading) for reading in readings(spelling, repo))

    def _has(self, reading: Reading) -> bool:
        place = self._level(reading.path)
        if reading.repo is None:
            return place in self._anywhere
        if (reading.repo, place) in self._known:
            return True
        return reading.primary and reading.repo in self._home and place in self._without_repo
