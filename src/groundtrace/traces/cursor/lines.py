"""A line of Cursor's JSONL as a type.

Only what is needed has a field. The line of a completed call repeats the arguments, so they are not
decoded until they are needed. A line of any other form is decoded completely and fitted into the
same types.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

import msgspec

from groundtrace.base import jsonio
from groundtrace.base.values import as_mapping

NOTHING = msgspec.Raw(b"null")


class Body(msgspec.Struct, frozen=True, gc=False):
    """What a line says about a call, without the kind of tool."""

    args: msgspec.Raw = NOTHING
    """Bytes, or the value if the line was fitted: see `value_of`."""
    result: Any = None
    # The next ones are for a kind of tool that is called `function`.
    name: Any = None
    arguments: Any = None


class Line(msgspec.Struct, frozen=True, gc=False):
    """One event."""

    type: Any = None
    subtype: Any = None
    call_id: Any = None
    tool_call: dict[str, Body] | None = None
    """The kind of tool, which is nearly always the only key."""
    timestamp_ms: Any = None
    timestamp: Any = None
    cwd: Any = None
    model: Any = None
    usage: Any = None
    version: Any = None


_FIELDS = tuple(name for name in Line.__struct_fields__ if name != "tool_call")

decode_line = msgspec.json.Decoder(Line).decode
"""The event of a line of the usual form; for any other line raises the errors of msgspec."""


def fit_line(value: dict[str, Any]) -> Line:
    """A decoded object as a line, with members of any type."""
    members = {key: value[key] for key in _FIELDS if key in value}
    tools = as_mapping(value.get("tool_call"))
    calls = {key: _fit_body(item) for key, item in tools.items() if isinstance(item, dict)}
    return Line(tool_call=calls, **members)


def _fit_body(value: Mapping[str, Any]) -> Body:
    args = cast(msgspec.Raw, value.get("args"))
    return Body(args, value.get("result"), value.get("name"), value.get("arguments"))


def value_of(value: Any) -> Any:
    """The value of a member that may still be bytes."""
    return jsonio.loads(bytes(value)) if isinstance(value, msgspec.Raw) else value
