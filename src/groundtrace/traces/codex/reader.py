"""Codex's traces, and how they are recognised.

Where they lie: `~/.codex/sessions/YYYY/MM/DD/rollout-<local time>-<thread id>.jsonl`, also packed
as `.jsonl.zst`. Harbor keeps them below `agent/sessions/`, and what `codex exec --json` printed as
`agent/codex.txt`. A subagent has a file of its own.

Their shape: one JSON object per line, `{timestamp, type, payload}`. Before 0.40: bare items, after
a line with `id`, `timestamp` and `instructions`. The stream has events such as `item.completed`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from groundtrace.base.patterns import regex
from groundtrace.traces.kit.claims import Probe, Recognised
from groundtrace.traces.kit.reading import ReadsFiles

if TYPE_CHECKING:
    from groundtrace.storage import Folder

ROLLOUTS = ("agent/sessions/2*/*/*/rollout-*.jsonl", "agent/sessions/2*/*/*/rollout-*.jsonl.zst")
_ZSTD = b"\x28\xb5\x2f\xfd"
_PACKED = regex(r"(?:^|/)rollout-[\w-]+\.jsonl\.zst$")

# A quote inside a JSON string is escaped, so none of these matches inside quoted text.
_LINE_TYPES = frozenset({b"turn_context", b"response_item", b"event_msg", b"world_state"})
_LINE = regex(
    rb'"type"\s*:\s*"(?:turn_context|response_item|event_msg|world_state)"\s*,\s*"payload"\s*:'
)
_STREAM_TYPES = frozenset(
    {
        *(b"thread.started", b"turn.started", b"turn.completed", b"turn.failed"),
        *(b"item.started", b"item.updated", b"item.completed"),
    }
)
_STREAM = regex(
    rb'\{\s*"type"\s*:\s*"(?:thread\.started|turn\.(?:started|completed|failed)'
    rb'|item\.(?:started|updated|completed))"'
)
_OLD_STREAM_TYPES = frozenset({b"session_configured", b"task_started", b"exec_command_begin"})
_OLD_STREAM = regex(
    rb'"msg"\s*:\s*\{\s*"type"\s*:\s*"(?:session_configured|task_started|exec_command_begin)"'
)
_ITEM_TYPES = frozenset({b"function_call", b"custom_tool_call", b"reasoning"})
_FLAT_HEAD = regex(
    rb'(?:\xef\xbb\xbf)?\s*\{\s*"id"\s*:\s*"[^"]*"\s*,\s*"timestamp"\s*:\s*"[^"]*"\s*,'
    rb'\s*"(?:instructions|git)"'
)
_FLAT_ITEM = regex(
    rb'^[ \t]*+\{(?:"id":(?:null|"[^"\n]*+"),)?"type"\s*+:\s*+"(?:function_call|custom_tool_call|reasoning)"'
    rb"[^\n]*+",
    re.MULTILINE,
)


class CodexReader(ReadsFiles):
    """Reader of Codex CLI's rollouts and streams."""

    name = "codex"
    own_names: tuple[str, ...] = ("rollout-*.jsonl", "rollout-*.jsonl.zst")
    sessions_continue = True
    spare_patterns: tuple[str, ...] = ("agent/codex.txt",)
    patterns: tuple[str, ...] = (*ROLLOUTS, "agent/rollout*.jsonl", *spare_patterns)
    harness_words: tuple[tuple[str, str], ...] = (("codex", "codex"),)

    def recognise(self, probe: Probe) -> Recognised | None:
        """By the types of lines that only Codex writes, then by the form of bare items."""
        head, types = probe.head, probe.types
        if head.startswith(_ZSTD):
            return Recognised("shape", "a packed rollout") if _PACKED.search(probe.path) else None
        if b"session_meta" in types and b'"payload"' in head:
            return Recognised("marker", "a line of type session_meta")
        if types & _STREAM_TYPES and _STREAM.search(head):
            return Recognised("marker", "events of codex exec --json")
        if types & _OLD_STREAM_TYPES and _OLD_STREAM.search(head):
            return Recognised("marker", "messages of the stream of 2025")
        is_flat = _FLAT_HEAD.match(head) is not None
        if is_flat and b'"record_type"' in head:
            return Recognised("marker", 'a first line with "instructions", then "record_type"')
        if types & _LINE_TYPES and _LINE.search(head):
            return Recognised("shape", "lines of a rollout without its first one")
        if is_flat and (b'"type"' in head or head.count(b"\n") < 2):
            return Recognised("shape", 'a first line with "instructions", then bare items')
        has_items = types & _ITEM_TYPES and b'"call_id"' in head
        if has_items and b'"function_call_output"' in head and _FLAT_ITEM.search(head):
            return Recognised("shape", "bare items of a rollout")
        if probe.path.endswith("agent/codex.txt"):
            return Recognised("name", "named codex.txt")
        return None

    def companions(self, folder: Folder, path: str) -> tuple[str, ...]:
        """The rollouts of this one's subagents in the same folder."""
        from groundtrace.traces.codex.threads import subagents_of

        return subagents_of(folder, path)

    def part_of(self, folder: Folder, path: str) -> str | None:
        """For a subagent's rollout: the rollout of the thread that started it, if it is there."""
        from groundtrace.traces.codex.threads import parent_of

        return parent_of(folder, path)
