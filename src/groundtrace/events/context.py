"""Where the harness changed what the model still saw, as the document holds it."""

from __future__ import annotations

from msgspec.structs import replace

from groundtrace.documents.events import ContextChange, EventsDocument
from groundtrace.model import Trace


def with_context_changes(document: EventsDocument, trace: Trace) -> EventsDocument:
    """The document with compactions and the like; as it is where the trace shows none."""
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
