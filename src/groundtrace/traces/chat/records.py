"""What a row states about its trial."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from groundtrace.base.values import as_mapping, as_number, as_text
from groundtrace.model import Stated
from groundtrace.traces.kit.rows import Naming, row_id

_VERDICTS = ("resolved", "target", "reward")
"""Members that may hold the outcome; the first one that is there counts."""
_SUBMISSIONS = ("generated_patch", "output_patch", "model_patch", "git_patch")
"""Members that may hold the submitted patch. `patch` is not one of them: in SWE-smith's rows it may
belong to another repository."""


def name_of(row: Mapping[str, Any]) -> str | None:
    """The instance of a row, as written, or any other id that tells rows apart."""
    inner = as_mapping(row.get("ds")).get("instance_id")
    return as_text(row.get("instance_id")) or as_text(inner) or row_id(row)


NAMING = Naming("chat", name_of)


def stated_of(row: Mapping[str, Any]) -> Stated:
    """What the members next to the conversation state."""
    data = as_mapping(row.get("ds"))
    agent = as_mapping(row.get("agent_args"))
    verdict = next((name for name in _VERDICTS if row.get(name) is not None), None)
    handed_in = next((name for name in _SUBMISSIONS if isinstance(row.get(name), str)), None)
    reward = _reward(row.get(verdict)) if verdict else None
    return Stated(
        task=name_of(row),
        task_place="id of the row",
        model=next(
            (name for key in ("model", "model_name") if (name := as_text(row.get(key)))),
            as_text(agent.get("llm_name")),
        ),
        harness=_harness(row),
        repo=as_text(row.get("repo")) or as_text(data.get("repo")),
        reward=reward,
        reward_source=None if reward is None else verdict,
        agent_seconds=_seconds(row),
        exit_status=as_text(row.get("exit_status")) or as_text(row.get("exit_reason")),
        submission=row[handed_in] if handed_in else None,
        submission_source=handed_in,
    )


def _harness(row: Mapping[str, Any]) -> str | None:
    if "trajectory_steps" in row:
        return "r2e-gym"
    return "openhands" if "fncall_messages" in row else None


def _reward(value: Any) -> float | None:
    return float(value) if isinstance(value, bool) else as_number(value)


def _seconds(row: Mapping[str, Any]) -> float | None:
    """The length of the run; R2E-Gym states it in each step, up to that step."""
    steps = row.get("trajectory_steps")
    last = as_mapping(steps[-1]) if isinstance(steps, list) and steps else {}
    return as_number(last.get("total_time_traj"))
