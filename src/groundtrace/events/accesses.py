"""The files of one call as the document holds them, each with what it is for the task."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec
from msgspec import UNSET, UnsetType, structs

from groundtrace.base.jsonio import clean_text
from groundtrace.documents.base import MAX_INT
from groundtrace.documents.events import Access, LineChange, LineRange
from groundtrace.model import AccessKind, FileRef
from groundtrace.paths import ChunkLines, FileKey, Resolver

Lines = tuple[int | UnsetType, int | UnsetType]
"""First and last line shown, if known."""
_NO_LINES: Lines = (UNSET, UNSET)
AccessKey = tuple[str, AccessKind, Lines]
"""File, kind and lines: a call has one access of each (D7)."""


class FileFacts(msgspec.Struct, frozen=True):
    """What is the same in every access to one file of a trial."""

    file: str
    repo: str | UnsetType
    truth: str | UnsetType
    """The relevant file that it is, as the document spells it."""
    edit: str | UnsetType
    near: bool | UnsetType
    chunks: tuple[ChunkLines, ...]
    edit_chunks: tuple[ChunkLines, ...]
    named: bool
    """An entry of the task names it."""


class Accesses:
    """Files of a trial's calls as its document holds them.

    What a file is for the task is found once per file: a trial has about four accesses to each
    file.
    """

    def __init__(self, resolver: Resolver) -> None:
        self._resolver = resolver
        self._known: dict[FileKey, FileFacts | None] = {}

    def of(self, refs: Iterable[FileRef]) -> list[Access]:
        """One access per file, kind and range of lines, in order of appearance (D7).

        Names of files are never masked: masking turned four buttons `sk-button-…-v1` to `v4` into
        one file.
        """
        accesses: dict[AccessKey, Access] = {}
        for ref in refs:
            file = self._file(ref)
            if file is None:
                continue
            lines = _lines(ref)
            key = (file.file, ref.kind, lines)
            access = self._access(ref, file, lines)
            if key in accesses:
                access = _shown_again(accesses[key], access)
            accesses[key] = access
        return list(accesses.values())

    def key(self, ref: FileRef) -> AccessKey | None:
        """Which access of its call a reference is part of; None where it is no file."""
        file = self._file(ref)
        return None if file is None else (file.file, ref.kind, _lines(ref))

    def _file(self, ref: FileRef) -> FileFacts | None:
        of_file = (ref.repo, ref.path, ref.from_diff)
        if of_file in self._known:
            return self._known[of_file]
        facts = self._known[of_file] = self._facts(of_file)
        return facts

    def _facts(self, of_file: FileKey) -> FileFacts | None:
        resolver = self._resolver
        file = resolver.file_of(of_file)
        if file is None:
            return None
        name = clean_text(file.file)
        repo = UNSET if file.repo is None else clean_text(file.repo)
        if file.truth is None and file.beside is None:  # most files: no entry names them
            near = True if resolver.is_near(file) else UNSET
            return FileFacts(name, repo, UNSET, UNSET, near, (), (), False)
        edit = resolver.edit_target(file)
        return FileFacts(
            file=name,
            repo=repo,
            truth=UNSET if file.truth is None else clean_text(file.truth.spelling),
            edit=UNSET if edit is None else clean_text(edit),
            near=True if resolver.is_near(file) else UNSET,
            chunks=resolver.chunks_of(file),
            edit_chunks=resolver.edit_chunks_of(file),
            named=True,
        )

    def _access(self, ref: FileRef, file: FileFacts, lines: Lines) -> Access:
        shown = UNSET if ref.shown_chars is None else _count(ref.shown_chars)
        if not (
            file.named
            or ref.repo is not None
            or ref.ranges is not None
            or ref.line_shift is not None
            or ref.line_changes
        ):
            # Most accesses. A record takes twice as long with all its fields.
            return Access(
                file=file.file,
                kind=ref.kind,
                repo=file.repo,
                line_start=lines[0],
                line_end=lines[1],
                near_ground_truth=file.near,
                shown_chars=shown,
                evidence=ref.evidence,
            )
        return Access(
            file=file.file,
            kind=ref.kind,
            repo=file.repo,
            line_start=lines[0],
            line_end=lines[1],
            ground_truth_file=file.truth,
            expected_edit_file=file.edit,
            near_ground_truth=file.near,
            chunks=_met(file.chunks, ref, lines) if file.chunks else UNSET,
            edit_chunks=_met(file.edit_chunks, ref, lines) if file.edit_chunks else UNSET,
            line_ranges=UNSET if ref.ranges is None else _ranges(ref.ranges, lines),
            shown_chars=shown,
            line_shift=UNSET if ref.line_shift is None else ref.line_shift,
            line_changes=_changes(ref) if ref.line_changes else UNSET,
            evidence=ref.evidence,
            other_revision=True
            if ref.repo is not None and self._resolver.is_other_revision(ref)
            else UNSET,
        )


def _shown_again(first: Access, again: Access) -> Access:
    """The same lines of a file twice in one answer: their characters count twice."""
    if first.shown_chars is UNSET or again.shown_chars is UNSET:
        return structs.replace(first, shown_chars=UNSET)
    return structs.replace(first, shown_chars=first.shown_chars + again.shown_chars)


def _met(chunks: Iterable[ChunkLines], ref: FileRef, lines: Lines) -> list[int] | UnsetType:
    """Positions of the chunks of a file that overlap the lines shown."""
    met = {
        chunk.index
        for first, last in _runs(ref, lines)
        for chunk in chunks
        if chunk.first <= last and first <= chunk.last
    }
    return sorted(met) or UNSET


def _changes(ref: FileRef) -> list[LineChange]:
    return [
        LineChange(line_start=start, line_end=end, line_shift=shift)
        for start, end, shift in ref.line_changes
    ]


def _runs(ref: FileRef, lines: Lines) -> list[tuple[int, int]]:
    """The runs of lines that are known to have been shown."""
    first, last = lines
    if first is UNSET:
        return []
    if ref.ranges is not None:
        return list(ref.ranges)
    return [(first, first if last is UNSET else last)]


def _ranges(runs: Iterable[tuple[int, int]], lines: Lines) -> list[LineRange] | UnsetType:
    if UNSET in lines:
        return UNSET
    return [LineRange(line_start=start, line_end=end) for start, end in runs]


def _count(value: int) -> int | UnsetType:
    return value if 0 <= value <= MAX_INT else UNSET


def _lines(ref: FileRef) -> Lines:
    if ref.line_start is None and ref.line_end is None:
        return _NO_LINES
    start, end = _line(ref.line_start), _line(ref.line_end)
    if start is not UNSET and end is not UNSET and end < start:
        return _NO_LINES
    return start, end


def _line(value: int | None) -> int | UnsetType:
    return value if isinstance(value, int) and 1 <= value <= MAX_INT else UNSET
