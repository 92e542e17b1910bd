"""How far the intervals and tests of the impact analysis can be believed, and how fast it is.

    python benchmarks/intervals.py [--sets 400] [--trials 10000] [--json FILE]

Coverage: data sets are drawn from a population whose true value is known; the share of 95 %
intervals that hold it should be 0.95. Where an interval was refused the set is counted apart.
Error rate: data sets without any association or difference; the share of p <= 0.05 should not
be above 0.05. Both have a sampling error of about sqrt(0.05 * 0.95 / sets).
"""

from __future__ import annotations

import argparse
import json
import math
import resource
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from groundtrace.documents.events import Coverage, EventSummary
from groundtrace.documents.outcomes import TrialOutcome
from groundtrace.impact import ImpactOptions, analyse
from groundtrace.impact.association import associate
from groundtrace.impact.resample import Draws, flip_tests, mean_intervals
from groundtrace.metrics.catalogue import METRICS
from groundtrace.rows.trial_row import TrialRow

DRAWS = 2000
SIZES = (6, 10, 20, 50, 200, 600)

Sampler = Callable[[np.random.Generator, int], np.ndarray]


def rewards(random: np.random.Generator, n: int) -> np.ndarray:
    """Differences of two rewards of 0, 0.5 or 1: many ties, mean 0.15."""
    worse = random.choice([0.0, 0.5, 1.0], p=[0.5, 0.2, 0.3], size=n)
    better = random.choice([0.0, 0.5, 1.0], p=[0.35, 0.2, 0.45], size=n)
    return better - worse


DELTAS: dict[str, tuple[Sampler, float]] = {
    "normal": (lambda random, n: random.normal(0.5, 1, n), 0.5),
    "skewed (costs)": (lambda random, n: random.lognormal(0, 1, n), math.exp(0.5)),
    "rewards, tied": (rewards, 0.15),
}


def correlated(random: np.random.Generator, n: int, rho: float, tied: bool) -> np.ndarray:
    """Two columns of a normal pair; tied: rounded to few levels, as rewards and recalls are."""
    x = random.normal(size=n)
    y = rho * x + math.sqrt(1 - rho**2) * random.normal(size=n)
    return np.stack([np.round(x), np.clip(np.round(y), -1, 1)] if tied else [x, y])


def true_spearman(rho: float, tied: bool) -> float:
    """Of the population: by formula without ties, else from a sample of two million."""
    if not tied:
        return 6 / math.pi * math.asin(rho / 2)
    x, y = correlated(np.random.default_rng(0), 2_000_000, rho, tied)
    f, g = (_middle(v) for v in (x, y))
    return float(np.corrcoef(f, g)[0, 1])


def _middle(values: np.ndarray) -> np.ndarray:
    _, place, counts = np.unique(values, return_inverse=True, return_counts=True)
    return (np.cumsum(counts) - counts / 2)[place]


def delta_rows(sets: int) -> Iterator[dict[str, object]]:
    """Coverage of the interval of a mean delta, and error rate of its test."""
    for name, (draw, truth) in DELTAS.items():
        for n in SIZES:
            random = np.random.default_rng(n)
            held = refused = wrong = 0
            for k in range(sets):
                delta = draw(random, n)
                (interval,) = mean_intervals(delta.reshape(-1, 1), Draws(k, DRAWS))
                if interval.low is None or interval.high is None:
                    refused += 1
                else:
                    held += interval.low <= truth <= interval.high
                # Differences of exchangeable values are symmetric: no true difference.
                null = draw(random, n) - draw(random, n)
                ((p, _),) = flip_tests(null.reshape(-1, 1), Draws(k, DRAWS))
                wrong += p <= 0.05
            yield _row(f"mean delta, {name}", n, sets, held, refused, wrong)


def correlation_rows(sets: int) -> Iterator[dict[str, object]]:
    """Coverage of Spearman's interval (true rho 0, 0.5, 0.8), and error rate at rho 0."""
    for tied in (False, True):
        for rho in (0.0, 0.5, 0.8):
            truth = true_spearman(rho, tied)
            for n in SIZES:
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


def clustered_rows(sets: int) -> Iterator[dict[str, object]]:
    """Within-config at rho 0 where three configs share their tasks: tasks must be the blocks."""
    for n in SIZES:
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


