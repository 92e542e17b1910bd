"""The ground truth's files, found by repository and path (D15, D16).

An entry is text that a person or a program wrote, and it can mean more than one place:

- `clients/A.java` of a task on kafka is kafka + `clients/A.java`;
- `hyper::hyper/Cargo.toml` is hyper + `hyper/Cargo.toml` (the literal reading) or hyper +
  `Cargo.toml` (the second reading: the path repeats the repository's name);
- `go.mod`, in a task that names no repository, may lie in any of them.

Every reading goes into an index, so a file is looked up and never compared with all entries.
Literal readings win over second ones. A second reading is dropped if the trial shows that the
folder of the literal one exists: gcc has a folder `gcc`, so `gcc::gcc/Makefile.in` is not the
`Makefile.in` at the top.

An entry is one file. If it names no repository, `settle` uses all files of the trial to choose the
repository that it lies in. Otherwise every `go.mod` that a search shows would be a hit.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence, Set

import msgspec
from msgspec import field

from groundtrace.model import TruthFile
from groundtrace.paths.lexical import clean_path
from groundtrace.paths.repos import Repo, RepoTable

EntryReading = tuple[Repo | None, str]
"""One way to read a ground-truth entry: a repository and a path in lower case. None: the entry names
no repository, and the repository of the trace's file is unknown."""


class TruthIndex(msgspec.Struct):
    """Entries by their readings; `exact` are literal, `other` leave the repository's name out."""

    roots: Sequence[str] = ()
    """Folders of the container that are removed from an entry that begins with them."""
    entries: list[TruthFile] = field(default_factory=list)
    """Distinct entries, in order."""
    exact: dict[tuple[Repo | None, str], TruthFile] = field(default_factory=dict)
    anywhere: dict[str, TruthFile] = field(default_factory=dict)
    """Entries without a repository in a task that names none: any repository matches (D16)."""
    other: dict[tuple[Repo | None, str], tuple[TruthFile, str]] = field(default_factory=dict)
    """Second readings, each with its entry and the folder that the literal reading needs."""
    main: Repo | None = None
    """The repository that entries without one are taken to belong to, if it is known."""
    in_main: frozenset[str] = frozenset()
    """Paths of entries without a repository that were found in it."""
    _by_path: dict[str, list[TruthFile]] = field(default_factory=dict)

    def find(
        self, repo: Repo | None, path: str, folders: Set[tuple[Repo | None, str]] = frozenset()
    ) -> TruthFile | None:
        """The entry that a file matches; the literal reading is tried first.

        `folders` are those that certainly exist in the trial. If the folder of the literal reading
        is among them, the second reading is dropped: gcc has a folder `gcc`, so
        `gcc::gcc/Makefile.in` is not the `Makefile.in` at the top.
        """
        return self.find_reading((repo, path.lower()), folders)

    def find_reading(
        self, place: EntryReading, folders: Set[tuple[Repo | None, str]] = frozenset()
    ) -> TruthFile | None:
        """The same for a repository and a path in lower case."""
        entry = self.exact.get(place)
        if entry is not None or not (self.anywhere or self.other):  # true for most tasks
            return entry
        repo, lower = place
        entry = self.anywhere.get(lower)
        if entry is not None and self._may_be(repo, lower):
            return entry
        second = self.other.get(place)
        if second is None or (repo, second[1]) in folders:
            return None
        return second[0]

    @property
    def is_open(self) -> bool:
        """Whether the files of the trial decide what an entry means."""
        return bool(self.anywhere or self.other)

    def settle(self, places: Iterable[tuple[Repo, str]]) -> None:
        """Choose the repository of entries that name none, from all files of the trial.

        An entry is one file, so `go.mod` cannot be the file of every repository that a search
        shows. It belongs to the repository with the most entries found, then to the one with the
        most files. In another repository it counts only if it was not found in this one and its
        path has a folder.
        """
        if not self.anywhere:
            return
        files: dict[Repo, int] = {}
        met: dict[Repo, set[str]] = {}
        for repo, path in places:
            files[repo] = files.get(repo, 0) + 1
            if path in self.anywhere:
                met.setdefault(repo, set()).add(path)
        if met:
            # First the entries found, then the files: a monorepo that a search lists is large, but
            # the task is not about it.
            self.main = max(met, key=lambda repo: (len(met[repo]), files[repo]))
            self.in_main = frozenset(met[self.main])

    def _may_be(self, repo: Repo | None, path: str) -> bool:
        if repo is None or self.main in (None, repo):
            return True
        # A bare `go.mod` is everywhere. A path with a folder that the main repository does not have
        # may belong to another repository.
        return "/" in path and path not in self.in_main

    def same(self, path: str, repo: str | None, repos: RepoTable) -> TruthFile | None:
        """The entry that another part of the ground truth means by this path."""
        clean = clean_path(path)
        if clean is None:
            return None
        lower = _strip_root(clean, self.roots).lower()
        for reading in _literal(TruthFile(path, path, repo), lower, repos):
            if entry := self.exact.get(reading):
                return entry
        if repo is None:
            return self.anywhere.get(lower) or self._only(lower)
        return self.anywhere.get(lower)

    def _only(self, path: str) -> TruthFile | None:
        """The only entry with this path, in any repository.

        Chunks and symbols of `repo::path` entries are often written without the repository.
        """
        entries = self._by_path.get(path, ())
        return entries[0] if len(entries) == 1 else None

    def readings_of(
        self, wanted: Set[TruthFile], folders: Set[tuple[Repo | None, str]]
    ) -> Iterator[tuple[Repo | None, str] | str]:
        """Every place that these entries can mean, by the rule of `find`.

        A place is a repository and a path, or only a path if the repository is a wildcard.
        """
        for place, entry in self.exact.items():
            if entry in wanted:
                yield place
        for path, entry in self.anywhere.items():
            if entry in wanted:
                if self.main is None:
                    yield path
                else:
                    yield self.main, path
                    yield None, path
        for (repo, path), (entry, folder) in self.other.items():
            if entry in wanted and (repo, folder) not in folders:
                yield repo, path

    def literal(self) -> dict[Repo | None, set[str]]:
        """Paths of the literal readings by repository, used to find the layout of folders."""
        paths: dict[Repo | None, set[str]] = {None: set(self.anywhere)}
        for repo, path in self.exact:
            paths.setdefault(repo, set()).add(path)
        return paths


