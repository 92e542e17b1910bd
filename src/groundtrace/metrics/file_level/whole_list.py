"""Metrics over a whole list of files."""

from __future__ import annotations

from groundtrace.metrics.file_level.ranked_list import RankedList
from groundtrace.metrics.ranking import TEXTBOOK, average_precision, recall_at, reciprocal_rank
from groundtrace.metrics.record import NO_TRUTH_OR_TRACE, SPECIFICATION, MetricDeclaration, Spot


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
        plain={"mrr": "Rank of the first relevant file (MRR)"},
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
