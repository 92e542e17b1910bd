"""Which part of a sample an event belongs to.

Newer logs have spans with ids and parents, and each event names its span. Older logs have steps
that begin and end, and events inside events. Scorers are not part of the agent's work. An agent
that runs inside another agent, or inside a tool, is a subagent.
"""

from __future__ import annotations

import msgspec

from groundtrace.base.frozen import Frozen
from groundtrace.base.values import as_text
from groundtrace.traces.inspect_ai.events import Event

MAX_DEPTH = 100
_SCORERS = ("scorer", "scorers")


class Span(msgspec.Struct):
    """A part of a sample."""

    kind: str | None
    name: str | None
    parent: str | None
    call_id: str | None = None
    """For a span of a tool: id of the call that it runs."""


class Where(Frozen, frozen=True):
    """The place of an event."""

    is_scorer: bool = False
    agent: str | None = None
    """Name of the subagent."""
    spawned_by: str | None = None
    """Id of the call that started it."""


class Spans:
    """The spans of a sample so far."""

    def __init__(self) -> None:
        self._spans: dict[str, Span] = {}
        self._steps: list[Span] = []
        self._last_calls: dict[str, str] = {}
        """Span to the id of its last call."""
        self._known: dict[str | None, Where] = {}
        """The places of events by their spans, until the next span or step begins or ends."""

    def begin(self, event: Event) -> None:
        """Read an event `span_begin`."""
        key = as_text(event.id)
        if key is None:
            return
        parent = as_text(event.parent_id)
        span = Span(as_text(event.type), as_text(event.name), parent)
        if span.kind == "tool" and parent is not None:
            span.call_id = self._last_calls.get(parent)
        self._spans[key] = span
        self._known.clear()

    def step(self, event: Event) -> None:
        """Read an event `step`: the spans of older logs."""
        self._known.clear()
        if event.action == "begin" and len(self._steps) < MAX_DEPTH:
            self._steps.append(Span(as_text(event.type), as_text(event.name), None))
        elif event.action == "end" and self._steps:
            self._steps.pop()

    def called(self, event: Event) -> None:
        """Note a call: if a span of a tool begins after it, that span runs this call."""
        span, call_id = as_text(event.span_id), as_text(event.id)
        if span is not None and call_id is not None:
            self._last_calls[span] = call_id

    def call_of(self, event: Event) -> str | None:
        """The call that an event belongs to."""
        span = self._spans.get(as_text(event.span_id) or "")
        return None if span is None else span.call_id

    def where(self, event: Event) -> Where:
        """The place of an event: a scorer or an agent, and the call that started the agent."""
        key = as_text(event.span_id)
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = self._where(key)
        return known

    def _where(self, key: str | None) -> Where:
        chain = list(self._steps)
        for _ in range(MAX_DEPTH):
            span = self._spans.get(key or "")
            if span is None:
                break
            chain.append(span)
            key = span.parent
        if any(span.kind in _SCORERS for span in chain):
            return Where(is_scorer=True)
        agents = [number for number, span in enumerate(chain) if span.kind == "agent"]
        if not agents:
            return Where()
        first = agents[0]
        outer = chain[first + 1 :]
        tool = next((span for span in outer if span.kind == "tool"), None)
        if tool is None and len(agents) == 1:
            return Where()
        return Where(agent=chain[first].name, spawned_by=None if tool is None else tool.call_id)
