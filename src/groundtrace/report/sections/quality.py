"""Retrieval quality: did the agent find the right files and functions, how soon, and did it use them?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import UNSET

from groundtrace.documents.summary import GroupSummary
from groundtrace.metrics.catalogue import METRICS
from groundtrace.report import formats
from groundtrace.report.blocks import Name, ReportTable, Section, detailed, make_table
from groundtrace.report.data import ReportData
from groundtrace.report.sections.shared import (
    NO_VALUES,
    Groups,
    all_and_configs,
    both_lists,
    first_hits_table,
    known_of,
    long_table,
    no_metrics_note,
    own_tasks_note,
)
from groundtrace.report.wording import left_out


def found_section(data: ReportData) -> Section:
    """All metrics of the ranking, then line ranges and volume."""
    summary = data.summary
    groups = all_and_configs(summary)
    return Section(
        "found",
        "Finding the relevant files",
        (
            *(
                no_metrics_note(data)
                or (
                    (
                        "A file is met when a call returns its name or its content, and shown when "
                        "its content came back. A listing of a whole repository meets every file, "
                        "so look at both.",
                    ),
                    *own_tasks_note(data),
                )
            ),
        ),
        (
            _short(groups),
            *detailed(
                *_everything(summary.overall, groups),
            ),
        ),
    )


SHORT = (
    ("file_recall", "met"),
    ("shown.file_recall", "shown"),
    ("precision@5", "P@5"),
    ("recall@5", "R@5"),
    ("mrr", "MRR"),
    ("ndcg@10", "nDCG@10"),
    ("map", "MAP"),
    ("context_efficiency", "efficiency"),
    ("chunk_recall", "chunk recall"),
)
"""Metrics of the short table, with their headings: the specification's first, then ours."""


def _short(groups: Groups) -> ReportTable:
    """A line for each configuration: means over tasks, with their n."""
    rows = []
    known, _ = known_of(groups, [metric for metric, _ in SHORT])
    columns = [(metric, words) for metric, words in SHORT if metric in known]
    for name, group in groups if columns else ():
        found = [group.value(metric) or NO_VALUES for metric, _ in columns]
        cells = [
            f"{formats.short_share(one.mean)} ({one.n:,})" if one.n else formats.MISSING
            for one in found
        ]
        rows.append([name, *cells, left_out((group.value(SHORT[0][0]) or NO_VALUES).left_out)])
    return make_table(
        "Relevant files met and shown",
        ("config", *(f">{words} ↑" for _, words in columns), "left out"),
        rows,
        (
            "Means over tasks (n). Met: share of the relevant files that a call returned by name "
            "or content, the specification's file-level recall. Shown: share of which content "
            "came back. The others are over files that were met.",
        ),
    )


def _everything(overall: GroupSummary, groups: Groups) -> tuple[ReportTable, ...]:
    return (
        both_lists("Every metric over all trials", overall, METRICS.shown_in("quality")),
        long_table(
            "Chunk recall: line ranges whose file was met",
            groups[1:],
            METRICS.names_in("line_ranges"),
        ),
        long_table(
            "Lines, context and finders",
            groups[1:],
            METRICS.names_in("lines_and_context"),
        ),
        _finders(groups),
        _volume(groups),
    )


def speed_section(data: ReportData) -> Section | None:
    """How soon the first relevant file was met; None if no relevant file is known."""
    if not data.summary.overall.computable:
        return None
    return Section(
        "speed",
        "How soon",
        (),
        (first_hits_table("Time to the first relevant file", all_and_configs(data.summary)),),
    )


def utilization_section(data: ReportData) -> Section | None:
    """The four probes by configuration; None if no relevant file is known."""
    if not data.summary.overall.computable:
        return None
    groups = all_and_configs(data.summary)
    return Section(
        "use",
        "Using what was found",
        (
            (
                "Numbers about reading relevant files make sense for every task. Numbers about "
                "writing make sense only if the task wants an edit, and only some tasks say "
                "which files to edit. A file that the agent created counts as written without being "
                "read. Nothing here says whether an edit was right: the reward does.",
            ),
            *own_tasks_note(data),
        ),
        (long_table("Use of relevant files", groups[1:], METRICS.names_in("utilization")),),
    )


