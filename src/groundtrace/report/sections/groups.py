"""The same numbers by configuration, suite, model and the groups of a manifest, and the tasks that
changed most between two configurations."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import UNSET

from groundtrace.documents.comparison import MatchedComparison, MatchedTask
from groundtrace.impact.answer_names import short_name
from groundtrace.metrics.catalogue import METRICS, QUANTITIES
from groundtrace.report import formats
from groundtrace.report.blocks import Name, Paragraph, ReportTable, Section, detailed, make_table
from groundtrace.report.data import ReportData, comparison_of
from groundtrace.report.sections.shared import (
    NO_VALUES,
    Groups,
    both_lists,
    known_of,
    named,
    own_tasks_note,
)
from groundtrace.report.wording import left_out
from groundtrace.rows.means import difference


def groups_section(data: ReportData) -> Section:
    """A short table for each dimension, then every metric of each configuration."""
    return Section(
        "groups",
        "By configuration, suite and model",
        (
            (
                "Each cell is a mean with its n in brackets. After the slash is the same mean "
                "over files whose content was shown. Suites and configurations have different "
                "tasks, so do not compare these means: use the matched comparisons.",
            ),
            *own_tasks_note(data),
            *_left_out(data),
        ),
        tuple(_tables(data)),
    )


def _left_out(data: ReportData) -> Iterator[tuple[str, ...]]:
    names = data.summary.groups_left_out
    if names is not UNSET and names:
        shown = (part for name in names for part in (", ", Name(name)))
        yield ("Columns of the manifest with too many values to group by: ", *list(shown)[1:], ".")


def _tables(data: ReportData) -> Iterator[ReportTable]:
    summary = data.summary
    for title, found in (
        ("configuration", summary.by_config),
        ("suite", summary.by_suite),
        ("model", summary.by_model),
    ):
        tables = (
            _retrieval(f"Finding by {title}", title, named(found)),
            _outcomes(f"Use and outcomes by {title}", title, named(found)),
        )
        yield from tables if title == "configuration" else detailed(*tables)
    for column, groups in ({} if summary.by_group is UNSET else summary.by_group).items():
        yield _retrieval(("Finding by ", Name(column)), "group", named(groups))
        yield _outcomes(("Use and outcomes by ", Name(column)), "group", named(groups))
    for name, group in named(summary.by_config):
        yield from detailed(
            both_lists(("Every metric of ", name), group, METRICS.shown_in("quality"))
        )


def _retrieval(caption: str | Paragraph, first: str, groups: Groups) -> ReportTable:
    paired = METRICS.shown_in("groups")
    rows = []
    for name, group in groups if any(group.computable for _, group in groups) else ():
        cells = [name, formats.count(group.trials), formats.count(group.computable)]
        for metric in paired:
            found = group.value(metric.name) or NO_VALUES
            shown = group.value(metric.over_shown or "") or NO_VALUES
            both = found.n == shown.n
            cells.append(
                f"{formats.short_share(found.mean)}{'' if both else f' ({found.n})'} / "
                f"{formats.short_share(shown.mean)} ({shown.n})"
            )
        rows.append([*cells, left_out((group.value(paired[0].name) or NO_VALUES).left_out)])
    heads = [f">{formats.heading(metric.name)}" for metric in paired]
    return make_table(
        caption,
        (first, ">trials", ">computable", *heads, "left out"),
        rows,
        ("Context efficiency also leaves out tasks in which nothing was met.",),
    )


def _outcomes(caption: str | Paragraph, first: str, groups: Groups) -> ReportTable:
    known, absent = known_of(groups, QUANTITIES.names_in("groups_use"))
    shown = [QUANTITIES[name] for name in known]
    rows = []
    for name, group in groups if known else ():
        cells = [name]
        gaps = []
        for record in shown:
            found = group.value(record.name) or NO_VALUES
            cells.append(f"{formats.short(record.name, found.mean)} ({found.n})")
            if found.left_out:
                gaps.append(f"{record.heading('groups_use')}: {left_out(found.left_out)}")
        rows.append([*cells, "; ".join(gaps) or "none"])
    heads = [f">{record.heading('groups_use')} {formats.ARROWS[record.better]}" for record in shown]
    return make_table(caption, (first, *heads, "left out"), rows, (absent,) if absent else ())


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
        for made in _moved_most(comparison, comparison.tasks)
    )
    if not tables:
        return None
    text = "Configuration minus baseline on the tasks that both ran, ↑ higher is better."
    return Section("changes", "Tasks that changed most", ((text,),), tables)


def _moved_most(
    comparison: MatchedComparison, tasks: Sequence[MatchedTask]
) -> Iterator[ReportTable]:
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
