"""The files of one call as the document holds them, each with what it is to the task."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import UNSET, UnsetType

from groundtrace.documents.base import MAX_INT
from groundtrace.documents.events import Access
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
        if key not in accesses:
            accesses[key] = _access(ref, file, lines, resolver)
    return list(accesses.values())


def _access(ref: FileRef, file: Resolved, lines: Lines, resolver: Resolver) -> Access:
    edit = resolver.edit_target(file)
    chunks: list[int] = []
    edit_chunks: list[int] = []
    first, last = lines
    if first is not UNSET:
        last = first if last is UNSET else last
        chunks = resolver.chunks_met(file, first, last)
        edit_chunks = resolver.edit_chunks_met(file, first, last)
    return Access(
        file=clean_text(file.file),
        kind=ref.kind,
        repo=UNSET if file.repo is None else clean_text(file.repo),
        line_start=lines[0],
        line_end=lines[1],
        ground_truth_file=UNSET if file.truth is None else clean_text(file.truth.spelling),
        expected_edit_file=UNSET if edit is None else clean_text(edit),
        near_ground_truth=True if resolver.is_near(file) else UNSET,
        chunks=chunks or UNSET,
        edit_chunks=edit_chunks or UNSET,
        evidence="declared",
    )


def _lines(ref: FileRef) -> Lines:
    if ref.line_start is None and ref.line_end is None:
        return UNSET, UNSET
    start, end = _line(ref.line_start), _line(ref.line_end)
    if start is not UNSET and end is not UNSET and end < start:
        return UNSET, UNSET
    return start, end


def _line(value: int | None) -> int | UnsetType:
    return value if isinstance(value, int) and 1 <= value <= MAX_INT else UNSET
