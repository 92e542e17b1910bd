"""What the agent touched according to a document, arranged for all metrics.

The events stage has already decided which file is which ground-truth entry; this module only
collects the result. Documents before version 1.2 say less: `_completed` adds what their own text
tells, and what it does not tell has no value (D190).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import cached_property, wraps
from itertools import groupby
from math import isfinite
from operator import attrgetter
from typing import Any, TypeVar

import msgspec
from msgspec import UNSET
from msgspec.structs import replace

from groundtrace.documents.base import MAX_INT, in_order
from groundtrace.documents.events import Access, Coverage, Event, EventsDocument, EventSummary
from groundtrace.documents.line_map import LineRun, OriginalLines, common, joined, size
from groundtrace.documents.metrics import Basis, NotComputable
from groundtrace.model import AccessKind, Category
from groundtrace.tools import canonical
from groundtrace.tools.table import SUBAGENT_TOOL

T = TypeVar("T")

RETRIEVED: frozenset[AccessKind] = frozenset({"read", "matched", "surfaced"})
"""Kinds of access that count as retrieval: all except `written` (D18)."""

SHOWN: frozenset[AccessKind] = frozenset({"read", "matched"})
"""Kinds that show content of the file (D18)."""

READ: frozenset[AccessKind] = frozenset({"read"})
WRITTEN: frozenset[AccessKind] = frozenset({"written"})


_KIND_BY_CATEGORY: Mapping[Category, AccessKind] = {"file_read": "read", "file_write": "written"}
"""How a call of version 1.0 touched its targets, if its category tells; else they were met."""

_STEP = attrgetter("step_index")


class Touch(msgspec.Struct, frozen=True):
    """One file touched by one call."""

    event: Event
    access: Access
    """The access as the document has it."""
    kind: AccessKind
    file: str
    """The file as the document spells it."""
    truth: str | None
    """The ground-truth entry of the file, spelled as in the ground truth; None if it has none."""
    edit: str | None
    """The expected edit file that it is, spelled as in the ground truth; None if it is not one."""
    near: bool
    """It is not a ground-truth file, but lies in the folder of one."""
    name: str
    """How lists show the file: spelled as its ground-truth entry, else as in the document."""
    key: tuple[bool, str]
    """Equal for the same file: by its ground-truth entry, else by its spelling (D8)."""


class EvidenceView:
    """A document's touches in order, its ground truth, and whether metrics can be computed."""

    def __init__(self, document: EventsDocument) -> None:
        major, _, minor = document.schema_version.partition(".")
        self.version = (int(major), int(minor))
        """Version of the document as it was stored."""
        with_accesses = all(event.accesses is not UNSET for event in document.events)
        self.basis: Basis = "accesses" if with_accesses else "categories"
        if document.ranking is not UNSET and not document.events:
            self.basis = "ranking"
        entries = {entry.lower(): entry for entry in reversed(document.ground_truth.files)}
        has_truth = document.coverage.has_ground_truth
        self._entries = entries if has_truth else {}
        self.truth: tuple[str, ...] = tuple(
            dict.fromkeys(
                entries[entry.lower()] for entry in document.ground_truth.files if has_truth
            )
        )
        """Distinct ground-truth entries, in the document's order."""
        self.identity_reason: NotComputable | None = None
        """Why it is not known which edit target, chunk or neighbour a file is (D190)."""
        if not with_accesses or self.version < _DETAILS_SINCE:
            document = _completed(document, self._entries)
            self.identity_reason = "older_document" if _names_repos(document) else None
        self.document = document
        self.touches: tuple[Touch, ...] = tuple(
            [
                self._touch(event, access)
                for event in sorted(document.events, key=_STEP)
                if event.accesses is not UNSET
                for access in event.accesses
            ]
        )
        self.kept: dict[object, Any] = {}
        """What `once` found out."""
        self._firsts: dict[frozenset[AccessKind], tuple[Touch, ...]] = {}

    @cached_property
    def ranked(self) -> list[str] | None:
        """The files of a ranked list, each once at its first place; None if the trial is none.

        A list of another program that named a file twice had a recall of 2.
        """
        ranking = self.document.ranking
        if ranking is UNSET:
            return None
        firsts: dict[str, str] = {}
        for file in ranking.files:
            firsts.setdefault(file.lower(), file)
        return list(firsts.values())

    @cached_property
    def trace_reason(self) -> NotComputable | None:
        """Why it is not known what the agent did (D19)."""
        coverage, calls = self.document.coverage, len(self.document.events)
        if not calls or coverage.trace_source is None:
            return why_no_events(coverage)
        if answers_missing(coverage, calls):
            return "answers_missing"
        if 2 * subagents_unseen(self.document) > calls:
            return "subagents_unseen"
        return "older_document" if _untold(self.document) else None

    @cached_property
    def reason(self) -> NotComputable | None:
        """Why metrics against the ground truth cannot be computed; None when they can (D19)."""
        return self.trace_reason if self.truth else "no_ground_truth"

    @cached_property
    def kinds_reason(self) -> NotComputable | None:
        """Why it is not known how files were touched: the document has no accesses (D190)."""
        return self.reason or ("older_document" if self.basis == "categories" else None)

    @cached_property
    def older(self) -> NotComputable | None:
        """Why nothing is known of what version 1.2 added: answers and their sizes, lines, who made a
        call, the patch that was handed in (D263)."""
        late = self.basis != "categories" and self.version >= _DETAILS_SINCE
        return None if late else "older_document"

    @cached_property
    def details_reason(self) -> NotComputable | None:
        """Why numbers about such details cannot be computed against the ground truth."""
        return self.reason or self.older

    @cached_property
    def use_reason(self) -> NotComputable | None:
        """Why reads and writes cannot be compared with the ground truth."""
        return self.reason or self.unclear_use

    @cached_property
    def unclear_use(self) -> NotComputable | None:
        """Why it is not known which files were read and which were written.

        The categories of version 1.0 tell it, unless a shell command or the like has targets: it
        may have read or written them (D190).
        """
        events = self.document.events if self.basis == "categories" else ()
        unclear = any(event.tool_category == "other" and event.target_files for event in events)
        return "older_document" if unclear else None

    def first(self, kinds: Collection[AccessKind]) -> tuple[Touch, ...]:
        """The first touch of each file by one of the kinds, first seen first (D18).

        Kept: eight sections ask for the same four lists.
        """
        kinds = frozenset(kinds)
        found = self._firsts.get(kinds)
        if found is None:
            firsts: dict[tuple[bool, str], Touch] = {}
            for touch in self.touches:
                if touch.kind in kinds:
                    firsts.setdefault(touch.key, touch)
            found = self._firsts[kinds] = tuple(firsts.values())
        return found

    def _touch(self, event: Event, access: Access) -> Touch:
        named = access.ground_truth_file
        truth = None if named is UNSET else self._entries.get(named.lower())
        # `truth or file` would be wrong: if the entry is an empty text, each spelling of the file
        # would count as a file.
        name = access.file if truth is None else truth
        return Touch(
            event=event,
            access=access,
            kind=access.kind,
            file=access.file,
            truth=truth,
            edit=None if access.expected_edit_file is UNSET else access.expected_edit_file,
            near=truth is None and access.near_ground_truth is True,
            name=name,
            key=(truth is not None, name.lower()),
        )


