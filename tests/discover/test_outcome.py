"""The outcomes of a trial (D34): valid numbers with their source, or a reason why there is none."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

from groundtrace.discover.outcome import Reward, outcome_entry, read_reward
from groundtrace.discover.verdicts import MadeBy, Verdicts
from groundtrace.documents.outcomes import TrialOutcome
from groundtrace.model import Outcome
from groundtrace.storage import LocalFolder
from tests.discover.run_trees import found, kinds, put, trial


@pytest.mark.parametrize(
    ("rewards", "value", "reason"),
    [
        ({"reward": 0.68}, 0.68, None),
        ({"reward": 0}, 0.0, None),
        ({"reward": 1, "other": 0.2}, 1.0, None),
        ({"score": 0.25}, 0.25, None),
        ({"reward": -0.5}, -0.5, None),
        ({"a": 0.25, "b": 0.75}, None, "several_rewards"),
        ({"reward": None, "score": 1.0}, None, "reward_is_null"),
        ({"reward": True}, None, "reward_not_a_number"),
        ({"reward": "0.5"}, None, "reward_not_a_number"),
        ({"reward": float("nan")}, None, "reward_not_finite"),
        ({"reward": float("inf")}, None, "reward_not_finite"),
        ({"reward": 10**400}, None, "reward_not_finite"),
        ({}, None, "no_rewards"),
        (None, None, "no_rewards"),
        ([0.5], None, "no_rewards"),
    ],
)
def test_reward(rewards: Any, value: float | None, reason: str | None) -> None:
    """The key `reward`, else the single value, else invalid; never an average, never a zero."""
    assert read_reward({"verifier_result": {"rewards": rewards}}) == Reward(value, reason)


def test_reward_without_a_verifier() -> None:
    """A verifier that did not run gave no reward."""
    assert read_reward({"verifier_result": None}).reason == "no_verifier_result"
    assert read_reward({}).reason == "no_result"


def outcome_of(tmp_path: Path, **more: Any) -> tuple[Outcome, set[str]]:
    trial(tmp_path / "r1/mcp/a-1__AbCdEfG", "a-1", **more)
    trials, _, problems = found(tmp_path)
    return trials[0].outcome, kinds(problems)


def test_wall_clocks(tmp_path: Path) -> None:
    """The agent's time and the whole trial's are two numbers."""
    outcome, problems = outcome_of(tmp_path)
    assert outcome.trial_seconds == pytest.approx(1200)
    assert outcome.agent_seconds == pytest.approx(780)
    assert not problems


def test_an_end_before_the_start_is_no_duration(tmp_path: Path) -> None:
    """A negative time would be the best time of all."""
    outcome, problems = outcome_of(tmp_path, finished_at="2026-03-20T18:25:00")
    assert outcome.trial_seconds is None
    assert outcome.agent_seconds == pytest.approx(780)
    assert problems == {"times_reversed"}


def test_a_time_that_cannot_be_read_is_a_problem(tmp_path: Path) -> None:
    """Missing is not a problem; garbage is."""
    outcome, problems = outcome_of(
        tmp_path, agent_execution={"started_at": "x", "finished_at": None}
    )
    assert outcome.agent_seconds is None
    assert problems == {"bad_time"}
    assert outcome_of(tmp_path, agent_execution=None)[1] == set()


def test_durations_of_task_metrics_stand_in_where_the_result_has_no_times(tmp_path: Path) -> None:
    """The same measure from the other record, but never against the result's own times."""
    put(
        tmp_path / "r1/mcp/a-1__AbCdEfG/task_metrics.json",
        {"agent_execution_seconds": 81.2, "wall_clock_seconds": 185.1},
    )
    outcome, _ = outcome_of(tmp_path, started_at=None, finished_at=None, agent_execution=None)
    assert (outcome.agent_seconds, outcome.trial_seconds) == (81.2, 185.1)
    assert outcome_of(tmp_path, finished_at="2026-03-20T18:25:00")[0].trial_seconds is None
    reversed_agent = {
        "started_at": "2026-03-20T18:30:00",
        "finished_at": "2026-03-20T18:20:00",
    }
    assert outcome_of(tmp_path, agent_execution=reversed_agent)[0].agent_seconds is None


