"""Stage 1: the ordered list of files against the ground truth (D18–D21)."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import get_args

from groundtrace.documents.metrics import ByCutoff, Cutoff, FileLevelMetrics
from groundtrace.metrics import ranking
from groundtrace.metrics.evidence import Evidence, seconds_at
from groundtrace.metrics.rounding import rounded
from groundtrace.model import AccessKind

_KEYS: tuple[Cutoff, ...] = get_args(Cutoff)


def file_level(evidence: Evidence, kinds: Collection[AccessKind]) -> FileLevelMetrics:
    """All file-level metrics over the files touched by one of the kinds."""
    if evidence.reason is not None:
        return FileLevelMetrics(computable=False, reason=evidence.reason)
    retrieved = evidence.first(kinds)
    hits = [touch.truth is not None for touch in retrieved]
    relevant = len(evidence.truth)
    first = next((touch for touch in retrieved if touch.truth is not None), None)
    return FileLevelMetrics(
        computable=True,
        reason=None,
        precision=_by_cutoff(lambda k: ranking.precision_at(hits, k)),
        recall=_by_cutoff(lambda k: ranking.recall_at(hits, relevant, k)),
        f1=_by_cutoff(lambda k: ranking.f1_at(hits, relevant, k)),
        ndcg=_by_cutoff(lambda k: ranking.ndcg_at(hits, relevant, k)),
        mrr=rounded(ranking.reciprocal_rank(hits)),
        map_score=rounded(ranking.average_precision(hits, relevant)),
        file_recall=rounded(ranking.recall_at(hits, relevant)),
        context_efficiency=rounded(sum(hits) / len(hits)) if hits else None,
        n_retrieved=len(hits),
        n_ground_truth=relevant,
        n_overlap=sum(hits),
        first_gt_hit_step=first.event.step_index if first else None,
        ttfr_seconds=rounded(seconds_at(first)) if first else None,
        ttfr_tokens=first.event.cumulative_tokens if first else None,
    )


def _by_cutoff(value_at: Callable[[int], float]) -> ByCutoff:
    return {key: rounded(value_at(int(key))) for key in _KEYS}
