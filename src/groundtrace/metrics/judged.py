"""Metrics over judged files only: files that the ground truth does not mention are left out (D120).

The files of the test patch and the expected edit files are judged irrelevant, unless they are
relevant files. Every other file that is not relevant is unjudged: nobody has said if it is useful.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import UNSET

from groundtrace.base.frozen import Frozen
from groundtrace.documents.metrics import JudgedMetrics
from groundtrace.metrics.evidence import RETRIEVED, EvidenceView, Touch
from groundtrace.metrics.ranking import bpref, bpref_parts
from groundtrace.metrics.record import (
    NO_TRUTH_OR_TRACE,
    MetricDeclaration,
    MetricSection,
    SectionField,
    Spot,
)

JUDGED_DEPTH = 10
"""K of judged@10."""
_WRITTEN_PARTS = 8
"""Most parts of a sum that are written out."""


class JudgedList(Frozen, frozen=True):
    """Retrieved files in the order of their first access, each with the task's judgement."""

    reason: str | None
    """Why nothing can be computed at all."""
    judgements: tuple[bool | None, ...] = ()
    """True for relevant, False for judged irrelevant, None for unjudged."""
    relevant: int = 0
    irrelevant: int = 0
    """Number of files judged irrelevant, retrieved or not."""

    @property
    def first(self) -> tuple[bool | None, ...]:
        """Judgements of the first 10 files."""
        return self.judgements[:JUDGED_DEPTH]

    @property
    def judged(self) -> int:
        """How many of the first 10 files are judged."""
        return sum(judgement is not None for judgement in self.first)


def judged_list(evidence: EvidenceView) -> JudgedList:
    """The retrieved files with their judgements."""
    if evidence.details_reason is not None:
        return JudgedList(evidence.details_reason)
    irrelevant = _judged_irrelevant(evidence)
    return JudgedList(
        reason=None,
        judgements=tuple(_judgements(evidence.first(RETRIEVED), irrelevant)),
        relevant=len(evidence.truth),
        irrelevant=len(irrelevant),
    )


def _judged_irrelevant(evidence: EvidenceView) -> frozenset[str]:
    truth = evidence.document.ground_truth
    lists = (truth.test_files, truth.expected_edit_files)
    named = {_path(file) for files in lists if files is not UNSET for file in files}
    named -= {_path(entry) for entry in evidence.truth}
    if not named:
        return frozenset()
    # An edit file can be a relevant file in another spelling: what was touched tells.
    both = {
        _path(touch.edit)
        for touch in evidence.touches
        if touch.edit is not None and touch.truth is not None
    }
    return frozenset(named - both)


def _judgements(touches: Sequence[Touch], irrelevant: frozenset[str]) -> list[bool | None]:
    judged = {id(touch) for touch in _that_are(touches, irrelevant).values()}
    return [
        True if touch.truth is not None else False if id(touch) in judged else None
        for touch in touches
    ]


def _that_are(touches: Sequence[Touch], irrelevant: frozenset[str]) -> dict[str, Touch]:
    """The touch of each file that is judged irrelevant, if it was touched. A file in a second
    spelling is not judged twice: more files would be judged irrelevant than there are."""
    found: dict[str, Touch] = {}
    for touch in touches if irrelevant else ():
        if touch.truth is None:
            entry = "" if touch.edit is None else _path(touch.edit)
            if touch.edit is None or entry not in irrelevant:
                entry = touch.key[1].rpartition("::")[2]  # its file, in lower case
            if entry in irrelevant:
                found.setdefault(entry, touch)
    return found


def judged_zero(evidence: EvidenceView) -> dict[str, Touch | None]:
    """The files that are judged irrelevant, each with the touch that is it; None if nothing
    retrieved it."""
    if judged_list(evidence).reason is not None:
        return {}
    irrelevant = _judged_irrelevant(evidence)
    touched = _that_are(evidence.first(RETRIEVED), irrelevant)
    return {entry: touched.get(entry) for entry in sorted(irrelevant)}


