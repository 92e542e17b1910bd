"""Gemini CLI's traces, and how they are recognised.

Where they lie: `~/.gemini/tmp/<hash of the project>/chats/session-<date>-<id>.json`, from 0.40 on
`.jsonl`; what `gemini --output-format stream-json` printed can be anywhere.

Their shape: a session is one object with `sessionId`, `projectHash` and `messages`. In JSONL the
first line is the same object without messages. Each further line is a message, `{"$set": …}` or
`{"$rewindTo": id}`; a message that is written again replaces the earlier one. A stream begins with
an event `init` and has `tool_use` and `tool_result`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from groundtrace.base.patterns import regex
from groundtrace.traces.kit.claims import Probe, Recognised
from groundtrace.traces.kit.reading import ReadsFiles

if TYPE_CHECKING:
    from groundtrace.storage import Folder

# A quote inside a JSON string is escaped, so none of these matches inside quoted text.
_START = regex(rb"\s*+(?:\xef\xbb\xbf)?\s*+\{")
_SESSION = regex(rb'"sessionId"\s*:\s*"')
_PROJECT = regex(rb'"projectHash"\s*:\s*"')
_INIT = regex(rb'\{\s*"type"\s*:\s*"init"\s*,')
_STREAM = regex(rb'"session_id"\s*:\s*"')
_CALL = regex(rb'\{\s*"type"\s*:\s*"tool_use"\s*,[^{}\n]*+"tool_name"\s*:')


class GeminiReader(ReadsFiles):
    """Reader of Gemini CLI's sessions and streams."""

    name = "gemini-cli"
    patterns: tuple[str, ...] = ("agent/gemini*.json", "agent/gemini*.jsonl", "agent/gemini*.txt")
    harness_words: tuple[tuple[str, str], ...] = (("gemini", "gemini-cli"),)

    def recognise(self, probe: Probe) -> Recognised | None:
        """By the members at the start of a session, or by the events of a stream."""
        head = probe.head
        if (
            b'"projectHash"' in head
            and _START.match(head)
            and _PROJECT.search(head)
            and _SESSION.search(head)
        ):
            return Recognised("marker", '"sessionId" and "projectHash" in the first lines')
        if b'"init"' in head and _INIT.search(head) and _STREAM.search(head):
            return Recognised("marker", "events of gemini --output-format stream-json")
        if b'"tool_name"' in head and b'"tool_id"' in head and _CALL.search(head):
            return Recognised("shape", "events of stream-json without the first one")
        return None

    def samples(self, folder: Folder, path: str) -> None:
        """A file is one sample, and no other is read with it."""
