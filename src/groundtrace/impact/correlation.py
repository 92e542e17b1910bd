"""Correlations of retrieval metrics with outcomes: overall, per config and within config (D36)."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import reduce
from itertools import compress
from operator import and_

import msgspec
from msgspec import field

from groundtrace.base.frozen import Frozen
from groundtrace.documents.impact import Correlation, CorrelationAnalysis, CorrelationScope
from groundtrace.impact.arrays import Floats, Ints, Mask, np
from groundtrace.impact.association import (
    MIN_COEFFICIENT,
    Association,
    associate,
    too_few,
)
from groundtrace.impact.flips import flip_units
from groundtrace.impact.observations import Observation, main_reason, stored_number
from groundtrace.impact.pooled import by_suite, pooled_tests
from groundtrace.impact.resample import (
    MIN_INFERENCE,
    Draws,
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
    """Distinct trials: each trial's cell in the grid, and which values it has."""

    observations: Sequence[Observation]
    tasks: list[int]
    configs: list[int]
    n_tasks: int
    n_configs: int
    has: dict[str, bytes]
    """For each name a 1 or a 0 for each trial: whether it has the value."""
    suites: list[str | None]
    """Suite of each task."""
    repos: list[str | None]
    """Repository of each task."""
    columns: dict[str, Floats] = field(default_factory=dict)

    @property
    def everywhere(self) -> bytes:
        """All trials."""
        return b"\1" * len(self.tasks)

    def values(self, name: str, here: bytes) -> Floats:
        """The values of a name of the trials `here`, which have one."""
        if name not in self.columns:
            known = (o.values.get(name, math.nan) for o in self.observations)
            self.columns[name] = np.fromiter(known, np.float64, len(self.tasks))
        values: Floats = self.columns[name][_mask(here)]
        return values

    def blocks(self) -> Ints | None:
        """Repository of each task, if repositories are the units."""
        units = flip_units(self.repos)
        return np.array(units) if len(set(units)) < len(units) else None


def _mask(here: bytes) -> Mask:
    return np.frombuffer(here, dtype=np.bool_)


def _common(*masks: bytes) -> bytes:
    """The trials that are in all masks."""
    bits = reduce(and_, (int.from_bytes(mask, "little") for mask in masks))
    return bits.to_bytes(len(masks[0]), "little")


class _Group(Frozen, frozen=True):
    """Pairs of a metric and an outcome that have values for exactly the same trials. They share
    their draws."""

    here: bytes
    pairs: tuple[tuple[str, str], ...]


_Known = dict[tuple[object, ...], list[Association]]
"""What was found, by the values: with one configuration all three scopes have the same ones."""


def correlate(observations: Sequence[Observation], draws: Draws) -> CorrelationAnalysis:
    """All correlations of distinct trials."""
    trials = _arrays(observations)
    known: _Known = {}
    names = sorted({o.config_name for o in observations})
    everywhere = trials.everywhere
    found = _scope(trials, everywhere, "overall", None, draws, known)
    for index, name in enumerate(names):
        own = bytes(config == index for config in trials.configs)
        found += _scope(trials, own, "config", name, draws, known)
    found += _scope(trials, everywhere, "within_config", None, draws, known)
    notes = _suite_notes(trials, found, draws)
    computable = any(entry.computable for entry in found)
    reason = None if computable else _overall_reason(found, _tasks_with_both(trials))
    return CorrelationAnalysis(
        computable=computable, reason=reason, correlations=found, notes=notes
    )


NOTED = tuple((metric, "reward") for metric in ("shown.file_recall", "file_recall"))
"""Pairs for which a note says if separating suites changes the conclusion."""


def _suite_notes(trials: _Trials, found: Sequence[Correlation], draws: Draws) -> list[str]:
    if len(set(trials.suites)) < 2 or trials.blocks() is not None:
        return []
    inside = {(c.retrieval_metric, c.outcome): c for c in found if c.scope == "overall"}
    notes = []
    for metric, outcome in NOTED:
        own, p = inside[metric, outcome], _plain_p(trials, metric, outcome, draws)
        if own.p is None or p is None or (own.p < LEVEL) == (p < LEVEL):
            continue
        notes.append(
            f"{metric} and {outcome}: p {own.p:.3f} with ranks inside suites, {p:.3f} over all "
            "suites at once, where a difference between suites looks like association"
        )
    return notes


def _plain_p(trials: _Trials, metric: str, outcome: str, draws: Draws) -> float | None:
    """p over the tasks of all suites together."""
    here = _common(trials.has[metric], trials.has[outcome])
    x, y = (_grid(trials, name, here, pooled=True)[:, 0] for name in (metric, outcome))
    both = np.isfinite(x) & np.isfinite(y)
    n = int(both.sum())
    if n < MIN_INFERENCE:
        return None
    ranks = [(midranks(v[both]) - (n + 1) / 2.0)[:, None] / n for v in (x, y)]
    return pooled_tests(ranks[:1], ranks[1:], [n], [(0, 0)], draws)[0].p


