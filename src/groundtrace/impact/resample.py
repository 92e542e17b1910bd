"""Resampling statistics in numpy: ranks, permutations, bootstrap intervals, Holm (D36).

Every generator is derived from the seed, the kind of draw and the size drawn. So a result does not
depend on which other tables are computed, or in which order; tests of equal size share their draws.
Draws come in blocks, so memory does not grow with the number of draws.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence

from groundtrace.base.digests import blake2b
from groundtrace.base.frozen import Frozen
from groundtrace.impact.arrays import Floats, Ints, np

EXACT_PERMUTATIONS = math.factorial(8)
"""All permutations are enumerated if there are at most this many: 8 tasks in one stratum."""
EXACT_FLIPS = 16
"""All sign flips are enumerated for at most this many deltas that are not zero: 65,536 flips."""
MIN_INFERENCE = 6
"""With fewer tasks there is no p, interval or effect size (D36)."""
CONFIDENCE = 0.95
Z = 1.9599639845400536
"""Standard errors on either side of an interval with this confidence."""
UNDEFINED_DRAWS = 0.1
"""If a larger share of resamples has no value (because one side is constant), there is no
interval."""

_BLOCK = 100_000
"""Numbers in a block. A block that fits the processor's cache is four times as fast as one of
1,000,000 numbers."""
_COUNTED = 4_096
"""Numbers that are counted at once."""
_SMALL = 250_000
"""The library behind `@` starts no thread for a product with at most this many multiplications."""
_SLACK = 1e-9


class Interval(Frozen, frozen=True):
    """A confidence interval, or the reason why there is none."""

    low: float | None
    high: float | None
    reason: str | None = None


class Draws(Frozen, frozen=True):
    """Where random draws come from: a seed and how many."""

    seed: int
    draws: int

    def weights(self, n: int) -> Iterator[Floats]:
        """Bootstrap resamples of `n` units as counts: blocks of shape (some draws, n)."""
        random = self.generator("bootstrap", n)
        for rows in _blocks(self.draws, n):
            picked = random.integers(0, n, size=(rows, n))
            counts = np.empty((rows, n))
            # A few rows at once, each in its own part of the table. Counting the whole block at
            # once took five times as long: its table does not fit the cache.
            step = max(1, _COUNTED // n)
            starts = np.arange(step)[:, None] * n
            for at in range(0, rows, step):
                few = picked[at : at + step]
                places = (few + starts[: len(few)]).reshape(-1)
                counts[at : at + step] = np.bincount(places, minlength=few.size).reshape(few.shape)
            yield counts

    def permutations(self, strata: Sequence[int]) -> Iterator[Ints]:
        """Permutations of units that are ordered by stratum, each inside its stratum.

        All of them when there are few (the identity included), else random ones.
        """
        if permutations_are_exact(strata):
            yield _all_permutations(strata)
            return
        yield from shuffled_rows(self.generator("permutation", *strata), strata, self.draws)

    def generator(self, kind: str, *sizes: int) -> np.random.Generator:
        """A generator that depends only on the seed, the kind of draw and the sizes drawn."""
        text = f"{self.seed}/{kind}/{','.join(map(str, sizes))}"
        digest = blake2b(text.encode(), digest_size=16).digest()
        return np.random.default_rng(int.from_bytes(digest, "big"))


def _blocks(draws: int, n: int) -> Iterator[int]:
    """How many draws of `n` units each block holds."""
    step = max(1, _BLOCK // max(n, 1))
    for start in range(0, draws, step):
        yield min(step, draws - start)


def shuffled_rows(random: np.random.Generator, strata: Sequence[int], draws: int) -> Iterator[Ints]:
    """Random permutations inside strata: blocks of shape (some draws, units)."""
    n = sum(strata)
    for rows in _blocks(draws, n):
        block = np.tile(np.arange(n, dtype=np.intp), (rows, 1))
        start = 0
        for size in strata:
            if size > 1:
                part = block[:, start : start + size]
                random.permuted(part, axis=1, out=part)
            start += size
        yield block


def permutations_are_exact(strata: Sequence[int]) -> bool:
    """Whether all permutations inside the strata are enumerated."""
    total = 1
    for size in strata:
        if size > 8:
            return False
        total *= math.factorial(size)
        if total > EXACT_PERMUTATIONS:
            return False
    return True


def _all_permutations(strata: Sequence[int]) -> Ints:
    result = np.zeros((1, 0), dtype=np.intp)
    start = 0
    for size in strata:
        own = np.array(list(itertools.permutations(range(start, start + size))), dtype=np.intp)
        left = np.repeat(result, len(own), axis=0)
        right = np.tile(own, (len(result), 1))
        result = np.hstack([left, right])
        start += size
    return result


def to_ten_digits(values: Floats) -> Floats:
    """Values rounded to 10 significant digits, so that noise from averaging breaks no ties."""
    out = np.array(values, dtype=np.float64)
    ok = np.isfinite(out) & (np.abs(out) > 1e-290) & (np.abs(out) < 1e290)
    power = 9 - np.floor(np.log10(np.abs(out[ok])))
    # Scaling by a power of ten above 10**22 is not exact, yet equal inputs stay equal.
    with np.errstate(over="ignore"):
        scaled = out[ok] * 10.0**power
        out[ok] = np.where(np.isfinite(scaled), np.round(scaled) / 10.0**power, out[ok])
    return out


def distinct(units: Ints) -> int:
    """How many different units there are. `np.unique` loads numpy's masked arrays for that."""
    return len(set(units.tolist()))


