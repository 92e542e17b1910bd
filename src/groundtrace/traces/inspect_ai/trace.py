"""One sample of Inspect as a source of calls.

Events are preferred to messages: a call of `submit`, or a call that was compacted away, is an event
but not a message. Long texts of events are attachments, which come after the events in the file. So
calls are made after the last event was read.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec
from msgspec import field

from groundtrace.base.frozen import Frozen
from groundtrace.base.mcp import content_text, server_in_name
from groundtrace.base.times import parse_time
from groundtrace.base.values import as_count, as_items, as_mapping, as_text
from groundtrace.model import Problem, Usage
from groundtrace.storage import Folder
from groundtrace.traces.inspect_ai.archive import ArchiveError
from groundtrace.traces.inspect_ai.logs import open_sample, samples
from groundtrace.traces.inspect_ai.records import (
    HARNESS,
    Event,
    ModelOutput,
    Spans,
    Where,
    cached_of,
    counts_of,
    stated_of,
)
from groundtrace.traces.kit.fit import MAX_DEPTH, as_arguments, value_of
from groundtrace.traces.kit.keep import Keep
from groundtrace.traces.kit.lists import Listed
from groundtrace.traces.kit.log import Log
from groundtrace.traces.source import RawCall, Source

__all__ = ["read", "samples"]

ATTACHMENT = "attachment://"


def read(folder: Folder, path: str, name: str | None, keep: Keep) -> Source:
    """Read a sample, whole or damaged."""
    sample = SampleTrace(path, keep)
    try:
        with open_sample(folder, path, name) as opened:
            if isinstance(opened, Problem):
                sample.source.problems.append(opened)
                return sample.source
            loaded, header = opened
            sample.events(loaded)
            return sample.finish(loaded, header)
    except ArchiveError as error:
        sample.source.problem("unreadable", str(error))
        return sample.finish(Listed(iter(())), {})


_OUTSIDE = Where()
"""The place of an event that is in no call, until its span says more."""


class _Tool(Frozen, frozen=True):
    """A tool event, kept until its attachments are known."""

    event: Event
    where: Where
    position: int
    place: str


class SampleTrace:
    """State of reading one sample."""

    def __init__(self, path: str, keep: Keep) -> None:
        self.source = Source(path, "transcript", "sample", harness=HARNESS, is_main_log=True)
        self.log = Log(self.source, keep)
        self.spans = Spans()
        self.tools: list[_Tool] = []
        self.conversation = Conversation()
        self.directories: dict[str, str] = {}
        """Call id to the directory in which the call ran a command."""
        self.seen = self.cached = 0
        self.attachments: Mapping[str, Any] = {}

    # --- events ---

    def events(self, loaded: Listed) -> None:
        for number, event in self.log.fitted(loaded.items, "event", Event):
            self.event(event, f"$.events[{number}]", _OUTSIDE, 0)

    def event(self, event: Event, place: str, outer: Where, depth: int) -> None:
        """Read one event; in older logs `outer` is the call inside which it is written."""
        self.seen += 1
        kind = event.event
        if kind == "span_begin":
            self.spans.begin(event)
        elif kind == "step":
            self.spans.step(event)
        where = self.spans.where(event)
        where = where if where.agent or where.is_scorer else outer
        if where.is_scorer:
            return
        if kind == "model":
            self.source.saw(parse_time(event.timestamp))
            self.model(event, where)
        elif kind == "tool":
            self.source.saw(parse_time(event.timestamp))
            self.tool(event, place, where, depth)
        elif kind == "sandbox":
            self.sandbox(event)

    def model(self, event: Event, where: Where) -> None:
        usage = event.output.usage if isinstance(event.output, ModelOutput) else None
        ledger = self.source.ledger
        ledger.add(len(ledger.order), counts_of(usage), subagent=where.agent is not None)
        self.cached += 0 if where.agent is not None else cached_of(usage)
        if not self.tools:  # only a sample without tool events needs it
            self.conversation.model(event, ledger.position)

    def tool(self, event: Event, place: str, where: Where, depth: int) -> None:
        self.spans.called(event)
        nested, event.events = event.events, None  # the event is kept, but not what is inside it
        self.tools.append(_Tool(event, where, self.source.ledger.position, place))
        if nested is None or depth >= MAX_DEPTH:
            return
        name = as_text(event.agent) or as_text(event.function)
        inner = Where(agent=name, spawned_by=as_text(event.id))
        for number, item in enumerate(nested):
            if item is not None:
                self.event(item, f"{place}.events[{number}]", inner, depth + 1)

    def sandbox(self, event: Event) -> None:
        """Read a command that a call ran in the sandbox: it may state its directory."""
        call = self.spans.call_of(event)
        directory = as_text(as_mapping(event.options).get("cwd"))
        if call is not None and directory is not None and event.action == "exec":
            self.directories.setdefault(call, directory)

    # --- calls ---

    def finish(self, loaded: Listed, header: Mapping[str, Any]) -> Source:
        source, root = self.source, loaded.root
        self.attachments = as_mapping(root.get("attachments"))
        source.problems += loaded.problems
        for tool in self.tools:
            self.call(tool)
        messages = value_of(root.get("messages")) if not self.tools else None
        if not self.tools:
            self.from_messages(messages)
        source.parsed = self.seen > 0 or isinstance(messages, list)
        if not source.parsed and not source.problems:
            source.problem("empty_file", "a sample without events and messages")
        stated = stated_of(root, header)
        source.harness_version = stated.harness_version
        source.model = stated.model
        source.stated = stated
        self.log.finish(has_lines=False)
        source.usage = self.usage(root, stated.cost_usd, stated.cost_source)
        return source

    def call(self, tool: _Tool) -> None:
        event = tool.event
        made = self.made(event.id, event.function, event.arguments, tool.place)
        if made is None:
            return
        made.made_at = parse_time(event.timestamp)
        made.answered_at = parse_time(event.completed)
        made.position = tool.position
        made.cwd = self.directories.get(made.call_id or "")
        if tool.where.agent is not None:
            made.is_subagent, made.agent = True, tool.where.agent
            made.spawned_by = tool.where.spawned_by
        has_result = event.result is not msgspec.UNSET
        if event.pending is not True and (has_result or event.error):
            self.answer(made, event.result if has_result else None, event.error)

    def made(self, call_id: Any, name: Any, arguments: Any, place: str) -> RawCall | None:
        tool, given = as_text(name), as_arguments(self.resolved(arguments))
        if tool is None or given is None:
            what = "function" if tool is None else "arguments"
            reason = f"a call whose {what} cannot be used"
            self.log.unusable(reason, place=f"{place}.{what}")
            return None
        return self.log.call(tool, dict(given), as_text(call_id), server_in_name(tool))

    def answer(self, call: RawCall, result: Any, error: Any) -> None:
        message = as_text(as_mapping(error).get("message")) or as_text(error)
        text = _as_text(self.resolved(result))
        data = None
        if message is not None:
            said = str(self.resolved(message))
            data = {"stdout": text, "stderr": said}  # Inspect says it: no tool printed it
            text = f"{text}\n{said}" if text else said
        self.log.answer(call, text, error is not None, data)

    def from_messages(self, messages: Any) -> None:
        """Calls of a sample without tool events: from its model calls or from its messages,
        whichever gives more."""
        stated = Conversation()
        stated.messages(messages, -1)
        chosen = self.conversation
        if len(stated.asked) > len(chosen.asked):
            chosen = stated
        for number, asked in enumerate(chosen.asked):
            self.from_message(asked, number)
        if chosen.asked:
            self.source.notes.append("calls are those of the messages: no events of tools")

    def from_message(self, asked: Asked, number: int) -> None:
        call = asked.call
        function = call.get("function")
        inner = as_mapping(function)  # OpenAI's own form has one more level
        name = inner.get("name") if inner else function
        arguments = inner.get("arguments") if inner else call.get("arguments")
        made = self.made(call.get("id"), name, arguments, f"call {number + 1} of the messages")
        if made is None:
            return
        made.position = asked.position
        made.made_at = parse_time(asked.made_at)
        if asked.answer is not None:
            self.answer(made, asked.answer.get("content"), asked.answer.get("error"))

    def resolved(self, value: Any, depth: int = 0) -> Any:
        """The value, with references to attachments replaced by their texts."""
        if isinstance(value, str):
            if not value.startswith(ATTACHMENT):
                return value
            text = self.attachments.get(value.removeprefix(ATTACHMENT))
            return text if isinstance(text, str) else value
        if depth >= MAX_DEPTH:
            return value
        if isinstance(value, list):
            return [self.resolved(item, depth + 1) for item in value]
        if isinstance(value, dict):
            return {key: self.resolved(item, depth + 1) for key, item in value.items()}
        return value

    def usage(self, root: Mapping[str, Any], cost: float | None, where: str | None) -> Usage:
        totals = [
            as_count(as_mapping(item).get("total_tokens"))
            for item in as_mapping(root.get("model_usage")).values()
        ]
        known = [total for total in totals if total is not None]
        return self.source.totals(
            "usage of each model call",
            cached_tokens=self.cached if self.source.ledger.order else None,
            total_tokens=sum(known) if known and len(known) == len(totals) else None,
            cost_usd=cost,
            cost_source=where,
        )


def _as_text(value: Any) -> str:
    """A tool's result as text: a text, a number, or a list of content."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float):
        return str(value)
    return content_text(value)


