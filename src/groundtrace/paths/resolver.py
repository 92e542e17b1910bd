"""From the paths that calls name to the files that they mean.

A resolver is built once per trial, from everything the trial names, before it answers anything:
what a path means depends on the other paths. `/workspace/numpy/core/a.py` is in the package `numpy`
or in the clone `numpy`, and only the rest of the trial shows which.

It is built in this order, and the order matters:

1. all repositories that the task, the truth and the calls name are joined (`RepoTable`);
2. the ground truth is indexed with them (`index_truth`), because it is evidence of the layout which
   reading of a folder matches the truth;
3. the layout is learned from the paths (`Layout`);
4. every reference is placed, and folders that certainly exist are noted: they rule out second
   readings of entries. A path that was only written shows nothing, because agents write files that
   the repository does not have;
5. entries that name no repository get one;
6. all references are resolved in order, so the first spelling found is the document's (D8).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from functools import cached_property

import msgspec
from msgspec.structs import replace

from groundtrace.config import Settings
from groundtrace.documents.events import RepoRoot
from groundtrace.model import FileRef, GroundTruth, RootSign, Task, TruthChunk, TruthFile
from groundtrace.paths.folder_places import RepoPlace
from groundtrace.paths.layout import Layout, container_roots
from groundtrace.paths.lexical import clean_folder, clean_path, without_diff_prefix
from groundtrace.paths.repos import Repo, RepoTable, differ, revision_of, revisions_of, short_repo
from groundtrace.paths.root_votes import places_of_truth
from groundtrace.paths.truth_index import index_truth
from groundtrace.paths.windows import OneCase, as_shown, is_rooted, rooted, spelled_beside

FileKey = tuple[str | None, str, bool]
"""Repository, path and `from_diff` of a reference: they decide which file it means."""


class Resolved(msgspec.Struct, frozen=True):
    """A file as the document spells it, and the entries of the task that it matches."""

    file: str
    """Its one spelling in this trial (D8)."""
    repo: str | None
    """Short name of its repository, if known."""
    truth: TruthFile | None
    """The entry of the relevant files that it matches, if any (D16)."""
    beside: TruthFile | None
    """The entry that it matches among those that name edit targets and line ranges."""
    place: tuple[Repo | None, str] | None
    """Repository and path in lower case; None outside of every repository."""


class ChunkLines(msgspec.Struct, frozen=True):
    """Lines of a chunk of the ground truth, with its position there."""

    index: int
    first: int
    last: int


class Resolver:
    """Decides, for one trial, which file a path means; every result is cached.

    It uses only this trial, its task and its ground truth: no other trial changes it.
    """

    def __init__(
        self,
        *,
        truth: GroundTruth,
        task: Task | None = None,
        refs: Iterable[FileRef] = (),
        repos: Iterable[str] = (),
        cwd: str | None = None,
        signs: Sequence[RootSign] = (),
        settings: Settings | None = None,
    ) -> None:
        """`refs` are the files that the trial's calls touched, `repos` the repositories named.

        `signs` are folders that calls show as repositories.
        """
        settings = settings or Settings()
        named: dict[FileKey, bool] = {}
        """Each with whether it was only written."""
        looked: list[FileKey] = []
        for ref in refs:
            key = (ref.repo, ref.path, ref.from_diff)
            if ref.kind == "written":
                named.setdefault(key, True)
            else:
                named[key] = False
                looked.append(key)
        repo_paths = {} if task is None else dict(task.repo_paths)
        of_task = () if task is None else (*task.repos, *repo_paths.values())
        self._of_task = of_task
        self._other_revisions: dict[tuple[str, str | None], bool] = {}
        self._repos = RepoTable(
            of_task,
            _named_by_truth(truth),
            [*[key[0] for key in named if key[0] is not None], *repos],
        )
        roots = container_roots(settings.container_prefixes)
        self._truths = index_truth(truth.files, self._repos, roots)
        self._others = index_truth(_beside_files(truth), self._repos, roots)
        self._met: dict[TruthFile, str] = {}
        self.files = tuple(self._truths.entries)
        """The ground truth's distinct entries."""
        self._known: dict[FileKey, Resolved | None] = {}
        self._spellings: dict[tuple[Repo | None, str], str] = {}
        self._spellings_outside: dict[str, str] = {}
        self._folders: set[tuple[Repo | None, str]] = set()
        self._windows = _windows_folder(cwd, named)
        self._one_case = OneCase()
        self._cwd = None if cwd is None else self._folder(cwd)
        if self._windows:
            clean = {key: self._clean(key) for key in named}
        else:
            clean = {key: clean_path(key[1]) for key in named}
        self._layout = self._learn(clean, named, repo_paths, signs, settings)
        self._places = {key: self._place(key[0], path, key[2]) for key, path in clean.items()}
        if self._truths.is_open or self._others.is_open:
            self._settle(self._places[key] for key in looked)
        self._local = self._find_local()
        for key, place in self._places.items():
            self._known[key] = None if place is None else self._resolved(place)
        self._looked = [
            path
            for key, path in clean.items()
            if path is not None and key[0] is None and not named[key]
        ]
        self._near = self._neighbourhood()
        self._edits: dict[TruthFile, str] = {}
        for edit in truth.expected_edit_files:
            if (entry := self._entry(edit.path, edit.repo)) is not None:
                self._edits.setdefault(entry, self.spelling_of(edit.path, edit.repo))
        self._chunks = self._line_ranges(truth.chunks)
        self._edit_chunks = self._line_ranges(truth.edit_chunks)

    def is_other_revision(self, ref: FileRef) -> bool:
        """Whether the call names another revision of a repository than the task (D49)."""
        if ref.repo is None:
            return False
        key = (ref.repo, ref.revision)
        if key not in self._other_revisions:
            self._other_revisions[key] = self._names_other_revision(ref.repo, ref.revision)
        return self._other_revisions[key]

    @cached_property
    def _revisions(self) -> dict[str, set[str]]:
        """Revisions that the task names, by repository; made for the first call that names one."""
        return revisions_of(self._of_task)

    def _names_other_revision(self, repo: str, revision: str | None) -> bool:
        if not self._revisions:
            return False
        named = revision or revision_of(repo)
        known = self._revisions.get(short_repo(repo.partition("@")[0]).lower())
        return named is not None and bool(known) and all(differ(named, own) for own in known or ())

    def resolve(self, ref: FileRef) -> Resolved | None:
        """The file that a reference means; None if it means no file (a folder, URL or glob)."""
        return self.file_of((ref.repo, ref.path, ref.from_diff))

    def file_of(self, key: FileKey) -> Resolved | None:
        """The same for the repository, path and `from_diff` of a reference."""
        try:
            return self._known[key]
        except KeyError:
            place = self._place(key[0], self._clean(key), key[2])
            resolved = self._known[key] = None if place is None else self._resolved(place)
            return resolved

    def _clean(self, key: FileKey) -> str | None:
        """The clean path of a reference; on Windows its folders have one case."""
        if not self._windows:
            return clean_path(key[1])
        path = key[1] if key[0] is not None else spelled_beside(key[1], self._windows)
        clean = clean_path(path)
        return None if clean is None else self._one_case.of(clean)

    def _folder(self, folder: str) -> str:
        """The same for a folder."""
        clean = clean_folder(spelled_beside(folder, self._windows)) or folder
        return self._one_case.folder(clean) if is_rooted(clean) else clean

    @property
    def roots(self) -> list[RepoRoot]:
        """The folders that were taken to be repositories, and why."""
        return [replace(r, path=as_shown(r.path)) for r in self._layout.roots_used(self._cwd)]

    def unmatched_suffixes(self) -> int:
        """How many relevant files nothing matched, although a path of the trial ends like them.

        Such a path lies elsewhere: in a copy, or in a clone that was not recognised. Only files that
        were looked at locally count, and only entries with a folder: `setup.py` is everywhere.
        """
        met = {file.truth for file in self._known.values() if file is not None}
        missed = {
            clean.lower()
            for entry in self.files
            if entry not in met
            if (clean := clean_path(entry.path)) is not None
        }
        if not missed:
            return 0
        return len(
            {truth for met in places_of_truth(self._looked, missed).values() for truth in met}
        )

    def stated(self, path: str) -> Resolved | None:
        """The file that the agent names in words: in the working directory, as in its commands.

        Some agents name files from the top of the repository. That reading is taken if the trial met
        the file there, or the task names it, and not in the working directory.
        """
        readings = [path]
        if self._cwd is not None and not rooted(path).startswith(("/", "~")):
            readings.insert(0, f"{self._cwd}/{path}")
        files = [self.file_of((None, reading, False)) for reading in readings]
        found = [file for file in files if file is not None]
        for file in found:
            if file.truth is not None or file.file in self._met_files:
                return file
        return next((f for f in found if f.place is not None), found[0] if found else None)

    @cached_property
    def _met_files(self) -> Set[str]:
        """The files that calls touched, as the document spells them."""
        return {file.file for key in self._places if (file := self._known[key]) is not None}

    def _find_local(self) -> Repo | None:
        """The repository of local files in a task that names none (D183).

        It is the only one that calls name, or the one that holds the relevant files, if some file
        was met in it and, at the same path, locally.
        """
        if self._repos.task:
            return None
        known = {*self._repos.truth, *self._repos.trace}
        repo = self._truths.main or (known.pop() if len(known) == 1 else None)
        if repo is None:
            return None
        remote, local = set(), set()
        for place in self._places.values():
            if place is None or place.outside or "/" not in place.path:
                continue
            if place.repo is repo:
                remote.add(place.path.lower())
            elif place.repo is None:
                local.add(place.path.lower())
        return None if remote.isdisjoint(local) else repo

    def _settle(self, places: Iterable[RepoPlace | None]) -> None:
        """Use the files that the trial shows for entries that can mean more than one place."""
        shown = {
            (place.repo, place.path.lower()): None
            for place in places
            if place is not None and place.repo is not None
        }
        for repo, path in shown:
            self._add_folders(repo, path)
        self._truths.settle(shown)
        self._others.settle(shown)

    def _add_folders(self, repo: Repo, path: str) -> None:
        """Note all folders above a path; if one is known, so are those above it."""
        while folder := path.rpartition("/")[0]:
            if (repo, folder) in self._folders:
                return
            self._folders.add((repo, folder))
            path = folder

    @property
    def home(self) -> str | None:
        """Short name of the task's only repository; None if the task names none or several."""
        return None if self._layout.home is None else self._layout.home.label

    # --- what else a file is: one rule for evidence, edits, line ranges and neighbours ----------

    def edit_target(self, file: Resolved) -> str | None:
        """The edit target that a file is, as the document spells it."""
        if not self._edits or (file.truth is None and file.beside is None):
            return None
        for entry in (file.truth, file.beside):
            if entry is not None and entry in self._edits:
                return self._edits[entry]
        return None

    def chunks_of(self, file: Resolved) -> tuple[ChunkLines, ...]:
        """The line ranges of the ground truth in a file."""
        return _chunks_of(self._chunks, file)

    def edit_chunks_of(self, file: Resolved) -> tuple[ChunkLines, ...]:
        """The same for the lines that the gold patch changes."""
        return _chunks_of(self._edit_chunks, file)

    def is_near(self, file: Resolved) -> bool:
        """Whether a file that is not relevant lies in the folder of a relevant file (D23).

        The folder of a relevant file is where the trial found the file. If the trial never did, it
        is every folder that its entry can mean by the readings that `find` accepts. Using all
        readings counted folders of readings that the trial had shown to be wrong: 47 near misses in
        a task of gcc instead of 33.
        """
        if file.truth is not None or file.place is None:
            return False
        repo, path = file.place
        near = self._near.get(path.rpartition("/")[0])
        return near is not None and (repo in near or "*" in near)

    def _neighbourhood(self) -> dict[str, set[Repo | str | None]]:
        """Folders of relevant files, each with its repositories; `*` stands for any repository."""
        met: set[TruthFile] = set()
        folders: dict[str, set[Repo | str | None]] = {}
        for file in self._known.values():
            if file is not None and file.truth is not None and file.place is not None:
                met.add(file.truth)
                repo, path = file.place
                folders.setdefault(_folder_of(path), set()).add(repo)
        missed = set(self.files) - met
        for reading in self._truths.readings_of(missed, self._folders):
            owner, path = ("*", reading) if isinstance(reading, str) else reading
            folders.setdefault(_folder_of(path), set()).add(owner)
        return folders

    def _line_ranges(self, chunks: Iterable[TruthChunk]) -> dict[TruthFile, list[ChunkLines]]:
        ranges: dict[TruthFile, list[ChunkLines]] = {}
        for index, chunk in enumerate(chunks):
            if (entry := self._entry(chunk.file, chunk.repo)) is not None:
                line_range = ChunkLines(index, chunk.line_start, chunk.line_end)
                ranges.setdefault(entry, []).append(line_range)
        return ranges

    def _entry(self, path: str, repo: str | None) -> TruthFile | None:
        """The entry for an edit target or a line range: of the relevant files, else its own."""
        return self._truths.same(path, repo, self._repos) or self._others.same(
            path, repo, self._repos
        )

    def spelling_of(self, path: str, repo: str | None = None) -> str:
        """How the document writes a file that the ground truth names outside its `files`.

        Like the entry of `files` if there is one, else like the trial's file. So edit targets and
        chunks can be recognised by comparing text.
        """
        entry = self._truths.same(path, repo, self._repos)
        if entry is not None:
            return entry.spelling
        other = self._others.same(path, repo, self._repos)
        if other is not None and other in self._met:
            return self._met[other]
        clean = clean_path(path) or path
        known = None if repo is None else self._repos.find(repo)
        return clean if known is None else self._spelled(known, clean)

    def _learn(
        self,
        clean: Mapping[FileKey, str | None],
        named: Mapping[FileKey, bool],
        repo_paths: dict[str, str],
        signs: Sequence[RootSign],
        settings: Settings,
    ) -> Layout:
        paths: dict[str, bool] = {}
        in_repos: dict[Repo, set[str]] = {}
        for key, path in clean.items():
            if path is None:
                continue
            name, _, from_diff = key
            if name is None:
                if not from_diff:
                    paths[path] = named[key] and paths.get(path, True)
            elif (repo := self._repos.find(name)) is not None:
                in_repos.setdefault(repo, set()).add(path.lstrip("/"))
        return Layout(
            self._repos,
            prefixes=settings.container_prefixes,
            repo_paths=repo_paths,
            cwd=self._cwd,
            signs=[replace(s, folder=self._folder(s.folder)) for s in signs],
            paths=list(paths.items()),
            in_repos=in_repos,
            truths=self._truths.literal(),
        )

    def _place(self, name: str | None, path: str | None, from_diff: bool) -> RepoPlace | None:
        """Where a clean path lies; a root itself is a folder (`/workspace/src/..`)."""
        if path is None:
            return None
        if name is not None and (repo := self._repos.find(name)) is not None:
            # A call that names the repository is better evidence than any layout.
            path = path.lstrip("/")
            if path.startswith("../"):
                return None
            place = RepoPlace(repo, without_diff_prefix(path) if from_diff else path)
        else:
            place = self._layout.place(path)
            if from_diff and not place.outside:
                place = self._without_diff_prefix(path, place)
        return place if place.path else None

    def _without_diff_prefix(self, path: str, place: RepoPlace) -> RepoPlace:
        bare = without_diff_prefix(place.path)
        if bare == place.path or place.repo is not None:
            return RepoPlace(place.repo, bare)
        # `b/kafka/x` below a root of several clones: without `b/` it lies in one of the clones.
        return self._layout.place(path[: len(path) - len(place.path)] + bare)

    def _resolved(self, place: RepoPlace) -> Resolved:
        repo, path = place.repo, place.path
        lower = path.lower()
        if place.full and self._layout.home is not None and self._is_taken(lower):
            path = place.full
            lower = path.lower()
        if place.outside:
            # Such a place has no repository.
            file = self._spellings_outside.setdefault(lower, as_shown(path))
            return Resolved(file, None, None, None, None)
        if repo is None:
            repo = self._local
        reading = (repo, lower)
        file = self._spellings.setdefault(reading, path)
        label = None
        if repo is not None:
            label = repo.label
            file = self._spelled(repo, file)
        truth = self._truths.find_reading(reading, self._folders)
        beside = None
        if self._others.entries:
            beside = self._others.find_reading(reading, self._folders)
            if beside is not None:
                self._met.setdefault(beside, file)
        return Resolved(file, label, truth, beside, reading)

    @cached_property
    def _at_home(self) -> Set[str]:
        """Paths of the trial's files in the task's only repository, in lower case.

        Made for the first file beside the clones: few trials have one.
        """
        home = self._layout.home
        placed = [place for place in self._places.values() if place is not None]
        return {place.path.lower() for place in placed if place.repo is home}

    def _is_taken(self, path: str) -> bool:
        """Whether a path beside the clones would be spelled like one in the task's only clone.

        `/workspace/answer.json` is `answer.json`, unless the clone has a file of that name too.
        """
        reading = (self._layout.home, path)
        return path in self._at_home or self._truths.find_reading(reading) is not None

    def _spelled(self, repo: Repo, path: str) -> str:
        """The path alone in the task's only repository, else with the repository's name (D8)."""
        is_only = repo is self._layout.home or repo is self._local
        return path if is_only else f"{repo.label}::{path}"


