"""What file-level metrics are computed from: a list of files, each relevant or not."""

from __future__ import annotations

from collections.abc import Collection

from msgspec.structs import replace

from groundtrace.base.frozen import Frozen
from groundtrace.documents.metrics import NotComputable
from groundtrace.metrics.edited import ranked_names
from groundtrace.metrics.evidence import EvidenceView, Touch
from groundtrace.model import AccessKind


class RankedList(Frozen, frozen=True):
    """Distinct files in the order of their first access, each a hit or not."""

    reason: NotComputable | None
    """Why nothing can be computed from this list."""
    hits: tuple[bool, ...]
    """For each file, in the order of first access: whether it is relevant."""
    relevant: int
    """Number of relevant files, in the list or not."""
    first_hit: Touch | None
    """The first touch of a relevant file."""
    k: int = 0
    """The cutoff, for a metric that is declared at cutoffs."""
    is_ranking: bool = False
    """It is a ranked list without a trace, so nothing was met at a time."""

    def first(self, k: int) -> RankedList:
        """The same list for metrics over its first K files."""
        return replace(self, k=k)

    @property
    def found(self) -> int:
        """Number of relevant files among the first K."""
        return sum(self.hits[: self.k])


def ranked_list(evidence: EvidenceView, kinds: Collection[AccessKind]) -> RankedList:
    """The files that were touched by one of the kinds."""
    by_kind = "surfaced" not in kinds
    if evidence.basis == "ranking" and not by_kind and evidence.truth:
        return _of_ranking(evidence)
    reason = evidence.kinds_reason if by_kind else evidence.reason
    if reason is not None:
        return RankedList(reason, (), 0, None)
    touches = evidence.first(kinds)
    return RankedList(
        reason=None,
        hits=tuple([touch.truth is not None for touch in touches]),
        relevant=len(evidence.truth),
        first_hit=next((touch for touch in touches if touch.truth is not None), None),
    )


def _of_ranking(evidence: EvidenceView) -> RankedList:
    """The files of a ranked list: the one list that is computed without a trace (D234)."""
    ranked, _ = ranked_names(evidence)
    truth = {entry.lower() for entry in evidence.truth}
    return RankedList(
        reason=None,
        hits=tuple([not truth.isdisjoint(names) for names in ranked]),
        relevant=len(truth),
        first_hit=None,
        is_ranking=True,
    )
