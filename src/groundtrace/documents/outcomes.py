"""The outcomes document: one per run, with the outcome of every trial found in it."""

from typing import Annotated, Literal

from msgspec import UNSET, Meta, UnsetType

from groundtrace.documents.base import Count, Record, Seconds, Time, Version
from groundtrace.model import TrialId

TrialState = Literal["selected", "superseded", "failed"]


class TrialOutcome(TrialId, Record, frozen=True, kw_only=True):
    """One trial: identity, whether it was selected, and how it ended."""

    benchmark: Annotated[str | None, Meta(description="Suite; null when unknown.")]
    trial_key: Annotated[str, Meta(description="Equal for copies of one trial in several runs.")]
    path: Annotated[str, Meta(description="Trial folder, relative to the run folder.")]
    state: Annotated[
        TrialState,
        Meta(description="selected, superseded by another trial, or failed to be processed."),
    ]
    state_reason: Annotated[str | None, Meta(description="Why it is not selected.")]
    document: Annotated[
        str | None, Meta(description="Its events document, relative to retrieval_events/.")
    ]
    has_task: Annotated[bool, Meta(description="A task definition was found.")]
    model: Annotated[str | None, Meta(description="Model without provider prefix.")]
    harness: Annotated[str | None, Meta(description="Agent harness.")]
    harness_version: Annotated[str | None, Meta(description="Its version; null when unknown.")]
    reward: Annotated[float | None, Meta(description="Valid reward; null when there is none.")]
    reward_reason: Annotated[str | None, Meta(description="Why there is no valid reward.")]
    cost_usd: Annotated[float | None, Meta(description="Cost in US dollars.")]
    cost_source: Annotated[str | None, Meta(description="Where the cost was found.")]
    agent_seconds: Annotated[
        Seconds | None, Meta(description=("How long the agent ran, by the clock."))
    ]
    trial_seconds: Annotated[
        Seconds | None, Meta(description=("How long the trial ran, by the clock."))
    ]
    output_tokens: Annotated[Count | None, Meta(description="Output tokens of the trial.")]
    output_tokens_source: Annotated[str | None, Meta(description="Where they were found.")]
    exception: Annotated[str | None, Meta(description="Recorded exception, in short.")]
    model_calls: Annotated[
        Count | UnsetType | None,
        Meta(description="How often the model was called; null if the trace does not show it."),
    ] = UNSET
    reward_source: Annotated[
        str | UnsetType,
        Meta(description="Where the reward was found; only for traces without trial records."),
    ] = UNSET
    groups: Annotated[
        dict[str, str] | UnsetType,
        Meta(description="Columns of a manifest that groundtrace does not know."),
    ] = UNSET
    attempt: Annotated[
        Count | UnsetType,
        Meta(description="Number among the attempts of its task that count, by time, from 1."),
    ] = UNSET
    batch: Annotated[
        str | UnsetType, Meta(description="Batch folder; another batch of a task is a rerun.")
    ] = UNSET


class SkippedFolder(Record, frozen=True, kw_only=True):
    """A folder that was skipped."""

    path: Annotated[str, Meta(description="Relative to the run folder.")]
    reason: Annotated[str, Meta(description="Why it was skipped.")]


class OutsideRuns(Record, frozen=True, kw_only=True):
    """What discovery found outside of all runs: folders that it skipped by name, and problems."""

    scope: Annotated[str, Meta(description="`*`: all runs.")]
    skipped: Annotated[list[SkippedFolder], Meta(description="Folders skipped.")]
    problems: Annotated[dict[str, Count], Meta(description="Problems, counted by kind.")]


class OutcomesDocument(Record, frozen=True, kw_only=True):
    """Outcomes of all trials of a run, or of all runs."""

    schema_version: Version
    generated_at: Annotated[Time, Meta(description="When it was written, UTC.")]
    scope: Annotated[str, Meta(description="Run id, or `*` for all runs.")]
    trials: Annotated[list[TrialOutcome], Meta(description="Every trial found.")]
    skipped: Annotated[list[SkippedFolder], Meta(description="Folders skipped.")]
    problems: Annotated[
        dict[str, Count], Meta(description="Problems of discovery, counted by kind.")
    ]
