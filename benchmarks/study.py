"""The study's trials through `groundtrace run`: `python -m benchmarks.study DATA [JOBS]`.

Prints time by the clock, CPU time of all processes and the most memory of one process.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from benchmarks.pipeline import measured
from studies.swe_bench_verified import measure


def main() -> None:
    """All trials with their functions, and the same again without changes."""
    data = Path(sys.argv[1])
    command = [sys.executable, "-m", "groundtrace", "run", str(data), "--quiet", "--no-progress"]
    command += ["--tasks", str(data / measure.TASKS), "--repos", str(data / "repos")]
    command += ["--reader", str(measure.READER), "--jobs", *(sys.argv[2:] or ["1"])]
    command += [part for layout in measure.LAYOUTS for part in ("--layout", layout)]
    with tempfile.TemporaryDirectory() as out:
        for name in ("first run", "unchanged"):
            cost = measured([*command, "--out", out])
            memory = f"{cost.megabytes:.0f} MB, largest worker {cost.worker:.0f} MB"
            print(f"{name:<9} {cost.seconds:7.1f} s, CPU {cost.cpu:6.1f} s, {memory}", flush=True)


if __name__ == "__main__":
    main()
