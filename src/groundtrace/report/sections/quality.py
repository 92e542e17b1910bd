"""Retrieval quality: did the agent find the right files?"""

from __future__ import annotations

from groundtrace.metrics.ranking import CUTOFFS
from groundtrace.report import numbers
from groundtrace.report.blocks import Name, Section, Table, table
from groundtrace.report.data import ReportData
from groundtrace.report.sections.shared import (
    Groups,
    all_and_configs,
    both_lists,
    first_hits,
    long_table,
)
from groundtrace.report.words import left_out

RANKED = (
    *(f"{family}@{k}" for family in ("precision", "recall", "f1", "ndcg") for k in CUTOFFS),
    "mrr",
    "map",
    "file_recall",
    "context_efficiency",
)
"""Metrics of the ranking, in the order of tables."""


def quality(data: ReportData) -> Section:
    """All metrics of the ranking, then the first hits, then line ranges and volume."""
    summary = data.summary
    groups = all_and_configs(summary)
    return Section(
        "quality",
        "Retrieval quality",
        (
            (
                "Did the agent find the right files? Files rank in the order in which the agent "
                "first met them. A listing of everything would buy recall, so each number also "
                "stands over files whose content was shown.",
            ),
        ),
        (
            both_lists("All trials", summary.overall, RANKED),
            first_hits("Time to the first relevant file", groups),
            long_table(
                "Chunk recall: line ranges whose file was accessed",
                "config",
                groups,
                ("chunk_recall",),
            ),
            _volume(groups),
        ),
    )


def _volume(groups: Groups) -> Table:
    rows = [
        [
            name,
            Name(what),
            numbers.average(found.mean),
            numbers.average(found.median),
            numbers.count(found.n),
            left_out(found.left_out),
        ]
        for name, group in groups
        for what, found in group.volume.items()
    ]
    return table(
        "Retrieval volume: calls and files a task",
        ("config", "count", ">mean", ">median", ">n", "left out"),
        rows,
        ("Volume describes; neither more nor less of it is better.",),
    )
