"""The formulas: agreement with trec_eval, properties, and a case for each rule (D20)."""

from __future__ import annotations

import random

import pytest
import pytrec_eval
from hypothesis import given
from hypothesis import strategies as st

from groundtrace.metrics import ranking
from groundtrace.metrics.ranking import CUTOFFS

HITS = st.lists(st.booleans(), max_size=30)
EXTRA = st.integers(0, 10)
"""Relevant files that were never retrieved."""


def _reference(hits: list[bool], relevant: int) -> dict[str, float]:
    """What trec_eval says of the same list."""
    names = [f"file{position}" for position in range(len(hits))]
    found = [name for name, hit in zip(names, hits, strict=True) if hit]
    missed = [f"missed{position}" for position in range(relevant - len(found))]
    judged = {"q": dict.fromkeys([*found, *missed], 1)}
    cuts = ",".join(map(str, CUTOFFS))
    measures = {f"P.{cuts}", f"recall.{cuts}", f"ndcg_cut.{cuts}", "map", "recip_rank"}
    scores = {name: float(len(names) - rank) for rank, name in enumerate(names)}
    return pytrec_eval.RelevanceEvaluator(judged, measures).evaluate({"q": scores})["q"]


def _random_lists() -> list[tuple[list[bool], int]]:
    chance = random.Random(20)
    lists = []
    for _ in range(400):
        hits = [
            chance.random() < chance.choice([0.05, 0.3, 0.8]) for _ in range(chance.randint(1, 40))
        ]
        lists.append((hits, max(1, sum(hits) + chance.randint(0, 8))))
    return lists


def test_every_formula_agrees_with_trec_eval_on_random_lists() -> None:
    """D20: to 1e-9, for lists with no hit, few hits, many hits, shorter and longer than K."""
    for hits, relevant in _random_lists():
        expected = _reference(hits, relevant)
        for k in CUTOFFS:
            precision, recall = expected[f"P_{k}"], expected[f"recall_{k}"]
            both = precision + recall
            f1 = 2 * precision * recall / both if both else 0.0
            assert ranking.precision_at(hits, k) == pytest.approx(precision, abs=1e-9)
            assert ranking.recall_at(hits, relevant, k) == pytest.approx(recall, abs=1e-9)
            assert ranking.f1_at(hits, relevant, k) == pytest.approx(f1, abs=1e-9)
            assert ranking.ndcg_at(hits, relevant, k) == pytest.approx(
                expected[f"ndcg_cut_{k}"], abs=1e-9
            )
        assert ranking.average_precision(hits, relevant) == pytest.approx(expected["map"], abs=1e-9)
        assert ranking.reciprocal_rank(hits) == pytest.approx(expected["recip_rank"], abs=1e-9)


def test_precision_divides_by_k_when_fewer_files_were_retrieved() -> None:
    """D20: one relevant file alone is precision 0.1 at 10, not 1."""
    assert ranking.precision_at([True], 10) == 0.1


def test_the_ideal_list_comes_from_the_ground_truth() -> None:
    """D20: a first hit alone is no perfect nDCG@3 when three files are relevant."""
    assert ranking.ndcg_at([True], 3, 3) == pytest.approx(1 / (1 + 0.6309297536 + 0.5))


def test_an_empty_list_scores_zero_everywhere() -> None:
    """An agent that retrieved nothing found nothing (D19)."""
    assert ranking.precision_at([], 5) == ranking.recall_at([], 2, 5) == 0
    assert ranking.f1_at([], 2, 5) == ranking.ndcg_at([], 2, 5) == 0
    assert ranking.reciprocal_rank([]) == ranking.average_precision([], 2) == 0


@given(HITS, EXTRA, st.sampled_from(CUTOFFS))
def test_all_values_lie_between_0_and_1(hits: list[bool], extra: int, k: int) -> None:
    relevant = sum(hits) + extra
    if not relevant:
        return
    values = [
        ranking.precision_at(hits, k),
        ranking.recall_at(hits, relevant, k),
        ranking.recall_at(hits, relevant),
        ranking.f1_at(hits, relevant, k),
        ranking.ndcg_at(hits, relevant, k),
        ranking.reciprocal_rank(hits),
        ranking.average_precision(hits, relevant),
    ]
    assert all(0 <= value <= 1 + 1e-12 for value in values)


@given(HITS, st.integers(1, 10), st.sampled_from(CUTOFFS))
def test_one_more_relevant_file_never_lowers_recall(hits: list[bool], extra: int, k: int) -> None:
    relevant = sum(hits) + extra
    more = [*hits, True]
    assert ranking.recall_at(more, relevant, k) >= ranking.recall_at(hits, relevant, k)
    assert ranking.recall_at(more, relevant) > ranking.recall_at(hits, relevant)


@given(HITS, EXTRA)
def test_the_best_order_scores_at_least_as_much_as_any(hits: list[bool], extra: int) -> None:
    relevant = sum(hits) + extra
    if not relevant:
        return
    best = sorted(hits, reverse=True)
    for k in CUTOFFS:
        assert ranking.ndcg_at(best, relevant, k) >= ranking.ndcg_at(hits, relevant, k) - 1e-12
    assert ranking.average_precision(best, relevant) >= ranking.average_precision(hits, relevant)


JUDGEMENTS = st.lists(st.sampled_from([True, False, None]), max_size=30)


@given(JUDGEMENTS, EXTRA, EXTRA)
def test_bpref_agrees_with_trec_eval(
    judgements: list[bool | None], missed: int, unseen: int
) -> None:
    """Unjudged files, relevant files never retrieved, irrelevant ones never retrieved."""
    relevant = sum(j is True for j in judgements) + missed
    irrelevant = sum(j is False for j in judgements) + unseen
    if not (judgements and relevant and irrelevant):
        return
    grades = {f"file{i}": int(j) for i, j in enumerate(judgements) if j is not None}
    grades |= {f"missed{i}": 1 for i in range(missed)} | {f"unseen{i}": 0 for i in range(unseen)}
    scores = {f"file{i}": float(len(judgements) - i) for i in range(len(judgements))}
    oracle = pytrec_eval.RelevanceEvaluator({"q": grades}, {"bpref"}).evaluate({"q": scores})
    found = ranking.bpref(judgements, relevant, irrelevant)
    assert found == pytest.approx(oracle["q"]["bpref"], abs=1e-9)
    assert 0 <= found <= 1
    judged = [j for j in judgements if j is not None]
    assert ranking.bpref(judged, relevant, irrelevant) == found, "unjudged files count for nothing"
