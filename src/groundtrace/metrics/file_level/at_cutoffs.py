"""Metrics over the first K files of a list."""

from __future__ import annotations

from groundtrace.metrics.file_level.ranked_list import RankedList
from groundtrace.metrics.ranking import TEXTBOOK, dcg_at, f1_at, ndcg_at, precision_at, recall_at
from groundtrace.metrics.record import NO_TRUTH_OR_TRACE, MetricDeclaration, Spot


def _ndcg_written_out(ranked: RankedList) -> str:
    ideal = dcg_at([True] * ranked.relevant, ranked.k)
    return f"{dcg_at(ranked.hits, ranked.k):.4f} / {ideal:.4f}"


AT_CUTOFFS: tuple[MetricDeclaration[RankedList], ...] = (
    MetricDeclaration[RankedList](
        name="precision",
        title="Precision",
        measures="Share of the first K files that are relevant.",
        formula="relevant files among the first K / K",
        undefined=NO_TRUTH_OR_TRACE,
        known_problems=(
            "It divides by K even if fewer files were retrieved or are relevant. So with one "
            "relevant file, precision@10 cannot be above 0.1."
        ),
        reference=TEXTBOOK,
        compute=lambda ranked: precision_at(ranked.hits, ranked.k),
        arithmetic=lambda ranked: f"{ranked.found} of the first {ranked.k}",
        worked={
            "precision@1": ("docs/guide.md is not relevant: 0 / 1", 0.0),
            "precision@3": ("src/app.py is relevant: 1 / 3", 0.3333),
            "precision@5": ("src/app.py and src/db.py are relevant: 2 / 5", 0.4),
            "precision@10": ("src/app.py and src/db.py are relevant: 2 / 10", 0.2),
            "shown.precision@1": ("src/app.py is relevant: 1 / 1", 1.0),
            "shown.precision@3": ("src/app.py and src/db.py are relevant: 2 / 3", 0.6667),
            "shown.precision@5": ("src/app.py and src/db.py are relevant: 2 / 5", 0.4),
            "shown.precision@10": ("src/app.py and src/db.py are relevant: 2 / 10", 0.2),
        },
        at_cutoffs=True,
        shown_in={
            "precision": {
                "quality": Spot(),
            },
            "precision@10": {
                "comparison": Spot(30),
                "trial_detail": Spot(30),
            },
            "shown.precision@10": {
                "comparison": Spot(31),
                "trial_detail": Spot(31),
            },
        },
    ),
    MetricDeclaration[RankedList](
        name="recall",
        title="Recall",
        measures="Share of the relevant files that are among the first K.",
        formula="relevant files among the first K / relevant files",
        undefined=NO_TRUTH_OR_TRACE,
        known_problems=(
            "With more than K relevant files it cannot reach 1. Ground truth is rarely "
            "complete: a useful file that it does not name does not count."
        ),
        reference=TEXTBOOK,
        compute=lambda ranked: recall_at(ranked.hits, ranked.relevant, ranked.k),
        arithmetic=lambda ranked: f"{ranked.found} of {ranked.relevant}",
        worked={
            "recall@1": ("none of the three relevant files is first: 0 / 3", 0.0),
            "recall@3": ("src/app.py: 1 / 3", 0.3333),
            "recall@5": ("src/app.py and src/db.py: 2 / 3", 0.6667),
            "recall@10": ("src/app.py and src/db.py: 2 / 3", 0.6667),
            "shown.recall@1": ("src/app.py: 1 / 3", 0.3333),
            "shown.recall@3": ("src/app.py and src/db.py: 2 / 3", 0.6667),
            "shown.recall@5": ("src/app.py and src/db.py: 2 / 3", 0.6667),
            "shown.recall@10": ("src/app.py and src/db.py: 2 / 3", 0.6667),
        },
        at_cutoffs=True,
        shown_in={
            "recall": {
                "quality": Spot(),
            },
            "recall@10": {
                "comparison": Spot(20),
                "groups": Spot(20),
                "trial_detail": Spot(20),
            },
            "shown.recall@10": {
                "comparison": Spot(21),
                "trial_detail": Spot(21),
            },
        },
    ),
    MetricDeclaration[RankedList](
        name="f1",
        title="F1",
        measures="Precision and recall at K in one number, the harmonic mean of both.",
        formula="2 × precision@K × recall@K / (precision@K + recall@K); 0 when both are 0",
        undefined=NO_TRUTH_OR_TRACE,
        known_problems=(
            "It gives both the same weight, although for an agent an extra file is usually "
            "less bad than a missed file."
        ),
        reference="C. J. van Rijsbergen: Information Retrieval, 2nd edition, Butterworths 1979, chapter 7",
        compute=lambda ranked: f1_at(ranked.hits, ranked.relevant, ranked.k),
        arithmetic=lambda ranked: f"2·{ranked.found} / ({ranked.k} + {ranked.relevant})",
        worked={
            "f1@1": ("precision and recall are 0", 0.0),
            "f1@3": ("2 × 1/3 × 1/3 / (1/3 + 1/3)", 0.3333),
            "f1@5": ("2 × 2/5 × 2/3 / (2/5 + 2/3)", 0.5),
            "f1@10": ("2 × 2/10 × 2/3 / (2/10 + 2/3)", 0.3077),
            "shown.f1@1": ("2 × 1 × 1/3 / (1 + 1/3)", 0.5),
            "shown.f1@3": ("2 × 2/3 × 2/3 / (2/3 + 2/3)", 0.6667),
            "shown.f1@5": ("2 × 2/5 × 2/3 / (2/5 + 2/3)", 0.5),
            "shown.f1@10": ("2 × 2/10 × 2/3 / (2/10 + 2/3)", 0.3077),
        },
        at_cutoffs=True,
        shown_in={
            "f1": {
                "quality": Spot(),
            },
            "f1@10": {
                "comparison": Spot(40),
                "groups": Spot(30),
                "trial_detail": Spot(40),
            },
            "shown.f1@10": {
                "comparison": Spot(41),
                "trial_detail": Spot(41),
            },
        },
    ),
    MetricDeclaration[RankedList](
        name="ndcg",
        title="nDCG",
        measures=(
            "How close the order of the first K files is to the best order, in which all "
            "relevant files come first."
        ),
        formula="DCG@K / ideal DCG@K, where DCG@K sums 1 / log2(rank + 1) over relevant files among the first K, and the ideal list comes from the ground truth",
        undefined=NO_TRUTH_OR_TRACE,
        known_problems=(
            "Relevance is yes or no: the ground truth does not say which file matters more. "
            "The order partly comes from the output of the tools, not from the agent."
        ),
        reference="K. Järvelin, J. Kekäläinen: Cumulated gain-based evaluation of IR techniques, ACM TOIS 20(4), 2002",
        compute=lambda ranked: ndcg_at(ranked.hits, ranked.relevant, ranked.k),
        arithmetic=_ndcg_written_out,
        worked={
            "ndcg@1": ("0 / 1", 0.0),
            "ndcg@3": ("rank 2 gives 0.6309; ideal 1 + 0.6309 + 0.5 = 2.1309", 0.2961),
            "ndcg@5": ("ranks 2 and 4 give 0.6309 + 0.4307 = 1.0616; ideal 2.1309", 0.4982),
            "ndcg@10": ("ranks 2 and 4 give 1.0616; ideal 2.1309", 0.4982),
            "shown.ndcg@1": ("1 / 1", 1.0),
            "shown.ndcg@3": ("ranks 1 and 3 give 1 + 0.5 = 1.5; ideal 2.1309", 0.7039),
            "shown.ndcg@5": ("ranks 1 and 3 give 1.5; ideal 2.1309", 0.7039),
            "shown.ndcg@10": ("ranks 1 and 3 give 1.5; ideal 2.1309", 0.7039),
        },
        at_cutoffs=True,
        shown_in={
            "ndcg": {
                "quality": Spot(),
            },
            "ndcg@10": {
                "comparison": Spot(50),
                "groups": Spot(40),
                "trial_detail": Spot(50),
                "correlation": Spot(50),
                "api_summary": Spot(30),
            },
            "shown.ndcg@10": {
                "comparison": Spot(51),
                "trial_detail": Spot(51),
            },
        },
    ),
)
"""In the order in which tables show them."""
