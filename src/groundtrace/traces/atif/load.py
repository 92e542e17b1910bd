"""From the bytes of a trajectory to its steps, even if the bytes are damaged."""

from __future__ import annotations

import msgspec

from groundtrace.base import jsonio
from groundtrace.traces.atif.salvage import salvage_trajectory
from groundtrace.traces.atif.steps import Loaded, Root, from_root, from_value
from groundtrace.traces.kit.salvage import to_text

_decoder = msgspec.json.Decoder(Root)


def load(data: bytes) -> Loaded:
    """Decode a trajectory; never raises."""
    try:
        root = _decoder.decode(data)
        if root.steps is not None:
            return from_root(root)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        pass
    try:
        value = jsonio.loads(data)
    except jsonio.BadJsonError as error:
        reason = str(error) if error.line is None else f"{error} at line {error.line}"
        return salvage_trajectory(to_text(data), reason)
    return from_value(value)
