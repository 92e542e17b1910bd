"""What a command with its output is said to show, in the forms that the tests compare."""

from __future__ import annotations

from typing import Any

from groundtrace.config import Settings
from groundtrace.model import ToolResult
from groundtrace.shell import ShellView
from groundtrace.shell import shell_refs as refs_of
from groundtrace.traces.kit.frames import printed

Found = list[tuple[str, str, int | None, int | None]]
"""Kind, path, first and last line of each file."""


def shell_refs(
    command: str, result: ToolResult | None, cwd: str | None, settings: Settings, *more: Any
) -> ShellView:
    """What a call shows, from its command and the result in the trace."""
    return refs_of(command, printed(result, command), cwd, settings, *more)


def view(command: str, output: str, **more: Any) -> ShellView:
    """The whole view of a call in `/w`."""
    settings = more.pop("settings", Settings())
    return shell_refs(command, ToolResult(text=output, **more), "/w", settings)


def touched(command: str, output: str, **more: Any) -> Found:
    """The files with absolute paths."""
    found = view(command, output, **more)
    return [(ref.kind, ref.path, ref.line_start, ref.line_end) for ref in found.refs]


def seen(command: str, output: str, cwd: str = "/w") -> Found:
    """The files below `/w`."""
    found = shell_refs(command, ToolResult(output), cwd, Settings())
    return [
        (ref.kind, ref.path.removeprefix("/w/"), ref.line_start, ref.line_end) for ref in found.refs
    ]


def seen_in_repo(command: str, output: str) -> Found:
    """The same for a command in `/w/repo`."""
    return seen(command, output, "/w/repo")


def spans(found: ShellView) -> list[tuple[str, int | None, int | None]]:
    """Paths and lines alone."""
    return [(ref.path, ref.line_start, ref.line_end) for ref in found.refs]
