"""How reliable the intervals and tests of the impact analysis are, and how fast it is.

    python -m benchmarks.intervals [--sets 400] [--trials 10000] [--json FILE]

Coverage: data sets are drawn from a population with a known true value; the share of 95 % intervals
that contain it should be 0.95. Sets without an interval are counted separately. Error: data sets
without any association or difference; the share of p <= 0.05 should not be above 0.05. Power: the
share of p <= 0.05 if there is a difference. All shares have a sampling error of about
sqrt(share * (1 - share) / sets).
"""

from __future__ import annotations

import argparse
import json
import math
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np

from benchmarks.impact_speed import DRAWS, speed
from benchmarks.populations import (
    METRIC_COUNT,
    POPULATIONS,
    Population,
    correlated,
    different_tasks,
    kindred,
    primaries,
    true_spearman,
)
from groundtrace.impact.adjusted import max_t, over_configurations
from groundtrace.impact.association import associate
from groundtrace.impact.flips import FLIP_DRAWS
from groundtrace.impact.pooled import pooled_tests
from groundtrace.impact.power import detectable
from groundtrace.impact.resample import Draws, holm, midranks
from groundtrace.impact.signflip import MeanTest, mean_test, ratio_test

SIZES = (6, 10, 20, 50, 200, 600)
DELTA_SIZES = (6, 10, 20, 50, 100, 200)
FAMILY_SIZES = (10, 20, 50)
SMALL_SIZES = (6, 8, 10, 12, 15)
"""Numbers of tasks below 20: for these, reports state the coverage of each interval."""


def tested(population: Population, sides: tuple[np.ndarray, np.ndarray], seed: int) -> MeanTest:
    """The test of a mean difference, or of the mean of logs if ratios are compared."""
    draws = Draws(seed, FLIP_DRAWS)
    baseline, config = sides
    if population.ratio:
        return ratio_test(baseline, config, draws).logs
    return mean_test(config - baseline, draws)


def found_by(test: MeanTest) -> bool:
    """Whether a test says that there is a difference."""
    return test.p is not None and test.p <= 0.05


def delta_rows(sets: int, sizes: Sequence[int] = DELTA_SIZES) -> Iterator[dict[str, object]]:
    """Coverage of the interval of a mean delta or ratio, error of its test, and power."""
    for name, population in POPULATIONS.items():
        for n in sizes:
            random = np.random.default_rng(n)
            held = refused = wrong = right = 0
            for k in range(sets):
                test = tested(population, population.draw(random, n, population.up), k)
                low, high = test.interval.low, test.interval.high
                if low is None or high is None:
                    refused += 1
                else:
                    held += low - 1e-9 <= population.up <= high + 1e-9
                right += found_by(test)
                wrong += found_by(tested(population, population.draw(random, n, 0.0), k))
            yield _row(name, n, sets, held, refused, wrong, power=right)


def primary_ps(table: np.ndarray, seed: int) -> list[float]:
    """p of each column of differences."""
    return [mean_test(column, Draws(seed, FLIP_DRAWS)).p or 1.0 for column in table.T]


def as_reported(tables: Sequence[np.ndarray], seed: int) -> list[list[float]]:
    """Adjusted p of the primaries of each configuration, by the two steps of a report."""
    found = [max_t(t, Draws(3 * seed + c, FLIP_DRAWS)) for c, t in enumerate(tables)]
    return over_configurations([[a.p_adjusted or 1.0 for a in table] for table in found])


def primary_rows(sets: int) -> Iterator[dict[str, object]]:
    """Recall, reward and cost: chance of any error over three configurations; power for recall."""
    for n in FAMILY_SIZES:
        random = np.random.default_rng(n)
        wrong, right = Counter[str](), Counter[str]()
        for k in range(sets):
            tables = [primaries(random, n) for _ in range(3)]
            null = [p for c, table in enumerate(tables) for p in primary_ps(table, 3 * k + c)]
            wrong["raw p"] += min(null) <= 0.05
            wrong["Holm"] += min(p for p in holm(null) if p is not None) <= 0.05
            wrong["as reported"] += min(map(min, as_reported(tables, k))) <= 0.05
            table = primaries(random, n, recall=0.2)
            ps = primary_ps(table, k)
            right["raw p"] += ps[0] <= 0.05
            right["Holm over 3"] += (holm(ps)[0] or 1.0) <= 0.05
            joint = max_t(table, Draws(k, FLIP_DRAWS))[0].p_adjusted
            right["maxT over 3"] += (joint or 1.0) <= 0.05
            right["as reported, 3 configs, only one differs"] += (
                as_reported([table, *tables[1:]], k)[0][0] <= 0.05
            )
            all_move = primary_ps(primaries(random, n, recall=0.2, reward=0.2, cost=0.3), k)
            right["Holm over 3, all differ"] += (holm(all_move)[0] or 1.0) <= 0.05
        for name, count in wrong.items():
            yield _row(f"any of 3 primaries x 3 configs, {name}", n, sets, None, 0, count)
        for name, count in right.items():
            yield _row(f"recall +0.2, {name}", n, sets, None, 0, None, power=count)


