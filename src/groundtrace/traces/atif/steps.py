"""The types of a trajectory and its steps; members may have any type."""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import field

from groundtrace.problems import ProblemKind

MAX_STEPS = 200_000
"""Most steps of one trajectory; the longest real one seen has some hundreds. 60 MB of empty steps
took 3 GB of memory."""


class Step(msgspec.Struct):
    """One step of a trajectory; members may have any type."""

    step_id: Any = None
    timestamp: Any = None
    source: Any = None
    model_name: Any = None
    message: Any = None
    tool_calls: Any = None
    observation: Any = None
    metrics: Any = None
    is_copied_context: Any = None
    llm_call_count: Any = None
    extra: Any = None


class Root(msgspec.Struct):
    """A trajectory whose steps are all objects, as in nearly all trajectories."""

    schema_version: Any = None
    session_id: Any = None
    trajectory_id: Any = None
    agent: Any = None
    steps: list[Step] | None = None
    final_metrics: Any = None
    continued_trajectory_ref: Any = None
    subagent_trajectories: Any = None


_STEP_FIELDS = Step.__struct_fields__
STEP_SIGNS = frozenset({"step_id", "source", "tool_calls", "observation", "message"})
"""An object with two of these members is a step."""


class Damage(msgspec.Struct):
    """A place where steps were lost."""

    place: str
    reason: str
    lost_calls: int = 0
    kind: ProblemKind = "damaged_step"


class Loaded(msgspec.Struct):
    """What could be decoded of a trajectory."""

    schema_version: Any = None
    trajectory_id: Any = None
    agent: Any = None
    steps: list[Step | Damage] = field(default_factory=list)
    final_metrics: Any = None
    continued_trajectory_ref: Any = None
    subagent_trajectories: Any = None
    ok: bool = False
    """Whether this is a trajectory."""
    reason: str = ""
    """Why it could not be decoded as a whole, or is not a trajectory."""


def from_value(value: Any) -> Loaded:
    """A decoded value of any type as a trajectory."""
    if not isinstance(value, dict):
        return Loaded(reason=f"{type(value).__name__} where a trajectory is expected")
    steps = value.get("steps")
    reason = ""
    if not isinstance(steps, list):
        reason = f"steps is {type(steps).__name__}, not a list"
        # If the key is damaged, the list of steps is under another name.
        steps = next((item for item in value.values() if _are_steps(item)), None)
    loaded = Loaded(
        reason=reason,
        schema_version=value.get("schema_version"),
        trajectory_id=value.get("trajectory_id"),
        agent=value.get("agent"),
        final_metrics=value.get("final_metrics"),
        continued_trajectory_ref=value.get("continued_trajectory_ref"),
        subagent_trajectories=value.get("subagent_trajectories"),
    )
    if not isinstance(steps, list):
        return loaded
    loaded.ok = True
    for index, step in enumerate(steps):
        if index >= MAX_STEPS:
            loaded.steps.append(too_many(len(steps) - index))
            break
        if isinstance(step, dict):
            loaded.steps.append(fit_step(step))
        else:
            place = f"$.steps[{index}]"
            loaded.steps.append(Damage(place, f"step is {type(step).__name__}, not an object"))
    return loaded


def from_root(root: Root) -> Loaded:
    """A trajectory that was decoded as a whole."""
    steps: list[Step | Damage] = [*(root.steps or ())[:MAX_STEPS]]
    if root.steps is not None and len(root.steps) > MAX_STEPS:
        steps.append(too_many(len(root.steps) - MAX_STEPS))
    return Loaded(
        schema_version=root.schema_version,
        trajectory_id=root.trajectory_id,
        agent=root.agent,
        steps=steps,
        final_metrics=root.final_metrics,
        continued_trajectory_ref=root.continued_trajectory_ref,
        subagent_trajectories=root.subagent_trajectories,
        ok=True,
    )


def too_many(lost_calls: int) -> Damage:
    """Says that the steps beyond the limit are not read."""
    reason = f"more than {MAX_STEPS:,} steps; the others are not read"
    return Damage(f"$.steps[{MAX_STEPS}]", reason, lost_calls, "too_many")


def _are_steps(value: Any) -> bool:
    return (
        isinstance(value, list)
        and bool(value)
        and all(isinstance(item, dict) and len(STEP_SIGNS & item.keys()) >= 2 for item in value)
    )


def fit_step(step: dict[str, Any]) -> Step:
    """A decoded object as a step, with members of any type."""
    return Step(**{key: step[key] for key in _STEP_FIELDS if key in step})
