"""Where the harness changed what the model still saw, and which answers were gone after it.

A reader marks the call after which it happened or, where it happened between calls or before the
first one, states the point in the trace.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from groundtrace.documents.events import ContextChange, EventsDocument
from groundtrace.model import ToolCall, Trace


def context_changes(calls: Sequence[ToolCall]) -> list[ContextChange]:
    """Changes that calls are marked with; each drops answers of the thread in which it happened."""
    return [
        ContextChange(
            after_step=step,
            kind=call.context_change.kind,
            dropped_steps=_same_thread(calls, step) if call.context_change.drops_all else None,
        )
        for step, call in enumerate(calls)
        if call.context_change is not None
    ]


def with_context_changes(document: EventsDocument, trace: Trace) -> EventsDocument:
    """The document with the changes that the trace states; as it is where it states none."""
    if not trace.context_changes:
        return document
    changes = [
        ContextChange(
            after_step=point.after,
            kind=point.kind,
            dropped_steps=None if point.dropped is None else list(point.dropped),
        )
        for point in trace.context_changes
    ]
    return replace(document, context_changes=changes)


def _same_thread(calls: Sequence[ToolCall], last: int) -> list[int]:
    thread = (calls[last].is_subagent, calls[last].agent)
    return [
        step
        for step, call in enumerate(calls[: last + 1])
        if (call.is_subagent, call.agent) == thread
    ]
