"""The impact document: what is computed, and in words how."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from groundtrace.documents.base import SCHEMA_VERSION
from groundtrace.documents.impact import ImpactDocument, Method
from groundtrace.errors import UsageError
from groundtrace.impact.aggregates import aggregate
from groundtrace.impact.association import MIN_COEFFICIENT, RERANK_LIMIT
from groundtrace.impact.correlation import correlate
from groundtrace.impact.matched import MIN_TASKS, choose_pairs, matched_comparisons
from groundtrace.impact.observations import distinct_trials, observe
from groundtrace.impact.options import ImpactOptions
from groundtrace.impact.resample import (
    EXACT_FLIPS,
    EXACT_PERMUTATIONS,
    MIN_INFERENCE,
    UNDEFINED_DRAWS,
    Draws,
)
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
    observations = observe(rows)
    trials = distinct_trials(observations)
    every, kept = Counter(o.config for o in observations), Counter(o.config for o in trials)
    configs = sorted(every)
    chosen = choose_pairs(configs, options)
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
        n_trials=len(trials),
        n_copies=len(observations) - len(trials),
        method=_method(options),
        correlation_analysis=correlate(trials, Draws(options.seed, options.draws)),
        matched_comparisons=[
            comparison
            for baseline, config in chosen
            for comparison in matched_comparisons(observations, baseline, config, options, scope)
        ],
        matched_reason=None if chosen else _no_comparison(configs, options),
        config_aggregates=aggregate(trials, {name: every[name] - kept[name] for name in configs}),
    )


def _no_comparison(configs: list[str], options: ImpactOptions) -> str:
    named = ", ".join(configs) if configs else "none"
    if len(configs) < 2:
        return f"a comparison needs two configurations (found: {named})"
    if options.against is not None:
        return f"{options.baseline!r} and {options.against!r} name the same configuration"
    return f"no configuration is named {options.baseline!r} (found: {named}); name the baseline"


def _method(options: ImpactOptions) -> Method:
    return Method(
        correlation=(
            "Spearman's coefficient by mid-ranks. Trials of a task and configuration are averaged "
            "first, over those that have both values. overall: one value a task, the mean over "
            "its configurations; config: the tasks of one configuration; within_config: ranks "
            "inside each configuration, centred, divided by its number of tasks, and pooled."
        ),
        correlation_p=(
            "Two-sided permutation of the outcomes over tasks; a task's outcomes in several "
            "configurations move together, among tasks seen in the same configurations. All "
            f"permutations where there are at most {EXACT_PERMUTATIONS}, else "
            f"{options.draws} random ones and p = (b + 1) / (draws + 1)."
        ),
        delta_p=(
            "Two-sided sign flips of the deltas by task: all of them where at most "
            f"{EXACT_FLIPS} deltas are not zero, else {options.draws} random ones and "
            "p = (b + 1) / (draws + 1)."
        ),
        interval=(
            f"95 % BCa bootstrap over tasks, {options.draws} resamples. None where more than "
            f"{UNDEFINED_DRAWS:.0%} of the resamples have no value or all agree. Those of mean "
            "deltas are too narrow below about 20 tasks, of skewed values below about 50: in "
            "simulations 80 to 92 % of them held the true value. Draws depend on the seed and on "
            "the number of tasks alone."
        ),
        ranks=(
            f"Up to {RERANK_LIMIT} tasks every resample is ranked again. Above, ranks and the "
            "influence of each task on the coefficient, changes of rank included, are computed "
            "once and resamples add up influences; such entries have ranks_once."
        ),
        holm=(
            "One table is all correlations of one scope (overall, each configuration, within "
            "configurations); of one comparison (one configuration, one suite or all of them) the "
            "outcomes are one table and the retrieval and utilization metrics another."
        ),
        effect_size=(
            "Cohen's dz: mean delta over the standard deviation of the deltas (n - 1); null when "
            "all deltas agree. Its sign is that of configuration minus baseline."
        ),
        matching=(
            "Same task, model without provider prefix, harness and known harness version, valid "
            "reward on both sides, "
            + ("from any run" if options.pair_across_runs else "within one run")
            + ". Trials are averaged within run and task, then a task's runs, so n counts tasks; "
            "means that differ by less than 1e-9 of their size are the same. Copies of a trial "
            "count once in a configuration; runs that share a copy are one run for its task. A "
            "task matched in no run counts once, under the requirement that it failed last."
        ),
        minimum=(
            f"No coefficient below {MIN_COEFFICIENT} tasks or when a side is constant; no delta "
            f"below {MIN_TASKS} pairs; no p, interval or effect size below {MIN_INFERENCE}. "
            "Quartiles interpolate linearly."
        ),
    )