# --- calls from messages, for a sample without tool events ---
# A coding agent that runs inside Inspect with its own tools leaves only model calls. What the model
# asked for is in their outputs; the answers are in the inputs of later model calls. A log without
# events has only the sample's messages.


class Asked(msgspec.Struct):
    """A call of a message, and the message that answers it."""

    call: Mapping[str, Any]
    position: int
    """Model calls up to and including the one that asked."""
    made_at: Any = None
    answer: Mapping[str, Any] | None = None


class Conversation(msgspec.Struct):
    """Calls and answers in the order of the calls, each id once."""

    asked: list[Asked] = field(default_factory=list)
    _by_id: dict[str, Asked] = field(default_factory=dict)

    def messages(self, messages: Any, position: int, made_at: Any = None) -> None:
        """Read calls and answers from a list of messages."""
        for message in as_items(messages):
            members = as_mapping(message)
            if members.get("role") == "tool":
                self.answer(members)
            elif members.get("role") == "assistant":
                self.calls(members.get("tool_calls"), position, made_at)

    def model(self, event: Event, position: int) -> None:
        """Read one model call: answers from its input, calls from its output."""
        for message in as_items(value_of(event.input)):
            if as_mapping(message).get("role") == "tool":
                self.answer(as_mapping(message))
        choices = event.output.choices if isinstance(event.output, ModelOutput) else None
        reply = choices[0].message if choices else None
        if reply is not None:
            self.calls(reply.tool_calls, position, event.timestamp)

    def calls(self, calls: Any, position: int, made_at: Any) -> None:
        """Read the calls of one reply."""
        for call in as_items(calls):
            if not isinstance(call, Mapping):
                continue
            key = as_text(call.get("id"))
            if key is not None and key in self._by_id:
                continue
            asked = Asked(call, position, made_at)
            self.asked.append(asked)
            if key is not None:
                self._by_id[key] = asked

    def answer(self, message: Mapping[str, Any]) -> None:
        """Read a message with the role tool; the first answer to a call counts."""
        asked = self._by_id.get(as_text(message.get("tool_call_id")) or "")
        if asked is not None and asked.answer is None:
            asked.answer = message
