"""Who found the relevant files: the call that met each first, and the call that first showed it
(D74).

Shares are of all relevant files of the task, including files that nobody found.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable

from msgspec import UNSET

from groundtrace.base.frozen import Frozen
from groundtrace.documents.events import Event
from groundtrace.documents.metrics import DiscoveredFile, DiscoveryMetrics, Finder
from groundtrace.metrics.context import server_of
from groundtrace.metrics.evidence import RETRIEVED, SHOWN, EvidenceView, Touch, seconds_at
from groundtrace.metrics.record import (
    NO_TRUTH_OR_TRACE,
    MetricDeclaration,
    MetricSection,
    SectionField,
    Spot,
)
from groundtrace.model import AccessKind

MAIN_THREAD = "main"
SUBAGENT = "subagent"


class FoundFile(Frozen, frozen=True):
    """A relevant file and all touches that met it, in order."""

    file: str
    touches: tuple[Touch, ...]

    def first(self, kinds: Collection[AccessKind]) -> Touch | None:
        """The first touch of one of these kinds."""
        for touch in self.touches:
            if touch.kind in kinds:
                return touch
        return None

    def first_by(self, finder: Callable[[Event], bool], kinds: Collection[AccessKind]) -> bool:
        """Whether a call of this finder made the first touch."""
        touch = self.first(kinds)
        return touch is not None and finder(touch.event)

    def only_by(self, finder: Callable[[Event], bool]) -> bool:
        """Whether calls of this finder met the file, and no other calls did."""
        return bool(self.touches) and all(finder(touch.event) for touch in self.touches)


class Finds(Frozen, frozen=True):
    """Every relevant file of a trial with the touches that met it."""

    reason: str | None
    files: tuple[FoundFile, ...] = ()

    def count(self, test: Callable[[FoundFile], bool]) -> int:
        """How many files pass a test."""
        return sum(map(test, self.files))

    def share(self, test: Callable[[FoundFile], bool]) -> float | None:
        """Share of the relevant files that pass a test."""
        return self.count(test) / len(self.files) if self.reason is None else None

    def written_out(self, test: Callable[[FoundFile], bool]) -> str:
        """The share as text with its counts."""
        return f"{self.count(test)} of {len(self.files)} relevant files"


def finds(evidence: EvidenceView) -> Finds:
    """Who met each relevant file of a trial; writes do not count as finding."""
    if evidence.details_reason is not None:
        return Finds(evidence.details_reason)
    met: dict[str, list[Touch]] = {entry: [] for entry in evidence.truth}
    for touch in evidence.touches:
        if touch.truth is not None and touch.kind in RETRIEVED:
            met[touch.truth].append(touch)
    return Finds(None, tuple(FoundFile(file, tuple(touches)) for file, touches in met.items()))


def thread_name(event: Event) -> str:
    """The subagent's id, or the name of the main thread."""
    if not event.is_subagent:
        return MAIN_THREAD
    return SUBAGENT if event.agent is UNSET else event.agent


def make_discovery(view: Finds) -> DiscoveryMetrics:
    """The section: each file with its finders, and the shares."""
    return DiscoveryMetrics(
        reason=view.reason,
        files=[_discovered(found) for found in view.files],
        **DISCOVERY.values(view),
    )


def _discovered(found: FoundFile) -> DiscoveredFile:
    events = [touch.event for touch in found.touches]
    return DiscoveredFile(
        file=found.file,
        first_met=_finder(found.first(RETRIEVED)),
        first_shown=_finder(found.first(SHOWN)),
        tools=_distinct(event.tool_name for event in events),
        mcp_servers=_distinct(map(server_of, events)),
        agents=_distinct(map(thread_name, events)),
    )


def _finder(touch: Touch | None) -> Finder | None:
    if touch is None:
        return None
    event = touch.event
    return Finder(
        tool=event.tool_name,
        category=event.tool_category,
        kind=touch.kind,
        mcp_server=None if event.mcp_server is UNSET else event.mcp_server,
        agent=None if not event.is_subagent else thread_name(event),
        step=event.step_index,
        seconds=seconds_at(touch),
        tokens=event.cumulative_tokens,
    )


def _distinct(names: Iterable[str]) -> list[str]:
    return sorted(set(names))


# --- the metrics ----------------------------------------------------------------------------


_UNDEFINED = NO_TRUTH_OR_TRACE + ", or the document is older than version 1.2 (`older_document`)"


def _mcp(event: Event) -> bool:
    return event.is_mcp


def _subagent(event: Event) -> bool:
    return event.is_subagent


def _first_by_mcp(found: FoundFile) -> bool:
    return found.first_by(_mcp, RETRIEVED)


def _shown_by_mcp(found: FoundFile) -> bool:
    return found.first_by(_mcp, SHOWN)


