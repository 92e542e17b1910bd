"""How a trial ended: reward, cost and times from its records (D34), and the line in outcomes.json.
Nothing is invented.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec
from msgspec import UNSET

from groundtrace.base.frozen import Frozen
from groundtrace.base.times import parse_time, seconds_between
from groundtrace.base.values import as_amount, as_count, as_number
from groundtrace.discover.records import RESULT_FILE, TASK_METRICS_FILE, Records, as_name, dig
from groundtrace.documents.masked import masked
from groundtrace.documents.outcomes import TrialOutcome, TrialState
from groundtrace.model import Outcome, Problem, Trial

MAX_EXCEPTION = 120

COUNTED_RIGHT = frozenset({"openhands"})
"""Harnesses whose output tokens in result.json are true. For Claude Code they are a sum of the
stream's placeholders: 129 where the true number is 8,975."""


class Reward(msgspec.Struct, frozen=True):
    """A valid reward, or why there is none."""

    value: float | None
    reason: str | None


def read_reward(result: Mapping[str, Any]) -> Reward:
    """The reward of a result: the key `reward`, else the single value; never an average (D34)."""
    if not result:
        return Reward(None, "no_result")
    verifier = result.get("verifier_result")
    if not isinstance(verifier, dict):
        return Reward(None, "no_verifier_result")
    rewards = verifier.get("rewards")
    if not isinstance(rewards, dict) or not rewards:
        return Reward(None, "no_rewards")
    if "reward" in rewards:
        value = rewards["reward"]
    elif len(rewards) == 1:
        (value,) = rewards.values()
    else:
        return Reward(None, "several_rewards")
    if value is None:
        return Reward(None, "reward_is_null")
    number = as_number(value)
    if number is not None:
        return Reward(number, None)
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return Reward(None, "reward_not_finite" if is_number else "reward_not_a_number")


class Phase(Frozen, frozen=True):
    """Start, end and length of a phase."""

    start: float | None
    end: float | None
    seconds: float | None


def read_span(record: Any, where: str, problems: list[Problem]) -> Phase:
    """The times of a phase; a phase that ends before it starts has no length."""
    given = dig(record, "started_at"), dig(record, "finished_at")
    start, end = (parse_time(value) for value in given)
    for key, raw, moment in zip(("started_at", "finished_at"), given, (start, end), strict=True):
        if raw is not None and moment is None:
            problems.append(
                Problem(
                    RESULT_FILE, "bad_time", "a time that cannot be read", place=f"{where}.{key}"
                )
            )
    if start is None or end is None:
        return Phase(start, end, None)
    if end < start:
        problems.append(
            Problem(RESULT_FILE, "times_reversed", "ends before it starts", place=where)
        )
        return Phase(start, end, None)
    return Phase(start, end, seconds_between(start, end))


def read_outcome(records: Records, harness: str | None) -> tuple[Outcome, list[Problem]]:
    """The outcome as the records state it; the trace may add cost and tokens."""
    problems: list[Problem] = []
    result, metrics = records.result, records.metrics
    reward = read_reward(result)
    trial = read_span(result, "$", problems)
    agent = read_span(result.get("agent_execution"), "$.agent_execution", problems)
    cost, cost_source = _cost(records, problems)
    tokens, tokens_source = _output_tokens(result, harness)
    agent_seconds = _seconds(agent, metrics.get("agent_execution_seconds"))
    trial_seconds = _seconds(trial, metrics.get("wall_clock_seconds"))
    found_in = {
        "reward": f"{RESULT_FILE} verifier_result.rewards",
        "agent_seconds": _found_in(agent, "agent_execution.", "agent_execution_seconds"),
        "trial_seconds": _found_in(trial, "", "wall_clock_seconds"),
    }
    if records.result_file != RESULT_FILE:
        found_in = {
            "reward": f"{records.result_file} is_resolved",
            "agent_seconds": f"{records.result_file} agent_started_at to agent_ended_at",
            "trial_seconds": f"{records.result_file} trial_started_at to trial_ended_at",
        }
    return (
        Outcome(
            reward=reward.value,
            reward_reason=reward.reason,
            cost_usd=cost,
            cost_source=cost_source,
            agent_seconds=agent_seconds,
            trial_seconds=trial_seconds,
            found_in=found_in,
            output_tokens=tokens,
            output_tokens_source=tokens_source,
            exception=_exception(result.get("exception_info")),
            started_at=trial.start,
            finished_at=trial.end if trial.end is not None else agent.end,
            agent_started_at=agent.start,
        ),
        problems,
    )


