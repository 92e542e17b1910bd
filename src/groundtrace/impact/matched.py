"""Matched comparisons: what a configuration differs in from the baseline (D33 to D36)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

import msgspec
import numpy as np

from groundtrace.documents.impact import (
    Delta,
    Direction,
    DroppedTask,
    MatchedComparison,
    MatchedTask,
    PairDropReason,
)
from groundtrace.impact.observations import Observation, hit_metric, stored_number
from groundtrace.impact.options import ImpactOptions
from groundtrace.impact.pairing import Pair, pair_tasks
from groundtrace.impact.resample import (
    MIN_INFERENCE,
    Draws,
    Floats,
    Interval,
    flip_tests,
    holm,
    mean_intervals,
)
from groundtrace.metrics.catalogue import METRICS, OUTCOMES, QUANTITIES
from groundtrace.rows.means import NOISE, difference, mean_of, quantile, without_noise

MIN_TASKS = 3
"""Matched tasks below which nothing is computed (D33)."""

COMPARED: dict[str, Direction] = {name: record.better for name, record in QUANTITIES.items()}
"""Everything that is compared, with its direction, outcomes first."""


@dataclass(frozen=True, slots=True)
class _Task:
    """A matched task with both sides' values."""

    pair: Pair
    baseline: dict[str, float]
    config: dict[str, float]


def choose_pairs(configs: Sequence[str], options: ImpactOptions) -> list[tuple[str, str]]:
    """(baseline, configuration) to compare; a name that is given is kept even if it is absent.

    Where several configurations fit the baseline's pattern each of them is a baseline, since
    nothing says which is meant; where nothing else is left, the first is.
    """
    names = sorted(configs)
    baselines = _fitting(names, options.baseline)
    if options.against is not None:
        others = _fitting(names, options.against) or [options.against]
        baselines = baselines or [options.baseline]
        return [(b, c) for b in baselines for c in others if b != c]
    others = [name for name in names if name not in baselines]
    if not others:
        return [(baselines[0], name) for name in baselines[1:]]
    return [(b, c) for b in baselines for c in others]


def _fitting(names: Sequence[str], pattern: str) -> list[str]:
    if pattern in names:
        return [pattern]
    return [name for name in names if fnmatchcase(name.lower(), pattern.lower())]


def matched_comparisons(
    observations: Sequence[Observation],
    baseline: str,
    config: str,
    options: ImpactOptions,
    scope: str,
) -> list[MatchedComparison]:
    """One configuration against one baseline: over all suites, then by suite."""
    pairs = pair_tasks(
        [o for o in observations if o.config == baseline],
        [o for o in observations if o.config == config],
        across_runs=options.pair_across_runs,
        allow_unknown_version=options.allow_unknown_version,
    )
    names = list(COMPARED)
    tasks = [_Task(pair, *pair.values(names)) for pair in pairs if pair.cells]
    dropped = [pair for pair in pairs if not pair.cells]
    draws = Draws(options.seed, options.draws)
    absent = [
        name for name in (baseline, config) if not any(o.config == name for o in observations)
    ]
    result = [_comparison(scope, None, baseline, config, tasks, dropped, absent, draws)]
    for suite in _suites(observations, pairs, baseline, config):
        own_tasks = [task for task in tasks if task.pair.benchmark == suite]
        own_dropped = [pair for pair in dropped if pair.benchmark == suite]
        result.append(
            _comparison(scope, suite, baseline, config, own_tasks, own_dropped, absent, draws)
        )
    return result


def _suites(
    observations: Sequence[Observation], pairs: Sequence[Pair], baseline: str, config: str
) -> list[str]:
    """Suites that both configurations ran, where there is more than one suite at all."""
    if len({pair.benchmark for pair in pairs}) < 2:
        return []
    ours = {o.benchmark for o in observations if o.config == baseline}
    theirs = {o.benchmark for o in observations if o.config == config}
    return sorted(suite for suite in ours & theirs if suite)


