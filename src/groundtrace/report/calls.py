"""What a call did, in one word. The page uses it to colour calls and to name kinds of calls."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Literal, get_args

from groundtrace.documents.events import Event
from groundtrace.model import AccessKind, Category

Deed = Literal[
    "written", "read", "matched", "surfaced", "failed", "nothing", "shell", "unknown", "other"
]
DEEDS: tuple[Deed, ...] = get_args(Deed)

DEED_WORDS: Mapping[Deed, str] = {
    "written": "wrote a file",
    "read": "opened a file",
    "matched": "a search showed lines",
    "surfaced": "only names came back",
    "failed": "failed or was refused",
    "nothing": "found nothing",
    "shell": "shell, no file seen",
    "unknown": "tool not known",
    "other": "other tool",
}
"""What each colour of a call means."""

WAYS: Mapping[Category, str] = {
    "file_read": "opening a file",
    "file_search": "listing or finding files",
    "symbol_navigation": "symbol navigation",
    "code_search": "code search",
    "commit_search": "commit search",
    "deep_search": "deep search",
    "file_write": "an editing tool",
    "other": "another tool",
}
"""Kinds of calls by the category of their tool."""

_STRONGEST: Sequence[AccessKind] = ("written", "read", "matched", "surfaced")


def is_shell(event: Event) -> bool:
    """Whether the call ran a command line: tools of the category `other` that take a command."""
    return event.tool_category == "other" and "command" in event.arguments


def way_of(event: Event) -> str:
    """The kind of call; calls to MCP servers and local calls are different kinds."""
    way = "a shell command" if is_shell(event) else WAYS[event.tool_category]
    return f"{way}, MCP" if event.is_mcp else way


def strongest_deed(event: Event, kinds: Collection[AccessKind], unknown: Collection[str]) -> Deed:
    """The strongest thing that a call did; `unknown` are tools that are not in the tool table."""
    for kind in _STRONGEST:
        if kind in kinds:
            return kind
    if event.failed is True:
        return "failed"
    if is_shell(event):
        return "shell"
    if event.tool_name in unknown:
        return "unknown"
    return "other" if event.tool_category == "other" else "nothing"
