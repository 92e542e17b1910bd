"""The answer, the same lines as in the terminal; then how retrieval and outcomes vary together, and
how configurations differ."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from groundtrace.documents.comparison import Delta, FirstHits, MatchedComparison
from groundtrace.documents.impact import Correlation, CorrelationScope, ImpactDocument
from groundtrace.impact.answer_look_at import REQUIREMENTS, dropped_in_words
from groundtrace.impact.row_numbers import Numbers
from groundtrace.impact.simulated_coverage import (
    CORRELATIONS,
    MEANS,
    SimulatedCoverage,
    coverage_text,
)
from groundtrace.metrics.catalogue import QUANTITIES
from groundtrace.report import formats
from groundtrace.report.answer_text import analysis_text
from groundtrace.report.blocks import (
    Name,
    Paragraph,
    Quoted,
    ReportTable,
    Section,
    detailed,
    headings,
    make_table,
)
from groundtrace.report.data import ReportData
from groundtrace.report.wording import left_out, plural, reason


def answer_section(data: ReportData) -> Section:
    """What a reader must know to decide."""
    if data.impact is None:
        why: Paragraph = ("No analysis was made; ", Name("groundtrace impact"), " writes it.")
        return Section("answer", "The answer", (why,))
    answer = data.impact.answer
    notes: tuple[Paragraph, ...] = ()
    if any(row.ci_low is not None for row in answer.rows):
        said = coverage_text(MEANS, (row.n for row in answer.rows if row.ci_low is not None))
        text = (
            "A row says higher or lower only if its interval leaves out 0; all intervals of the "
            f"answer together hold with 95 %. {said}"
        )
        notes = ((text.strip(),),)
    return Section("answer", "The answer", notes, text=analysis_text(data.impact))


_SCOPES: Sequence[tuple[CorrelationScope, str]] = (
    ("overall", "Correlations over tasks, each task's configurations averaged"),
    ("within_config", "Correlations within configurations, pooled"),
)


def impact_section(data: ReportData) -> Section:
    """Correlations, then each matched comparison with its intervals."""
    found = data.impact
    if found is None:
        why: Paragraph = ("No analysis was made; ", Name("groundtrace impact"), " writes it.")
        if data.impact_problem is not None:
            why = ("The analysis could not be read: ", Quoted(data.impact_problem), ".")
        return Section("comparisons", "Comparisons and correlations", (why,))
    return Section(
        "comparisons",
        "Comparisons and correlations",
        tuple(_sentences(found)),
        tuple(_tables(found)),
    )


def _sentences(found: ImpactDocument) -> Iterator[Paragraph]:
    yield (found.statement,)
    number = plural(found.n_copies, "copy", "copies")
    copies = f" ({number} not counted again)" if found.n_copies else ""
    yield (
        f"Over {plural(found.n_trials, 'trial')}{copies}. "
        f"Seed {found.seed}, {found.draws:,} draws. Rows of the answer: "
        f"{', '.join(found.primaries)}. The section Method says how intervals and p are made. "
        "impact_analysis.json holds every number, also the correlations of each configuration.",
    )
    for note in found.correlation_analysis.notes:
        yield (f"{note}.",)
    if not found.correlation_analysis.computable:
        yield (f"No correlation: {reason(found.correlation_analysis.reason)}.",)
    if found.matched_reason is not None:
        yield ("No matched comparison: ", Quoted(found.matched_reason), ".")


def _minus(comparison: MatchedComparison) -> Paragraph:
    return (Name(comparison.config), " minus ", Name(comparison.baseline_config))


def _whole(found: ImpactDocument) -> list[MatchedComparison]:
    return [c for c in found.matched_comparisons if c.suite is None]


def _overview(found: ImpactDocument) -> ReportTable:
    """Which configurations could be compared on how many tasks, and why not on more."""
    rows = [
        [
            Name(c.config),
            Name(c.baseline_config),
            formats.count(c.n_matched_tasks),
            formats.count(c.n_unknown_version),
            Name(dropped_in_words(c)) if c.dropped else "none",
            ", ".join(REQUIREMENTS[name] for name in c.not_met) or "none",
            "yes" if c.computable else Quoted(c.reason or "no"),
        ]
        for c in (*_whole(found), *found.other_comparisons)
    ]
    return make_table(
        "What could be compared",
        headings(
            "config | baseline | >matched tasks | >of unknown version | tasks not compared | "
            "not met by some pairs | compared"
        ),
        rows,
        (
            "If some pairs do not meet a requirement of a matched comparison, the row is a "
            "separate comparison over all tasks that both configurations ran.",
        ),
    )


def _tables(found: ImpactDocument) -> Iterator[ReportTable]:
    if found.matched_comparisons:
        yield _overview(found)
    wider = [
        c
        for c in found.other_comparisons
        if not any(
            m.computable and (m.config, m.baseline_config) == (c.config, c.baseline_config)
            for m in _whole(found)
        )
    ]
    for comparison in (*_whole(found), *wider):
        if comparison.computable:
            yield from detailed(
                _comparison(comparison), *_beside(comparison), *_finders(comparison)
            )
            suites = [
                c
                for c in found.matched_comparisons
                if c.suite is not None
                and (c.config, c.baseline_config) == (comparison.config, comparison.baseline_config)
            ]
            if suites:
                yield from detailed(_by_suite(comparison, suites))
    yield from _short_correlations(found.correlation_analysis.correlations)
    for scope, caption in _SCOPES:
        rows = [c for c in found.correlation_analysis.correlations if c.scope == scope]
        if rows:
            yield from detailed(_correlations(caption, rows))


_SHORT = ("file_recall", "shown.file_recall", "mrr", "util_read_overlap_with_relevant_files")
"""Retrieval metrics of the short table."""


def _short_correlations(found: Sequence[Correlation]) -> Iterator[ReportTable]:
    """A few metrics with each outcome, over tasks; the tables of every metric are detail."""
    by_pair = {
        (c.retrieval_metric, c.outcome): c
        for c in found
        if c.scope == "overall" and c.retrieval_metric in _SHORT and c.spearman_r is not None
    }
    outcomes = list(dict.fromkeys(outcome for _, outcome in by_pair))
    if not outcomes:
        return
    rows = []
    for metric in _SHORT:
        row: list[str] = [Name(metric)]
        for outcome in outcomes:
            one = by_pair.get((metric, outcome))
            row.append("–" if one is None else f"{formats.signed(one.spearman_r)} ({one.n:,})")
        rows.append(row)
    yield make_table(
        "Rank correlations with outcomes, over tasks",
        ("metric", *(f">{outcome}" for outcome in outcomes)),
        rows,
        ("Spearman's r (tasks with both values). Association only.",),
    )


def _correlations(caption: str, found: Sequence[Correlation]) -> ReportTable:
    rows = [
        [
            Name(c.retrieval_metric),
            formats.direction(c.retrieval_metric),
            Name(c.outcome),
            formats.direction(c.outcome),
            formats.signed(c.spearman_r),
            formats.interval(c.ci_low, c.ci_high),
            formats.p_value(c.p),
            formats.p_value(c.p_holm),
            formats.count(c.n),
            left_out(c.left_out),
            _why(c.reason, c.inference_reason),
        ]
        for c in found
    ]
    return make_table(
        caption,
        headings(
            "metric | better | outcome | better | >Spearman r | >interval | >p | >p Holm | "
            ">n | left out | why missing"
        ),
        rows,
        (
            "r is positive if both values rise together. A positive r is not better or worse "
            "by itself. n counts tasks with both values."
            + _coverage(CORRELATIONS, (c.n for c in found if c.ci_low is not None)),
        ),
    )


def _coverage(table: Mapping[int, SimulatedCoverage], sizes: Iterable[int]) -> str:
    """What simulations say about the intervals of a table; added after its note."""
    said = coverage_text(table, sizes)
    return f" {said}" if said else ""


def _why(*codes: str | None) -> str:
    return "; ".join(reason(code) for code in codes if code)


def _comparison(comparison: MatchedComparison) -> ReportTable:
    by_name = {delta.metric: delta for delta in comparison.deltas}
    rows = [_delta(by_name[name]) for name in QUANTITIES.names_in("comparison") if name in by_name]
    return make_table(
        (*_minus(comparison), ", tasks of both" if comparison.not_met else ", matched tasks"),
        ("number", *_DELTA_COLUMNS),
        rows,
        (
            f"Tests flip {comparison.flipped}. Rows of the answer have a verdict, an adjusted p "
            "and intervals that hold together with 95 %; all others are exploratory: each interval "
            "holds alone. Better, same "
            "and worse count tasks; for each metric, ↑ or ↓ says what is better. Times to the "
            "first relevant file exist only for tasks in which both sides met one; the column “left "
            "out” counts tasks in which only one side did."
            + _coverage(MEANS, _with_interval(comparison)),
        ),
    )


def _with_interval(comparison: MatchedComparison) -> Iterator[int]:
    """Number of tasks behind each number that has an interval."""
    shown = QUANTITIES.names_in("comparison")
    for delta in comparison.deltas:
        if delta.metric in shown and delta.ci_low is not None:
            yield delta.n


_DELTA_COLUMNS = headings(
    "better | verdict | >baseline | >config | >mean delta | >interval | >p | >smallest p | "
    ">p adjusted | >effect size | >better/same/worse | >n | left out | why missing"
)


def _delta(found: Delta) -> list[str]:
    name = found.metric
    means = formats.compared(name, numbers_of(found))
    gaps = left_out(found.left_out)
    if found.only_baseline_hit or found.only_config_hit:
        gaps += (
            f"; met by the baseline only: {found.only_baseline_hit}, "
            f"by the configuration only: {found.only_config_hit}"
        )
    return [
        Name(name),
        found.direction,
        (found.verdict or "exploratory").replace("_", " "),
        *means[:3],
        _interval(means[3], found),
        formats.p_value(found.p),
        formats.p_value(found.p_smallest),
        formats.p_value(found.p_adjusted),
        formats.signed(found.effect_size),
        f"{found.n_better}/{found.n_same}/{found.n_worse}",
        formats.count(found.n),
        gaps,
        _why(found.reason, found.inference_reason),
    ]


def numbers_of(found: Delta | FirstHits) -> Numbers:
    """The two means of a row of a comparison, their difference and its interval."""
    means = (found.mean_baseline, found.mean_config, found.mean_delta)
    return Numbers(*means, found.ci_low, found.ci_high)


def _interval(ends: str, found: Delta) -> str:
    """The interval of the mean delta, and the typical ratio beside it."""
    if found.typical_ratio is None:
        return ends
    text = f"{ends}; typical × {found.typical_ratio:.2f}"
    if found.typical_low is None or found.typical_high is None:
        return text
    return f"{text}, {found.typical_low:.2f} to {found.typical_high:.2f}"


def _beside(comparison: MatchedComparison) -> Iterator[ReportTable]:
    """Tables beside a comparison; both are exploratory."""
    yield from _tandem(comparison)
    yield from _first_hits(comparison)


def _tandem(comparison: MatchedComparison) -> Iterator[ReportTable]:
    """Whether reward changed in the tasks where retrieval changed."""
    if not comparison.tandem:
        return
    yield make_table(
        (
            *_minus(comparison),
            (": did reward change where finding changed? (exploratory)"),
        ),
        headings(
            "difference in | difference in | >Spearman r | >interval | >p | "
            ">same direction | >opposite | >one unchanged | >n | why missing"
        ),
        [
            [
                Name(t.retrieval_metric),
                Name(t.outcome),
                formats.signed(t.spearman_r),
                formats.interval(t.ci_low, t.ci_high),
                formats.p_value(t.p),
                formats.count(t.together),
                formats.count(t.opposed),
                formats.count(t.unchanged),
                formats.count(t.n),
                _why(t.reason),
            ]
            for t in comparison.tandem
        ],
        (
            (
                "Both differences are from the same tasks, so how hard a task is has no "
                "effect. Association only."
            )
            + _coverage(CORRELATIONS, (t.n for t in comparison.tandem if t.ci_low is not None)),
        ),
    )


def _first_hits(comparison: MatchedComparison) -> Iterator[ReportTable]:
    """The first relevant file, with misses counted."""
    shown = [h for h in comparison.first_hits if h.n]
    if not shown:
        return
    yield make_table(
        (*_minus(comparison), ": first relevant file, with misses counted (exploratory)"),
        headings(
            "number | >baseline | >config | >mean delta | >interval | >p | "
            ">missed by baseline | >missed by config | >n | left out | why missing"
        ),
        [
            [
                Name(h.metric),
                *formats.compared(h.metric, numbers_of(h)),
                formats.p_value(h.p),
                formats.count(h.misses_baseline),
                formats.count(h.misses_config),
                formats.count(h.n),
                left_out(h.left_out),
                _why(h.reason),
            ]
            for h in shown
        ],
        (
            "A task that never met one counts with the latest time of either side. Only tasks whose two sides "
            "are counted from the same moment."
            + _coverage(MEANS, (h.n for h in shown if h.ci_low is not None)),
        ),
    )


def _finders(comparison: MatchedComparison) -> Iterator[ReportTable]:
    """What each tool, server and agent found, and what the other side never met."""
    if not comparison.finders:
        return
    yield make_table(
        (*_minus(comparison), ": who found the relevant files of the matched tasks"),
        headings(
            "by | finder | >baseline | >config | >difference | >only config met | "
            ">only baseline met | >n"
        ),
        [
            [
                Name(found.by),
                Name(found.finder),
                *formats.compared(
                    "file_recall", Numbers(found.share_baseline, found.share_config, found.delta)
                )[:3],
                formats.short_share(found.not_in_baseline),
                formats.short_share(found.not_in_config),
                formats.count(found.n),
            ]
            for found in comparison.finders
        ],
        (
            "Shares of a task's relevant files that the finder met first, averaged over tasks. Only "
            "config met: no call of the baseline met these files. It describes what was found; "
            "nothing is tested.",
        ),
    )


def _by_suite(whole: MatchedComparison, suites: Sequence[MatchedComparison]) -> ReportTable:
    names = QUANTITIES.names_in("comparison_by_suite")
    rows = []
    for comparison in suites:
        suite = Name(comparison.suite or "")
        if not comparison.computable:
            refused = reason(comparison.reason)
            blank = [formats.MISSING] * (len(_DELTA_COLUMNS) - 3)
            n = formats.count(comparison.n_matched_tasks)
            rows.append([suite, "all", "", *blank[:-1], n, "", Quoted(refused)])
            continue
        by_name = {delta.metric: delta for delta in comparison.deltas}
        rows += [[suite, *_delta(by_name[name])] for name in names if name in by_name]
    return make_table(
        (*_minus(whole), ", by suite (exploratory: p is not adjusted)"),
        ("suite", "number", *_DELTA_COLUMNS),
        rows,
    )
