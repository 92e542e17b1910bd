"""From the bytes of a trajectory to its steps, also when the bytes are damaged."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

import msgspec

from groundtrace import jsonio
from groundtrace.traces import salvage
from groundtrace.values import as_mapping, as_text


class Step(msgspec.Struct):
    """One step of a trajectory; members may be of any type."""

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


class _Root(msgspec.Struct):
    schema_version: Any = None
    session_id: Any = None
    trajectory_id: Any = None
    agent: Any = None
    steps: list[Step] | None = None
    final_metrics: Any = None
    continued_trajectory_ref: Any = None
    subagent_trajectories: Any = None


_decoder = msgspec.json.Decoder(_Root)
_STEP_FIELDS = tuple(item.name for item in msgspec.structs.fields(Step))
_STEP_SIGNS = frozenset({"step_id", "source", "tool_calls", "observation", "message"})
_TOOL_SIGNS = {
    "openhands": frozenset({"execute_bash", "str_replace_editor", "execute_ipython_cell"}),
    "claude-code": frozenset({"Bash", "Read", "Grep", "Glob", "Write", "Edit", "Task", "Agent"}),
}
_AGENT_NAME = re.compile(r'"agent"\s*:\s*\{\s*"name"\s*:\s*"([^"\\]+)"')
_CALL = re.compile(r'"function_name"\s*:')


@dataclass(slots=True)
class Damage:
    """Where steps were lost."""

    place: str
    reason: str
    lost_calls: int = 0


@dataclass(slots=True)
class Loaded:
    """A trajectory as far as it could be decoded."""

    schema_version: Any = None
    trajectory_id: Any = None
    agent: Any = None
    steps: list[Step | Damage] = field(default_factory=list)
    final_metrics: Any = None
    continued_trajectory_ref: Any = None
    subagent_trajectories: Any = None
    ok: bool = False
    """It is a trajectory."""
    reason: str = ""
    """Why it could not be decoded whole, or is none."""


def load(data: bytes) -> Loaded:
    """Decode a trajectory; never raises."""
    try:
        root = _decoder.decode(data)
        if root.steps is not None:
            return _from_root(root)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        pass
    try:
        value = jsonio.loads(data)
    except jsonio.BadJsonError as error:
        reason = str(error) if error.line is None else f"{error} at line {error.line}"
        return _salvage(salvage.to_text(data), reason)
    return from_value(value)


def from_value(value: Any) -> Loaded:
    """A decoded value as a trajectory, whatever it is."""
    if not isinstance(value, dict):
        return Loaded(reason=f"{type(value).__name__} where a trajectory is expected")
    steps = value.get("steps")
    reason = ""
    if not isinstance(steps, list):
        reason = f"steps is {type(steps).__name__}, not a list"
        # A damaged key: the list of steps stands under another name.
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
        if isinstance(step, dict):
            loaded.steps.append(fit_step(step))
        else:
            place = f"$.steps[{index}]"
            loaded.steps.append(Damage(place, f"step is {type(step).__name__}, not an object"))
    return loaded


def harness_of(loaded: Loaded) -> str:
    """The harness's name in lower case; by its tools where damage took the name; else empty."""
    name = as_text(as_mapping(loaded.agent).get("name"))
    if name is not None:
        return name.lower()
    tools = {
        call.get("function_name")
        for step in loaded.steps
        if isinstance(step, Step) and isinstance(step.tool_calls, list)
        for call in step.tool_calls
        if isinstance(call, dict) and isinstance(call.get("function_name"), str)
    }
    for harness, signs in _TOOL_SIGNS.items():
        if tools & signs:
            return harness
    return ""


def _from_root(root: _Root) -> Loaded:
    return Loaded(
        schema_version=root.schema_version,
        trajectory_id=root.trajectory_id,
        agent=root.agent,
        steps=[*(root.steps or ())],
        final_metrics=root.final_metrics,
        continued_trajectory_ref=root.continued_trajectory_ref,
        subagent_trajectories=root.subagent_trajectories,
        ok=True,
    )


def _are_steps(value: Any) -> bool:
    return (
        isinstance(value, list)
        and bool(value)
        and all(isinstance(item, dict) and len(_STEP_SIGNS & item.keys()) >= 2 for item in value)
    )


def fit_step(step: dict[str, Any]) -> Step:
    """A decoded object as a step, whatever its members are."""
    return Step(**{key: step[key] for key in _STEP_FIELDS if key in step})


def _salvage(text: str, reason: str) -> Loaded:
    """Every intact step; from a damaged one every intact call and result."""
    if not text.strip("\ufeff \t\r\n"):
        return Loaded(reason="the file is empty")
    loaded = Loaded(reason=f"broken JSON ({reason})")
    loaded.schema_version = salvage.string_after(text[:4096], "schema_version")
    named = _AGENT_NAME.search(text)
    loose = _Loose()
    embedded: list[Any] = []
    gap_start = 0
    for piece in salvage.intact_objects(text):
        value = piece.value
        if len(_STEP_SIGNS & value.keys()) >= 2:
            loose.flush(loaded, text[gap_start : piece.start])
            loaded.steps.append(fit_step(value))
            gap_start = piece.end
        elif isinstance(value.get("steps"), list):
            if not text[: piece.start].strip("\ufeff \t\r\n"):
                # Only a control character inside a string was wrong with it.
                whole = from_value(value)
                whole.reason = loaded.reason
                return whole
            embedded.append(value)
        elif not loose.take(value) and loaded.agent is None and {"name", "version"} <= value.keys():
            loaded.agent = value
    loose.flush(loaded, text[gap_start:])
    if loaded.agent is None and named is not None:
        loaded.agent = {"name": named.group(1)}
    loaded.subagent_trajectories = embedded
    loaded.ok = any(isinstance(step, Step) for step in loaded.steps)
    return loaded


class _Loose:
    """Intact members of a step that is itself damaged."""

    def __init__(self) -> None:
        self.calls: list[Any] = []
        self.results: list[Any] = []
        self.metrics: Any = None
        self.extra: Any = None

    def take(self, value: dict[str, Any]) -> bool:
        if "function_name" in value and "arguments" in value:
            self.calls.append(value)
        elif "source_call_id" in value and "content" in value:
            self.results.append(value)
        elif isinstance(value.get("results"), list):
            self.results += value["results"]
        elif "prompt_tokens" in value:
            self.metrics = value
        elif "is_sidechain" in value or "tool_use_name" in value:
            self.extra = value
        else:
            return False
        return True

    def flush(self, loaded: Loaded, gap: str) -> None:
        """Close the damaged step, if the gap before the next intact one held any."""
        mentioned = len(_CALL.findall(gap))
        if mentioned or self.calls or self.results or _has_step(gap):
            lost = max(0, mentioned - len(self.calls))
            damage = Damage(f"$.steps[{len(loaded.steps)}]", "step is damaged", lost)
            loaded.steps.append(damage)
            if self.calls:
                loaded.steps.append(self._step(gap))
        self.__init__()  # type: ignore[misc]

    def _step(self, gap: str) -> Step:
        number = re.search(r'"step_id"\s*:\s*(\d{1,9})\b', gap)
        return Step(
            step_id=None if number is None else int(number.group(1)),
            timestamp=salvage.string_after(gap, "timestamp"),
            source=salvage.string_after(gap, "source") or "agent",
            message=salvage.string_after(gap, "message"),
            tool_calls=self.calls,
            observation={"results": self.results} if self.results else None,
            metrics=self.metrics,
            extra=self.extra,
        )


def _has_step(gap: str) -> bool:
    return re.search(r'"(?:step_id|source)"\s*:', gap) is not None
