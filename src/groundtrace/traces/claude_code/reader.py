"""Claude Code's transcripts, and how they are recognised.

Where they lie: Harbor keeps the stream that the command line prints as `agent/claude-code.txt`
(older runs: `agent_stdout.log`, `stdout.log`, `agent_trace.jsonl`). The container's session logs
are below `agent/sessions/projects/`, with subagents in files of their own. On a user's machine they
are in `~/.claude/projects/<project>/`. `agent/command-N/` holds the shell's copy of the stream,
mixed with other output of the shell.

Their shape: one JSON event per line. The stream and the session log spell the same members
differently (`session_id`, `sessionId`), and only session logs have a time on every line.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from groundtrace.base.patterns import regex
from groundtrace.traces.kit.claims import Probe, Recognised
from groundtrace.traces.kit.reading import ReadsFiles

if TYPE_CHECKING:
    from groundtrace.storage import Folder

_MARKERS = (b'"claude_code_version"', b'"parent_tool_use_id"')
_SHAPES = (b'"type":"assistant"', b'"type": "assistant"', b'"tool_use"', b'"tool_use_id"')
_TYPED_LINE = regex(rb'^\s*+[\[{]?+\s*+\{?+\s*+"type"\s*+:\s*+"(?:result|system|user)"')
_OWN_LINE = regex(
    rb'(?:\xef\xbb\xbf)?\s*+\{\s*+"type"\s*+:\s*+"(?:file-history-snapshot"|summary"\s*,\s*"summary"'
    rb'|queue-operation"\s*,\s*"operation")'
)
"""A session may begin with a snapshot that is larger than what is looked at."""
_KIN_PARTS = regex(rb'"role"\s*:\s*"(?:user|model)"\s*,\s*"parts"\s*:')
_KIN_PAYLOAD = regex(rb'"systemPayload"\s*:\s*\{')
_KIN_TYPE = regex(rb"(?:session|assistant|tool|user|context|llm)\.\w+")
"""Types of lines that similar formats write. Qwen Code writes the same members around messages in
Gemini's form; Copilot and Kimi use the API's words in their own events. Read as Claude Code's, they
would be sessions without a call."""
_OWN_NAMES = ("claude-code.txt", "session.jsonl", "agent_trace.jsonl")
_OWN_PLACES = ("agent/claude-code.txt", "agent/sessions/projects/")


def _is_of_kin(probe: Probe) -> bool:
    # Each pattern begins with plain text: as alternatives of one they took longer.
    if _KIN_PARTS.search(probe.head) or any(map(_KIN_TYPE.fullmatch, probe.types)):
        return True
    # `in` takes a quarter of the time for this word, and longer for the other patterns'.
    return b'"systemPayload"' in probe.head and _KIN_PAYLOAD.search(probe.head) is not None


class ClaudeCodeReader(ReadsFiles):
    """Reader of Claude Code's transcripts."""

    name = "claude-code"
    sessions_continue = True
    spare_patterns: tuple[str, ...] = ("agent/command-*/stdout.txt",)
    patterns: tuple[str, ...] = (
        "agent/claude-code.txt",
        "agent/agent_stdout.log",
        "agent/stdout.log",
        "agent/session.jsonl",
        "agent/agent_trace.jsonl",
        "agent/sessions/projects/**/*.jsonl",
        "agent_stdout.log",
        "agent_trace.jsonl",
        *spare_patterns,
    )
    harness_words: tuple[tuple[str, str], ...] = (("claude", "claude-code"),)

    def recognise(self, probe: Probe) -> Recognised | None:
        """By members that only Claude Code writes, then by the API's words, then by name."""
        head = probe.head
        # Where Harbor puts Claude Code's own logs there is no kin, and looking for it takes long.
        if not probe.path.startswith(_OWN_PLACES) and _is_of_kin(probe):
            return None
        for marker in _MARKERS:
            if marker in head:
                return Recognised("marker", f"{marker.decode()} in the first lines")
        if _OWN_LINE.match(head):
            return Recognised("marker", "a first line that only Claude Code writes")
        if b'"sessionId"' in head and (b'"isSidechain"' in head or b'"parentUuid"' in head):
            return Recognised("marker", '"sessionId" with "isSidechain" in the first lines')
        # A trajectory contains the API's words too.
        if b'"ATIF' not in head and b'"tool_call_id"' not in head:
            for shape in _SHAPES:
                if shape in head:
                    return Recognised("shape", f"{shape.decode()} in the first lines")
        if _TYPED_LINE.search(head):
            return Recognised("shape", "lines with a type of event")
        if probe.path.endswith(_OWN_NAMES):
            return Recognised("name", f"named {probe.name}")
        return None

    def companions(self, folder: Folder, path: str) -> tuple[str, ...]:
        """The logs of the subagents of a session."""
        from groundtrace.traces.claude_code.kin import companions

        return companions(folder, path)

    def part_of(self, folder: Folder, path: str) -> str | None:
        """For a subagent's log: its session, if the session's log is there."""
        from groundtrace.traces.claude_code.kin import part_of

        return part_of(folder, path)