def _comparison(
    scope: str,
    suite: str | None,
    baseline: str,
    config: str,
    tasks: Sequence[_Task],
    dropped: Sequence[Pair],
    absent: Sequence[str],
    draws: Draws,
) -> MatchedComparison:
    computable = len(tasks) >= MIN_TASKS
    counts: Counter[PairDropReason] = Counter(p.reason for p in dropped if p.reason is not None)
    return MatchedComparison(
        run_scope=scope,
        suite=suite,
        baseline_config=baseline,
        config=config,
        computable=computable,
        reason=None if computable else _refusal(len(tasks), counts, absent),
        n_matched_tasks=len(tasks),
        n_unknown_version=sum(any(c.unknown_version for c in t.pair.cells) for t in tasks),
        dropped=dict(sorted(counts.items())),
        deltas=_deltas(tasks, draws) if computable else [],
        tasks=[_row(task) for task in tasks] if suite is None else None,
        dropped_tasks=[
            DroppedTask(task_name=p.task_name, benchmark=p.benchmark, reason=p.reason)
            for p in dropped
            if p.reason is not None
        ]
        if suite is None
        else None,
    )


def _refusal(matched: int, counts: Counter[PairDropReason], absent: Sequence[str]) -> str:
    if absent:
        return f"no trial of {' or '.join(repr(name) for name in absent)} here"
    said = ", ".join(f"{reason} {n}" for reason, n in sorted(counts.items()))
    text = f"{matched} matched task{'' if matched == 1 else 's'}, at least {MIN_TASKS} are needed"
    return f"{text} (dropped: {said})" if said else text


def _row(task: _Task) -> MatchedTask:
    cells = task.pair.cells
    trials = [o for cell in cells for o in (*cell.baseline, *cell.config)]
    return MatchedTask(
        task_name=task.pair.task_name,
        benchmark=task.pair.benchmark,
        runs=sorted({o.run_id for o in trials}),
        models=sorted({o.model for o in trials if o.model}),
        harness_versions=sorted({o.version for o in trials if o.version}),
        n_trials_baseline=sum(len(cell.baseline) for cell in cells),
        n_trials_config=sum(len(cell.config) for cell in cells),
        baseline=task.baseline,
        config=task.config,
    )


def _deltas(tasks: Sequence[_Task], draws: Draws) -> list[Delta]:
    """One delta for each metric and outcome.

    Holm's adjustment is over outcomes and over metrics separately: whether outcomes differ is a
    question of its own, and 49 related retrieval metrics would hide the answer.
    """
    sides: dict[str, tuple[Floats, Floats]] = {}
    for name in COMPARED:
        both = [t for t in tasks if name in t.baseline and name in t.config]
        sides[name] = (
            np.array([t.baseline[name] for t in both], dtype=np.float64),
            np.array([t.config[name] for t in both], dtype=np.float64),
        )
    deltas = {name: _difference(*values) for name, values in sides.items()}
    inferred = _infer({n: d for n, d in deltas.items() if len(d) >= MIN_INFERENCE}, draws)
    adjusted: dict[str, float | None] = {}
    for table in (OUTCOMES, METRICS):
        ps = [inferred[name].p if name in inferred else None for name in table]
        adjusted.update(zip(table, holm(ps), strict=True))
    return [
        _delta(name, tasks, sides[name], deltas[name], inferred.get(name), adjusted[name])
        for name in COMPARED
    ]


def _difference(baseline: Floats, config: Floats) -> Floats:
    """Configuration minus baseline for each task."""
    pairs = zip(baseline.tolist(), config.tolist(), strict=True)
    return np.array([difference(*pair) for pair in pairs], dtype=np.float64)


@dataclass(frozen=True, slots=True)
class _Inferred:
    interval: Interval
    p: float
    exact: bool


def _infer(deltas: dict[str, Floats], draws: Draws) -> dict[str, _Inferred]:
    """Intervals and tests; metrics with as many pairs share their draws."""
    by_size: dict[int, list[str]] = {}
    for name, delta in deltas.items():
        if np.isfinite(delta).all():
            by_size.setdefault(len(delta), []).append(name)
    result = {}
    for names in by_size.values():
        columns = np.stack([deltas[name] for name in names], axis=1)
        found = zip(names, mean_intervals(columns, draws), flip_tests(columns, draws), strict=True)
        for name, interval, (p, exact) in found:
            result[name] = _Inferred(interval, p, exact)
    return result


