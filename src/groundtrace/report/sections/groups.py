"""The same numbers by configuration, suite and model."""

from __future__ import annotations

from collections.abc import Iterator

from groundtrace.metrics.table import OUTCOMES, SHOWN_PREFIX
from groundtrace.report import numbers
from groundtrace.report.blocks import Section, Table, table
from groundtrace.report.data import ReportData
from groundtrace.report.sections.quality import RANKED
from groundtrace.report.sections.shared import Groups, both_lists, named
from groundtrace.report.words import left_out

PAIRED = ("file_recall", "recall@10", "f1@10", "ndcg@10", "mrr", "context_efficiency")
"""Metrics of the short tables, each over retrieved and over shown files."""

SINGLE = ("util_read_overlap_with_relevant_files", *OUTCOMES)


def groups(data: ReportData) -> Section:
    """A short table for each dimension, then every metric of each configuration."""
    return Section(
        "groups",
        "By configuration, suite and model",
        (
            (
                "Each cell is a mean with its n in brackets; after the slash the same over files "
                "whose content was shown. Suites and configurations differ in their tasks, so "
                "these means are not a comparison: see the matched ones for that.",
            ),
        ),
        tuple(_tables(data)),
    )


def _tables(data: ReportData) -> Iterator[Table]:
    summary = data.summary
    for title, found in (
        ("configuration", summary.by_config),
        ("suite", summary.by_suite),
        ("model", summary.by_model),
    ):
        yield _retrieval(f"Retrieval by {title}", title, named(found))
        yield _outcomes(f"Use and outcomes by {title}", title, named(found))
    for name, group in named(summary.by_config):
        yield both_lists(("Every metric of ", name), group, RANKED)


def _retrieval(caption: str, first: str, groups: Groups) -> Table:
    rows = []
    for name, group in groups:
        cells = [name, numbers.count(group.trials), numbers.count(group.computable)]
        for metric in PAIRED:
            found, shown = group.metrics[metric], group.metrics[SHOWN_PREFIX + metric]
            both = found.n == shown.n
            cells.append(
                f"{numbers.share(found.mean)}{'' if both else f' ({found.n})'} / "
                f"{numbers.share(shown.mean)} ({shown.n})"
            )
        rows.append([*cells, left_out(group.metrics["file_recall"].left_out)])
    heads = [f">{numbers.heading(metric)}" for metric in PAIRED]
    return table(
        caption,
        (first, ">trials", ">computable", *heads, "left out"),
        rows,
        ("Context efficiency also leaves out tasks in which nothing was retrieved.",),
    )


def _outcomes(caption: str, first: str, groups: Groups) -> Table:
    rows = []
    for name, group in groups:
        cells = [name]
        gaps = []
        for metric in SINGLE:
            found = group.metrics.get(metric) or group.outcomes[metric]
            cells.append(f"{numbers.value(metric, found.mean)} ({found.n})")
            if found.left_out:
                gaps.append(f"{_SHORT.get(metric, metric)}: {left_out(found.left_out)}")
        rows.append([*cells, "; ".join(gaps) or "none"])
    heads = [
        f">{_SHORT.get(metric, metric)} {numbers.ARROWS[numbers.direction(metric)]}"
        for metric in SINGLE
    ]
    return table(caption, (first, *heads, "left out"), rows)


_SHORT = {"util_read_overlap_with_relevant_files": "read overlap"}
