"""Calls without an answer in the trace (D47).

Some formats make observations optional, and a trace may end before an answer. The arguments of such
a call say which files it opened or wrote. What a search, a command or an unknown tool found is not
known, and nothing is made up for it.
"""

from __future__ import annotations

from msgspec.structs import replace

from groundtrace.model import AccessKind, FileRef, ToolCall, ToolResult
from groundtrace.tools.findings import Findings
from groundtrace.tools.generic.arguments import asked_of, joined
from groundtrace.tools.readers import CallReader
from groundtrace.tools.table import ToolEntry

_BY_ARGUMENTS = frozenset(
    {"read", "write", "patch", "editor", "sg_read_file", "gh_contents", "gh_write"}
)
"""Readers that take the file from the arguments if an answer shows that the call worked."""
_WORKED = ToolResult(text="(no answer)")
"""A placeholder for the answer of a call that worked; it shows no lines."""


def unanswered(call: ToolCall, entry: ToolEntry, cwd: str | None, reader: CallReader) -> Findings:
    """What a call without an answer touched, as far as its arguments say."""
    asked = asked_of(call.arguments)
    if entry.reads in _BY_ARGUMENTS:
        found = reader(replace(call, result=_WORKED), entry, cwd)
        refs = tuple(_marked(ref) for ref in found.refs)
        return replace(found, refs=refs, failed=not refs)
    if entry.category in ("file_read", "file_write") and entry.reads is not None:
        kind: AccessKind = "read" if entry.category == "file_read" else "written"
        refs = tuple(
            FileRef(
                joined(file.path, "", cwd, asked.repo),
                kind,
                repo=asked.repo,
                rule=f"{entry.short}: file named in the arguments, no result in the trace",
            )
            for file in asked.files
        )
        return Findings(refs, failed=not refs, repos=asked.repos)
    if entry.reads == "grep":
        # Only the arguments say whether it searched text or listed files (D2).
        found = reader(call, entry, cwd)
        return Findings(failed=True, repos=asked.repos, category=found.category)
    return Findings(failed=True, repos=asked.repos)


def _marked(ref: FileRef) -> FileRef:
    """The file without what the placeholder would show of it."""
    rule = f"{ref.rule}; no result in the trace"
    return replace(ref, rule=rule, line_start=None, line_end=None, shown_chars=None, printed=None)
