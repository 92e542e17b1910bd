"""Spearman's coefficient over tasks, pooled over configurations, with its test and interval.

All scopes use the same method. Values are in a grid of tasks by configurations. Ranks are taken
inside a column, centred and divided by the column's size; the coefficient is the correlation of
the pooled ranks. With one column this is Spearman's coefficient. Tasks are the blocks: resamples
draw tasks with all their columns, and permutations move all outcomes of a task together, among
tasks that are present in the same columns (D36).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from groundtrace.base.frozen import Frozen
from groundtrace.impact.arrays import Floats, Ints, Mask, np
from groundtrace.impact.flips import unit_sums
from groundtrace.impact.pooled import block_tests, pooled_tests
from groundtrace.impact.resample import (
    MIN_INFERENCE,
    Draws,
    Interval,
    bca,
    midranks,
    on_grid,
    products,
)

MIN_COEFFICIENT = 5
"""With fewer tasks there is no coefficient."""
RERANK_LIMIT = 500
"""Up to this many tasks every resample is ranked again. With more tasks, the ranks and each task's
influence on the coefficient (including changes of rank) are computed once."""
RERANKED = 12_500
"""Numbers of resamples that are ranked at once. Each variable has a table of this size: with
100,000, the analysis of 500 tasks took 130 MB."""


_NO_INTERVAL = Interval(None, None)


class Association(Frozen, frozen=True):
    """What could be said about one pair of variables."""

    n: int
    r: float | None = None
    reason: str | None = None
    p: float | None = None
    exact: bool | None = None
    interval: Interval = _NO_INTERVAL
    ranks_once: bool | None = None
    p_reason: str | None = None
    movable: int | None = None
    """Tasks that the test can exchange with another task; None without a test."""


class _Grid(Frozen, frozen=True):
    """Variables over the same tasks and columns; tasks are ordered by stratum."""

    xs: list[Floats]
    ys: list[Floats]
    present: Mask
    strata: list[int]
    blocks: Ints | None
    """The repository of each task; None if every task is a block."""


def associate(
    xs: Sequence[Floats],
    ys: Sequence[Floats],
    present: Mask,
    pairs: Sequence[tuple[int, int]],
    draws: Draws,
    blocks: Ints | None = None,
) -> list[Association]:
    """The association of `xs[i]` with `ys[j]` for each (i, j); grids are tasks by columns.

    `blocks` is the repository of each task, if repositories are the units (D164). Tasks of one
    repository cannot be exchanged with others one by one. So each repository's part of the sum of
    products keeps or turns its sign, and resamples draw whole repositories.
    """
    tasks = int(_ranked(present).any(axis=1).sum())
    if tasks < MIN_COEFFICIENT:
        return too_few(tasks, len(pairs))
    grid = _arranged(xs, ys, _ranked(present), blocks)
    n = len(grid.present)
    fs = [_ridits(x, grid.present) for x in grid.xs]
    gs = [_ridits(y, grid.present) for y in grid.ys]
    result: list[Association | None] = []
    for i, j in pairs:
        constant = _constant(fs[i], gs[j])
        if constant is not None:
            result.append(Association(n, reason=constant))
        elif n < MIN_INFERENCE:
            reason = f"fewer_than_{MIN_INFERENCE}_pairs"
            r = _coefficient(fs[i], gs[j])
            result.append(Association(n, r=r, interval=Interval(None, None, reason)))
        else:
            result.append(None)
    open_pairs = [pair for pair, found in zip(pairs, result, strict=True) if found is None]
    inferred = iter(_inferred(grid, fs, gs, open_pairs, draws))
    return [found if found is not None else next(inferred) for found in result]


def too_few(n: int, pairs: int) -> list[Association]:
    """What is said about every pair if fewer than `MIN_COEFFICIENT` tasks have a rank."""
    return [Association(n, reason=f"fewer_than_{MIN_COEFFICIENT}_pairs")] * pairs


def _ranked(present: Mask) -> Mask:
    """The values that have a rank: it needs at least two tasks."""
    return np.asarray(present & (present.sum(axis=0) >= 2), dtype=np.bool_)


def _arranged(
    xs: Sequence[Floats], ys: Sequence[Floats], present: Mask, blocks: Ints | None = None
) -> _Grid:
    patterns, place = np.unique(present, axis=0, return_inverse=True)
    place = place.reshape(-1)
    order = np.argsort(place, kind="stable")
    order = order[present[order].any(axis=1)]
    columns = present.any(axis=0)
    sizes = np.bincount(place[order], minlength=len(patterns))
    return _Grid(
        [x[order][:, columns] for x in xs],
        [y[order][:, columns] for y in ys],
        present[order][:, columns],
        [int(size) for size in sizes if size],
        None if blocks is None else np.unique(blocks[order], return_inverse=True)[1].reshape(-1),
    )


def _ridits(values: Floats, present: Mask) -> Floats:
    """Mid-ranks inside each column, centred and divided by its size; 0 for absent tasks."""
    out = np.zeros(values.shape)
    for c in range(values.shape[1]):
        here = present[:, c]
        size = int(here.sum())
        if size:
            out[here, c] = (midranks(values[here, c]) - (size + 1) / 2.0) / size
    return out


def _constant(f: Floats, g: Floats) -> str | None:
    if not f.any():
        return "metric_constant"
    if not g.any():
        return "outcome_constant"
    # For example two configurations, each with one constant side: no column varies in both.
    if not ((f != 0).any(axis=0) & (g != 0).any(axis=0)).any():
        return "constant_in_every_config"
    return None


def _coefficient(f: Floats, g: Floats) -> float:
    r = float(np.sum(f * g)) / float(np.sqrt(np.sum(f * f) * np.sum(g * g)))
    return min(1.0, max(-1.0, r))


def _inferred(
    grid: _Grid,
    fs: list[Floats],
    gs: list[Floats],
    pairs: Sequence[tuple[int, int]],
    draws: Draws,
) -> list[Association]:
    if not pairs:
        return []
    n = len(grid.present)
    once = n > RERANK_LIMIT
    influences = _influences(grid, fs, gs, pairs)
    rs = [_coefficient(fs[i], gs[j]) for i, j in pairs]
    blocks = grid.blocks
    if blocks is None:
        tests = pooled_tests(fs, gs, grid.strata, pairs, draws)
    else:
        tests = block_tests(fs, gs, grid.strata, pairs, draws, blocks)
        influences = [unit_sums(own[None], blocks)[0] for own in influences]
    count = len(influences[0])
    if once:
        units = int(grid.present.sum())
        effects = on_grid(np.stack(influences, axis=1) / units, n)
        replicates = np.concatenate([products(block, effects) for block in draws.weights(count)])
        replicates = np.clip(replicates + np.array(rs), -1, 1)
    else:
        sides = _sides(grid, pairs)
        step = max(2, RERANKED // n)
        replicates = np.concatenate(
            [
                _reranked(sides, pairs, few if blocks is None else few[:, blocks])
                for block in draws.weights(count)
                for few in np.split(block, range(step, len(block), step))
            ]
        )
    return [
        Association(
            n,
            r=r,
            p=test.p,
            exact=test.exact,
            interval=bca(r, replicates[:, k], influences[k]),
            ranks_once=once,
            p_reason=test.reason,
            movable=test.movable,
        )
        for k, (r, test) in enumerate(zip(rs, tests, strict=True))
    ]


class _Sorted(Frozen, frozen=True):
    """The values of a column in order, found once for all resamples."""

    order: Ints
    starts: Ints
    """Where each different value begins in that order."""
    place: Ints
    """The place of each task's value among the different ones."""


