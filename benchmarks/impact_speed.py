"""Processor time and memory of an impact analysis of generated trials.

python -m benchmarks.impact_speed [TRIALS]
"""

from __future__ import annotations

import resource
import sys
import time

import numpy as np

from groundtrace.documents.events import Coverage, EventSummary
from groundtrace.documents.outcomes import TrialOutcome
from groundtrace.impact import ImpactOptions, analyse
from groundtrace.metrics.catalogue import METRICS
from groundtrace.rows.trial_row import TrialRow

DRAWS = 2000


def trial_rows(trials: int) -> list[TrialRow]:
    """Trials of two configurations over three suites; some values are missing."""
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
    """Time and peak memory of the whole analysis with the default number of draws."""
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


if __name__ == "__main__":
    for what, number in speed(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000).items():
        print(f"{what:12} {number}")
