"""Refusals: what harnesses and tools say instead of an answer, and what they add behind one."""

from __future__ import annotations

import re

from groundtrace.base.patterns import regex
from groundtrace.model import ToolResult

_REFUSED = regex(
    r"""\s*(?:Error:\s*)?(?:
      <tool_use_error> | InputValidationError | MCP\ error\ | EISDIR | ENOENT | EACCES
    | File\ does\ not\ exist | Path\ does\ not\ exist | Directory\ does\ not\ exist
    | No\ such\ file\ or\ directory | No\ such\ tool\ available | Tool\ .{1,80}\ not\ found
    | File\ content\ \([\d.,]++\s?+[\w ]*+\)\ exceeds | File\ is\ too\ large
    | File\ unchanged\ since\ last\ read
    | Cancelled:\ parallel | Sibling\ tool\ call\ errored
    | The\ user\ doesn't\ want\ to\ | Claude\ requested\ permissions\ | Permission\ to\ use\b
    | Request\ interrupted\ by\ user | \[Request\ interrupted
    | Permission\ denied | This\ tool\ cannot\ read | Cannot\ read\b
    | apply_patch\ verification\ failed
    )
    | \s*+(?:Error|ERROR):\ [^\n]{1,2000}+\s*+\Z""",
    re.VERBOSE,
)
"""How a refusal begins if the harness did not mark it as an error (results of subagents)."""


def is_refusal(text: str) -> bool:
    """Whether the text is a refusal by a harness or a tool, and not the tool's output."""
    return _REFUSED.match(text) is not None


def shown_text(result: ToolResult | None) -> str:
    """The tool's own text, without the reminders that the harness appends."""
    if result is None:
        return ""
    text = result.text
    kept = len(text)
    while True:
        end = kept
        while end and text[end - 1].isspace():
            end -= 1
        if not text.endswith("</system-reminder>", 0, end):
            return text[:kept]
        start = text.rfind("<system-reminder>", 0, end)
        if start < 0:
            return text[:kept]
        kept = start