def _finders(groups: Groups) -> ReportTable:
    rows = [
        [
            name,
            Name(what),
            Name(finder),
            formats.count(counts.first_met),
            formats.short_share(counts.share_first_met),
            formats.count(counts.first_shown),
            formats.count(counts.only),
            formats.short_share(counts.share_only),
        ]
        for name, group in groups
        if group.discovery is not UNSET
        for what, found in (
            ("tool", group.discovery.by_tool),
            ("server", group.discovery.by_server),
            ("agent", group.discovery.by_agent),
        )
        for finder, counts in sorted(found.items(), key=lambda item: (-item[1].first_met, item[0]))
    ]
    return make_table(
        "Who found the relevant files",
        ("config", "by", "finder", ">met first", ">share", ">shown first", ">alone", ">share"),
        rows,
        (
            "Files of all trials together; shares are of all relevant files. Alone: no other "
            "tool or server in the trial met the file.",
        ),
    )


def _volume(groups: Groups) -> ReportTable:
    rows = [
        [
            name,
            Name(what),
            formats.average(found.mean),
            formats.average(found.median),
            formats.count(found.n),
            left_out(found.left_out),
        ]
        for name, group in groups
        for what, found in group.volume.items()
    ]
    return make_table(
        "Volume: calls and files per task",
        ("config", "count", ">mean", ">median", ">n", "left out"),
        rows,
        ("For these counts, neither more nor less is better.",),
    )


STEPS: Sequence[tuple[str, str, str]] = (
    ("search: files met", "file_recall", "context_efficiency"),
    ("read: functions shown", "function_recall", "function_precision"),
    ("edit: functions edited", "function_edit_recall", "function_edit_precision"),
)
"""Each step with the metrics of its recall and its precision."""


def functions_section(data: ReportData) -> Section | None:
    """What was needed, shown and edited, and where the chain breaks (D218); absent if no trial's functions
    are known."""
    summary = data.summary
    names = METRICS.names_in("functions")
    if not any((summary.overall.value(name) or NO_VALUES).n for name in names):
        return None
    groups = all_and_configs(summary)
    groups = groups if len(summary.by_config) > 1 else groups[1:]
    return Section(
        "functions",
        "Search, read, edit",
        (
            (
                "Needed functions are those that the gold patch changes. A function was shown if a "
                "call showed at least one of its lines, and edited if the submitted patch changes "
                "it.",
            ),
            *((words,) for words in looked_at_words(summary.overall)),
            *own_tasks_note(data),
        ),
        (
            _steps(groups),
            *detailed(long_table("Functions, all numbers", groups, names)),
        ),
    )


def looked_at_words(group: GroupSummary) -> Iterator[str]:
    """How many functions were looked at for those that were needed, in one sentence."""
    shown = group.value("functions_shown") or NO_VALUES
    needed = group.value("functions_relevant") or NO_VALUES
    if shown.mean is not None and needed.mean is not None:
        yield (
            f"On average a trial looked at {shown.mean:.1f} functions; "
            f"{f'{formats.files(needed.mean)} were' if needed.mean else 'none was'} needed."
        )


def _steps(groups: Groups) -> ReportTable:
    rows = []
    for name, group in groups:
        for step, recall, precision in STEPS:
            found, right = (group.value(one) or NO_VALUES for one in (recall, precision))
            rows.append(
                [
                    name,
                    step,
                    formats.short_share(found.mean),
                    formats.count(found.n),
                    formats.short_share(right.mean),
                    formats.count(right.n),
                    left_out(found.left_out),
                ]
            )
    return make_table(
        "Where the chain breaks",
        ("config", "step", ">recall", ">n", ">precision", ">n", "left out"),
        rows,
        (
            "Means over tasks. Recall: the share of what was needed (relevant files, then needed "
            "functions). Precision: the share of what was met, shown or edited that was needed. The "
            "column “left out” is for recall.",
        ),
    )
