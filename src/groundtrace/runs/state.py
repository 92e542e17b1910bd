"""Incremental state: which inputs each document was made from, so that a second run can skip.

One file inside `retrieval_events/`. It is a cache: when it is missing, broken or from another
version, everything is done again and gives the same bytes. `runs.session` keeps it correct when a
run is killed.

`KnownResults` is what a command remembers of the output folders it has seen. Each stage loaded the
state of each run and listed its results, only to find that nothing had changed. Until a stage
writes into a folder, the first one's listing is as good.

Annotations are evaluated here, once, and not again as texts when the state is read.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import msgspec

from groundtrace import __version__
from groundtrace.base.digests import blake2b
from groundtrace.base.limit import OverLimitError, guarded_if_large
from groundtrace.base.safe_names import AGGREGATE, OUTPUT
from groundtrace.documents.outcomes import TrialOutcome
from groundtrace.redact import is_masking
from groundtrace.storage import Folder, Links

FILE_NAME = ".state.json"
OUTPUT_FOLDERS = frozenset({OUTPUT, AGGREGATE})
MAX_STATE = 1 << 30


class RunSeen(msgspec.Struct, frozen=True, kw_only=True):
    """A whole run at the moment when nothing was left to do, and what was reported about it."""

    fingerprint: str
    superseded: int
    skipped: int
    without_task: int
    noted: bool = True
    """Whether task definitions had problems; these are reported again after every run."""
    broken: tuple[str, ...] = ()
    """Lines about records that could not be read or leave something open."""


class State(msgspec.Struct, kw_only=True):
    """What the last run over this folder knew."""

    groundtrace: str = __version__
    documents: dict[str, str] = {}
    """Events document to the fingerprint of its inputs and its own mark, joined by `entry_of`."""
    evaluated: dict[str, str] = {}
    """Events document to its own mark and the mark of its metrics document."""
    results: dict[str, str] = {}
    """Run-level file to the fingerprint of what it was made from and its own mark."""
    run: RunSeen | None = None
    """The run when all its documents were made; None while something is missing."""
    left_out: list[str] = []
    """In the folder over all runs: ids of runs that are no longer in RUNS, though their results are
    still there; they count in nothing (D113)."""
    unfinished: dict[str, TrialOutcome] = {}
    """Outcomes of documents from a run that was stopped before it wrote outcomes.json."""
    all_masked: bool = False
    """Everything in `documents` and `results` was written without credentials (not `--no-mask`)."""
    earlier: str | None = None
    """Version of groundtrace that made the documents without an entry in `documents`."""

    def entering(self) -> None:
        """Note, before an entry is made, how the file was written."""
        is_first = not (self.documents or self.results)
        self.all_masked = is_masking() and (self.all_masked or is_first)

    def older(self, paths: Iterable[str]) -> list[str]:
        """The events documents that another version of groundtrace made."""
        if self.earlier is None:
            return []
        return [path for path in paths if path not in self.documents]


class _MadeBy(msgspec.Struct):
    """The one member that the state of every version has."""

    groundtrace: str | None = None


def load_state(folder: Folder) -> State:
    """The state of the folder, or an empty one."""
    try:
        data = folder.read(FILE_NAME, MAX_STATE)
        with guarded_if_large(len(data)):
            version = msgspec.json.decode(data, type=_MadeBy).groundtrace
            if version != __version__:
                return State(earlier=version)
            return msgspec.json.decode(data, type=State)
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError, RecursionError, MemoryError):
        return State()
    except OverLimitError:
        return State()


def save_state(folder: Folder, state: State) -> None:
    """Write the state; the files that it names must be on disk already."""
    folder.write(FILE_NAME, msgspec.json.encode(state, order="sorted"))


def fingerprint(*parts: Any) -> str:
    """A short digest of anything that msgspec can encode."""
    digest = blake2b(digest_size=16)
    for part in parts:
        try:
            digest.update(msgspec.json.encode(part, order="deterministic"))
        except UnicodeEncodeError:  # names of files are bytes, and not always UTF-8
            digest.update(repr(part).encode("utf-8", "surrogatepass"))
        digest.update(b"\0")
    return digest.hexdigest()


def fingerprint_lines(lines: Iterable[str]) -> str:
    """The same for very many lines, read one at a time."""
    digest = blake2b(digest_size=16)
    for line in lines:
        digest.update(line.encode("utf-8", "surrogateescape") + b"\0")
    return digest.hexdigest()


MAX_DEPTH = 64
"""How many levels of folders are listed. The longest path that the system allows has fewer, unless
the names are too short to be useful."""


def files_below(
    folder: Folder, below: str = "", depth: int = MAX_DEPTH, links: Links | None = None
) -> Iterator[tuple[str, str]]:
    """Every file below a folder as path and mark; each link to a folder is followed once.

    Names that cannot be listed or are not files are included: they can become readable without a
    change of name. It looks as deep as the readers do; otherwise a trace nine folders deep could
    change unnoticed.
    """
    links = Links() if links is None else links
    for entry in folder.entries():
        path = f"{below}{entry.name}"
        if entry.kind == "folder" and entry.name in OUTPUT_FOLDERS:
            continue  # groundtrace's own results, where a single trial is given as the run
        inside = folder.folder(entry.name) if entry.kind == "folder" and depth > 0 else None
        if inside is not None and links.enters(inside):
            yield from files_below(inside, f"{path}/", depth - 1, links)
        else:
            yield path, f"{entry.kind} {entry.mark}" if entry.kind != "file" else entry.mark


def files_mark(folder: Folder) -> str:
    """Fingerprint of every file below a folder, by name, size and stamp."""
    return fingerprint_lines(f"{path}\0{mark}" for path, mark in files_below(folder))


def bytes_below(folder: Folder) -> int:
    """Size of all files below a folder."""
    marks = (mark for _, mark in files_below(folder) if " " not in mark)
    return sum(int(mark.partition(":")[0]) for mark in marks)


def mark_of(folder: Folder, path: str) -> str:
    """Mark of one file, which changes when the file does; empty when there is none."""
    entry = folder.stat(path)
    return "" if entry is None else entry.mark


def entry_of(made_from: str | None, mark: str | None) -> str:
    """What the state stores about a file: what it was made from, and its own mark once written."""
    return f"{made_from} {mark}"


def is_current(state: State, marks: Mapping[str, str], name: str, made_from: str) -> bool:
    """Whether a run-level file was made from this input and nobody has changed the file since."""
    return name in marks and state.results.get(name) == entry_of(made_from, marks[name])


def documents_are_as_written(state: State, marks: Mapping[str, str]) -> bool:
    """Whether every events document that the state knows is there and nobody has changed it."""
    return all(
        entry.rpartition(" ")[2] == marks.get(path) for path, entry in state.documents.items()
    )


KEPT_TRIALS = 1_000
"""Trials of runs with fewer than this are made for the page while they are read, when their
documents are at hand, and wait in a temporary file."""
MOST_MADE_TRIALS = 20_000
"""Most trials that wait for pages: no page lists more. Each is 5 to 30 kB."""
MOST_FILES = 100_000
"""Files that a command remembers; they take about 20 MB."""


class FolderSeen(msgspec.Struct, frozen=True):
    """An output folder at one moment."""

    state: State
    marks: Mapping[str, str]
    """Mark of every file in it."""


class KnownResults:
    """The output folders as this command listed or left them.

    It holds for one command that does all stages, one right after another. Between two commands
    somebody may change a file, so by default nothing is remembered.
    """

    def __init__(self, most: int = 0) -> None:
        """`most`: files of all folders together that may be remembered."""
        self._seen: dict[str, FolderSeen] = {}
        self._left = most
        self.remembers = most > 0
        """Whether it remembers anything at all."""

    def __reduce__(self) -> tuple[type["KnownResults"], tuple[()]]:
        """A worker process starts with nothing: it gets runs that need work."""
        return KnownResults, ()

    def keep(self, folder: Folder, state: State, marks: Mapping[str, str]) -> None:
        """Remember a folder, unless that would be too many files."""
        self.keep_all({folder.url: FolderSeen(state, marks)})

    def keep_all(self, seen: Mapping[str, FolderSeen]) -> None:
        """The same for several folders, by address."""
        for address, one in seen.items():
            self._forget(address)
            if len(one.marks) <= self._left:
                self._left -= len(one.marks)
                self._seen[address] = one

    def get(self, folder: Folder) -> FolderSeen | None:
        """What is known about a folder."""
        return self._seen.get(folder.url)

    def look_at(self, folder: Folder) -> FolderSeen:
        """The same; a folder that is not known is listed now."""
        return self.get(folder) or FolderSeen(load_state(folder), folder.file_marks())

    def mark_of(self, folder: Folder, name: str) -> str:
        """Mark of one file of a folder; empty if there is none."""
        seen = self.get(folder)
        return mark_of(folder, name) if seen is None else seen.marks.get(name, "")

    def forget(self, folder: Folder) -> None:
        """Forget a folder, before anything is written into it."""
        self._forget(folder.url)

    def _forget(self, address: str) -> None:
        seen = self._seen.pop(address, None)
        self._left += len(seen.marks) if seen is not None else 0
