"""What a comparison shows beside its deltas: whether retrieval and reward changed together, first
hits with misses counted, and choices that would change a conclusion.

Retrieval and reward: differences against differences. Both sides of a matched task are equally
hard, and a difference removes that. So this is a stronger test than a correlation over tasks. It is
still association: a third thing may cause both.

First hits: a mean over hits only would reward a side for missing its slow tasks. So both sides share
a horizon, the latest hit: a miss counts as the whole horizon. Times are compared only if both come
from the same clock: with a clock that starts at the first line of the trace on one side, and at the
start of the agent on the other, equal behaviour gave +55 s. A miss needs a clock too. If the clocks
differ by configuration and misses had none, only pairs with a miss would be left, and a difference
in misses would look like a difference in time.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from groundtrace.base.frozen import Frozen
from groundtrace.documents.comparison import FirstHits, TandemEntry
from groundtrace.impact.answer_names import short_name
from groundtrace.impact.arrays import Floats, Ints, Mask, np
from groundtrace.impact.association import Association, associate
from groundtrace.impact.deltas import Flipping, MetricDeltas, TaskPair, column_of
from groundtrace.impact.observations import (
    Observation,
    hit_metric,
    on_one_clock,
    stored_number,
)
from groundtrace.impact.pooled import by_suite
from groundtrace.impact.resample import MIN_INFERENCE, Draws, to_ten_digits
from groundtrace.impact.signflip import mean_test
from groundtrace.metrics.catalogue import METRICS
from groundtrace.rows.clocks import timed_names


class First(Frozen, frozen=True):
    """When one side of a task first reached a relevant file."""

    seconds: float | None
    """None is a miss: the trial was read to its end and found nothing."""
    clock: str | None
    """What the trial's seconds count from, also for a miss; None if nothing says so."""


class RestrictedPairs(Frozen, frozen=True):
    """Restricted times of matched tasks."""

    horizon: float | None
    baseline: Floats
    config: Floats
    kept: tuple[int, ...]
    """Indices of the pairs that count, in order: deltas are `config - baseline`."""
    misses_baseline: int
    misses_config: int
    left_out: dict[str, int]
    """Pairs that do not count, by reason."""


def restricted_pairs(pairs: Sequence[tuple[First, First]]) -> RestrictedPairs:
    """Both sides of each task whose sides used one clock; a miss counts as the horizon.

    The horizon is the latest hit among the pairs that count: no hit is cut off, and a miss counts as
    slow as the slowest hit.
    """
    reasons = [_why_not_comparable(*pair) for pair in pairs]
    kept = [i for i, reason in enumerate(reasons) if reason is None]
    hits = [s for i in kept for s in (pairs[i][0].seconds, pairs[i][1].seconds) if s is not None]
    limit = max(hits, default=None)
    left_out = Counter(reason for reason in reasons if reason is not None)
    if limit is None:
        left_out.update(no_hit_on_either_side=len(kept))
        kept = []
    sides = [
        [limit if (s := pairs[i][side].seconds) is None else s for i in kept] for side in (0, 1)
    ]
    misses = [sum(pairs[i][side].seconds is None for i in kept) for side in (0, 1)]
    return RestrictedPairs(
        horizon=limit,
        baseline=np.array(sides[0], dtype=np.float64),
        config=np.array(sides[1], dtype=np.float64),
        kept=tuple(kept),
        misses_baseline=misses[0],
        misses_config=misses[1],
        left_out={reason: n for reason, n in sorted(left_out.items()) if n},
    )


def _why_not_comparable(baseline: First, config: First) -> str | None:
    """Why a pair's times cannot be compared."""
    if baseline.clock is None or config.clock is None:
        return "clock_unknown"
    return None if baseline.clock == config.clock else "clock_differs"


class Tandem(Frozen, frozen=True):
    """Differences of two quantities over the same matched tasks."""

    association: Association
    """Spearman's coefficient of the differences with permutation p and interval."""
    together: int
    """Tasks whose differences have the same sign."""
    opposed: int
    """Tasks whose differences have opposite signs."""
    unchanged: int
    """Tasks where at least one of the two did not change."""


