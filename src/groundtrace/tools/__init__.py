"""What each tool call is and which files it touched (D2-D7).

One entry of the tool table says what a tool is. One function reads its arguments and result. No
module here knows which harness wrote the trace, and nothing raises because of what a trace holds.

Evaluating documents asks only for names of tools. So what reads calls (`views`, with all that is
below it) is imported when there are calls: that was a tenth of `evaluate` on 28 trials.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from groundtrace.config import Settings
from groundtrace.tools.table import ToolEntry, table_for

if TYPE_CHECKING:
    from groundtrace.model import CallView, Trace

__all__ = ["canonical", "check_tools", "is_known_tool", "view_calls"]


def view_calls(trace: Trace, settings: Settings) -> list[CallView]:
    """The view of each call, in the order of the calls."""
    from groundtrace.tools import views

    return views.view_calls(trace, settings)


def is_known_tool(name: str, settings: Settings) -> bool:
    """Whether the tool table has this name; used to find names that the table lacks."""
    return bool(table_for(settings).candidates(name))


def canonical(name: str, server: str | None = None) -> ToolEntry | None:
    """The entry that a raw tool name means, or None for an unknown tool."""
    entries = table_for(Settings()).candidates(name, server)
    return entries[0] if entries else None


def check_tools(settings: Settings) -> None:
    """Raise UsageError if tools or shell commands that the user added are wrong."""
    table_for(settings)
    if settings.shell_commands:
        from groundtrace.shell.programs.table import TABLE, added_programs

        added_programs(settings.shell_commands, TABLE)
