"""The whole path compared to decoding: `python -m benchmarks.pipeline [--sizes N,N] [--repeat N]`.

Generates corpora of two or more sizes and measures, each in separate processes and one after
another,

- `json.loads` of the standard library and msgspec's decoder over the bytes of all traces,
- normalize with evaluate, as `groundtrace run` does them, with one and with two processes,
- the same again when nothing changed.

The best of several turns counts. Two sizes separate the fixed cost (starting, importing) from the
marginal cost per megabyte. At the end it prints ratios, because seconds depend on the machine.
`--run-size N` puts N trials into each run: 10,000 for one large run, 2 for many small ones. Every
generated trial must have its documents in the end; otherwise the program stops.
`--profile FILE` writes a profile of one process instead.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from json import loads
from pathlib import Path

from benchmarks.generate import RUN_SIZE, generate

TRACES = ("claude-code.txt", "session.jsonl", "trajectory.json")
SAMPLE_SECONDS = 0.02
TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True, slots=True)
class Cost:
    """What a command took."""

    seconds: float
    """Wall-clock time."""
    cpu: float
    """CPU seconds of all of its processes together; other users of the machine change it little."""
    megabytes: float
    """Peak memory of the process that was started."""
    worker: float
    """Peak memory of its largest worker; 0 without workers."""


@dataclass(frozen=True, slots=True)
class Line:
    """A cost as a straight line through two sizes."""

    fixed: float
    marginal: float
    """Seconds per megabyte."""


def measured(command: list[str]) -> Cost:
    """Run a command and measure all of its processes."""
    started = time.perf_counter()
    process = subprocess.Popen(command, start_new_session=True, stdout=subprocess.DEVNULL)
    cpu: dict[int, float] = {}
    peak = {process.pid: 0.0}
    while process.poll() is None:
        for pid, seconds, megabytes in _processes(process.pid):
            cpu[pid] = seconds
            peak[pid] = max(peak.get(pid, 0.0), megabytes)
        time.sleep(SAMPLE_SECONDS)
    if process.returncode:
        raise SystemExit(f"{' '.join(command)} ended with {process.returncode}")
    own = peak.pop(process.pid)
    workers = max(peak.values(), default=0.0)
    return Cost(time.perf_counter() - started, sum(cpu.values()), own, workers)


def _processes(session: int) -> Iterator[tuple[int, float, float]]:
    """Every process of a session: its id, its CPU seconds so far, its peak memory in megabytes."""
    for name in os.listdir("/proc"):
        if not name.isdigit():
            continue
        try:
            fields = Path(f"/proc/{name}/stat").read_text().rpartition(")")[2].split()
            if int(fields[3]) != session:
                continue
            status = Path(f"/proc/{name}/status").read_text()
        except (OSError, ValueError, IndexError):
            continue
        peak = next((li for li in status.splitlines() if li.startswith("VmHWM:")), "VmHWM: 0")
        yield int(name), (int(fields[11]) + int(fields[12])) / TICKS, int(peak.split()[1]) / 1024


def decode_all(folder: Path, decoder: str) -> None:
    """Read and decode every trace: the least that any program must do with them."""
    if decoder == "json":
        decode = loads
    else:
        from msgspec.json import decode
    for path in folder.rglob("agent/*"):
        data = path.read_bytes()
        if path.name == "trajectory.json":
            decode(data)
        else:
            for line in data.splitlines():
                decode(line)


def work(folder: Path, out: Path, jobs: int) -> None:
    """Normalize and evaluate, as `groundtrace run` does."""
    from groundtrace.runs.engine import make_engine
    from groundtrace.runs.evaluate import evaluate
    from groundtrace.runs.normalize import normalize
    from groundtrace.runs.request import Request
    from groundtrace.runs.tally import Did

    engine = make_engine("local", jobs=jobs, preload=("groundtrace.runs.preload",), may_fork=True)
    request = Request(
        runs=str(folder / "runs"), tasks=(str(folder / "benchmarks"),), out=str(out), engine=engine
    )
    did = Did()
    normalize(request, with_metrics=True, did=did)
    evaluate(request, did)
    engine.close()


def profile(folder: Path, file: Path) -> None:
    """A profile of the work in one process."""
    import cProfile

    with tempfile.TemporaryDirectory() as out:
        profiler = cProfile.Profile(time.process_time)
        profiler.runcall(work, folder, Path(out), 1)
    profiler.dump_stats(file)
    print(f"profile in {file}; read it with: python -m pstats {file}")


def counts_in(out: Path, trials: int) -> int:
    """Number of pairs of a call and a file in the events documents.

    Stops if one of the generated trials has no documents: it would make the others look cheap.
    """
    counted: set[str] = set()
    pairs = 0
    for path in out.rglob("*.retrieval_events.json"):
        document = loads(path.read_bytes())
        if Path(str(path).replace(".retrieval_events.", ".retrieval_metrics.")).exists():
            counted.add(document["provenance"]["trial_name"])
        pairs += sum(len(event["accesses"]) for event in document["events"])
    if len(counted) != trials:
        raise SystemExit(f"only {len(counted):,} of {trials:,} generated trials have documents")
    print(f"{len(counted):,} of {trials:,} trials counted")
    return pairs


def _command(*arguments: object) -> list[str]:
    return [sys.executable, "-m", "benchmarks.pipeline", *map(str, arguments)]


NAMES = ("json.loads", "msgspec", "1 process", "2 processes", "unchanged")


def costs(folder: Path, repeat: int) -> dict[str, Cost]:
    """Every cost of one corpus, the best of several turns."""
    best: dict[str, Cost] = {}
    for _ in range(repeat):
        for name, cost in _turn(folder):
            before = best.get(name, cost)
            best[name] = Cost(
                min(before.seconds, cost.seconds),
                min(before.cpu, cost.cpu),
                max(before.megabytes, cost.megabytes),
                max(before.worker, cost.worker),
            )
    return best


def _turn(folder: Path) -> Iterator[tuple[str, Cost]]:
    out = folder / "out"
    yield "json.loads", measured(_command("--decode", "json", folder))
    yield "msgspec", measured(_command("--decode", "msgspec", folder))
    for jobs, name in ((1, "1 process"), (2, "2 processes")):
        shutil.rmtree(out, ignore_errors=True)
        yield name, measured(_command("--work", jobs, folder))
    yield "unchanged", measured(_command("--work", 2, folder))


def line(
    small: tuple[float, dict[str, Cost]],
    large: tuple[float, dict[str, Cost]],
    of: Callable[[Cost], float],
    name: str,
) -> Line:
    """A cost as a straight line through two sizes."""
    low, high = of(small[1][name]), of(large[1][name])
    marginal = (high - low) / (large[0] - small[0])
    return Line(low - marginal * small[0], marginal)


Found = dict[int, tuple[float, dict[str, Cost]]]
"""Trials to megabytes and costs."""


def report(found: Found) -> None:
    """Tables of what was measured, and the ratios."""
    print(f"\n{'trials':>7} {'MB':>8}  " + "".join(f"{name:>30}" for name in NAMES))
    for trials, (size, cost) in found.items():
        cells = (
            f"{cost[n].seconds:.2f} s, CPU {cost[n].cpu:.2f}, {cost[n].megabytes:.0f} MB"
            for n in NAMES
        )
        print(f"{trials:7,} {size:8,.1f}  " + "".join(f"{cell:>30}" for cell in cells))
    (small, first), (large, last) = min(found.items()), max(found.items())
    by_clock = {n: line(first, last, lambda cost: cost.seconds, n) for n in NAMES}
    by_cpu = {n: line(first, last, lambda cost: cost.cpu, n) for n in NAMES}
    for what, lines in (("clock", by_clock), ("CPU time of all processes", by_cpu)):
        print(f"\nfixed and marginal cost by the {what}, from {small:,} and {large:,} trials")
        for name, cost in lines.items():
            ratios = [cost.marginal / lines[other].marginal for other in ("json.loads", "msgspec")]
            print(
                f"  {name:<12} {cost.fixed:6.2f} s + {cost.marginal * 1000:7.2f} ms/MB"
                f"   {ratios[0]:6.2f} × json.loads   {ratios[1]:6.2f} × msgspec"
            )
    two, again = last[1]["2 processes"], last[1]["unchanged"]
    half = by_cpu["2 processes"].marginal / 2 / by_cpu["json.loads"].marginal
    print(f"\nratios at {large:,} trials")
    print(f"  marginal CPU of 2 processes, each its half: {half:.2f} × json.loads in one")
    print(
        f"  unchanged second run: {two.seconds / again.seconds:.1f} × faster by the clock, "
        f"{two.cpu / again.cpu:.1f} × less CPU"
    )
    print(f"  2 processes against 1: {last[1]['1 process'].seconds / two.seconds:.2f} × faster")
    hours = by_cpu["2 processes"].marginal * last[0] / large * 1e6 / 3600
    print(
        f"  a million trials of this size: {hours:.1f} core hours, {hours / 64:.2f} h on 64 cores"
    )
    for name in ("1 process", "2 processes"):
        before, after = first[1][name], last[1][name]
        print(
            f"  {name}: {last[0] / first[0]:.1f} × the bytes take "
            f"{after.seconds / before.seconds:.1f} × the time and "
            f"{after.megabytes / before.megabytes:.2f} × the memory, {after.megabytes:.0f} MB"
            + (f" and {after.worker:.0f} MB a worker at most" if after.worker else " at most")
        )


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folder", nargs="?", type=Path, help="a generated corpus, for --profile")
    parser.add_argument("--sizes", default="250,1000", help="trials of the corpora")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--run-size", type=int, default=RUN_SIZE, help="trials of a run")
    parser.add_argument("--profile", type=Path, metavar="FILE")
    parser.add_argument("--decode", help=argparse.SUPPRESS)
    parser.add_argument("--work", type=int, help=argparse.SUPPRESS)
    flags = parser.parse_args(arguments)
    if flags.decode is not None:
        decode_all(flags.folder / "runs", flags.decode)
    elif flags.work is not None:
        work(flags.folder, flags.folder / "out", flags.work)
    elif flags.profile is not None:
        profile(flags.folder, flags.profile)
    else:
        found: Found = {}
        with tempfile.TemporaryDirectory() as folder:
            for trials in sorted(int(size) for size in flags.sizes.split(",")):
                corpus = Path(folder) / str(trials)
                size = generate(corpus, trials, flags.run_size) / 1e6
                print(f"{trials:,} trials, {size:,.1f} MB", flush=True)
                found[trials] = (size, costs(corpus, flags.repeat))
                pairs = counts_in(corpus / "out", trials)
                cpu = found[trials][1]["1 process"].cpu
                print(
                    f"{pairs:,} pairs of a call and a file, {cpu / pairs * 1e6:.0f} µs of CPU each"
                )
                shutil.rmtree(corpus)
        report(found)


if __name__ == "__main__":
    main()
