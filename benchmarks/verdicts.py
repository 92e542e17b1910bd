"""Simulations of what the answer promises: its verdicts, intervals, margins and numbers of tasks.

    python -m benchmarks.verdicts [--sets 1000] [--parts family,repositories,…]

Each part draws data sets from a population whose truth is known and counts how often the answer's
verdicts are wrong or its intervals miss. Shares have a sampling error of sqrt(share * (1 - share) /
sets). `docs/statistics.md` quotes the lines.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, cast

import numpy as np

from benchmarks.populations import bills, binary, hard_binary, partial, recalls, runaway_costs
from groundtrace.documents.comparison import Delta
from groundtrace.impact.deltas import Flipping, TaskPair, delta_of
from groundtrace.impact.family import attainable, conclude, family_of, p_of_margin
from groundtrace.impact.flips import flip_units
from groundtrace.impact.linked import _linked
from groundtrace.impact.power import enough
from groundtrace.impact.resample import Draws
from groundtrace.impact.signflip import LEVEL

FLIPS = 4_000
FOUND, USED, RESULT, PRICE = (
    "shown.file_recall",
    "util_read_overlap_with_relevant_files",
    "reward",
    "cost_usd",
)
Sides = Mapping[str, tuple[np.ndarray, np.ndarray]]
Random = np.random.Generator


def verdicts(
    comparisons: Sequence[Sides],
    seed: int,
    repos: Sequence[str | None] | None = None,
    margin: float | None = None,
) -> list[dict[str, Delta]]:
    """The rows of each configuration, as a report makes them."""
    drafts = []
    for sides in comparisons:
        n = len(next(iter(sides.values()))[0])
        units = flip_units(repos or [None] * n)
        count = len(set(units))
        flips = Flipping(Draws(seed, FLIPS), np.array(units) if count < n else None, count)
        tasks = [
            TaskPair(
                cast(Any, None),
                {name: float(pair[0][i]) for name, pair in sides.items()},
                {name: float(pair[1][i]) for name, pair in sides.items()},
                {},
            )
            for i in range(n)
        ]
        drafts.append({name: (*delta_of(name, tasks, flips), flips) for name in sides})
    smallest = [attainable(c, flips) for rows in drafts for _, c, flips in rows.values()]
    family = family_of(smallest)
    every = sum(p is not None for p in smallest)
    return [
        {
            name: conclude(delta, column, flips, family, every, margin)
            for name, (delta, column, flips) in rows.items()
        }
        for rows in drafts
    ]


def said(row: Delta) -> bool:
    """Whether a row claims a difference."""
    return row.verdict in ("higher", "lower")


# --- the family ---------------------------------------------------------------------------


def normal_rows(random: Random, n: int, up: float) -> Sides:
    """Four correlated metrics with normal differences."""
    shared = random.normal(size=n)
    return {
        name: (np.zeros(n), up + weight * shared + math.sqrt(1 - weight**2) * random.normal(size=n))
        for name, weight in ((FOUND, 0.7), (USED, 0.7), (RESULT, 0.4), (PRICE, 0.2))
    }


def real_rows(random: Random, n: int, up: float) -> Sides:
    """Recalls with ties, binary rewards and lognormal costs, independent."""
    return {
        FOUND: recalls(random, n, up),
        USED: recalls(random, n, up),
        RESULT: binary(random, n, up),
        PRICE: bills(random, n, up),
    }


def family(sets: int) -> Iterator[str]:
    """Coverage of all intervals together, and the chance of any false verdict."""
    for configs in (1, 3):
        for n in (10, 20, 50):
            random = np.random.default_rng(n)
            held = wrong = wrong_real = 0
            for k in range(sets):
                up = 0.3
                made = verdicts([normal_rows(random, n, up) for _ in range(configs)], k)
                held += all(
                    row.ci_low is None or row.ci_low <= up <= (row.ci_high or 0)
                    for rows in made
                    for row in rows.values()
                )
                made = verdicts([normal_rows(random, n, 0.0) for _ in range(configs)], k)
                wrong += any(said(row) for rows in made for row in rows.values())
                made = verdicts([real_rows(random, n, 0.0) for _ in range(configs)], k)
                wrong_real += any(said(row) for rows in made for row in rows.values())
            yield (
                f"{configs} configurations, n {n}: all intervals hold {held / sets:.3f}; any false "
                f"verdict {wrong / sets:.3f}, ties and costs {wrong_real / sets:.3f}"
            )


def single(sets: int) -> Iterator[str]:
    """Coverage of one row at the level of a family of four."""
    others = 0.5
    worlds: Mapping[str, tuple[Callable[[Random, int, float], Any], float]] = {
        "binary reward": (binary, 0.2),
        "partial reward": (partial, 0.2),
        "recall with ties": (recalls, 0.2),
        "cost, lognormal": (bills, 0.3),
        "cost, runaways": (runaway_costs, 1.0),
    }
    for label, (draw, up) in worlds.items():
        truth = _truth(draw, up)
        for n in (10, 20, 50, 200):
            random = np.random.default_rng(n)
            held = refused = 0
            for k in range(sets):
                fill = {
                    name: (np.zeros(n), random.normal(size=n) + others)
                    for name in (FOUND, USED, PRICE)
                }
                row = verdicts([{**fill, RESULT: draw(random, n, up)}], k)[0][RESULT]
                if row.ci_low is None or row.ci_high is None:
                    refused += 1
                else:
                    held += row.ci_low <= truth <= row.ci_high
            given = max(1, sets - refused)
            yield (
                f"{label}, n {n}: holds {held / given:.3f} (98.75 promised), refused "
                f"{refused / sets:.2f}"
            )


def _truth(draw: Callable[[Random, int, float], Any], up: float) -> float:
    baseline, config = draw(np.random.default_rng(0), 4_000_000, up)
    return float(np.mean(config - baseline))


# --- repositories -------------------------------------------------------------------------


def repositories(sets: int) -> Iterator[str]:
    """False verdicts over repositories that were drawn, and over these repositories' tasks."""
    for count in (6, 8, 10, 20, 40):
        for share in (0.0, 0.2, 0.4):
            random = np.random.default_rng(count)
            wrong = row_wrong = 0
            for k in range(sets):
                sizes = random.integers(2, 9, count)
                repos = [f"r{r}" for r, size in enumerate(sizes) for _ in range(size)]
                made = verdicts([_clustered(random, sizes, share)], k, repos)[0]
                wrong += any(said(row) for row in made.values())
                alone = verdicts([{RESULT: _clustered(random, sizes, share)[RESULT]}], k, repos)
                row_wrong += said(alone[0][RESULT])
            yield (
                f"{count} repositories, ICC {share}: any false verdict {wrong / sets:.3f}, with "
                f"one row {row_wrong / sets:.3f}"
            )
    for count in (2, 3, 5):
        random = np.random.default_rng(count)
        wrong = 0
        for k in range(sets):
            sizes = np.full(count, 10)
            effects = np.linspace(-0.6, 0.6, count)[np.repeat(np.arange(count), sizes)]
            repos = [f"r{r}" for r, size in enumerate(sizes) for _ in range(size)]
            n = len(repos)
            sides = {
                name: (np.zeros(n), effects + random.normal(size=n))
                for name in (FOUND, USED, RESULT, PRICE)
            }
            wrong += any(said(row) for row in verdicts([sides], k, repos)[0].values())
        yield f"{count} repositories with fixed effects of sum 0: any false verdict {wrong / sets:.3f}"


