"""What a writer of sessions is, and how it names tools and arguments."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from benchmarks.sessions.session import Call, Kind, Session

Json = dict[str, Any]
Tools = Mapping[Kind, tuple[str, Mapping[str, Any]]]
"""For each kind of call the tool, and its arguments: the name of a field of `Call`, or another
value that is always the same."""


class Writer(NamedTuple):
    """Writes a session as one harness does."""

    file: str
    """Name of the file."""
    tools: Tools
    write: Callable[[Session], bytes]
    keeps: Callable[[Call], bool] = lambda _: True
    """Whether the format keeps the whole answer of a call as text."""


def asked(tools: Tools, call: Call) -> tuple[str, Json]:
    """The tool of a call and its arguments."""
    name, given = tools[call.kind]
    fields = Call.__dataclass_fields__
    return name, {
        key: getattr(call, value) if isinstance(value, str) and value in fields else value
        for key, value in given.items()
    }


def as_lines(records: Iterable[Any], *, ascii_only: bool = False) -> bytes:
    """Records as compact JSON, one on each line."""
    return b"".join(
        json.dumps(record, ensure_ascii=ascii_only, separators=(",", ":")).encode() + b"\n"
        for record in records
    )


def as_document(value: Any, *, ascii_only: bool = False) -> bytes:
    """A value as indented JSON."""
    return json.dumps(value, indent=2, ensure_ascii=ascii_only).encode()
