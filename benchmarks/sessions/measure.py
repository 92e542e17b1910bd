"""What each trace reader takes for the generated session.

A reader that does not get every call with its answer, or that reports a problem, stops the program:
one that skips work must not look cheap.
"""

from __future__ import annotations

import gc
import tempfile
import time
import zipfile
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from benchmarks.sessions import WRITERS, made
from groundtrace.storage import LocalFolder
from groundtrace.traces import all_readers
from groundtrace.traces.kit.choose import HEAD, claim_on
from groundtrace.traces.kit.claims import Probe
from groundtrace.traces.kit.keep import Keep
from groundtrace.traces.source import Reader, Source

SHORT, LONG = 100, 400
"""Calls of the two sessions between which the marginal cost is measured."""
TURNS = 15


@dataclass(frozen=True, slots=True)
class Trace:
    """A written session and its reader."""

    path: Path
    reader: Reader
    megabytes: float
    """Of the file; of an archive, before it was packed."""

    def read(self) -> Source:
        """The calls, as the reader finds them."""
        return self.reader.read(LocalFolder(self.path.parent), self.path.name, Keep())


@dataclass(frozen=True, slots=True)
class Cost:
    """What a reader takes, in CPU seconds."""

    megabytes: float
    """Of the longer session."""
    of_megabyte: float
    of_call: float
    fixed: float
    """What a file takes with only one call in it."""


def write(folder: Path, name: str, calls: int) -> Trace:
    """Write the session for a reader, and check that the reader gets all of it."""
    writer = WRITERS[name]
    path = folder / f"{name}-{calls}" / writer.file
    path.parent.mkdir()
    data = writer.write(made(calls))
    path.write_bytes(data)
    found = claim_on(Probe(path.name, data[:HEAD]), all_readers()[0], weakest="shape")
    if found is None or found.reader.name != name:
        other = "no reader" if found is None else found.reader.name
        raise SystemExit(f"{name}: the generated session is recognised by {other}")
    size = len(data)
    if zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as archive:
            size = sum(member.file_size for member in archive.infolist())
    trace = Trace(path, found.reader, size / 1e6)
    source = trace.read()
    answered = sum(call.result is not None for call in source.calls)
    if not len(source.calls) == answered == calls or source.problems:
        why = "; ".join(problem.reason for problem in source.problems[:1])
        raise SystemExit(
            f"{name}: {len(source.calls)} calls with {answered} answers were read of {calls}. {why}"
        )
    return trace


def costs(names: Iterable[str], turns: int = TURNS) -> dict[str, Cost]:
    """What each of these readers takes; all in turn, and the least of the turns counts."""
    with tempfile.TemporaryDirectory() as folder:
        traces = {
            (name, calls): write(Path(folder), name, calls)
            for name in names
            for calls in (1, SHORT, LONG)
        }
        least: defaultdict[tuple[str, int], float] = defaultdict(lambda: float("inf"))
        for _ in range(turns):
            for key, trace in traces.items():
                gc.collect()  # what another reader left over is not this one's cost
                started = time.process_time()
                trace.read()
                least[key] = min(least[key], time.process_time() - started)
    return {name: _cost(name, traces, least) for name in dict.fromkeys(key[0] for key in traces)}


def _cost(
    name: str, traces: dict[tuple[str, int], Trace], least: dict[tuple[str, int], float]
) -> Cost:
    long, short = (traces[name, calls].megabytes for calls in (LONG, SHORT))
    more = least[name, LONG] - least[name, SHORT]
    return Cost(
        megabytes=long,
        of_megabyte=more / (long - short),
        of_call=more / (LONG - SHORT),
        fixed=least[name, 1],
    )
