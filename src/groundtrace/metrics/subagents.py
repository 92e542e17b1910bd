"""What subagents found, read and spent, and which of it the main thread met later (D75)."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import UNSET
from msgspec.structs import replace

from groundtrace.base.frozen import Frozen
from groundtrace.documents.events import Event
from groundtrace.documents.metrics import SubagentMetrics, SubagentWork
from groundtrace.metrics.discovery import thread_name
from groundtrace.metrics.evidence import (
    READ,
    RETRIEVED,
    EvidenceView,
    Touch,
    seconds_at,
    within_limit,
)
from groundtrace.metrics.record import (
    NO_TRUTH_OR_TRACE,
    MetricDeclaration,
    MetricSection,
    SectionField,
    Spot,
)


class Threads(Frozen, frozen=True):
    """Relevant files that main thread and subagents met, and the work of each subagent."""

    reason: str | None
    relevant: int = 0
    by_main: int = 0
    """Relevant files that the main thread met."""
    by_subagents: int = 0
    by_subagents_only: int = 0
    came_back: int = 0
    """Relevant files that a subagent met and the main thread met at a later step."""
    agents: tuple[SubagentWork, ...] = ()

    def share(self, part: int, whole: int) -> float | None:
        """A part of a whole; None without evidence, and if the whole is 0."""
        return part / whole if self.reason is None and whole else None


def threads(evidence: EvidenceView) -> Threads:
    """The work of a trial's subagents, compared with the ground truth."""
    if evidence.details_reason == "older_document":
        return Threads("older_document")
    agents = _agents(evidence)
    if evidence.reason is not None:
        return Threads(evidence.reason, agents=agents)
    if not agents:
        return Threads("no_subagents")
    met = _met(evidence)
    main = _relevant(touch for touch in met if not touch.event.is_subagent)
    sub = _relevant(touch for touch in met if touch.event.is_subagent)
    return Threads(
        reason=None,
        relevant=len(evidence.truth),
        by_main=len(main),
        by_subagents=len(sub),
        by_subagents_only=len(sub - main),
        came_back=len(_relevant(touch for touch, back in _came_back(met) if back)),
        agents=agents,
    )


def _met(evidence: EvidenceView) -> list[Touch]:
    return [touch for touch in evidence.touches if touch.kind in RETRIEVED]


def _relevant(touches: Iterable[Touch]) -> set[str]:
    return {touch.truth for touch in touches if touch.truth is not None}


def _came_back(met: Iterable[Touch]) -> list[tuple[Touch, bool]]:
    """What subagents met, and whether it is a relevant file that the main thread met later."""
    later: set[str] = set()
    found: list[tuple[Touch, bool]] = []
    for touch in reversed(list(met)):
        if touch.event.is_subagent:
            found.append((touch, touch.truth in later))
        elif touch.truth is not None:
            later.add(touch.truth)
    return found[::-1]


def _agents(evidence: EvidenceView) -> tuple[SubagentWork, ...]:
    calls: dict[str, list[Event]] = {}
    for event in evidence.document.events:
        if event.is_subagent:
            calls.setdefault(thread_name(event), []).append(event)
    if not calls:
        return ()
    answers = {
        event.call_id: event.result_chars
        for event in evidence.document.events
        if isinstance(event.call_id, str) and not event.is_subagent
    }
    met: dict[str, list[tuple[Touch, bool]]] = {}
    for touch, back in _came_back(_met(evidence)):
        met.setdefault(thread_name(touch.event), []).append((touch, back))
    stated = evidence.document.subagent_inputs
    spent = {} if stated is UNSET else stated
    return tuple(
        replace(
            _work(name, events, met.get(name, []), answers.get(name, UNSET)),
            input_tokens=spent.get(name),
        )
        for name, events in calls.items()
    )


