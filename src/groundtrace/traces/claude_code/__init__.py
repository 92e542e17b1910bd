"""Claude Code: the stream that it prints, and its session logs.

reader.py       where the files lie, and how they are recognised
transcript.py   one file, line by line
lines.py        the shapes of a line
salvage.py      what is intact in a damaged line
results.py      what a result says of itself
tokens.py       tokens of a message and of the trial
dialect.py      what is its own in a trajectory
"""

from __future__ import annotations

from groundtrace.traces.claude_code.reader import ClaudeCodeReader

__all__ = ["ClaudeCodeReader"]
