"""What all attempts at an instance cost.

An evaluation with retries writes each round to `output.critic_attempt_N.jsonl`, and the chosen
attempts to `output.jsonl`. The rows of `output.jsonl` state only their own cost.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from groundtrace.base.patterns import regex
from groundtrace.base.values import as_amount, as_mapping
from groundtrace.storage import Folder
from groundtrace.traces.kit.rows import read_raw_rows

OUTPUT = "output.jsonl"
ATTEMPT = regex(r"output\.critic_attempt_\d{1,4}\.jsonl")

Spent = Mapping[str, Sequence[float | None]]
"""Instance to the cost of each attempt; None for an unknown cost."""


class _Row(msgspec.Struct):
    """The members of a row that give its cost; its history is not decoded."""

    instance_id: Any = None
    metrics: Any = None


_INSTANCE = regex(rb'"instance_id"\s{0,9}:\s{0,9}"([^"\\]{1,400})"')
_decoder = msgspec.json.Decoder(_Row)
_last: list[tuple[tuple[str, ...], Spent]] = []
"""The costs of the last requested folder: all its rows need the same costs."""


def spent_on(folder: Folder, path: str) -> Spent:
    """What each attempt cost, for the rows of `output.jsonl`; empty for any other file."""
    if path != OUTPUT:
        return {}
    entries = [e for e in folder.entries() if e.kind == "file" and ATTEMPT.fullmatch(e.name)]
    if not entries:
        return {}
    marks = [f"{e.name} {e.mark}" for entry in entries if (e := folder.stat(entry.name))]
    key = (folder.url, *marks)
    if not _last or _last[0][0] != key:
        _last[:] = [(key, _read(folder, [entry.name for entry in entries]))]
    return _last[0][1]


def _read(folder: Folder, names: Sequence[str]) -> Spent:
    found: dict[str, list[float | None]] = {}
    for name in names:
        for row in read_raw_rows(folder, name):
            try:
                value = _decoder.decode(row.data)
            except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError):
                # A row that is cut off was paid for too, but its cost is unknown.
                if (named := _INSTANCE.search(row.data)) is not None:
                    name_of = named[1].decode(errors="replace")
                    found.setdefault(name_of, []).append(None)
                continue
            if isinstance(value.instance_id, str):
                cost = as_amount(as_mapping(value.metrics).get("accumulated_cost")) or None
                found.setdefault(value.instance_id, []).append(cost)
    return found
