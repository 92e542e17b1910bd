"""The texts of files that the agent wrote itself, so that what they do is known when they run.

An agent often writes a script in one call and runs it in the next one: `cat > fix.py <<'EOF'`, then
`python fix.py`. The second command alone does not say which files it changes; the script does (D141).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from groundtrace.base.values import text_or_empty
from groundtrace.model import FileRef, ToolCall
from groundtrace.tools.table import ToolEntry

MAX_TEXT = 200_000
"""A longer file is data, not a script."""
MAX_FILES = 1000
"""How many files are remembered; the oldest one is forgotten first."""

_CONTENT = ("content", "file_text", "contents")
"""Arguments that hold the whole text of a file that a call creates."""


class AgentFiles:
    """What a session says about its commands: the texts of files that the agent wrote, the shell."""

    def __init__(self, shell: Callable[[ToolCall], str | None] | None = None) -> None:
        self._texts: dict[str, str] = {}
        self._shell = shell

    def shell_of(self, call: ToolCall) -> str | None:
        """The shell that the session says a call runs (`tools.session_shell`)."""
        return None if self._shell is None else self._shell(call)

    @property
    def texts(self) -> Mapping[str, str]:
        """From the absolute path of a file to its text."""
        return self._texts

    def update(self, refs: Iterable[FileRef], texts: Mapping[str, str]) -> None:
        """Remember what a call wrote; a file that it changed in a way not known is forgotten."""
        for ref in refs:
            if ref.kind != "written":
                continue
            self._texts.pop(ref.path, None)
            text = texts.get(ref.path)
            if text is not None and ref.path.startswith("/") and len(text) < MAX_TEXT:
                self._texts[ref.path] = text
        while len(self._texts) > MAX_FILES:
            del self._texts[next(iter(self._texts))]


def created_text(call: ToolCall, entry: ToolEntry) -> str | None:
    """The whole text of the file that a call creates; None for an edit and for other calls."""
    creates = entry.name == "Write" or (
        entry.reads == "editor" and call.arguments.get("command") == "create"
    )
    if not creates:
        return None
    return next((t for name in _CONTENT if (t := text_or_empty(call.arguments.get(name)))), None)
