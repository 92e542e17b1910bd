"""Commands that go on after their call has returned, and the calls that show what they print.

`exec_command` waits for a while and then returns with the id of the process; `write_stdin` with this id
types into it, or types nothing and only shows what was printed since.
"""

from __future__ import annotations

from typing import Any

import msgspec

from groundtrace.model import OutputOf
from groundtrace.traces.codex.outputs import Output
from groundtrace.traces.source import RawCall

WRITE = "write_stdin"


class _Process(msgspec.Struct):
    call: RawCall
    """The call that started it."""
    is_untouched: bool
    """Nothing was printed and nothing typed yet."""


class Processes:
    """The processes of one rollout that were still running."""

    def __init__(self) -> None:
        self._running: dict[str, _Process] = {}
        self.unknown = 0
        """Calls whose output cannot be tied to files: the command had printed or read something
        before, so that nothing says where in a file or in which directory it was."""

    def answered(self, call: RawCall, output: Output) -> None:
        """Take note of an answer; tie it to the command whose output it is."""
        if call.name != WRITE:
            if output.session is not None:
                self._running[output.session] = _Process(call, not output.text.strip())
            return
        number = _id(call.arguments.get("session_id"))
        process = self._running.get(number or "")
        if process is None or number is None:
            return
        started = process.call
        call.cwd = started.cwd
        typed = bool(call.arguments.get("chars"))
        shows = bool(output.text.strip())
        if shows and not typed and process.is_untouched:
            call.output_of = OutputOf(started.name, started.arguments, started.cwd)
        elif shows:
            self.unknown += 1
        process.is_untouched = process.is_untouched and not typed and not shows
        if output.session is None:
            del self._running[number]


def _id(value: Any) -> str | None:
    return str(value) if isinstance(value, int | str) and not isinstance(value, bool) else None
