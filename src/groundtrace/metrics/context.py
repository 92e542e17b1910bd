"""How much of the context was relevant, what finding it cost, and what was still in it (D73)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from operator import attrgetter

import msgspec
from msgspec import UNSET

from groundtrace.base.frozen import Frozen
from groundtrace.documents.base import in_order
from groundtrace.documents.events import ContextChange, Event
from groundtrace.documents.metrics import ContextChars, ContextMetrics
from groundtrace.metrics.evidence import (
    SHOWN,
    WRITTEN,
    EvidenceView,
    Touch,
    lines_again,
    lines_unknown,
    shown_lines,
    too_many,
    within_limit,
)
from groundtrace.metrics.record import (
    NO_TRUTH_OR_TRACE,
    MetricDeclaration,
    MetricSection,
    SectionField,
    Spot,
)

NO_SERVER = "none"
"""Key of tools that belong to no MCP server."""


class PartOfWhole(Frozen, frozen=True):
    """A part of a whole, or the reason why it is unknown."""

    part: float = 0.0
    whole: float = 0.0
    reason: str | None = None

    @property
    def share(self) -> float | None:
        """The part divided by the whole."""
        return None if self.reason is not None or not self.whole else self.part / self.whole


class ContextUse(Frozen, frozen=True):
    """Characters and files of a trial's context, counted."""

    reason: str | None
    """Why nothing can be computed at all."""
    relevant: PartOfWhole = PartOfWhole()
    """Characters of relevant files; the whole is all characters that answers showed."""
    before_first: PartOfWhole = PartOfWhole()
    """`part` is what was shown before the first relevant file; there is no whole."""
    first_step: int | None = None
    repeated: PartOfWhole = PartOfWhole()
    """Characters of lines shown again; the whole is the characters of all lines shown."""
    at_edit: PartOfWhole = PartOfWhole()
    """Relevant files in context at the first edit; the whole is all relevant files."""
    edit_step: int | None = None
    by_tool: Mapping[str, ContextChars] = msgspec.field(default_factory=dict)
    by_server: Mapping[str, ContextChars] = msgspec.field(default_factory=dict)
    by_kind: Mapping[str, ContextChars] = msgspec.field(default_factory=dict)


def context_use(evidence: EvidenceView) -> ContextUse:
    """What went into a trial's context, compared with the ground truth."""
    if evidence.details_reason is not None:
        return ContextUse(evidence.details_reason)
    chars = _AnswerChars(evidence)
    shown = [touch for touch in evidence.touches if touch.kind in SHOWN]
    relevant = [touch for touch in shown if touch.truth is not None]
    first = relevant[0].event if relevant else None
    written = evidence.first(WRITTEN)
    edit = written[0].event if written else None
    return ContextUse(
        reason=None,
        relevant=_relevant(relevant, chars),
        before_first=_before(first, chars),
        first_step=None if first is None else first.step_index,
        repeated=_repeated(evidence),
        at_edit=_at_edit(evidence, edit),
        edit_step=None if edit is None else edit.step_index,
        by_tool=_grouped(evidence, chars, relevant, attrgetter("tool_name")),
        by_server=_grouped(evidence, chars, relevant, server_of),
        by_kind=_by_kind(shown),
    )


def server_of(event: Event) -> str:
    """The MCP server of a call's tool."""
    return NO_SERVER if event.mcp_server is UNSET else event.mcp_server


class _AnswerChars:
    """Characters of each answer: as the document states them, else those of the files shown."""

    def __init__(self, evidence: EvidenceView) -> None:
        self.of: dict[int, int] = {}
        self.unknown = 0
        events = evidence.document.events
        for event in events:
            size = _answer(event)
            if size is None:
                self.unknown += 1
            self.of[event.step_index] = size or 0
        self.enough = not too_many(self.unknown, len(events))

    def before(self, step: int) -> int:
        """All characters that were shown before a step."""
        return sum([size for at, size in self.of.items() if at < step])


