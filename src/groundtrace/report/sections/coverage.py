"""What the numbers rest on: what could be computed and what could not, by reason (D19), tools that
are not known, and what the numbers do not say."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec import UNSET
from msgspec.structs import replace

from groundtrace.documents.summary import GroupSummary, RefusedDocument, RunSummaryDocument
from groundtrace.metrics.catalogue import METRICS
from groundtrace.report import formats
from groundtrace.report.blocks import (
    Name,
    Paragraph,
    Quoted,
    ReportTable,
    Section,
    detailed,
    make_table,
)
from groundtrace.report.data import ReportData
from groundtrace.report.task_units import distinct_tasks
from groundtrace.report.wording import left_out, plural, reason
from groundtrace.rows.unknown_tools import (
    LISTED,
    about_servers,
    settings_block,
    unknown_tools,
    what_it_means,
    what_was_read,
)

LISTED_TRIALS = 25
"""Trials that are named; the others are only counted."""


def coverage_section(data: ReportData) -> Section:
    """Which trials and documents the numbers below are made from."""
    summary = data.summary
    return Section(
        "coverage",
        "Coverage",
        (*_sentences(summary, distinct_tasks(data)), *_refused_words(data.refused)),
        (*_tables(summary), *_refused(data.refused)),
    )


def _sentences(summary: RunSummaryDocument, tasks: int) -> Iterator[Paragraph]:
    overall = summary.overall
    found = summary.trials_found
    yield (
        f"{plural(overall.trials, 'trial')} of {plural(tasks, 'task')} in "
        f"{plural(len(summary.by_config), 'configuration')} from {plural(len(summary.runs), 'run')} "
        "were evaluated"
        + (f", of {formats.count(found)} that were found" if found is not None else "")
        + "".join(f"{';' if at else ':'} {words}" for at, words in enumerate(_left(summary)))
        + ".",
    )
    yield (
        f"Metrics of relevant files could be computed for {formats.count(overall.computable)} of "
        f"{plural(overall.trials, 'trial')} "
        f"({formats.percent(overall.computable, overall.trials)}); left out: "
        f"{left_out(overall.left_out)}.",
    )


def _left(summary: RunSummaryDocument) -> Iterator[str]:
    """What does not count, where there is any."""
    copies, skipped = len(summary.duplicated), len(summary.skipped)
    if summary.superseded:
        yield _superseded_words(summary)
    if summary.failed:
        yield f"{len(summary.failed):,} failed to be processed"
    if copies:
        yield f"{plural(copies, 'copy', 'copies')} not counted again"
    if skipped:
        yield f"{plural(skipped, 'folder or file', 'folders or files')} skipped"


def _superseded_words(summary: RunSummaryDocument) -> str:
    """With `--trials all`, superseded trials are among those evaluated."""
    superseded, found = len(summary.superseded), summary.trials_found
    rest = superseded + len(summary.failed) + len(summary.duplicated)
    counted = superseded and found is not None and summary.overall.trials + rest > found
    words = f"{superseded:,} superseded by another trial of the same task"
    return f"{words} and counted too" if counted else words


def _tables(summary: RunSummaryDocument) -> Iterator[ReportTable]:
    yield replace(_by_config(summary.by_config), open=True)
    yield from detailed(_sources(summary.overall), _values(summary.overall))
    if summary.problems:
        yield _counted("Problems found while reading", "problem", "times", summary.problems)
    named: Sequence[tuple[str, str, Sequence[tuple[str, str, str, str, str]]]] = (
        (
            "Superseded trials",
            "why",
            [
                (t.run_id, t.config_name, t.task_name, t.trial_name, t.reason or "")
                for t in summary.superseded
            ],
        ),
        (
            "Trials that could not be processed",
            "why",
            [
                (t.run_id, t.config_name, t.task_name, t.trial_name, t.reason or "")
                for t in summary.failed
            ],
        ),
        (
            "Copies that were not counted again",
            "counted in run",
            [
                (t.run_id, t.config_name, t.task_name, t.trial_name, t.counted_in)
                for t in summary.duplicated
            ],
        ),
    )
    for caption, last, trials in named:
        if trials:
            yield make_table(
                f"{caption}: {len(trials):,}",
                ("run", "config", "task", "trial", last),
                [[Name(part) for part in trial] for trial in trials[:LISTED_TRIALS]],
                _more(len(trials)),
            )
    if summary.skipped:
        yield make_table(
            f"Folders and files skipped: {len(summary.skipped):,}",
            ("path", "why"),
            [[Name(s.path), Quoted(s.reason)] for s in summary.skipped[:LISTED_TRIALS]],
            _more(len(summary.skipped)),
        )


def _refused_words(refused: Sequence[RefusedDocument]) -> Iterator[Paragraph]:
    if refused:
        have = "could not be read and does" if len(refused) == 1 else "could not be read and do"
        yield (f"{plural(len(refused), 'document')} {have} not count; named below.",)


def _refused(refused: Sequence[RefusedDocument]) -> Iterator[ReportTable]:
    """Documents that do not count at all, with the reason (D62)."""
    if refused:
        yield make_table(
            f"Documents that could not be read: {len(refused):,}",
            ("run", "document", "why"),
            [[Name(r.run_id), Name(r.path), Quoted(r.reason)] for r in refused[:LISTED_TRIALS]],
            _more(len(refused)),
        )


def _more(number: int) -> Paragraph:
    more = number - LISTED_TRIALS
    return (
        (f"and {more:,} more; run_retrieval_summary.json names all of them.",) if more > 0 else ()
    )


_REASONS = ("no_ground_truth", "no_trace", "empty_trace", "answers_missing", "subagents_unseen")


def _by_config(groups: Mapping[str, GroupSummary]) -> ReportTable:
    older = any("older_document" in group.left_out for group in groups.values())
    codes = (*_REASONS, "older_document") if older else _REASONS
    columns = [
        "config",
        ">trials",
        ">tasks",
        ">computable",
        *(f">{reason(code)}" for code in codes),
        ">partly read",
        ">met any ↑",
    ]
    rows = []
    for name, group in groups.items():
        rows.append(
            [
                Name(name),
                formats.count(group.trials),
                formats.count(group.tasks),
                formats.count(group.computable),
                *(formats.count(group.left_out.get(code, 0)) for code in codes),
                formats.count(group.coverage.degraded),
                formats.short_share(group.first_hit.hit_rate),
            ]
        )
    return make_table(
        "Trials by configuration: with metrics, and without by reason",
        columns,
        rows,
        (
            "Partly read: the trial's document says that part of its trace or ground truth could "
            "not be read. Met any: share of computable tasks in which a relevant file was met; "
            "a task with several trials counts with the share of them that met one.",
        ),
    )


def _sources(group: GroupSummary) -> ReportTable:
    seen = group.coverage
    kinds: Sequence[tuple[str, Mapping[str, int]]] = (
        ("trace source", seen.trace_sources),
        ("ground-truth source", seen.ground_truth_sources),
        ("ground-truth confidence", seen.ground_truth_confidences),
        ("elapsed seconds are counted from", seen.elapsed_origins),
        ("edited files are from", seen.patch_sources),
        (
            "line ranges known",
            {
                "yes": seen.has_chunk_ground_truth,
                "none": group.trials - seen.has_chunk_ground_truth,
            },
        ),
    )
    rows = [
        [what, Name(name), formats.count(number), formats.percent(number, group.trials)]
        for what, counts in kinds
        for name, number in sorted(counts.items(), key=lambda item: (-item[1], item[0]))
        if number
    ]
    return make_table("Where the evidence came from", ("what", "source", ">trials", ">share"), rows)


def _values(group: GroupSummary) -> ReportTable:
    """How many tasks have each number; the other tasks by reason."""
    rows = [
        [
            metric.heading("coverage"),
            formats.count(found.n),
            formats.count(group.tasks - found.n),
            left_out(found.left_out),
        ]
        for metric in METRICS.shown_in("coverage")
        if (found := group.value(metric.name)) is not None
    ]
    rows += [
        [
            f"outcome: {name}",
            formats.count(found.n),
            formats.count(group.tasks - found.n),
            left_out(found.left_out),
        ]
        for name, found in group.outcomes.items()
    ]
    return make_table(
        "What could be computed, over all tasks",
        ("numbers", ">tasks with", ">without", "left out"),
        rows,
    )


def _counted(caption: str, what: str, times: str, counts: Mapping[str, int]) -> ReportTable:
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    rows = [[Name(name), formats.count(number)] for name, number in ordered[:LISTED_TRIALS]]
    return make_table(caption, (what, f">{times}"), rows, _more(len(ordered)))


_ALWAYS: tuple[Paragraph, ...] = (
    (
        "Ground truth lists files that somebody considers relevant; other files may be useful "
        "too. Its confidence differs by source (see Coverage). A useful file that is not "
        "listed counts as irrelevant.",
    ),
    (
        "What an agent knew without looking, and what it saw without leaving a trace, does not "
        "count as met.",
    ),
    (
        "Tasks that never met a relevant file have no time to the first one. So look at its "
        "means together with the share of tasks that met any.",
    ),
    ("Chunk recall matches files, not lines: a chunk counts when its file was met.",),
    (
        (
            "Utilization metrics look at which files were written, not at whether the text in them "
            "is right."
        ),
    ),
    (
        "Tasks without ground truth or without a usable trace have no such metrics. They are "
        "counted in Coverage and are not zeroes.",
    ),
)

_METHOD = (
    ("Correlation", "correlation"),
    ("Its p", "correlation_p"),
    ("p of a delta", "delta_p"),
    ("Intervals", "interval"),
    ("Cost, time and tokens", "totals"),
    ("Adjusted p", "adjusted"),
    ("Margin", "margin"),
    ("Lost attempts", "lost"),
    ("Groups that disagree", "groups"),
    ("Finding and solving", "association"),
    ("When to look", "stopping"),
    ("What is flipped", "flipped"),
    ("Other comparisons", "other"),
    ("Ranks", "ranks"),
    ("Holm", "holm"),
    ("Effect size", "effect_size"),
    ("Matching", "matching"),
    ("Minimum", "minimum"),
)


def caveats_section(data: ReportData) -> Section:
    """Caveats of every report, then how its statistics were made."""
    method: tuple[Paragraph, ...] = ()
    if data.impact is not None:
        found = data.impact.method
        method = tuple((f"{title}: {getattr(found, field)}",) for title, field in _METHOD)
    return Section("method", "Method and caveats", (), (), (*_ALWAYS, *method))


def unknown_tools_section(data: ReportData) -> Section | None:
    """Tools that groundtrace does not know: how their calls were read, and how to declare them (D48).

    None if every tool is known and every MCP server counts."""
    summary = data.summary
    calls = {} if summary.unknown_tool_calls is UNSET else summary.unknown_tool_calls
    servers = {} if summary.servers_not_counted is UNSET else summary.servers_not_counted
    tools = unknown_tools(calls)
    note = about_servers(servers, Name)
    if not tools and not note:
        return None
    sentences = [what_was_read(tools), what_it_means(tools)] if tools else []
    rows = [
        [
            Name(tool.name),
            formats.count(tool.calls),
            formats.count(tool.read),
            formats.count(tool.failed),
            formats.count(tool.unread),
            tool.category,
        ]
        for tool in tools[:LISTED]
    ]
    more = len(tools) - LISTED
    table = make_table(
        "Unknown tools",
        ("tool", ">calls", ">read by guess", ">failed or empty", ">not read", "what most did"),
        rows,
        (f"and {more:,} more; run_retrieval_summary.json names all of them.",) if more > 0 else (),
    )
    return Section(
        "unknown-tools",
        "Unknown tools",
        tuple(part for part in (*((one,) for one in sentences), note) if part),
        (table,) if tools else (),
        code=settings_block(tools),
        code_caption="To declare them, add to groundtrace.toml:",
    )
