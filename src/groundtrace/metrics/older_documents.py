"""Documents of versions 1.0 and 1.1, completed with what version 1.2 says about each access.

In version 1.2 every access says which relevant file and edit target it is, and whether it lies in
the folder of a relevant file. Older documents do not, so paths are compared here again, as text. No
other code after the events stage does so. The rules are the rules of matching (D14 to D16): the
same repository; both readings of a path whose first folder may be a repository; never a known,
different repository. The events stage has seen the trial and can apply these rules better than text
alone allows. So numbers from old documents may differ from numbers of a new run.

A document of version 1.0 has no accesses. The category of a call decides how it touched its targets
(D12, D22), and metrics made from such a document say `basis: categories`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property

import msgspec
from msgspec import UNSET

from groundtrace.documents.base import SCHEMA_VERSION
from groundtrace.documents.events import Access, Chunk, Event, EventsDocument
from groundtrace.documents.metrics import Basis
from groundtrace.model import AccessKind, Category
from groundtrace.paths.repos import repo_names, short_repo

KIND_BY_CATEGORY: Mapping[Category, AccessKind] = {
    "file_read": "read",
    "code_search": "matched",
    "symbol_navigation": "matched",
    "file_search": "surfaced",
    "commit_search": "surfaced",
    "deep_search": "surfaced",
    "other": "surfaced",
    "file_write": "written",
}
"""How a call without accesses touched its targets. If a category can mean several kinds, as `other`
does for shell commands, it is the weakest kind that still counts as retrieval."""


_RESOLVED_SINCE = (1, 2)
"""The first version in which accesses say which ground-truth entry they are."""


def completed(document: EventsDocument) -> tuple[Basis, EventsDocument]:
    """The document with everything that metrics need on its accesses, and the basis of them."""
    with_accesses = all(event.accesses is not UNSET for event in document.events)
    basis: Basis = "accesses" if with_accesses else "categories"
    if with_accesses and _version(document) >= _RESOLVED_SINCE:
        return basis, document
    return basis, _Completion(document).document()


def _version(document: EventsDocument) -> tuple[int, int]:
    major, _, minor = document.schema_version.partition(".")
    return int(major), int(minor)


class _Completion:
    """Completes one old document."""

    def __init__(self, old: EventsDocument) -> None:
        self._old = old
        has_truth = old.coverage.has_ground_truth
        self._entries = {
            entry.lower(): entry for entry in reversed(old.ground_truth.files) if has_truth
        }
        self._events = [
            msgspec.structs.replace(event, accesses=self._accesses(event)) for event in old.events
        ]
        self._touched = [access for event in self._events for access in _of(event)]
        self._home = home_repos(
            (access.file, _repo(access), _truth(access)) for access in self._touched
        )

    def document(self) -> EventsDocument:
        """The document as version 1.2 would have it."""
        section = self._old.ground_truth
        expected = section.expected_edit_files
        edits = [] if expected is UNSET else list(dict.fromkeys(expected))
        edit_of = self._files_of(edits)
        is_near = self._neighbourhood()
        chunks = section.chunks
        if chunks is not UNSET:
            chunks = self._respelled(chunks)
        return msgspec.structs.replace(
            self._old,
            schema_version=SCHEMA_VERSION,
            ground_truth=msgspec.structs.replace(section, chunks=chunks),
            events=[self._with_identity(event, edit_of, is_near) for event in self._events],
        )

    def _with_identity(
        self, event: Event, edit_of: Mapping[str, str], is_near: Callable[[Access], bool]
    ) -> Event:
        accesses = [
            msgspec.structs.replace(
                access,
                expected_edit_file=edit_of.get(_key(access), UNSET),
                near_ground_truth=True if is_near(access) else UNSET,
            )
            for access in _of(event)
        ]
        return msgspec.structs.replace(event, accesses=accesses)

    # --- which ground-truth entry each access is ------------------------------------------------

    def _accesses(self, event: Event) -> list[Access]:
        """The accesses of the event; if it has none, its targets, with kinds by category.

        The entries that the event names as matched are marked on them.
        """
        accesses = list(self._stated(event))
        stated = {_truth(access) for access in accesses}
        named = [self._entries.get(name.lower()) for name in event.matched_ground_truth_files]
        for entry in dict.fromkeys(named):
            if entry is not None and entry not in stated:
                accesses = _join(entry, accesses, event)
        return accesses

    def _stated(self, event: Event) -> Iterator[Access]:
        if event.accesses is UNSET:
            kind = KIND_BY_CATEGORY[event.tool_category]
            for target in event.target_files:
                entry = self._entries.get(target.lower())
                yield Access(file=target, kind=kind, ground_truth_file=entry or UNSET)
            return
        for access in event.accesses:
            named = _truth(access)
            entry = None if named is None else self._entries.get(named.lower())
            yield msgspec.structs.replace(
                access, ground_truth_file=UNSET if entry is None else entry
            )

    # --- edit targets, line ranges, neighbours --------------------------------------------------

    def _files_of(self, entries: Iterable[str]) -> dict[str, str]:
        """Key of each touched file to its entry."""
        files: dict[str, str] = {}
        places = TouchedFiles(
            ((access.file, _repo(access)) for access in self._touched),
            self._home,
            unknown_anywhere=self._unknown_anywhere,
        )
        for entry in entries:
            truth = self._entries.get(entry.lower()) or self._same_path(entry)
            if truth is not None:
                files.setdefault(_truth_key(truth), entry)
                continue
            for file in places.files_of(entry):
                files.setdefault(file, entry)
        return files

    def _respelled(self, chunks: Sequence[Chunk]) -> list[Chunk]:
        """Chunks with their file spelled as in the trial, if the trial touched it."""
        spelling: dict[str, str] = {}
        names = dict.fromkeys(chunk.file for chunk in chunks)
        by_key = {_key(access): access for access in reversed(self._touched)}
        for key, entry in self._files_of(names).items():
            if key in by_key:
                access = by_key[key]
                spelling.setdefault(entry, _truth(access) or access.file)
        return [
            msgspec.structs.replace(chunk, file=spelling.get(chunk.file, chunk.file))
            for chunk in chunks
        ]

    def _neighbourhood(self) -> Callable[[Access], bool]:
        """A function that says whether a file lies in a folder of a relevant file.

        The folder is that of the file as the trial touched it. If it was never touched, every
        folder counts that its entry can mean (D15).
        """
        touched: dict[str, set[tuple[str, str | None]]] = {}
        for access in self._touched:
            truth = _truth(access)
            if truth is not None:
                touched.setdefault(truth, set()).add((access.file, _repo(access)))
        named = [
            reading
            for places in touched.values()
            for file, repo in places
            for reading in as_touched(file, repo)
            if reading.primary
        ]
        for entry in self._entries.values():
            if entry not in touched:
                named.extend(as_entry(entry))
        near = EntryFolders(named, self._home, unknown_anywhere=self._unknown_anywhere)
        return lambda access: _truth(access) is None and near.has(access.file, _repo(access))

    def _same_path(self, entry: str) -> str | None:
        """The ground-truth entry with the same path, if only one of the two names a repository and
        there is exactly one such entry."""
        repo = repo_of(entry)
        same = [
            truth
            for truth in self._by_path.get(path_of(entry).lower(), ())
            if None in (repo, repo_of(truth))
        ]
        return same[0] if len(same) == 1 else None

    @cached_property
    def _by_path(self) -> Mapping[str, list[str]]:
        entries: dict[str, list[str]] = {}
        for truth in self._entries.values():
            entries.setdefault(path_of(truth).lower(), []).append(truth)
        return entries

    @cached_property
    def _unknown_anywhere(self) -> bool:
        """Whether a file without repository may lie in the repository that the truth names.

        A document without accesses names no repository (D12). If the truth names only one, the file
        can only be in that one.
        """
        named = {repo_of(entry) for entry in self._entries.values()}
        without = all(event.accesses is UNSET for event in self._old.events)
        return without and len(named) == 1


def _of(event: Event) -> list[Access]:
    return [] if event.accesses is UNSET else event.accesses


def _repo(access: Access) -> str | None:
    return None if access.repo is UNSET else access.repo


def _truth(access: Access) -> str | None:
    return None if access.ground_truth_file is UNSET else access.ground_truth_file


def _key(access: Access) -> str:
    """A key that is equal for accesses of the same file."""
    truth = _truth(access)
    return _file_key(access.file, _repo(access)) if truth is None else _truth_key(truth)


def _truth_key(truth: str) -> str:
    return f"=\0{truth.lower()}"


def _file_key(file: str, repo: str | None) -> str:
    return f"{(repo or '').lower()}\0{file.lower()}"


def _join(entry: str, accesses: list[Access], event: Event) -> list[Access]:
    """The accesses of an event that names `entry` as matched, with that entry marked.

    Documents without accesses do not say which target the entry is. With the two readings of a path
    (D15), one of the two texts is the end of the other. If no target fits, the entry itself is
    added as touched.
    """
    wanted = f"/{path_of(entry)}".lower()
    meant: Access | None = None
    longest = 0
    for access in accesses:
        path = f"/{path_of(access.file)}".lower()
        shared = min(len(path), len(wanted))
        fits = path.endswith(wanted) or wanted.endswith(path)
        # `main.go` in the root is also the end of `cmd/main.go`: the target that shares more of
        # the path is the file.
        if _truth(access) is None and fits and shared > longest:
            meant, longest = access, shared
    if meant is None:
        kind = KIND_BY_CATEGORY[event.tool_category]
        return [*accesses, Access(file=entry, kind=kind, ground_truth_file=entry)]
    same = _key(meant)
    return [
        msgspec.structs.replace(access, ground_truth_file=entry) if _key(access) == same else access
        for access in accesses
    ]


# --- spellings: what a text can mean ------------------------------------------------------------

SEPARATOR = "::"


class SpellingReading(msgspec.Struct, frozen=True):
    """One way to read a spelling, in lower case."""

    repo: str | None
    path: str
    primary: bool
    """False for the reading in which the first folder is the repository."""


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
    """The readings of a file in the document.

    Its repository is in the spelling or given separately. It is a label that is unique in the
    trial, so it is compared unchanged.
    """
    named, separator, path = file.partition(SEPARATOR)
    label = named.lower() if separator else None
    return _readings([label or (repo.lower() if repo else None)], path if separator else file)


def as_entry(entry: str) -> list[SpellingReading]:
    """The readings of an entry of the task; its repository may be written in full (D14)."""
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
        # A first folder can be the repository only if it is named like the repository: in flink,
        # `kafka/clients/A` does not mean `clients/A`.
        if first and rest and repo in (None, first, short):
            readings.append(SpellingReading(repo or short, rest, False))
    return readings


def home_repos(touched: Iterable[tuple[str, str | None, str | None]]) -> frozenset[str]:
    """Repositories that paths without a repository can belong to, from (file, repo, truth).

    A repository belongs to them if the document spells its files without a repository, because the
    task has no other one (D8), or if an entry without a repository was found in it.
    """
    home = set()
    for file, repo, truth in touched:
        named = repo_of(file)
        if named is None and repo:
            home.add(repo.lower())
        elif named is not None and truth is not None and repo_of(truth) is None:
            home.add(named)
    return frozenset(home)


class EntryFolders:
    """The folders of all readings of entries."""

    def __init__(
        self,
        named: Iterable[SpellingReading],
        home: frozenset[str],
        *,
        unknown_anywhere: bool = False,
    ) -> None:
        """`unknown_anywhere`: a file whose repository is unknown may lie in any of the folders,
        because the document names no repositories of files and its truth knows only one."""
        self._home = home
        self._unknown_anywhere = unknown_anywhere
        self._known: set[tuple[str, str]] = set()
        self._without_repo: set[str] = set()
        self._anywhere: set[str] = set()
        for reading in named:
            folder = parent_of(reading.path)
            if reading.repo is not None:
                self._known.add((reading.repo, folder))
            else:
                self._without_repo.add(folder)
            if reading.primary:
                self._anywhere.add(folder)

    def has(self, file: str, repo: str | None) -> bool:
        """Whether a touched file lies in one of the folders."""
        return any(map(self._has, as_touched(file, repo)))

    def _has(self, reading: SpellingReading) -> bool:
        folder = parent_of(reading.path)
        if reading.repo is None:
            # In a task with several repositories, `/workspace/instruction.md` lies in none of them.
            # Once it counted as a near miss of every `package.json` in a root.
            return folder in (self._anywhere if self._unknown_anywhere else self._without_repo)
        if (reading.repo, folder) in self._known:
            return True
        return reading.repo in self._home and folder in self._without_repo


class TouchedFiles:
    """Finds the touched files of an entry.

    The readings of the files are indexed once. Comparing every entry with every file took minutes
    for a patch of thousands of files and a listing of a whole repository.
    """

    def __init__(
        self,
        touched: Iterable[tuple[str, str | None]],
        home: frozenset[str],
        *,
        unknown_anywhere: bool = False,
    ) -> None:
        """(file, repo) of each touched file; the other parameters are as for `EntryFolders`."""
        self._unknown_anywhere = unknown_anywhere
        self._known: dict[tuple[str, str], dict[str, None]] = {}
        self._at_home: dict[str, dict[str, None]] = {}
        self._without_repo: dict[str, dict[str, None]] = {}
        for file, repo in touched:
            key = _file_key(file, repo)
            for reading in as_touched(file, repo):
                if reading.repo is None:
                    self._without_repo.setdefault(reading.path, {})[key] = None
                    continue
                self._known.setdefault((reading.repo, reading.path), {})[key] = None
                if reading.repo in home:
                    self._at_home.setdefault(reading.path, {})[key] = None

    def files_of(self, entry: str) -> list[str]:
        """Keys of the files that the entry can mean."""
        files: dict[str, None] = {}
        for reading in as_entry(entry):
            fits = reading.primary if self._unknown_anywhere else reading.repo is None
            if fits:
                files.update(self._without_repo.get(reading.path, {}))
            if reading.repo is None:
                files.update(self._at_home.get(reading.path, {}))
            else:
                files.update(self._known.get((reading.repo, reading.path), {}))
        return list(files)
