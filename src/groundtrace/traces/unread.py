"""Traces that no reader reads yet.

A folder that holds one is a trial all the same: it is evaluated as one without a usable trace, and
not left out of the counts. A format that gets a reader moves its lines there.
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
"""Words in the path of a harness's class, each with the harness that it means."""
