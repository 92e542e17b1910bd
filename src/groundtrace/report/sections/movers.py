"""The tasks that changed most between two configurations."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from groundtrace.documents.comparison import MatchedComparison, MatchedTask
from groundtrace.impact.answer_names import short_name
from groundtrace.metrics.catalogue import QUANTITIES
from groundtrace.report import formats
from groundtrace.report.blocks import Name, ReportTable, Section, make_table
from groundtrace.report.data import ReportData, comparison_of
from groundtrace.rows.means import difference

LISTED_TASKS = 5
"""Tasks listed on each side."""


def movers_section(data: ReportData) -> Section | None:
    """For each comparison the tasks that changed most, in both directions."""
    impact = data.impact
    compared = [] if impact is None else [comparison_of(impact, one) for one in impact.answers]
    tables = tuple(
        made
        for comparison in compared
        if comparison is not None and comparison.tasks
        for made in _tables(comparison, comparison.tasks)
    )
    if not tables:
        return None
    text = "Configuration minus baseline on the tasks that both ran, ↑ higher is better."
    return Section("changes", "Tasks that changed most", ((text,),), tables)


def _tables(comparison: MatchedComparison, tasks: Sequence[MatchedTask]) -> Iterator[ReportTable]:
    for name in QUANTITIES.names_in("movers"):
        moved = sorted(_moved(tasks, name), key=lambda item: (-abs(item[0]), _key(item[1])))
        better = [item for item in moved if item[0] > 0]
        worse = [item for item in moved if item[0] < 0]
        if not moved:
            continue
        both = sum(name in task.baseline and name in task.config for task in tasks)
        left = len(tasks) - both
        yield make_table(
            (
                f"{short_name(name)} ↑, ",
                Name(comparison.config),
                " minus ",
                Name(comparison.baseline_config),
                f": {len(better):,} better, {both - len(moved):,} same, {len(worse):,} worse"
                + (f", {left:,} without the value on both sides" if left else ""),
            ),
            ("", "task", "suite", ">baseline", ">config", ">delta", ">reward delta ↑"),
            [
                _row(side, task, name)
                for side, items in (("better", better), ("worse", worse))
                for _, task in items[:LISTED_TASKS]
            ],
        )


def _moved(tasks: Sequence[MatchedTask], name: str) -> Iterator[tuple[float, MatchedTask]]:
    for task in tasks:
        delta = _delta(task, name)
        if delta:
            yield delta, task


def _delta(task: MatchedTask, name: str) -> float | None:
    if name not in task.baseline or name not in task.config:
        return None
    return difference(task.baseline[name], task.config[name])


def _key(task: MatchedTask) -> tuple[str, str]:
    return (task.benchmark or "", task.task_name)


def _row(side: str, task: MatchedTask, name: str) -> list[str]:
    return [
        side,
        Name(task.task_name),
        Name(task.benchmark or "unknown"),
        *formats.compared_task(name, task.baseline[name], task.config[name]),
        formats.compared_task("reward", task.baseline["reward"], task.config["reward"])[2]
        if "reward" in task.baseline and "reward" in task.config
        else formats.MISSING,
    ]