def _tasks_with_both(trials: _Trials) -> int:
    """Tasks with both values, for the pair of metric and outcome that has the most of them."""
    groups = _groups(trials, trials.everywhere)
    return max((len(_tasks(trials, group.here)) for group in groups), default=0)


def _tasks(trials: _Trials, here: bytes) -> set[int]:
    return set(compress(trials.tasks, here))


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
    configs = {name: i for i, name in enumerate(sorted({o.config_name for o in observations}))}
    names = (*CORRELATED_METRICS, *CORRELATED_OUTCOMES)
    return _Trials(
        observations,
        [tasks[o.task] for o in observations],
        [configs[o.config_name] for o in observations],
        len(tasks),
        len(configs),
        {name: bytes(name in o.values for o in observations) for name in names},
        [suites[name] for name in tasks],
        [repos[name] for name in tasks],
    )


def _scope(
    trials: _Trials,
    inside: bytes,
    scope: CorrelationScope,
    config_name: str | None,
    draws: Draws,
    known: _Known,
) -> list[Correlation]:
    entries: dict[tuple[str, str], Correlation] = {}
    for group in _groups(trials, inside):
        pooled = scope == "overall"
        n = _ranked(trials, group.here, pooled=pooled)
        if n < MIN_COEFFICIENT:
            results = too_few(n, len(group.pairs))
        else:
            results = _associated(trials, group, draws, known, pooled=pooled)
        tasks, missing = _missing(trials, inside, group.here)
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


def _groups(trials: _Trials, inside: bytes) -> Iterator[_Group]:
    groups: dict[bytes, list[tuple[str, str]]] = {}
    for metric, outcome in PAIRS:
        here = _common(inside, trials.has[metric], trials.has[outcome])
        groups.setdefault(here, []).append((metric, outcome))
    return (_Group(here, tuple(pairs)) for here, pairs in groups.items())


def _ranked(trials: _Trials, here: bytes, *, pooled: bool) -> int:
    """How many tasks have a rank: it needs two tasks of a configuration and suite."""
    columns: dict[tuple[int, str], set[int]] = {}
    for task, config in zip(
        compress(trials.tasks, here), compress(trials.configs, here), strict=True
    ):
        column = (0 if pooled else config, trials.suites[task] or "")
        columns.setdefault(column, set()).add(task)
    return len(set().union(*(tasks for tasks in columns.values() if len(tasks) > 1)))


def _associated(
    trials: _Trials, group: _Group, draws: Draws, known: _Known, *, pooled: bool
) -> list[Association]:
    metrics = sorted({metric for metric, _ in group.pairs})
    outcomes = sorted({outcome for _, outcome in group.pairs})
    grids = {name: _grid(trials, name, group.here, pooled=pooled) for name in (*metrics, *outcomes)}
    present = whole = np.isfinite(grids[metrics[0]])
    if len(set(trials.suites)) > 1:
        _, present = by_suite(grids[metrics[0]], whole, trials.suites)
        grids = {name: by_suite(grid, whole, trials.suites)[0] for name, grid in grids.items()}
    places = tuple((metrics.index(x), outcomes.index(y)) for x, y in group.pairs)
    xs, ys = ([grids[name] for name in names] for names in (metrics, outcomes))
    key = (present.shape, places, *(values.tobytes() for values in (present, *xs, *ys)))
    if key not in known:
        known[key] = associate(xs, ys, present, places, draws, trials.blocks())
    return known[key]


def _grid(trials: _Trials, name: str, here: bytes, *, pooled: bool) -> Floats:
    """Means by task and configuration over the trials `here`. `pooled`: the mean over a task's
    configurations."""
    tasks, configs = (np.array(own)[_mask(here)] for own in (trials.tasks, trials.configs))
    cells = tasks * trials.n_configs + configs
    shape = (trials.n_tasks, trials.n_configs)
    grid = _means(cells, trials.values(name, here), shape[0] * shape[1]).reshape(shape)
    if pooled:
        known = np.isfinite(grid)
        grid = _means(np.nonzero(known)[0], grid[known], trials.n_tasks).reshape(-1, 1)
    return to_ten_digits(grid)


def _means(place: Ints, values: Floats, size: int) -> Floats:
    counts = np.bincount(place, minlength=size)
    shares = values / counts[place]
    sums = np.bincount(place, weights=shares, minlength=size)
    return np.where(counts > 0, sums, np.nan)


def _missing(trials: _Trials, inside: bytes, here: bytes) -> tuple[int, list[list[Observation]]]:
    """How many tasks the scope has, and the trials of each task without both values."""
    with_both, every = _tasks(trials, here), _tasks(trials, inside)
    missing: dict[int, list[Observation]] = {}
    if len(with_both) < len(every):
        for task, own in compress(zip(trials.tasks, trials.observations, strict=True), inside):
            if task not in with_both:
                missing.setdefault(task, []).append(own)
    return len(every), list(missing.values())


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