def midranks(values: Floats) -> Floats:
    """Ranks from 1; equal values share the mean of their ranks."""
    _, place, counts = np.unique(values, return_inverse=True, return_counts=True)
    ends = np.cumsum(counts)
    return (ends - (counts - 1) / 2.0)[place.reshape(-1)]


def bca(estimate: float, replicates: Floats, influence: Floats) -> Interval:
    """The bias-corrected and accelerated bootstrap interval.

    `influence` holds what each unit contributes to the estimate, for the acceleration.
    """
    defined = replicates[np.isfinite(replicates)]
    if len(replicates) == 0 or len(defined) < (1 - UNDEFINED_DRAWS) * len(replicates):
        return Interval(None, None, "resamples_constant")
    slack = _SLACK * max(1e-300, float(np.max(np.abs(defined))))
    if float(np.ptp(defined)) <= slack:
        return Interval(None, None, "resamples_all_equal")
    below = float(np.mean(defined < estimate - slack))
    equal = float(np.mean(np.abs(defined - estimate) <= slack))
    share = below + equal / 2
    if not 0 < share < 1:
        return Interval(None, None, "estimate_outside_resamples")
    # Few runs have numbers to resample, and the module loads fractions and random numbers.
    from statistics import NormalDist

    normal = NormalDist()
    bias = normal.inv_cdf(share)
    power = float(np.sum(influence**2)) ** 1.5
    acceleration = float(np.sum(influence**3)) / (6 * power) if power > 0 else 0.0
    ends = []
    for tail in ((1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2):
        z = bias + normal.inv_cdf(tail)
        denominator = 1 - acceleration * z
        if denominator <= 0:
            return Interval(None, None, "acceleration_too_large")
        ends.append(normal.cdf(bias + z / denominator))
    ordered = np.sort(defined)
    return Interval(quantile_of(ordered, ends[0]), quantile_of(ordered, ends[1]))


def quantile_of(ordered: Floats, share: float) -> float:
    """The value of `np.quantile`, which loads numpy's masked arrays; with all of its digits."""
    place = (len(ordered) - 1) * share
    below = int(place)
    low, high = float(ordered[below]), float(ordered[min(below + 1, len(ordered) - 1)])
    part = place - below
    return low + (high - low) * part if part < 0.5 else high - (high - low) * (1 - part)


def unthreaded(multiplications: int, least: int = 1) -> int:
    """How often so many multiplications fit into one product that starts no thread."""
    return max(least, _SMALL // max(multiplications, 1))


def products(block: Floats, columns: Floats) -> Floats:
    """`block @ columns`, a few rows at a time.

    The library behind `@` is six times as fast as numpy's own loops. It splits large products over
    threads that wait for each other: on a busy machine that took ten times as long. Its last digits
    depend on the machine, so use it for sums that are exact (`on_grid`) or that are only compared
    with a limit that has 10,000 times as much slack (D126).
    """
    rows = unthreaded(columns.size)
    if rows >= len(block):
        return np.asarray(block @ columns)
    parts = (block[at : at + rows] @ columns for at in range(0, len(block), rows))
    return np.concatenate(list(parts))


def on_grid(columns: Floats, count: int) -> Floats:
    """Columns rounded so that every sum of `count` of a column's numbers is exact, in any order.

    Numbers become multiples of a power of two, so small that `count` times the largest has 52
    bits: with 5,000 tasks a number moves by 1e-12 of the largest. Such sums have the same digits on
    every machine (D139).
    """
    largest = np.max(np.abs(columns), axis=0, initial=0.0) * count
    _, exponents = np.frexp(largest)
    rounded = np.round(np.ldexp(columns, 52 - exponents))
    return np.asarray(np.ldexp(rounded, exponents - 52), dtype=np.float64)


def holm(ps: Sequence[float | None]) -> list[float | None]:
    """Holm's adjusted p values over one table; a missing p is not a test."""
    order = sorted((p, i) for i, p in enumerate(ps) if p is not None)
    adjusted: list[float | None] = [None] * len(ps)
    highest = 0.0
    for rank, (p, i) in enumerate(order):
        highest = max(highest, min(1.0, p * (len(order) - rank)))
        adjusted[i] = highest
    return adjusted
