"""A line of Cursor's JSONL as a type; members may have any type."""

from __future__ import annotations

from typing import Any

import msgspec


class Line(msgspec.Struct):
    """One event; only what is needed has a field."""

    type: Any = None
    subtype: Any = None
    call_id: Any = None
    tool_call: Any = None
    timestamp_ms: Any = None
    timestamp: Any = None
    cwd: Any = None
    model: Any = None
    usage: Any = None
    version: Any = None


_FIELDS = Line.__struct_fields__

decode_line = msgspec.json.Decoder(Line).decode
"""The event of a clean line; for any other line raises the errors of msgspec."""


def fit_line(value: dict[str, Any]) -> Line:
    """A decoded object as a line, with members of any type."""
    return Line(**{key: value[key] for key in _FIELDS if key in value})
