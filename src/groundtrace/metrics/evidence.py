"""What a document says the agent touched, arranged for all metrics.

The events stage has decided which file is which ground-truth entry; this module only collects
that. A document without accesses (version 1.0) is read by category (D12, D22).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import cached_property
from math import isfinite

import msgspec
from msgspec import UNSET

from groundtrace.documents.events import Coverage, Event, EventsDocument, EventSummary
from groundtrace.documents.metrics import NotComputable
from groundtrace.model import AccessKind, Category
from groundtrace.paths.placing import TouchedFiles, home_repos, path_of, repo_of

RETRIEVED: frozenset[AccessKind] = frozenset({"read", "matched", "surfaced"})
"""Kinds by which a file is retrieved: every one but written (D18)."""

SHOWN: frozenset[AccessKind] = frozenset({"read", "matched"})
"""Kinds that show content of the file (D18)."""

READ: frozenset[AccessKind] = frozenset({"read"})
WRITTEN: frozenset[AccessKind] = frozenset({"written"})
ANY: frozenset[AccessKind] = RETRIEVED | WRITTEN

KIND_BY_CATEGORY: Mapping[Category, AccessKind] = {
    "file_read": "read",
    "code_search": "matched",
    "symbol_navigation": "matched",
    "file_search": "surfaced",
    "commit_search": "surfaced",
    "deep_search": "surfaced",
    "other": "surfaced",
    "file_write": "written",
}
"""How a call without accesses touched its targets. Where a category can mean several kinds, as
`other` does for shell commands, it is the weakest that is still retrieval."""


class Touch(msgspec.Struct, frozen=True):
    """One file touched by one call."""

    event: Event
    kind: AccessKind
    file: str
    """As the document spells it."""
    repo: str | None
    """Its repository, where the document says."""
    truth: str | None
    """The ground-truth entry that it is, spelled as there."""
    name: str
    """How lists of files show it: as the entry, else as the document."""
    key: tuple[bool, str]
    """Equal for the same file: by its ground-truth entry, else by its spelling (D8)."""


def touched(
    event: Event, kind: AccessKind, file: str, repo: str | None, truth: str | None
) -> Touch:
    """A touch with its name and key, which every stage needs."""
    # Not `or`: an entry that is an empty string would count once for each spelling of its file.
    name = file if truth is None else truth
    return Touch(event, kind, file, repo, truth, name, (truth is not None, name.lower()))


class Evidence:
    """A document's touches in order, its ground truth, and whether metrics can be computed."""

    def __init__(self, document: EventsDocument) -> None:
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
        ordered = sorted(document.events, key=lambda event: event.step_index)
        self.touches: tuple[Touch, ...] = tuple(
            found for event in ordered for found in self._touches(event)
        )

    @property
    def trace_reason(self) -> NotComputable | None:
        """Why nothing is known of what the agent did (D19)."""
        return None if self.document.events else why_no_events(self.document.coverage)

    @property
    def reason(self) -> NotComputable | None:
        """Why metrics against the ground truth cannot be computed; None when they can (D19)."""
        return self.trace_reason if self.truth else "no_ground_truth"

    def first(self, kinds: Collection[AccessKind]) -> list[Touch]:
        """The first touch of each file by one of the kinds, first seen first (D18)."""
        firsts: dict[tuple[bool, str], Touch] = {}
        for touch in self.touches:
            if touch.kind in kinds:
                firsts.setdefault(touch.key, touch)
        return list(firsts.values())

    def names(self, touches: Iterable[Touch]) -> Callable[[str], bool]:
        """A function that says of an edit target or a chunk's file whether it was touched.

        The events stage matches `ground_truth.files` only. An entry that is one of these was
        touched when a touch was matched to it; any other entry when a touched file has its path.
        """
        touches = list(touches)
        hit = {touch.truth for touch in touches}
        files = TouchedFiles(
            ((touch.file, touch.repo) for touch in touches),
            self.home,
            unknown_anywhere=self.unknown_anywhere,
        )

        def is_touched(entry: str) -> bool:
            truth = self._entries.get(entry.lower()) or self._same_path(entry)
            return files.has(entry) if truth is None else truth in hit

        return is_touched

    def _same_path(self, entry: str) -> str | None:
        """The one ground-truth entry that differs only in naming a repository or not."""
        repo = repo_of(entry)
        same = [
            truth
            for truth in self._by_path.get(path_of(entry).lower(), ())
            if None in (repo, repo_of(truth))
        ]
        return same[0] if len(same) == 1 else None

    @cached_property
    def _by_path(self) -> Mapping[str, list[str]]:
        found: dict[str, list[str]] = {}
        for truth in self.truth:
            found.setdefault(path_of(truth).lower(), []).append(truth)
        return found

    @cached_property
    def unknown_anywhere(self) -> bool:
        """Whether a file without a repository may belong to the one that the truth names. A
        document without accesses names no repository (D12), and a truth with one leaves no choice."""
        named = {repo_of(entry) for entry in self.truth}
        without = all(event.accesses is UNSET for event in self.document.events)
        return without and len(named) == 1

    @cached_property
    def home(self) -> frozenset[str]:
        """Repositories that paths without a repository belong to."""
        return home_repos((touch.file, touch.repo, touch.truth) for touch in self.touches)

    def _touches(self, event: Event) -> list[Touch]:
        touches = list(self._stated(event))
        if not event.matched_ground_truth_files:
            return touches
        stated = {found.truth for found in touches}
        matched = [self._entries.get(name.lower()) for name in event.matched_ground_truth_files]
        for entry in dict.fromkeys(matched):
            if entry is not None and entry not in stated:
                touches = _join(entry, touches, event)
        return touches

    def _stated(self, event: Event) -> Iterator[Touch]:
        """What the accesses say or, without them, the targets by category and by spelling."""
        if event.accesses is UNSET:
            kind = KIND_BY_CATEGORY[event.tool_category]
            for target in event.target_files:
                yield touched(event, kind, target, None, self._entries.get(target.lower()))
            return
        for access in event.accesses:
            repo = None if access.repo is UNSET else access.repo
            named = None if access.ground_truth_file is UNSET else access.ground_truth_file
            truth = self._entries.get(named.lower()) if named is not None else None
            yield touched(event, access.kind, access.file, repo, truth)