def _answer(event: Event) -> int | None:
    if event.result_chars is not UNSET:
        return event.result_chars or 0  # null means no answer, so nothing was shown
    accesses = [] if event.accesses is UNSET else event.accesses
    sizes = [access.shown_chars for access in accesses if access.kind in SHOWN]
    known = [size for size in sizes if size is not UNSET]
    return sum(known) if sizes and len(known) == len(sizes) else None


def _relevant(relevant: Iterable[Touch], chars: _AnswerChars) -> PartOfWhole:
    of_truth = [touch.access.shown_chars for touch in relevant]
    known = [size for size in of_truth if size is not UNSET]
    if not chars.enough or too_many(len(of_truth) - len(known), len(of_truth)):
        return PartOfWhole(reason="chars_unknown")
    total = sum(chars.of.values())
    # A harness may state fewer characters than its answer shows; the share must not exceed 1.
    return PartOfWhole(min(sum(known), total), total, None if total else "nothing_shown")


def _before(first: Event | None, chars: _AnswerChars) -> PartOfWhole:
    if first is None:
        return PartOfWhole(reason="never_hit")
    if not chars.enough:
        return PartOfWhole(reason="chars_unknown")
    return PartOfWhole(chars.before(first.step_index))


def _repeated(evidence: EvidenceView) -> PartOfWhole:
    """Each access's characters are spread evenly over its lines."""
    accesses = shown_lines(evidence)
    counted = [
        one
        for one in accesses
        if one.runs is not None and one.height and one.touch.access.shown_chars is not UNSET
    ]
    again = whole = 0.0
    for one, lines in zip(counted, lines_again(counted), strict=True):
        chars = one.touch.access.shown_chars or 0
        again += chars * lines / one.height
        whole += chars
    if lines_unknown(accesses, counted):
        return PartOfWhole(reason="lines_unknown")
    return PartOfWhole(again, whole, None if whole else "nothing_shown")


# --- still in context at the first edit -----------------------------------------------------


def thread_of(event: Event) -> tuple[bool, str | None]:
    """A key that is equal for calls that share a context."""
    return event.is_subagent, None if event.agent is UNSET else event.agent


def _at_edit(evidence: EvidenceView, edit: Event | None) -> PartOfWhole:
    if edit is None:
        return PartOfWhole(reason="nothing_written")
    gone, doubtful = _dropped(evidence, edit)
    steps: dict[str, set[int]] = {entry: set() for entry in evidence.truth}
    thread = thread_of(edit)
    for touch in evidence.touches:
        if touch.truth is None or touch.kind not in SHOWN:
            continue
        if touch.event.step_index < edit.step_index and thread_of(touch.event) == thread:
            steps[touch.truth].add(touch.event.step_index)
    held = [{step for step in found if step not in gone} for found in steps.values()]
    if any(found and max(found) <= doubtful for found in held):
        return PartOfWhole(reason="context_unknown")
    return PartOfWhole(sum(map(bool, held)), len(evidence.truth))


def _dropped(evidence: EvidenceView, edit: Event) -> tuple[set[int], int]:
    """Steps whose answers were gone at the edit; and the last step that a change with unknown
    dropped steps may have removed (-1: none)."""
    changes = evidence.document.context_changes
    if changes is UNSET or not changes:
        return set(), -1
    events = {event.step_index: event for event in evidence.document.events}
    gone: set[int] = set()
    doubtful = -1
    for change in changes:
        after = change.after_step
        if after is None or after >= edit.step_index:
            continue
        if change.dropped_steps is not None:
            gone.update(change.dropped_steps)
        elif _in_thread(change, events, edit):
            doubtful = max(doubtful, after)
    return gone, doubtful


def _in_thread(change: ContextChange, events: Mapping[int, Event], edit: Event) -> bool:
    last = events.get(change.after_step or 0)
    return last is None or thread_of(last) == thread_of(edit)


# --- by tool, server and kind ---------------------------------------------------------------


