"""ATIF trajectories of every version and from any harness, and how they are recognised.

Where they lie: Harbor writes `agent/trajectory.json`. Continuations and subagents' trajectories are
next to it (`agent/trajectory.cont-1.json`) and are read when the first refers to them.

Their shape: one JSON object with `schema_version`, `agent`, `steps` and `final_metrics`. A step
holds calls (`tool_calls`) and their results (`observation`).
"""

from __future__ import annotations

from groundtrace.base.patterns import regex
from groundtrace.traces.kit.claims import Probe, Recognised
from groundtrace.traces.kit.reading import ReadsFiles

_VERSION = regex(rb'"schema_version"\s*:\s*"(ATIF-v[\d.]+)"')
# Plain text, which `re` finds twice as quickly as `in` does where quotes are everywhere.
_MARK = regex(rb"ATIF-v")
_STEPS = regex(rb'"steps"')
_OBJECT = regex(rb"\s*+(?:\xef\xbb\xbf)?+\s*+\{")


class AtifReader(ReadsFiles):
    """Reader of ATIF trajectories."""

    name = "atif"
    patterns: tuple[str, ...] = ("agent/trajectory.json", "trajectory.json")
    sidecars: tuple[str, ...] = ("agent/trajectory*.json",)
    harness_words: tuple[tuple[str, str], ...] = (("openhands", "openhands"),)

    def recognise(self, probe: Probe) -> Recognised | None:
        """By the version that the file states, then by its steps, then by name."""
        found = _VERSION.search(probe.head) if _MARK.search(probe.head) else None
        if found is not None:
            return Recognised("marker", f"schema_version {found.group(1).decode()}")
        if _OBJECT.match(probe.head) and _STEPS.search(probe.head):
            return Recognised("shape", "an object with steps")
        if probe.path.endswith("trajectory.json"):
            return Recognised("name", "named trajectory.json")
        return None
