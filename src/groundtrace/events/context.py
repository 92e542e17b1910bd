"""Where the harness changed what the model still saw, and which answers were gone after that.

A reader marks the call after which it happened. If it happened between calls or before the first
one, the reader states the point in the trace.
"""

from __future__ import annotations

from collections.abc import Sequence

from groundtrace.documents.events import ContextChange
from groundtrace.model import ToolCall, Trace


def context_changes(trace: Trace) -> list[ContextChange]:
    """The changes of a trace, by the points that it states, else by the marks of its calls."""
    if trace.context_changes:
        return [
            ContextChange(
                after_step=point.after,
                kind=point.kind,
                dropped_steps=None if point.dropped is None else list(point.dropped),
            )
            for point in trace.context_changes
        ]
    return [
        ContextChange(
            after_step=step,
            kind=call.context_change.kind,
            dropped_steps=_same_thread(trace.calls, step)
            if call.context_change.drops_all
            else None,
        )
        for step, call in enumerate(trace.calls)
        if call.context_change is not None
    ]


def _same_thread(calls: Sequence[ToolCall], last: int) -> list[int]:
    """Steps so far of the thread in which the change happened; other threads keep their answers."""
    thread = (calls[last].is_subagent, calls[last].agent)
    return [
        step
        for step, call in enumerate(calls[: last + 1])
        if (call.is_subagent, call.agent) == thread
    ]
