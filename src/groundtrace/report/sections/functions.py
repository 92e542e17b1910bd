"""Functions: what was needed, what was shown, what was edited, and where the chain breaks (D218)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from groundtrace.documents.summary import GroupSummary
from groundtrace.metrics.catalogue import METRICS
from groundtrace.report import formats
from groundtrace.report.blocks import ReportTable, Section, detailed, make_table
from groundtrace.report.data import ReportData
from groundtrace.report.sections.shared import (
    NO_VALUES,
    Groups,
    all_and_configs,
    long_table,
    own_tasks_note,
)
from groundtrace.report.wording import left_out

STEPS: Sequence[tuple[str, str, str]] = (
    ("search: files met", "file_recall", "context_efficiency"),
    ("read: functions shown", "function_recall", "function_precision"),
    ("edit: functions edited", "function_edit_recall", "function_edit_precision"),
)
"""Each step with the metrics of its recall and its precision."""


def functions_section(data: ReportData) -> Section | None:
    """Search, read, edit; absent if no trial's functions are known."""
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
            *detailed(long_table("Functions, all numbers", "config", groups, names)),
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
