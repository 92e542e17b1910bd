"""Tables that several sections make of distributions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from groundtrace.documents.summary import (
    Distribution,
    FirstHit,
    GroupSummary,
    RunSummaryDocument,
)
from groundtrace.metrics.table import SHOWN_PREFIX
from groundtrace.report import numbers
from groundtrace.report.blocks import Name, Paragraph, Table, table
from groundtrace.report.words import left_out

NO_VALUES = Distribution(n=0, left_out={})

Groups = Sequence[tuple[str, GroupSummary]]
"""Groups with what stands in their first cell; pairs, since a configuration may be named `all`."""


def named(groups: Mapping[str, GroupSummary]) -> Groups:
    """Groups of a dimension under their names."""
    return [(Name(name), group) for name, group in groups.items()]


def all_and_configs(summary: RunSummaryDocument) -> Groups:
    """All trials, then each configuration."""
    return [("all", summary.overall), *named(summary.by_config)]


def both_lists(caption: str | Paragraph, group: GroupSummary, names: Iterable[str]) -> Table:
    """Metrics over retrieved files beside the same over shown files (D18)."""
    columns = (
        "metric",
        "better",
        ">retrieved: mean",
        ">sd",
        ">median",
        ">n",
        ">shown: mean",
        ">sd",
        ">median",
        ">n",
        "left out",
    )
    rows = []
    for name in names:
        found = group.metrics.get(name, NO_VALUES)
        shown = group.metrics.get(SHOWN_PREFIX + name, NO_VALUES)
        rows.append(
            [
                Name(name),
                numbers.direction(name),
                *_statistics(name, found),
                *_statistics(name, shown),
                _both_left_out(found, shown),
            ]
        )
    return table(caption, columns, rows)


def _statistics(name: str, found: Distribution) -> list[str]:
    return [
        numbers.value(name, found.mean),
        numbers.value(name, found.sd),
        numbers.value(name, found.median),
        numbers.count(found.n),
    ]


def _both_left_out(found: Distribution, shown: Distribution) -> str:
    if found.left_out == shown.left_out:
        return left_out(found.left_out)
    return f"retrieved: {left_out(found.left_out)}; shown: {left_out(shown.left_out)}"


def long_table(caption: str, first: str, groups: Groups, names: Sequence[str]) -> Table:
    """One line for each group and metric."""
    rows = [
        [group_name, Name(name), numbers.direction(name), *_line(name, found)]
        for group_name, group in groups
        for name in names
        if (found := group.metrics.get(name) or group.outcomes.get(name)) is not None
    ]
    columns = (first, "number", "better", ">mean", ">sd", ">median", ">n", "left out")
    return table(caption, columns, rows)


def _line(name: str, found: Distribution) -> list[str]:
    return [*_statistics(name, found), left_out(found.left_out)]


def first_hits(caption: str, groups: Groups) -> Table:
    """Times to the first relevant file, beside the hit rate that they leave out (D21)."""
    columns = (
        "config",
        "over",
        ">tasks",
        ">hit",
        ">never hit",
        ">hit rate ↑",
        ">ttfr_seconds ↓: mean",
        ">median",
        ">n",
        ">ttfr_tokens ↓: mean",
        ">median",
        ">n",
        "left out",
    )
    rows = [
        [name, over, *_first_hit(found)]
        for name, group in groups
        for over, found in (("retrieved", group.first_hit), ("shown", group.first_hit_shown))
    ]
    return table(
        caption,
        columns,
        rows,
        (
            "Means and medians are over tasks that were hit and whose trace tells the time; a task "
            "that was never hit has no time at all, so read them beside the hit rate.",
        ),
    )


def _first_hit(found: FirstHit) -> list[str]:
    return [
        numbers.count(found.n),
        numbers.count(found.n_hit),
        numbers.count(found.n_never_hit),
        numbers.share(found.hit_rate),
        numbers.seconds(found.ttfr_seconds.mean),
        numbers.seconds(found.ttfr_seconds.median),
        numbers.count(found.ttfr_seconds.n),
        numbers.tokens(found.ttfr_tokens.mean),
        numbers.tokens(found.ttfr_tokens.median),
        numbers.count(found.ttfr_tokens.n),
        _times_left_out(found),
    ]


def _times_left_out(found: FirstHit) -> str:
    seconds, tokens = found.ttfr_seconds.left_out, found.ttfr_tokens.left_out
    if seconds == tokens:
        return left_out(seconds)
    return f"seconds: {left_out(seconds)}; tokens: {left_out(tokens)}"
