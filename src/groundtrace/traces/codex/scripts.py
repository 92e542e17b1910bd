"""Scripts of code mode: the model writes a script, and the script makes the calls.

The calls of a script are not items of the rollout; only events tell of them, if anything does.
"""

from __future__ import annotations

from collections.abc import Sequence

from groundtrace.base.visible import plural
from groundtrace.traces.source import RawCall

CODE = "exec"
"""The tool of code mode."""
_TOOLS = "tools."
"""What a script calls tools through."""


class Scripts:
    """The scripts of one rollout."""

    def __init__(self) -> None:
        self._told: set[int] = set()
        """Scripts whose calls events tell, by the identity of their call."""

    def running(self, calls: Sequence[RawCall]) -> RawCall | None:
        """The script that is running after these calls, if one is."""
        last = next((call for call in reversed(calls) if call.name == CODE), None)
        return last if last is not None and last.result is None else None

    def told(self, script: RawCall) -> None:
        """Note that an event tells of a call of this script."""
        self._told.add(id(script))

    def untold(self, calls: Sequence[RawCall]) -> str | None:
        """How many scripts called tools of which no event tells (D88), for the notes."""
        count = sum(
            id(call) not in self._told and _TOOLS in str(call.arguments.get("input"))
            for call in calls
            if call.name == CODE
        )
        if not count:
            return None
        made = plural(count, "script", "scripts")
        return f"{made} made calls that no event tells; files are unknown"