def _windows_folder(cwd: str | None, keys: Iterable[FileKey]) -> str:
    """A path that shows that the trial ran on Windows; empty if none does."""
    if cwd is not None and is_rooted(folder := rooted(cwd)):
        return folder
    for _, path, _ in keys:
        if path[1:2] in (":", "\\") or path[2:3] == ":":  # few paths have one there
            folder = rooted(path)
            if is_rooted(folder):
                return folder
    return ""


def _folder_of(path: str) -> str:
    return path.rpartition("/")[0]


def _chunks_of(
    ranges: Mapping[TruthFile, list[ChunkLines]], file: Resolved
) -> tuple[ChunkLines, ...]:
    if not ranges or (file.truth is None and file.beside is None):
        return ()
    entries = dict.fromkeys(entry for entry in (file.truth, file.beside) if entry is not None)
    return tuple(lines for entry in entries for lines in ranges.get(entry, ()))


def _beside_files(truth: GroundTruth) -> Iterator[TruthFile]:
    """Files that the ground truth names for another purpose than as evidence."""
    yield from truth.expected_edit_files
    for chunk in (*truth.chunks, *truth.edit_chunks):
        yield TruthFile(spelling=chunk.file, path=chunk.file, repo=chunk.repo)


def _named_by_truth(truth: GroundTruth) -> Iterator[str]:
    named = (truth.files, truth.expected_edit_files, truth.symbols, truth.chunks, truth.edit_chunks)
    for entries in named:
        yield from (entry.repo for entry in entries if entry.repo is not None)
