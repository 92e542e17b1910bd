"""One trial of an OpenTelemetry export as a `Source`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec
from msgspec import field

from groundtrace.base.mcp import server_in_name
from groundtrace.base.values import as_items, as_mapping, as_text
from groundtrace.base.visible import plural
from groundtrace.model import Problem, Stated
from groundtrace.storage import Folder
from groundtrace.traces.kit.claims import Sample
from groundtrace.traces.kit.fit import as_arguments
from groundtrace.traces.kit.keep import Keep
from groundtrace.traces.kit.log import Log
from groundtrace.traces.otel.events import without_doubles
from groundtrace.traces.otel.files import load
from groundtrace.traces.otel.records import (
    AGENT,
    ARGUMENTS,
    CALL_ID,
    MESSAGE,
    MODEL,
    RESULT,
    TOOL_OF_ENTITY,
    Span,
    counts_of,
    decoded,
    flat_messages,
    shown,
)
from groundtrace.traces.source import RawCall, Source

MAX_PARENTS = 200
_SERVER = ("mcp.server.name", "gen_ai.tool.server")
_ERROR = ("error.message", "exception.message", "error.type")
_MESSAGES = (
    *("gen_ai.input.messages", "gen_ai.output.messages", "gen_ai.prompt", "gen_ai.completion"),
    *("gen_ai.system_instructions", "ai.prompt.messages", "ai.response.toolCalls"),
)


def samples(folder: Folder, path: str) -> Iterator[Sample | Problem]:
    """The trials of a file."""
    loaded = load(folder, path)
    if not loaded.trials:
        yield Sample(None, no_trial="an OpenTelemetry export without a span of an agent")
    for name, spans in loaded.trials.items():
        alone = len(loaded.trials) == 1
        yield Sample(None if alone else name, Trial(path, Keep(), spans).finish().stated)


def read(folder: Folder, path: str, sample_id: str | None, keep: Keep) -> Source:
    """Read one trial; without a name, all trials of the file as one."""
    loaded = load(folder, path)
    if sample_id is None:
        spans = [span for own in loaded.trials.values() for span in own]
    else:
        spans = loaded.trials.get(sample_id, [])
    source = Trial(path, keep, spans).finish()
    source.problems = [*loaded.problems, *source.problems]
    if not spans and not loaded.problems:
        what = "span of an agent" if sample_id is None else f"trial {sample_id!r}"
        kind_of_loss = "not_a_transcript" if sample_id is None else "unrecognised"
        source.problem(kind_of_loss, f"no {what} in the file")  # type: ignore[arg-type]
    return source


class _Message(msgspec.Struct):
    """A call that a model call's messages hold, with its answer if they hold that too."""

    span: Span
    name: str | None = None
    arguments: Any = None
    result: Any = None
    failed: bool = False
    is_answered: bool = False


