"""Does finding go with solving? Shown recall and reward, three ways (D167).

Across tasks, how hard a task is moves both: simple tasks are found and solved. So the same trials
are also compared within tasks, with task and configuration held fixed, and counted by whether every
relevant file was shown. All three are association: a third thing may cause both.

A slope is a ratio of sums over tasks, so the sign-flip test of `signflip` gives its interval. Tasks
are the units, or repositories from 6 up.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from msgspec import UNSET

from groundtrace.base.frozen import Frozen
from groundtrace.documents.answer import (
    AnswerAssociation,
    AssociationOfLevel,
    ByFound,
    Linked,
    Solved,
    Strata,
)
from groundtrace.impact.arrays import Floats, Ints, Mask, np
from groundtrace.impact.flips import FLIP_DRAWS, flip_units
from groundtrace.impact.observations import Observation, stored_number
from groundtrace.impact.resample import MIN_INFERENCE, Draws, Z, distinct
from groundtrace.impact.signflip import ratio_test
from groundtrace.rows.verdicts import PASS, on_other_scale

RECALL, FUNCTION_RECALL, REWARD = "shown.file_recall", "function_recall", "reward"
_SLACK = 1e-9
_HUGE = 1e100
"""Larger rewards cannot be squared and added."""


class _Trials(Frozen, frozen=True):
    """Trials with both values."""

    x: Floats
    y: Floats
    task: Ints
    config: Ints
    repos: list[str | None]
    """The repository of each task."""
    files: Ints
    """Number of relevant files; 0 if it is not known."""
    difficulty: Ints | None
    """Number of each trial's difficulty; None if some trial has none."""

    @property
    def units(self) -> Ints:
        """The unit of each task: itself or its repository."""
        return np.array(flip_units(self.repos))


def association_of(trials: Sequence[Observation], seed: int) -> AnswerAssociation | None:
    """How reward goes with shown recall, and with function recall; None if no trial has both."""
    files = association_with(RECALL, trials, seed)
    if files is None:
        return None
    return AnswerAssociation(
        across=files.across,
        within=files.within,
        by_found=files.by_found,
        functions=association_with(FUNCTION_RECALL, trials, seed) or UNSET,
    )


def association_with(
    recall: str, trials: Sequence[Observation], seed: int
) -> AssociationOfLevel | None:
    """How reward goes with a recall; None if no trial has both."""
    both = [o for o in trials if recall in o.values and abs(o.values.get(REWARD, _HUGE)) < _HUGE]
    if not both:
        return None
    found = _arrays(both, recall)
    draws = Draws(seed, FLIP_DRAWS)
    return AssociationOfLevel(
        across=_across(found, draws), within=_within(found, draws), by_found=_by_found(found)
    )


def _arrays(trials: Sequence[Observation], recall: str) -> _Trials:
    tasks = {name: i for i, name in enumerate(sorted({o.task for o in trials}))}
    configs = {name: i for i, name in enumerate(sorted({o.config_name for o in trials}))}
    repos: list[str | None] = [None] * len(tasks)
    for o in trials:
        repos[tasks[o.task]] = o.repo or repos[tasks[o.task]]
    return _Trials(
        np.array([o.values[recall] for o in trials]),
        np.array([o.values[REWARD] for o in trials]),
        np.array([tasks[o.task] for o in trials], dtype=np.intp),
        np.array([configs[o.config_name] for o in trials], dtype=np.intp),
        repos,
        np.array([o.relevant_files for o in trials], dtype=np.intp),
        _difficulties(trials),
    )


def _difficulties(trials: Sequence[Observation]) -> Ints | None:
    names = sorted({o.difficulty for o in trials if o.difficulty is not None})
    if not names or any(o.difficulty is None for o in trials):
        return None
    return np.array([names.index(o.difficulty or "") for o in trials], dtype=np.intp)


def _across(trials: _Trials, draws: Draws) -> Linked:
    """Over the means of tasks."""
    counts = np.bincount(trials.task)
    x, y = (np.bincount(trials.task, weights=v) / counts for v in (trials.x, trials.y))
    return _linked(x - x.mean(), y - y.mean(), trials.units, len(counts), len(trials.x), draws)


def _within(trials: _Trials, draws: Draws) -> Linked:
    """With task and configuration held fixed: their means are taken out, in turn until nothing
    moves."""
    n = distinct(trials.task)
    if n == len(trials.x):
        return _nothing(n, len(trials.x), "one_trial_per_task")
    x, y = (_without_means(v, (trials.task, trials.config)) for v in (trials.x, trials.y))
    return _linked(x, y, trials.units[trials.task], n, len(trials.x), draws)


def _without_means(values: Floats, groups: Sequence[Ints]) -> Floats:
    out = values - values.mean()
    for _ in range(1_000):
        before = out
        for group in groups:
            out = out - (np.bincount(group, weights=out) / np.maximum(np.bincount(group), 1))[group]
        if float(np.max(np.abs(out - before))) < 1e-12:
            break
    return np.where(np.abs(out) < _SLACK, 0.0, out)


def _nothing(n: int, trials: int, reason: str) -> Linked:
    return Linked(
        n=n, trials=trials, r=None, slope=None, ci_low=None, ci_high=None, p=None, reason=reason
    )


