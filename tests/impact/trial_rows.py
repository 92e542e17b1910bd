"""Rows written by hand for the tests of impact: a test sets only what it names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from groundtrace.documents.events import Coverage, EventSummary
from groundtrace.documents.outcomes import TrialOutcome
from groundtrace.rows.trial_row import TrialRow

_COVERAGE = Coverage(
    has_trajectory=False,
    has_transcript=True,
    has_ground_truth=True,
    has_chunk_ground_truth=False,
    trace_source="transcript",
    degraded_reason=None,
    ground_truth_source="tests/ground_truth.json",
    ground_truth_confidence="high",
    elapsed_origin="agent_execution",
)
_SUMMARY = msgspec.convert(
    {
        "total_events": 0,
        "mcp_events": 0,
        "local_events": 0,
        "unique_files_accessed": 0,
        "ground_truth_files_hit": 0,
        "ground_truth_files_total": 0,
        "first_ground_truth_hit_step": None,
        "events_by_category": {},
    },
    EventSummary,
)


def row(
    task: str,
    config: str,
    metrics: Mapping[str, float] | None = None,
    *,
    run: str = "run-1",
    trial: str | None = None,
    key: str | None = None,
    benchmark: str | None = "suite_a",
    computable: bool = True,
    reason: str | None = None,
    **outcome: Any,
) -> TrialRow:
    """A trial; `outcome` overrides a model, harness, version and a reward of 1."""
    name = trial or f"{task}__{config}__{run}"
    fields: dict[str, Any] = {
        "run_id": run,
        "config_name": config,
        "task_name": task,
        "trial_name": name,
        "benchmark": benchmark,
        "trial_key": key or f"{run}/{benchmark}/{config}/{name}",
        "path": name,
        "state": "selected",
        "state_reason": None,
        "document": None,
        "has_task": True,
        "model": "claude-x",
        "harness": "claude-code",
        "harness_version": "2.1.50",
        "reward": 1.0,
        "reward_reason": None,
        "cost_usd": None,
        "cost_source": None,
        "agent_seconds": None,
        "trial_seconds": None,
        "output_tokens": None,
        "output_tokens_source": None,
        "exception": None,
        **outcome,
    }
    return TrialRow(
        run_id=run,
        config_name=config,
        task_name=task,
        trial_name=name,
        benchmark=benchmark,
        model=fields["model"],
        batch_timestamp=None,
        coverage=_COVERAGE,
        summary=_SUMMARY,
        computable=computable,
        reason=reason,
        metrics=dict(metrics or {}),
        undefined={"ttfr_seconds": "never_hit"} if (metrics or {}).get("file_recall") == 0 else {},
        outcome=TrialOutcome(**fields),
    )


def copy_of(made: TrialRow, run: str = "run-2") -> TrialRow:
    """The same trial in a second run: its key stays."""
    assert made.outcome is not None
    return row(
        made.task_name,
        made.config_name,
        made.metrics,
        run=run,
        trial=made.trial_name,
        key=made.trial_key,
        reward=made.outcome.reward,
    )