# --- documents before version 1.2 ---------------------------------------------------------------

_DETAILS_SINCE = (1, 2)
"""The first version whose accesses say which edit target a file is and whether it is near, and which
has answers, lines and the patch."""


def _completed(document: EventsDocument, entries: Mapping[str, str]) -> EventsDocument:
    """An older document with accesses, and on them what equal spellings tell (D190).

    Its paths are normalized, so files are compared as text. `entries` are those of the ground
    truth by their text in lower case.
    """
    edits = document.ground_truth.expected_edit_files
    targets = {} if edits is UNSET else {edit.lower(): edit for edit in reversed(edits)}
    folders = {_folder(entry) for entry in entries}
    events = []
    for event in document.events:
        accesses = [] if event.accesses is UNSET else event.accesses
        if event.accesses is UNSET:
            accesses = list(_accesses_of(event, entries))
        known = [_with_identity(access, entries, targets, folders) for access in accesses]
        events.append(replace(event, accesses=known))
    return replace(document, events=events)


def _accesses_of(event: Event, entries: Mapping[str, str]) -> Iterator[Access]:
    """The targets of a call of version 1.0, with the entries that the call says it matched."""
    kind = _KIND_BY_CATEGORY.get(event.tool_category, "surfaced")
    named = {name.lower(): None for name in event.matched_ground_truth_files}
    matched = {target: target.lower() for target in event.target_files if target.lower() in entries}
    if event.hits_ground_truth and not named and not matched:
        # It says that it hit, and not what: some programs compare the ends of paths.
        lower = [target.lower() for target in event.target_files]
        named = {name: None for name in entries if any(_is_end(one, name) for one in lower)}
    for name in named:
        if name in entries and name not in matched.values():
            # Some programs write the entry in one spelling and the target in another.
            likely = [one for one in event.target_files if _is_end(one.lower(), name)]
            matched[max(likely, key=len, default=name)] = name
    for target in dict.fromkeys([*event.target_files, *matched]):
        entry = entries[matched[target]] if target in matched else UNSET
        yield Access(file=target, kind=kind, ground_truth_file=entry)


