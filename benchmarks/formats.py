"""Cost of each trace reader, relative to Claude Code's: `python -m benchmarks.formats [FOLDER …]`.

Each reader reads every file below the folders that it recognises, three times; the least CPU time
counts. Default folders are those of `GROUNDTRACE_CORPUS` and `GROUNDTRACE_CORPUS_NEXT`.
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


def cpu_of(path: Path, found: Detected) -> float | None:
    """Seconds of CPU time that reading a file takes; None if it cannot be read alone."""
    taken = []
    for _ in range(3):
        started = time.process_time()
        try:
            found.reader.read(LocalFolder(path.parent), path.name, Keep())
        except Exception:  # noqa: BLE001 - whatever a file makes a reader say, it is no measure
            return None
        taken.append(time.process_time() - started)
    return min(taken)


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
    for folder in folders:
        for path, found in traces_below(folder):
            cpu = cpu_of(path, found)
            if cpu is not None:
                seconds[found.reader.name] += cpu
                size[found.reader.name] += path.stat().st_size
                files[found.reader.name] += 1
    if not seconds:
        raise SystemExit("no traces; name folders that hold some")
    base = seconds[FIRST] / size[FIRST] if size[FIRST] else None
    print(f"{'reader':<16} {'files':>6} {'MB':>8} {'ms/MB':>8}   against {FIRST}")
    for name in sorted(seconds):
        cost = seconds[name] / size[name]
        ratio = "" if base is None else f"{cost / base:.2f} ×"
        print(f"{name:<16} {files[name]:6} {size[name] / 1e6:8.1f} {cost * 1e9:8.1f}   {ratio}")


if __name__ == "__main__":
    main()