def _join(entry: str, touches: list[Touch], event: Event) -> list[Touch]:
    """The touches, with the one that the event matched to `entry` marked as that entry.

    Documents without accesses do not say which target was matched. It is the one whose path ends
    with the entry's, or the other way round (D15); without one, the entry itself was touched.
    """
    wanted = f"/{path_of(entry)}".lower()
    meant: Touch | None = None
    longest = 0
    for touch in touches:
        path = f"/{path_of(touch.file)}".lower()
        shared = min(len(path), len(wanted))
        fits = path.endswith(wanted) or wanted.endswith(path)
        # `main.go` fits `cmd/main.go` as well as itself: the longest shared end is the file.
        if touch.truth is None and fits and shared > longest:
            meant, longest = touch, shared
    if meant is None:
        return [*touches, touched(event, KIND_BY_CATEGORY[event.tool_category], entry, None, entry)]
    return [
        touched(t.event, t.kind, t.file, t.repo, entry) if t.key == meant.key else t
        for t in touches
    ]


def why_no_events(coverage: Coverage) -> NotComputable:
    """Why a document holds no event: nothing could be read, or no tool call in what was (D19)."""
    return "no_trace" if coverage.trace_source is None else "empty_trace"


def seconds_at(touch: Touch) -> float | None:
    """Seconds from the agent's start to this touch, where known."""
    value = touch.event.elapsed_seconds
    return value if value is not None and isfinite(value) else None


def event_summary(evidence: Evidence) -> EventSummary:
    """The document's own counts, or the same counts made here where it has none."""
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
