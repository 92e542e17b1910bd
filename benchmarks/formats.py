"""Cost of each trace reader, relative to Claude Code's: `python -m benchmarks.formats [FOLDER …]`.

Each reader reads every file below the folders that it recognises, 15 times; the least CPU time
counts. Of three times it was up to twice as much on a machine that others used. A megabyte of long answers takes less than one of many calls: the cost of a call is beside it.
Default folders are those of `GROUNDTRACE_CORPUS` and `GROUNDTRACE_CORPUS_NEXT`.
"""

from __future__ import annotations

import argparse
import os
import time
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from groundtrace.storage import LocalFolder
from groundtrace.traces import all_readers
from groundtrace.traces.choose_reader import HEAD, Detected, claim_on
from groundtrace.traces.claims import Probe
from groundtrace.traces.keep import Keep

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


def cost_of(path: Path, found: Detected) -> tuple[float, int] | None:
    """CPU seconds for reading a file, and its number of calls; None if it cannot be read alone."""
    taken = []
    calls = 0
    for _ in range(TURNS):
        started = time.process_time()
        try:
            calls = len(found.reader.read(LocalFolder(path.parent), path.name, Keep()).calls)
        except Exception:  # noqa: BLE001 - whatever a file makes a reader say, it is no measure
            return None
        taken.append(time.process_time() - started)
    return min(taken), calls


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folders", nargs="*", type=Path)
    folders = parser.parse_args().folders or [
        Path(os.environ[name])
        for name in ("GROUNDTRACE_CORPUS", "GROUNDTRACE_CORPUS_NEXT")
        if name in os.environ
    ]
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


if __name__ == "__main__":
    main()
