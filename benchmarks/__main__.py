"""All benchmarks in sequence, quick by default: `python -m benchmarks [--full] [NAME …]`.

Each prints what it measured as ratios. `--full` uses the sizes of the figures in DIARY.md; it
takes a quarter of an hour on two idle cores.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).parent


class Benchmark(NamedTuple):
    """One program of this folder, with the arguments of a quick run and of a full one."""

    about: str
    quick: tuple[str, ...] = ()
    full: tuple[str, ...] = ()


BENCHMARKS = {
    "real": Benchmark("real trials, where they are at hand", ("--repeat", "1"), ("--repeat", "3")),
    "pipeline": Benchmark(
        "the whole path against decoding alone",
        ("--sizes", "100,400", "--repeat", "2"),
        ("--sizes", "250,1000,8000", "--repeat", "2"),
    ),
    "million": Benchmark("a million rows", ("--trials", "20000", "--draws", "200")),
    "readers": Benchmark("trace readers against decoding alone", ("--size", "5")),
    "formats": Benchmark("trace readers against Claude Code's", ("--turns", "5")),
    "metrics": Benchmark("sections of the metrics document", ("--turns", "10")),
    "discovery": Benchmark("finding trials", ("5000",), ("100000",)),
    "shell": Benchmark("files behind shell commands"),
    "cases": Benchmark("files behind calls that were labelled by hand"),
    "extraction": Benchmark("the same on real calls"),
    "intervals": Benchmark("coverage of intervals", ("--sets", "40", "--trials", "2000")),
    "verdicts": Benchmark(
        "what the answer promises",
        ("--sets", "30", "--parts", "family,worlds"),
        ("--sets", "600"),
    ),
    "report": Benchmark("the page of a large run"),
    "view": Benchmark("the viewer of a large run", ("1000",), ("20000",)),
    "masking": Benchmark("credentials masked, harmless text left"),
}


def command(name: str, full: bool) -> list[str] | None:
    """The command line of a benchmark; None if it cannot be run here."""
    if not (HERE / f"{name}.py").exists():
        return None
    arguments = BENCHMARKS[name].full if full else BENCHMARKS[name].quick
    if name == "extraction":
        labels = Path(os.environ.get("GROUNDTRACE_CORPUS", "none")) / "labels.jsonl"
        if not labels.exists():
            return None
        arguments = (str(labels), "--shell")
    return [sys.executable, "-m", f"benchmarks.{name}", *arguments]


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("names", nargs="*", help=f"which ones: {', '.join(BENCHMARKS)}")
    parser.add_argument("--full", action="store_true", help="the sizes of DIARY.md")
    flags = parser.parse_args()
    unknown = [name for name in flags.names if name not in BENCHMARKS]
    if unknown:
        parser.error(f"no benchmark {unknown[0]!r}; there are {', '.join(BENCHMARKS)}")
    failed = []
    for name in flags.names or BENCHMARKS:
        line = command(name, flags.full)
        if line is None:
            print(f"\n## {name}: left out (needs GROUNDTRACE_CORPUS)", flush=True)
            continue
        print(f"\n## {name}: {BENCHMARKS[name].about}\n   {' '.join(line[1:])}", flush=True)
        if subprocess.run(line, check=False, cwd=HERE.parent).returncode:
            failed.append(name)
    if failed:
        print(f"\nfailed: {', '.join(failed)}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
