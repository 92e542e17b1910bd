"""Whether a touched file lies where an entry of the task says, asked of a finished document.

The events stage matches the ground truth's files itself and writes the answer down. Edit targets,
line ranges and the neighbours of ground-truth files are asked for later, when the trial's paths are
gone and only spellings are left: `path` or `repo::path`. They are compared here, by the rules of
matching (D14–D16): the same repository, both readings of a path that begins with a folder that may
be a repository, and never a known, different repository.

An example: the entry `hyper::hyper/Cargo.toml` has the readings (hyper, `hyper/cargo.toml`) and
(hyper, `cargo.toml`), so the touched files `hyper::hyper/Cargo.toml` and `hyper::Cargo.toml` lie
there and `tokio::Cargo.toml` does not.

`Places` holds entries and is asked for files; `TouchedFiles` holds files and is asked for entries.
Both give the same answer; which one is quicker depends on what there is more of.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import msgspec

from groundtrace.paths.repos import repo_names, short_repo

SEPARATOR = "::"


class SpellingReading(msgspec.Struct, frozen=True):
    """One way to understand a spelling, in lower case."""

    repo: str | None
    path: str
    primary: bool
    """False for the reading that takes the first folder for the repository."""


def repo_of(spelling: str) -> str | None:
    """The repository that a spelling names, in lower case."""
    repo, separator, _ = spelling.partition(SEPARATOR)
    return repo.lower() if separator else None


def path_of(spelling: str) -> str:
    """The path without the repository."""
    _, separator, path = spelling.partition(SEPARATOR)
    return path if separator else spelling


def parent_of(path: str) -> str:
    """The directory of a path; empty for a file in the root."""
    return path.rpartition("/")[0]


def as_touched(file: str, repo: str | None) -> list[SpellingReading]:
    """What a file of the document can be. Its repository is a label that is unique in the trial,
    in the spelling or known beside it, and is compared as it stands."""
    named, separator, path = file.partition(SEPARATOR)
    label = named.lower() if separator else None
    return _readings([label or (repo.lower() if repo else None)], path if separator else file)


def as_entry(entry: str) -> list[SpellingReading]:
    """What an entry of the task can mean; its repository may be written in full (D14)."""
    raw = repo_of(entry)
    if raw is None:
        return _readings([None], path_of(entry))
    return _readings(sorted({raw, short_repo(raw), *repo_names(raw)}), path_of(entry))


def _readings(repos: Sequence[str | None], path: str) -> list[SpellingReading]:
    """Both readings of a path (D15)."""
    path = path.lower()
    first, _, rest = path.partition("/")
    short = short_repo(first) if first and rest else ""
    readings: list[SpellingReading] = []
    for repo in repos:
        readings.append(SpellingReading(repo, path, True))
        # Only a first folder named like the repository can be the repository: `kafka/clients/A`
        # of flink is no `clients/A` of anything.
        if first and rest and repo in (None, first, short):
            readings.append(SpellingReading(repo or short, rest, False))
    return readings


def home_repos(touched: Iterable[tuple[str, str | None, str | None]]) -> frozenset[str]:
    """Repositories to which paths without a repository belong, from (file, repo, truth).

    They are those whose files the document spells without a repository, because the task has no
    other (D8), and those in which an entry that names no repository was found.
    """
    home = set()
    for file, repo, truth in touched:
        named = repo_of(file)
        if named is None and repo:
            home.add(repo.lower())
        elif named is not None and truth is not None and repo_of(truth) is None:
            home.add(named)
    return frozenset(home)


class Places:
    """Places that readings name: the files themselves or, with `parent_of`, their directories."""

    def __init__(
        self,
        named: Iterable[SpellingReading],
        home: frozenset[str],
        level: Callable[[str], str],
        *,
        unknown_anywhere: bool = False,
    ) -> None:
        """`unknown_anywhere`: a file whose repository is not known may lie in any of them, because
        the document names the repository of no file and its truth knows only one."""
        self._home = home
        self._level = level
        self._unknown_anywhere = unknown_anywhere
        self._known: set[tuple[str, str]] = set()
        self._without_repo: set[str] = set()
        self._anywhere: set[str] = set()
        for reading in named:
            self._add(reading)

    def _add(self, reading: SpellingReading) -> None:
        place = self._level(reading.path)
        if reading.repo is not None:
            self._known.add((reading.repo, place))
        else:
            self._without_repo.add(place)
        if reading.primary:
            self._anywhere.add(place)

    def has(self, file: str, repo: str | None) -> bool:
        """Whether a touched file lies in one of the places."""
        return any(map(self._has, as_touched(file, repo)))

    def _has(self, reading: SpellingReading) -> bool:
        place = self._level(reading.path)
        if reading.repo is None:
            # In a task of several repositories `/workspace/instruction.md` lies in none of them;
            # it was once counted as a near miss of every `package.json` at a root.
            return place in (self._anywhere if self._unknown_anywhere else self._without_repo)
        if (reading.repo, place) in self._known:
            return True
        return reading.repo in self._home and place in self._without_repo


class TouchedFiles:
    """The other way round: of many touched files, whether one is the file of an entry.

    A patch of thousands of files beside a listing of a whole repository made asking each entry
    of each file take minutes, so the files' readings are indexed once.
    """

    def __init__(
        self,
        touched: Iterable[tuple[str, str | None]],
        home: frozenset[str],
        *,
        unknown_anywhere: bool = False,
    ) -> None:
        """(file, repo) of each; the rest as for `Places`."""
        self._unknown_anywhere = unknown_anywhere
        self._known: set[tuple[str, str]] = set()
        self._at_home: set[str] = set()
        self._without_repo: set[str] = set()
        for file, repo in touched:
            for reading in as_touched(file, repo):
                if reading.repo is None:
                    self._without_repo.add(reading.path)
                    continue
                self._known.add((reading.repo, reading.path))
                if reading.repo in home:
                    self._at_home.add(reading.path)

    def has(self, entry: str) -> bool:
        """Whether one of the files lies where the entry says."""
        return any(map(self._has, as_entry(entry)))

    def _has(self, entry: SpellingReading) -> bool:
        if entry.path in self._without_repo and (
            entry.primary if self._unknown_anywhere else entry.repo is None
        ):
            return True
        if entry.repo is None:
            return entry.path in self._at_home
        return (entry.repo, entry.path) in self._known
