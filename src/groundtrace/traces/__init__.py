"""From the files of a trial to one ordered list of tool calls, whatever the harness.

Readers know nothing of categories, files or ground truth: they end in ToolCalls. A further format
is one more reader, here or in another package under the entry point group `groundtrace.readers`:

    [project.entry-points."groundtrace.readers"]
    myharness = "mypackage.reader:MyReader"

where `MyReader()` has the members of `groundtrace.traces.source.Reader`.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib.metadata import entry_points

from groundtrace.model import READER_ENTRY_POINTS, Problem, ReadResult
from groundtrace.storage import Folder
from groundtrace.traces.atif import AtifReader
from groundtrace.traces.claude_code import ClaudeCodeReader
from groundtrace.traces.cursor import CursorReader
from groundtrace.traces.detect import Detected, candidates, reader_for
from groundtrace.traces.merge import merge
from groundtrace.traces.source import Keep, Reader, Source

__all__ = ["READERS", "all_readers", "read_trace"]

READERS: tuple[Reader, ...] = (AtifReader(), ClaudeCodeReader(), CursorReader())
"""The readers that groundtrace brings; for equal claims on a file the earlier one reads it."""


@cache
def all_readers() -> tuple[tuple[Reader, ...], tuple[Problem, ...]]:
    """Own readers and those of other packages; one that cannot be loaded is a problem."""
    readers: list[Reader] = []
    problems: list[Problem] = []
    for point in entry_points(group=READER_ENTRY_POINTS):
        try:
            readers.append(point.load()())
        except Exception as error:  # noqa: BLE001 - other people's code may raise anything
            reason = f"reader {point.name} of another package failed to load: {error!r}"
            problems.append(Problem(point.value, "reader_failed", reason))
    return (*READERS, *readers), tuple(problems)


def read_trace(folder: Folder, readers: Sequence[Reader] | None = None) -> ReadResult:
    """Everything that the files in a trial's folder tell about its tool calls."""
    problems: list[Problem] = []
    if readers is None:
        readers, failed = all_readers()
        problems += failed
    keep = Keep()
    sources: list[Source] = []
    evidence: list[str] = []
    spare: list[Detected] = []
    for path in candidates(folder, readers, problems):
        found, problem = reader_for(folder, path, readers)
        if problem is not None and not _is_spare(path):
            problems.append(problem)
        if found is None:
            continue
        if _is_spare(path):
            spare.append(found)
        else:
            _read(folder, found, keep, sources, evidence, problems)
    if not any(_is_whole_stream(source) for source in sources):
        for found in spare:
            _read(folder, found, keep, sources, evidence, problems)
    return ReadResult(merge(sources, evidence), tuple(problems))


def _is_spare(path: str) -> bool:
    """A copy of the stream with the shell's noise in it, read only for want of a whole one."""
    return path.startswith("agent/command-")


def _is_whole_stream(source: Source) -> bool:
    damaged = any(problem.kind in _DAMAGE for problem in source.problems)
    return source.parsed and source.dialect in ("stream", "cursor") and not damaged


_DAMAGE = frozenset({"broken_line", "truncated_line", "line_too_long", "not_utf8"})


def _read(
    folder: Folder,
    found: Detected,
    keep: Keep,
    sources: list[Source],
    evidence: list[str],
    problems: list[Problem],
) -> None:
    cut_before = keep.cut_arguments
    try:
        source = found.reader.read(folder, found.path, keep)
    except OSError as error:
        problems.append(Problem(found.path, "unreadable", str(error)))
        return
    sources.append(source)
    problems += source.problems
    if cut := keep.cut_arguments - cut_before:
        reason = f"arguments of {cut} calls were kept in part: over the memory budget"
        problems.append(Problem(found.path, "arguments_cut", reason))
    evidence.append(found.evidence)
