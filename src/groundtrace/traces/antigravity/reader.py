"""Antigravity's transcripts, and how they are recognised.

Where they lie: `transcript.jsonl` of a conversation below `~/.gemini/antigravity/brain/<id>/`.

Their shape: one step per line, with `step_index`, `source`, `type`, `status`, `created_at` and
`content`. A step `PLANNER_RESPONSE` holds the model's calls (`tool_calls`, each with `name` and
`args`, whose values are JSON in a text). The steps after it hold the answers, in the order of the
calls, and have a type for each kind of tool (`VIEW_FILE`, `RUN_COMMAND`, `ERROR_MESSAGE`, …).
"""

from __future__ import annotations

from groundtrace.base.patterns import regex
from groundtrace.traces.kit.claims import Probe, Recognised
from groundtrace.traces.kit.reading import ReadsFiles

_START = regex(rb"(?:\xef\xbb\xbf)?\s*+\{")
_STEP = regex(rb'"step_index"\s*:\s*\d')
_SOURCE = regex(rb'"source"\s*:\s*"(?:USER_EXPLICIT|USER_IMPLICIT|SYSTEM|SYSTEM_SDK|MODEL)"')


class AntigravityReader(ReadsFiles):
    """Reader of Antigravity's transcripts."""

    name = "antigravity"
    patterns: tuple[str, ...] = ("agent/antigravity*.jsonl",)
    harness_words: tuple[tuple[str, str], ...] = (("antigravity", "antigravity"),)

    def recognise(self, probe: Probe) -> Recognised | None:
        """By the number and the source of steps."""
        head = probe.head
        if b'"step_index"' not in head or not _START.match(head):
            return None
        if _STEP.search(head) and _SOURCE.search(head):
            return Recognised("marker", '"step_index" and the source of a step')
        return None
