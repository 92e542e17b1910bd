"""The repository of a task at its base commit: which one it is, and the functions of its files.

A repository is looked for by name in the folders that the user gives (D217). Its trees are read as
objects, so that a file that the commit does not have and a file whose object git lacks (a partial
clone) are told apart. Functions are kept by the id of the file's object: trials of one task, and tasks
of one repository, share most files. Nothing is kept on disk.
"""

from __future__ import annotations

import atexit
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from glob import escape
from pathlib import Path
from typing import Literal, NamedTuple

from groundtrace.base.recent import Recent
from groundtrace.base.visible import visible
from groundtrace.functions.languages import WITHOUT_GRAMMAR, Language, language_of, suffix_of
from groundtrace.functions.objects import OBJECT_ID, Objects, OutsideError, objects_folder
from groundtrace.functions.spans import MAX_BYTES, FileSpans, Span, spans_of
from groundtrace.model import Problem, Task
from groundtrace.paths.repos import MIRROR_OWNERS, repo_parts, revision_of
from groundtrace.truth.git_history import GitError

MAX_TREE = 64 * 1024 * 1024
"""Bytes of one folder's listing in git."""
KEPT = 4096
"""Listings, and functions of files, that a worker keeps."""

KEPT_COMMITS = 64
"""Commits whose files a worker keeps."""
KEPT_BYTES = 8 * 1024 * 1024
"""Of the text of files that a worker keeps: the trials of a task look at the same few."""

FileState = Literal["known", "none", "absent", "missing", "no_grammar"]
"""known: its functions are known. none: such a file has none. absent: the commit does not have it.
missing: git does not have its text, or it is too large. no_grammar: nothing here reads its language."""


class BaseFile(NamedTuple):
    """A file at the base commit."""

    state: FileState
    spans: tuple[Span, ...] = ()
    """Its functions and classes."""
    id: str = ""
    """Of its object in git."""
    problem: Problem | None = None
    """What is wrong with it."""


class Entry(NamedTuple):
    """What a folder's listing in git says of a name."""

    mode: str
    id: str


_REGULAR = frozenset({"100644", "100755", "100664"})

_spans: dict[tuple[Path, str, str], FileSpans] = {}
"""By repository, id of the object and language. Without the repository, a file that one repository
lacks would be known or not, by whether the worker had met it in another."""
_texts: Recent[tuple[Path, str], bytes] = Recent(KEPT_BYTES)


class BaseTree:
    """The files of one commit, for one trial."""

    def __init__(self, commit: Commit) -> None:
        self._commit = commit
        self._problems: dict[Problem, None] = {}

    @property
    def problems(self) -> tuple[Problem, ...]:
        """What is wrong with the files that were asked for."""
        return tuple(self._problems)

    def file(self, path: str) -> BaseFile:
        """A file and its functions, by its path from the top of the repository."""
        found = self._commit.file(path)
        if found.problem is not None:
            self._problems[found.problem] = None
        return found

    def text(self, file: BaseFile) -> bytes:
        """The text of a file; empty if git does not have it."""
        return self._commit.text(file)


