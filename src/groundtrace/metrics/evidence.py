"""What the agent touched according to a document, arranged for all metrics.

The events stage has already decided which file is which ground-truth entry; this module only
collects the result. For a document without accesses (version 1.0) the category of each call decides
the kind of access (D12, D22).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from functools import cached_property
from math import isfinite
from operator import attrgetter
from typing import Any

import msgspec
from msgspec import UNSET

from groundtrace.documents.base import MAX_INT
from groundtrace.documents.events import Access, Coverage, Event, EventsDocument, EventSummary
from groundtrace.documents.metrics import NotComputable
from groundtrace.metrics.older_documents import completed
from groundtrace.model import AccessKind

RETRIEVED: frozenset[AccessKind] = frozenset({"read", "matched", "surfaced"})
"""Kinds of access that count as retrieval: all except `written` (D18)."""

SHOWN: frozenset[AccessKind] = frozenset({"read", "matched"})
"""Kinds that show content of the file (D18)."""

READ: frozenset[AccessKind] = frozenset({"read"})
WRITTEN: frozenset[AccessKind] = frozenset({"written"})


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
    """A document's touches in order, its ground truth, and whether metrics can be computed.

    A document of an older version is completed first, so that this class and everything after it
    only needs to look at accesses.
    """

    def __init__(self, document: EventsDocument) -> None:
        major, _, minor = document.schema_version.partition(".")
        self.version = (int(major), int(minor))
        """Version of the document as it was stored."""
        self.basis, document = completed(document)
        self.document = document
        entries = {entry.lower(): entry for entry in reversed(document.ground_truth.files)}
        has_truth = document.coverage.has_ground_truth
        self._entries = entries if has_truth else {}
        self.truth: tuple[str, ...] = tuple(
            dict.fromkeys(
                entries[entry.lower()] for entry in document.ground_truth.files if has_truth
            )
        )
        """Distinct ground-truth entries, in the document's order."""
        self.touches: tuple[Touch, ...] = tuple(
            [
                self._touch(event, access)
                for event in sorted(document.events, key=_STEP)
                if event.accesses is not UNSET
                for access in event.accesses
            ]
        )
        self.kept: dict[object, Any] = {}
        """What one section found out and another needs, by the function that finds it out."""
        self._firsts: dict[frozenset[AccessKind], tuple[Touch, ...]] = {}

    @cached_property
    def trace_reason(self) -> NotComputable | None:
        """Why it is not known what the agent did (D19)."""
        if not self.document.events:
            return why_no_events(self.document.coverage)
        return "answers_missing" if answers_missing(self.document.coverage) else None

    @cached_property
    def reason(self) -> NotComputable | None:
        """Why metrics against the ground truth cannot be computed; None when they can (D19)."""
        return self.trace_reason if self.truth else "no_ground_truth"

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


def within_limit(total: int) -> int:
    """A total within the schema's limit: a document from another program can claim any count."""
    return total if total < MAX_INT else MAX_INT


def access_counts(evidence: EvidenceView) -> dict[str, int]:
    """Accesses counted by `category/kind`, such as `file_read/read`."""
    counts = Counter([(touch.event.tool_category, touch.kind) for touch in evidence.touches])
    named = {f"{category}/{kind}": count for (category, kind), count in counts.items()}
    return dict(sorted(named.items()))


def why_no_events(coverage: Coverage) -> NotComputable:
    """Why a document has no events: no trace could be read, or the trace has no tool call (D19)."""
    return "no_trace" if coverage.trace_source is None else "empty_trace"


def answers_missing(coverage: Coverage) -> bool:
    """Whether answers are missing for more than half of the calls that find files by their answer
    (D47)."""
    looked, missing = coverage.lookups, coverage.lookups_unanswered
    return looked is not UNSET and missing is not UNSET and 2 * missing > looked


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
        events_by_category=dict(Counter(event.tool_category for event in document.events)),
    )
