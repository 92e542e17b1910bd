"""An output folder while a stage works in it: locked, with its state and a listing of its files.

All stages write through a session, so that locking, checking what is current, and the state on disk
follow the same rules everywhere. Two rules keep the state true when a run is killed:

- Before a document is made again, the state on disk forgets it (`forget_before_work`). Otherwise a
  later run with the old inputs could take the new document for the old one.
- A document is entered into the state only after it is on disk. The state is saved at the end of a
  session, every `SAVE_SECONDS` (`work_through`) and when the run is stopped, so a kill costs seconds
  of work, not all of it.

The operating system holds the lock and frees it when the process dies. The process that takes the
lock removes what a killed process left half-written.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, Protocol, TypeVar

import msgspec

from groundtrace.base.jsonio import loads
from groundtrace.documents.outcomes import TrialOutcome
from groundtrace.errors import GroundtraceError, LockedError, OutputError
from groundtrace.runs.engine import Done
from groundtrace.runs.output_folders import RunOutput, metrics_path
from groundtrace.runs.request import Request
from groundtrace.runs.state import FILE_NAME as STATE_FILE
from groundtrace.runs.state import (
    FolderSeen,
    KnownResults,
    RunSeen,
    State,
    entry_of,
    load_state,
    mark_of,
    save_state,
)
from groundtrace.storage import Folder, FolderEntry, LocalFolder

LOCK_FILE = ".lock"
SAVE_SECONDS = 10.0
"""Seconds between saves of the state: a kill -9 costs at most this much work."""
BATCH_TRIALS = 1000
"""Trials planned at a time: a few megabytes of plans, and enough to know the total for progress."""
BATCH_RUNS = 200
"""Runs processed at a time: each has a lock, which is an open file."""


class RunSession:
    """One output folder, locked: which files are current, and what was made since it was opened."""

    def __init__(
        self, output: RunOutput, *, ignore_state: bool = False, seen: FolderSeen | None = None
    ) -> None:
        """`ignore_state`: start as if no earlier run had left a state. `seen`: the folder as it is,
        if that is known."""
        self.output = output
        self.folder = output.folder
        self._marks = None if seen is None else dict(seen.marks)
        self.state = State()
        if not ignore_state:
            self.state = load_state(output.folder) if seen is None else seen.state
        self.unsaved = False
        """The state differs from the one on disk."""

    @property
    def marks(self) -> Mapping[str, str]:
        """Mark of every file in the folder; the folder is listed once, at first use."""
        if self._marks is None:
            self._marks = self.folder.file_marks()
        return self._marks

    def list_again(self) -> None:
        """Workers have written documents: list the folder again when it is needed."""
        self._marks = None

    def seen(self) -> FolderSeen:
        """The folder as this session leaves it. Its lock is left out: it will be free."""
        marks = {name: mark for name, mark in self.marks.items() if name != LOCK_FILE}
        return FolderSeen(self.state, marks)

    @property
    def may_be_in_use(self) -> bool:
        """Whether the lock's file names a holder. The holder may be working or dead; only taking
        the lock shows which."""
        mark = self.mark(LOCK_FILE)
        return bool(mark) and not mark.startswith("0:")

    def mark(self, name: str) -> str:
        """Mark of one file; empty if there is none. A stage that makes one file needs no listing of
        thousands."""
        return mark_of(self.folder, name) if self._marks is None else self._marks.get(name, "")

    # run-level files

    def is_current(self, name: str, made_from: str) -> bool:
        """Whether a run-level file was made from these inputs and did not change since."""
        mark = self.mark(name)
        return bool(mark) and self.state.results.get(name) == entry_of(made_from, mark)

    def enter_result(self, name: str, made_from: str, written: FolderEntry) -> None:
        """Remember what a run-level file was made from. The file must be on disk."""
        self.state.entering()
        self._set(self.state.results, name, entry_of(made_from, written.mark))
        if self._marks is not None:
            self._marks[name] = written.mark

    def is_masked(self, name: str) -> bool:
        """Whether this version wrote the file, an events document or a run-level one, without
        credentials, and nobody changed it since: then it need not be searched for any. Finding that
        out took a tenth of `evaluate`, and half of what two trials cost."""
        entry = self.state.documents.get(name) or self.state.results.get(name) or ""
        mark = self.mark(name)
        return self.state.all_masked and bool(mark) and entry.rpartition(" ")[2] == mark

    def leave_out(self, run_ids: list[str]) -> None:
        """Remember, for the folder over all runs, which runs do not count any more."""
        self.unsaved |= self.state.left_out != run_ids
        self.state.left_out = run_ids

    def enter_run(self, seen: RunSeen | None) -> None:
        """Remember the run as it was when all its work was done; None if something is missing."""
        self.unsaved |= self.state.run != seen
        self.state.run = seen

    # events documents

    def is_current_document(self, path: str, inputs: str) -> bool:
        """Whether an events document was made from these inputs and did not change since."""
        entry = entry_of(inputs, self.marks.get(path))
        return path in self.marks and self.state.documents.get(path) == entry

    def enter_document(self, path: str, inputs: str, mark: str, outcome: TrialOutcome) -> None:
        """Remember what an events document was made from. outcomes.json will name it later."""
        self.state.entering()
        self._set(self.state.documents, path, entry_of(inputs, mark))
        self.state.unfinished[path] = outcome

    def forget_before_work(self, paths: Collection[str]) -> None:
        """Forget documents that will be made again, also on disk, before anything is written."""
        if not paths:
            return
        self.state.run = None
        for path in paths:
            self.forget(path)
        if STATE_FILE in self.marks:
            self.save()

    def forget(self, path: str) -> None:
        """Forget an events document and its metrics."""
        for entries in (self.state.documents, self.state.evaluated, self.state.unfinished):
            self.unsaved |= entries.pop(path, None) is not None

    def forget_inputs(self, path: str) -> None:
        """Forget what an events document was made from: its trial is gone, the file may stay."""
        self.unsaved |= self.state.documents.pop(path, None) is not None

    def outcomes_are_written(self) -> None:
        """Note that outcomes.json names every document now."""
        self.unsaved |= bool(self.state.unfinished)
        self.state.unfinished.clear()

    # metrics documents

    def is_current_metrics(self, path: str) -> bool:
        """Whether an events document was evaluated and neither it nor its metrics changed since."""
        return self.state.evaluated.get(path) == self._both_marks(path)

    def enter_metrics(self, path: str, events_mark: str, metrics_mark: str) -> None:
        """Remember that an events document was evaluated at this mark; its metrics are on disk."""
        self._set(self.state.evaluated, path, entry_of(events_mark, metrics_mark))

    def leave_metrics(self, path: str) -> None:
        """Treat a document as evaluated with the current files, because it does not count any
        more."""
        self._set(self.state.evaluated, path, self._both_marks(path))

    def forget_metrics(self, path: str) -> None:
        """Forget that an events document was evaluated."""
        self.unsaved |= self.state.evaluated.pop(path, None) is not None

    def forget_metrics_but(self, paths: Collection[str]) -> None:
        """Forget the metrics of all documents but these."""
        for path in self.state.evaluated.keys() - set(paths):
            self.forget_metrics(path)

    def _both_marks(self, path: str) -> str:
        return entry_of(self.marks.get(path), self.marks.get(metrics_path(path)))

    # the state itself

    def _set(self, entries: dict[str, str], key: str, entry: str) -> None:
        self.unsaved |= entries.get(key) != entry
        entries[key] = entry

    def save(self) -> None:
        """Write the state. Everything that it names must be on disk."""
        save_state(self.folder, self.state)
        self.unsaved = False

    def save_if_changed(self) -> None:
        """Write the state unless the one on disk is the same."""
        if self.unsaved:
            self.save()


Sessions = Mapping[str, RunSession]
"""Address of an output folder to its session."""


class AllRunsSession:
    """The folder over all runs, in one session for all stages of a command.

    It is locked when a stage first has something to write into it, and its state is saved when the
    command ends. When each stage locked it again, another command could write there in between.
    Outside of a `with` block, each stage has a session of its own.
    """

    def __init__(self) -> None:
        self._locks: ExitStack | None = None
        self._open: RunSession | None = None

    def __enter__(self) -> AllRunsSession:
        self._locks = ExitStack().__enter__()
        return self

    def __exit__(self, *error: object) -> None:
        locks, session = self._locks, self._open
        self._locks = self._open = None
        if locks is None:
            return
        with locks:
            if session is not None:
                save = _save_all if error[0] is None else _save_all_if_possible
                save({session.folder.url: session})

    @contextmanager
    def if_stale(
        self, output: RunOutput, known: KnownResults, is_current: Callable[[RunSession], bool]
    ) -> Iterator[RunSession | None]:
        """The folder, locked; None if a stage has nothing to do in it.

        That is asked without the lock first, because then nothing is written. If another process
        may be working there, only taking the lock shows whether it is.
        """
        if self._locks is None:
            with self, self.if_stale(output, known, is_current) as session:
                yield session
            return
        if self._open is None:
            seen = RunSession(output, seen=known.get(output.folder))
            if not seen.may_be_in_use and is_current(seen):
                yield None
                return
            known.forget(output.folder)
            self._locks.enter_context(locked(output.folder))
            # Another command may have made it in the meantime.
            self._open = RunSession(output)
        yield None if is_current(self._open) else self._open


@contextmanager
def open_sessions(
    outputs: Iterable[RunOutput], *, ignore_state: bool = False
) -> Iterator[Sessions]:
    """Several output folders, all locked while the block runs."""
    with ExitStack() as locks:
        sessions: dict[str, RunSession] = {}
        for output in outputs:
            locks.enter_context(locked(output.folder))
            sessions[output.folder.url] = RunSession(output, ignore_state=ignore_state)
        try:
            yield sessions
        except BaseException:
            _save_all_if_possible(sessions)
            raise


AnyRun = TypeVar("AnyRun")


def batches(runs: Iterable[AnyRun], trials: Callable[[AnyRun], int]) -> Iterator[list[AnyRun]]:
    """Runs in lists of about `BATCH_TRIALS` trials.

    Together the runs of a list keep all workers busy, even if each run is small.
    """
    batch: list[AnyRun] = []
    weight = 0
    for run in runs:
        batch.append(run)
        weight += trials(run)
        if weight >= BATCH_TRIALS or len(batch) >= BATCH_RUNS:
            yield batch
            batch, weight = [], 0
    if batch:
        yield batch


class Work(Protocol):
    """One piece of work, for one output folder."""

    @property
    def output(self) -> Folder:
        """The folder that its results go to."""


Item = TypeVar("Item", bound=Work)
Result = TypeVar("Result")


def with_last(batches: Iterator[list[AnyRun]]) -> Iterator[tuple[list[AnyRun], bool]]:
    """Each batch, and whether it is the last: then the total of the work is known.

    The next batch is made before this one is yielded, so two batches are in memory.
    """
    before = next(batches, None)
    while before is not None:
        following = next(batches, None)
        yield before, following is None
        before = following


def work_through(
    request: Request,
    sessions: Sessions,
    function: Callable[[Item], Result],
    works: Iterable[Item],
    enter: Callable[[Done[Item, Result], RunSession], None],
    *,
    each: float = 1.0,
) -> None:
    """Process all works in the request's engine; `enter` adds each result to its run's session.

    `each` is how much one work counts in the total that the stage has announced.
    """
    clock = SaveClock(sessions)
    for done in request.engine.map(function, works):
        request.ticker.advance(each)
        enter(done, sessions[done.item.output.url])
        clock.save_if_due()


class SaveClock:
    """Saves the states of some sessions every `SAVE_SECONDS`."""

    def __init__(self, sessions: Sessions) -> None:
        self._sessions = sessions
        self._saved_at = time.monotonic()

    def save_if_due(self) -> None:
        """To be called after each piece of work."""
        if time.monotonic() - self._saved_at > SAVE_SECONDS:
            _save_all(self._sessions)
            self._saved_at = time.monotonic()


def _save_all(sessions: Sessions) -> None:
    for session in sessions.values():
        session.save_if_changed()


def _save_all_if_possible(sessions: Sessions) -> None:
    """Save the states while the run is being stopped, by the user or by an error of the disk.

    Saving may fail for the same reason.
    """
    try:
        _save_all(sessions)
    except GroundtraceError:
        pass


@contextmanager
def locked(folder: Folder) -> Iterator[None]:
    """Hold the lock of the folder while the block runs; raises LockedError that names the holder.

    Object stores have no locks; there the caller must make sure that nobody else writes.
    """
    if not isinstance(folder, LocalFolder):
        yield
        return
    import fcntl

    refuse_link(folder)
    path = f"{folder.url}/{LOCK_FILE}"
    file = _opened(path)
    try:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise LockedError(f"{folder.url}: {_holder(path)}; wait for it or stop it") from error
        _say(file, {"pid": os.getpid(), "host": os.uname().nodename, "since": int(time.time())})
        try:
            yield
        finally:
            # What a killed process, or a worker that was stopped while writing, left half-written.
            folder.sweep()
            _say(file, {})
            # Closing is not enough: a worker forked in the meantime has the same file open.
            fcntl.flock(file, fcntl.LOCK_UN)
    finally:
        os.close(file)


def refuse_link(folder: LocalFolder) -> None:
    """Raise OutputError for an output folder that is a link or is outside of its root.

    Called before anything in the folder is created, emptied or removed. Through a link, the files
    of another folder would be removed and replaced, even where that folder is inside RUNS (D37).
    """
    if folder.is_link:
        raise OutputError(f"{folder.url}: a link; results are written to real folders only")
    if not folder.is_inside:
        raise OutputError(f"{folder.url}: is behind a link that leaves its folder; not written")


def _opened(path: str) -> int:
    # Do not open through a link: the file that it points to would be emptied (D37).
    flags = os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW
    try:
        try:
            file = os.open(path, flags, 0o666)
        except FileNotFoundError:  # only the first stage runs before the folder exists
            Path(path).parent.mkdir(parents=True, exist_ok=True)
            file = os.open(path, flags, 0o666)
        if os.fstat(file).st_nlink > 1:
            os.close(file)
            raise OSError("it is also another file, through a hard link")
        return file
    except OSError as error:
        raise OutputError(f"{path}: cannot be written ({error.strerror or error})") from error


def _say(file: int, holder: dict[str, Any]) -> None:
    """Write who holds the lock into its file; if the disk is full, the lock works without it."""
    try:
        os.ftruncate(file, 0)
        if holder:
            os.write(file, msgspec.json.encode(holder))
    except OSError:
        pass


def _holder(path: str) -> str:
    try:
        said = loads(Path(path).read_bytes())
        return f"in use by process {said['pid']} on {said['host']}"
    except (OSError, ValueError, KeyError, TypeError):
        return "in use by another process"
