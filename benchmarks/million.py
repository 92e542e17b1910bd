"""A million trials in one process: `python -m benchmarks.million [--trials N]`.

Generated rows, not files, go through the summary, the impact analysis and the Markdown report. Each
row is made when it is needed, as it would be read from documents. Prints the time of each stage and
the peak memory, which must stay below 4 GB.
"""

from __future__ import annotations

import argparse
import random
import resource
import time
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from groundtrace.documents.events import Coverage, EventSummary
from groundtrace.documents.metrics import Slices
from groundtrace.documents.outcomes import TrialOutcome
from groundtrace.impact import analyse
from groundtrace.impact.options import ImpactOptions
from groundtrace.metrics.catalogue import METRICS
from groundtrace.report import ReportData, render_markdown
from groundtrace.rows.summarise import summarise
from groundtrace.rows.trial_row import TrialRow

LIMIT = 4096
"""Most megabytes that the whole run may take."""
CONFIGS = ("baseline-local-direct", "mcp-remote-direct", "mcp-hybrid-direct")
SUITES = tuple(f"csb_sdlc_{name}" for name in ("fix", "review", "trace", "debug", "test"))
TASKS = 2000
GENERATED_AT = "2026-01-01T00:00:00Z"

T = TypeVar("T")


class GeneratedRows:
    """Rows of a number of trials, each made when it is needed; the same every time."""

    def __init__(self, trials: int) -> None:
        self.trials = trials

    def __len__(self) -> int:
        return self.trials

    def __iter__(self) -> Iterator[TrialRow]:
        return map(row, range(self.trials))


def row(number: int) -> TrialRow:
    """The row of one trial; its values are loosely correlated, like real ones."""
    chance = random.Random(number)
    config = CONFIGS[number % len(CONFIGS)]
    task = number // len(CONFIGS) % TASKS
    skill = chance.random()
    names = {
        "run_id": f"run_{number // (len(CONFIGS) * TASKS):05d}",
        "config_name": config,
        "task_name": f"task-{task:05d}",
        "trial_name": f"task-{task:05d}__{number:07d}",
        "benchmark": SUITES[task % len(SUITES)],
    }
    computable = number % 20 != 0
    return TrialRow(
        **names,
        model="tern-small-1",
        batch_timestamp=None,
        coverage=_coverage(computable),
        summary=_summary(chance),
        computable=computable,
        reason=None if computable else "no_ground_truth",
        metrics={name: skill * chance.random() for name in METRICS} if computable else {},
        hit=skill > 0.3 if computable else None,
        hit_shown=skill > 0.4 if computable else None,
        volume={"total_events": 24.0, "files_retrieved": float(int(60 * skill))},
        labels={"missed": int(5 * (1 - skill)), "found": int(5 * skill)},
        slices=Slices(candidate_set_size="large", evidence_type="mcp"),
        accesses={"file_read/read": int(9 * skill), "code_search/matched": 4},
        document=f"{config}/{names['task_name']}.retrieval_events.json",
        outcome=_outcome(names, skill, chance),
    )


def _coverage(computable: bool) -> Coverage:
    return Coverage(
        has_trajectory=True,
        has_transcript=True,
        has_ground_truth=computable,
        has_chunk_ground_truth=False,
        trace_source="merged",
        degraded_reason=None,
        ground_truth_source="tests/ground_truth.json" if computable else None,
        ground_truth_confidence="high" if computable else None,
        elapsed_origin="first_timestamp",
        problems={},
    )


def _summary(chance: random.Random) -> EventSummary:
    return EventSummary(
        total_events=24,
        mcp_events=chance.randrange(12),
        local_events=12,
        unique_files_accessed=chance.randrange(40),
        ground_truth_files_hit=chance.randrange(5),
        ground_truth_files_total=5,
        first_ground_truth_hit_step=chance.randrange(24),
        events_by_category={"file_read": 8, "code_search": 6, "other": 10},
    )


def _outcome(names: dict[str, str], skill: float, chance: random.Random) -> TrialOutcome:
    return TrialOutcome(
        **names,
        trial_key=f"{names['run_id']}/{names['trial_name']}",
        path=f"{names['config_name']}/{names['trial_name']}",
        state="selected",
        state_reason=None,
        document=f"{names['config_name']}/{names['task_name']}.retrieval_events.json",
        has_task=True,
        model="tern-small-1",
        harness="claude-code",
        harness_version="2.1.220",
        reward=round(min(1.0, max(0.0, skill + chance.random() - 0.5)), 3),
        reward_reason=None,
        cost_usd=0.1 + chance.random(),
        cost_source="result.json",
        agent_seconds=60 + 600 * chance.random(),
        trial_seconds=90 + 600 * chance.random(),
        output_tokens=chance.randrange(20_000),
        output_tokens_source="modelUsage",
        exception=None,
    )


def peak() -> float:
    """Peak memory of this process in megabytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def timed(what: str, work: Callable[[], T], trials: int) -> T:
    """Do the work, and print its time and memory."""
    started, cpu = time.perf_counter(), time.process_time()
    result = work()
    seconds, cpu = time.perf_counter() - started, time.process_time() - cpu
    print(
        f"{what:<10} {seconds:8.1f} s, CPU {cpu:7.1f} s, {cpu / trials * 1e6:6.1f} µs a trial, "
        f"peak {peak():6,.0f} MB",
        flush=True,
    )
    return result


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--trials", type=int, default=1_000_000)
    parser.add_argument("--draws", type=int, default=2000)
    flags = parser.parse_args(arguments)
    rows: Any = GeneratedRows(flags.trials)
    n = flags.trials
    print(f"{n:,} generated rows, {flags.draws:,} draws; limit {LIMIT:,} MB")
    timed("rows only", lambda: sum(1 for _ in rows), n)
    summary = timed("summary", lambda: summarise(rows, scope="*", generated_at=GENERATED_AT), n)
    options = ImpactOptions(draws=flags.draws)
    impact = timed(
        "impact", lambda: analyse(rows, options, generated_at=GENERATED_AT, scope="*"), n
    )
    data = ReportData(
        scope="*", summary=summary, impact=impact, rows=rows, details=lambda: iter(())
    )
    text = timed("report", lambda: render_markdown(data), n)
    print(f"report of {len(text):,} characters; peak {peak() / LIMIT:.2f} of the limit")


if __name__ == "__main__":
    main()
