"""The outcomes of a trial that metrics are related to, one record each (D35)."""

from __future__ import annotations

from msgspec import UNSET

from groundtrace.metrics.record import OutcomeMetric, Spot

_NO_RECORD = "the trial's records do not contain it"

ALL_OUTCOMES: tuple[OutcomeMetric, ...] = (
    OutcomeMetric(
        name="reward",
        title="Reward",
        measures="What the task's verifier gave.",
        undefined="there is no single valid reward in the trial's records",
        getter=lambda outcome: outcome.reward,
        source_field="reward_source",
        reason_field="reward_reason",
        absent_reason="no_valid_reward",
        shown_in={
            "comparison": Spot(),
            "comparison_by_suite": Spot(10),
            "movers": Spot(30),
            "groups_use": Spot(10),
            "trial_table": Spot(60),
            "task_chart": Spot(20),
            "correlation": Spot(),
        },
    ),
    OutcomeMetric(
        name="cost_usd",
        title="Cost",
        measures="Cost of the trial in US dollars.",
        unit="USD",
        better="lower",
        undefined=_NO_RECORD,
        getter=lambda outcome: outcome.cost_usd,
        source_field="cost_source",
        shown_in={
            "comparison": Spot(),
            "comparison_by_suite": Spot(20),
            "groups_use": Spot(10),
            "trial_table": Spot(70, "cost"),
            "correlation": Spot(),
        },
    ),
    OutcomeMetric(
        name="agent_seconds",
        title="Agent time",
        measures="How long the agent ran, by the clock.",
        unit="s",
        better="lower",
        undefined=_NO_RECORD,
        getter=lambda outcome: outcome.agent_seconds,
        shown_in={
            "comparison": Spot(),
            "groups_use": Spot(10),
            "trial_table": Spot(80, "agent time"),
            "correlation": Spot(),
        },
    ),
    OutcomeMetric(
        name="trial_seconds",
        title="Trial time",
        measures="How long the whole trial ran, by the clock, including set-up and verifier.",
        unit="s",
        better="lower",
        undefined=_NO_RECORD,
        getter=lambda outcome: outcome.trial_seconds,
        shown_in={"comparison": Spot(), "groups_use": Spot(10)},
    ),
    OutcomeMetric(
        name="output_tokens",
        title="Output tokens",
        measures="Tokens that the model wrote in the trial.",
        unit="tokens",
        better="lower",
        undefined=_NO_RECORD,
        getter=lambda outcome: outcome.output_tokens,
        source_field="output_tokens_source",
        shown_in={
            "comparison": Spot(),
            "groups_use": Spot(10),
            "correlation": Spot(),
        },
    ),
    OutcomeMetric(
        name="model_calls",
        title="Model calls",
        measures="How often the model was called in the trial, subagents included.",
        unit="calls",
        better="lower",
        undefined=(
            "the trace does not record model calls, lost some of them, or leaves out those of a "
            "subagent"
        ),
        getter=lambda outcome: None if outcome.model_calls is UNSET else outcome.model_calls,
        shown_in={
            "comparison": Spot(),
            "groups_use": Spot(10),
            "trial_table": Spot(90, "model calls"),
        },
    ),
)
"""In the order in which tables show them."""
