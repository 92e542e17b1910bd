"""What reaches the terminal: results on stdout, progress and messages on stderr.

Text from traces is escaped, so that no trace can move the cursor or colour the screen.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from groundtrace.visible import visible

if TYPE_CHECKING:
    from groundtrace.documents.summary import RunSummaryDocument

_KEPT = "\n\t"


def escape(text: str) -> str:
    """`text` with control, bidirectional and unpaired characters shown as escapes."""
    return visible(text, keep=_KEPT)


def print_result(text: str) -> None:
    """A result, on stdout."""
    click.echo(escape(text).encode("utf-8", "replace").decode("utf-8"))


def print_message(text: str, *, quiet: bool = False) -> None:
    """A message, on stderr, unless told to be quiet."""
    if not quiet:
        click.echo(escape(text), err=True)


def print_json(value: Any) -> None:
    """A machine-readable result, on stdout."""
    import msgspec

    click.echo(msgspec.json.format(msgspec.json.encode(value), indent=2).decode())


SHOWN_FAILURES = 20
"""Failures that are named; the rest is counted, and outcomes.json names all."""


def say_failures(failed: Sequence[str], *, quiet: bool) -> int:
    """Name what failed; the exit code is 1 when anything did."""
    for line in failed[:SHOWN_FAILURES]:
        print_message(f"failed: {visible(line)}", quiet=quiet)
    if len(failed) > SHOWN_FAILURES:
        print_message(f"and {len(failed) - SHOWN_FAILURES} more", quiet=quiet)
    return 1 if failed else 0


def say_unknown_tools(
    calls: Mapping[str, Mapping[str, int]], servers: Mapping[str, int], *, quiet: bool
) -> None:
    """Say how calls of unknown tools were read, and which MCP servers are not counted as such."""
    if not calls and not servers:
        return
    from groundtrace.summary.unknown_tools import as_text

    print_message(as_text(calls, servers), quiet=quiet)


def say_summary(summary: RunSummaryDocument | None, *, quiet: bool) -> None:
    """The same, for what a summary counts."""
    if summary is not None:
        calls, servers = summary.unknown_tool_calls, summary.servers_not_counted
        say_unknown_tools(calls or {}, servers or {}, quiet=quiet)


def in_columns(headings: list[str], rows: Iterable[Iterable[str]]) -> str:
    """Rows in columns, as plain text that reads well in a terminal and in a file."""
    cells = [headings, *(list(row) for row in rows)]
    widths = [max(len(row[i]) for row in cells) for i in range(len(headings))]
    lines = (
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in cells
    )
    return "\n".join(lines)


class Progress:
    """A bar with rate and time left on a terminal, plain lines elsewhere, nothing when quiet."""

    def __init__(self, what: str, *, show: bool) -> None:
        self.what = what
        self.show = show
        self.done = 0
        self.total = 0
        self._bar: Any = None
        self._task: Any = None
        self._next_line = 0.1

    def __enter__(self) -> Progress:
        if self.show and sys.stderr.isatty():
            self._bar = _bar()
            self._bar.start()
            self._task = self._bar.add_task(self.what, total=None)
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.stop()

    def add_total(self, more: int) -> None:
        """More work was found."""
        self.total += more
        if self._bar is not None:
            self._bar.update(self._task, total=self.total)

    def advance(self, by: int = 1) -> None:
        """Some of it is done."""
        self.done += by
        if self._bar is not None:
            self._bar.update(self._task, completed=self.done)
        elif self.show and self.total >= 200 and self.done / self.total >= self._next_line:
            self._next_line = self.done / self.total + 0.1
            click.echo(f"{self.what}: {self.done:,} of {self.total:,}", err=True)


def _bar() -> Any:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    from groundtrace.cli.rate import RateColumn

    return Bar(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        RateColumn(),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
    )