def tandem(
    first: Floats,
    second: Floats,
    draws: Draws,
    suites: Sequence[str | None] | None = None,
    units: Ints | None = None,
) -> Tandem:
    """Association of two columns of differences; NaN means missing.

    With `suites`, ranks are taken inside suites and tasks are permuted inside them. With `units`,
    whole repositories are the units.
    """
    here = np.isfinite(first) & np.isfinite(second)
    x, y = to_ten_digits(first[here]), to_ten_digits(second[here])
    present = np.ones((len(x), 1), dtype=np.bool_)
    names = [None] * len(x) if suites is None else _chosen(suites, here)
    wide_x, wide_present = by_suite(x[:, None], present, names)
    wide_y, _ = by_suite(y[:, None], present, names)
    (found,) = associate(
        [wide_x], [wide_y], wide_present, [(0, 0)], draws, None if units is None else units[here]
    )
    signs = np.sign(x) * np.sign(y)
    return Tandem(found, int(np.sum(signs > 0)), int(np.sum(signs < 0)), int(np.sum(signs == 0)))


def _chosen(suites: Sequence[str | None], here: Mask) -> list[str | None]:
    return [suite for suite, kept in zip(suites, here, strict=True) if kept]


OUTCOME = "reward"
JUDGED_ONLY = "bpref"
"""The metric that ignores unjudged files."""
_HANGS_ON_UNJUDGED = frozenset({"precision", "f1", "ndcg", "mrr", "map", "context_efficiency"})
"""Families that count a file as wrong because the ground truth does not name it."""
_FAILURES = ("no_trace", "empty_trace")

Sides = Sequence[tuple[Mapping[str, float], Mapping[str, float]]]


def tandems(
    tasks: Sequence[TaskPair], primaries: Sequence[str], draws: Draws, units: Ints | None
) -> list[TandemEntry]:
    """Differences of retrieval against differences of reward, over the same tasks."""
    names = dict.fromkeys([*(name for name in primaries if name in METRICS), "file_recall"])
    sides = [(t.baseline, t.config) for t in tasks]
    suites = [t.pair.benchmark for t in tasks]
    reward = _spread(column_of(OUTCOME, sides))
    found = []
    for name in names:
        result = tandem(
            _spread(column_of(name, sides)),
            reward,
            draws,
            suites if len(set(suites)) > 1 else None,
            units,
        )
        own = result.association
        found.append(
            TandemEntry(
                retrieval_metric=name,
                outcome=OUTCOME,
                n=own.n,
                spearman_r=stored_number(own.r),
                ci_low=stored_number(own.interval.low),
                ci_high=stored_number(own.interval.high),
                p=stored_number(own.p),
                reason=own.reason or own.p_reason or own.interval.reason,
                n_movable=own.movable,
                together=result.together,
                opposed=result.opposed,
                unchanged=result.unchanged,
            )
        )
    return found


def _spread(column: MetricDeltas) -> Floats:
    """One delta per task; NaN if it is missing."""
    out = np.full(len(column.here), np.nan)
    out[column.here] = column.delta
    return out


def first_hits(tasks: Sequence[TaskPair], flips: Flipping) -> list[FirstHits]:
    """Times to the first relevant file, with misses; the horizon is the latest hit."""
    return [_first_hits(name, tasks, flips) for name in timed_names()]


def _first_hits(name: str, tasks: Sequence[TaskPair], flips: Flipping) -> FirstHits:
    left_out: Counter[str] = Counter()
    pairs, places = [], []
    for place, task in enumerate(tasks):
        pair = _firsts(name, task)
        if isinstance(pair, str):
            left_out[pair] += 1
        else:
            pairs.append(pair)
            places.append(place)
    found = restricted_pairs(pairs)
    left_out.update(found.left_out)
    kept = np.zeros(len(tasks), dtype=np.bool_)
    kept[[places[i] for i in found.kept]] = True
    test = mean_test(found.config - found.baseline, flips.draws, flips.of(kept))
    n = len(found.kept)
    return FirstHits(
        metric=name,
        horizon=stored_number(found.horizon),
        n=n,
        mean_baseline=stored_number(float(np.mean(found.baseline))) if n else None,
        mean_config=stored_number(float(np.mean(found.config))) if n else None,
        mean_delta=stored_number(test.mean) if n else None,
        ci_low=stored_number(test.interval.low),
        ci_high=stored_number(test.interval.high),
        p=stored_number(test.p),
        misses_baseline=found.misses_baseline,
        misses_config=found.misses_config,
        reason=test.reason or test.interval.reason,
        left_out=dict(sorted(left_out.items())),
    )


def _firsts(name: str, task: TaskPair) -> tuple[First, First] | str:
    """Both sides of a task, or why it does not count."""
    ours = [o for cell in task.pair.cells for o in cell.baseline]
    theirs = [o for cell in task.pair.cells for o in cell.config]
    baseline, config, why = on_one_clock(tuple(ours), tuple(theirs))
    if why is not None:
        return why
    sides = []
    for trials in (baseline, config):
        side = _first(name, trials)
        if isinstance(side, str):
            return side
        sides.append(side)
    return sides[0], sides[1]


