"""Sums over the subsets of units whose sign is flipped: what every sign-flip test needs.

A flip is the subset of units whose sign it turns. The tests need only the sums over that subset, so
no table of signs is made. Random subsets come as bytes, eight units at a time, and the sum for each
byte is looked up in a table of 256. 20,000 flips of 500 tasks take milliseconds on one core, with
the same digits on every machine.

A unit is a task or a whole repository. Tasks of one repository tend to rise and fall together, so
flipping them one by one would claim more evidence than there is.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

from msgspec.structs import replace

from groundtrace.impact.arrays import Floats, Ints, np
from groundtrace.impact.resample import EXACT_FLIPS, Draws

FLIP_DRAWS = 20_000
"""Random flips of a test. With only 2,000, an adjusted p was between .018 and .054, depending on
the seed."""
MIN_CLUSTERS = 6
"""With at least this many repositories, whole repositories flip. With fewer no result could be
significant, so tasks flip, and the verdict is about these repositories (D164)."""

_KEPT_BYTES = 4_000_000
"""Up to this many random bytes are kept for the next test; as table indices they take 32 MB."""


def flip_units(clusters: Sequence[str | None]) -> list[int]:
    """The number of the unit that each task belongs to.

    If at least `MIN_CLUSTERS` clusters are known, each cluster is a unit, and so is each task
    without a cluster. Otherwise every task is a unit.
    """
    known = {name for name in clusters if name is not None}
    if len(known) < MIN_CLUSTERS:
        return list(range(len(clusters)))
    numbers = {name: number for number, name in enumerate(sorted(known))}
    result, alone = [], len(numbers)
    for name in clusters:
        if name is None:
            result.append(alone)
            alone += 1
        else:
            result.append(numbers[name])
    return result


def unit_sums(columns: Floats, units: Ints | None) -> Floats:
    """Columns (stored as rows) summed over the tasks of each unit that occurs, in order."""
    if units is None:
        return columns
    _, place = np.unique(units, return_inverse=True)
    place = place.reshape(-1)
    return np.stack([np.bincount(place, weights=row) for row in columns])


def every_subset(columns: Floats) -> Floats:
    """Sums of each column (stored as a row) over all subsets of its entries, empty one first."""
    sums = np.zeros((len(columns), 1))
    for i in range(columns.shape[1]):
        sums = np.concatenate([sums, sums + columns[:, i : i + 1]], axis=1)
    return sums


def random_subsets(columns: Floats, draws: Draws) -> Floats:
    """Sums of each column (stored as a row) over random subsets, the same ones for all columns."""
    n = columns.shape[1]
    # If every unit has the value 1, the sum is the size of the subset: the same in each test.
    ones = (columns == 1.0).all(axis=1)
    sums = np.zeros((len(columns), draws.draws))
    if not ones.all():
        sums[~ones] = _subset_sums(columns[~ones], draws)
    if ones.any():
        sums[ones] = _subset_sizes(draws, n)
    return sums


def _subset_sums(columns: Floats, draws: Draws) -> Floats:
    kinds, n = columns.shape
    groups = -(-n // 8)
    padded = np.zeros((kinds, groups * 8))
    padded[:, :n] = columns
    bits = ((np.arange(256)[:, None] >> np.arange(8)) & 1).astype(np.float64)
    tables = np.einsum("kgb,vb->gkv", padded.reshape(kinds, groups, 8), bits)
    sums = np.zeros((kinds, draws.draws))
    if kinds == 1:  # a single test: without a second dimension it takes half the time
        only = sums[0]
        for table, places in zip(tables[:, 0], _flips(draws, n), strict=True):
            only += table.take(places, mode="clip")
        return sums
    found = np.empty_like(sums)
    for table, places in zip(tables, _flips(draws, n), strict=True):
        sums += table.take(places, axis=1, mode="clip", out=found)
    return sums


@lru_cache(maxsize=8)
def _subset_sizes(draws: Draws, n: int) -> Floats:
    """How many units each random subset holds."""
    return np.asarray(_subset_sums(np.ones((1, n)), draws)[0])


def _flips(draws: Draws, n: int) -> Iterable[Ints]:
    """For each group of eight units: the subset that each draw turns, as a byte.

    Each number of units has its own stream of bytes. So tests of equal size share their flips, and
    90 metrics of the same tasks share their draws.
    """
    return _kept_flips(draws, n) if -(-n // 8) * draws.draws <= _KEPT_BYTES else _bytes(draws, n)


@lru_cache(maxsize=1)
def _kept_flips(draws: Draws, n: int) -> tuple[Ints, ...]:
    return tuple(_bytes(draws, n))


def _bytes(draws: Draws, n: int) -> Iterator[Ints]:
    random = draws.generator("flips", n)
    for _ in range(-(-n // 8)):
        yield random.integers(0, 256, size=draws.draws, dtype=np.uint8).astype(np.intp)


def two_sided_subsets(values: Floats, companions: Floats, draws: Draws) -> tuple[Floats, bool]:
    """Sums of `values` and of its companions over flips, and whether a p from them is exact.

    The empty subset (the flip that changes nothing) comes first; p is the share of flips that are
    at least as extreme. A subset and its complement give the same two-sided comparison, so when
    all subsets are enumerated the last unit is never flipped. Zeros have no sign: up to
    `EXACT_FLIPS` values that are not zero are enumerated. The zeros get random subsets, which
    change only the sums of the companions.
    """
    columns = np.vstack([values[None], companions])
    moved = values != 0
    if len(values) <= EXACT_FLIPS:
        return every_subset(columns[:, :-1]), True
    if moved.sum() > EXACT_FLIPS:
        found = random_subsets(columns, draws)
        return np.concatenate([np.zeros((len(columns), 1)), found], axis=1), False
    sums = every_subset(columns[:, np.flatnonzero(moved)[:-1]])
    sums = np.tile(sums, (1, -(-draws.draws // sums.shape[1])))
    still = random_subsets(columns[:, ~moved], replace(draws, draws=sums.shape[1]))
    still[:, 0] = 0.0
    return sums + still, True
