"""What reaches the terminal: results on stdout, progress and messages on stderr.

Text from traces is escaped, so that no trace can move the cursor or colour the screen. Messages can
end up in logs, so what looks like a credential in them is masked.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from groundtrace.base.visible import escape, visible
from groundtrace.cli import echo
from groundtrace.redact import mask

if TYPE_CHECKING:
    from groundtrace.documents.summary import RunSummaryDocument
    from groundtrace.runs.tally import Normalized


def print_result(text: str) -> None:
    """A result, on stdout."""
    echo(escape(text).encode("utf-8", "replace").decode("utf-8"))


def print_coloured(text: str) -> None:
    """A result whose every name is escaped already, and that may hold colours, on stdout."""
    echo(text.encode("utf-8", "replace").decode("utf-8"), coloured=True)


def print_message(text: str, *, quiet: bool = False) -> None:
    """A message, on stderr, unless `quiet` is set."""
    if not quiet:
        echo(escape(mask(text)), err=True)


def print_json(value: Any) -> None:
    """A machine-readable result, on stdout."""
    import msgspec

    from groundtrace.documents.masked import masked_data

    echo(msgspec.json.format(msgspec.json.encode(masked_data(value)), indent=2).decode())


SHOWN_FAILURES = 20
"""Failures that are named; the others are only counted. outcomes.json names all."""


def say_failures(failed: Sequence[str], *, quiet: bool, everything: bool = False) -> int:
    """Name what failed, and return exit code 1 if anything did. `everything`: name all failures."""
    shown = len(failed) if everything else SHOWN_FAILURES
    for line in failed[:shown]:
        print_message(f"failed: {visible(line)}", quiet=quiet)
    if len(failed) > shown:
        print_message(f"failed: and {len(failed) - shown:,} more; -v lists all", quiet=quiet)
    return 1 if failed else 0


def say_unknown_tools(
    calls: Mapping[str, Mapping[str, int]], servers: Mapping[str, int], *, quiet: bool
) -> None:
    """Say how calls of unknown tools were read, and which MCP servers are not counted as such."""
    if quiet or not (calls or servers):
        return
    from groundtrace.rows.unknown_tools import unknown_tools_text

    print_message(unknown_tools_text(calls, servers), quiet=quiet)


def say_summary(summary: RunSummaryDocument | None, *, quiet: bool) -> None:
    """The same, with the counts of a summary."""
    if summary is not None and not quiet:
        calls, servers = summary.unknown_tool_calls, summary.servers_not_counted
        say_unknown_tools(calls or {}, servers or {}, quiet=quiet)
        if summary.looked_at:
            from groundtrace.report.sections.looked_at import looked_at_text

            print_message(looked_at_text(summary.looked_at), quiet=quiet)


def say_settings(given: Mapping[str, Any]) -> None:
    """Say which file the settings come from."""
    if not given["verbose"]:
        return
    from pathlib import Path

    from groundtrace.config import FILE_NAME, find_file

    path = given.get("config") or find_file(Path.cwd())
    used = path if path is not None else f"defaults; no {FILE_NAME} in this folder or above"
    print_message(f"settings: {used}", quiet=given["quiet"])


def say_left_out(done: Normalized, given: Mapping[str, Any]) -> None:
    """Say where each run's results are, and why each trial or folder that is left out is."""
    if not given["verbose"]:
        return
    from groundtrace.runs.read import read_outcomes

    for run in done.outputs:
        print_message(f"results: {run.folder.url}", quiet=given["quiet"])
        outcomes = read_outcomes(run.folder).document
        if outcomes is None:
            continue
        lines = [
            f"{trial.state}: {trial.path}: {trial.state_reason}"
            for trial in outcomes.trials
            if trial.state != "selected"
        ]
        lines += [f"skipped: {one.path}: {one.reason}" for one in outcomes.skipped]
        lines += [f"problem: {kind}: {number}" for kind, number in outcomes.problems.items()]
        for line in lines:
            print_message(visible(line), quiet=given["quiet"])


