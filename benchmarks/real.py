"""What real trials cost: `python -m benchmarks.real [--against OTHER/src] [--repeat N]`.

Generated trials flatter: they have fewer kinds of commands and of output than real ones, and copies
of one trial share what is kept of it. So every real trial is read once, from the folders that
`GROUNDTRACE_CORPUS`, `GROUNDTRACE_CORPUS_NEXT` and `GROUNDTRACE_STUDY` name; without them the
program says so and ends.

Figures are the CPU time of all processes, trials a second, what 1,000 such trials would take, and
memory. With `--against`, another version is measured in turns with this one. `--count` counts
instructions with valgrind instead, one process: it is slow, and other work on the machine changes
nothing.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from benchmarks.pipeline import Cost, measured

HERE = Path(__file__).parent.parent / "src"
SETS = {
    "corpus": ("GROUNDTRACE_CORPUS", "runs/official", "benchmarks"),
    "swebench": ("GROUNDTRACE_CORPUS_NEXT", "swebench/mini-swe-agent", "swebench/tasks.jsonl"),
    "contextbench": (
        "GROUNDTRACE_CORPUS_NEXT",
        "contextbench/mini-swe-agent",
        "contextbench/gold.jsonl",
    ),
    "codex": ("GROUNDTRACE_CORPUS_NEXT", "codex", ""),
    "swe-agent": ("GROUNDTRACE_CORPUS_NEXT", "swe-agent", ""),
    "openhands": ("GROUNDTRACE_CORPUS_NEXT", "openhands", ""),
    "study": ("GROUNDTRACE_STUDY", "mini-swe-agent-gemini-3-pro", "verified.jsonl"),
}
"""Where real trials lie: the variable that names the folder, the runs and the tasks in it."""
STAGES = ("normalize", "evaluate", "run")


def command(name: str, stage: str, out: str, jobs: int) -> list[str]:
    """The command line of one stage."""
    variable, runs, tasks = SETS[name]
    root = Path(os.environ[variable])
    given = ["--tasks", str(root / tasks)] if tasks and stage != "evaluate" else []
    flags = ["--out", out, "--jobs", str(jobs), "--no-progress", "-q"]
    return [sys.executable, "-m", "groundtrace", stage, str(root / runs), *given, *flags]


def cost(name: str, stage: str, jobs: int, *, count: bool) -> tuple[Cost, float, int]:
    """What a stage costs, its instructions in millions, and the number of trials."""
    with tempfile.TemporaryDirectory() as out:
        if stage == "evaluate":
            subprocess.run(command(name, "normalize", out, jobs), capture_output=True, check=False)
        line = command(name, stage, out, jobs)
        millions = instructions(line) if count else 0.0
        found = Cost(0, 0, 0, 0) if count else measured(line)
        return found, millions, sum(1 for _ in Path(out).rglob("*.retrieval_events.json"))


def instructions(line: list[str]) -> float:
    """Instructions of a command, in millions."""
    tool = ["valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"]
    said = subprocess.run([*tool, *line], capture_output=True, text=True, check=False).stderr
    found = re.search(r"I\s+refs:\s+([\d,]+)", said)
    if found is None:
        raise SystemExit(f"valgrind counted nothing: {said[-300:]}")
    return int(found[1].replace(",", "")) / 1e6


def turns(name: str, stage: str, flags: argparse.Namespace) -> Iterator[tuple[str, float]]:
    """The least of several turns of each version."""
    versions = {"this": str(HERE), **({"other": flags.against} if flags.against else {})}
    best: dict[str, tuple[Cost, float]] = {}
    trials = 0
    for _ in range(1 if flags.count else flags.repeat):
        for version, source in versions.items():
            os.environ["PYTHONPATH"] = source
            found, millions, trials = cost(name, stage, flags.jobs, count=flags.count)
            if version not in best or found.cpu < best[version][0].cpu:
                best[version] = (found, millions)
    for version, (found, millions) in best.items():
        if flags.count:
            shown = f"{millions:9,.0f} million instructions"
            yield f"{name:<13} {stage:<10} {version:<6} {trials:4} trials {shown}", millions
            continue
        shown = (
            f"{found.cpu:6.2f} s CPU, {found.seconds:6.2f} s by the clock, "
            f"{trials / found.seconds:6.1f} trials a second, {found.seconds / trials * 1000:6.0f} s "
            f"for 1,000, {max(found.megabytes, found.worker):4.0f} MB"
        )
        yield f"{name:<13} {stage:<10} {version:<6} {trials:4} trials {shown}", found.cpu


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("names", nargs="*", help=f"which trials: {', '.join(SETS)}")
    parser.add_argument("--against", metavar="SRC", help="the src folder of another version")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--count", action="store_true", help="count instructions with valgrind")
    flags = parser.parse_args()
    flags.jobs = 1 if flags.count else flags.jobs
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # a user's modules are compiled once
    there = [name for name in flags.names or SETS if os.environ.get(SETS[name][0])]
    if not there:
        print("no real trials at hand: set GROUNDTRACE_CORPUS or one of the others")
    with tempfile.TemporaryDirectory() as compiled:
        os.environ["PYTHONPYCACHEPREFIX"] = compiled
        for source in filter(None, (str(HERE), flags.against) if there else ()):
            # Else the first figure would hold the compiling of all modules.
            os.environ["PYTHONPATH"] = source
            cost(there[0], "run", 1, count=False)
        for name in there:
            for stage in STAGES:
                found = dict(turns(name, stage, flags))
                print("\n".join(found), flush=True)
                if flags.against:
                    this, other = found.values()
                    print(f"{name:<13} {stage:<10} {this / other:.2f} × of the other", flush=True)


if __name__ == "__main__":
    main()
