"""Shell commands as evidence: which files a command read, searched, listed and wrote (D6, D7)."""

from __future__ import annotations

from dataclasses import dataclass

from groundtrace.config import Settings
from groundtrace.model import FileRef, Problem, ToolResult


@dataclass(frozen=True, slots=True)
class ShellView:
    """What a shell call touched, as its command and its output tell."""

    refs: tuple[FileRef, ...] = ()
    """Files touched, in order of appearance."""
    failed: bool = False
    """The call obtained nothing: refused, cancelled, or nothing was printed that was asked for."""
    repos: tuple[str, ...] = ()
    """Repositories that remote readers in the command name, raw."""
    problems: tuple[Problem, ...] = ()
    """Parts of the command that could not be parsed."""


def shell_refs(
    command: str, result: ToolResult | None, cwd: str | None, settings: Settings
) -> ShellView:
    """The files that `command` touched when it ran in `cwd` and gave `result`."""
    del command, cwd
    return ShellView(failed=result is None or result.is_error or settings.shell == "ignore")