def spread(population: Population, up: float) -> float:
    """Standard deviation of the differences (of logs if ratios are compared)."""
    baseline, config = population.draw(np.random.default_rng(0), 200_000, up)
    deltas = np.log(config / baseline) if population.ratio else config - baseline
    return float(deltas.std())


def detectable_rows(sets: int) -> Iterator[dict[str, object]]:
    """Power if the true difference is the smallest detectable one: it should be 0.80.

    The difference is computed from the spread, and changes the spread. So it is found in steps. If
    the population cannot have such a large difference, the size has no row.
    """
    for name, population in POPULATIONS.items():
        for n in DELTA_SIZES:
            up = 0.0
            for _ in range(8):
                up = detectable(spread(population, min(up, population.most)), n)
            if up > population.most:
                continue
            random = np.random.default_rng(n)
            found = (tested(population, population.draw(random, n, up), k) for k in range(sets))
            right = sum(found_by(test) for test in found)
            label = f"{name}, smallest detectable difference"
            yield {**_row(label, n, sets, None, 0, None, power=right), "up": round(up, 3)}


def family_rows(sets: int) -> Iterator[dict[str, object]]:
    """maxT compared with Holm over 49 similar metrics: chance of any error; power for the first."""
    for n in FAMILY_SIZES:
        random = np.random.default_rng(n)
        wrong, right = {"maxT": 0, "Holm": 0}, {"maxT": 0, "Holm": 0}
        for k in range(sets):
            for up, counts in ((0.0, wrong), (0.2, right)):
                found = max_t(kindred(random, n, up), Draws(k, FLIP_DRAWS))
                by_holm = [p or 1.0 for p in holm([a.p for a in found])]
                by_maxt = [a.p_adjusted or 1.0 for a in found]
                for name, ps in (("maxT", by_maxt), ("Holm", by_holm)):
                    counts[name] += (min(ps) if up == 0 else ps[0]) <= 0.05
        for name in wrong:
            label = f"{METRIC_COUNT} kindred metrics, {name}"
            yield _row(label, n, sets, None, 0, wrong[name], power=right[name])


def repository_rows(sets: int) -> Iterator[dict[str, object]]:
    """Five tasks per repository that rise and fall together: flipped one by one, or together."""
    for share in (0.2, 0.4):
        for repositories in (10, 20, 40):
            n = 5 * repositories
            units = np.repeat(np.arange(repositories), 5)
            random = np.random.default_rng(n)
            apart = whole = held = 0
            for k in range(sets):
                level = math.sqrt(share) * random.normal(size=repositories)[units]
                delta = level + math.sqrt(1 - share) * random.normal(size=n)
                test = mean_test(delta, Draws(k, FLIP_DRAWS), units)
                low, high = test.interval.low, test.interval.high
                held += low is not None and high is not None and low <= 0 <= high
                whole += found_by(test)
                apart += found_by(mean_test(delta, Draws(k, FLIP_DRAWS)))
            yield _row(f"repositories, ICC {share}, tasks flip", n, sets, None, 0, apart)
            yield _row(f"repositories, ICC {share}, repositories flip", n, sets, held, 0, whole)


def centred_rows(sets: int) -> Iterator[dict[str, object]]:
    """Within config, if configs ran different tasks: power must not depend on the sign."""
    for rho in (-0.4, 0.0, 0.4):
        for n in (24, 40):
            random = np.random.default_rng(n)
            hits = 0
            for k in range(sets):
                x, y, present = different_tasks(random, n, rho)
                order = np.lexsort(present.T)
                _, strata = np.unique(present[order] @ np.array([1, 2]), return_counts=True)
                f, g = (_ranks(v[order], present[order]) for v in (x, y))
                (found,) = pooled_tests([f], [g], strata.tolist(), [(0, 0)], Draws(k, DRAWS))
                hits += found.p is not None and found.p <= 0.05
            name = f"within config {rho}, different tasks"
            wrong = hits if rho == 0 else None
            yield _row(name, n, sets, None, 0, wrong, power=None if rho == 0 else hits)


def _ranks(values: np.ndarray, present: np.ndarray) -> np.ndarray:
    out = np.zeros(values.shape)
    for c in range(values.shape[1]):
        here = present[:, c]
        size = int(here.sum())
        out[here, c] = (midranks(values[here, c]) - (size + 1) / 2) / max(size, 1)
    return out


def correlation_rows(sets: int, sizes: Sequence[int] = SIZES) -> Iterator[dict[str, object]]:
    """Coverage of Spearman's interval (true rho 0, 0.5, 0.8), and error rate at rho 0."""
    for tied in (False, True):
        for rho in (0.0, 0.5, 0.8):
            truth = true_spearman(rho, tied)
            for n in sizes:
                random = np.random.default_rng(n)
                held = refused = wrong = tested = 0
                for k in range(sets):
                    x, y = correlated(random, n, rho, tied)
                    found = associate(
                        [x.reshape(-1, 1)],
                        [y.reshape(-1, 1)],
                        np.ones((n, 1), dtype=bool),
                        [(0, 0)],
                        Draws(k, DRAWS),
                    )[0]
                    low, high = found.interval.low, found.interval.high
                    if low is None or high is None:
                        refused += 1
                    else:
                        held += low <= truth <= high
                    if found.p is not None:
                        tested += 1
                        wrong += found.p <= 0.05
                name = f"Spearman {rho}{', tied' if tied else ''}"
                errors = wrong if rho == 0 else None
                yield _row(name, n, sets, held, refused, errors, tested)


