"""What is special in Claude Code's trajectories (D9)."""

from __future__ import annotations

from groundtrace.traces.atif.dialect import Dialect
from groundtrace.traces.claude_code.trace import SPAWNERS

CLAUDE_CODE = Dialect(
    harness="claude-code",
    tools=frozenset({"Bash", "Read", "Grep", "Glob", "Write", "Edit", *SPAWNERS}),
    spawners=SPAWNERS,
    repeats_usage=True,
    output_is_placeholder=True,
)
