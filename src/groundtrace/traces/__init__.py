"""From the files of a trial to one ordered list of tool calls, for every harness.

Readers know nothing about categories, files or ground truth: they produce ToolCalls. Each format
has a folder with `reader.py` (where the files are, and how they are recognised), `records.py`,
`trace.py` and at most two more; `READERS` is the one table that names their readers. OpenHands writes
ATIF too, so its folder also holds a dialect, which `atif/trace.py` names. Another package registers its format
under the entry point group `groundtrace.readers`:

    [project.entry-points."groundtrace.readers"]
    myharness = "mypackage.reader:MyReader"

Here `MyReader()` has the members of `groundtrace.traces.source.Reader`.

source.py   what a reader is, and what it makes of one file
kit/        what readers share, and what chooses and joins them
mapped/     formats that a TOML file describes
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from groundtrace.base.entry_points import entry_points
from groundtrace.model import READER_ENTRY_POINTS, Problem, ReadResult
from groundtrace.traces.aider.reader import AiderReader
from groundtrace.traces.antigravity.reader import AntigravityReader
from groundtrace.traces.api_log.reader import ApiLogReader
from groundtrace.traces.atif.reader import AtifReader
from groundtrace.traces.chat.reader import ChatReader
from groundtrace.traces.claude_code.reader import ClaudeCodeReader
from groundtrace.traces.cline.reader import ClineReader
from groundtrace.traces.codex.reader import CodexReader
from groundtrace.traces.cursor.reader import CursorReader
from groundtrace.traces.gemini.reader import GeminiReader
from groundtrace.traces.inspect_ai.reader import InspectReader
from groundtrace.traces.kit.claims import stated_by
from groundtrace.traces.kit.trial_files import UNREAD, UNREAD_HARNESS_WORDS, TrialFiles
from groundtrace.traces.mapped.reader import BUNDLED
from groundtrace.traces.mcpbr.reader import McpbrReader
from groundtrace.traces.mini_swe_agent.reader import MiniSweAgentReader
from groundtrace.traces.openhands.reader import OpenHandsReader
from groundtrace.traces.otel.reader import OtelReader
from groundtrace.traces.swe_agent.reader import SweAgentReader

if TYPE_CHECKING:
    from groundtrace.storage import Folder
    from groundtrace.traces.source import Reader

__all__ = ["READERS", "all_readers", "harness_in", "read_trace", "trial_files"]

READERS: tuple[Reader, ...] = (
    AtifReader(),
    CodexReader(),  # a session about Claude Code's logs quotes their markers
    GeminiReader(),
    McpbrReader(),  # its events are Claude Code's
    OtelReader(),  # attributes may hold messages of any harness
    AntigravityReader(),
    AiderReader(),
    ClaudeCodeReader(),
    ClineReader(),
    CursorReader(),
    InspectReader(),  # its messages look like a chat
    OpenHandsReader(),
    ChatReader(),
    ApiLogReader(),
    MiniSweAgentReader(),
    SweAgentReader(),
    *BUNDLED,
)
"""groundtrace's own readers; if two claims on a file are equal, the earlier reader reads it."""


@cache
def all_readers(
    mappings: tuple[tuple[str, str], ...] = (),
) -> tuple[tuple[Reader, ...], tuple[Problem, ...]]:
    """The user's mappings, groundtrace's own readers and those of other packages, in this order.

    A reader of another package that cannot be loaded is a problem. `mappings` is
    `Settings.readers`; a wrong mapping raises InputError.
    """
    readers: list[Reader] = []
    problems: list[Problem] = []
    for point in entry_points(group=READER_ENTRY_POINTS):
        from groundtrace.traces.kit.files import PluginReader

        try:
            package = f" of {point.dist.name}" if point.dist is not None else ""
            foreign: Any = PluginReader(point.load()(), f"the reader {point.name!r}{package}")
            readers.append(foreign)
        except Exception as error:  # noqa: BLE001 - other people's code may raise anything
            reason = f"reader {point.name} of another package failed to load: {error!r}"
            problems.append(Problem(point.value, "reader_failed", reason))
    own: tuple[Reader, ...] = ()
    if mappings:
        from groundtrace.traces.mapped.reader import readers_of

        own = readers_of(mappings)
    return (*own, *READERS, *readers), tuple(problems)


@cache
def trial_files() -> TrialFiles:
    """The names by which discovery knows that a folder holds a trace."""
    readers, _ = all_readers()
    patterns = [p for r in readers for p in (*r.patterns, *stated_by(r, "sidecars"))]
    return TrialFiles((*patterns, *UNREAD))


def harness_in(class_path: str) -> str | None:
    """The harness whose class a record names (`agents.openhands:OpenHandsBaseline`)."""
    path = class_path.casefold()
    readers, _ = all_readers()
    words = (pair for reader in readers for pair in stated_by(reader, "harness_words"))
    return next((name for word, name in (*words, *UNREAD_HARNESS_WORDS) if word in path), None)


def read_trace(
    folder: Folder,
    readers: Sequence[Reader] | None = None,
    mappings: tuple[tuple[str, str], ...] = (),
) -> ReadResult:
    """Everything that the files in a trial's folder say about its tool calls.

    `readers` are used instead of all readers; `mappings` (`Settings.readers`) are added to them.
    """
    from groundtrace.traces.kit.files import read_sources
    from groundtrace.traces.kit.merge import merge

    problems: list[Problem] = []
    if readers is None:
        readers, failed = all_readers(mappings)
        problems += failed
    sources, evidence = read_sources(folder, readers, problems)
    trace = merge(sources, evidence, problems)
    return ReadResult(trace, tuple(problems))