def _delta(
    name: str,
    tasks: Sequence[_Task],
    sides: tuple[Floats, Floats],
    delta: Floats,
    inferred: _Inferred | None,
    p_holm: float | None,
) -> Delta:
    n = len(delta)
    reason = _too_little(delta)
    better = delta > 0 if COMPARED[name] == "higher" else delta < 0
    only_baseline, only_config = _one_sided_hits(name, tasks)
    base = Delta(
        metric=name,
        table="outcomes" if name in OUTCOMES else "metrics",
        direction=COMPARED[name],
        computable=reason is None,
        reason=reason,
        mean_baseline=None,
        mean_config=None,
        mean_delta=None,
        median_delta=None,
        q1=None,
        q3=None,
        n_better=int(np.sum(better)),
        n_worse=int(np.sum(delta != 0)) - int(np.sum(better)),
        n_same=int(np.sum(delta == 0)),
        ci_low=None,
        ci_high=None,
        p=None,
        p_holm=None,
        p_exact=None,
        effect_size=None,
        inference_reason=f"fewer_than_{MIN_INFERENCE}_pairs" if n < MIN_INFERENCE else "not_finite",
        n=n,
        left_out=_left_out(name, tasks),
        only_baseline_hit=only_baseline,
        only_config_hit=only_config,
    )
    if reason is not None:
        return base
    ordered = sorted(delta.tolist())
    largest = [float(np.max(np.abs(side))) for side in sides]
    q1, median, q3 = (
        without_noise(quantile(ordered, share), *largest) for share in (0.25, 0.5, 0.75)
    )
    means = [_mean(side) for side in sides]
    described = msgspec.structs.replace(
        base,
        mean_baseline=stored_number(means[0]),
        mean_config=stored_number(means[1]),
        mean_delta=stored_number(without_noise(_mean(delta), *means)),
        median_delta=stored_number(median),
        q1=stored_number(q1),
        q3=stored_number(q3),
    )
    if inferred is None:
        return described
    return msgspec.structs.replace(
        described,
        ci_low=_end(inferred.interval.low, largest),
        ci_high=_end(inferred.interval.high, largest),
        p=stored_number(inferred.p),
        p_holm=stored_number(p_holm),
        p_exact=inferred.exact,
        effect_size=stored_number(effect_size(delta)),
        inference_reason=inferred.interval.reason,
    )


def _end(value: float | None, largest: Sequence[float]) -> float | None:
    """One end of an interval of differences."""
    return None if value is None else stored_number(without_noise(value, *largest))


def _too_little(delta: Floats) -> str | None:
    if len(delta) < MIN_TASKS:
        return f"fewer_than_{MIN_TASKS}_pairs"
    # Values of 1e308 on opposite sides: no mean of such deltas can be written down.
    return None if float(np.max(np.abs(delta))) < 1e300 else "not_finite"


def _mean(values: Floats) -> float:
    return mean_of(values.tolist()) or 0.0


def effect_size(delta: Floats) -> float | None:
    """Cohen's dz: mean delta over the standard deviation of the deltas; None when they agree."""
    scale = float(np.max(np.abs(delta)))
    if scale == 0:
        return None
    scaled = delta / scale
    spread = float(np.std(scaled, ddof=1))
    return without_noise(float(np.mean(scaled)) / spread, 1.0) if spread > NOISE else None


def _left_out(name: str, tasks: Sequence[_Task]) -> dict[str, int]:
    found: Counter[str] = Counter()
    for task in tasks:
        ours, theirs = name in task.baseline, name in task.config
        if not ours and not theirs:
            found["missing_on_both_sides"] += 1
        elif not ours:
            found["missing_in_baseline"] += 1
        elif not theirs:
            found["missing_in_config"] += 1
    return dict(sorted(found.items()))


def _one_sided_hits(name: str, tasks: Sequence[_Task]) -> tuple[int | None, int | None]:
    """Tasks that only one side hit at all: a time to the first hit leaves them out (D21)."""
    recall = hit_metric(name)
    if recall is None:
        return None, None
    both = [t for t in tasks if recall in t.baseline and recall in t.config]
    hits = [(t.baseline[recall] > 0, t.config[recall] > 0) for t in both]
    return hits.count((True, False)), hits.count((False, True))