def index_truth(
    files: Iterable[TruthFile], repos: RepoTable, roots: Sequence[str] = ()
) -> TruthIndex:
    """All entries by their readings; an entry that repeats another is left out."""
    index = TruthIndex(roots)
    for entry in files:
        path = clean_path(entry.path)
        if path is None:
            continue
        lower = _strip_root(path, roots).lower()
        literal = _literal(entry, lower, repos)
        if literal:
            if index.exact.keys() >= set(literal):
                continue
        elif lower in index.anywhere:
            continue
        index.entries.append(entry)
        index._by_path.setdefault(lower, []).append(entry)
        for reading in literal:
            index.exact.setdefault(reading, entry)
        if not literal:
            index.anywhere[lower] = entry
        for reading in _second(entry, lower, repos):
            index.other.setdefault(reading, (entry, lower.rpartition("/")[0]))
    return index


def _literal(entry: TruthFile, path: str, repos: RepoTable) -> list[EntryReading]:
    """Readings that take the path as it is written; none if nothing says whose it is."""
    if entry.repo is not None and (repo := repos.find(entry.repo)) is not None:
        # If the trial knows no other repository, a path without a repository belongs to this one.
        return [(repo, path), (None, path)] if repos.lone is repo else [(repo, path)]
    if not repos.task:
        return []
    if len(repos.task) == 1:
        return [(repos.task[0], path), (None, path)]
    first, _, rest = path.partition("/")
    named = repos.find(first) if rest else None
    if named in repos.task:
        # `kafka/clients/…` in a task on kafka and flink: not a path of flink.
        return [(named, rest), (named, path), (None, path)]
    return [*((owner, path) for owner in repos.task), (None, path)]


def _second(entry: TruthFile, path: str, repos: RepoTable) -> Iterator[EntryReading]:
    """Readings in which the path begins with the repository's name (D15).

    `hyper::hyper/Cargo.toml` is also hyper + `Cargo.toml`, `src/etcd/client/v3/client.go` is
    also etcd + `client/v3/client.go`.
    """
    owner = None if entry.repo is None else repos.find(entry.repo)
    first, _, rest = path.partition("/")
    if first == "src" and owner is None and rest:
        second, _, deeper = rest.partition("/")
        repo = repos.find(second) if deeper else None
        if repo is not None and repo in repos.task:
            yield repo, deeper
    repo = repos.find(first) if rest else None
    if repo is None:
        return
    if owner is not None:
        fits = repo is owner
    elif repos.task:
        fits = repo in repos.task
    else:
        fits = "/" in rest  # only the trace names it: a bare file name is not enough
    if fits:
        yield repo, rest


def _strip_root(path: str, roots: Sequence[str]) -> str:
    """An entry that is written as a path of the container, without the root that it lies below."""
    if not path.startswith(tuple(roots)):  # most entries
        return path
    for root in roots:
        if path.startswith(root) and path[len(root) : len(root) + 1] == "/":
            return path[len(root) + 1 :]
    return path