def clustered_rows(sets: int, sizes: Sequence[int] = SIZES) -> Iterator[dict[str, object]]:
    """Within config at rho 0, if three configs share their tasks: tasks must be the blocks."""
    for n in sizes:
        random = np.random.default_rng(n)
        held = refused = wrong = 0
        for k in range(sets):
            x = random.normal(size=(n, 1)) + 0.5 * random.normal(size=(n, 3))
            y = random.normal(size=(n, 1)) + 0.5 * random.normal(size=(n, 3))
            present = random.random((n, 3)) < 0.9
            found = associate([x], [y], present, [(0, 0)], Draws(k, DRAWS))[0]
            low, high = found.interval.low, found.interval.high
            if low is None or high is None:
                refused += 1
            else:
                held += low <= 0 <= high
            wrong += found.p is not None and found.p <= 0.05
        yield _row("within config 0, three configs", n, sets, held, refused, wrong)


def small_rows(sets: int) -> Iterator[dict[str, object]]:
    """Intervals over fewer than 20 tasks; reports state their coverage."""
    for of, rows in (
        ("means", delta_rows(sets, SMALL_SIZES)),
        ("correlations", correlation_rows(sets, SMALL_SIZES)),
        ("correlations", clustered_rows(sets, SMALL_SIZES)),
    ):
        for line in rows:
            yield {**line, "of": of}


def small_table(rows: Iterable[Mapping[str, object]]) -> Iterator[str]:
    """Lowest and highest coverage by n, in the form of `groundtrace.impact.simulated_coverage`."""
    found: dict[tuple[str, int], list[float]] = {}
    for line in rows:
        of, n, coverage = line.get("of"), line["n"], line["coverage"]
        if isinstance(of, str) and isinstance(n, int) and isinstance(coverage, float):
            found.setdefault((of, n), []).append(coverage)
    for (of, n), shares in sorted(found.items()):
        yield f"{of} | {n}: SimulatedCoverage({min(shares):.2f}, {max(shares):.2f}),"


def _row(
    name: str,
    n: int,
    sets: int,
    held: int | None,
    refused: int,
    wrong: int | None,
    tested: int | None = None,
    power: int | None = None,
) -> dict[str, object]:
    given = sets - refused
    return {
        "statistic": name,
        "n": n,
        "sets": sets,
        "coverage": round(held / given, 3) if given and held is not None else None,
        "refused": round(refused / sets, 3),
        "error_rate": None if wrong is None else round(wrong / max(tested or sets, 1), 3),
        "power": None if power is None else round(power / sets, 3),
    }


def flip_speed() -> dict[str, object]:
    """Time of one test with its interval: 20,000 flips of 500 tasks."""
    deltas = np.random.default_rng(0).normal(0.1, 1, 500)
    started = time.process_time()
    for seed in range(10):
        mean_test(deltas, Draws(seed, FLIP_DRAWS))
    spent = (time.process_time() - started) / 10
    return {"tasks": 500, "draws": FLIP_DRAWS, "cpu_milliseconds": round(spent * 1000, 1)}


PARTS = {
    "deltas": delta_rows,
    "detectable": detectable_rows,
    "primaries": primary_rows,
    "family": family_rows,
    "repositories": repository_rows,
    "centred": centred_rows,
    "correlations": correlation_rows,
    "clustered": clustered_rows,
    "small": small_rows,
}


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--sets", type=int, default=400, help="data sets of each row")
    parser.add_argument("--trials", type=int, default=10_000, help="trials of the speed test")
    parser.add_argument("--parts", default=",".join(PARTS), help="which tables, and in what order")
    parser.add_argument("--json", type=Path, help="also write the results here")
    chosen = parser.parse_args()
    timed, flips = speed(chosen.trials), flip_speed()
    print(
        f"{timed['trials']} trials at {timed['draws']} draws: {timed['seconds']} s "
        f"({timed['cpu_seconds']} s of processor), peak {timed['peak_mb']} MB\n"
        f"{flips['draws']} flips of {flips['tasks']} tasks: {flips['cpu_milliseconds']} ms\n"
    )
    print(
        "| statistic | n | coverage | refused | error at 0.05 | power |\n|---|---|---|---|---|---|"
    )
    table = []
    for part in chosen.parts.split(","):
        for line in PARTS[part](chosen.sets):
            table.append(line)
            shown = [line[key] for key in ("coverage", "refused", "error_rate", "power")]
            cells = ["" if value is None else str(value) for value in shown]
            print(f"| {line['statistic']} | {line['n']} | {' | '.join(cells)} |", flush=True)
    print("", *small_table(table), sep="\n")
    if chosen.json is not None:
        results = {"speed": timed, "flips": flips, "coverage": table}
        chosen.json.write_text(json.dumps(results, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