def _path(entry: str) -> str:
    """A file without its repository, in lower case: test patches name no repository."""
    return entry.rpartition("::")[2].lower()


def make_judged(view: JudgedList) -> JudgedMetrics:
    """The section, with the reason for each value that it does not have."""
    known = view.reason is None
    return JudgedMetrics(
        reason=view.reason,
        n_irrelevant=view.irrelevant if known else None,
        **JUDGED.values(view),
    )


def _bpref(view: JudgedList) -> float | None:
    if view.reason is not None or not view.irrelevant:
        return None
    return bpref(view.judgements, view.relevant, view.irrelevant)


def _bpref_written_out(view: JudgedList) -> str:
    """Such as `(1 + 0.5) / 3`; only the sum if there are many parts."""
    parts = bpref_parts(view.judgements, view.relevant, view.irrelevant)
    written = " + ".join(f"{part:.4g}" for part in parts)
    if len(parts) > _WRITTEN_PARTS:
        written = f"{sum(parts):.4g} from {len(parts)} files"
    return f"({written or 0}) / {view.relevant}"


_OURS = "groundtrace, decision D120"

_BPREF = MetricDeclaration[JudgedList](
    name="bpref",
    title="bpref",
    measures=(
        "Whether relevant files come before files that are judged irrelevant; unjudged files "
        "do not count."
    ),
    formula="mean over relevant files of 1 - min(judged irrelevant files above it, R) / min(N, R), 0 for one that was not retrieved; R relevant files, N judged irrelevant",
    undefined=NO_TRUTH_OR_TRACE
    + ", the document is of a version before 1.2 (`older_document`), or the task has no file that is judged irrelevant (`nothing_judged_irrelevant`)",
    known_problems=(
        "Only test files, and edit targets that are not relevant files, are judged irrelevant. "
        "These are few, and nobody judged whether they are useless. If none of them was "
        "retrieved, the value equals file recall."
    ),
    reference="C. Buckley, E. M. Voorhees: Retrieval evaluation with incomplete information, SIGIR 2004; as trec_eval computes it",
    compute=_bpref,
    arithmetic=_bpref_written_out,
    worked={
        "bpref": (
            "src/app.py and src/db.py come before tests/test_app.py, which was never met: "
            "(1 + 1 + 0) / 3",
            0.6667,
        ),
    },
    missing="nothing_judged_irrelevant",
    shown_in={"bpref": {"trial_detail": Spot(130)}},
)

_JUDGED = MetricDeclaration[JudgedList](
    name="judged@10",
    field="judged_at_10",
    title="Judged@10",
    measures="Share of the first 10 retrieved files that are judged: relevant, or judged irrelevant.",
    formula="judged files among the first 10 / files among the first 10",
    undefined=NO_TRUTH_OR_TRACE
    + ", the document is of a version before 1.2 (`older_document`), or no file was retrieved (`nothing_retrieved`)",
    known_problems=(
        "It says how much is known, not how good the list is. With fewer than 10 files it "
        "divides by the number of files."
    ),
    reference=_OURS,
    compute=lambda view: view.judged / len(view.first) if view.first else None,
    arithmetic=lambda view: f"{view.judged} of {len(view.first)} files",
    worked={
        "judged@10": (
            "src/app.py and src/db.py are judged, docs/guide.md and src/util.py are not: 2 / 4",
            0.5,
        ),
    },
    missing="nothing_retrieved",
    shown_in={"judged@10": {"trial_detail": Spot(131)}},
)

JUDGED = MetricSection[JudgedList](
    heading="Judged files",
    fields=(SectionField[JudgedList](name="judged_metrics", view=judged_list),),
    declarations=(_BPREF, _JUDGED),
    make=make_judged,
    why=lambda section, declared: section.reason or declared.missing,
)
