"""What file-level metrics are computed from, a list of files, each relevant or not; and the metrics over
its first K files and over the whole list."""

from __future__ import annotations

from collections.abc import Collection

from msgspec.structs import replace

from groundtrace.base.frozen import Frozen
from groundtrace.documents.metrics import NotComputable
from groundtrace.metrics.edited import ranked_names
from groundtrace.metrics.evidence import EvidenceView, Touch
from groundtrace.metrics.ranking import (
    TEXTBOOK,
    average_precision,
    dcg_at,
    f1_at,
    ndcg_at,
    precision_at,
    recall_at,
    reciprocal_rank,
)
from groundtrace.metrics.record import NO_TRUTH_OR_TRACE, SPECIFICATION, MetricDeclaration, Spot
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


def _reciprocal_rank_written_out(ranked: RankedList) -> str:
    return f"1 / {ranked.hits.index(True) + 1}" if any(ranked.hits) else "no relevant file"


def _average_precision_written_out(ranked: RankedList) -> str:
    ranks = [rank for rank, hit in enumerate(ranked.hits, 1) if hit]
    terms = " + ".join(f"{found}/{rank}" for found, rank in enumerate(ranks, 1))
    return f"({terms or '0'}) / {ranked.relevant}"


WHOLE_LIST: tuple[MetricDeclaration[RankedList], ...] = (
    MetricDeclaration[RankedList](
        name="mrr",
        title="Reciprocal rank",
        plain={"mrr": "1 / rank of the first relevant file (MRR)"},
        measures="How early the first relevant file comes. Its mean over tasks is MRR.",
        formula="1 / rank of the first relevant file; 0 without one",
        undefined=NO_TRUTH_OR_TRACE,
        known_problems="Only the first hit counts, even if the task needs many files.",
        reference="E. M. Voorhees: The TREC-8 Question Answering Track Report, 1999",
        compute=lambda ranked: reciprocal_rank(ranked.hits),
        arithmetic=_reciprocal_rank_written_out,
        worked={
            "mrr": ("src/app.py is second: 1 / 2", 0.5),
            "shown.mrr": ("src/app.py is first: 1 / 1", 1.0),
        },
        shown_in={
            "mrr": {
                "quality": Spot(),
                "slices": Spot(40),
                "comparison": Spot(60),
                "comparison_by_suite": Spot(40),
                "groups": Spot(50),
                "trial_detail": Spot(60),
                "correlation": Spot(20),
                "api_summary": Spot(20),
            },
            "shown.mrr": {
                "comparison": Spot(61),
                "comparison_by_suite": Spot(41),
                "trial_detail": Spot(61),
            },
        },
    ),
    MetricDeclaration[RankedList](
        name="map",
        field="map_score",
        title="Average precision",
        measures="Precision at every relevant file, averaged over all relevant files. Its mean over tasks is MAP.",
        formula="sum of precision@rank over the ranks of relevant files / relevant files",
        undefined=NO_TRUTH_OR_TRACE,
        known_problems=(
            "A relevant file that was never retrieved adds 0, so both low recall and a bad "
            "order lower it."
        ),
        reference=TEXTBOOK,
        compute=lambda ranked: average_precision(ranked.hits, ranked.relevant),
        arithmetic=_average_precision_written_out,
        worked={
            "map": ("(1/2 + 2/4) / 3", 0.3333),
            "shown.map": ("(1/1 + 2/3) / 3", 0.5556),
        },
        shown_in={
            "map": {
                "quality": Spot(),
                "comparison": Spot(70),
                "trial_detail": Spot(70),
                "correlation": Spot(30),
            },
            "shown.map": {
                "comparison": Spot(71),
                "trial_detail": Spot(71),
            },
        },
    ),
    MetricDeclaration[RankedList](
        name="file_recall",
        title="File recall",
        plain={
            "file_recall": "Relevant files met",
            "shown.file_recall": "Relevant files shown",
        },
        measures="Share of the relevant files that calls returned.",
        formula="relevant files retrieved / relevant files",
        undefined=NO_TRUTH_OR_TRACE,
        known_problems=(
            "A listing of the whole repository gives 1 over retrieved files, so also look at "
            "the value over shown files."
        ),
        reference=SPECIFICATION,
        compute=lambda ranked: recall_at(ranked.hits, ranked.relevant),
        arithmetic=lambda ranked: f"{sum(ranked.hits)} of {ranked.relevant}",
        worked={
            "file_recall": ("src/app.py and src/db.py of three: 2 / 3", 0.6667),
            "shown.file_recall": ("src/app.py and src/db.py of three: 2 / 3", 0.6667),
        },
        shown_in={
            "file_recall": {
                "chain": Spot(10),
                "coverage": Spot(10, "ranking and recall, met"),
                "quality": Spot(),
                "slices": Spot(10),
                "comparison": Spot(10),
                "comparison_by_suite": Spot(30),
                "groups": Spot(10),
                "trial_table": Spot(10, "relevant met"),
                "trial_detail": Spot(10),
                "recall_charts": Spot(10, "How much of the relevant code was met?"),
                "correlation": Spot(10),
                "api_summary": Spot(10),
            },
            "shown.file_recall": {
                "coverage": Spot(20, "ranking and recall, shown"),
                "slices": Spot(20),
                "comparison": Spot(11),
                "comparison_by_suite": Spot(31),
                "movers": Spot(20),
                "trial_table": Spot(11, "relevant shown"),
                "task_chart": Spot(10),
                "trial_detail": Spot(11),
                "recall_charts": Spot(20, "How much of the relevant code was shown?"),
                "correlation": Spot(60),
                "api_summary": Spot(11),
            },
        },
    ),
    MetricDeclaration[RankedList](
        name="context_efficiency",
        title="Context efficiency",
        plain={
            "context_efficiency": "Met files that are relevant",
            "shown.context_efficiency": "Shown files that are relevant",
        },
        measures="Share of the files in the list that are relevant.",
        formula="relevant files retrieved / files retrieved",
        undefined=NO_TRUTH_OR_TRACE + ", or no file was retrieved (`nothing_retrieved`)",
        known_problems=(
            "It counts files, not their length. Files that are useful but not in the ground "
            "truth lower it."
        ),
        reference=SPECIFICATION,
        compute=lambda ranked: sum(ranked.hits) / len(ranked.hits) if ranked.hits else None,
        arithmetic=lambda ranked: f"{sum(ranked.hits)} of {len(ranked.hits)} retrieved",
        worked={
            "context_efficiency": ("two of four files: 2 / 4", 0.5),
            "shown.context_efficiency": ("two of three files: 2 / 3", 0.6667),
        },
        missing="nothing_retrieved",
        shown_in={
            "context_efficiency": {
                "chain": Spot(20),
                "coverage": Spot(30, "context efficiency, met"),
                "quality": Spot(),
                "slices": Spot(30),
                "comparison": Spot(80),
                "groups": Spot(60),
                "trial_detail": Spot(80),
                "correlation": Spot(40),
                "api_summary": Spot(40),
            },
            "shown.context_efficiency": {
                "coverage": Spot(40, "context efficiency, shown"),
                "comparison": Spot(81),
                "trial_detail": Spot(81),
            },
        },
    ),
)
"""In the order in which tables show them."""