def _grouped(
    evidence: EvidenceView,
    chars: _AnswerChars,
    relevant: Iterable[Touch],
    key: Callable[[Event], str],
) -> dict[str, ContextChars]:
    shown: dict[str, int] = {}
    of_truth: dict[str, int] = {}
    for event in evidence.document.events:
        name = key(event)
        shown[name] = shown.get(name, 0) + chars.of[event.step_index]
    for touch in relevant:
        size = touch.access.shown_chars
        if size is not UNSET:
            name = key(touch.event)
            of_truth[name] = of_truth.get(name, 0) + size
    return {
        name: ContextChars(
            shown=within_limit(shown[name]), relevant=within_limit(of_truth.get(name, 0))
        )
        for name in in_order(shown)
    }


def _by_kind(shown: Iterable[Touch]) -> dict[str, ContextChars]:
    counts: dict[str, int] = {}
    relevant: dict[str, int] = {}
    for touch in shown:
        size, kind = touch.access.shown_chars, touch.kind
        if size is not UNSET:
            counts[kind] = counts.get(kind, 0) + size
            relevant[kind] = relevant.get(kind, 0) + (size if touch.truth is not None else 0)
    return {
        kind: ContextChars(shown=within_limit(counts[kind]), relevant=within_limit(relevant[kind]))
        for kind in in_order(counts)
    }


# --- the section ----------------------------------------------------------------------------


def make_context(use: ContextUse) -> ContextMetrics:
    """The section, with the reason for each value that it does not have."""
    known = use.reason is None
    counted = known and use.relevant.reason is None
    parts = {
        _RELEVANT.name: use.relevant,
        _BEFORE.name: use.before_first,
        _REPEATED.name: use.repeated,
        _AT_EDIT.name: use.at_edit,
    }
    undefined = {name: part.reason for name, part in parts.items() if part.reason is not None}
    return ContextMetrics(
        reason=use.reason,
        undefined=in_order(undefined) if known else {},
        chars_shown=within_limit(int(use.relevant.whole)) if counted else None,
        chars_relevant=within_limit(int(use.relevant.part)) if counted else None,
        first_edit_step=use.edit_step,
        by_tool=dict(use.by_tool),
        by_server=dict(use.by_server),
        by_kind=dict(use.by_kind),
        **CONTEXT.values(use),
    )


def _why(section: ContextMetrics, declared: MetricDeclaration[ContextUse]) -> str:
    return section.reason or section.undefined.get(declared.name) or declared.missing


_OURS = "groundtrace, decision D73"
_NO_EVIDENCE = NO_TRUTH_OR_TRACE + ", the document is older than version 1.2 (`older_document`)"
_UNKNOWN = ", or too little is known about how many characters were shown (`chars_unknown`)"

_RELEVANT = MetricDeclaration[ContextUse](
    name="relevant_chars_share",
    title="Relevant share of context",
    measures="Share of the characters in all tool results that are content of relevant files.",
    formula="characters of relevant files in results / characters of all results",
    undefined=_NO_EVIDENCE + ", all results are empty (`nothing_shown`)" + _UNKNOWN,
    known_problems="Every line of a relevant file counts as relevant. Line numbers and file names in front of lines count as content.",
    reference=_OURS,
    compute=lambda use: use.relevant.share,
    arithmetic=lambda use: f"{use.relevant.part:.0f} of {use.relevant.whole:.0f} characters",
    worked={
        "relevant_chars_share": (
            "600 + 200 characters of src/app.py and 1,200 of src/db.py: 2,000 / 2,280",
            0.8772,
        ),
    },
    missing="chars_unknown",
    shown_in={
        "relevant_chars_share": {
            "coverage": Spot(72, "relevant share of context"),
            "lines_and_context": Spot(40),
            "lines_chart": Spot(40),
            "comparison": Spot(114),
            "trial_detail": Spot(114),
        },
    },
)

