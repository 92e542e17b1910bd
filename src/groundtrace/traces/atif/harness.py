"""Which harness wrote a trajectory, and the dialect that it writes."""

from __future__ import annotations

from groundtrace.base.values import as_mapping, as_text
from groundtrace.traces.atif.dialect import Dialect
from groundtrace.traces.atif.steps import Loaded, Step
from groundtrace.traces.claude_code.dialect import CLAUDE_CODE
from groundtrace.traces.openhands.dialect import OPENHANDS

DIALECTS: tuple[Dialect, ...] = (OPENHANDS, CLAUDE_CODE)
"""Harnesses whose trajectories need special treatment."""

PLAIN = Dialect()

SPAWNERS = frozenset[str]().union(*(dialect.spawners for dialect in DIALECTS))
"""Tools that start a subagent, of every dialect: the harness's name may be lost by damage."""


def harness_of(loaded: Loaded) -> str:
    """The harness's name in lower case; if damaged, known by its tools; empty if unknown."""
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
    """The dialect of a trajectory; the default one if the harness is unknown."""
    name = harness_of(loaded)
    return next((dialect for dialect in DIALECTS if dialect.is_of(name)), PLAIN)