class _Side(Frozen, frozen=True):
    """A column with the values that are ranked in it."""

    here: Ints
    """Tasks that are present."""
    xs: dict[int, _Sorted]
    ys: dict[int, _Sorted]


def _sides(grid: _Grid, pairs: Sequence[tuple[int, int]]) -> list[_Side]:
    sides = []
    for c in range(grid.present.shape[1]):
        here = np.flatnonzero(grid.present[:, c])
        xs = {i: _sorted(grid.xs[i][here, c]) for i in {i for i, _ in pairs}}
        ys = {j: _sorted(grid.ys[j][here, c]) for j in {j for _, j in pairs}}
        sides.append(_Side(here, xs, ys))
    return sides


def _sorted(values: Floats) -> _Sorted:
    distinct, place = np.unique(values, return_inverse=True)
    place = place.reshape(-1)
    order = np.argsort(place, kind="stable")
    return _Sorted(order, np.searchsorted(place[order], np.arange(len(distinct))), place)


def _reranked(sides: list[_Side], pairs: Sequence[tuple[int, int]], weights: Floats) -> Floats:
    """Coefficients of resamples given as counts of tasks, ranked again; NaN where undefined."""
    shape = (len(weights), len(pairs))
    xy, xx, yy = np.zeros(shape), np.zeros(shape), np.zeros(shape)
    for side in sides:
        w = weights[:, side.here]
        fs = {i: _weighted_ridits(w, own) for i, own in side.xs.items()}
        gs = {j: _weighted_ridits(w, own) for j, own in side.ys.items()}
        ff = {i: np.einsum("ab,ab,ab->a", w, f, f) for i, f in fs.items()}
        gg = {j: np.einsum("ab,ab,ab->a", w, g, g) for j, g in gs.items()}
        for k, (i, j) in enumerate(pairs):
            xy[:, k] += np.einsum("ab,ab,ab->a", w, fs[i], gs[j])
            xx[:, k] += ff[i]
            yy[:, k] += gg[j]
    scale = np.sqrt(xx * yy)
    tiny = 1e-12
    ratios = np.where(scale > tiny, xy / np.where(scale > tiny, scale, 1), np.nan)
    # By rounding, a perfect resample can come out slightly above 1.
    return np.clip(ratios, -1.0, 1.0)


