"""Claude Code: the stream that it prints, and its session logs.

reader.py       where the files are, and how they are recognised
transcript.py   one file, line by line
lines.py        the types of a line
salvage.py      the intact parts of a damaged line
results.py      what a result says about itself
tokens.py       tokens of a message and of the trial
dialect.py      what is special in its trajectories
"""

from __future__ import annotations

from groundtrace.traces.claude_code.reader import ClaudeCodeReader

__all__ = ["ClaudeCodeReader"]
