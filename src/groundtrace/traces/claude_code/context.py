"""Where Claude Code changed what its model still sees.

The stream and session logs have `compact_boundary` lines; older session logs have only the summary
that follows (`isCompactSummary`). `microcompact_boundary` says that old answers were removed, but
not which ones.
"""

from __future__ import annotations

from groundtrace.base.values import as_mapping
from groundtrace.model import ContextMark
from groundtrace.traces.claude_code.lines import Line

_PART_KEPT = ("preservedSegment", "preserved_segment", "preservedMessages", "preserved_messages")
"""Members of a boundary's metadata which say that some messages are kept beside the summary."""


def context_mark(line: Line) -> ContextMark | None:
    """What a line says about the context; None for nearly all lines."""
    if line.type == "system" and line.subtype == "compact_boundary":
        told = as_mapping(line.compact_metadata) or as_mapping(line.compact_metadata_session)
        return ContextMark("compaction", drops_all=not any(told.get(name) for name in _PART_KEPT))
    if line.type == "system" and line.subtype == "microcompact_boundary":
        return ContextMark("truncation", drops_all=False)
    if line.is_compact_summary is True:
        return ContextMark("compaction", drops_all=True)
    return None
