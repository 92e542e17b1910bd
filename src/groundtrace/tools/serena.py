"""Serena's tools that count lines from zero: opened files and bodies of symbols.

The generic reader does everything else.
"""

from __future__ import annotations

from msgspec.structs import replace

from groundtrace.answers.words import plain
from groundtrace.base.values import as_texts
from groundtrace.model import FileRef, ToolCall
from groundtrace.tools.findings import Findings
from groundtrace.tools.generic import generic_reader
from groundtrace.tools.table import ToolEntry


def read_file(call: ToolCall, entry: ToolEntry, cwd: str | None) -> Findings:
    """A file that was opened; `start_line` and `end_line` count from zero."""
    shifted = {
        key: value + 1 if plain(key) in ("startline", "endline") and type(value) is int else value
        for key, value in call.arguments.items()
    }
    return generic_reader(replace(call, arguments=shifted), entry, cwd)


def symbol(call: ToolCall, entry: ToolEntry, cwd: str | None) -> Findings:
    """Symbols with their bodies; `body_location` counts from zero, printed numbers do not."""
    found = generic_reader(call, entry, cwd)
    text = call.result.text if call.result is not None else ""
    if '"body_location"' in text:
        found = replace(found, refs=tuple(_from_one(ref) for ref in found.refs))
    asked = as_texts(call.arguments.get("name_path")) or as_texts(
        call.arguments.get("name_path_pattern")
    )
    return replace(found, symbols=asked)


def _from_one(ref: FileRef) -> FileRef:
    if ref.line_start is None or ref.line_end is None:
        return ref
    return replace(ref, line_start=ref.line_start + 1, line_end=ref.line_end + 1)
