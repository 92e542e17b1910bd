"""What earlier and other calls of a session say about a call.

- The texts of files that the agent wrote: it often writes a script in one call and runs it in the
  next one, `cat > fix.py <<'EOF'`, then `python fix.py`. The second command alone does not say which
  files it changes; the script does (D141).
- Outputs too large to show, which the harness stored in a file and the agent read later. Such a read
  shows what the first call found. So the files in the stored output count as accessed; the first
  call's tool and arguments say how to read it. The stored file itself does not count.
- The shell that commands are written for (D200): `ls`, `cat` and `type` are commands of bash and of
  PowerShell. A harness may name the shell (the tool's name, an argument). Otherwise the other
  commands of the session show it: a session on a drive of Windows whose commands are mostly
  PowerShell has no bash.
"""

from __future__ import annotations

import posixpath
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property, lru_cache

from msgspec.structs import replace

from groundtrace.answers.numbered import GREPPED, SURE, numbered_lines
from groundtrace.base.patterns import regex
from groundtrace.base.values import text_or_empty
from groundtrace.model import FileRef, ToolCall, ToolResult
from groundtrace.paths.windows import is_drive, is_rooted
from groundtrace.tools.table import ToolEntry
from groundtrace.traces.kit.frames import shown_text

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
        """The shell that the session says a call runs (`SessionShell`)."""
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


_STORED = regex(r"/tool-results/[^\s'\"/]+\Z")
_NAME = regex(r"[\w.@+:,-]+")


class StoredOutputs:
    """The stored outputs of a trace, by the file that holds them."""

    def __init__(self) -> None:
        self._calls: dict[str, ToolCall] = {}
        self._by_name: dict[str, list[str]] = {}
        """From the name of a stored file to its paths; harnesses give each file its own name."""
        self._odd: list[str] = []
        """Paths whose file name has characters that `_NAME` does not match."""

    def remember(self, call: ToolCall) -> None:
        """Remember where a call's output was stored, if it was stored."""
        path = call.result.persisted_path if call.result is not None else None
        if path and path not in self._calls:
            self._calls[path] = call
            name = posixpath.basename(path)
            if _NAME.fullmatch(name):
                self._by_name.setdefault(name, []).append(path)
            else:
                self._odd.append(path)

    def origin(self, text: str) -> ToolCall | None:
        """The call whose stored output a path or a command names."""
        if not self._calls:
            return None
        # Look up the words of the text. Comparing with every path would compare thousands of each.
        words = {word.rstrip(".:,") for word in _NAME.findall(text)}
        near = [path for word in words for path in self._by_name.get(word, ())] + self._odd
        found = {path for path in near if _names(text, path)}
        if not found:
            return None
        return self._calls[min(found, key=list(self._calls).index)]

    def __bool__(self) -> bool:
        """Whether any output was stored so far."""
        return bool(self._calls)

    def others(self, refs: tuple[FileRef, ...]) -> tuple[FileRef, ...]:
        """The references to other files; the same tuple if these are all."""
        for ref in refs:
            if "/tool-results/" in ref.path or ref.path in self._calls:
                kept = tuple(ref for ref in refs if not self.holds(ref.path))
                return refs if len(kept) == len(refs) else kept
        return refs

    def holds(self, path: str) -> bool:
        """Whether this is a file in which a harness stores outputs."""
        if path in self._calls:
            return True
        return "/tool-results/" in path and _STORED.search(path) is not None


def _names(text: str, path: str) -> bool:
    # The same folder can be mounted at several places.
    return path in text or ("tool-results/" in text and posixpath.basename(path) in text)


def replayed(origin: ToolCall, reading: ToolCall) -> ToolCall:
    """The first call, with the part of its stored output that a later call showed as its result."""
    text = shown_text(reading.result)
    for form in (SURE, GREPPED):
        lines = numbered_lines(text.split("\n"), form)
        if lines and text.lstrip()[:1].isdigit():
            text = "\n".join(line.text for line in lines)
            break
    is_error = reading.result is None or reading.result.is_error
    return replace(origin, result=ToolResult(text=text, is_error=is_error))


def stated_shell(call: ToolCall) -> str | None:
    """The shell that the harness names for one call."""
    return _shell_of(text_or_empty(call.arguments.get("shell")), call.name)


@lru_cache(maxsize=256)
def _shell_of(named: str, tool: str) -> str | None:
    # Here, because evaluating documents asks for names of tools and needs no shell: importing it
    # was a tenth of the time of evaluating 28 trials.
    from groundtrace.shell.powershell.language import stated_language

    return next((name for name in (named, tool) if stated_language(name)), None)


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
