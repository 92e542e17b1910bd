"""mcpbr's logs: the same tasks with an MCP server and without it.

reader.py   where the files are, and how they are recognised
records.py  a log as a type
trace.py    one log as a source; its events are Claude Code's
"""

from __future__ import annotations

from groundtrace.traces.mcpbr.reader import McpbrReader

__all__ = ["McpbrReader"]
