"""Which calls of a trial used unknown tools, or MCP servers that do not count as MCP."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from msgspec import UNSET

from groundtrace.base.mcp import server_in_name
from groundtrace.documents.events import Event, EventsDocument

FAILED = "failed"
"""Calls of an unknown tool that failed, found nothing or have no answer."""
UNREAD = "unread"
"""Calls of an unknown tool whose answer could not be read; what they showed is not known."""


def unknown_calls(
    document: EventsDocument, is_known: Callable[[str], bool]
) -> dict[str, dict[str, int]]:
    """Raw name of each unknown tool to counts of its calls, by how they were read: a category if
    files were found in them, else `FAILED` or `UNREAD`."""
    found: dict[str, Counter[str]] = {}
    known: dict[tuple[str, object], bool] = {}
    for event in document.events:
        tool = (event.tool_name, event.mcp_server)
        if tool not in known:
            known[tool] = is_known(_whole_name(event))
        if not known[tool]:
            found.setdefault(event.tool_name, Counter())[_what(event)] += 1
    return {name: dict(sorted(found[name].items())) for name in sorted(found)}


def uncounted_servers(document: EventsDocument) -> dict[str, int]:
    """MCP server whose calls do not count as MCP in the settings, to the number of calls (D3)."""
    servers: dict[str, int] = {}
    for event in document.events:
        if not event.is_mcp and (server := _server(event)) is not None:
            servers[server] = servers.get(server, 0) + 1
    return dict(sorted(servers.items()))


def _what(event: Event) -> str:
    if event.target_files:
        return event.tool_category
    return FAILED if event.failed is not UNSET and event.failed is not False else UNREAD


def _server(event: Event) -> str | None:
    return server_in_name(event.tool_name) if event.mcp_server is UNSET else event.mcp_server


def _whole_name(event: Event) -> str:
    """The tool's name with its server, if the trace states the server separately."""
    server = _server(event)
    if server is None or server_in_name(event.tool_name) is not None:
        return event.tool_name
    return f"mcp__{server}__{event.tool_name}"
