"""Outcomes written by hand: a test names only what differs from the usual."""

from __future__ import annotations

from groundtrace.documents.outcomes import OutcomesDocument, TrialOutcome
from tests.metrics.builders import NOW


def outcome(**changes: object) -> TrialOutcome:
    """An outcome of the builders' trial."""
    fields: dict[str, object] = {
        "run_id": "run",
        "config_name": "baseline",
        "task_name": "task",
        "trial_name": "task__1",
        "benchmark": "suite",
        "trial_key": "key",
        "path": "baseline/task__1",
        "state": "selected",
        "state_reason": None,
        "document": "baseline/task.retrieval_events.json",
        "has_task": True,
        "model": "model",
        "harness": "claude-code",
        "harness_version": "2.1.0",
        "reward": 1.0,
        "reward_reason": None,
        "cost_usd": 0.5,
        "cost_source": "result",
        "agent_seconds": 60.0,
        "trial_seconds": 90.0,
        "output_tokens": 1000,
        "output_tokens_source": "modelUsage",
        "exception": None,
    }
    return TrialOutcome(**{**fields, **changes})


def outcomes(*trials: TrialOutcome, **changes: object) -> OutcomesDocument:
    """An outcomes document of these trials."""
    fields: dict[str, object] = {
        "schema_version": "1.1",
        "generated_at": NOW,
        "scope": "run",
        "trials": list(trials),
        "skipped": [],
        "problems": {},
    }
    return OutcomesDocument(**{**fields, **changes})