class Trial(msgspec.Struct):
    """State of reading one trial."""

    path: str
    keep: Keep
    spans: list[Span]
    source: Source = field(default_factory=lambda: Source("", "transcript", "otel"))
    by_id: dict[str, Span] = field(default_factory=dict)
    agents: dict[str, tuple[str | None, str | None] | None] = field(default_factory=dict)
    """What `subagent` found, by the span around."""
    masked: int = 0
    """Calls whose arguments are a text that says nothing."""
    said: dict[str, _Message] = field(default_factory=dict)
    """Calls in messages of model calls, by their ids."""

    def finish(self) -> Source:
        """Read all spans in the order of their times."""
        source = self.source
        source.file = self.path
        source.is_main_log = True
        source.parsed = bool(self.spans)
        log = Log(source, self.keep)
        self.by_id = {span.id: span for span in self.spans if span.id}
        in_order = sorted(enumerate(self.spans), key=lambda p: (p[1].started or 0.0, p[0]))
        ordered = without_doubles([span for _, span in in_order])
        # An agent's span repeats what its model calls hold, which say better when.
        for span in sorted(ordered, key=lambda one: one.operation == "invoke_agent"):
            self.messages(span)
        tools = [span for span in ordered if span.operation == "execute_tool"]
        # A call of a span without an id may be any call of the messages; it counts once.
        known = {span.text(CALL_ID) for span in tools}
        rest = {} if None in known else {k: v for k, v in self.said.items() if k not in known}
        asked_by: dict[int, list[str]] = {}
        for call_id, said in rest.items():
            asked_by.setdefault(id(said.span), []).append(call_id)
        for span in ordered:
            if span.operation == "execute_tool":
                self.tool(span, log)
            elif span.operation == "chat" and not self.inside(span, "chat"):
                self.model_call(span)
            for call_id in asked_by.get(id(span), ()):
                self.said_call(call_id, rest[call_id], log)
        self.totals(ordered)
        log.finish(has_lines=False)
        self.say_unanswered()
        return source

    # --- spans ---

    def parents(self, span: Span) -> Iterator[Span]:
        """The spans around a span, innermost first."""
        seen = 0
        while (above := self.by_id.get(span.parent)) is not None and seen < MAX_PARENTS:
            if above is span:
                return
            yield above
            span = above
            seen += 1

    def inside(self, span: Span, operation: str) -> bool:
        return any(above.operation == operation for above in self.parents(span))

    def subagent(self, span: Span) -> tuple[str | None, str | None] | None:
        """The agent inside another one that a span belongs to, and the call that started it.

        Libraries may write one agent as two spans, one in the other, with the same name.
        """
        if span.parent not in self.agents:
            self.agents[span.parent] = self.agent_above(span)
        return self.agents[span.parent]

    def agent_above(self, span: Span) -> tuple[str | None, str | None] | None:
        agents: list[tuple[str, Span]] = []
        started_by: str | None = None
        for above in self.parents(span):
            if above.operation == "invoke_agent":
                name = above.text(AGENT) or above.name
                if agents and agents[-1][0] == name and started_by is None:
                    agents[-1] = name, above
                else:
                    agents.append((name, above))
            elif above.operation == "execute_tool" and len(agents) == 1 and started_by is None:
                started_by = above.text(CALL_ID) or above.id
        if len(agents) < 2 and not (agents and started_by):
            return None
        return agents[0][0], started_by

    def tool(self, span: Span, log: Log) -> None:
        source = self.source
        call_id = span.text(CALL_ID)
        said = self.said.get(call_id or "")
        name = span.text(TOOL_OF_ENTITY) or (said.name if said else None)
        name = name or span.name.removeprefix("execute_tool").strip() or None
        given = span.first(ARGUMENTS)
        if given is None and said is not None:
            given = said.arguments
        if given is None:
            given = _given_in(span)
        arguments = _arguments(given)
        if arguments is None and isinstance(given, str):  # masked: `[REDACTED]`
            arguments = {}
            self.masked += 1
        source.saw(span.started)
        if name is None or arguments is None:
            what = "name" if name is None else "arguments"
            log.unusable(f"a call whose {what} cannot be used", place=f"span {span.id}")
            return
        server = span.text(_SERVER) or server_in_name(name)
        call = log.call(name, arguments, call_id or span.id or None, server, span.started)
        call.step_id = span.id or None
        self.place(call, span)
        result = span.first(RESULT)
        if result is None:
            result = _result_in(span)
        failed = span.failed
        if result is None and any(span.attributes.get(key) == "" for key in RESULT):
            result = ""  # it printed nothing
        if result is None and said is not None and said.is_answered:
            result, failed = said.result, failed or said.failed
        if result is not None:
            text, data = shown(result)
            log.answer(call, text, failed, data)
            call.answered_at = span.ended
        elif failed:
            words = span.text(_ERROR) or ""
            log.answer(call, words, True)
            call.answered_at = span.ended

    def place(self, call: RawCall, span: Span) -> None:
        inner = self.subagent(span)
        if inner is not None:
            call.is_subagent = True
            call.agent, call.spawned_by = inner

    def model_call(self, span: Span) -> None:
        source = self.source
        source.saw(span.started)
        inner = self.subagent(span)
        key = span.id or f"{span.started}-{len(source.ledger.order)}"
        agent = inner[1] if inner is not None else None
        source.ledger.add(key, counts_of(span), subagent=inner is not None, agent=agent)
        if source.model is None and inner is None:
            source.model = span.text(MODEL)

    # --- messages of model calls ---

    def messages(self, span: Span) -> None:
        """Note the calls and answers in the messages of a model call."""
        if span.operation not in ("chat", "invoke_agent", MESSAGE):
            return
        for attributes in (span.attributes, *(event for _, event in span.events)):
            for key in _MESSAGES:
                for message in as_items(decoded(attributes.get(key))):
                    self.message(as_mapping(message), span)
        for message in flat_messages(span.attributes):
            self.message(message, span)
        for name, attributes in span.events:
            if name in ("gen_ai.tool.message", "gen_ai.choice", "gen_ai.assistant.message"):
                body = decoded(attributes.get("body") or attributes.get("message") or attributes)
                self.message(as_mapping(body), span, is_event=True)

    def message(self, message: Mapping[str, Any], span: Span, *, is_event: bool = False) -> None:
        parts = [*map(as_mapping, as_items(decoded(message.get("parts", message.get("content")))))]
        has_answer = False
        for part in parts:
            kind = part.get("type")
            if kind in ("tool_call", "tool_use", "function_call", "tool-call"):
                self.asked(part, span)
            elif kind in ("tool_call_response", "tool_result", "tool-result"):
                self.answered(part, span)
                has_answer = True
        inner = as_mapping(message.get("message")) or message
        for call in map(as_mapping, as_items(decoded(inner.get("tool_calls")))):
            self.asked({**call, **as_mapping(call.get("function"))}, span)
        if "toolCallId" in message and "toolName" in message:
            self.asked(message, span)
        is_answer = message.get("role") == "tool" or (is_event and "id" in message)
        if is_answer and "tool_calls" not in message and not has_answer:
            self.answered(message, span)

    def asked(self, part: Mapping[str, Any], span: Span) -> None:
        call_id = as_text(part.get("id")) or as_text(part.get("toolCallId"))
        if call_id is None:
            return
        known = self.said.get(call_id)
        name = as_text(part.get("name")) or as_text(part.get("toolName"))
        given = next((part[k] for k in ("arguments", "input", "args") if k in part), None)
        if known is None:
            self.said[call_id] = _Message(span, name, given)
        elif known.name is None:
            known.name, known.arguments = name, given

    def answered(self, part: Mapping[str, Any], span: Span) -> None:
        keys = ("id", "tool_call_id", "tool_use_id", "toolCallId")
        call_id = next((found for key in keys if (found := as_text(part.get(key)))), None)
        values = ("response", "result", "content", "output")
        value = next((part[key] for key in values if part.get(key) is not None), None)
        if call_id is None or value is None:
            return
        known = self.said.setdefault(call_id, _Message(span))
        if not known.is_answered:
            known.result, known.is_answered = value, True
            known.failed = part.get("is_error") is True or part.get("isError") is True

    def said_call(self, call_id: str, said: _Message, log: Log) -> None:
        """Add a call that only messages hold."""
        arguments = _arguments(said.arguments)
        if said.name is None:
            log.orphan(None)
            return
        if arguments is None:
            log.unusable("a call whose arguments cannot be used", place=f"span {said.span.id}")
            return
        call = log.call(said.name, arguments, call_id, server_in_name(said.name), said.span.ended)
        self.place(call, said.span)
        if said.is_answered:
            text, data = shown(said.result)
            log.answer(call, text, said.failed, data)

    # --- end ---

    def totals(self, ordered: list[Span]) -> None:
        source = self.source
        resource: Mapping[str, Any] = next((s.resource for s in ordered if s.resource), {})
        source.harness = as_text(resource.get("service.name"))
        if source.harness is not None and source.harness.startswith("unknown_service"):
            source.harness = None
        version = resource.get("service.version")
        source.harness_version = as_text(version)
        source.cwd = as_text(resource.get("process.working_directory"))
        if source.model is None:
            agents = (span.text(MODEL) for span in ordered if span.operation == "invoke_agent")
            source.model = next((model for model in agents if model), None)
        source.usage = source.totals("spans of model calls")
        source.stated = Stated(
            model=source.model, harness=source.harness, harness_version=source.harness_version
        )

    def say_unanswered(self) -> None:
        """Say how many calls have no result, which is the usual case, or no arguments."""
        calls = self.source.calls
        if self.masked:
            reason = f"arguments of {plural(self.masked, 'call')} are not JSON, as masked ones are"
            self.source.problem("arguments_lost", reason)
        missing = sum(call.result is None for call in calls)
        if missing:
            reason = (
                f"{missing} of {len(calls)} calls have no result: the export did not capture "
                "content, so what these calls showed is unknown"
            )
            self.source.problem("result_not_captured", reason)


