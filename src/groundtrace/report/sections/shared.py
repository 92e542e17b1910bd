"""Tables of distributions that several sections use."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from msgspec import UNSET

from groundtrace.documents.summary import (
    Distribution,
    FirstHit,
    GroupSummary,
    RunSummaryDocument,
)
from groundtrace.metrics.catalogue import METRICS
from groundtrace.metrics.record import Metric
from groundtrace.report import formats
from groundtrace.report.blocks import Name, Paragraph, ReportTable, headings, make_table
from groundtrace.report.data import ReportData, comparison_of
from groundtrace.report.wording import left_out

NO_VALUES = Distribution(n=0, left_out={})

Groups = Sequence[tuple[str, GroupSummary]]
"""Pairs: text of the first cell, and group. Not a mapping: a configuration can be named `all`."""


def named(groups: Mapping[str, GroupSummary]) -> Groups:
    """Groups of a dimension under their names."""
    return [(Name(name), group) for name, group in groups.items()]


def all_and_configs(summary: RunSummaryDocument) -> Groups:
    """All trials, then each configuration."""
    return [("all", summary.overall), *named(summary.by_config)]


def own_tasks_note(data: ReportData) -> tuple[Paragraph, ...]:
    """A warning if configurations that are listed side by side ran different tasks."""
    # Groups without common tasks are answered over their own tasks too.
    paired = data.impact is not None and comparison_of(data.impact) is not None
    found = data.impact.matched_comparisons if data.impact is not None and paired else []
    if not any(c.suite is None and c.dropped for c in found):
        return ()
    return (
        (
            "Each configuration is shown over its own tasks, so these numbers can differ from the "
            "answer's, which are over the tasks that both have.",
        ),
    )


def no_metrics_note(data: ReportData) -> tuple[Paragraph, ...]:
    """Says why a section about relevant files is empty, as in a report of a user's own sessions."""
    if data.summary.overall.computable:
        return ()
    return (("No trial has metrics of relevant files; Coverage says why.",),)


def both_lists(
    caption: str | Paragraph, group: GroupSummary, metrics: Iterable[Metric]
) -> ReportTable:
    """Metrics over retrieved files, beside the same metrics over shown files (D18)."""
    columns = headings(
        "metric | better | >met: mean | >sd | >median | >n | >shown: mean | >sd | >median | "
        ">n | left out"
    )
    rows = []
    for metric in metrics:
        name = metric.name
        found = group.value(name) or NO_VALUES
        shown = group.value(metric.over_shown or "") or NO_VALUES
        rows.append(
            [
                Name(name),
                formats.direction(name),
                *_statistics(name, found),
                *_statistics(name, shown),
                _both_left_out(found, shown),
            ]
        )
    return make_table(caption, columns, rows)


def _statistics(name: str, found: Distribution) -> list[str]:
    return [
        formats.short(name, found.mean),
        formats.short(name, found.sd),
        formats.short(name, found.median),
        formats.count(found.n),
    ]


def _both_left_out(found: Distribution, shown: Distribution) -> str:
    if found.left_out == shown.left_out:
        return left_out(found.left_out)
    return f"met: {left_out(found.left_out)}; shown: {left_out(shown.left_out)}"


def long_table(caption: str, groups: Groups, names: Sequence[str]) -> ReportTable:
    """One line for each group and metric; metrics without any value are named below it."""
    known, absent = known_of(groups, names)
    rows = [
        [group_name, Name(name), formats.direction(name), *_line(name, found)]
        for group_name, group in groups
        for name in known
        if (found := group.value(name)) is not None
    ]
    columns = ("config", "number", "better", ">mean", ">sd", ">median", ">n", "left out")
    return make_table(caption, columns, rows, (absent,) if absent else ())


def known_of(groups: Groups, names: Sequence[str]) -> tuple[list[str], str]:
    """The metrics that some group has a value of, and a sentence that names the others."""
    known = [name for name in names if any((g.value(name) or NO_VALUES).n for _, g in groups)]
    # The first group is all trials, or one of several: 84 of 1,000 trials were named.
    has_all = bool(groups) and not isinstance(groups[0][0], Name)
    counted = groups[:1] if has_all else groups
    absent = []
    for name in names:
        found = [one for _, group in counted if (one := group.value(name)) is not None]
        if name not in known and found:
            reasons = sum((Counter(one.left_out) for one in found), Counter[str]())
            absent.append(f"{name} ({left_out(reasons)})")
    return known, f"Without any value: {'; '.join(absent)}." if absent else ""


def _line(name: str, found: Distribution) -> list[str]:
    return [*_statistics(name, found), left_out(found.left_out)]


def first_hits_table(caption: str, groups: Groups) -> ReportTable:
    """Times to the first relevant file with the hit rate, because times leave misses out (D21)."""
    times = METRICS.names_in("first_hit")
    columns = (
        "config",
        "over",
        ">tasks",
        ">met one",
        ">never met",
        ">met any ↑",
        *(
            column
            for name in times
            for column in (f">{formats.heading(name)}: mean", ">median", ">n")
        ),
        "left out",
    )
    hits = [
        (name, over, found)
        for name, group in groups
        for over, found in (("met", group.first_hit), ("shown", group.first_hit_shown))
    ]
    rows = [[name, over, *_first_hit(found)] for name, over, found in hits]
    note = (
        "Means and medians are over tasks that met a relevant file and whose trace records the time. A "
        "task that never met one has no time, so look at these numbers together with “met any”."
    )
    if any(found.clock is not UNSET for _, _, found in hits):
        columns = (*columns, "seconds count from")
        for row, (_, _, found) in zip(rows, hits, strict=True):
            row.append("" if found.clock is UNSET else _CLOCKS.get(found.clock, found.clock))
        note += (
            " Seconds that count from different moments cannot be compared. Where a row mixes "
            "them, it has those of the moment that most configurations have."
        )
    return make_table(caption, columns, rows, (note,))


_CLOCKS = {"agent_execution": "start of the agent", "first_timestamp": "first time in the trace"}
"""What seconds count from, in words."""


def _first_hit(found: FirstHit) -> list[str]:
    cells = [
        formats.count(found.n),
        formats.count(found.n_hit),
        formats.count(found.n_never_hit),
        formats.short_share(found.hit_rate),
    ]
    gaps: dict[str, str] = {}
    for metric in METRICS.shown_in("first_hit"):
        time: Distribution = getattr(found, metric.field)
        cells += [formats.short(metric.name, time.mean), formats.short(metric.name, time.median)]
        cells.append(formats.count(time.n))
        gaps[_UNIT_WORDS[metric.unit]] = left_out(time.left_out)
    return [*cells, _left_out_by(gaps)]


_UNIT_WORDS = {"s": "seconds", "tokens": "tokens"}


def _left_out_by(gaps: Mapping[str, str]) -> str:
    """What several values of a row leave out; said only once if it is the same for all."""
    texts = set(gaps.values())
    return texts.pop() if len(texts) == 1 else "; ".join(f"{k}: {v}" for k, v in gaps.items())
