"""Cost of each trace reader, against Claude Code's: `python -m benchmarks.formats [FOLDER …]`.

Without folders, every reader reads the same generated session in its own format (`sessions`). The
marginal cost is the slope between a session of 100 calls and one of 400, so that opening a file is
not in it; that cost is the time of a session of one call. All readers take turns, and the least CPU
time of 15 turns counts. A reader that does not get every call and answer stops the program.

With folders, or with `--real` those of `GROUNDTRACE_CORPUS` and `GROUNDTRACE_CORPUS_NEXT`, each
reader reads every file that it recognises, 15 times; the least CPU time counts. Of three times it
was up to twice as much on a machine that others used. Real files differ in the length of their
answers, and a megabyte of long answers takes less than one of many calls: look at the cost of a
call too.
"""

from __future__ import annotations

import argparse
import os
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from benchmarks.sessions import measure
from groundtrace.storage import LocalFolder
from groundtrace.traces import all_readers
from groundtrace.traces.kit.choose import HEAD, Detected, claim_on
from groundtrace.traces.kit.claims import Probe
from groundtrace.traces.kit.keep import Keep

FIRST = "claude-code"
"""The reader that the others are compared with."""
TURNS = 15
LARGEST = 64 * 1024 * 1024


def traces_below(folder: Path) -> Iterator[tuple[Path, Detected]]:
    """Files below a folder that a reader recognises by more than their names."""
    readers = all_readers()[0]
    for path in sorted(folder.rglob("*")):
        if not path.is_file() or path.stat().st_size > LARGEST:
            continue
        with path.open("rb") as stream:
            found = claim_on(Probe(path.name, stream.read(HEAD)), readers, weakest="shape")
        if found is not None:
            yield path, found


def calls_in(path: Path, found: Detected, samples: Sequence[str]) -> int:
    """The calls of a file, or of each of its samples."""
    reader: Any = found.reader
    folder, name = LocalFolder(path.parent), path.name
    if not samples:
        return len(reader.read(folder, name, Keep()).calls)
    return sum(len(reader.read_sample(folder, name, one, Keep()).calls) for one in samples)


def samples_in(path: Path, found: Detected) -> list[str]:
    """Names of the samples of a file: read as one trace, a file of several gives no call at all."""
    listed = getattr(found.reader, "samples", None)
    if listed is None or not hasattr(found.reader, "read_sample"):
        return []
    names = [
        getattr(one, "sample_id", None) for one in listed(LocalFolder(path.parent), path.name) or ()
    ]
    return [name for name in names if name is not None]


def cost_of(path: Path, found: Detected) -> tuple[float, int] | None:
    """CPU seconds for reading a file, and its number of calls; None if it cannot be read alone."""
    taken = []
    calls = 0
    try:
        samples = samples_in(path, found)
        for _ in range(TURNS):
            started = time.process_time()
            calls = calls_in(path, found, samples)
            taken.append(time.process_time() - started)
    except Exception:  # noqa: BLE001 - whatever a file makes a reader say, it is no measure
        return None
    return min(taken), calls


def print_real(folders: Iterable[Path]) -> None:
    """The table for the traces below some folders."""
    seconds: defaultdict[str, float] = defaultdict(float)
    size: defaultdict[str, int] = defaultdict(int)
    files: defaultdict[str, int] = defaultdict(int)
    calls: defaultdict[str, int] = defaultdict(int)
    for folder in folders:
        for path, found in traces_below(folder):
            cost = cost_of(path, found)
            if cost is not None:
                seconds[found.reader.name] += cost[0]
                calls[found.reader.name] += cost[1]
                size[found.reader.name] += path.stat().st_size
                files[found.reader.name] += 1
    if not seconds:
        raise SystemExit("no traces; name folders that hold some")
    base = seconds[FIRST] / size[FIRST] if size[FIRST] else None
    first = seconds[FIRST] / calls[FIRST] if calls[FIRST] else None
    print(
        f"{'reader':<16} {'files':>6} {'MB':>6} {'ms/MB':>7} {'calls':>6} {'µs/call':>8}"
        f"   against {FIRST}: a MB, a call"
    )
    for name in sorted({reader.name for reader in all_readers()[0]} | seconds.keys()):
        if name not in seconds:
            print(f"{name:<16} {0:6}   no trace of it in these folders")
            continue
        of_byte = seconds[name] / size[name]
        of_call = seconds[name] / calls[name] if calls[name] else 0.0
        ratio = "" if base is None else f"{of_byte / base:.2f} ×"
        ratio += "" if not first or not of_call else f", {of_call / first:.2f} ×"
        print(
            f"{name:<16} {files[name]:6} {size[name] / 1e6:6.1f} {of_byte * 1e9:7.1f}"
            f" {calls[name]:6} {of_call * 1e6:8.0f}   {ratio}"
        )


def print_generated(turns: int) -> None:
    """The table for the generated session."""
    costs = measure.costs(sorted(reader.name for reader in all_readers()[0]), turns)
    first = costs[FIRST]
    print(f"marginal cost between {measure.SHORT} and {measure.LONG} calls, CPU time")
    print(
        f"{'reader':<16} {'MB':>6} {'calls':>6} {'ms/MB':>7} {'µs/call':>8} {'ms/file':>8}"
        f"   against {FIRST}: a MB, a call"
    )
    for name, cost in costs.items():
        print(
            f"{name:<16} {cost.megabytes:6.2f} {measure.LONG:6} {cost.of_megabyte * 1e3:7.2f}"
            f" {cost.of_call * 1e6:8.1f} {cost.fixed * 1e3:8.2f}"
            f"   {cost.of_megabyte / first.of_megabyte:.2f} ×, {cost.of_call / first.of_call:.2f} ×"
        )
    print("MB: the longer file, inspect's before it was packed; ms/file: a session of one call")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folders", nargs="*", type=Path, help="read the real traces below these")
    parser.add_argument("--real", action="store_true", help="read those that the environment names")
    parser.add_argument("--turns", type=int, default=TURNS, help="of the generated session")
    flags = parser.parse_args()
    if not flags.folders and not flags.real:
        print_generated(flags.turns)
        return
    names = ("GROUNDTRACE_CORPUS", "GROUNDTRACE_CORPUS_NEXT")
    print_real(flags.folders or [Path(os.environ[name]) for name in names if name in os.environ])


if __name__ == "__main__":
    main()
