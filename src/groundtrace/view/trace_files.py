"""Which files hold the trace of a trial: found from its record, never from a path in a request.

Only files that a reader recognises as traces are used. A link that leaves RUNS is not followed, and
a path in a record that leads outside of its run is ignored.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, BinaryIO

from groundtrace.model import Problem, Trace
from groundtrace.storage import Folder
from groundtrace.traces import all_readers, read_trace
from groundtrace.traces.kit.choose import Detected, candidates, is_spare, reader_for
from groundtrace.traces.kit.loose import read_loose, recognise
from groundtrace.traces.source import Reader

NOT_HERE = "The trace was not found: it was removed, or is not where the results say."
OUTSIDE = "The trace is behind a link that leaves the runs, and is not opened."
NO_TRACE = "groundtrace knows no file of this trial as a trace."


@dataclass(frozen=True, slots=True)
class TraceFile:
    """One file of a trace."""

    folder: Folder
    path: str
    size: int
    mark: str
    """Changes when the file does."""

    @property
    def key(self) -> str:
        """A key for the file in its current state."""
        return f"{self.folder.url}/{self.path} {self.mark}"

    def open(self) -> BinaryIO:
        """The file for reading; raises OSError if it is not a regular file inside of RUNS now."""
        return self.folder.open(self.path)


@dataclass(frozen=True, slots=True)
class TraceFiles:
    """The files of one trial's trace, in the order in which readers prefer them."""

    files: tuple[TraceFile, ...] = ()
    why_none: str = ""
    """Why there is no file, in words."""
    folder: Folder | None = None
    loose: tuple[str, str | None] | None = None
    """File and sample, if the trace has no folder of its own."""
    mappings: tuple[tuple[str, str], ...] = ()
    """Mappings of trace formats that the run was given."""

    @property
    def is_sample(self) -> bool:
        """Whether the files contain other trials too."""
        return self.loose is not None and self.loose[1] is not None

    @property
    def size(self) -> int:
        """Bytes of all files."""
        return sum(file.size for file in self.files)

    @property
    def key(self) -> str:
        """A key for the files in their current state, and the sample."""
        return " ".join((*(file.key for file in self.files), str(self.loose)))

    def read(self) -> Trace:
        """The whole trace, as its reader returns it."""
        if self.folder is None:
            return Trace()
        if self.loose is None:
            return read_trace(self.folder, mappings=self.mappings).trace
        return read_loose(self.folder, *self.loose, mappings=self.mappings).trace


def trace_files(
    run: Folder | None, path: str | None, mappings: tuple[tuple[str, str], ...] = ()
) -> TraceFiles:
    """The trace of the trial at `path` in its run; the path comes from the run's outcomes."""
    if run is None or path is None or "\0" in path:
        return TraceFiles(why_none=NOT_HERE)
    path = "" if path == "." else path
    if path.startswith("/") or ".." in path.split("/"):
        return TraceFiles(why_none=OUTSIDE)
    if _leaves(run, path):
        return TraceFiles(why_none=OUTSIDE)
    readers, _ = all_readers(mappings) if mappings else all_readers()
    entry = run.stat(path) if path else None
    if not path or (entry is not None and entry.kind == "folder"):
        found = _of_folder(run.folder(path) if path else run, readers)
    else:
        found = _of_file(run, path, readers)
    return replace(found, mappings=mappings)


def _leaves(run: Folder, path: str) -> bool:
    """Whether a folder or file on the way is a link that leaves RUNS."""
    below = ""
    for part in path.split("/"):
        parent = run.folder(below) if below else run
        kinds = {entry.name: entry.kind for entry in parent.entries()} if part else {}
        if kinds.get(part) == "escape":
            return True
        below = f"{below}/{part}" if below else part
    return False


def _of_folder(folder: Folder, readers: Sequence[Reader]) -> TraceFiles:
    problems: list[Problem] = []
    found: list[Detected] = []
    spare: list[Detected] = []
    for path, expected in candidates(folder, readers, problems).items():
        detected, _ = reader_for(folder, path, readers, expected)
        if detected is not None:
            (spare if is_spare(path, readers) else found).append(detected)
    files = _files(folder, [detected.path for detected in found or spare])
    if not files:
        return TraceFiles(why_none=NO_TRACE if folder.exists() else NOT_HERE)
    return TraceFiles(files, folder=folder)


def _of_file(run: Folder, path: str, readers: Sequence[Reader]) -> TraceFiles:
    """A trace without a folder: a file, or one sample of it after a `#`."""
    for file, sample in _samples(path):
        if not run.has_file(file):
            continue
        parent, _, name = file.rpartition("/")
        folder = run.folder(parent) if parent else run
        found, _, _ = recognise(folder, name, readers, named=True)
        if found is None:
            return TraceFiles(why_none=NO_TRACE)
        companions: Any = getattr(found.reader, "companions", None)
        more = () if companions is None else tuple(companions(folder, name))
        return TraceFiles(_files(folder, [name, *more]), folder=folder, loose=(name, sample))
    return TraceFiles(why_none=NOT_HERE)


def _samples(path: str) -> list[tuple[str, str | None]]:
    """The ways to read `file#sample`: a `#` can be part of either name."""
    found: list[tuple[str, str | None]] = [(path, None)]
    at = path.find("#")
    while at >= 0:
        found.append((path[:at], path[at + 1 :]))
        at = path.find("#", at + 1)
    return found


def _files(folder: Folder, paths: Sequence[str]) -> tuple[TraceFile, ...]:
    entries = [(path, folder.stat(path)) for path in paths]
    return tuple(
        TraceFile(folder, path, entry.size, entry.mark)
        for path, entry in entries
        if entry is not None and entry.kind == "file"
    )
