"""The context that an agent states at the end, if a variant of the harness asks for it.

ContextBench's variant asks for a block with the code that the patch is based on:

    <PATCH_CONTEXT>
    File: /repo/src/app.py
    Lines: 10-20
    </PATCH_CONTEXT>
"""

from __future__ import annotations

from collections.abc import Iterator

from groundtrace.model import StatedLines

OPENS, CLOSES = "<PATCH_CONTEXT>", "</PATCH_CONTEXT>"

_DIGITS = 9
"""A number with more digits is not a line number."""


def stated_context(text: str) -> tuple[StatedLines, ...]:
    """The files and lines of the last block in a reply; empty if there is none."""
    found: tuple[StatedLines, ...] = ()
    for part in text.split(OPENS)[1:]:
        block, closed, _ = part.partition(CLOSES)
        lines = tuple(_entries(block)) if closed else ()
        found = lines or found
    return found


def _entries(block: str) -> Iterator[StatedLines]:
    path = ""
    for line in block.splitlines():
        name, _, value = line.strip().partition(":")
        if name == "File":
            path = value.strip()
        elif name == "Lines" and path:
            first, _, last = (part.strip() for part in value.partition("-"))
            if _is_line(first) and _is_line(last) and 1 <= int(first) <= int(last):
                yield StatedLines(path, int(first), int(last))


def _is_line(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) <= _DIGITS
