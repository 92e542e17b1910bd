"""Traces without a trial's folder: recognised by their content, and read one sample at a time.

The start of a file tells, or its outline (`choose.py`), so large files that are not traces cost
little more than small ones. A claim by name does not count here: outside of a trial's folder a name says little.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from groundtrace.base.frozen import Frozen
from groundtrace.model import Claimed, Problem, ReadResult, Repeats, Stated, Trace, Trial
from groundtrace.storage import Folder
from groundtrace.storage.local import current_mark
from groundtrace.storage.watch import Watch, note_all, watched
from groundtrace.traces.kit.choose import Detected, is_screen, look, own_reader, what_it_is
from groundtrace.traces.kit.claims import Sample
from groundtrace.traces.kit.keep import Keep
from groundtrace.traces.kit.known import HELD
from groundtrace.traces.kit.repeated_calls import leave_out, session_calls
from groundtrace.traces.source import Reader, Source, within_limits


def recognise(
    folder: Folder, path: str, readers: Sequence[Reader], *, named: bool = False
) -> tuple[Detected | None, str, Problem | None]:
    """The reader of a file, else why it is not a trace; a problem if it cannot be read, or if its
    name is that of a trace.

    A part of another trace is not a trial, unless the caller asked for this very file (`named`).
    """
    try:
        found, head = look(folder, path, readers, "shape")
    except OSError as error:
        return None, "cannot be read", Problem(path, "unreadable", f"cannot be read: {error}")
    if found is None:
        why = what_it_is(head)
        return None, why, None if named else _refused(path, why, readers)
    if named:
        return found, "", None
    if not getattr(found.reader, "reads_text", False) and is_screen(path, head):
        return None, "a captured terminal with some lines of JSON", None
    if is_part(found.reader, path):
        return None, f"a part of another {found.reader.name} trace", None
    whole = part_of(found.reader, folder, path)
    if whole is not None:
        return None, f"a part of {whole}", None
    return found, "", None


def _refused(path: str, why: str, readers: Sequence[Reader]) -> Problem | None:
    """A problem if a file is named like the traces of a reader and is none: a trial is missing."""
    reader = own_reader(path, readers)
    if reader is None:
        return None
    return Problem(path, "unrecognised", f"named like a trace of {reader.name}, but it is {why}")


def is_part(reader: Reader, path: str) -> bool:
    """Whether a reader says that a file is a part of another trace."""
    asked = getattr(reader, "is_part", None)
    return asked is not None and bool(asked(path))


def part_of(reader: Reader, folder: Folder, path: str) -> str | None:
    """The trace that a file is a part of, according to its reader."""
    asked = getattr(reader, "part_of", None)
    return None if asked is None else asked(folder, path)


def samples_of(found: Detected, folder: Folder) -> Iterator[Sample | Problem]:
    """The samples of a trace file; one sample if its reader cannot list samples."""
    listing = getattr(found.reader, "samples", None)
    try:
        samples = None if listing is None else listing(folder, found.path)
        if samples is not None:
            yield from samples
            return
        source = _read_to_list(found.reader, folder, found.path)
    except OSError as error:
        yield Problem(found.path, "unreadable", f"cannot be read: {error}")
        return
    yield Sample(
        None,
        _stated_by_source(source),
        source.no_trial,
        session=session_calls(found.reader, source),
        first_call=source.first_call,
    )


class _Held(Frozen, frozen=True):
    """A file that was read to list it."""

    source: Source
    keep: Keep
    reader: Reader
    files: Mapping[str, str]
    """Files that were opened, each with its mark."""

    @property
    def is_as_read(self) -> bool:
        """Whether all these files are as they were."""
        return all(mark == current_mark(path) for path, mark in self.files.items())


def _read_to_list(reader: Reader, folder: Folder, path: str) -> Source:
    """Read a file that shows only so what it states, and hold it for the reading of its trial."""
    entry, keep = folder.stat(path), Keep()
    try:
        with watched() as watch:
            source = within_limits(lambda: reader.read(folder, path, keep))
    finally:
        note_all(watch)
    if entry is not None and not watch.errors:
        held = _Held(source, keep, reader, watch.files)
        HELD.keep((folder.url, path, entry.mark), held, entry.size)
    return source


def _held(reader: Reader, folder: Folder, claimed: Claimed | None, path: str) -> _Held | None:
    """A file as it was read to list it, if it is the same as then."""
    if claimed is None:
        return None
    held: _Held | None = HELD.take((folder.url, path, claimed.mark))
    if held is None or held.reader is not reader or not held.is_as_read:
        return None
    note_all(Watch(dict(held.files)))
    return held


def _stated_by_source(source: Source) -> Stated:
    """What a source says about itself, for readers that do not fill `stated`."""
    if source.stated != Stated():
        return source.stated
    return Stated(
        model=source.model, harness=source.harness, harness_version=source.harness_version
    )


def read_trace_of(trial: Trial, mappings: tuple[tuple[str, str], ...] = ()) -> ReadResult:
    """The trace of a trial: all files in its folder, or its sample in a loose file."""
    if trial.loose is not None:
        loose = trial.loose
        if loose.is_result:
            return ReadResult(Trace(), ())
        return read_loose(
            *(trial.folder, loose.file, loose.sample),
            mappings=mappings,
            repeats=loose.repeats,
            claimed=loose.claimed,
        )
    from groundtrace.traces import read_trace

    return read_trace(trial.folder, mappings=mappings)


def first_call_of(trial: Trial, mappings: tuple[tuple[str, str], ...] = ()) -> float | None:
    """When the first call of a trial was made, read from its trace."""
    calls = read_trace_of(trial, mappings).trace.calls
    return min((call.timestamp for call in calls if call.timestamp is not None), default=None)


def read_loose(
    folder: Folder,
    path: str,
    sample: str | None,
    readers: Sequence[Reader] | None = None,
    mappings: tuple[tuple[str, str], ...] = (),
    repeats: Repeats | None = None,
    claimed: Claimed | None = None,
) -> ReadResult:
    """The trace of one sample of a file; `readers` and `mappings` as in `read_trace`.

    If the session `repeats` another one, its trace is only what it adds. If the file is as it was
    when discovery `claimed` it for a reader, no reader is asked again.
    """
    from groundtrace.traces import all_readers
    from groundtrace.traces.kit.merge import merge

    problems: list[Problem] = []
    if readers is None:
        readers, failed = all_readers(mappings) if mappings else all_readers()
        problems += failed
    reader, evidence = _claimed(folder, path, readers, claimed), claimed.evidence if claimed else ""
    if reader is None:
        found, why, problem = recognise(folder, path, readers, named=True)
        if found is None:
            problems.append(problem or Problem(path, "unrecognised", f"no trace: {why}"))
            return ReadResult(merge([], []), tuple(problems))
        reader, evidence = found.reader, found.evidence
    if sample is not None and not hasattr(reader, "read_sample"):
        reason = f"a {reader.name} trace is one sample; there is no {sample!r} in it"
        problems.append(Problem(path, "unrecognised", reason))
        return ReadResult(merge([], []), tuple(problems))
    held = None if sample is not None else _held(reader, folder, claimed, path)
    keep = Keep() if held is None else held.keep
    sources = [] if held is None else [held.source]
    for file in (path, *companions_of(reader, folder, path))[len(sources) :]:
        try:
            of_file = sample if file == path else None
            sources.append(within_limits(partial(_read, reader, folder, file, of_file, keep)))
        except OSError as error:
            problems.append(Problem(file, "unreadable", str(error)))
    if repeats is not None and sources:
        leave_out(sources[0], repeats)
    for source in sources:
        problems += source.problems
    if keep.cut_arguments:
        reason = f"arguments of {keep.cut_arguments} calls were shortened: over the memory limit"
        problems.append(Problem(path, "arguments_cut", reason))
    trace = merge(sources, [evidence], problems)
    return ReadResult(trace, tuple(problems))


def _claimed(
    folder: Folder, path: str, readers: Sequence[Reader], claimed: Claimed | None
) -> Reader | None:
    """The reader that a file was recognised for, if the file is still the same. A mapping of the
    user may have the name of another reader: then the name does not tell."""
    if claimed is None:
        return None
    entry = folder.stat(path)
    named = [reader for reader in readers if reader.name == claimed.reader]
    is_same = entry is not None and entry.mark == claimed.mark and len(named) == 1
    return named[0] if is_same else None


def _read(reader: Reader, folder: Folder, path: str, sample: str | None, keep: Keep) -> Source:
    if sample is not None:
        return reader.read_sample(folder, path, sample, keep)  # type: ignore[attr-defined, no-any-return]
    return reader.read(folder, path, keep)


def companions_of(reader: Reader, folder: Folder, path: str) -> Sequence[str]:
    """Files that a reader reads together with a trace."""
    listing = getattr(reader, "companions", None)
    return () if listing is None else tuple(listing(folder, path))