def _arguments(value: Any) -> dict[str, Any] | None:
    """Arguments of a call, which may be JSON in a text, also twice, or what a function was given."""
    found = decoded(value)
    if isinstance(found, dict) and set(found) == {"arguments"}:
        found = decoded(found["arguments"])
    if isinstance(found, dict) and isinstance(found.get("kwargs"), dict):
        # OpenLLMetry: `{"args": […], "kwargs": {…}}`, or `inputs` beside members of a framework.
        inner = decoded(found.get("inputs", found["kwargs"]))
        if isinstance(inner, dict) and not found.get("args"):
            found = inner
    return as_arguments(found)


def _given_in(span: Span) -> Any:
    """The arguments of a call that are a message of its span: Strands writes what a tool is given
    so, and its answer as a choice."""
    names = [name for name, _ in span.events]
    if "gen_ai.tool.message" in names and "gen_ai.choice" in names:
        return span.events[names.index("gen_ai.tool.message")][1].get("content")
    own = {key: span.attributes[key] for key in ("file_path",) if key in span.attributes}
    if "full_command" in span.attributes:  # of Claude Code's spans
        own["command"] = span.attributes["full_command"]
    return own or None


def _result_in(span: Span) -> Any:
    """The result of a call in an event of its span."""
    choice = next((given for name, given in span.events if name == "gen_ai.choice"), None)
    if choice is not None and choice.get("message") is not None:
        return choice["message"]
    for name, attributes in span.events:
        found = next((attributes[key] for key in RESULT if key in attributes), None)
        if found is None and name in _ANSWERS:
            found = attributes.get("content", attributes.get("body"))
        if found is not None:
            return found
    return None


_ANSWERS = ("gen_ai.tool.message", "gen_ai.tool.result", "tool_result")