def _clustered(random: Random, sizes: np.ndarray, share: float) -> Sides:
    units = np.repeat(np.arange(len(sizes)), sizes)
    return {
        name: (
            np.zeros(len(units)),
            math.sqrt(share) * random.normal(size=len(sizes))[units]
            + math.sqrt(1 - share) * random.normal(size=len(units)),
        )
        for name in (FOUND, USED, RESULT, PRICE)
    }


# --- margins ------------------------------------------------------------------------------


def margins(_: int) -> Iterator[str]:
    """The chance of `not_worse` at a true loss of just the margin, summed up exactly."""
    for n in (6, 10, 20, 50, 100):
        for margin in (0.05, 0.1):
            worst = 0.0
            claims: dict[tuple[int, int], bool] = {}
            for gains in (0.0, 0.02, 0.05, 0.1, 0.2, 0.3):
                worst = max(worst, _claimed(n, margin, gains, claims))
            yield f"n {n}, margin {margin}: not_worse claimed in at most {worst:.4f} (level 0.05)"


def _claimed(n: int, margin: float, gains: float, claims: dict[tuple[int, int], bool]) -> float:
    losses, total = gains + margin, 0.0
    for b in range(n + 1):
        for c in range(n - b + 1):
            if losses + gains > 1 or (gains == 0 and b):
                continue
            log = (
                math.lgamma(n + 1) - math.lgamma(b + 1) - math.lgamma(c + 1)
                - math.lgamma(n - b - c + 1) + (b * math.log(gains) if b else 0.0)
                + c * math.log(losses) + (n - b - c) * math.log(max(1 - gains - losses, 1e-300))
            )  # fmt: skip
            if log < -16:
                continue
            if (b, c) not in claims:
                claims[b, c] = p_of_margin(b, c, n, margin) < LEVEL
            total += math.exp(log) if claims[b, c] else 0.0
    return total