def _is_end(one: str, other: str) -> bool:
    """Whether one of two paths is the end of the other."""
    paths = [f"/{text.rpartition('::')[2]}" for text in (one, other)]
    return paths[0].endswith(paths[1]) or paths[1].endswith(paths[0])


def _with_identity(
    access: Access, entries: Mapping[str, str], targets: Mapping[str, str], folders: Collection[str]
) -> Access:
    truth = access.ground_truth_file
    relevant = truth is not UNSET and truth.lower() in entries
    edit = targets.get(access.file.lower())
    if edit is None and truth is not UNSET:
        edit = targets.get(truth.lower())
    return replace(
        access,
        expected_edit_file=UNSET if edit is None else edit,
        near_ground_truth=True if not relevant and _folder(access.file) in folders else UNSET,
    )


def _names_repos(document: EventsDocument) -> bool:
    """Whether a name in the document has a repository: then one file may have two spellings, and
    text does not tell whether they are the same."""
    truth = document.ground_truth
    edits = () if truth.expected_edit_files is UNSET else truth.expected_edit_files
    chunks = () if truth.chunks is UNSET else [chunk.file for chunk in truth.chunks]
    targets = (target for event in document.events for target in event.target_files)
    return any("::" in name for names in (truth.files, edits, chunks, targets) for name in names)


def _folder(file: str) -> str:
    """The folder of a file, in lower case."""
    return file.lower().rpartition("/")[0]


def within_limit(total: int) -> int:
    """A total within the schema's limit: a document from another program can claim any count."""
    return total if total < MAX_INT else MAX_INT


def access_counts(evidence: EvidenceView) -> dict[str, int]:
    """Accesses counted by `category/kind`, such as `file_read/read`; empty without kinds."""
    if evidence.basis == "categories":
        return {}
    counts = Counter([(touch.event.tool_category, touch.kind) for touch in evidence.touches])
    named = {f"{category}/{kind}": count for (category, kind), count in counts.items()}
    return in_order(named)


def why_no_events(coverage: Coverage) -> NotComputable:
    """Why a document has no events: no trace could be read, or the trace has no tool call (D19)."""
    return "no_trace" if coverage.trace_source is None else "empty_trace"


HANDFUL = 5
"""Fewer calls without an answer do not hide what a trial found, if others have theirs (D191)."""


def answers_missing(coverage: Coverage, calls: int) -> bool:
    """Whether answers are missing for more than half of all calls, and among them those of a
    handful that find files by their answer (D191); or no call at all has one."""
    without, lookups = coverage.calls_unanswered, coverage.lookups_unanswered
    if without is UNSET or lookups is UNSET or not lookups:
        return False
    return without >= calls or (lookups >= HANDFUL and 2 * without > calls)


def subagents_unseen(document: EventsDocument) -> int:
    """Subagents whose work is not in the trace (D191); before version 1.3 as the calls tell it."""
    stated = document.coverage.subagents_unseen
    if stated is not UNSET:
        return stated
    started = sum(_starts_subagent(event) for event in document.events)
    seen = {event.agent for event in document.events if event.is_subagent} if started else set()
    # Calls of subagents that are not told apart may be those of all of them.
    return 0 if UNSET in seen else max(0, started - len(seen))


def _starts_subagent(event: Event) -> bool:
    entry = canonical(event.tool_name) if event.tool_category == "other" else None
    return entry is not None and entry.name == SUBAGENT_TOOL and event.failed is not True


def _untold(document: EventsDocument) -> bool:
    """Whether a document names no file, says that its events are incomplete, and is too old to say
    how many answers are missing: then nobody knows that the agent found nothing (D263)."""
    coverage = document.coverage
    if coverage.lookups_unanswered is not UNSET or not coverage.degraded_reason:
        return False
    return not any(event.target_files for event in document.events)