def _seconds(span: Phase, measured: Any) -> float | None:
    """The length of a phase: from result.json, else the duration that task_metrics.json states.

    A phase that started but did not end, or that ends before it starts, has no length. A duration
    from elsewhere would hide that.
    """
    return as_amount(measured) if span.start is None and span.end is None else span.seconds


def _found_in(span: Phase, place: str, measured: str) -> str:
    """Which record states the length of a phase; the same choice as in `_seconds`."""
    if span.start is None and span.end is None:
        return f"{TASK_METRICS_FILE} {measured}"
    return f"{RESULT_FILE} {place}started_at to finished_at"


def _cost(records: Records, problems: list[Problem]) -> tuple[float | None, str | None]:
    """The first stated cost; a zero is used only when no record states more.

    Harnesses write 0.0 for a model whose price they do not know.
    """
    zero: tuple[float | None, str | None] = (None, None)
    for value, source in (
        (dig(records.result, "agent_result", "cost_usd"), f"{RESULT_FILE} agent_result.cost_usd"),
        (records.metrics.get("cost_usd"), f"{TASK_METRICS_FILE} cost_usd"),
    ):
        number = as_number(value)
        if number is not None and number > 0:
            return number, source
        if number == 0 and zero[1] is None:
            zero = number, source
        elif value is not None and number != 0:
            problems.append(
                Problem(source.partition(" ")[0], "bad_cost", "a cost that is not a number")
            )
    return zero


def _output_tokens(result: Mapping[str, Any], harness: str | None) -> tuple[int | None, str | None]:
    """Output tokens of result.json, for a harness whose count there is right."""
    if (harness or "").casefold() not in COUNTED_RIGHT:
        return None, None
    tokens = as_count(dig(result, "agent_result", "n_output_tokens"))
    return tokens, None if tokens is None else f"{RESULT_FILE} agent_result.n_output_tokens"


def _exception(info: Any) -> str | None:
    """The type of a recorded exception. Its message is left out: it may hold credentials (D39)."""
    if not info:
        return None
    names = (as_name(dig(info, key)) for key in ("exception_type", "type", "name", "class"))
    name = next((name for name in names if name is not None), None)
    if name is None and isinstance(info, str):
        name = as_name(info.strip().partition("\n")[0].partition(":")[0])
    if name is None:
        return "recorded"
    # Imported only when needed: its patterns are most of what an unchanged run would import.
    from groundtrace.redact import mask

    return mask(name.splitlines()[0])[:MAX_EXCEPTION]


# --- outcomes.json ------------------------------------------------------------------------


def outcome_entry(
    trial: Trial,
    state: TrialState,
    *,
    reason: str | None = None,
    attempt: int | None = None,
    document: str | None = None,
    run_path: str = "",
) -> TrialOutcome:
    """A trial's line in outcomes.json; `run_path` is the run's folder below RUNS."""
    outcome = trial.outcome
    entry = TrialOutcome(
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
        model_calls=outcome.model_calls,
        reward_source=outcome.reward_source or UNSET,
        groups=_groups(trial) or UNSET,
        attempt=UNSET if attempt is None else attempt,
        batch=trial.batch_timestamp or UNSET,
    )
    return masked(entry)


def _groups(trial: Trial) -> dict[str, str]:
    """Groups that the manifest states, and the difficulty that the data set states."""
    row = trial.task.row if trial.task is not None else None
    stated = {} if row is None or row.difficulty is None else {"difficulty": row.difficulty}
    return stated | dict(trial.loose.groups if trial.loose is not None else {})


def below(run_path: str, path: str) -> str:
    """A path below RUNS, made relative to the run's folder."""
    return path.removeprefix(f"{run_path}/") if run_path else path