def _work(
    name: str, events: list[Event], met: list[tuple[Touch, bool]], answer: object
) -> SubagentWork:
    own = [touch for touch, _ in met]
    read = [touch for touch in own if touch.kind in READ]
    sizes = [event.result_chars for event in events]
    known = [size or 0 for size in sizes if size is not UNSET]
    times = [time for touch in own if (time := seconds_at(touch)) is not None]
    return SubagentWork(
        agent=name,
        calls=len(events),
        result_chars=within_limit(sum(known)) if len(known) == len(sizes) else None,
        seconds=max(times) - min(times) if times else None,
        files_met=len({touch.key for touch in own}),
        files_read=len({touch.key for touch in read}),
        relevant_met=sorted(_relevant(own)),
        relevant_read=sorted(_relevant(read)),
        came_back=sorted(_relevant(touch for touch, back in met if back)),
        returned_chars=answer if isinstance(answer, int) else None,
    )


def make_subagents(view: Threads) -> SubagentMetrics:
    """The section: each subagent's work, and the shares."""
    return SubagentMetrics(reason=view.reason, agents=list(view.agents), **SUBAGENTS.values(view))


_OURS = "groundtrace, decision D75"
_UNDEFINED = NO_TRUTH_OR_TRACE + ", or the trace holds no call of a subagent (`no_subagents`)"

_MAIN_RECALL = MetricDeclaration[Threads](
    name="main_thread_recall",
    title="Recall of the main thread",
    measures="Share of the relevant files that the main thread met itself: file recall without the subagents.",
    formula="|relevant files accessed by the main thread, not counting writes| / |relevant files|",
    undefined=_UNDEFINED,
    known_problems=(
        "What a subagent reported in words is not an access of the main thread. Without "
        "subagents, the main thread might have searched more."
    ),
    reference=_OURS,
    compute=lambda view: view.share(view.by_main, view.relevant),
    arithmetic=lambda view: f"{view.by_main} of {view.relevant} relevant files",
    worked={"main_thread_recall": ("the main thread met only src/app.py: 1 / 3", 0.3333)},
    missing="no_subagents",
    shown_in={
        "main_thread_recall": {
            "coverage": Spot(75, "recall without subagents"),
            "lines_and_context": Spot(120),
            "comparison": Spot(121),
            "trial_detail": Spot(122),
        },
    },
)

_ONLY_SUBAGENTS = MetricDeclaration[Threads](
    name="found_only_by_subagents",
    title="Found by subagents alone",
    measures=(
        "Share of the relevant files that subagents met and the main thread never met: what "
        "subagents add to recall."
    ),
    formula="file recall - recall of the main thread",
    undefined=_UNDEFINED,
    known_problems="It describes who found files; a higher value is not better by itself.",
    reference=_OURS,
    compute=lambda view: view.share(view.by_subagents_only, view.relevant),
    arithmetic=lambda view: f"{view.by_subagents_only} of {view.relevant} relevant files",
    worked={"found_only_by_subagents": ("only the subagent met src/db.py: 1 / 3", 0.3333)},
    missing="no_subagents",
    shown_in={
        "found_only_by_subagents": {"lines_and_context": Spot(130), "trial_detail": Spot(123)},
    },
)

_CAME_BACK = MetricDeclaration[Threads](
    name="subagent_findings_used",
    title="Subagents' findings used",
    measures=(
        "Share of the relevant files met by subagents that the main thread also met, at a "
        "later step."
    ),
    formula="relevant files met by a subagent and later by the main thread / relevant files met by subagents",
    undefined=_UNDEFINED + ", or subagents met no relevant file (`nothing_found`)",
    known_problems="A file that the main thread had met before and meets again counts. A file named in a subagent's report and never opened does not.",
    reference=_OURS,
    compute=lambda view: view.share(view.came_back, view.by_subagents),
    arithmetic=lambda view: f"{view.came_back} of {view.by_subagents} relevant files of subagents",
    worked={
        "subagent_findings_used": ("the main thread never met src/db.py: 0 / 1", 0.0),
    },
    missing="nothing_found",
    shown_in={
        "subagent_findings_used": {"lines_and_context": Spot(140), "trial_detail": Spot(124)},
    },
)

SUBAGENTS = MetricSection[Threads](
    heading="Subagents",
    fields=(SectionField[Threads](name="subagent_metrics", view=threads),),
    declarations=(_MAIN_RECALL, _ONLY_SUBAGENTS, _CAME_BACK),
    make=make_subagents,
    why=lambda section, declared: section.reason or declared.missing,
)
