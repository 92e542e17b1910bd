"""The formulas of information retrieval, over a ranked list of files and the relevant ones.

`hits` says for each distinct retrieved file, in the order of first access, whether it is relevant.
`relevant` is the number of relevant files, retrieved or not. All formulas agree with trec_eval to
1e-9 for binary relevance (D20); tests check this.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import compress
from math import log2
from typing import get_args

from groundtrace.documents.metrics import Cutoff

CUTOFFS = tuple(int(key) for key in get_args(Cutoff))
"""The specification's values of K."""

TEXTBOOK = "C. D. Manning, P. Raghavan, H. Schütze: Introduction to Information Retrieval, Cambridge University Press 2008, chapter 8"
"""Where most of these formulas are defined."""


def precision_at(hits: Sequence[bool], k: int) -> float:
    """Relevant files among the first `k`, divided by `k`, even if fewer were retrieved (D20)."""
    return sum(hits[:k]) / k


def recall_at(hits: Sequence[bool], relevant: int, k: int | None = None) -> float:
    """Share of the relevant files that are among the first `k`, or anywhere without `k`."""
    return sum(hits[:k]) / relevant


def f1_at(hits: Sequence[bool], relevant: int, k: int) -> float:
    """Harmonic mean of precision and recall at `k`; 0 without a hit, where both are 0."""
    # 2PR / (P + R) with P = h/k and R = h/n is 2h / (k + n).
    return 2 * sum(hits[:k]) / (k + relevant)


def dcg_at(hits: Sequence[bool], k: int) -> float:
    """Gain of 1 for each relevant file, discounted by the logarithm of its rank."""
    return sum(compress(_gains(k), hits))


@lru_cache
def _gains(k: int) -> tuple[float, ...]:
    """What a hit adds at each of the first K ranks."""
    return tuple([1 / log2(rank + 1) for rank in range(1, k + 1)])


def ndcg_at(hits: Sequence[bool], relevant: int, k: int) -> float:
    """DCG divided by the DCG of the best list, which has the relevant files first (D20)."""
    return dcg_at(hits, k) / dcg_at([True] * min(relevant, k), k)


def reciprocal_rank(hits: Sequence[bool]) -> float:
    """One over the rank of the first relevant file; 0 without one."""
    return next((1 / rank for rank, hit in enumerate(hits, start=1) if hit), 0.0)


def average_precision(hits: Sequence[bool], relevant: int) -> float:
    """Sum of the precisions at the rank of each relevant file, divided by all relevant files."""
    found = 0
    total = 0.0
    for rank, hit in enumerate(hits, start=1):
        if hit:
            found += 1
            total += found / rank
    return total / relevant


def bpref(judgements: Sequence[bool | None], relevant: int, irrelevant: int) -> float:
    """How often relevant files come before irrelevant ones; unjudged files (None) are left out.

    `irrelevant` is the number of files judged irrelevant, retrieved or not; it must not be 0.
    """
    return sum(bpref_parts(judgements, relevant, irrelevant)) / relevant


def bpref_parts(
    judgements: Sequence[bool | None], relevant: int, irrelevant: int
) -> tuple[float, ...]:
    """What each relevant file that was retrieved adds to bpref, in order."""
    above = 0
    parts = []
    for judgement in judgements:
        if judgement is False:
            above += 1
        elif judgement:
            parts.append(1 - min(above, relevant) / min(irrelevant, relevant))
    return tuple(parts)