_BEFORE = MetricDeclaration[ContextUse](
    name="chars_to_first_relevant",
    title="Characters before the first relevant file",
    measures=(
        "Characters of all results before the call that first showed content of a relevant file."
    ),
    formula="sum of the characters of earlier results",
    undefined=_NO_EVIDENCE + ", no content of a relevant file was shown (`never_hit`)" + _UNKNOWN,
    known_problems=(
        "Agents that never see a relevant file have no value. What the model itself wrote, and "
        "the prompt, are not counted."
    ),
    reference=_OURS,
    compute=lambda use: None if use.before_first.reason or use.reason else use.before_first.part,
    arithmetic=lambda use: f"before step {use.first_step}",
    worked={
        "chars_to_first_relevant": (
            "60 and 40 characters came back before src/app.py was read",
            100.0,
        ),
    },
    better="lower",
    upper=None,
    unit="characters",
    missing="chars_unknown",
    hit_metric="shown.file_recall",
    shown_in={
        "chars_to_first_relevant": {
            "lines_and_context": Spot(50),
            "comparison": Spot(115),
            "trial_detail": Spot(115),
        },
    },
)

_REPEATED = MetricDeclaration[ContextUse](
    name="repeated_chars_share",
    title="Repeated share of content",
    measures="Share of the characters of file content that an earlier result had already shown.",
    formula="characters of lines shown again / characters of lines shown",
    undefined=_NO_EVIDENCE
    + (
        ", nothing was shown (`nothing_shown`), or more than 20 % of the characters are of unknown "
        "lines or characters (`lines_unknown`)"
    ),
    known_problems=(
        "Characters are spread evenly over the lines of an access. Content that only a "
        "subagent saw counts as shown, and so does content that a compaction removed: to read "
        "it again can be right."
    ),
    reference=_OURS,
    compute=lambda use: use.repeated.share,
    arithmetic=lambda use: f"{use.repeated.part:.0f} of {use.repeated.whole:.0f} characters",
    worked={
        "repeated_chars_share": (
            "lines 8 to 11 of src/app.py are shown again, 4 of the 5 lines of 200 characters: "
            "160 / 2,100",
            0.0762,
        ),
    },
    better="lower",
    missing="lines_unknown",
    shown_in={
        "repeated_chars_share": {
            "lines_and_context": Spot(60),
            "lines_chart": Spot(60),
            "comparison": Spot(116),
            "trial_detail": Spot(116),
        },
    },
)

_AT_EDIT = MetricDeclaration[ContextUse](
    name="relevant_in_context_at_first_edit",
    title="Relevant files in context at the first edit",
    measures=(
        "Share of the relevant files whose content had been shown to the thread that made the "
        "first edit, and was still in its context."
    ),
    formula="relevant files in context at the first write / relevant files",
    undefined=_NO_EVIDENCE
    + (
        ", nothing was written (`nothing_written`), or the harness removed results and does "
        "not say which (`context_unknown`)"
    ),
    known_problems=(
        "A few lines of a file count as the file. The first edit may be in a temporary file. "
        "The summary that a compaction writes does not count."
    ),
    reference=_OURS,
    compute=lambda use: use.at_edit.share,
    arithmetic=lambda use: f"{use.at_edit.part:.0f} of {use.at_edit.whole:.0f} relevant files",
    worked={
        "relevant_in_context_at_first_edit": (
            "src/app.py was read; only a subagent read src/db.py: 1 / 3",
            0.3333,
        ),
    },
    missing="context_unknown",
    shown_in={
        "relevant_in_context_at_first_edit": {
            "coverage": Spot(73, "relevant files in context at the first edit"),
            "lines_and_context": Spot(70),
            "lines_chart": Spot(70),
            "comparison": Spot(117),
            "trial_detail": Spot(117),
        },
    },
)

CONTEXT = MetricSection[ContextUse](
    heading="Context",
    fields=(SectionField[ContextUse](name="context_metrics", view=context_use),),
    declarations=(_RELEVANT, _BEFORE, _REPEATED, _AT_EDIT),
    make=make_context,
    why=_why,
)
