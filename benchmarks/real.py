"""What real trials cost: `python -m benchmarks.real [--against OTHER/src] [--repeat N]`.

Generated trials flatter: they have fewer kinds of commands and of output than real ones, and copies
of one trial share what is kept of it. So every real trial is read once, from the folders that
`GROUNDTRACE_CORPUS`, `GROUNDTRACE_CORPUS_NEXT` and `GROUNDTRACE_STUDY` name; without them the
program says so and ends.

Figures are the CPU time of all processes, trials a second, what 1,000 such trials would take, and
memory. With `--against`, another version is measured in turns with this one, and the last lines add
up all trials. `--count` counts instructions with valgrind instead, one process: it is slow, and
other work on the machine changes nothing.
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
from typing import NamedTuple

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
    **{
        name: ("GROUNDTRACE_CORPUS_NEXT", name, "")
        for name in (
            *("chat", "claude-code", "gemini", "inspect", "openhands", "pi", "swe-agent", "trae"),
        )
    },
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


class Turn(NamedTuple):
    """What a version took for a stage: millions of instructions if they were counted, else CPU."""

    shown: str
    spent: float
    seconds: float


def turns(name: str, stage: str, flags: argparse.Namespace) -> Iterator[Turn]:
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
            yield Turn(
                f"{name:<13} {stage:<10} {version:<6} {trials:4} trials {shown}", millions, 0
            )
            continue
        shown = (
            f"{found.cpu:6.2f} s CPU, {found.seconds:6.2f} s by the clock, "
            f"{trials / found.seconds:6.1f} trials a second, {found.seconds / trials * 1000:6.0f} s "
            f"for 1,000, {max(found.megabytes, found.worker):4.0f} MB"
        )
        line = f"{name:<13} {stage:<10} {version:<6} {trials:4} trials {shown}"
        yield Turn(line, found.cpu, found.seconds)


def ratios(pairs: list[list[Turn]]) -> str:
    """This version against the other, all sets together: what was spent, and time."""
    this, other = zip(*pairs, strict=True)
    spent = sum(turn.spent for turn in this) / sum(turn.spent for turn in other)
    seconds = sum(turn.seconds for turn in other)
    if not seconds:
        return f"{spent:.2f} × of the other"
    return (
        f"{spent:.2f} × of the other, by the clock {sum(t.seconds for t in this) / seconds:.2f} ×"
    )


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
    os.environ["OPENBLAS_NUM_THREADS"] = "1"  # threads that wait count as instructions
    there = [name for name in flags.names or SETS if os.environ.get(SETS[name][0])]
    if not there:
        print("no real trials at hand: set GROUNDTRACE_CORPUS or one of the others")
    with tempfile.TemporaryDirectory() as compiled:
        os.environ["PYTHONPYCACHEPREFIX"] = compiled
        for source in filter(None, (str(HERE), flags.against) if there else ()):
            # Else the first figures would hold the compiling of modules: each set has its own.
            os.environ["PYTHONPATH"] = source
            for name in there:
                cost(name, "run", 1, count=False)
        pairs: dict[str, list[list[Turn]]] = {stage: [] for stage in STAGES}
        for name in there:
            for stage in STAGES:
                found = list(turns(name, stage, flags))
                print(*(turn.shown for turn in found), sep="\n", flush=True)
                if flags.against:
                    pairs[stage].append(found)
                    print(f"{name:<13} {stage:<10} {ratios([found])}", flush=True)
        for stage, every in pairs.items():
            if every:
                print(f"{'all':<13} {stage:<10} {ratios(every)}")


if __name__ == "__main__":
    main()
