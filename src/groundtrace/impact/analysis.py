"""The impact document: what is computed, and how, in words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from msgspec import UNSET

from groundtrace.documents.base import SCHEMA_VERSION
from groundtrace.documents.impact import ImpactDocument, Method
from groundtrace.errors import UsageError
from groundtrace.impact.aggregates import aggregate
from groundtrace.impact.answer import AnswerInput, make_answers
from groundtrace.impact.association import MIN_COEFFICIENT, RERANK_LIMIT
from groundtrace.impact.correlation import correlate
from groundtrace.impact.flips import FLIP_DRAWS, MIN_CLUSTERS
from groundtrace.impact.matched import MIN_TASKS, choose_pairs, compare
from groundtrace.impact.observations import by_shared_clock, distinct_trials, observe
from groundtrace.impact.options import ImpactOptions
from groundtrace.impact.pooled import GRID_ABOVE, grid_shape
from groundtrace.impact.resample import (
    EXACT_FLIPS,
    EXACT_PERMUTATIONS,
    MIN_INFERENCE,
    UNDEFINED_DRAWS,
    Draws,
)
from groundtrace.impact.signflip import MIN_DIFFER
from groundtrace.impact.simulated_coverage import (
    CORRELATIONS,
    ENOUGH_TASKS,
    MEANS,
    coverage_by_size,
)
from groundtrace.impact.unpaired import compare_unpaired, share_no_task
from groundtrace.impact.verdicts import with_verdicts
from groundtrace.metrics.catalogue import QUANTITIES
from groundtrace.rows.trial_row import TrialRow

STATEMENT = (
    "Association only: these numbers describe how retrieval and outcomes vary together, and do "
    "not show that one causes the other. Nothing here ranks configurations, gates a run, or "
    "changes a reward or a score."
)


def impact_document(
    rows: Iterable[TrialRow], options: ImpactOptions, *, generated_at: str, scope: str
) -> ImpactDocument:
    """Correlations, matched comparisons and aggregates of the rows."""
    if options.draws < 1:
        raise UsageError(f"draws must be at least 1, not {options.draws}")
    for name in options.primaries:
        QUANTITIES[name]  # raises for an unknown name, and suggests the nearest one
    observations = observe(rows)
    trials = distinct_trials(observations)
    every, kept = (
        Counter(o.config_name for o in observations),
        Counter(o.config_name for o in trials),
    )
    configs = sorted(every)
    chosen = choose_pairs(configs, options)
    compared = [compare(observations, *pair, options, scope) for pair in chosen]
    matched, other = with_verdicts(compared, options)
    reason = None if chosen else _no_comparison(configs, options)
    alike = by_shared_clock(trials)
    aggregates = aggregate(alike, {name: every[name] - kept[name] for name in configs})
    unpaired = [
        compare_unpaired(trials, pair, options) for pair in chosen if share_no_task(trials, pair)
    ]
    answer, answers = make_answers(
        AnswerInput(matched, other, reason, aggregates, trials, unpaired), options
    )
    return ImpactDocument(
        schema_version=SCHEMA_VERSION,
        generated_at=generated_at,
        scope=scope,
        statement=STATEMENT,
        seed=options.seed,
        draws=options.draws,
        baseline=options.baseline,
        against=options.against,
        pair_across_runs=options.pair_across_runs,
        allow_unknown_version=options.allow_unknown_version,
        primaries=list(options.primaries),
        n_trials=len(trials),
        n_copies=len(observations) - len(trials),
        answer=answer,
        answers=answers,
        method=_method(options),
        correlation_analysis=correlate(alike, Draws(options.seed, options.draws)),
        matched_comparisons=matched,
        other_comparisons=other,
        matched_reason=reason,
        config_aggregates=aggregates,
        unpaired_comparisons=unpaired or UNSET,
    )


def _no_comparison(configs: list[str], options: ImpactOptions) -> str:
    named = ", ".join(configs) if configs else "none"
    if len(configs) < 2:
        return f"a comparison needs two configurations (found: {named})"
    if options.against is not None:
        return f"{options.baseline!r} and {options.against!r} name the same configuration"
    return (
        f"no configuration is named {options.baseline!r} (found: {named}); use --baseline NAME "
        "to say which configuration to compare with"
    )


_METHODS = {
    "correlation": (
        "Spearman's coefficient by mid-ranks. Trials of a task and configuration are "
        "averaged first, over those that have both values. overall: one value for each "
        "task, the mean over its configurations; config: the tasks of one configuration; "
        "within_config: ranks inside each configuration, centred, divided by its number of "
        "tasks, and pooled. If there are several suites, ranks are taken inside each "
        "suite, and permutations exchange tasks only inside a suite."
    ),
    "totals": (
        "Cost, time and tokens are compared like other metrics: means, their difference, its "
        "interval. typical_ratio is the geometric mean of configuration over baseline, with "
        "test and interval on logarithms; there is none if a value is 0 or less. Cost of a "
        "solved task: total cost divided by solved tasks, with Fieller's interval."
    ),
    "margin": (
        "With a margin: rewards of 0 and 1 by an exact bound of the loss (Tango's score, the "
        "worst share of lost tasks), at the level of the rows; other rewards, or repositories "
        "as units, by the row's interval. Nothing is claimed where that is refused."
    ),
    "lost": (
        "Attempts of a task are averaged. An attempt without a valid reward is lost: it has no "
        "reward, and other values count. If counting lost attempts as 0 would change the "
        "verdict about reward, the verdict is open."
    ),
    "groups": (
        "Suites, models and repositories with at least 3 tasks: do mean deltas vary more than "
        "if tasks were dealt at random? Permutations of tasks, of models within tasks, or of "
        "whole repositories between suites (if suites share repositories: sign flips of whole "
        "repositories); p_adjusted is p times the number of such tests."
    ),
    "association": (
        "Relevant files shown and reward of single trials. across: over tasks' means. within: task and "
        "configuration means taken out. Slopes are tested by sign flips of tasks, or of "
        "repositories from 6 up. by_found: Newcombe's interval, widened by how alike trials of "
        "a task or repository are; strata: Mantel and Haenszel's odds ratio."
    ),
    "stopping": (
        "Decide the number of tasks before you look. Whoever looks after every task and stops "
        "at the first clear verdict finds false differences far more often than in 5 %."
    ),
    "flipped": (
        f"Tasks; if at least {MIN_CLUSTERS} repositories are known, whole repositories, "
        "because tasks of one repository are similar. With fewer, a verdict is about tasks of "
        "these repositories only."
    ),
    "other": (
        "All tasks that both configurations ran. For each task, as few requirements of a "
        "matched pair as possible are given up; not_met names them. Only present if this "
        "adds tasks to the matched ones."
    ),
    "ranks": (
        f"Up to {RERANK_LIMIT} tasks every resample is ranked again. With more tasks, the "
        "ranks and the influence of each task on the coefficient (including its effect on "
        "other ranks) are computed once, and resamples add up influences; such entries "
        "have ranks_once."
    ),
    "holm": (
        "Holm over all correlations of one scope (overall, each configuration, within "
        "configurations)."
    ),
    "effect_size": (
        "Cohen's dz: mean delta divided by the standard deviation of the deltas (n - 1); "
        "null if all deltas agree. Its sign is that of configuration minus baseline."
    ),
    "minimum": (
        f"No coefficient below {MIN_COEFFICIENT} tasks or when a side is constant; no delta "
        f"below {MIN_TASKS} pairs; no p, interval or effect size below {MIN_INFERENCE}. "
        "Quartiles interpolate linearly."
    ),
}
"""How numbers are made, where no option changes it."""


def _method(options: ImpactOptions) -> Method:
    left, right = grid_shape(options.draws)
    combined = left * right - 1
    return Method(
        correlation_p=(
            "Two-sided permutation of the outcomes over tasks; a task's outcomes in several "
            "configurations move together, among tasks run in the same configurations. All "
            f"permutations if there are at most {EXACT_PERMUTATIONS:,}, else {options.draws:,} "
            "random ones and p = (b + 1) / (draws + 1). Above "
            f"{GRID_ABOVE} tasks, {combined:,} random ones, made by combining {left} with "
            f"{right} permutations."
        ),
        delta_p=(
            f"Two-sided sign flips of the deltas: all of them if at most {EXACT_FLIPS} deltas "
            f"are not zero, else {max(options.draws, FLIP_DRAWS):,} random ones (fewer above "
            "1,250 tasks) and p = (b + 1) / (draws + 1). p_smallest is the smallest p that is "
            "possible with this number of differences."
        ),
        interval=(
            "Mean deltas: all means that the sign-flip test does not reject, so the interval "
            "excludes 0 exactly when p is below its level. The intervals of the answer's rows hold "
            "together with 95 %; an exploratory metric has its own 95 %. There is none if fewer "
            f"than {MIN_DIFFER} tasks differ. If all differ by the same amount, the interval allows "
            "for the share of unchanged tasks that could have been missed. In simulations, 94 to "
            f"97 % of such intervals contained the true value with {ENOUGH_TASKS} tasks or more; "
            f"with fewer, by number of tasks: {coverage_by_size(MEANS)}. Skewed costs: fewer, see "
            "the page on statistics. Correlations: 95 "
            f"% BCa bootstrap over tasks, {options.draws:,} resamples; none if more than "
            f"{100 * UNDEFINED_DRAWS:.0f} % of the resamples have no value or all agree; in "
            f"simulations, by number of tasks: {coverage_by_size(CORRELATIONS)}. Draws depend "
            "only on the seed and on the number of tasks."
        ),
        adjusted=(
            f"Rows of the answer ({', '.join(options.primaries)}; if cost is unknown, time or "
            "tokens) over all configurations are one family: each interval is made at 5 % divided "
            "by their number, and p_adjusted is p times their number. A row whose p could not "
            "reach its level, whatever the signs of its differences, is untestable and not "
            "counted. All other metrics and single suites are exploratory: no adjusted p, no "
            "verdict."
        ),
        matching=(
            "Same task, model without provider prefix, harness and known harness version, valid "
            "reward on both sides, "
            + ("from any run" if options.pair_across_runs else "within one run")
            + ". Trials are averaged within run and task, then a task's runs, so n counts "
            "tasks; means that differ by less than 1e-9 of their size are the same. Copies "
            "of a trial count once in a configuration; runs that share a copy are one run "
            "for its task. A task that is matched in no run counts once as dropped, under "
            "the requirement that it failed last."
        ),
        **_METHODS,
    )
