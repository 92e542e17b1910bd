"""Where the harness changed what the model still saw, and which answers were gone after it."""

from __future__ import annotations

from collections.abc import Sequence

from groundtrace.documents.events import ContextChange
from groundtrace.model import ToolCall


def context_changes(calls: Sequence[ToolCall]) -> list[ContextChange]:
    """The changes in order; each drops answers of the thread in which it happened."""
    return [
        ContextChange(
            after_step=step,
            kind=call.context_change.kind,
            dropped_steps=_same_thread(calls, step) if call.context_change.drops_all else None,
        )
        for step, call in enumerate(calls)
        if call.context_change is not None
    ]


def _same_thread(calls: Sequence[ToolCall], last: int) -> list[int]:
    thread = (calls[last].is_subagent, calls[last].agent)
    return [
        step
        for step, call in enumerate(calls[: last + 1])
        if (call.is_subagent, call.agent) == thread
    ]
