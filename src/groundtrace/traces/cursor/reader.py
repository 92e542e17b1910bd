"""Cursor's transcripts, and how they are recognised.

Where they lie: `agent/cursor-agent.jsonl`, as `cursor-agent --output-format stream-json` prints it
(also kept as `.txt`), or the same lines collected in `agent/trajectory.json`, whose format is
called `cursor-jsonl-v1` and which holds them as `steps`. The editor keeps
`~/.cursor/projects/<project>/agent-transcripts/<id>/<id>.jsonl`, with subagents in a folder
`subagents` beside it.

Their shape: one JSON event per line. Each call is written twice, started and completed. The tool
is the only key of `tool_call`; times are milliseconds since the epoch; tokens are only on the last
line. A line of the editor's transcripts is a message (`role`, and `content` in `message`) without an
id, a time or an answer of a tool.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from groundtrace.base.patterns import regex
from groundtrace.traces.kit.claims import OF_A_SUBAGENT, Probe, Recognised

if TYPE_CHECKING:
    from groundtrace.storage import Folder
    from groundtrace.traces.kit.keep import Keep
    from groundtrace.traces.source import Source

_COLLECTED = regex(rb'"schema_version"\s*:\s*"cursor-jsonl')
_CALL_MEMBER = regex(rb'"\w+ToolCall"\s*:\s*\{')
_CALL_LINE = regex(rb'^[ \t]*+\{[^\n]*?"type"\s*:\s*"tool_call"', re.MULTILINE)
"""A line that is an object: in indented JSON of another harness the member has a line of its own."""

_SESSION_LINE = regex(
    rb'(?:\xef\xbb\xbf)?\s*+\{\s*+"role"\s*+:\s*+"(?:user|assistant)"\s*+,'
    rb'\s*+"message"\s*+:\s*+\{\s*+"content"\s*+:'
)


class CursorReader:
    """Reader of Cursor's stream JSON and of its editor's transcripts."""

    name = "cursor"
    patterns: tuple[str, ...] = (
        "agent/cursor-agent.jsonl",
        "agent/cursor.jsonl",
        "agent/cursor-agent.txt",
        "agent/trajectory.json",
    )
    sidecars: tuple[str, ...] = ("agent/cursor*.txt",)
    harness_words: tuple[tuple[str, str], ...] = (("cursor", "cursor-cli"),)

    def recognise(self, probe: Probe) -> Recognised | None:
        """By what only Cursor writes, then by its lines of calls, then by name."""
        # Patterns are slow on text of other formats; a search for plain text is fast.
        head = probe.head
        if b'"cursor-jsonl' in head and _COLLECTED.search(head):
            return Recognised("marker", "schema_version cursor-jsonl-v1")
        if probe.path.endswith("trajectory.json"):
            return None
        if b'ToolCall"' in head and _CALL_MEMBER.search(head):
            return Recognised("marker", "…ToolCall in the first lines")
        if _SESSION_LINE.match(head):
            return Recognised("marker", "lines with a role beside the message")
        if b'"tool_call"' in head and _CALL_LINE.search(head):
            return Recognised("shape", "lines of type tool_call")
        if "cursor" in probe.name:
            return Recognised("name", f"named {probe.name}")
        return None

    def read(self, folder: Folder, path: str, keep: Keep) -> Source:
        """Read a file of lines, a file of collected lines, or a transcript of the editor."""
        with folder.open(path) as stream:
            if _SESSION_LINE.match(stream.read(4096)):
                from groundtrace.traces.api_log.trace import read as read_messages

                source = read_messages(folder, path, None, keep, harness="cursor")
                source.dialect = "cursor session"
                place = f"{folder.url}/{path}"
                if place.rpartition("/")[0].endswith("/subagents"):
                    source.is_one_subagent, source.no_trial = True, OF_A_SUBAGENT
                return source
        from groundtrace.traces.cursor.trace import read

        return read(folder, path, keep)
