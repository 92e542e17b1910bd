"""The outcomes document: one per run, with the outcome of every trial found in it."""

from typing import Literal

from msgspec import UNSET, UnsetType

from groundtrace.documents.base import Count, Record, Seconds, Time, Version
from groundtrace.model import TrialId

TrialState = Literal["selected", "superseded", "failed"]


class TrialOutcome(TrialId, Record, frozen=True, kw_only=True):
    """One trial: identity, whether it was selected, and how it ended."""

    benchmark: str | None
    """Suite; null when unknown."""
    trial_key: str
    """Equal for copies of one trial in several runs."""
    path: str
    """Trial folder, relative to the run folder."""
    state: TrialState
    """selected, superseded by another trial, or failed to be processed."""
    state_reason: str | None
    """Why it is not selected."""
    document: str | None
    """Its events document, relative to retrieval_events/."""
    has_task: bool
    """A task definition was found."""
    model: str | None
    """Model without provider prefix."""
    harness: str | None
    """Agent harness."""
    harness_version: str | None
    """Its version; null when unknown."""
    reward: float | None
    """Valid reward; null when there is none."""
    reward_reason: str | None
    """Why there is no valid reward."""
    cost_usd: float | None
    """Cost in US dollars."""
    cost_source: str | None
    """Where the cost was found."""
    agent_seconds: Seconds | None
    """How long the agent ran, by the clock."""
    trial_seconds: Seconds | None
    """How long the trial ran, by the clock."""
    output_tokens: Count | None
    """Output tokens of the trial."""
    output_tokens_source: str | None
    """Where they were found."""
    exception: str | None
    """Recorded exception, in short."""
    model_calls: Count | UnsetType | None = UNSET
    """How often the model was called; null if the trace does not show it."""
    reward_source: str | UnsetType = UNSET
    """Where the reward was found; only for traces without trial records."""
    groups: dict[str, str] | UnsetType = UNSET
    """Columns of a manifest that groundtrace does not know."""
    attempt: Count | UnsetType = UNSET
    """Number among the attempts of its task that count, by time, from 1."""
    batch: str | UnsetType = UNSET
    """Batch folder; another batch of a task is a rerun."""


class SkippedFolder(Record, frozen=True, kw_only=True):
    """A folder that was skipped."""

    path: str
    """Relative to the run folder."""
    reason: str
    """Why it was skipped."""


class OutsideRuns(Record, frozen=True, kw_only=True):
    """What discovery found outside of all runs: folders that it skipped by name, and problems."""

    scope: str
    """`*`: all runs."""
    skipped: list[SkippedFolder]
    """Folders skipped."""
    problems: dict[str, Count]
    """Problems, counted by kind."""


class OutcomesDocument(Record, frozen=True, kw_only=True):
    """Outcomes of all trials of a run, or of all runs."""

    schema_version: Version
    generated_at: Time
    """When it was written, UTC."""
    scope: str
    """Run id, or `*` for all runs."""
    trials: list[TrialOutcome]
    """Every trial found."""
    skipped: list[SkippedFolder]
    """Folders skipped."""
    problems: dict[str, Count]
    """Problems of discovery, counted by kind."""
