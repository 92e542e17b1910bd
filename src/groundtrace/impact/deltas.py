"""How a configuration differs from the baseline: one entry for each metric and outcome.

Means are tested by sign flips, and the interval inverts the same test: it excludes 0 exactly when
p is below the level. Cost, time and tokens are compared like everything else, by what was spent in
total; the factor of a typical task stands beside it (D163). Here each metric has its own 95 %;
`groundtrace.impact.family` gives the rows of the answer a level that they share.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence

import msgspec
from msgspec.structs import replace

from groundtrace.base.frozen import Frozen
from groundtrace.documents.comparison import Delta, Direction
from groundtrace.impact.arrays import Floats, Ints, Mask, np
from groundtrace.impact.flips import FLIP_DRAWS, flip_units
from groundtrace.impact.observations import hit_metric, stored_number, value_table
from groundtrace.impact.pairing import Pair
from groundtrace.impact.resample import MIN_INFERENCE, Draws
from groundtrace.impact.signflip import MeanTest, mean_test, typical_ratio
from groundtrace.metrics.catalogue import METRICS, QUANTITIES
from groundtrace.rows.means import NOISE, mean_of, quantile, without_noise

MIN_TASKS = 3
"""With fewer matched tasks nothing is computed (D33)."""

COMPARED: dict[str, Direction] = {name: record.better for name, record in QUANTITIES.items()}
"""Everything that is compared, with its direction, outcomes first."""

TOTALS = ("USD", "s", "tokens")
"""Quantities with these units are spent: a typical ratio stands beside their difference."""


FLIPS_OF_A_ROW = 1_000
"""Random flips for each row of a family: at its level, 50 of them decide."""
FLIP_WORK = 25_000_000
"""Most signs that one test draws. Above 1,250 tasks there are fewer flips, because a million trials
would otherwise take hours. With so many tasks, p depends less on the draws."""
MIN_FLIPS = 2_000


class TaskPair(Frozen, frozen=True):
    """A matched task with both sides' values."""

    pair: Pair
    baseline: dict[str, float]
    config: dict[str, float]
    unlike: Mapping[str, str]
    """Name of a value that both sides have but that is not compared, to the reason."""


