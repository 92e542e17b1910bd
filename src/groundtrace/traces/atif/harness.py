"""Which harness wrote a trajectory, and the dialect that it writes."""

from __future__ import annotations

from groundtrace.traces.atif.dialect import Dialect
from groundtrace.traces.atif.steps import Loaded, Step
from groundtrace.traces.claude_code.dialect import CLAUDE_CODE
from groundtrace.traces.openhands.dialect import OPENHANDS
from groundtrace.values import as_mapping, as_text

DIALECTS: tuple[Dialect, ...] = (OPENHANDS, CLAUDE_CODE)
"""Harnesses whose trajectories have ways of their own."""

PLAIN = Dialect()

SPAWNERS = frozenset[str]().union(*(dialect.spawners for dialect in DIALECTS))
"""Tools that start a subagent, of every dialect: damage may have taken the harness's name."""


def harness_of(loaded: Loaded) -> str:
    """The harness's name in lower case; by its tools where damage took the name; else empty."""
    name = as_text(as_mapping(loaded.agent).get("name"))
    if name is not None:
        return name.lower()
    tools = {
        call.get("function_name")
        for step in loaded.steps
        if isinstance(step, Step) and isinstance(step.tool_calls, list)
        for call in step.tool_calls
        if isinstance(call, dict) and isinstance(call.get("function_name"), str)
    }
    return next((dialect.harness for dialect in DIALECTS if tools & dialect.tools), "")


def dialect_of(loaded: Loaded) -> Dialect:
    """The dialect of a trajectory; that of no harness in particular where none is known."""
    name = harness_of(loaded)
    return next((dialect for dialect in DIALECTS if dialect.is_of(name)), PLAIN)
