"""The intact parts of a damaged trajectory."""

from __future__ import annotations

import re
from typing import Any

from groundtrace.base.patterns import regex
from groundtrace.traces.atif.steps import STEP_SIGNS, Damage, Loaded, Step, fit_step, from_value
from groundtrace.traces.kit.salvage import intact_objects, string_after

_AGENT_NAME = regex(r'"agent"\s*:\s*\{\s*"name"\s*:\s*"([^"\\]+)"')
_CALL = regex(r'"function_name"\s*:')


def salvage_trajectory(text: str, reason: str) -> Loaded:
    """Every intact step; from a damaged step, every intact call and result."""
    if not text.strip("\ufeff \t\r\n"):
        return Loaded(reason="the file is empty")
    loaded = Loaded(reason=f"broken JSON ({reason})")
    loaded.schema_version = string_after(text[:4096], "schema_version")
    named = _AGENT_NAME.search(text)
    loose = _Loose()
    embedded: list[Any] = []
    gap_start = 0
    for piece in intact_objects(text):
        value = piece.value
        if len(STEP_SIGNS & value.keys()) >= 2:
            loose.flush(loaded, text[gap_start : piece.start])
            loaded.steps.append(fit_step(value))
            gap_start = piece.end
        elif isinstance(value.get("steps"), list):
            if not text[: piece.start].strip("\ufeff \t\r\n"):
                # The only damage was a control character inside a string.
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
    """Intact parts of a step that is itself damaged."""

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
        """Close the damaged step, if there was one in the gap before the next intact step."""
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
            timestamp=string_after(gap, "timestamp"),
            source=string_after(gap, "source") or "agent",
            message=string_after(gap, "message"),
            tool_calls=self.calls,
            observation={"results": self.results} if self.results else None,
            metrics=self.metrics,
            extra=self.extra,
        )


def _has_step(gap: str) -> bool:
    return re.search(r'"(?:step_id|source)"\s*:', gap) is not None
