"""Which files of a trial hold a trace, and which reader reads each."""

from __future__ import annotations

import fnmatch
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from groundtrace.jsonio import clean_text
from groundtrace.model import Problem
from groundtrace.problems import ProblemKind
from groundtrace.storage import EntryKind, Folder, Links
from groundtrace.traces.claims import Probe, Recognised, Strength, stated_by
from groundtrace.traces.source import Reader

HEAD = 64 * 1024
"""Bytes that a reader sees to recognise a file."""

MAX_FOLDERS = 2_000
"""Folders listed below `**`; sessions of a trial have a handful."""

_SPECIAL = frozenset("*?[")
_ORDER = {"marker": 0, "shape": 1, "name": 2}


@dataclass(frozen=True, slots=True)
class Detected:
    """A file and its reader."""

    path: str
    reader: Reader
    recognised: Recognised

    @property
    def evidence(self) -> str:
        return f"{self.path}: {self.reader.name} by {self.recognised.strength} ({self.recognised.evidence})"


def candidates(folder: Folder, readers: Sequence[Reader], problems: list[Problem]) -> list[str]:
    """Files that any reader wants to see, in the order of the readers' patterns."""
    found: dict[str, None] = {}
    listings: dict[str, dict[str, EntryKind]] = {}
    for reader in readers:
        for pattern in reader.patterns:
            for path in expand(folder, pattern, listings, problems):
                found.setdefault(path)
    return list(found)


def expand(
    folder: Folder,
    pattern: str,
    listings: dict[str, dict[str, EntryKind]],
    problems: list[Problem],
) -> Iterator[str]:
    """Files that match a pattern of literal parts, `*` parts and `**`.

    `listings` holds what folders were found to hold: most patterns lie in the same one.
    """
    if _SPECIAL.isdisjoint(pattern):
        parent, _, name = pattern.rpartition("/")
        if parent not in listings:
            place = folder.folder(parent) if parent else folder
            listings[parent] = {entry.name: entry.kind for entry in place.entries()}
        if listings[parent].get(name) == "file":
            yield pattern
        return
    literal: list[str] = []
    parts = pattern.split("/")
    while parts and _SPECIAL.isdisjoint(parts[0]):
        literal.append(parts.pop(0))
    base = "/".join(literal)
    start = folder.folder(base) if base else folder
    budget = [MAX_FOLDERS]
    unlisted: dict[str, str] = {}
    for path in _walk(start, parts, budget, Links(), unlisted):
        yield f"{base}/{path}" if base else path
    for name, why in unlisted.items():
        reason = f"the folder cannot be listed ({why}); its traces are not read"
        problem = Problem(name, "unlisted_folder", reason)
        if problem not in problems:
            problems.append(problem)
    if budget[0] < 0:
        reason = f"more than {MAX_FOLDERS:,} folders; traces in the others were not looked for"
        problems.append(Problem(base or ".", "too_many_folders", reason))


def _walk(
    folder: Folder, parts: list[str], budget: list[int], links: Links, unlisted: dict[str, str]
) -> Iterator[str]:
    if not links.enters(folder):
        return
    budget[0] -= 1
    if budget[0] < 0 or not parts:
        return
    first, rest = parts[0], parts[1:]
    for entry in folder.entries():
        if entry.kind == "unlisted":
            unlisted[clean_text(folder.name)] = entry.stamp
        elif first == "**":
            if entry.kind == "folder":
                for path in _walk(folder.folder(entry.name), parts, budget, links, unlisted):
                    yield f"{entry.name}/{path}"
            elif entry.kind == "file" and rest and fnmatch.fnmatchcase(entry.name, rest[-1]):
                yield entry.name
        elif fnmatch.fnmatchcase(entry.name, first):
            if not rest and entry.kind == "file":
                yield entry.name
            elif rest and entry.kind == "folder":
                for path in _walk(folder.folder(entry.name), rest, budget, links, unlisted):
                    yield f"{entry.name}/{path}"


def is_spare(path: str, readers: Iterable[Reader]) -> bool:
    """Whether a reader calls the file a copy, to be read only where no whole log was."""
    return any(
        fnmatch.fnmatchcase(path, pattern)
        for reader in readers
        for pattern in stated_by(reader, "spare_patterns")
    )


def claim_on(
    probe: Probe, readers: Iterable[Reader], weakest: Strength = "name"
) -> Detected | None:
    """The strongest claim on a file, of at least the strength `weakest`; the earlier of equals."""
    best: Detected | None = None
    for reader in readers:
        claim = reader.recognise(probe)
        if claim is None or _ORDER[claim.strength] > _ORDER[weakest]:
            continue
        if best is None or _ORDER[claim.strength] < _ORDER[best.recognised.strength]:
            best = Detected(probe.path, reader, claim)
            if claim.strength == "marker":
                break  # nothing is stronger, and of equals the earlier one reads the file
    return best


def reader_for(
    folder: Folder, path: str, readers: Iterable[Reader]
) -> tuple[Detected | None, Problem | None]:
    """The reader with the strongest claim on a file; the earlier one of equals."""
    try:
        with folder.open(path) as stream:
            probe = Probe(path, stream.read(HEAD))
    except OSError as error:
        return None, Problem(path, "unreadable", str(error))
    best = claim_on(probe, readers)
    if best is not None:
        return best, None
    kind: ProblemKind = "unrecognised" if probe.head.strip() else "empty_file"
    reason = "no reader knows this file" if probe.head.strip() else "the file is empty"
    return None, Problem(path, kind, reason)