def worlds(sets: int) -> Iterator[str]:
    """A plain difference is said; 200 near-ties with a margin of 0.1 are not worse."""
    plain = near = graded = 0
    for k in range(sets):
        random = np.random.default_rng(k)
        n = 20
        rows = {
            FOUND: (random.random(n) * 0.3, 0.7 + 0.3 * random.random(n)),
            USED: (random.random(n) * 0.3, 0.7 + 0.3 * random.random(n)),
            RESULT: (np.zeros(n), (random.random(n) < 0.9) * 1.0),
            PRICE: (1 + random.random(n), 2 + random.random(n)),
        }
        plain += all(row.verdict == "higher" for row in verdicts([rows], k)[0].values())
        n = 200
        base = (random.random(n) < 0.5) * 1.0
        other = np.where(random.random(n) < 0.03, 1 - base, base)
        ties = {**{name: (np.zeros(n), np.zeros(n)) for name in (FOUND,)}, RESULT: (base, other)}
        word = verdicts([ties], k, margin=0.1)[0][RESULT].verdict
        near += word in ("not_worse", "equivalent")
        score = random.random(n)
        ties = {RESULT: (score, np.clip(score + 0.05 * random.normal(size=n), 0, 1))}
        word = verdicts([ties], k, margin=0.1)[0][RESULT].verdict
        graded += word in ("not_worse", "equivalent", "higher", "lower")
    yield f"plain difference, 20 tasks: all four rows higher in {plain / sets:.3f}"
    yield f"200 near-ties, rewards 0 and 1: not worse or equivalent in {near / sets:.3f}"
    yield f"200 near-ties, graded rewards: not worse or equivalent in {graded / sets:.3f}"


# --- enough -------------------------------------------------------------------------------


def power(sets: int) -> Iterator[str]:
    """Power of the verdict if the true difference is the detectable one; it should be 0.80."""
    for label, draw, most in (
        ("binary reward", binary, 0.2),
        ("binary reward of hard tasks", hard_binary, 0.6),
        ("recall", recalls, 0.2),
    ):
        for n in (20, 50, 100, 200):
            up = _detectable(draw, n, most)
            if up is None:
                continue
            yield f"{label}, n {n}, difference {up:.3f}: found in {_found(draw, n, up, sets):.3f}"
    for n in (10, 20, 50):
        spread = enough(_normal_sample(n), None, LEVEL / 4, LEVEL / 4, 0.1)
        up = spread.detectable or 0.0
        hits = 0
        for k in range(sets):
            random = np.random.default_rng(k)
            hits += _row_found({RESULT: (np.zeros(n), up + random.normal(size=n))}, n, k, random)
        yield f"normal, n {n}, difference {up:.3f}: found in {hits / sets:.3f}"
    for count in (10, 20, 40):
        yield _clustered_power(count, sets)