class Flipping(Frozen, frozen=True):
    """Draws of the sign-flip tests, and the unit that each task belongs to."""

    draws: Draws
    units: Ints | None
    """None if every task flips alone."""
    n: int

    def for_family(self, rows: int) -> Flipping:
        """The same with more draws if many rows share the level."""
        wanted = min(FLIPS_OF_A_ROW * rows, FLIP_WORK // max(self.n, 1))
        draws = max(self.draws.draws, wanted)
        return replace(self, draws=replace(self.draws, draws=draws))

    def of(self, here: Mask) -> Ints | None:
        """Units of some of the tasks."""
        return None if self.units is None else self.units[here]


def flipping(repos: Sequence[str | None], draws: Draws, *, exploratory: bool = False) -> Flipping:
    """How tasks of these repositories flip: each alone, or a repository's tasks together (D164)."""
    units = flip_units(repos)
    count = len(set(units))
    wanted = max(draws.draws, FLIP_DRAWS)
    work = FLIP_WORK // (3 if exploratory else 1)
    enough = Draws(draws.seed, max(min(wanted, work // max(count, 1)), MIN_FLIPS))
    return Flipping(enough, np.array(units) if count < len(repos) else None, count)


class MetricDeltas(Frozen, frozen=True):
    """One metric over the tasks of a comparison."""

    name: str
    here: Mask
    """Tasks that have a value on both sides."""
    baseline: Floats
    config: Floats
    delta: Floats
    """Configuration minus baseline; 0 if they differ only by rounding noise."""


def is_total(name: str) -> bool:
    """Whether a metric or outcome is something that is spent."""
    return QUANTITIES[name].unit in TOTALS


def column_of(
    name: str, sides: Sequence[tuple[Mapping[str, float], Mapping[str, float]]]
) -> MetricDeltas:
    """One metric over pairs of (baseline, configuration)."""
    return columns_of((name,), sides)[0]


def columns_of(
    names: Sequence[str], sides: Sequence[tuple[Mapping[str, float], Mapping[str, float]]]
) -> list[MetricDeltas]:
    """Several metrics over pairs of (baseline, configuration)."""
    left, right = (value_table([pair[side] for pair in sides], names).T for side in (0, 1))
    return [_column(*found) for found in zip(names, left, right, strict=True)]


def _column(name: str, left: Floats, right: Floats) -> MetricDeltas:
    here = ~(np.isnan(left) | np.isnan(right))
    return MetricDeltas(name, here, left[here], right[here], differences(left[here], right[here]))


def differences(baseline: Floats, config: Floats) -> Floats:
    """Configuration minus baseline, task by task, by the rule of `rows.means.difference`."""
    with np.errstate(over="ignore"):
        found = config - baseline
    noise = NOISE * np.maximum(np.abs(baseline), np.abs(config))
    return np.where(np.isfinite(found) & (np.abs(found) <= noise), 0.0, found)


def deltas_of(tasks: Sequence[TaskPair], flips: Flipping) -> list[Delta]:
    """One delta for each metric and outcome, each with its own test and interval."""
    sides = [(t.baseline, t.config) for t in tasks]
    columns = columns_of(tuple(COMPARED), sides)
    # Columns with the same number of tasks come one after another: they share their flips.
    ordered = sorted(columns, key=lambda column: len(column.delta))
    tests = {
        column.name: mean_test(column.delta, flips.draws, flips.of(column.here))
        for column in ordered
    }
    return [_delta(column, tasks, tests[column.name], flips) for column in columns]


def delta_of(name: str, tasks: Sequence[TaskPair], flips: Flipping) -> tuple[Delta, MetricDeltas]:
    """The delta of one metric, and its differences."""
    column = column_of(name, [(t.baseline, t.config) for t in tasks])
    test = mean_test(column.delta, flips.draws, flips.of(column.here))
    return _delta(column, tasks, test, flips), column


def _delta(
    column: MetricDeltas, tasks: Sequence[TaskPair], test: MeanTest, flips: Flipping
) -> Delta:
    name, delta = column.name, column.delta
    left_out = _left_out(name, [tasks[i] for i in np.flatnonzero(~column.here).tolist()])
    reason = _too_little(delta)
    better = delta > 0 if COMPARED[name] == "higher" else delta < 0
    only_baseline, only_config = _one_sided_hits(name, tasks)
    base = Delta(
        metric=name,
        table="exploratory",
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
        typical_ratio=None,
        typical_low=None,
        typical_high=None,
        verdict=None,
        within_margin=None,
        p=None,
        p_adjusted=None,
        p_smallest=None,
        p_exact=None,
        effect_size=None,
        inference_reason=f"fewer_than_{MIN_INFERENCE}_pairs"
        if len(delta) < MIN_INFERENCE
        else "not_finite",
        n=len(delta),
        left_out=left_out,
        only_baseline_hit=only_baseline,
        only_config_hit=only_config,
    )
    if reason is not None:
        return base
    return _inferred(_with_ratio(_described(base, column), column, flips), column, test)


def _with_ratio(described: Delta, column: MetricDeltas, flips: Flipping) -> Delta:
    if not is_total(column.name):
        return described
    ratio, interval = typical_ratio(
        column.baseline, column.config, flips.draws, flips.of(column.here)
    )
    return msgspec.structs.replace(
        described,
        typical_ratio=stored_number(ratio),
        typical_low=stored_number(interval.low),
        typical_high=stored_number(interval.high),
    )


def _described(base: Delta, column: MetricDeltas) -> Delta:
    ordered = np.sort(column.delta).tolist()
    sides = (column.baseline, column.config)
    largest = [float(np.max(np.abs(side))) for side in sides]
    q1, median, q3 = (
        without_noise(quantile(ordered, share), *largest) for share in (0.25, 0.5, 0.75)
    )
    means = [_mean(side) for side in sides]
    return msgspec.structs.replace(
        base,
        mean_baseline=stored_number(means[0]),
        mean_config=stored_number(means[1]),
        mean_delta=stored_number(without_noise(_mean(column.delta), *means)),
        median_delta=stored_number(median),
        q1=stored_number(q1),
        q3=stored_number(q3),
    )


def _inferred(described: Delta, column: MetricDeltas, test: MeanTest) -> Delta:
    enough = len(column.delta) >= MIN_INFERENCE
    return msgspec.structs.replace(
        with_test(described, column, test),
        effect_size=stored_number(effect_size(column.delta)) if enough else None,
    )


def with_test(described: Delta, column: MetricDeltas, test: MeanTest) -> Delta:
    """A delta with the p and the interval of a test."""
    largest = [float(np.max(np.abs(side))) for side in (column.baseline, column.config)]
    most = widest(column.name, column.baseline, column.config)
    return msgspec.structs.replace(
        described,
        ci_low=_end(test.interval.low, largest, most),
        ci_high=_end(test.interval.high, largest, most),
        p=stored_number(test.p),
        p_smallest=stored_number(test.p_smallest),
        p_exact=test.exact,
        inference_reason=test.reason or test.interval.reason,
    )


def _end(value: float | None, largest: Sequence[float], most: float) -> float | None:
    """One end of an interval of differences."""
    if value is None:
        return None
    return stored_number(without_noise(min(most, max(-most, value)), *largest))


def widest(name: str, *sides: Floats) -> float:
    """The largest difference that two means of a metric can have (D400).

    Twenty tasks whose recall went from 0 to 1 have an interval up to 1.22, which no recall can reach.
    A reward has no range of its own: if none lies outside 0 and 1, that is its range.
    """
    if name in METRICS:
        lower, upper = METRICS[name].lower, METRICS[name].upper
        return math.inf if lower is None or upper is None else upper - lower
    inside = all(bool(((side >= 0) & (side <= 1)).all()) for side in sides)
    return 1.0 if name == "reward" and inside else math.inf


def _too_little(delta: Floats) -> str | None:
    if not len(delta):
        return "no_task_has_both"
    if len(delta) < MIN_TASKS:
        return f"fewer_than_{MIN_TASKS}_pairs"
    # Values of 1e308 with opposite signs: the mean of such deltas is not a finite number.
    return None if float(np.max(np.abs(delta))) < 1e300 else "not_finite"


def _mean(values: Floats) -> float:
    return mean_of(values.tolist()) or 0.0


def effect_size(delta: Floats) -> float | None:
    """Cohen's dz: mean delta divided by the standard deviation of the deltas; None if all deltas
    are equal."""
    scale = float(np.max(np.abs(delta)))
    if scale == 0:
        return None
    scaled = delta / scale
    spread = float(np.std(scaled, ddof=1))
    return without_noise(float(np.mean(scaled)) / spread, 1.0) if spread > NOISE else None


def _left_out(name: str, tasks: Sequence[TaskPair]) -> dict[str, int]:
    """Tasks without a value on both sides, by reason."""
    found: Counter[str] = Counter()
    for task in tasks:
        ours, theirs = name in task.baseline, name in task.config
        if name in task.unlike:
            found[task.unlike[name]] += 1
        elif not ours and not theirs:
            found["missing_on_both_sides"] += 1
        elif not ours:
            found["missing_in_baseline"] += 1
        elif not theirs:
            found["missing_in_config"] += 1
    return dict(sorted(found.items()))


def _one_sided_hits(name: str, tasks: Sequence[TaskPair]) -> tuple[int | None, int | None]:
    """Tasks with a hit on one side only: the time to the first hit leaves them out (D21)."""
    recall = hit_metric(name)
    if recall is None:
        return None, None
    both = [t for t in tasks if recall in t.baseline and recall in t.config]
    hits = [(t.baseline[recall] > 0, t.config[recall] > 0) for t in both]
    return hits.count((True, False)), hits.count((False, True))
