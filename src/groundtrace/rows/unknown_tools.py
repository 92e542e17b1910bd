"""Calls of tools that the tool table does not know, and of MCP servers that do not count as MCP:
their counts in a trial, and the texts about them for terminal and reports (D48).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping

import msgspec
from msgspec import UNSET

from groundtrace.base.mcp import server_in_name
from groundtrace.base.visible import shell_word, visible
from groundtrace.documents.events import Event, EventsDocument
from groundtrace.redact import mask_name

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
    # A part of a name that holds no credential could be one.
    return {mask_name(server): count for server, count in sorted(servers.items())}


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


# --- texts --------------------------------------------------------------------------------


LISTED = 10
"""Most tools that the terminal names and the block of settings declares."""

Calls = Mapping[str, Mapping[str, int]]
"""Raw name of a tool to its calls, as `rows.unknown_tools` counts them."""


class UnknownTool(msgspec.Struct, frozen=True):
    """One unknown tool and how its calls were read."""

    name: str
    calls: int
    read: int
    """Calls in which files were found by the shape of arguments and answer."""
    failed: int
    """Calls that failed, found nothing or have no answer."""
    unread: int
    """Calls that nothing is known about."""
    category: str
    """What most of the calls did; `other` if none could be read."""


def unknown_tools(calls: Calls) -> list[UnknownTool]:
    """All unknown tools, those with the most calls first."""
    found = []
    for name, counts in calls.items():
        read = {kind: n for kind, n in counts.items() if kind not in (FAILED, UNREAD)}
        category = max(sorted(read), key=lambda kind: read[kind]) if read else "other"
        failed, unread = counts.get(FAILED, 0), counts.get(UNREAD, 0)
        total = sum(counts.values())
        found.append(UnknownTool(name, total, sum(read.values()), failed, unread, category))
    return sorted(found, key=lambda tool: (-tool.calls, tool.name))


def what_was_read(tools: list[UnknownTool]) -> str:
    """One sentence: how many calls there were, and how they were read."""
    calls, read = sum(tool.calls for tool in tools), sum(tool.read for tool in tools)
    failed, unread = sum(tool.failed for tool in tools), sum(tool.unread for tool in tools)
    return (
        f"{_plural(calls, 'call')} of {_plural(len(tools), 'tool')} that the tool table does "
        f"not know: {read} read by guess from arguments and result, {failed} failed, empty or "
        f"without a result, {unread} not read at all."
    )


def what_it_means(tools: list[UnknownTool]) -> str:
    """Whether recall is a lower bound."""
    unread = sum(tool.unread for tool in tools)
    if not unread:
        return (
            "Every result could be read, so no file is missing because of them; declare the "
            "tools to be sure of their categories."
        )
    return (
        f"Recall is a lower bound: files that the {_plural(unread, 'call')} not read at all may "
        "have shown are missing."
    )


def settings_block(tools: list[UnknownTool]) -> str:
    """Settings that declare the tools, to paste into groundtrace.toml and correct."""
    parts = []
    for tool in tools[:LISTED]:
        server = server_in_name(tool.name)
        short = tool.name if server is None else tool.name.removeprefix(f"mcp__{server}__")
        name = short if server is None else f"{server}.{short}"
        lines = [f"[tools.{_quoted(name)}]"]
        if server is not None:
            lines.append(f"server = {_quoted(server)}")
        lines.append(f'category = "{tool.category}"')
        if tool.read:
            lines.append('reads = "generic"')
        else:
            lines[-1] += "  # shows no files; otherwise give its category and reads"
        parts.append("\n".join(lines))
    return "\n\n".join(parts)


def about_servers(
    servers: Mapping[str, int], shown: Callable[[str], str] = visible
) -> tuple[str, ...]:
    """The flag that would count the calls of other MCP servers; empty if there are none.

    In parts: `shown` makes text from a trace safe for the terminal or for a report.
    """
    if not servers:
        return ()
    named = [(shown(name), f" ({_plural(n, 'call')})", ", ") for name, n in servers.items()]
    flags = " ".join(f"--mcp-server {shell_word(name)}" for name in servers)
    rest = " counts them. Name all other servers that should count too."
    *parts, _ = (part for one in named for part in one)
    return ("Not counted as MCP calls: ", *parts, ". ", shown(flags), rest)


def unknown_tools_text(calls: Calls, servers: Mapping[str, int]) -> str:
    """All these texts for the terminal; empty if every tool is known and every server counts."""
    tools = unknown_tools(calls)
    lines = []
    if tools:
        lines.append(f"unknown tools: {what_was_read(tools)}")
        lines += [
            f"  {visible(tool.name)}: {_plural(tool.calls, 'call')}, {tool.read} read ({tool.category}), "
            f"{tool.failed} failed, {tool.unread} not read"
            for tool in tools[:LISTED]
        ]
        if len(tools) > LISTED:
            lines.append(f"  and {len(tools) - LISTED} more tools")
        lines += [what_it_means(tools), "To declare them, add to groundtrace.toml:", ""]
        lines += [settings_block(tools), ""]
    note = "".join(about_servers(servers))
    return "\n".join([*lines, note] if note else lines).rstrip("\n")


def _quoted(text: str) -> str:
    import json  # see `base.jsonio`

    return json.dumps(text)


def _plural(number: int, word: str) -> str:
    return f"{number} {word}" if number == 1 else f"{number} {word}s"
