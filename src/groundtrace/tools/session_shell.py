"""Which shell the commands of a session are written for, as far as the session says it (D200).

`ls`, `cat` and `type` are commands of bash and of PowerShell. A harness may name the shell (the
tool's name, an argument). Otherwise the other commands of the session show it: a session on a drive
of Windows whose commands are mostly PowerShell has no bash.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from functools import cached_property

from groundtrace.base.values import text_or_empty
from groundtrace.model import ToolCall
from groundtrace.paths.windows import is_drive, is_rooted


def stated_shell(call: ToolCall) -> str | None:
    """The shell that the harness names for one call."""
    # Here, because evaluating documents asks for names of tools and needs no shell: importing it
    # was a tenth of the time of evaluating 28 trials.
    from groundtrace.shell.powershell.language import stated_language

    named = text_or_empty(call.arguments.get("shell"))
    return named if stated_language(named) else call.name if stated_language(call.name) else None


class SessionShell:
    """The shell of a session; it is looked for when a command is first in doubt."""

    def __init__(
        self, calls: Iterable[ToolCall], command: Callable[[ToolCall], str], cwd: str | None
    ) -> None:
        self._calls, self._command = tuple(calls), command
        self._cwd = cwd

    def of(self, call: ToolCall) -> str | None:
        """The shell of one call; None if it is bash or not known."""
        return stated_shell(call) or self._usual

    @cached_property
    def _usual(self) -> str | None:
        """The shell that most commands are written for, if it is one of Windows."""
        from groundtrace.shell.powershell.language import by_words, unwrapped

        if not self._on_windows():
            return None
        counts: Counter[str] = Counter()
        for call in self._calls:
            command = self._command(call)
            inner = unwrapped(command) if command else None
            language = None if not command or inner is not None else by_words(command)
            if language is not None:
                counts[language] += 1
        # `type src\\a.py` and `findstr /n` are commands of cmd that PowerShell runs too.
        if counts["powershell"]:
            return "powershell" if counts["powershell"] >= counts["bash"] else None
        return "cmd" if counts["cmd"] > counts["bash"] else None

    def _on_windows(self) -> bool:
        folders = [self._cwd, *(call.cwd for call in self._calls[:1])]
        if any(is_windows(folder) for folder in folders if folder):
            return True
        places = (text_or_empty(call.arguments.get("workdir")) for call in self._calls[:20])
        return any(is_windows(place) for place in places if place)


def is_windows(folder: str) -> bool:
    """Whether a folder is on a drive or a share of Windows, in any of its spellings."""
    return is_drive(folder) or is_rooted(folder)