def _weighted_ridits(weights: Floats, column: _Sorted) -> Floats:
    """Centred mid-ranks divided by size, in each resample."""
    counts = np.add.reduceat(weights[:, column.order], column.starts, axis=1)
    ends = np.cumsum(counts, axis=1)
    size = np.maximum(ends[:, -1:], 1)
    ridits = (ends - counts / 2) / size - 0.5
    return np.asarray(ridits[:, column.place], dtype=np.float64)


def _influences(
    grid: _Grid, fs: list[Floats], gs: list[Floats], pairs: Sequence[tuple[int, int]]
) -> list[Floats]:
    """How each coefficient changes if a task is there once more, including changes of rank."""
    units = float(grid.present.sum())
    own_f = {i: _own_influence(grid, fs[i], grid.xs[i]) for i in {i for i, _ in pairs}}
    own_g = {j: _own_influence(grid, gs[j], grid.ys[j]) for j in {j for _, j in pairs}}
    found = []
    for i, j in pairs:
        f, g, (var_f, d_f, ties_f), (var_g, d_g, ties_g) = fs[i], gs[j], own_f[i], own_g[j]
        cov = float(np.sum(f * g)) / units
        d_cov = np.zeros(len(f))
        for c in range(f.shape[1]):
            here = grid.present[:, c]
            fc, gc = f[here, c], g[here, c]
            above = _above(ties_f[c], gc), _above(ties_g[c], fc)
            d_cov[here] += fc * gc - cov + above[0] + above[1] - 2 * np.mean(fc * gc)
        scale, r = np.sqrt(var_f * var_g), cov / np.sqrt(var_f * var_g)
        change = d_cov / scale - r / 2 * (d_f / var_f + d_g / var_g)
        found.append(np.asarray(change, dtype=np.float64))
    return found


_Ties: TypeAlias = tuple[int, Ints]
"""How many different values a column has, and the place of each unit's among them."""


def _own_influence(grid: _Grid, f: Floats, x: Floats) -> tuple[float, Floats, list[_Ties]]:
    """The variance of one side's ranks, how it changes in the same way, and the ties of its
    columns."""
    variance = float(np.sum(f * f)) / float(grid.present.sum())
    change = np.zeros(len(f))
    ties = []
    for c in range(f.shape[1]):
        here = grid.present[:, c]
        fc = f[here, c]
        different, place = np.unique(x[here, c], return_inverse=True)
        ties.append((len(different), place.reshape(-1)))
        change[here] += fc * fc - variance + 2 * (_above(ties[c], fc) - np.mean(fc * fc))
    return variance, change, ties


def _above(ties: _Ties, other: Floats) -> Floats:
    """For each unit: the sum of `other` over units with larger values, half of it for equal ones,
    divided by the number of units."""
    count, place = ties
    sums = np.bincount(place, weights=other, minlength=count)
    larger = sums.sum() - np.cumsum(sums)
    return np.asarray((larger + sums / 2)[place] / len(place), dtype=np.float64)
