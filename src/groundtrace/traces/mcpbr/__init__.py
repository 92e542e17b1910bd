"""mcpbr's logs: the same tasks with an MCP server and without it.

records.py  a log as a type
trace.py    one log as a source; its events are Claude Code's
"""
