"""Logs of Anthropic's Messages and OpenAI's Responses, and how they are recognised.

Where they lie: wherever an agent's author writes them, as `*.json` or `*.jsonl`.

Their shape: messages whose `content` is a list of blocks (`tool_use`, `tool_result`), or items
(`function_call`, `function_call_output`, `local_shell_call`). They may be a list, one per line, in
`messages`, `input` or `output` of requests and replies, or in rows of a data set, each of which is
a trial. Requests repeat what was said before; every call counts once, by its id.
"""

from __future__ import annotations

from groundtrace.base.patterns import regex
from groundtrace.traces.kit.claims import Probe, Recognised
from groundtrace.traces.kit.reading import ReadsSamples

_START = regex(rb"(?:\xef\xbb\xbf)?\s*+(?:\[\s*+)?\{")
# Names that only other formats have beside messages of this form.
_OTHERS = (
    *(b'"sessionId"', b'"session_id"', b'"parentUuid"', b'"sessionID"', b'"trajectory_format"'),
    *(
        b'"ATIF',
        b'"step_id"',
        b'"payload"',
        b'"tool_name"',
        b'"isSidechain"',
        b'"llm_interactions"',
    ),
)
_TURN = rb'"role"\s*+:\s*+"(?:user|assistant|system|developer|tool)"'
_TYPES = rb'"type"\s*+:\s*+"(?:function_call(?:_output)?|local_shell_call|shell_call|apply_patch_call|reasoning|message)"'
_LIST = regex(
    rb'"(?:messages|input|output|conversation|history)"\s*+:\s*+\[\s*+\{[^{}\[\]]{0,4000}?'
    rb"(?:" + _TURN + rb"|" + _TYPES + rb")"
)
_FIRST = regex(
    rb"(?:\xef\xbb\xbf)?\s*+(?:\[\s*+)?\{[^{}\[\]]{0,4000}?(?:" + _TURN + rb"|" + _TYPES + rb")"
)
_BLOCK = regex(rb'"content"\s*+:\s*+\[\s*+\{')
_CALL = regex(
    rb'"type"\s*+:\s*+"(?:tool_use|function_call|(?:local_)?shell_call|apply_patch_call)"'
)
_ANSWER = regex(
    rb'"type"\s*+:\s*+"(?:tool_result|function_call_output|(?:local_)?shell_call_output|apply_patch_call_output)"|"tool_use_id"'
)
_IN_TEXT = regex(rb'"(?:messages|input|output)"\s*+:\s*+"(?=\[)')
"""A list of messages that is JSON in a text."""
_WORDS = (b"tool_use", b"function_call", b"shell_call", b"apply_patch_call")


class ApiLogReader(ReadsSamples):
    """Reader of logs of model calls."""

    name = "api-log"
    patterns: tuple[str, ...] = (
        "agent/messages.json",
        "agent/messages.jsonl",
        "agent/responses.json",
        "agent/responses.jsonl",
    )

    def recognise(self, probe: Probe) -> Recognised | None:
        """By a list of messages or items at the start, with a call in it."""
        head = probe.head
        if not any(word in head for word in _WORDS) or not _START.match(head):
            return None
        if any(other in head for other in _OTHERS):
            return None
        if _IN_TEXT.search(head):
            head = _IN_TEXT.sub(b'"messages":', head).replace(b'\\"', b'"')
        is_turn = _FIRST.match(head) is not None
        if not is_turn and not _LIST.search(head):
            return None
        if not _CALL.search(head):
            return None
        if _ANSWER.search(head) or _BLOCK.search(head):
            return Recognised(
                "marker", "messages or items with calls as a model's server takes them"
            )
        return None
