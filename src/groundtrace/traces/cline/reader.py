"""Conversations of Cline and Roo Code, and how they are recognised.

Where they lie: `tasks/<id>/api_conversation_history.json` in the editor's folder of the extension,
with `ui_messages.json` and `task_metadata.json` beside it.

Their shape: a list of messages as the model's server gets them. A call is a block `tool_use`, and
its answer a block `tool_result` of the next message. In older versions a call is XML in the text of
a reply (`<read_file><path>a.py</path></read_file>`), and the next message begins with
`[read_file for 'a.py'] Result:`. Messages of the user end with `<environment_details>`.
"""

from __future__ import annotations

from groundtrace.base.patterns import regex
from groundtrace.traces.kit.claims import Probe, Recognised
from groundtrace.traces.kit.reading import ReadsFiles

_MESSAGES = regex(rb'\s*+(?:\xef\xbb\xbf)?\s*+\[\s*+\{\s*+"role"\s*+:\s*+"user"')
_BLOCK = regex(rb'"type"\s*+:\s*+"tool_use"')
_ANSWER = regex(rb"\[\w{1,40}(?: for [^\n]{0,400}?)?\] Result:")
_DETAILS = b"<environment_details>"


class ClineReader(ReadsFiles):
    """Reader of Cline's and Roo Code's conversations."""

    name = "cline"
    own_names: tuple[str, ...] = ("api_conversation_history.json",)
    patterns: tuple[str, ...] = ("agent/api_conversation_history.json",)
    harness_words: tuple[tuple[str, str], ...] = (("cline", "cline"),)

    def recognise(self, probe: Probe) -> Recognised | None:
        """By a list of messages with the editor's details, and a call or its answer."""
        head = probe.head
        if not _MESSAGES.match(head) or _DETAILS not in head:
            return None
        if _BLOCK.search(head) or _ANSWER.search(head):
            return Recognised("marker", "messages with environment_details and calls")
        return None
