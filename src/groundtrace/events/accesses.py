"""The files of one call as the document holds them, each with what it is to the task."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import UNSET, UnsetType, structs

from groundtrace.documents.base import MAX_INT
from groundtrace.documents.events import Access, LineChange, LineRange
from groundtrace.jsonio import clean_text
from groundtrace.model import AccessKind, FileRef
from groundtrace.paths import Resolved, Resolver

Lines = tuple[int | UnsetType, int | UnsetType]
"""First and last line shown, where known."""


def accesses_of(refs: Iterable[FileRef], resolver: Resolver) -> list[Access]:
    """One access per file, kind and range of lines, in order of appearance (D7).

    Names of files are never masked: four buttons `sk-button-…-v1` to `v4` became one file.
    """
    accesses: dict[tuple[str, AccessKind, Lines], Access] = {}
    for ref in refs:
        file = resolver.resolve(ref)
        if file is None:
            continue
        lines = _lines(ref)
        key = (clean_text(file.file), ref.kind, lines)
        access = _access(ref, file, lines, resolver)
        known = accesses.get(key)
        accesses[key] = access if known is None else _shown_again(known, access)
    return list(accesses.values())


def _shown_again(first: Access, again: Access) -> Access:
    """The same lines of a file twice in one answer: their characters count twice."""
    if first.shown_chars is UNSET or again.shown_chars is UNSET:
        return structs.replace(first, shown_chars=UNSET)
    return structs.replace(first, shown_chars=first.shown_chars + again.shown_chars)


def _access(ref: FileRef, file: Resolved, lines: Lines, resolver: Resolver) -> Access:
    edit = resolver.edit_target(file)
    runs = _runs(ref, lines)
    chunks = {met for run in runs for met in resolver.chunks_met(file, *run)}
    edit_chunks = {met for run in runs for met in resolver.edit_chunks_met(file, *run)}
    return Access(
        file=clean_text(file.file),
        kind=ref.kind,
        repo=UNSET if file.repo is None else clean_text(file.repo),
        line_start=lines[0],
        line_end=lines[1],
        ground_truth_file=UNSET if file.truth is None else clean_text(file.truth.spelling),
        expected_edit_file=UNSET if edit is None else clean_text(edit),
        near_ground_truth=True if resolver.is_near(file) else UNSET,
        chunks=sorted(chunks) or UNSET,
        edit_chunks=sorted(edit_chunks) or UNSET,
        line_ranges=_ranges(ref, lines),
        shown_chars=_count(ref.shown_chars),
        line_shift=UNSET if ref.line_shift is None else ref.line_shift,
        line_changes=[
            LineChange(line_start=start, line_end=end, line_shift=shift)
            for start, end, shift in ref.line_changes
        ]
        or UNSET,
        evidence=ref.evidence,
        other_revision=True if resolver.is_other_revision(ref) else UNSET,
    )


def _runs(ref: FileRef, lines: Lines) -> list[tuple[int, int]]:
    """The runs of lines that are known to have been shown."""
    first, last = lines
    if first is UNSET:
        return []
    if ref.ranges is not None:
        return list(ref.ranges)
    return [(first, first if last is UNSET else last)]


def _ranges(ref: FileRef, lines: Lines) -> list[LineRange] | UnsetType:
    if ref.ranges is None or UNSET in lines:
        return UNSET
    return [LineRange(line_start=start, line_end=end) for start, end in ref.ranges]


def _count(value: int | None) -> int | UnsetType:
    return UNSET if value is None or not 0 <= value <= MAX_INT else value


def _lines(ref: FileRef) -> Lines:
    if ref.line_start is None and ref.line_end is None:
        return UNSET, UNSET
    start, end = _line(ref.line_start), _line(ref.line_end)
    if start is not UNSET and end is not UNSET and end < start:
        return UNSET, UNSET
    return start, end


def _line(value: int | None) -> int | UnsetType:
    return value if isinstance(value, int) and 1 <= value <= MAX_INT else UNSET