def _only_by_mcp(found: FoundFile) -> bool:
    return found.only_by(_mcp)


def _first_by_subagent(found: FoundFile) -> bool:
    return found.first_by(_subagent, RETRIEVED)


_OURS = "groundtrace, decision D74"
_DESCRIBES = "It describes who found files; a higher value is not better by itself. "

_FOUND_FIRST_BY_MCP = MetricDeclaration[Finds](
    name="found_first_by_mcp",
    title="Found first by MCP",
    measures="Share of the relevant files that a call to an MCP server met before any other call did.",
    formula=(
        "relevant files whose first access, not counting writes, is a call with `is_mcp` / "
        "relevant files"
    ),
    undefined=_UNDEFINED,
    known_problems=_DESCRIBES
    + (
        "In a trial without MCP servers it is 0. To be first can be chance: "
        "`found_only_by_mcp` counts files that nothing else met."
    ),
    reference=_OURS,
    compute=lambda view: view.share(_first_by_mcp),
    arithmetic=lambda view: view.written_out(_first_by_mcp),
    worked={"found_first_by_mcp": ("src/db.py was first met by the server: 1 / 3", 0.3333)},
    shown_in={
        "found_first_by_mcp": {
            "coverage": Spot(74, "who found relevant files"),
            "lines_and_context": Spot(80),
            "comparison": Spot(118),
            "trial_detail": Spot(118),
        },
    },
)

_SHOWN_FIRST_BY_MCP = MetricDeclaration[Finds](
    name="shown_first_by_mcp",
    title="Shown first by MCP",
    measures="Share of the relevant files whose content a call to an MCP server showed before any other call did.",
    formula="relevant files first shown by a call with `is_mcp` / relevant files",
    undefined=_UNDEFINED,
    known_problems=_DESCRIBES + "A few lines of a search result count as the file's content.",
    reference=_OURS,
    compute=lambda view: view.share(_shown_by_mcp),
    arithmetic=lambda view: view.written_out(_shown_by_mcp),
    worked={"shown_first_by_mcp": ("src/db.py was first shown by the server: 1 / 3", 0.3333)},
    shown_in={
        "shown_first_by_mcp": {
            "lines_and_context": Spot(90),
            "comparison": Spot(119),
            "trial_detail": Spot(119),
        },
    },
)

_FOUND_ONLY_BY_MCP = MetricDeclaration[Finds](
    name="found_only_by_mcp",
    title="Found by MCP alone",
    measures=(
        "Share of the relevant files that only calls to MCP servers met, and no other call of "
        "the trial."
    ),
    formula=(
        "relevant files accessed only by calls with `is_mcp`, not counting writes / relevant files"
    ),
    undefined=_UNDEFINED,
    known_problems=_DESCRIBES
    + (
        "An agent that has no other way to look at files finds everything through the server; "
        "that does not say what a search in the clone would have found."
    ),
    reference=_OURS,
    compute=lambda view: view.share(_only_by_mcp),
    arithmetic=lambda view: view.written_out(_only_by_mcp),
    worked={"found_only_by_mcp": ("only the server met src/db.py: 1 / 3", 0.3333)},
    shown_in={
        "found_only_by_mcp": {
            "lines_and_context": Spot(100),
            "comparison": Spot(120),
            "trial_detail": Spot(120),
        },
    },
)

_FOUND_FIRST_BY_SUBAGENTS = MetricDeclaration[Finds](
    name="found_first_by_subagents",
    title="Found first by subagents",
    measures="Share of the relevant files that a subagent met before the main thread did.",
    formula=(
        "relevant files whose first access, not counting writes, is by a subagent / relevant files"
    ),
    undefined=_UNDEFINED,
    known_problems=_DESCRIBES
    + (
        "If a trace leaves out the calls of subagents, the value is 0; the document's "
        "`degraded_reason` says so."
    ),
    reference=_OURS,
    compute=lambda view: view.share(_first_by_subagent),
    arithmetic=lambda view: view.written_out(_first_by_subagent),
    worked={
        "found_first_by_subagents": ("src/db.py was first met by the subagent: 1 / 3", 0.3333),
    },
    shown_in={
        "found_first_by_subagents": {"lines_and_context": Spot(110), "trial_detail": Spot(121)},
    },
)

DISCOVERY = MetricSection[Finds](
    heading="Who found it",
    fields=(SectionField[Finds](name="discovery", view=finds),),
    declarations=(
        _FOUND_FIRST_BY_MCP,
        _SHOWN_FIRST_BY_MCP,
        _FOUND_ONLY_BY_MCP,
        _FOUND_FIRST_BY_SUBAGENTS,
    ),
    make=make_discovery,
    why=lambda section, declared: section.reason or declared.missing,
)