def seconds_at(touch: Touch) -> float | None:
    """Seconds from the agent's start to this touch, if known."""
    value = touch.event.elapsed_seconds
    return value if value is not None and isfinite(value) else None


def event_summary(evidence: EvidenceView) -> EventSummary:
    """The document's own counts; if it has none, the same counts made here."""
    document = evidence.document
    if document.summary is not UNSET:
        return document.summary
    hits = [touch for touch in evidence.touches if touch.truth is not None]
    mcp = sum(event.is_mcp for event in document.events)
    return EventSummary(
        total_events=len(document.events),
        mcp_events=mcp,
        local_events=len(document.events) - mcp,
        unique_files_accessed=len({touch.key for touch in evidence.touches}),
        ground_truth_files_hit=len({touch.truth for touch in hits}),
        ground_truth_files_total=len(evidence.truth),
        first_ground_truth_hit_step=hits[0].event.step_index if hits else None,
        events_by_category=in_order(Counter([event.tool_category for event in document.events])),
    )


def once(find: Callable[[EvidenceView], T]) -> Callable[[EvidenceView], T]:
    """For what several sections need of a trial: it is found out once, and kept with the evidence."""

    @wraps(find)
    def found(evidence: EvidenceView) -> T:
        if find not in evidence.kept:
            evidence.kept[find] = find(evidence)
        known: T = evidence.kept[find]
        return known

    return found


ENOUGH = 0.2
"""Share that may lack what a metric counts; above it the metric is undefined."""


class ShownLines(msgspec.Struct, frozen=True):
    """One access that showed lines of a file."""

    touch: Touch
    runs: tuple[LineRun, ...] | None
    """Its lines with the numbers of the original file, without lines that the agent wrote; None if
    they are not known."""
    height: int
    """Number of lines shown, including lines that the agent wrote; 0 if not known."""
    names: frozenset[str]
    """Every name that a chunk may use for the file, in lower case."""


@once
def shown_lines(evidence: EvidenceView) -> tuple[ShownLines, ...]:
    """The accesses that showed content, first one first (D72)."""
    lines = OriginalLines()
    found: list[ShownLines] = []
    known: dict[tuple[str, ...], frozenset[str]] = {}
    for touch in evidence.touches:  # also those of one call are in order: `cat > f; cat f`
        shown = lines.take(touch.key, touch.access)
        if touch.kind in SHOWN:
            runs, height = (None, 0) if shown is None else (shown.runs, shown.height)
            spelled = (touch.name, touch.file, touch.name if touch.edit is None else touch.edit)
            names = known.get(spelled)
            if names is None:
                names = known[spelled] = frozenset(map(str.lower, spelled))
            found.append(ShownLines(touch, runs, height, names))
    return tuple(found)


def lines_again(accesses: Sequence[ShownLines]) -> list[int]:
    """How many lines of each of these accesses an earlier call had shown; their lines are known."""
    found: list[int] = []
    seen: dict[tuple[bool, str], Sequence[LineRun]] = {}
    for _, call in groupby(accesses, key=lambda one: one.touch.event.step_index):
        shown = list(call)
        for one in shown:
            known = seen.get(one.touch.key)
            found.append(size(common(one.runs or (), known)) if known else 0)
        for one in shown:  # `cat f; grep x f` is one result, so it repeats nothing
            runs, known = one.runs or (), seen.get(one.touch.key)
            seen[one.touch.key] = joined([*known, *runs]) if known else runs
    return found


def lines_unknown(accesses: Sequence[ShownLines], known: Sequence[ShownLines]) -> bool:
    """Whether too much of what accesses showed has unknown lines, by characters (D215).

    By accesses, one line of `grep` without its number weighed as much as a whole file.
    """
    weights = _weights(accesses)
    counted = {id(one) for one in known}
    lacking = [
        weight for one, weight in zip(accesses, weights, strict=True) if id(one) not in counted
    ]
    return too_many(sum(lacking), sum(weights))


def _weights(accesses: Sequence[ShownLines]) -> list[float]:
    """Characters of each access; those that are not known are taken to be as the others' mean."""
    stated = [one.touch.access.shown_chars for one in accesses]
    known = [chars for chars in stated if chars is not UNSET]
    mean = sum(known) / len(known) if known else 0.0
    return [(mean if chars is UNSET else chars) or 1.0 for chars in stated]


def too_many(lacking: float, whole: float) -> bool:
    """Whether so much lacks what is counted that the count means nothing."""
    return whole > 0 and lacking > ENOUGH * whole
