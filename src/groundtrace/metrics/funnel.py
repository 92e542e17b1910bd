"""The stage that each relevant file reached: never met, met by name, shown, edited (D96)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from groundtrace.base.frozen import Frozen
from groundtrace.documents.base import in_order
from groundtrace.documents.patches import EditSource, FunnelMetrics, FunnelStage
from groundtrace.metrics.edited import edited_files, names_of
from groundtrace.metrics.evidence import RETRIEVED, SHOWN, EvidenceView
from groundtrace.metrics.record import (
    NO_TRUTH_OR_TRACE,
    MetricDeclaration,
    MetricSection,
    SectionField,
    Spot,
)
from groundtrace.model import AccessKind


class Funnel(Frozen, frozen=True):
    """The relevant files, each with the furthest stage that it reached."""

    reason: str | None
    source: EditSource | None = None
    files: Mapping[str, FunnelStage] = msgspec.field(default_factory=dict)

    def count(self, stage: FunnelStage) -> int:
        """Files that came so far and no further."""
        return [*self.files.values()].count(stage)


def funnel_of(evidence: EvidenceView) -> Funnel:
    """The stages that the relevant files of a trial's task reached."""
    if evidence.details_reason is not None:
        return Funnel(evidence.details_reason)
    edited = edited_files(evidence)
    stages: dict[str, FunnelStage] = dict.fromkeys(evidence.truth, "never_met")
    reached: Sequence[tuple[FunnelStage, frozenset[AccessKind]]] = (
        ("met", RETRIEVED),
        ("shown", SHOWN),
    )
    for stage, kinds in reached:
        for touch in evidence.first(kinds):
            if touch.truth is not None:
                stages[touch.truth] = stage
    # The ground truth can spell a file differently in its edit files and in its relevant files.
    names = {entry: {entry.lower()} for entry in evidence.truth}
    for touch in evidence.touches:
        if touch.truth is not None:
            names[touch.truth] |= names_of(touch)
    for entry, known in names.items():
        if known & edited.files.keys():
            stages[entry] = "edited"
    return Funnel(None, edited.source, stages)


def make_funnel(view: Funnel) -> FunnelMetrics:
    """The section, or why it has no values."""
    return FunnelMetrics(
        reason=view.reason, source=view.source, files=in_order(view.files), **FUNNEL.values(view)
    )


_UNDEFINED = NO_TRUTH_OR_TRACE + ", or the document is older than version 1.2 (`older_document`)"
_PROBLEMS = (
    "If no patch is known, files that calls wrote count as edited (`source`: `writes`); a file "
    "that a program changed without naming it does not. A relevant file "
    "that needs no edit should end as “shown”: a lower share of “shown” is better only if every relevant file "
    "needs an edit."
)


def _stage(
    stage: FunnelStage, title: str, measures: str, worked: str, value: float, order: int
) -> MetricDeclaration[Funnel]:
    name = f"funnel_{stage}"

    def compute(view: Funnel) -> float | None:
        return view.count(stage) / len(view.files) if view.reason is None else None

    return MetricDeclaration[Funnel](
        name=name,
        title=title,
        measures=measures + " The four shares of a trial add up to 1.",
        formula=f"relevant files whose last step is “{title.lower()}” / relevant files",
        undefined=_UNDEFINED,
        known_problems=_PROBLEMS,
        reference="groundtrace, decision D96",
        compute=compute,
        arithmetic=lambda view: f"{view.count(stage)} of {len(view.files)} relevant files",
        worked={name: (worked, value)},
        better="higher" if stage == "edited" else "lower",
        shown_in={
            name: {
                "funnel": Spot(order, title.lower()),
                "trial_detail": Spot(130 + order // 10),
            },
        },
    )


FUNNEL = MetricSection[Funnel](
    heading="How far relevant files got",
    fields=(SectionField[Funnel](name="funnel", view=funnel_of),),
    declarations=(
        _stage(
            *("never_met", "Never met", "Share of the relevant files that no call met."),
            *("nothing met src/config.py: 1 / 3", 0.3333, 10),
        ),
        _stage(
            "met",
            "Met by name only",
            "Share of the relevant files that calls met by name, without their content, and that were not edited.",
            *("every relevant file that was met was also shown: 0 / 3", 0.0, 20),
        ),
        _stage(
            "shown",
            "Shown, not edited",
            "Share of the relevant files whose content was shown and that were not edited.",
            *("src/db.py was read and is not in the patch: 1 / 3", 0.3333, 30),
        ),
        _stage(
            *("edited", "Edited", "Share of the relevant files that were edited."),
            *("src/app.py is in the patch: 1 / 3", 0.3333, 40),
        ),
    ),
    make=make_funnel,
    why=lambda section, declared: section.reason or declared.missing,
)
