"""Traces that no reader reads yet.

A folder with such a trace is still a trial: it is evaluated as a trial without a usable trace, and
it counts. When a format gets a reader, its lines move there.
"""

from __future__ import annotations

UNREAD: tuple[str, ...] = (
    "agent/*.jsonl",
    "agent/*.jsonl.gz",
    "agent/*.jsonl.zst",
    "agent/openhands.txt",
)
"""Patterns, relative to the trial's folder."""

UNREAD_HARNESS_WORDS: tuple[tuple[str, str], ...] = (("opencode", "opencode"),)
"""A word in the path of a harness's class, and the name of that harness."""
