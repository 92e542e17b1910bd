"""A log as a type: what is around the events, and the events as lines of Claude Code."""

from __future__ import annotations

from typing import Any

import msgspec

from groundtrace.traces.claude_code.records import Line
from groundtrace.traces.kit.fit import NOT_FITTING
from groundtrace.traces.kit.lists import Listed


class McpbrLog(msgspec.Struct, frozen=True, gc=False):
    """One side of one task."""

    events: list[Line]
    instance_id: Any = None
    run_type: Any = None
    model: Any = None


_decode = msgspec.json.Decoder(McpbrLog).decode


def typed(data: bytes) -> Listed | None:
    """A log of the usual form; None for any other, which is then decoded completely."""
    try:
        found = _decode(data)
    except NOT_FITTING:
        return None
    root = {"instance_id": found.instance_id, "run_type": found.run_type, "model": found.model}
    return Listed(iter(found.events), root)
