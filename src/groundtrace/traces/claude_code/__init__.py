"""Claude Code: the stream that it prints, and its session logs.

reader.py   where the files are, and how they are recognised
records.py  a line as types: context, results, tokens, and the intact parts of a damaged line
trace.py    one file, line by line
kin.py      which files are logs of a session's subagents
dialect.py  what is special in its trajectories
"""

from __future__ import annotations

from groundtrace.traces.claude_code.reader import ClaudeCodeReader

__all__ = ["ClaudeCodeReader"]
