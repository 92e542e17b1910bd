"""aider's chat histories, and how they are recognised.

Where they lie: `.aider.chat.history.md` in the folder in which aider was started.

Their shape: Markdown. A session begins with `# aider chat started at 2026-05-04 10:00:00`, and a
history holds one session after the other. Lines of the user begin with `#### `, notices of aider
with `> `; all else is what the model says. aider has no tool calls: its notices say which files
were added to the chat, which were edited and which commands ran.
"""

from __future__ import annotations

from groundtrace.base.patterns import regex
from groundtrace.traces.kit.claims import Probe, Recognised
from groundtrace.traces.kit.reading import ReadsSamples

_START = regex(rb"(?:\xef\xbb\xbf)?\s*+# aider chat started at \d{4}-\d\d-\d\d")


class AiderReader(ReadsSamples):
    """Reader of aider's chat histories."""

    name = "aider"
    reads_text = True
    own_names: tuple[str, ...] = (".aider.chat.history.md",)
    patterns: tuple[str, ...] = (
        "agent/.aider.chat.history.md",
        "agent/aider.chat.history.md",
        ".aider.chat.history.md",
    )
    harness_words: tuple[tuple[str, str], ...] = (("aider", "aider"),)

    def recognise(self, probe: Probe) -> Recognised | None:
        """By the first line of a session."""
        if _START.match(probe.head):
            return Recognised("marker", "# aider chat started at")
        return None
