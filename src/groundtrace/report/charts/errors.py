"""Chart of errors as files per task. A label that does not apply is named, not drawn as zero."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial

from groundtrace.documents.summary import GroupSummary
from groundtrace.report import formats
from groundtrace.report.blocks import Name
from groundtrace.report.charts.bars import Bar, BarRow, grouped_bars
from groundtrace.report.charts.chart import Chart, Colours, drawn, key_of
from groundtrace.report.sections.error_taxonomy import is_error
from groundtrace.report.wording import LABEL_NAMES, plural


def errors_chart(groups: Mapping[str, GroupSummary], colours: Colours) -> Iterator[Chart]:
    """Mean files per task under each label of the error taxonomy."""
    rows = [
        BarRow(
            words,
            tuple(_bar(config, label, group, colours[config]) for config, group in groups.items()),
        )
        for label, words in LABEL_NAMES.items()
        if any(label in group.taxonomy for group in groups.values())
    ]
    if not any(one.value is not None for row in rows for one in row.bars):
        return
    if not any(one.value for row in rows for one in row.bars):
        note = ("No task of any configuration has a file under any of these labels.",)
        yield Chart(
            "errors",
            "errors",
            ("How many files per task, by kind of error?",),
            "",
            None,
            None,
            note=note,
        )
        return
    wide, narrow = drawn(partial(grouped_bars, rows, "Errors as files per task"), "whole")
    yield Chart(
        "errors",
        "errors",
        ("How many files per task, by kind of error?",),
        "Mean number of files per task, over the tasks to which the label applies. Shorter is better.",
        wide,
        narrow,
        key_of(groups, colours),
        None,
        (),
        "whole",
    )


def _bar(config: str, label: str, group: GroupSummary, colour: str) -> Bar:
    found = group.taxonomy.get(label)  # type: ignore[call-overload]
    if found is None or found.per_task.mean is None:
        return Bar(colour, None, "does not apply to any task", "")
    if not is_error(found):
        trials = plural(found.edit_targets_unknown, "trial")
        return Bar(colour, None, f"{trials}: edit targets unknown", "")
    mean, tasks = found.per_task.mean, found.per_task.n
    said = f"{formats.files(mean)} (n {tasks:,})"
    where = f"{Name(config)}, {label}: {formats.average(mean)} files per task over "
    return Bar(colour, mean, said, f"{where}{plural(tasks, 'task')}")
