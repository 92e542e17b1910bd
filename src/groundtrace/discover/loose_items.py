"""The samples in the traces of a folder, in one file or in the files of a manifest; and everything
that their results depend on.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

import msgspec
from msgspec import field

from groundtrace.base.frozen import Frozen
from groundtrace.base.jsonio import clean_text, name_text
from groundtrace.base.limit import OverLimitError, guarded
from groundtrace.base.patterns import regex
from groundtrace.base.safe_names import AGGREGATE, OUTPUT
from groundtrace.config import Settings
from groundtrace.discover.found import FoundProblem, Skipped, fits, unread
from groundtrace.discover.layout import Role, stem_of
from groundtrace.discover.manifest import ManifestRow, read_manifest
from groundtrace.discover.predictions import results_in
from groundtrace.discover.verdicts import SIDECARS, marks_beside
from groundtrace.model import Claimed, Problem, Repeats, Stated, Task
from groundtrace.storage import (
    EntryKind,
    Folder,
    FolderEntry,
    Links,
    LocalFolder,
    in_day_folder,
)
from groundtrace.storage.watch import Watch, watched

if TYPE_CHECKING:
    from groundtrace.discover.own_sessions import SessionUse
    from groundtrace.traces.kit.claims import Sample, SessionCalls
    from groundtrace.truth.own_commits import Match


class Named(Frozen, frozen=True):
    """A name, its task definition if there is one, and where the name comes from."""

    name: str
    task: Task | None
    where: str


def file_at(folder: Folder, path: str) -> tuple[Folder, str]:
    """Folder and name of a file in a manifest; the user may name a file outside of its folder."""
    parent, _, file = path.replace("\\", "/").rpartition("/")
    if isinstance(folder, LocalFolder) and (path.startswith("/") or ".." in parent.split("/")):
        target = Path(folder.url, path)
        return LocalFolder(target.parent), target.name
    return (folder.folder(parent) if parent else folder), file


def places_around(folder: Folder, parts: Sequence[str]) -> list[tuple[Folder, str]]:
    """Folders to search for verdicts, nearest first, each with its name for sources."""
    places = [
        (folder.folder("/".join(parts[:end])) if end else folder, "/".join(parts[:end]))
        for end in range(len(parts), -1, -1)
    ]
    if isinstance(folder, LocalFolder):
        path = folder.path.absolute()
        if path.parent != path:
            places.append((LocalFolder(path.parent), ".."))
    return places


class LooseRun(Frozen, frozen=True):
    """Which traces of a folder are read."""

    file: str | None = None
    """Only this file; None for everything below the folder."""
    is_manifest: bool = False
    only_run: str | None = None
    """For a manifest: only the rows of this run."""
    default_run: str = ""
    """Run of rows that name no run."""

    def marks(self, folder: Folder, without: frozenset[str]) -> list[str] | None:
        """A line for everything that results depend on; None if that cannot be determined."""
        marks = [mark for place, _ in places_around(folder, ())[1:] for mark in marks_beside(place)]
        if self.file is None:
            lines = folder.everything(without)
            return None if lines is None else [*marks, *lines]
        marks += marks_beside(folder)
        files = [self.file]
        if self.is_manifest:
            files += [row.trace for row in read_manifest(folder, self.file, [])]
            if any(map(in_day_folder, files)):
                return None
        elif _may_have_companions(folder, self.file):
            return None
        listed: set[str] = set()
        for name in files:
            place, file = file_at(folder, name)
            entry = place.stat(file)
            marks.append(f"{name} {entry.mark if entry is not None else 'missing'}")
            if not self.is_manifest:
                continue
            # Logs of subagents are next to a session, or in a folder with its name.
            marks += place.folder(stem_of(file)).everything(without) or ()
            if place.url not in listed:
                listed.add(place.url)
                marks += [f"{one.name} {one.mark}" for one in place.entries() if one.kind == "file"]
        return marks


def _may_have_companions(folder: Folder, file: str) -> bool:
    """Whether other files may be read with a trace; for a file of many samples there are none."""
    from groundtrace.traces import all_readers
    from groundtrace.traces.kit.loose import recognise

    entry = folder.stat(file)
    try:
        with guarded(0 if entry is None else entry.size):
            found, _, _ = recognise(folder, file, all_readers()[0], named=True)
    except OverLimitError:  # discovery names it
        return True
    return found is not None and not hasattr(found.reader, "samples")


RESULT = "result"
"""Reader of items that are results without traces."""

MAX_DEPTH = 16

_QUIET = (
    ".log",
    ".yaml",
    ".yml",
    ".md",
    ".txt",
    ".patch",
    ".diff",
    ".html",
    ".sh",
    ".png",
    ".csv",
    ".lock",
)
"""Endings of files that are expected next to traces: examined, but not listed one by one."""


class LooseItem(msgspec.Struct):
    """One sample while trials are being named."""

    folder: Folder
    file: str
    parts: tuple[str, ...]
    """Path below RUNS, the file last."""
    sample: str | None
    stated: Stated
    reader: str
    mark: str
    time: float | None
    """When the file last changed."""
    row: ManifestRow | None = None
    named: Named | None = None
    config: tuple[str, str] = ("", "")
    """Configuration, and where it comes from."""
    roles: dict[Role, str] = field(default_factory=dict)
    """What the folders above it say, by their layout."""
    problems: list[Problem] = field(default_factory=list)
    session: SessionCalls | None = None
    first_call: float | None = None
    """When its first call was made, if that is known without reading it again."""
    claimed: Claimed | None = None
    """What its file was recognised as."""
    repeats: Repeats | None = None
    """What it repeats of another session of the run."""
    use: SessionUse | None = None
    """What the session did, if a name depends on it."""
    match: Match | None = None
    """The commits that came out of it, with `--tasks git:REPO`."""

    @property
    def path(self) -> str:
        path = "/".join(self.parts)
        return path if self.sample is None else f"{path}#{self.sample}"


def loose_items(
    folder: Folder, loose: LooseRun, settings: Settings
) -> Iterator[LooseItem | Skipped | FoundProblem]:
    """Every sample of a run, with the files that are no trace and what was wrong."""
    if loose.file is None:
        for place, parts in _Walk(folder, settings).files():
            if isinstance(place, FoundProblem | Skipped):
                yield place
            else:
                shown = (*parts[:-1], name_text(parts[-1]))
                yield from _samples(place, parts[-1], shown, None, settings)
    elif loose.is_manifest:
        yield from _rows(folder, loose, settings)
    else:
        yield from _samples(
            folder, loose.file, (name_text(loose.file),), None, settings, named=True
        )


def _real_file(folder: Folder, name: str) -> str:
    """What stands for a file, whatever links lead to it; empty where there are no links."""
    if not isinstance(folder, LocalFolder):
        return ""
    path = f"{folder.url}/{name}"
    try:
        info = Path(path).stat()
    except (OSError, ValueError):
        return os.path.realpath(path)
    # Some file systems give no numbers to their files, and then none has two names.
    is_linked = info.st_nlink > 1 and info.st_ino
    return f"{info.st_dev}:{info.st_ino}" if is_linked else os.path.realpath(path)


_Place = tuple[Folder | FoundProblem | Skipped, tuple[str, ...]]
"""The folder that holds a file, or why something is no file; and the path below RUNS."""


HOMES = frozenset(
    {
        *(".claude", ".codex", ".gemini", ".qwen", ".pi", ".copilot", ".kimi", ".cursor"),
        *(".openhands", ".continue", ".cline", ".opencode", ".aider", ".local", ".config"),
    }
)
"""Hidden folders in which harnesses keep their sessions; other hidden ones are not searched."""


_IN_GIT: frozenset[tuple[str, EntryKind]] = frozenset(
    {("HEAD", "file"), ("objects", "folder"), ("refs", "folder")}
)
"""What every bare repository has; clones for `--repos` often lie beside the traces."""


_LEFT_OVER = regex(
    r".*(?:~|\.(?:bak|backup|orig|old|save|sw[op]|te?mp|part|partial|crdownload)(?:[-_.]?\d+)?)|\.?#.*#?",
    re.IGNORECASE,
)
"""Names of copies: `trace.jsonl.bak` counted as one more attempt of the trace beside it."""


class _Walk:
    """Every real file below a folder once, whatever links lead to it.

    `ln -s modelA RUNS/latest` made a second configuration of the same trials, and folders that link
    to each other made a walk without end. So links wait until every file was met where it lies;
    then they are followed only to files that nothing else led to.
    """

    def __init__(self, folder: Folder, settings: Settings) -> None:
        self._top = folder
        self._settings = settings
        self._met: set[str] = set()
        """Where the files that were met really lie."""
        self._links: list[tuple[Folder, FolderEntry, tuple[str, ...]]] = []
        self._followed = Links()

    def files(self) -> Iterator[_Place]:
        """The files, and why others are left out."""
        yield from self._below(self._top, ())
        while self._links:
            folder, entry, parts = self._links.pop(0)
            yield from self._follow(folder, entry, parts)

    def _below(self, folder: Folder, parts: tuple[str, ...]) -> Iterator[_Place]:
        entries = list(folder.entries())
        if parts and {(e.name, e.kind) for e in entries} >= _IN_GIT:
            yield Skipped("/".join(parts), None, "a git repository"), parts
            return
        for entry in entries:
            below = (*parts, name_text(entry.name))
            if entry.is_link and entry.kind in ("file", "folder"):
                self._links.append((folder, entry, parts))
            elif entry.kind == "file":
                yield from self._file(folder, entry, parts)
            elif entry.kind == "folder":
                yield from self._folder(folder, entry, parts)
            elif (problem := unread(entry.kind, "/".join(parts), "/".join(below))) is not None:
                yield problem, below

    def _file(self, folder: Folder, entry: FolderEntry, parts: tuple[str, ...]) -> Iterator[_Place]:
        if _LEFT_OVER.fullmatch(entry.name):
            shown = "/".join((*parts, name_text(entry.name)))
            reason = "named like a copy that an editor or a program left behind"
            yield Skipped(shown, None, reason), (*parts, entry.name)
            return
        real = _real_file(folder, entry.name)
        if not real or real not in self._met:
            self._met.add(real)
            yield folder, (*parts, entry.name)
        elif not entry.is_link:
            shown = "/".join((*parts, name_text(entry.name)))
            reason = "a hard link to a file that is read under another name"
            yield Skipped(shown, None, reason), (*parts, entry.name)

    def _folder(
        self, folder: Folder, entry: FolderEntry, parts: tuple[str, ...]
    ) -> Iterator[_Place]:
        below = (*parts, name_text(entry.name))
        shown = "/".join(below)
        pattern = next((p for p in self._settings.skip if fits(entry.name, p)), None)
        if entry.name in (OUTPUT, AGGREGATE):
            return
        if entry.name.startswith(".") and entry.name not in HOMES and not entry.is_link:
            yield Skipped(shown, None, "a hidden folder"), below
        elif pattern is not None:
            reason = f"named like {pattern!r} in the list of skipped folders"
            yield Skipped(shown, None, reason), below
        elif len(below) > MAX_DEPTH:
            yield Skipped(shown, None, f"more than {MAX_DEPTH} folders deep"), below
        else:
            yield from self._below(folder.folder(entry.name), below)

    def _follow(
        self, folder: Folder, entry: FolderEntry, parts: tuple[str, ...]
    ) -> Iterator[_Place]:
        below = (*parts, name_text(entry.name))
        met = len(self._met)
        if entry.kind == "file":
            yield from self._file(folder, entry, parts)
        elif self._followed.enters(folder.folder(entry.name)):
            yield from self._folder(folder, entry, parts)
        if len(self._met) == met:
            reason = "a link to files that are read where they lie"
            yield Skipped("/".join(below), None, reason), below


def _samples(
    folder: Folder,
    file: str,
    parts: tuple[str, ...],
    row: ManifestRow | None,
    settings: Settings,
    *,
    named: bool = False,
) -> list[LooseItem | Skipped | FoundProblem]:
    """The samples of one file, or why it has none, read within the limits of a trial."""
    entry = folder.stat(file)
    try:
        with guarded(0 if entry is None else entry.size):
            return list(_samples_of(folder, file, parts, row, settings, named=named))
    except OverLimitError as error:
        path = clean_text("/".join(parts))
        return [FoundProblem(path, None, Problem(path, "too_large", str(error)))]


def _samples_of(
    folder: Folder,
    file: str,
    parts: tuple[str, ...],
    row: ManifestRow | None,
    settings: Settings,
    *,
    named: bool,
) -> Iterator[LooseItem | Skipped | FoundProblem]:
    from groundtrace.traces import all_readers
    from groundtrace.traces.kit.choose import POINTER
    from groundtrace.traces.kit.loose import companions_of, recognise, samples_of

    path = clean_text("/".join(parts))
    if row is None and file in SIDECARS and not named:
        return
    readers, _ = all_readers(settings.readers) if settings.readers else all_readers()
    found, why, problem = recognise(folder, file, readers, named=named or row is not None)
    if problem is not None:
        yield FoundProblem(path, None, problem)
        return
    results = results_in(folder, file) if found is None and named else None
    if results is not None:
        yield from _results(folder, file, parts, results)
        return
    if found is None:
        if row is not None:
            reason = f"no trace: {why}"
            yield FoundProblem(path, None, Problem(path, "unrecognised", reason))
        elif (
            named
            or why == POINTER
            or "it looks like" in why
            or not (file.casefold().endswith(_QUIET) or file.startswith("."))
        ):
            yield Skipped(path, None, f"no trace: {why}")
        return
    none = True
    with watched() as watch:
        samples = list(samples_of(found, folder))
        companions = companions_of(found.reader, folder, file)
    mark = _mark(folder, (file, *companions), watch)
    entry = folder.stat(file)
    state = "" if entry is None else entry.mark
    claimed = Claimed(found.reader.name, found.evidence, state)
    for sample in samples:
        if isinstance(sample, Problem):
            yield FoundProblem(path, None, sample)
            continue
        if row is not None and row.sample is not None and sample.sample_id != row.sample:
            continue
        none = False
        if sample.no_trial is not None and row is None:
            yield Skipped(path, None, sample.no_trial)
            continue
        yield LooseItem(
            *(folder, file, parts, sample.sample_id, sample.stated, found.reader.name, mark),
            *(None if entry is None else entry.time, row),
            session=sample.session if row is None and not named else None,
            first_call=sample.first_call,
            claimed=claimed,
        )
    if none:
        what = f"no sample {row.sample!r} in it" if row and row.sample else "no sample in it"
        yield FoundProblem(path, None, Problem(path, "trace_missing", what))


def _results(
    folder: Folder, file: str, parts: tuple[str, ...], results: Iterable[Sample | Problem]
) -> Iterator[LooseItem | FoundProblem]:
    """The trials of a file of predictions or ranked lists."""
    entry = folder.stat(file)
    mark, time = ("", None) if entry is None else (entry.mark, entry.time)
    for sample in results:
        if isinstance(sample, Problem):
            yield FoundProblem("/".join(parts), None, sample)
        else:
            yield LooseItem(
                *(folder, file, parts, sample.sample_id, sample.stated, RESULT, mark, time)
            )


def _mark(folder: Folder, files: Iterable[str], watch: Watch) -> str:
    """Fingerprint of all files that a trace is read from: the file itself, files read with it, and
    files that it names. Otherwise a subagent's log could change unnoticed."""
    marks = dict(watch.files)
    for name in files:
        entry = folder.stat(name)
        marks.setdefault(f"{folder.url}/{name}", entry.mark if entry is not None else "")
    top = folder.url
    return " ".join(f"{path.removeprefix(top)} {mark}" for path, mark in sorted(marks.items()))


def _rows(
    folder: Folder, loose: LooseRun, settings: Settings
) -> Iterator[LooseItem | Skipped | FoundProblem]:
    """The trials of a manifest, in its order."""
    name = loose.file or ""
    problems: list[Problem] = []
    taken: set[tuple[str, str | None]] = set()
    for row in read_manifest(folder, name, problems):
        if loose.only_run is not None and row.texts.get("run", loose.default_run) != loose.only_run:
            continue
        if (row.trace, row.sample) in taken:
            reason = f"{row.trace!r} is named by two rows; the first counts"
            problems.append(Problem(name, "bad_row", reason, line=row.number))
            continue
        taken.add((row.trace, row.sample))
        place, file = file_at(folder, row.trace)
        if not place.has_file(file):
            reason = f"{row.trace!r}: no such file beside the manifest"
            problems.append(Problem(name, "trace_missing", reason, line=row.number))
            continue
        parts = tuple(PurePosixPath(clean_text(row.trace)).parts)
        yield from _samples(place, file, parts, row, settings)
    for problem in problems:
        yield FoundProblem(name, None, problem)