def _clustered_power(count: int, sets: int) -> str:
    share, size = 0.3, 5
    units = np.repeat(np.arange(count), size)
    spread = math.sqrt(share + (1 - share) / size)
    exact = np.repeat(np.quantile(np.random.default_rng(0).normal(size=100_000), (np.arange(count) + 0.5) / count), size)  # fmt: skip
    exact = exact / np.std(exact[::size], ddof=1) * spread
    up = enough(exact, units, LEVEL / 4, LEVEL / 4, 0.1).detectable or 0.0
    hits = 0
    for k in range(sets):
        random = np.random.default_rng(k)
        repos = [f"r{u}" for u in units]
        sides = _clustered(random, np.full(count, size), share)
        rows = {**sides, RESULT: (sides[RESULT][0], sides[RESULT][1] + up)}
        hits += said(verdicts([rows], k, repos)[0][RESULT])
    return f"{count} repositories of 5, ICC 0.3, difference {up:.3f}: found in {hits / sets:.3f}"


def _normal_sample(n: int) -> np.ndarray:
    sample = np.random.default_rng(0).normal(size=n)
    return (sample - sample.mean()) / sample.std(ddof=1)


def _detectable(draw: Callable[[Random, int, float], Any], n: int, most: float) -> float | None:
    """The difference that a data set of n tasks with just this difference calls detectable."""
    up = most / 2
    for _ in range(6):
        values = []
        for k in range(40):
            random = np.random.default_rng(1000 + k)
            baseline, config = draw(random, n, min(up, most))
            found = enough(
                config - baseline, None, LEVEL / 4, LEVEL / 4, 0.1, binary=draw is not recalls
            )
            if found.detectable is not None:
                values.append(found.detectable)
        up = float(np.mean(values)) if values else math.inf
        if up > most:
            return None
    return up


def _found(draw: Callable[[Random, int, float], Any], n: int, up: float, sets: int) -> float:
    hits = 0
    for k in range(sets):
        random = np.random.default_rng(k)
        hits += _row_found({RESULT: draw(random, n, up)}, n, k, random)
    return hits / sets


def _row_found(own: Sides, n: int, seed: int, random: Random) -> bool:
    """Whether the row is found among three others."""
    fill = {name: (np.zeros(n), random.normal(size=n)) for name in (FOUND, USED, PRICE)}
    return said(verdicts([{**fill, **own}], seed)[0][RESULT])


# --- association --------------------------------------------------------------------------


def association(sets: int) -> Iterator[str]:
    """False p of the slope across tasks, if both values are alike inside repositories."""
    for count, size in ((6, 10), (10, 10), (20, 5), (40, 5)):
        for share in (0.0, 0.3):
            random = np.random.default_rng(count)
            units = np.repeat(np.arange(count), size)
            wrong = alone = 0
            for k in range(sets):
                x, y = (
                    math.sqrt(share) * random.normal(size=count)[units]
                    + math.sqrt(1 - share) * random.normal(size=count * size)
                    for _ in range(2)
                )
                x, y = x - x.mean(), y - y.mean()
                n = len(x)
                wrong += (_linked(x, y, units, n, n, Draws(k, FLIPS)).p or 1.0) < LEVEL
                alone += (_linked(x, y, np.arange(n), n, n, Draws(k, FLIPS)).p or 1.0) < LEVEL
            yield (
                f"{count} repositories of {size}, ICC {share}: false by repositories "
                f"{wrong / sets:.3f}, by tasks {alone / sets:.3f}"
            )


PARTS: Mapping[str, Callable[[int], Iterator[str]]] = {
    "family": family,
    "single": single,
    "repositories": repositories,
    "margins": margins,
    "worlds": worlds,
    "power": power,
    "association": association,
}


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--sets", type=int, default=1000, help="data sets of each line")
    parser.add_argument("--parts", default=",".join(PARTS), help="which parts, and in what order")
    chosen = parser.parse_args()
    for name in chosen.parts.split(","):
        print(f"\n{name}: {PARTS[name].__doc__}\n", flush=True)
        for line in PARTS[name](chosen.sets):
            print(f"- {line}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
