"""Tools that groundtrace does not know: how their calls were read, and how to declare them (D48)."""

from __future__ import annotations

from msgspec import UNSET

from groundtrace.report import formats
from groundtrace.report.blocks import Name, Section, make_table
from groundtrace.report.data import ReportData
from groundtrace.rows.unknown_tools import (
    LISTED,
    about_servers,
    settings_block,
    unknown_tools,
    what_it_means,
    what_was_read,
)


def unknown_tools_section(data: ReportData) -> Section | None:
    """The section; None if every tool is known and every MCP server counts."""
    summary = data.summary
    calls = {} if summary.unknown_tool_calls is UNSET else summary.unknown_tool_calls
    servers = {} if summary.servers_not_counted is UNSET else summary.servers_not_counted
    tools = unknown_tools(calls)
    note = about_servers(servers, Name)
    if not tools and not note:
        return None
    sentences = [what_was_read(tools), what_it_means(tools)] if tools else []
    rows = [
        [
            Name(tool.name),
            formats.count(tool.calls),
            formats.count(tool.read),
            formats.count(tool.failed),
            formats.count(tool.unread),
            tool.category,
        ]
        for tool in tools[:LISTED]
    ]
    more = len(tools) - LISTED
    table = make_table(
        "Unknown tools",
        ("tool", ">calls", ">read by guess", ">failed or empty", ">not read", "what most did"),
        rows,
        (f"and {more:,} more; run_retrieval_summary.json names all of them.",) if more > 0 else (),
    )
    return Section(
        "unknown-tools",
        "Unknown tools",
        tuple(part for part in (*((one,) for one in sentences), note) if part),
        (table,) if tools else (),
        code=settings_block(tools),
        code_caption="To declare them, add to groundtrace.toml:",
    )
