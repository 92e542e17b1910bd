"""What sessions without ground truth looked at."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import UNSET
from msgspec.structs import replace

from groundtrace.base.visible import plural
from groundtrace.documents.looked_at import LookedAtSummary
from groundtrace.report import formats
from groundtrace.report.blocks import Name, ReportTable, Section, headings, make_table
from groundtrace.report.data import ReportData

SHOWN_FILES = 15
"""Most files of a configuration that a report lists."""


def looked_at_section(data: ReportData) -> Section | None:
    """The section; None if every trial has ground truth."""
    seen = data.summary.looked_at
    if seen is UNSET:
        return None
    said = (
        "These trials have no ground truth, so nobody can say what they should have found. "
        "This section shows what they read, searched and wrote, and how much of their context "
        "it took."
    )
    tables = [_totals(seen), *(table for one in seen for table in _tables(one))]
    opened = tuple(replace(table, open=True) for table in tables)
    return Section("looked-at", "What did they look at?", ((said,),), opened)


def _totals(seen: list[LookedAtSummary]) -> ReportTable:
    columns = headings(
        "config | >trials | >calls | >failed | >no answer | >files read | >files searched | "
        ">files written | >reads repeated | >cost"
    )
    rows = [
        [
            Name(one.config_name),
            *(
                formats.count(number)
                for number in (
                    one.trials,
                    one.calls,
                    one.failed,
                    one.unanswered,
                    one.files_read,
                    one.files_searched,
                    one.files_written,
                    one.repeated_reads,
                )
            ),
            _cost(one),
        ]
        for one in seen
    ]
    note = (
        "A file counts once in each trial. A read is repeated if the same lines were read "
        "before and not written since."
    )
    return make_table("Calls and files", columns, rows, (note,))


def _cost(one: LookedAtSummary) -> str:
    if one.cost_usd is None:
        return formats.MISSING
    said = formats.brief("cost_usd", one.cost_usd)
    return said if one.cost_trials == one.trials else f"{said} ({plural(one.cost_trials, 'trial')})"


def _tables(one: LookedAtSummary) -> Iterator[ReportTable]:
    total = sum(tool.result_chars for tool in one.tools)
    rows = [
        [
            Name(tool.tool),
            formats.count(tool.calls),
            formats.count(tool.failed),
            formats.count(tool.result_chars),
            formats.percent(tool.result_chars, total),
        ]
        for tool in one.tools
    ]
    columns: tuple[str, ...] = ("tool", ">calls", ">failed", ">characters", ">share of context")
    yield make_table(("Context by tool, ", Name(one.config_name)), columns, rows)
    rows = [
        [
            Name(file.file),
            formats.count(file.trials),
            formats.count(file.reads),
            formats.count(file.searches),
            formats.count(file.writes),
            formats.count(file.repeated_reads),
            formats.count(file.shown_chars),
        ]
        for file in one.files[:SHOWN_FILES]
    ]
    more = len(one.files) - SHOWN_FILES + one.files_left_out
    columns = ("file", ">trials", ">reads", ">searches", ">writes", ">repeated", ">characters")
    note = (
        f"and {plural(more, 'more file')}; `groundtrace export` writes all of them."
        if more > 0
        else ""
    )
    yield make_table(
        ("Context by file, ", Name(one.config_name)),
        columns,
        rows,
        (note,) if note else (),
    )


def looked_at_text(seen: list[LookedAtSummary]) -> str:
    """The same for the terminal: a few lines for each configuration."""
    lines = []
    for one in seen:
        cost = "" if one.cost_usd is None else f", {_cost(one)}"
        lines.append(
            f"looked at, without ground truth ({one.config_name}, {plural(one.trials, 'trial')}): "
            f"{plural(one.files_read, 'file')} read, {one.files_searched:,} searched, "
            f"{one.files_written:,} written; {plural(one.calls, 'call')}, {one.failed:,} failed, "
            f"{plural(one.repeated_reads, 'read')} repeated{cost}"
        )
        total = sum(tool.result_chars for tool in one.tools)
        if total:
            shares = [
                f"{Name(t.tool)} {formats.percent(t.result_chars, total)}" for t in one.tools[:3]
            ]
            lines.append(f"  most context, by tool: {', '.join(shares)}")
        known = [file for file in one.files if file.shown_chars]
        if known:
            named = [f"{Name(f.file)} ({f.shown_chars:,} characters)" for f in known[:3]]
            lines.append(f"  most context, by file: {', '.join(named)}")
    return "\n".join(lines)
