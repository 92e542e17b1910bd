"""What a file states about its trial, from the facts that a mapping's expressions give."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from groundtrace.base.values import as_amount, as_number, as_text
from groundtrace.model import Stated


def stated_by(harness: str, facts: Mapping[str, Any], costs: Collection[float | None]) -> Stated:
    """What the facts state; without a cost of the trial, the costs of its model calls count if all
    are known."""
    cost, where = as_amount(facts.get("cost")), "cost of the mapping"
    known = [item for item in costs if item is not None]
    if cost is None and known and len(known) == len(costs):
        cost, where = sum(known), "usage_cost of the mapping"
    verdict = facts.get("reward")
    reward = float(verdict) if isinstance(verdict, bool) else as_number(verdict)
    submission = facts.get("submission")
    return Stated(
        task=id_text(facts.get("task")),
        task_place="task of the mapping",
        model=as_text(facts.get("model")),
        harness=harness,
        harness_version=as_text(facts.get("version")),
        repo=as_text(facts.get("repo")),
        cost_usd=cost,
        cost_source=None if cost is None else where,
        reward=reward,
        reward_source=None if reward is None else "reward of the mapping",
        agent_seconds=as_amount(facts.get("seconds")),
        exit_status=as_text(facts.get("exit_status")),
        submission=submission if isinstance(submission, str) else None,
        submission_source="submission of the mapping",
    )


def id_text(value: Any) -> str | None:
    """An id as text; in some formats ids are numbers."""
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return as_text(value)
