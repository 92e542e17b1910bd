"""Correlations of retrieval metrics with outcomes: overall, per config and within config (D36)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

import msgspec
import numpy as np
import numpy.typing as npt

from groundtrace.base.frozen import Frozen
from groundtrace.documents.impact import Correlation, CorrelationAnalysis, CorrelationScope
from groundtrace.impact.association import Association, associate, too_few
from groundtrace.impact.flips import flip_units
from groundtrace.impact.observations import Observation, main_reason, stored_number
from groundtrace.impact.pooled import by_suite, pooled_tests
from groundtrace.impact.resample import (
    MIN_INFERENCE,
    Draws,
    Floats,
    Ints,
    Mask,
    distinct,
    holm,
    midranks,
    to_ten_digits,
)
from groundtrace.impact.signflip import LEVEL
from groundtrace.metrics.catalogue import METRICS, OUTCOMES
from groundtrace.rows.means import without_noise

CORRELATED_METRICS = METRICS.names_in("correlation")
CORRELATED_OUTCOMES = OUTCOMES.names_in("correlation")
PAIRS = tuple((metric, outcome) for metric in CORRELATED_METRICS for outcome in CORRELATED_OUTCOMES)


class _Trials(Frozen, frozen=True):
    """Distinct trials as arrays: each trial's cell in the grid, and its values (NaN: missing)."""

    observations: Sequence[Observation]
    tasks: Ints
    configs: Ints
    n_tasks: int
    n_configs: int
    values: dict[str, Floats]
    suites: list[str | None]
    """Suite of each task."""
    blocks: Ints | None
    """Repository of each task, if repositories are the units."""


class _Group(Frozen, frozen=True):
    """Pairs of a metric and an outcome that have values for exactly the same trials. They share
    their draws."""

    here: Mask
    pairs: tuple[tuple[str, str], ...]


_Known = dict[tuple[object, ...], list[Association]]
"""What was found, by the values: with one configuration all three scopes have the same ones."""


def correlate(observations: Sequence[Observation], draws: Draws) -> CorrelationAnalysis:
    """All correlations of distinct trials."""
    trials = _arrays(observations)
    known: _Known = {}
    names = sorted({o.config_name for o in observations})
    everywhere = np.ones(len(observations), dtype=np.bool_)
    found = _scope(trials, everywhere, "overall", None, draws, known)
    for index, name in enumerate(names):
        found += _scope(trials, trials.configs == index, "config", name, draws, known)
    found += _scope(trials, everywhere, "within_config", None, draws, known)
    notes = _suite_notes(trials, everywhere, found, draws)
    computable = any(entry.computable for entry in found)
    reason = None if computable else _overall_reason(found, _tasks_with_both(trials))
    return CorrelationAnalysis(
        computable=computable, reason=reason, correlations=found, notes=notes
    )


NOTED = tuple((metric, "reward") for metric in ("shown.file_recall", "file_recall"))
"""Pairs for which a note says if separating suites changes the conclusion."""


def _suite_notes(
    trials: _Trials, everywhere: Mask, found: Sequence[Correlation], draws: Draws
) -> list[str]:
    if len(set(trials.suites)) < 2 or trials.blocks is not None:
        return []
    inside = {(c.retrieval_metric, c.outcome): c for c in found if c.scope == "overall"}
    notes = []
    for metric, outcome in NOTED:
        own, p = inside[metric, outcome], _plain_p(trials, metric, outcome, everywhere, draws)
        if own.p is None or p is None or (own.p < LEVEL) == (p < LEVEL):
            continue
        notes.append(
            f"{metric} and {outcome}: p {own.p:.3f} with ranks inside suites, {p:.3f} over all "
            "suites at once, where a difference between suites looks like association"
        )
    return notes


