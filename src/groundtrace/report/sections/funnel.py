"""Met, shown, edited, solved: the stages that relevant files reached, by configuration and verdict
(D96)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec import UNSET
from msgspec.structs import replace

from groundtrace.documents.comparison import MatchedComparison
from groundtrace.documents.summary import (
    Distribution,
    GroupSummary,
    RunSummaryDocument,
    Verdict,
    VerdictSummary,
)
from groundtrace.metrics.catalogue import METRICS
from groundtrace.metrics.record import Display
from groundtrace.report import formats
from groundtrace.report.blocks import Name, ReportTable, Section, detailed, headings, make_table
from groundtrace.report.data import ReportData, comparison_of
from groundtrace.report.sections.impact import numbers_of
from groundtrace.report.sections.shared import (
    NO_VALUES,
    Groups,
    all_and_configs,
    known_of,
    long_table,
    own_tasks_note,
)
from groundtrace.report.wording import left_out
from groundtrace.rows.verdicts import VERDICTS

Row = tuple[str, str, int, Mapping[str, Distribution]]
"""Configuration, verdict, trials, and the metrics of the group."""


def funnel_section(data: ReportData) -> Section | None:
    """The funnel, what differs between matched tasks, the patch, and published numbers."""
    summary = data.summary
    has_funnel = _has_any(summary, "funnel")
    if not (has_funnel or _has_any(summary, "patches") or _has_any(summary, "published")):
        return None
    groups = all_and_configs(summary)
    return Section(
        "funnel",
        "Met, shown, edited, solved" if has_funnel else "Patches and published numbers",
        (
            (_ABOUT if has_funnel else _NO_TRACES if _is_traceless(summary) else _NO_TRUTH,),
            *own_tasks_note(data),
        ),
        (
            *((_funnel(summary),) if has_funnel else ()),
            *_matched(data),
            _patches(groups if len(summary.by_config) > 1 else groups[1:]),
            *detailed(
                long_table(
                    "The patch compared with the gold patch, all metrics",
                    groups[1:],
                    METRICS.names_in("patches"),
                ),
                *((_published(groups[1:]),) if has_funnel else ()),
            ),
            # Without traces these are nearly all numbers that there are.
            *(() if has_funnel else (_published(groups[1:]),)),
        ),
    )


_ABOUT = (
    "Each relevant file is counted once, at the last step it reached: no call met it, a call named "
    "it, its content was shown, or the agent edited it. Edited files are those of the submitted "
    "patch; if no patch is known, those that calls wrote."
)
_NO_TRACES = (
    "These trials have no traces, so only their patches or ranked lists can be compared with the "
    "ground truth."
)


_NO_TRUTH = "Of no trial are the relevant files known; these numbers can do without them."


def _is_traceless(summary: RunSummaryDocument) -> bool:
    return summary.overall.left_out.get("no_trace") == summary.overall.trials


def _has_any(summary: RunSummaryDocument, display: Display) -> bool:
    names = METRICS.names_in(display)
    return any((summary.overall.value(name) or NO_VALUES).n for name in names)


def funnel_rows(summary: RunSummaryDocument) -> Iterator[Row]:
    """All trials, then each configuration, each with its verdicts."""
    overall = summary.overall
    by_verdict = {} if summary.by_verdict is UNSET else summary.by_verdict
    by_config = {} if summary.by_config_and_verdict is UNSET else summary.by_config_and_verdict
    if len(summary.by_config) > 1:
        yield "all", "all", overall.trials, {**overall.metrics, **overall.more_metrics}
        yield from _verdicts("all", by_verdict)
    for config, group in summary.by_config.items():
        yield Name(config), "all", group.trials, {**group.metrics, **group.more_metrics}
        yield from _verdicts(Name(config), by_config.get(config, {}))


def _verdicts(config: str, found: Mapping[Verdict, VerdictSummary]) -> Iterator[Row]:
    if found.keys() <= {"no_verdict"}:
        return
    for verdict, words in VERDICTS.items():
        if verdict in found:
            yield config, words, found[verdict].trials, found[verdict].metrics


def _funnel(summary: RunSummaryDocument) -> ReportTable:
    stages = METRICS.shown_in("funnel")
    rows = []
    for config, verdict, trials, metrics in funnel_rows(summary):
        found = [metrics.get(stage.name, NO_VALUES) for stage in stages]
        rows.append(
            [
                config,
                verdict,
                formats.count(trials),
                *(formats.short_share(one.mean) for one in found),
                formats.count(found[0].n),
                left_out(found[0].left_out),
            ]
        )
    return make_table(
        "How far relevant files got",
        (
            "config",
            "verdict",
            ">trials",
            *(f">{stage.heading('funnel')}" for stage in stages),
            ">n",
            "left out",
        ),
        rows,
        (
            "Mean shares of a task's relevant files; a row adds up to 1. Solved: the reward "
            "is 1. The verdict comes after the work, so a difference between verdicts shows no "
            "cause.",
        ),
    )


def _patches(groups: Groups) -> ReportTable:
    shown = METRICS.shown_in("patches")
    rows = []
    for name, group in groups:
        found = [(one.name, group.value(one.name) or NO_VALUES) for one in shown]
        rows.append(
            [
                name,
                *(f"{formats.brief(metric, one.mean)} ({one.n:,})" for metric, one in found),
                _from(group),
                left_out(found[0][1].left_out),
            ]
        )
    return make_table(
        "The patch compared with the gold patch",
        (
            "config",
            *(f">{one.heading('patches')} {formats.ARROWS[one.better]}" for one in shown),
            "from",
            "left out",
        ),
        rows,
        (
            "Each cell is a mean over tasks, with its n. The column “left out” is for patch recall. "
            "“From” counts trials by where their edited files come from: the submission in the "
            "trace, a file of predictions, or the files that calls wrote.",
        ),
    )


_SOURCES = {"trace": "submission", "predictions": "predictions", "writes": "writes"}


def _from(group: GroupSummary) -> str:
    counts = group.coverage.patch_sources
    listed = [f"{words} {counts[name]:,}" for name, words in _SOURCES.items() if counts.get(name)]
    return ", ".join(listed)


def _published(groups: Groups) -> ReportTable:
    """One line for each group and number, with both averages that papers use."""
    rows = []
    known, absent = known_of(groups, METRICS.names_in("published"))
    for group_name, group in groups:
        for name in known:
            found = group.value(name) or NO_VALUES
            micro = None if found.micro is UNSET else found.micro
            rows.append(
                [
                    group_name,
                    Name(name),
                    formats.direction(name),
                    formats.brief(name, found.mean),
                    formats.brief(name, micro) if METRICS[name].micro else "",
                    formats.count(found.n),
                    left_out(found.left_out),
                ]
            )
    return make_table(
        "Under the names that papers use",
        ("config", "number", "better", ">mean over tasks", ">micro", ">n", "left out"),
        rows,
        (
            "The mean over tasks is also called the macro average. Micro divides the sum of all "
            "numerators by the sum of all denominators. Numbers of patches are from submissions and "
            f"predictions only, never from the files that calls wrote. {absent}".rstrip(),
        ),
    )


def _matched(data: ReportData) -> Iterator[ReportTable]:
    comparison = None if data.impact is None else comparison_of(data.impact)
    if data.impact is None or comparison is None or not comparison.computable:
        return
    is_matched = data.impact.answer.comparison == "matched_comparisons"
    rows = list(_deltas(comparison))
    if rows:
        made = make_table(
            (
                "Matched differences: " if is_matched else "Differences on tasks that both ran: ",
                Name(comparison.config),
                " minus ",
                Name(comparison.baseline_config),
            ),
            headings(
                "relevant files | >baseline | >config | >mean delta | >interval | "
                ">p adjusted | >more/same/less | >n | left out"
            ),
            rows,
            (
                "Over the tasks that both have: in how many the share is larger, the same and "
                "smaller. A relevant file that needs no edit should end as “shown”.",
            ),
        )
        yield replace(made, open=True)


def _deltas(comparison: MatchedComparison) -> Iterator[list[str]]:
    found = {delta.metric: delta for delta in comparison.deltas}
    for stage in METRICS.shown_in("funnel"):
        delta = found.get(stage.name)
        if delta is None or not delta.n:
            continue
        more, less = delta.n_better, delta.n_worse
        if stage.better == "lower":
            more, less = less, more
        yield [
            stage.heading("funnel"),
            *formats.compared(stage.name, numbers_of(delta)),
            formats.p_value(delta.p_adjusted),
            f"{more}/{delta.n_same}/{less}",
            formats.count(delta.n),
            left_out(delta.left_out),
        ]
