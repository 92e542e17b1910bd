"""Stage 3: whether retrieved evidence was used (D22)."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import UNSET

from groundtrace.base.frozen import Frozen
from groundtrace.documents.metrics import NotComputable, UtilizationProbes
from groundtrace.metrics.evidence import READ, WRITTEN, EvidenceView, Touch
from groundtrace.metrics.record import (
    NO_TRUTH_OR_TRACE,
    SPECIFICATION,
    MetricDeclaration,
    MetricSection,
    SectionField,
    Spot,
)

NO_EDIT = "no_edit_expected"
"""The task expects no edit: numbers about writes do not apply (D193)."""


class WrittenTargets(Frozen, frozen=True):
    """The files in which the task expects an edit. They are separate from the relevant files: a
    patch that only adds files has edit targets but nothing to retrieve (D27)."""

    total: int
    written: int | None
    """How many of them were written; None if that cannot be known."""
    reason: str | None
    """Why there is no share."""

    @property
    def share(self) -> float | None:
        """Share of the targets that were written."""
        if self.reason is not None or self.written is None:
            return None
        return self.written / self.total


class EvidenceUse(Frozen, frozen=True):
    """What was read and written, compared with the ground truth."""

    reason: NotComputable | None
    """Why reads and writes cannot be compared with the relevant files."""
    relevant: int
    read: int
    read_relevant: int
    written: int
    written_relevant: int
    read_before: int
    """Written files whose first read is at an earlier step than their first write."""
    edits: WrittenTargets

    def share(self, part: int, whole: int) -> float | None:
        """A part of a whole; None without ground truth or trace, and if the whole is 0."""
        return part / whole if self.reason is None and whole else None

    def of_writes(self, part: int, whole: int) -> float | None:
        """The same for what was written: None if nothing was, or if nothing should be (D193)."""
        wanted = self.written and self.edits.reason != NO_EDIT
        return self.share(part, whole) if wanted else None


def evidence_use(evidence: EvidenceView) -> EvidenceUse:
    """Reads and writes of a trial, counted."""
    read, written = evidence.first(READ), evidence.first(WRITTEN)
    return EvidenceUse(
        reason=evidence.use_reason,
        relevant=len(evidence.truth),
        read=len(read),
        read_relevant=_relevant(read),
        written=len(written),
        written_relevant=_relevant(written),
        read_before=_read_before(read, written),
        edits=_edit_targets(evidence, written),
    )


def _relevant(touches: Sequence[Touch]) -> int:
    return sum(touch.truth is not None for touch in touches)


def _read_before(read: Sequence[Touch], written: Sequence[Touch]) -> int:
    first_read = {touch.key: touch.event.step_index for touch in read}
    return sum(
        touch.key in first_read and first_read[touch.key] < touch.event.step_index
        for touch in written
    )


def _edit_targets(evidence: EvidenceView, written: Sequence[Touch]) -> WrittenTargets:
    expected = evidence.document.ground_truth.expected_edit_files
    if expected is UNSET:
        return WrittenTargets(0, None, "no_expected_edit_files")
    if not expected:
        return WrittenTargets(0, None, NO_EDIT)
    targets = list({entry.lower(): entry for entry in expected}.values())
    reason = evidence.trace_reason or evidence.unclear_use or evidence.identity_reason
    if reason is not None:
        return WrittenTargets(len(targets), None, reason)
    if not written:
        return WrittenTargets(len(targets), 0, "nothing_written")
    edited = {touch.edit.lower() for touch in written if touch.edit is not None}
    return WrittenTargets(len(targets), len(edited.intersection(map(str.lower, targets))), None)


def make_utilization(use: EvidenceUse) -> UtilizationProbes:
    """The four probes with their counts."""
    known = use.reason is None
    return UtilizationProbes(
        probe_available=known,
        reason=use.reason,
        expected_edit_probe_available=use.edits.total > 0,
        expected_edit_probe_reason=use.edits.reason,
        files_read=use.read if known else None,
        files_read_relevant=use.read_relevant if known else None,
        files_written=use.written if known else None,
        files_written_relevant=use.written_relevant if known else None,
        files_written_expected_edit=use.edits.written,
        **UTILIZATION.values(use),
    )


def _why(probes: UtilizationProbes, declared: MetricDeclaration[EvidenceUse]) -> str:
    if declared is _EXPECTED_EDITS:
        return probes.expected_edit_probe_reason or declared.missing
    if not probes.probe_available:
        return probes.reason or "not_computable"
    if declared is not _READ_RELEVANT and probes.expected_edit_probe_reason == NO_EDIT:
        return NO_EDIT
    return declared.missing


def _edits_written_out(use: EvidenceUse) -> str:
    whole = f" of {use.edits.total}" if use.edits.written else ""
    return f"{use.edits.written}{whole} expected edit files written"


_NO_WRITE = NO_TRUTH_OR_TRACE + (
    ", nothing was written (`nothing_written`), or the task expects no edit (`no_edit_expected`)"
)

_READ_RELEVANT = MetricDeclaration[EvidenceUse](
    name="util_read_overlap_with_relevant_files",
    title="Relevant files read",
    plain={"util_read_overlap_with_relevant_files": "Relevant files read"},
    measures="Share of the relevant files that the agent opened and whose content came back.",
    formula="|files read ∩ relevant files| / |relevant files|",
    undefined=NO_TRUTH_OR_TRACE,
    known_problems="Lines that a search shows do not count as a read, no matter how many.",
    reference=SPECIFICATION,
    compute=lambda use: use.share(use.read_relevant, use.relevant),
    arithmetic=lambda use: f"{use.read_relevant} of {use.relevant} relevant files read",
    worked={
        "util_read_overlap_with_relevant_files": (
            "src/app.py and src/db.py were read: 2 / 3",
            0.6667,
        ),
    },
    shown_in={
        "util_read_overlap_with_relevant_files": {
            "coverage": Spot(80, "relevant files read"),
            "utilization": Spot(),
            "comparison": Spot(120),
            "groups_use": Spot(0, "read overlap"),
            "trial_detail": Spot(120),
            "correlation": Spot(70),
            "api_summary": Spot(50),
        },
    },
)

_WRITTEN_RELEVANT = MetricDeclaration[EvidenceUse](
    name="util_write_overlap_with_relevant_files_proxy",
    title="Relevant files written",
    plain={"util_write_overlap_with_relevant_files_proxy": "Relevant files written"},
    measures="Share of the relevant files that the agent wrote to.",
    formula="|files written ∩ relevant files| / |relevant files|",
    undefined=_NO_WRITE,
    known_problems=(
        "Relevant files are not always edit targets. The value is an approximation for tasks "
        "that fix something, and means nothing for other tasks."
    ),
    reference=SPECIFICATION,
    compute=lambda use: use.of_writes(use.written_relevant, use.relevant),
    arithmetic=lambda use: f"{use.written_relevant} of {use.relevant} relevant files written",
    worked={
        "util_write_overlap_with_relevant_files_proxy": ("src/app.py was written: 1 / 3", 0.3333),
    },
    missing="nothing_written",
    shown_in={
        "util_write_overlap_with_relevant_files_proxy": {
            "coverage": Spot(90, "relevant files written"),
            "utilization": Spot(),
            "comparison": Spot(120),
            "trial_detail": Spot(120),
        },
    },
)

_EXPECTED_EDITS = MetricDeclaration[EvidenceUse](
    name="util_write_overlap_with_expected_edit_files",
    title="Expected edits made",
    plain={"util_write_overlap_with_expected_edit_files": "Expected files edited"},
    measures="Share of the files in which an edit is expected that the agent wrote to.",
    formula="|files written ∩ expected edit files| / |expected edit files|",
    undefined=(
        "the task does not say which files to edit (`no_expected_edit_files`) or expects no "
        "edit (`no_edit_expected`), there is no usable trace (`no_trace`, `empty_trace`, "
        "`answers_missing`, `subagents_unseen`), or nothing was written (`nothing_written`)"
    ),
    known_problems="It does not say whether the edit was right; the verifier checks that.",
    reference=SPECIFICATION,
    compute=lambda use: use.edits.share,
    arithmetic=_edits_written_out,
    worked={
        "util_write_overlap_with_expected_edit_files": (
            "src/app.py of src/app.py and src/config.py: 1 / 2",
            0.5,
        ),
    },
    shown_in={
        "util_write_overlap_with_expected_edit_files": {
            "coverage": Spot(100, "expected edit files written"),
            "utilization": Spot(),
            "comparison": Spot(120),
            "trial_detail": Spot(120),
        },
    },
)

_READ_BEFORE_WRITE = MetricDeclaration[EvidenceUse](
    name="util_read_before_write_ratio",
    title="Read before write",
    plain={"util_read_before_write_ratio": "Written files read before"},
    measures="Share of the written files that the agent had read at an earlier step than its first write to them.",
    formula="written files read before / written files",
    undefined=_NO_WRITE,
    known_problems="New files cannot be read before they exist, so an agent that adds files scores lower.",
    reference=SPECIFICATION,
    compute=lambda use: use.of_writes(use.read_before, use.written),
    arithmetic=lambda use: f"{use.read_before} of {use.written} written files",
    worked={
        "util_read_before_write_ratio": (
            "src/app.py was read first, src/new.py was not: 1 / 2",
            0.5,
        ),
    },
    missing="nothing_written",
    shown_in={
        "util_read_before_write_ratio": {
            "coverage": Spot(110, "read before written"),
            "utilization": Spot(),
            "comparison": Spot(120),
            "trial_detail": Spot(120),
        },
    },
)

UTILIZATION = MetricSection[EvidenceUse](
    heading="Use of evidence (stage 3)",
    fields=(SectionField[EvidenceUse](name="utilization_probes", view=evidence_use),),
    declarations=(_READ_RELEVANT, _WRITTEN_RELEVANT, _EXPECTED_EDITS, _READ_BEFORE_WRITE),
    make=make_utilization,
    why=_why,
)