def _first(name: str, trials: Sequence[Observation]) -> First | str:
    recall = hit_metric(name) or ""
    known = [o for o in trials if recall in o.values]
    times = [o.values[name] for o in known if name in o.values]
    misses = sum(o.values[recall] == 0 for o in known)
    if not known or len(times) + misses < len(known):
        return "not_computable"
    if times and misses:
        return "some_trials_miss"
    return First(sum(times) / len(times) if times else None, known[0].clock)


def notes(
    tasks: Sequence[TaskPair], flips: Flipping, names: Sequence[str], level: float
) -> list[str]:
    """One sentence for each choice that would change the verdict of a row, at the row's level."""
    sides = [(t.baseline, t.config) for t in tasks]
    said = []
    for name in names:
        if name not in METRICS:
            continue
        column = column_of(name, sides)
        concluded = _conclusion(column, flips, level)
        title = short_name(name)
        sure = [_is_sure(t) for t in tasks]
        if not all(sure) and sum(sure) >= MIN_INFERENCE:
            here = np.array(sure, dtype=np.bool_)
            own = column_of(name, [s for s, kept in zip(sides, sure, strict=True) if kept])
            other = _conclusion(own, replace(flips, units=flips.of(here)), level)
            if other != concluded:
                said.append(
                    f"{title}: {_words(other)} over the {sum(sure)} tasks with ground truth of "
                    f"high confidence, {_words(concluded)} over all"
                )
        if (judged := _by_judged(name, sides, concluded, flips, level)) is not None:
            said.append(f"{title}: {judged}")
        # Without any task that has the metric nothing would be changed.
        failed = _failures_as_zero(name, tasks) if column.here.any() else None
        if failed is not None and (
            (other := _conclusion(column_of(name, failed), flips, level)) != concluded
        ):
            said.append(
                f"{title}: {_words(other)} if trials without a usable trace count as 0, "
                f"{_words(concluded)} without them"
            )
    return said


def _by_judged(
    name: str, sides: Sides, conclusion: int, flips: Flipping, level: float
) -> str | None:
    """The sentence about unjudged files, if leaving them out changes the conclusion.

    The metric's own conclusion over the same tasks must differ as well. Otherwise the smaller
    number of tasks changes the conclusion, not the unjudged files.
    """
    if METRICS[name].family not in _HANGS_ON_UNJUDGED:
        return None
    here = np.array(
        [all(name in side and JUDGED_ONLY in side for side in pair) for pair in sides],
        dtype=np.bool_,
    )
    n = int(here.sum())
    if n < MIN_INFERENCE:
        return None
    judged = [pair for pair, kept in zip(sides, here, strict=True) if kept]
    there = replace(flips, units=flips.of(here))
    other = _conclusion(column_of(JUDGED_ONLY, judged), there, level)
    if other in (conclusion, _conclusion(column_of(name, judged), there, level)):
        return None
    return (
        f"{_words(other)} by {JUDGED_ONLY} over retrieved files, which leaves out unjudged "
        f"files ({n} tasks have it), {_words(conclusion)} if they count as irrelevant"
    )


def _conclusion(column: MetricDeltas, flips: Flipping, level: float) -> int:
    """-1, 0 or 1: lower, open, higher."""
    test = mean_test(column.delta, flips.draws, flips.of(column.here))
    if test.p is None or test.p >= level:
        return 0
    return 1 if (test.mean or 0.0) > 0 else -1


def _words(conclusion: int) -> str:
    return {-1: "lower", 0: "open", 1: "higher"}[conclusion]


def _trials(task: TaskPair) -> list[Observation]:
    return [o for cell in task.pair.cells for o in (*cell.baseline, *cell.config)]


def _is_sure(task: TaskPair) -> bool:
    return all(o.confidence == "high" for o in _trials(task))


def _failures_as_zero(name: str, tasks: Sequence[TaskPair]) -> Sides | None:
    """Both sides with 0 for a metric of a trial without a usable trace; None if there is none."""
    if METRICS[name].better == "lower":
        return None
    filled = [
        (
            _filled(name, t.baseline, [o for c in t.pair.cells for o in c.baseline]),
            _filled(name, t.config, [o for c in t.pair.cells for o in c.config]),
        )
        for t in tasks
    ]
    same = all(a is t.baseline and b is t.config for (a, b), t in zip(filled, tasks, strict=True))
    return None if same else filled


def _filled(
    name: str, values: Mapping[str, float], trials: Sequence[Observation]
) -> Mapping[str, float]:
    if name in values or not any(o.why.reason in _FAILURES for o in trials):
        return values
    return {**values, name: 0.0}