def _row(
    name: str,
    n: int,
    sets: int,
    held: int,
    refused: int,
    wrong: int | None,
    tested: int | None = None,
) -> dict[str, object]:
    given = sets - refused
    return {
        "statistic": name,
        "n": n,
        "sets": sets,
        "coverage": round(held / given, 3) if given else None,
        "refused": round(refused / sets, 3),
        "error_rate": None if wrong is None else round(wrong / max(tested or sets, 1), 3),
    }


def trial_rows(trials: int) -> list[TrialRow]:
    """Trials of two configurations over three suites, with values missing here and there."""
    random = np.random.default_rng(0)
    coverage = Coverage(
        has_trajectory=False,
        has_transcript=True,
        has_ground_truth=True,
        has_chunk_ground_truth=False,
        trace_source="transcript",
        degraded_reason=None,
        ground_truth_source=None,
        ground_truth_confidence=None,
    )
    summary = EventSummary(
        total_events=0,
        mcp_events=0,
        local_events=0,
        unique_files_accessed=0,
        ground_truth_files_hit=0,
        ground_truth_files_total=0,
        first_ground_truth_hit_step=None,
        events_by_category={},
    )
    rows = []
    for i in range(trials):
        task, config = f"task-{i // 2:05}", ("baseline", "mcp")[i % 2]
        quality = random.random()
        noise = random.normal(0, 0.2, len(METRICS))
        metrics = {
            name: float(min(1, max(0, round(quality + e, 4))))
            for name, e in zip(METRICS, noise, strict=True)
        }
        if random.random() < 0.1:
            metrics = {name: v for name, v in metrics.items() if "ttfr" not in name}
        if random.random() < 0.05:
            metrics = {}
        rows.append(
            TrialRow(
                run_id="run",
                config_name=config,
                task_name=task,
                trial_name=f"{task}__{config}",
                benchmark=f"suite-{i // 2 % 3}",
                model="model",
                batch_timestamp=None,
                coverage=coverage,
                summary=summary,
                computable=bool(metrics),
                reason=None if metrics else "no_ground_truth",
                metrics=metrics,
                outcome=_outcome(task, config, quality, random),
            )
        )
    return rows


def _outcome(task: str, config: str, quality: float, random: np.random.Generator) -> TrialOutcome:
    return TrialOutcome(
        run_id="run",
        config_name=config,
        task_name=task,
        trial_name=f"{task}__{config}",
        benchmark=None,
        trial_key=f"{task}__{config}",
        path=task,
        state="selected",
        state_reason=None,
        document=None,
        has_task=True,
        model="model",
        harness="harness",
        harness_version="1.0",
        reward=round(min(1, max(0, quality + random.normal(0, 0.4))), 1),
        reward_reason=None,
        cost_usd=float(random.lognormal()) if random.random() < 0.97 else None,
        cost_source=None,
        agent_seconds=float(random.lognormal(5)),
        trial_seconds=float(random.lognormal(6)),
        output_tokens=int(random.lognormal(8)) if random.random() < 0.97 else None,
        output_tokens_source=None,
        exception=None,
    )


def speed(trials: int) -> dict[str, object]:
    """Time and peak memory of the whole analysis at the default draws."""
    rows = trial_rows(trials)
    started, spent = time.perf_counter(), time.process_time()
    analyse(rows, ImpactOptions(draws=DRAWS), generated_at="", scope="run")
    seconds, cpu = time.perf_counter() - started, time.process_time() - spent
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {
        "trials": trials,
        "draws": DRAWS,
        "seconds": round(seconds, 1),
        "cpu_seconds": round(cpu, 1),
        "peak_mb": round(peak),
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", type=int, default=400, help="data sets of each row")
    parser.add_argument("--trials", type=int, default=10_000, help="trials of the speed test")
    parser.add_argument("--json", type=Path, help="also write the results here")
    chosen = parser.parse_args()
    timed = speed(chosen.trials)
    print(
        f"{timed['trials']} trials at {timed['draws']} draws: {timed['seconds']} s "
        f"({timed['cpu_seconds']} s of processor), peak {timed['peak_mb']} MB\n"
    )
    print("| statistic | n | coverage | refused | error rate at 0.05 |\n|---|---|---|---|---|")
    table = []
    for part in (delta_rows, correlation_rows, clustered_rows):
        for line in part(chosen.sets):
            table.append(line)
            error = "" if line["error_rate"] is None else line["error_rate"]
            print(
                f"| {line['statistic']} | {line['n']} | {line['coverage']} | {line['refused']} "
                f"| {error} |",
                flush=True,
            )
    if chosen.json is not None:
        chosen.json.write_text(json.dumps({"speed": timed, "coverage": table}, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
