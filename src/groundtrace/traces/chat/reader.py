"""Data sets of conversations, and how they are recognised.

Where they lie: anywhere, as `*.jsonl` or `*.json` of a data set;
`llm_completions/<instance>/*.json`.

Their shape: one row per line, or a list of rows. A row has `messages` (a list, or JSON in a string)
with `role` and `content`; nebius has `trajectory` with `role` and `text`; R2E-Gym has
`trajectory_steps` with `action` and `observation`. A single object is read too: OpenHands' log of
one model call, whose messages are the whole conversation before it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from groundtrace.base.patterns import regex
from groundtrace.traces.kit.claims import Probe, Recognised
from groundtrace.traces.kit.reading import ReadsSamples

if TYPE_CHECKING:
    from groundtrace.storage import Folder

_START = regex(rb"\s*+(?:\xef\xbb\xbf)?\s*+(?:\[\s*+)?\{")
_STEPS = regex(rb'"trajectory_steps"\s*:\s*\\?"?\[\s*\{')
_MESSAGES = regex(
    rb'"(?:messages|fncall_messages|conversations)"\s*:\s*"?\[\s*\{\s*\\?"\w+\\?"\s*:'
)
_TEXTS = regex(rb'"trajectory"\s*:\s*"?\[\s*\{[^{}]*?"role\\?"\s*:')
_CALLS = regex(rb"<function=|tool_calls|function_call|\(Current directory: |```\s*\\+n")
_TOOLS = regex(rb"<function=|tool_calls|function_call")
_FENCE = regex(rb"```(?:bash|mswea_bash_command)\s*\\+n")
_COMPLETION = regex(r"(?P<model>.{1,200})-(?P<time>\d{9,12}(?:\.\d{1,9})?)\.json")
"""Name of a logged model call: the model, and the time of the call."""
_ROWS = regex(rb"\s*+(?:\xef\xbb\xbf)?\s*+\[")


class ChatReader(ReadsSamples):
    """Reader of data sets of conversations."""

    name = "chat"
    patterns: tuple[str, ...] = ()

    def recognise(self, probe: Probe) -> Recognised | None:
        """By the list that holds the steps, and by a call in one of the known dialects."""
        head = probe.head
        if not _START.match(head):
            return None
        if _STEPS.search(head):
            return Recognised("shape", "rows of trajectory_steps")
        if b'"trajectory_format"' in head or b'"mini_version"' in head:
            return None
        # A single object with mini-swe-agent's fences is left to mini-swe-agent's reader.
        has_rows = probe.name.endswith((".jsonl", ".ndjson")) or _ROWS.match(head)
        is_mini = _FENCE.search(head) is not None and not _TOOLS.search(head)
        if is_mini and not has_rows:
            return None
        if _MESSAGES.search(head) and (_CALLS.search(head) or is_mini):
            return Recognised("shape", "rows of messages with tool calls")
        if _TEXTS.search(head):
            return Recognised("shape", "rows of a trajectory of roles and texts")
        return None

    def part_of(self, folder: Folder, path: str) -> str | None:
        """The last of the model calls that OpenHands logged in a folder: it holds all of them."""
        own = _COMPLETION.fullmatch(path)
        if own is None:
            return None
        logged = [
            (float(found["time"]), entry.name)
            for entry in folder.entries()
            if (found := _COMPLETION.fullmatch(entry.name)) and found["model"] == own["model"]
        ]
        last = max(logged, default=(0.0, path))[1]
        return None if last == path else last
