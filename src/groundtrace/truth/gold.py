"""What a gold patch and a test patch say, from any place: a file, a column, a script."""

from __future__ import annotations

from groundtrace.model import TruthChunk
from groundtrace.truth.entries import Notes, collect, truth_file
from groundtrace.truth.patches import PatchResult, edits, evidence, read_patch
from groundtrace.truth.records import SourceFindings


def from_patch(patch: PatchResult, notes: Notes) -> SourceFindings:
    """Relevant files, edit targets and changed lines of a gold patch (D53, D55)."""
    for fault in patch.faults:
        notes.add("bad_patch", fault)
    relevant = collect(evidence(patch.files), truth_file, notes)
    if not relevant:
        reason = "its patch only adds new files" if patch.files else "no patch with files in it"
        notes.add("no_file_list", reason)
    return SourceFindings(
        files=relevant,
        edit_files=collect(edits(patch.files), truth_file, notes),
        edit_chunks=tuple(TruthChunk(c.path, c.first, c.last) for c in patch.changed),
    )


def test_files_of(text: str, notes: Notes) -> tuple[str, ...]:
    """Files of a test patch, new ones included."""
    patch = read_patch(text)
    for fault in patch.faults:
        notes.add("bad_patch", f"test patch: {fault}")
    return tuple(file.path for file in collect(edits(patch.files), truth_file, notes))
