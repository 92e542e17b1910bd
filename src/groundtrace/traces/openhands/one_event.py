"""The start of a file of V0 that holds one event: `sessions/<id>/events/12.json`.

It is a module of its own because the reader must not import what reads whole traces.
"""

from __future__ import annotations

from groundtrace.base.patterns import regex

ONE_EVENT = regex(
    rb'\s*\{\s*"id"\s*:\s*\d+\s*,\s*"timestamp"\s*:\s*"[^"]*"\s*,\s*'
    rb'"source"\s*:\s*"(?:agent|user|environment)"'
)
