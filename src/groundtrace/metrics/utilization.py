"""Stage 3: whether retrieved evidence was used (D22)."""

from __future__ import annotations

from typing import NamedTuple

from msgspec import UNSET

from groundtrace.documents.metrics import UtilizationProbes
from groundtrace.metrics.evidence import READ, WRITTEN, Evidence, Touch
from groundtrace.metrics.rounding import rounded


class EditProbe(NamedTuple):
    """The probe against expected edits: it stands apart, for edits can be known without files
    to be retrieved, as in a patch that only adds files (D27)."""

    available: bool
    reason: str | None
    overlap: float | None
    written: int | None


def utilization(evidence: Evidence) -> UtilizationProbes:
    """The four probes with the counts behind them."""
    written = evidence.first(WRITTEN)
    edits = _edit_probe(evidence, written)
    if evidence.reason is not None:
        return UtilizationProbes(
            probe_available=False,
            reason=evidence.reason,
            util_write_overlap_with_expected_edit_files=rounded(edits.overlap),
            expected_edit_probe_available=edits.available,
            expected_edit_probe_reason=edits.reason,
            files_written_expected_edit=edits.written,
        )
    read = evidence.first(READ)
    read_relevant = sum(touch.truth is not None for touch in read)
    written_relevant = sum(touch.truth is not None for touch in written)
    relevant = len(evidence.truth)
    return UtilizationProbes(
        probe_available=True,
        reason=None,
        util_read_overlap_with_relevant_files=rounded(read_relevant / relevant),
        util_write_overlap_with_relevant_files_proxy=(
            rounded(written_relevant / relevant) if written else None
        ),
        util_write_overlap_with_expected_edit_files=rounded(edits.overlap),
        util_read_before_write_ratio=rounded(_read_before_write(read, written)),
        expected_edit_probe_available=edits.available,
        expected_edit_probe_reason=edits.reason,
        files_read=len(read),
        files_read_relevant=read_relevant,
        files_written=len(written),
        files_written_relevant=written_relevant,
        files_written_expected_edit=edits.written,
    )


def _edit_probe(evidence: Evidence, written: list[Touch]) -> EditProbe:
    expected = evidence.document.ground_truth.expected_edit_files
    if expected is UNSET or not expected:
        return EditProbe(False, "no_expected_edit_files", None, None)
    if evidence.trace_reason is not None:
        return EditProbe(True, evidence.trace_reason, None, None)
    if not written:
        return EditProbe(True, "nothing_written", None, 0)
    targets = list({entry.lower(): entry for entry in expected}.values())
    done = sum(map(evidence.names(written), targets))
    return EditProbe(True, None, done / len(targets), done)


def _read_before_write(read: list[Touch], written: list[Touch]) -> float | None:
    """Share of written files whose first read is at an earlier step than their first write."""
    if not written:
        return None
    first_read = {touch.key: touch.event.step_index for touch in read}
    before = sum(
        touch.key in first_read and first_read[touch.key] < touch.event.step_index
        for touch in written
    )
    return before / len(written)