def _plain_p(
    trials: _Trials, metric: str, outcome: str, everywhere: Mask, draws: Draws
) -> float | None:
    """p over the tasks of all suites together."""
    here = everywhere & np.isfinite(trials.values[metric]) & np.isfinite(trials.values[outcome])
    x, y = (_grid(trials, name, here, pooled=True)[:, 0] for name in (metric, outcome))
    both = np.isfinite(x) & np.isfinite(y)
    n = int(both.sum())
    if n < MIN_INFERENCE:
        return None
    ranks = [(midranks(v[both]) - (n + 1) / 2.0)[:, None] / n for v in (x, y)]
    return pooled_tests(ranks[:1], ranks[1:], [n], [(0, 0)], draws)[0].p


def _tasks_with_both(trials: _Trials) -> int:
    """Tasks with both values, for the pair of metric and outcome that has the most of them."""
    everywhere = np.ones(len(trials.observations), dtype=np.bool_)
    return max(
        (distinct(trials.tasks[group.here]) for group in _groups(trials, everywhere)),
        default=0,
    )


def _overall_reason(found: Sequence[Correlation], with_both: int) -> str:
    """Why there is no coefficient at all.

    `n` of the entries does not show it: a task that is alone in its configuration has no rank, so
    `n` is 0 although one task has both values.
    """
    if with_both == 0:
        return "no task has both a retrieval metric and an outcome"
    counts = Counter(entry.reason for entry in found if entry.reason)
    said = ", ".join(f"{reason} ({n})" for reason, n in sorted(counts.items()))
    have = "1 task has" if with_both == 1 else f"{with_both} tasks have"
    return (
        f"{have} both a retrieval metric and an outcome, but none of these can be correlated: "
        f"{said}"
    )


def _arrays(observations: Sequence[Observation]) -> _Trials:
    tasks = {name: i for i, name in enumerate(sorted({o.task for o in observations}))}
    suites = {o.task: o.benchmark for o in observations}
    repos: dict[str, str | None] = {}
    for o in observations:
        repos[o.task] = o.repo or repos.get(o.task)
    units = flip_units([repos[name] for name in tasks])
    configs = {name: i for i, name in enumerate(sorted({o.config_name for o in observations}))}
    names = (*CORRELATED_METRICS, *CORRELATED_OUTCOMES)
    return _Trials(
        observations,
        np.array([tasks[o.task] for o in observations], dtype=np.intp),
        np.array([configs[o.config_name] for o in observations], dtype=np.intp),
        len(tasks),
        len(configs),
        {
            name: np.array([o.values.get(name, np.nan) for o in observations], dtype=np.float64)
            for name in names
        },
        [suites[name] for name in tasks],
        units if distinct(units) < len(tasks) else None,
    )


def _scope(
    trials: _Trials,
    inside: Mask,
    scope: CorrelationScope,
    config_name: str | None,
    draws: Draws,
    known: _Known,
) -> list[Correlation]:
    entries: dict[tuple[str, str], Correlation] = {}
    for group in _groups(trials, inside):
        metrics = sorted({metric for metric, _ in group.pairs})
        outcomes = sorted({outcome for _, outcome in group.pairs})
        several = len(set(trials.suites)) > 1
        grids = {metrics[0]: _grid(trials, metrics[0], group.here, pooled=scope == "overall")}
        whole = present = np.isfinite(grids[metrics[0]])
        if several:
            _, present = by_suite(grids[metrics[0]], whole, trials.suites)
        results = too_few(present, len(group.pairs))
        if results is None:
            for name in (*metrics[1:], *outcomes):
                grids[name] = _grid(trials, name, group.here, pooled=scope == "overall")
            if several:
                grids = {
                    name: by_suite(grid, whole, trials.suites)[0] for name, grid in grids.items()
                }
            places = tuple((metrics.index(x), outcomes.index(y)) for x, y in group.pairs)
            xs, ys = ([grids[name] for name in names] for names in (metrics, outcomes))
            key = (present.shape, places, *(values.tobytes() for values in (present, *xs, *ys)))
            if key not in known:
                known[key] = associate(xs, ys, present, places, draws, trials.blocks)
            results = known[key]
        tasks, missing = _missing(trials, inside, present)
        for pair, result in zip(group.pairs, results, strict=True):
            left_out = _left_out(trials, tasks, missing, pair, result.n)
            entries[pair] = _entry(pair, scope, config_name, result, left_out)
    ordered = [entries[pair] for pair in PAIRS]
    adjusted = holm([entry.p for entry in ordered])
    return [
        entry
        if entry.p is None
        else msgspec.structs.replace(entry, p=stored_number(entry.p), p_holm=stored_number(p_holm))
        for entry, p_holm in zip(ordered, adjusted, strict=True)
    ]


