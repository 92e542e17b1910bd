"""Random permutations of many tasks: all combinations of two small sets (D138).

2,000 random permutations of 5,000 tasks need ten million random numbers. Instead, 28 permutations
of the metric and 68 of the outcome are drawn, and each set gets the one that moves nothing. The
29 * 69 = 2,001 combinations are the data and 2,000 draws. The sum of a combination is the inner
product of one permuted metric and one permuted outcome, so a matrix product gives all sums.

The test is as exact as with independent draws. If tasks are exchangeable, each of the 2,001 could
be the data with equal chance: seen from any of them, the others are again two random sets. Moving
the metric by A and the outcome by B is one permutation, B without A; each is uniform, and each two
are independent. So p has the same mean and variance as with independent draws.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from groundtrace.impact.resample import Draws, Floats, Ints, products, shuffled_rows, unthreaded

GRID_ABOVE = 500
"""With more tasks, permutations are combined. With fewer, independent ones are fast enough."""

Orders: TypeAlias = npt.NDArray[np.int32]
"""Permutations as rows, in half the memory of `Ints`."""


def grid_shape(draws: int) -> tuple[int, int]:
    """Sizes of the two sets: their product is `draws` + 1, or a little more."""
    root = math.isqrt(draws + 1)
    sizes = [(size, -(-(draws + 1) // size)) for size in range(max(1, root // 2), root + 1)]
    return min(sizes, key=lambda pair: (math.prod(pair), sum(pair)))


def two_sets(strata: Sequence[int], draws: Draws) -> tuple[Orders, Orders]:
    """Permutations inside the strata for both sides; the first of each set moves nothing."""
    random = draws.generator("grid", *strata)
    rows, columns = grid_shape(draws.draws)
    return _one_set(random, strata, rows), _one_set(random, strata, columns)


def _one_set(random: np.random.Generator, strata: Sequence[int], size: int) -> Orders:
    n = sum(strata)
    found = np.empty((size, n), dtype=np.int32)
    found[0] = np.arange(n)
    start = 1
    for block in shuffled_rows(random, strata, size - 1):
        found[start : start + len(block)] = block
        start += len(block)
    return found


def grid_sums(
    fs: Sequence[Floats],
    gs: Sequence[Floats],
    pairs: Sequence[tuple[int, int]],
    left: Orders,
    right: Orders,
) -> Floats:
    """For each pair (i, j): the sum of products of `fs[i]`, permuted by each row of `left`, and
    `gs[j]`, permuted by each row of `right`. Grids are tasks by columns."""
    sums = np.zeros((len(pairs), len(left), len(right)))
    columns = range(fs[0].shape[1])
    of_f = {(i, c): np.ascontiguousarray(fs[i][:, c]) for i, _ in pairs for c in columns}
    of_g = {(j, c): np.ascontiguousarray(gs[j][:, c]) for _, j in pairs for c in columns}
    step = unthreaded(len(left) * len(right), least=64)
    for start in range(0, left.shape[1], step):
        a, b = (_places(orders, start, step) for orders in (left, right))
        permuted_f = {key: column.take(a) for key, column in of_f.items()}
        permuted_g = {key: column.take(b).T for key, column in of_g.items()}
        for own, (i, j) in zip(sums, pairs, strict=True):
            for c in columns:
                own += products(permuted_f[i, c], permuted_g[j, c])
    return sums


def _places(orders: Orders, start: int, step: int) -> Ints:
    return orders[:, start : start + step].astype(np.intp)
