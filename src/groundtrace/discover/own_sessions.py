"""What sessions did, where names of files and folders do not say it: the commits that came out of them
(`--tasks git:REPO`) and what they used (`--config-by`).

Both need the calls, so a trace is read once here and once more as a trial.
"""

from __future__ import annotations

import posixpath
from collections.abc import Sequence
from fnmatch import fnmatchcase

from groundtrace.base.frozen import Frozen
from groundtrace.base.patterns import regex
from groundtrace.base.values import model_name
from groundtrace.config import Settings
from groundtrace.model import CallView, ToolCall, Trace
from groundtrace.tools import view_calls
from groundtrace.tools.table import table_for
from groundtrace.truth.own_commits import OwnSession, Write

BY_TOOL = "tool:"


class SessionUse(Frozen, frozen=True):
    """What one session did."""

    own: OwnSession
    harness: str | None
    model: str | None
    branch: str | None
    has_mcp: bool
    """It called a tool of an MCP server."""
    tools: frozenset[str]
    """Tools that it called, under every name, and their servers; in lower case."""


def use_of(trace: Trace, settings: Settings) -> SessionUse:
    """What a session did."""
    table = table_for(settings)
    views = view_calls(trace, settings)
    tools: set[str] = set()
    has_mcp = False
    for call, view in zip(trace.calls, views, strict=True):
        parts = table.take_apart(call.name, call.server)
        has_mcp = has_mcp or parts.mcp or call.server is not None
        tools |= {n.casefold() for n in (call.name, view.tool, parts.server) if n}
    times = [call.timestamp for call in trace.calls if call.timestamp is not None]
    own = OwnSession(
        first=min(times, default=None),
        last=max(times, default=None),
        folders=frozenset(
            folder for folder in (trace.cwd, *(call.cwd for call in trace.calls)) if folder
        ),
        branches=frozenset() if trace.branch is None else frozenset({trace.branch}),
        remote=trace.stated.repo,
        writes=tuple(_writes(trace, views)),
        made=frozenset(sha for call in trace.calls for sha in _printed(call)),
    )
    return SessionUse(
        own,
        trace.harness,
        model_name(trace.model),
        trace.branch,
        has_mcp,
        frozenset(tools),
    )


def _writes(trace: Trace, views: Sequence[CallView]) -> list[Write]:
    """Files that a session wrote, with absolute paths."""
    found = []
    for call, view in zip(trace.calls, views, strict=True):
        for ref in view.refs:
            if ref.kind == "written" and call.timestamp is not None:
                path = posixpath.join(call.cwd or trace.cwd or "", ref.path)
                found.append(Write(posixpath.normpath(path), call.timestamp))
    return found


_COMMITTED = regex(r"^\[\S[^\]\n]{0,200} ([0-9a-f]{7,64})\] ")
"""What git prints when it has made a commit: `[main 1a2b3c4] Four eggs`."""


def _printed(call: ToolCall) -> list[str]:
    """Commits that git says it made in a call."""
    result = call.result
    if result is None or not any("commit" in str(value) for value in call.arguments.values()):
        return []
    found = (_COMMITTED.match(line) for line in result.text.splitlines())
    return [match[1] for match in found if match is not None]


def configuration_by(use: SessionUse, by: str) -> tuple[str, str] | None:
    """The configuration that `--config-by` gives a session; None if the session does not say."""
    where = f"--config-by {by}"
    if by == "mcp" or by.startswith(BY_TOOL):
        name = by.removeprefix(BY_TOOL)
        pattern = name.casefold()
        used = use.has_mcp if by == "mcp" else any(fnmatchcase(t, pattern) for t in use.tools)
        return f"{'with' if used else 'without'}-{name}", where
    value = {"model": use.model, "harness": use.harness, "branch": use.branch}[by]
    return None if value is None else (value, where)