def _groups(trials: _Trials, inside: Mask) -> Iterator[_Group]:
    finite = {name: np.isfinite(values) for name, values in trials.values.items()}
    groups: dict[bytes, tuple[Mask, list[tuple[str, str]]]] = {}
    for metric, outcome in PAIRS:
        here = inside & finite[metric] & finite[outcome]
        groups.setdefault(here.tobytes(), (here, []))[1].append((metric, outcome))
    return (_Group(here, tuple(pairs)) for here, pairs in groups.values())


def _grid(trials: _Trials, name: str, here: Mask, *, pooled: bool) -> Floats:
    """Means by task and configuration over the trials `here`. `pooled`: the mean over a task's
    configurations."""
    cells = trials.tasks[here] * trials.n_configs + trials.configs[here]
    shape = (trials.n_tasks, trials.n_configs)
    grid = _means(cells, trials.values[name][here], shape[0] * shape[1]).reshape(shape)
    if pooled:
        known = np.isfinite(grid)
        grid = _means(np.nonzero(known)[0], grid[known], trials.n_tasks).reshape(-1, 1)
    return to_ten_digits(grid)


def _means(place: npt.NDArray[np.intp], values: Floats, size: int) -> Floats:
    counts = np.bincount(place, minlength=size)
    shares = values / counts[place]
    sums = np.bincount(place, weights=shares, minlength=size)
    return np.where(counts > 0, sums, np.nan)


def _missing(trials: _Trials, inside: Mask, present: Mask) -> tuple[int, list[list[Observation]]]:
    """How many tasks the scope has, and the trials of each task without both values."""
    with_both: Mask = np.asarray(present.any(axis=1), dtype=np.bool_)
    missing: dict[int, list[Observation]] = {}
    for index in np.flatnonzero(inside & ~with_both[trials.tasks]).tolist():
        missing.setdefault(int(trials.tasks[index]), []).append(trials.observations[index])
    return distinct(trials.tasks[inside]), list(missing.values())


def _left_out(
    trials: _Trials,
    tasks: int,
    missing: Sequence[Sequence[Observation]],
    pair: tuple[str, str],
    n: int,
) -> dict[str, int]:
    """Tasks of the scope that do not count, by reason."""
    if tasks == n:
        return {}
    found = Counter(main_reason(of_task, pair) for of_task in missing)
    alone = tasks - len(missing) - n
    if alone:
        found["alone_in_suite" if len(set(trials.suites)) > 1 else "alone_in_config"] = alone
    return dict(sorted(found.items()))


def _coefficient(value: float | None) -> float | None:
    """A coefficient as documents store it: 0 if it differs from 0 only by rounding noise."""
    return None if value is None else stored_number(without_noise(value, 1.0))


def _entry(
    pair: tuple[str, str],
    scope: CorrelationScope,
    config_name: str | None,
    result: Association,
    left_out: dict[str, int],
) -> Correlation:
    return Correlation(
        retrieval_metric=pair[0],
        outcome=pair[1],
        scope=scope,
        config_name=config_name,
        computable=result.r is not None,
        reason=result.reason,
        spearman_r=_coefficient(result.r),
        ci_low=_coefficient(result.interval.low),
        ci_high=_coefficient(result.interval.high),
        p=result.p,
        p_holm=None,
        p_exact=result.exact,
        inference_reason=result.p_reason or result.interval.reason,
        ranks_once=result.ranks_once if result.interval.low is not None else None,
        n=result.n,
        n_movable=result.movable,
        left_out=left_out,
    )