class Commit:
    """The files of one commit, read once by a worker for all trials."""

    def __init__(self, objects: Objects, root: str) -> None:
        self._objects = objects
        self._root = root
        self._folders: dict[str, Mapping[str, Entry] | None] = {}
        self._files: dict[str, BaseFile] = {}

    def file(self, path: str) -> BaseFile:
        """A file and its functions, by its path from the top of the repository."""
        found = self._files.get(path)
        if found is None:
            found = self._files[path] = self._read(path)
        return found

    def text(self, file: BaseFile) -> bytes:
        """The text of a file; empty if git does not have it."""
        key = (self._objects.folder, file.id)
        found = _texts.get(key)
        if found is None:
            data = self._objects.contents(file.id, MAX_BYTES) if file.id else None
            found = _texts.keep(key, data or b"", len(data or b""))
        return found

    def _read(self, path: str) -> BaseFile:
        language = language_of(path)
        if language is None and suffix_of(path) not in WITHOUT_GRAMMAR:
            return BaseFile("none")
        entry = self._entry(path)
        if entry is None:
            return BaseFile("missing")
        if entry.mode not in _REGULAR:  # no such file, a link, a submodule
            return BaseFile("absent")
        if language is None:
            return BaseFile("no_grammar", id=entry.id)
        return self._parsed(path, entry, language)

    def _parsed(self, path: str, entry: Entry, language: Language) -> BaseFile:
        key = (self._objects.folder, entry.id, language.name)
        spans = _spans.get(key)
        if spans is None:
            data = self._objects.contents(entry.id, MAX_BYTES)
            if data is None:
                lacks = self._objects.info(entry.id) is None
                reason = f"more than {MAX_BYTES:,} bytes, so its functions are not known"
                large = None if lacks else Problem(f"repository:{path}", "too_large", reason)
                return BaseFile("missing", id=entry.id, problem=large)
            if b"\0" in data[:8192]:
                return BaseFile("none", id=entry.id)
            spans = spans_of(data, language)
            if spans is None:
                said = f"no grammar of {language.name}; install groundtrace[functions]"
                problem = Problem(f"repository:{path}", "grammar_missing", said)
                return BaseFile("no_grammar", id=entry.id, problem=problem)
            if len(_spans) >= KEPT:
                _spans.clear()
            _spans[key] = spans
        if spans.is_cut:
            reason = "too many functions or errors, so its functions are not known"
            large = Problem(f"repository:{path}", "too_large", reason)
            return BaseFile("missing", id=entry.id, problem=large)
        reason = f"some of it is not {language.name} that the grammar reads"
        broken = Problem(f"repository:{path}", "code_not_read", reason)
        return BaseFile("known", spans.spans, entry.id, broken if spans.is_broken else None)

    def _entry(self, path: str) -> Entry | None:
        """The entry of a path; one without a mode if the commit has no such file; None if git lacks a
        folder's listing."""
        *folders, name = path.split("/")
        here = self._root
        for part in folders:
            listing = self._listing(here)
            if listing is None:
                return None
            entry = listing.get(part)
            if entry is None or entry.mode != "40000":
                return Entry("", "")
            here = entry.id
        listing = self._listing(here)
        return None if listing is None else listing.get(name, Entry("", ""))

    def _listing(self, tree: str) -> Mapping[str, Entry] | None:
        if tree not in self._folders:
            if len(self._folders) >= KEPT:
                self._folders.clear()
            data = self._objects.contents(tree, MAX_TREE)
            self._folders[tree] = None if data is None else dict(_entries(data, len(tree) // 2))
        return self._folders[tree]


def _entries(data: bytes, size: int) -> Iterator[tuple[str, Entry]]:
    """The entries of a tree: mode, blank, name, NUL, id."""
    at = 0
    while (end := data.find(b"\0", at)) > 0:
        mode, _, name = data[at:end].partition(b" ")
        at = end + 1 + size
        yield (
            name.decode("utf-8", errors="surrogateescape"),
            Entry(mode.decode("ascii", errors="replace"), data[end + 1 : at].hex()),
        )


# --- which repository -------------------------------------------------------------------------


class OpenedTree(NamedTuple):
    """The files of a task at its base commit, or why there are none."""

    tree: BaseTree | None
    reason: str | None = None
    problems: tuple[Problem, ...] = ()


_opened: dict[tuple[int, Path, bool], Objects] = {}
"""The process of each repository, by the worker's own process: a fork must not share them."""


@atexit.register
def close_repositories() -> None:
    """End the processes of git that this process started."""
    for (process, *_), objects in [*_opened.items()]:
        if process == os.getpid():
            objects.close()
    _opened.clear()
    _commits.clear()


_commits: dict[tuple[int, Path, str], Commit] = {}


def open_tree(task: Task | None, folders: Sequence[str]) -> OpenedTree:
    """The files of a task's repository at its base commit, looked for in these folders."""
    if task is None:
        return OpenedTree(None, "no_repository")
    own = None if task.row is None else task.row.repository
    where: list[Path] = [Path(own)] if own is not None else list(_places(task.repos, folders))
    inside = None if own is not None else [Path(folder) for folder in folders]
    commit = _commit_of(task)
    reason = "no_repository"
    problems: list[Problem] = []
    for place in where:
        try:
            objects = objects_folder(place, inside)
            if objects is None:
                continue
            tree = None if commit is None else _commit_at(objects, commit)
        except (GitError, OSError) as error:
            said = str(error) if isinstance(error, GitError) else error.strerror or str(error)
            kind = f"{visible(place.name)}: not used: {said}"
            problems.append(Problem(place.name, "repository_not_used", kind))
            if isinstance(error, OutsideError):
                continue
            reason = "commit_absent"
            continue
        if tree is not None:
            return OpenedTree(BaseTree(tree), None, tuple(problems))
        reason = "commit_absent"
    return OpenedTree(None, reason, tuple(problems))


def _commit_at(folder: Path, commit: str) -> Commit | None:
    key = (os.getpid(), folder, commit)
    found = _commits.get(key)
    if found is not None:
        return found
    sha256 = len(commit) == 64
    process = (os.getpid(), folder, sha256)
    if process not in _opened:
        _opened[process] = Objects(folder, sha256=sha256)
    objects = _opened[process]
    data = objects.contents(commit, MAX_TREE)
    if data is None or not data.startswith(b"tree "):
        return None
    root = data[5:].partition(b"\n")[0].decode("ascii", errors="replace")
    if OBJECT_ID.fullmatch(root) is None or objects.info(root) is None:
        return None
    if len(_commits) >= KEPT_COMMITS:
        _commits.clear()
    found = _commits[key] = Commit(objects, root)
    return found


def _commit_of(task: Task) -> str | None:
    """The base commit: what a row states, else what the name of the only repository does."""
    stated = None if task.row is None else task.row.base_commit
    only = _only(task.repos)
    if stated is None and only is not None:
        stated = revision_of(only)
    stated = None if stated is None else stated.strip().lower()
    return stated if stated is not None and OBJECT_ID.fullmatch(stated) is not None else None


def _only(repos: Iterable[str]) -> str | None:
    """The one repository of a task; None if it has several. A folder's name and a row can spell it
    with and without its owner: `cli/cli` and `cli`."""
    names = sorted(repos, key=lambda name: len(repo_parts(name)), reverse=True)
    parts = [[part.lower() for part in repo_parts(name)] for name in names]
    same = all(parts[0][-len(other) :] == other for other in parts)
    return names[0] if names and same else None


def _places(repos: Iterable[str], folders: Sequence[str]) -> Iterator[Path]:
    """Folders in which a task's repository may be, best first. Only a task of one repository has a
    base commit that says which."""
    only = _only(repos)
    if only is None:
        return
    *owner, name = repo_parts(only)
    spelled = [name, name.partition("--")[0]] if "--" in name[1:] else [name]
    for folder in map(Path, folders):
        for short in spelled:
            owned = [f"{owner[-1]}__{short}", f"{owner[-1]}/{short}"] if owner else []
            for one in (*owned, short):
                for way in dict.fromkeys((one, one.lower())):
                    yield from _folders(folder / f"{way}.git", folder / way)
            if not owner or owner[-1].lower() in MIRROR_OWNERS:
                # The name says no owner; the commit says whether it is the right repository.
                for pattern in (f"*__{escape(short)}", f"*/{escape(short)}"):
                    for end in (".git", ""):
                        yield from _folders(*sorted(folder.glob(f"{pattern}{end}")))


def _folders(*places: Path) -> Iterator[Path]:
    yield from (place for place in places if place.is_dir())


def listed(folder: str) -> list[str]:
    """The repositories in a folder of `--repos`, which decide what is found."""
    try:
        names = sorted(os.listdir(folder))
    except OSError:
        return []
    below = [f"{name}/{one}" for name in names[:KEPT] for one in _owned(Path(folder, name))]
    return [*names, *below]


def _owned(folder: Path) -> list[str]:
    """Repositories in the folder of an owner."""
    if (folder / "HEAD").exists() or (folder / ".git").exists():
        return []
    try:
        return sorted(os.listdir(folder))
    except OSError:
        return []
