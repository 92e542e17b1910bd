"""Stage 4: the five error labels of the specification, their files, and the slices (D23)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import UNSET

from groundtrace.documents.base import in_order
from groundtrace.documents.metrics import EditTargets, ErrorTaxonomy, Slices, TaxonomyLabel
from groundtrace.metrics.evidence import RETRIEVED, WRITTEN, EvidenceView, Touch

SMALL_SET = 5
"""Most files in a small candidate set."""

MEDIUM_SET = 20
"""Most files in a medium one."""

ABOUT_WRITES: tuple[TaxonomyLabel, ...] = ("wrong_evidence_used", "unused_correct_retrieval")
"""Labels that do not apply if the task expects no edit. They do apply if the edit targets are
unknown: they compare writes with the relevant files, which are known (D58)."""


def error_taxonomy(evidence: EvidenceView) -> ErrorTaxonomy:
    """Labels, files and slices. If only the ground truth is missing, there are still slices."""
    retrieved = evidence.first(RETRIEVED)
    slices = None if evidence.trace_reason is not None else _slices(evidence, retrieved)
    if evidence.reason is not None:
        return ErrorTaxonomy(computable=False, reason=evidence.reason, slices=slices)
    files = _files(evidence, retrieved, evidence.first(WRITTEN))
    for label in _unknown(evidence):
        del files[label]
    files = in_order(files)
    targets = edit_targets(evidence)
    return ErrorTaxonomy(
        computable=True,
        reason=None,
        labels={label: len(names) for label, names in files.items()},
        files=files,
        slices=slices,
        not_applicable=list(ABOUT_WRITES) if targets == "none_expected" else [],
        edit_targets=targets,
    )


def _unknown(evidence: EvidenceView) -> Iterator[TaxonomyLabel]:
    """Labels that an older document cannot give: what was written, or what is near (D190)."""
    if evidence.unclear_use is not None:
        yield from ABOUT_WRITES
    if evidence.identity_reason is not None:
        yield "ambiguity_near_miss"


def edit_targets(evidence: EvidenceView) -> EditTargets:
    """Whether the task says which files to edit; an empty list means that no edit is expected
    (D58)."""
    expected = evidence.document.ground_truth.expected_edit_files
    if expected is UNSET:
        return "unknown"
    return "known" if expected else "none_expected"


def _files(
    evidence: EvidenceView, retrieved: Sequence[Touch], written: Sequence[Touch]
) -> dict[TaxonomyLabel, list[str]]:
    found = {touch.truth for touch in retrieved}
    used = {touch.truth for touch in written}
    irrelevant = [touch for touch in retrieved if touch.truth is None]
    return {
        "irrelevant_retrieval": [touch.name for touch in irrelevant],
        "missed_key_evidence": [entry for entry in evidence.truth if entry not in found],
        "wrong_evidence_used": [touch.name for touch in written if touch.truth is None],
        "unused_correct_retrieval": [
            touch.name for touch in retrieved if touch.truth is not None and touch.truth not in used
        ],
        "ambiguity_near_miss": [touch.name for touch in irrelevant if touch.near],
    }


def _slices(evidence: EvidenceView, retrieved: Sequence[Touch]) -> Slices:
    size = len(retrieved)
    uses_mcp = any(event.is_mcp for event in evidence.document.events)
    return Slices(
        candidate_set_size="small"
        if size <= SMALL_SET
        else "medium"
        if size <= MEDIUM_SET
        else "large",
        evidence_type="mcp" if uses_mcp else "local",
    )