def _linked(x: Floats, y: Floats, units: Ints, n: int, trials: int, draws: Draws) -> Linked:
    """Slope and correlation of centred values."""
    xx, yy, xy = (float(np.sum(a * b)) for a, b in ((x, x), (y, y), (x, y)))
    if xx <= _SLACK:
        return _nothing(n, trials, "metric_constant")
    if yy <= _SLACK:
        return _nothing(n, trials, "outcome_constant")
    informative = np.bincount(units, weights=x * x)[units] > _SLACK
    if distinct(units[informative]) < MIN_INFERENCE:
        test = None
    else:
        test = ratio_test((x * y)[informative], (x * x)[informative], draws, units[informative])
    interval = None if test is None else test.interval
    return Linked(
        n=n,
        trials=trials,
        r=max(-1.0, min(1.0, xy / math.sqrt(xx * yy))),
        slope=stored_number(xy / xx),
        ci_low=None if interval is None else stored_number(interval.low),
        ci_high=None if interval is None else stored_number(interval.high),
        p=None if test is None else stored_number(test.p),
        reason="too_few_tasks" if interval is None else interval.reason,
    )


def _by_found(trials: _Trials) -> ByFound:
    """Solved trials by whether every relevant file was shown; none counts where rewards do not say
    which trial is solved."""
    if on_other_scale(float(np.max(np.abs(trials.y)))):
        none = Solved(n=0, solved=0)
        return ByFound(shown_all=none, otherwise=none, difference=None, ci_low=None, ci_high=None)
    all_shown = trials.x >= 1 - _SLACK
    solved = trials.y >= PASS - _SLACK
    sides = [_solved(solved[all_shown]), _solved(solved[~all_shown])]
    difference = ends = None
    strata: Strata | None = None
    if all(side.n for side in sides):
        excess = _design_effect(trials, all_shown, solved)
        shares = [side.solved / side.n for side in sides]
        difference = shares[0] - shares[1]
        ends = newcombe(shares[0], sides[0].n / excess, shares[1], sides[1].n / excess)
        strata = _strata(trials, all_shown, solved, excess)
    return ByFound(
        shown_all=sides[0],
        otherwise=sides[1],
        difference=stored_number(difference),
        ci_low=None if ends is None else ends[0],
        ci_high=None if ends is None else ends[1],
        strata=UNSET if strata is None else strata,
    )


def _solved(solved: Mask) -> Solved:
    return Solved(n=len(solved), solved=int(solved.sum()))


def newcombe(first: float, n: float, second: float, m: float) -> tuple[float, float]:
    """Newcombe's interval of a difference of two shares, from Wilson's interval of each."""
    (low, high), (other_low, other_high) = wilson(first, n), wilson(second, m)
    gap = first - second
    return (
        gap - math.hypot(first - low, other_high - second),
        gap + math.hypot(high - first, second - other_low),
    )


def wilson(share: float, n: float) -> tuple[float, float]:
    """Wilson's interval of a share."""
    middle = (share + Z**2 / (2 * n)) / (1 + Z**2 / n)
    half = Z / (1 + Z**2 / n) * math.sqrt(share * (1 - share) / n + Z**2 / (4 * n * n))
    return max(0.0, middle - half), min(1.0, middle + half)


def _design_effect(trials: _Trials, shown: Mask, solved: Mask) -> float:
    """How much wider the difference scatters because trials of a task or repository are alike: the
    variance over units divided by the variance of independent trials; at least 1."""
    units = trials.units[trials.task]
    y = solved.astype(float)
    shares = [float(y[shown].mean()), float(y[~shown].mean())]
    parts = np.where(shown, (y - shares[0]) / shown.sum(), (shares[1] - y) / (~shown).sum())
    sums = np.bincount(units, weights=parts)
    count = distinct(units)
    alone = sum(s * (1 - s) / k for s, k in zip(shares, (shown.sum(), (~shown).sum()), strict=True))
    if count == len(y):
        return 1.0
    if count < 2 or alone <= 0:
        return len(y) / count
    return max(1.0, float(np.sum(sums**2)) * count / (count - 1) / float(alone))


_FILES = (1, 2, 3, 6)
"""Strata by the number of relevant files: 1, 2, 3 to 5, 6 and more."""


def _strata(trials: _Trials, shown: Mask, solved: Mask, excess: float) -> Strata | None:
    """Mantel and Haenszel's odds ratio over strata, with the interval of Robins, Breslow and
    Greenland."""
    if not trials.files.all():
        return None
    place = np.searchsorted(_FILES, trials.files, side="right")
    by = ["relevant_files"]
    if trials.difficulty is not None:
        place = place + trials.difficulty * (len(_FILES) + 1)
        by = ["difficulty", *by]
    tables = [
        (
            int(np.sum(here & shown & solved)),
            int(np.sum(here & shown & ~solved)),
            int(np.sum(here & ~shown & solved)),
            int(np.sum(here & ~shown & ~solved)),
        )
        for here in (place == k for k in sorted(set(place.tolist())))
    ]
    used = [t for t in tables if t[0] + t[1] and t[2] + t[3]]
    found = mantel_haenszel(used)
    if found is None:
        return None
    ratio, error = found
    half = Z * error * math.sqrt(excess)
    return Strata(
        by=by,
        n=len(used),
        odds_ratio=ratio,
        ci_low=ratio * math.exp(-half),
        ci_high=ratio * math.exp(half),
    )


def mantel_haenszel(tables: Sequence[tuple[int, int, int, int]]) -> tuple[float, float] | None:
    """The common odds ratio of 2 by 2 tables, and the standard error of its log."""
    r = s = pr = ps_qr = qs = 0.0
    for a, b, c, d in tables:
        n = a + b + c + d
        right, left = a * d / n, b * c / n
        p, q = (a + d) / n, (b + c) / n
        r, s = r + right, s + left
        pr, qs = pr + p * right, qs + q * left
        ps_qr += p * left + q * right
    if r <= 0 or s <= 0:
        return None
    return r / s, math.sqrt(pr / (2 * r * r) + ps_qr / (2 * r * s) + qs / (2 * s * s))