class Progress:
    """A bar with rate and time left on a terminal, a line per stage elsewhere, nothing when quiet.

    A total is shown only when it is final: a total that still grows tells the user nothing.
    """

    def __init__(self, what: str, *, show: bool, times: bool = False) -> None:
        """`times`: say how long each stage took."""
        self.what = what
        self.show = show
        self.times = times
        self._began = time.monotonic()
        self.done = 0.0
        self.total = 0
        self._unit = ""
        self._final = False
        self._bar: Any = None
        self._task: Any = None
        self._next_line = 0.1
        self._lines: list[str] = []
        """Lines that are not printed yet."""
        self._said_at = time.monotonic()

    def __enter__(self) -> Progress:
        if self.show and sys.stderr.isatty():
            self._bar = _bar()
            self._bar.start()
            self._task = self._bar.add_task(self.what, total=None)
        return self

    def __exit__(self, *error: object) -> None:
        if error[0] is None:
            self._say_done()
            self._say()
        if self._bar is not None:
            self._bar.stop()

    def stage(self, name: str, unit: str) -> None:
        """The next stage begins."""
        self._say_done()
        self.what, self._unit = name, unit
        self._began = time.monotonic()
        self.done, self.total, self._final, self._next_line = 0.0, 0, False, 0.1
        if self._bar is not None:
            self._bar.reset(self._task, description=name, total=None, completed=0)
            self._draw()

    def add_total(self, more: int, *, final: bool = True) -> None:
        """More work was found."""
        self.total += more
        self._final = final
        if self._bar is not None and final:
            self._bar.update(self._task, total=self.total)
            self._draw()

    def advance(self, by: float = 1) -> None:
        """Part of the work is done."""
        self.done += by
        if self._bar is not None:
            self._bar.update(self._task, completed=self.done)
            self._draw()
        elif self._is_worth_a_line():
            self._next_line = self.done / self.total + 0.1
            self._lines.append(f"{self.what}: {self.done:,.0f} of {self.total:,}")
            self._say()

    def _draw(self) -> None:
        """Draw the bar, at most ten times a second. No thread draws it: a process with threads
        cannot fork its workers."""
        if time.monotonic() - self._said_at > DRAWN_AFTER:
            self._bar.refresh()
            self._said_at = time.monotonic()

    def _is_worth_a_line(self) -> bool:
        """After every tenth of long work. The end of a stage has its own line."""
        if not self.show or not self._final or self.total < LONG:
            return False
        ended = bool(self._unit) and self.done >= self.total
        return not ended and self.done / self.total >= self._next_line

    def _say_done(self) -> None:
        """Say which stage has ended, for people who read a log."""
        if self._unit and self.show and self._bar is None:
            number = round(self.done)
            unit = ONE.get(self._unit, self._unit.removesuffix("s")) if number == 1 else self._unit
            took = f" in {time.monotonic() - self._began:.1f} s" if self.times else ""
            self._lines.append(f"{self.what}: {number:,} {unit}{took}")
            if time.monotonic() - self._said_at > SOON:
                self._say()

    def _say(self) -> None:
        for text in self._lines:
            echo(text, err=True)
        self._lines.clear()
        self._said_at = time.monotonic()


DRAWN_AFTER = 0.1
"""Seconds between two drawings of the bar."""

SOON = 5.0
"""Seconds before lines are printed, so that a command that fails at once prints only its error."""

ONE = {"analyses": "analysis"}
"""Plural to singular, for units whose singular is not the plural without its s."""

LONG = 200
"""A stage with at least this many units of work also says how far it is."""


def _bar() -> Any:
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        ProgressColumn,
        SpinnerColumn,
        Task,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )
    from rich.progress import Progress as Bar
    from rich.text import Text

    class RateColumn(ProgressColumn):
        """Trials per second."""

        def render(self, task: Task) -> Text:
            speed = task.finished_speed or task.speed
            return Text("" if speed is None else f"{speed:,.0f}/s")

    return Bar(
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        RateColumn(),
        TimeRemainingColumn(),
        TimeElapsedColumn(),
        console=Console(stderr=True),
        transient=True,
        auto_refresh=False,
    )