def test_each_duration_is_taken_on_its_own(tmp_path: Path) -> None:
    """A result with the trial's times and none of the agent's says nothing of the agent's time."""
    put(
        tmp_path / "r1/mcp/a-1__AbCdEfG/task_metrics.json",
        {"agent_execution_seconds": 81.2, "wall_clock_seconds": 185.1},
    )
    outcome, problems = outcome_of(tmp_path, agent_execution=None)
    assert (outcome.agent_seconds, outcome.trial_seconds) == (81.2, pytest.approx(1200))
    assert not problems
    other, _ = outcome_of(tmp_path, started_at=None, finished_at=None)
    assert (other.agent_seconds, other.trial_seconds) == (pytest.approx(780), 185.1)


@pytest.mark.parametrize(
    ("result_cost", "metrics_cost", "cost", "source"),
    [
        (0.47, 0.5, 0.47, "result.json agent_result.cost_usd"),
        (None, 0.5, 0.5, "task_metrics.json cost_usd"),
        (0.0, 0.5, 0.5, "task_metrics.json cost_usd"),
        (0.0, None, 0.0, "result.json agent_result.cost_usd"),
        (-1, None, None, None),
        ("0.4", None, None, None),
        (None, None, None, None),
    ],
)
def test_cost(tmp_path: Path, result_cost: Any, metrics_cost: Any, cost: Any, source: Any) -> None:
    """result.json before task_metrics.json, and which of them is recorded."""
    put(tmp_path / "r1/mcp/a-1__AbCdEfG/task_metrics.json", {"cost_usd": metrics_cost})
    outcome, _ = outcome_of(tmp_path, agent_result={"cost_usd": result_cost})
    assert (outcome.cost_usd, outcome.cost_source) == (cost, source)


def test_output_tokens_of_records_only_from_openhands(tmp_path: Path) -> None:
    """Claude Code's result.json counted 129 where 8,975 is true."""
    assert outcome_of(tmp_path)[0].output_tokens is None
    tokens = {"n_output_tokens": 4076}
    outcome, _ = outcome_of(tmp_path, agent_info={"name": "openhands"}, agent_result=tokens)
    assert (outcome.output_tokens, outcome.output_tokens_source) == (
        4076,
        "result.json agent_result.n_output_tokens",
    )


@pytest.mark.parametrize(
    ("info", "short"),
    [
        (None, None),
        ({}, None),
        (
            {"exception_type": "AgentTimeoutError", "exception_message": "key sk-123"},
            "AgentTimeoutError",
        ),
        ("ValueError: token=sk-123\nmore", "ValueError"),
        ("no colon ghp_0123456789abcdefABCD", "no colon [masked]"),
        (["x"], "recorded"),
    ],
)
def test_an_exception_is_named_by_its_type(tmp_path: Path, info: Any, short: str | None) -> None:
    """Messages may hold credentials (D39)."""
    assert outcome_of(tmp_path, exception_info=info)[0].exception == short


def test_the_record_of_an_outcome_is_a_valid_document_part(tmp_path: Path) -> None:
    """It passes its own schema, with the path below the run."""
    trial(tmp_path / "_raw/r1/mcp/a-1__AbCdEfG", "a-1")
    (one,) = found(tmp_path)[0]
    record = outcome_entry(one, "superseded", reason="later", run_path="_raw/r1")
    again = msgspec.json.decode(msgspec.json.encode(record), type=TrialOutcome)
    assert again == record
    assert (again.path, again.state, again.reward) == ("mcp/a-1__AbCdEfG", "superseded", 0.5)
    assert again.trial_key == one.trial_key


@pytest.mark.parametrize(
    "held",
    [
        {"mcp": {"a-b-1": True, "c-d-2": False}, "base": {"a-b-1": False}},
        {"results": {"mcp": {"a-b-1": {"resolved": True}}, "base": {"a-b-1": {"resolved": False}}}},
        {"a-b-1": {"mcp": True, "base": {"resolved": False}}, "c-d-2": {"mcp": False}},
        {"mcp": {"resolved_ids": ["a-b-1"]}, "base": {"unresolved_ids": ["a-b-1"], "resolved_ids": []}},
    ],
)  # fmt: skip
def test_verdicts_of_several_configurations_in_one_file(tmp_path: Path, held: Any) -> None:
    """Each configuration has its own; a third one that the file does not name has none."""
    put(tmp_path / "results.json", held)
    folder = (LocalFolder(tmp_path), "")
    verdicts = Verdicts(["a-b-1", "c-d-2"], {("", "a-b-1")})
    rewards = [
        verdicts.find(["a-b-1"], [folder], MadeBy(models=["m", name], alone=False)).reward
        for name in ("mcp", "base", "mcp-v2")
    ]
    assert rewards == [1.0, 0.0, None]
