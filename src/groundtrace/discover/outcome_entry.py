"""The record of a trial's outcome; the impact analysis needs only this, not the trial itself."""

from __future__ import annotations

from msgspec import UNSET

from groundtrace.documents.outcomes import TrialOutcome, TrialState
from groundtrace.model import Trial


def outcome_entry(
    trial: Trial,
    state: TrialState,
    *,
    reason: str | None = None,
    document: str | None = None,
    run_path: str = "",
) -> TrialOutcome:
    """A trial's line in outcomes.json; `run_path` is the run's folder below RUNS."""
    outcome = trial.outcome
    return TrialOutcome(
        *trial.names,
        benchmark=trial.benchmark,
        trial_key=trial.trial_key,
        path=below(run_path, trial.path),
        state=state,
        state_reason=reason,
        document=document,
        has_task=trial.task is not None,
        model=trial.model,
        harness=trial.harness,
        harness_version=trial.harness_version,
        reward=outcome.reward,
        reward_reason=outcome.reward_reason,
        cost_usd=outcome.cost_usd,
        cost_source=outcome.cost_source,
        agent_seconds=outcome.agent_seconds,
        trial_seconds=outcome.trial_seconds,
        output_tokens=outcome.output_tokens,
        output_tokens_source=outcome.output_tokens_source,
        exception=outcome.exception,
        reward_source=outcome.reward_source or UNSET,
        groups=dict(trial.loose.groups) if trial.loose and trial.loose.groups else UNSET,
    )


def below(run_path: str, path: str) -> str:
    """A path below RUNS, made relative to the run's folder."""
    return path.removeprefix(f"{run_path}/") if run_path else path
