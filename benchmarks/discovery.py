"""How fast trials are found, and with how much memory: `python benchmarks/discovery.py [N]`.

Writes N trial folders (100,000 by default) in the layouts of real runs into a temporary folder and
finds them. Prints the rate, and the peak memory without the memory of the interpreter itself.
"""

from __future__ import annotations

import json
import resource
import sys
import tempfile
import time
from pathlib import Path

from groundtrace.config import Settings
from groundtrace.discover import discover
from groundtrace.model import Trial
from groundtrace.storage import LocalFolder
from groundtrace.truth.tasks import build_index

RUN_SIZE = 1000
CONFIGS = ("baseline-local-direct", "mcp-remote-direct")
TASKS = 500


def write_tasks(root: Path) -> None:
    """The task definitions that the trials belong to."""
    for number in range(TASKS):
        folder = root / "csb_sdlc_fix" / f"task-{number:03d}"
        folder.mkdir(parents=True)
        (folder / "task.toml").write_text(f'[task]\nid = "task-{number:03d}"\nrepo = "o/r"\n')


def write_trial(root: Path, number: int) -> None:
    """One trial folder; its layout depends on its number."""
    task = f"task-{number // 2 % TASKS:03d}"
    config = CONFIGS[number % 2]
    name = f"{task}__{number:07d}"
    inner = ("2026-03-20__18-25-24", f"csb_sdlc_fix_{task}_{config}", "", f"{task}_0a1b2c/all")
    run = root / f"csb_sdlc_fix_haiku_{number // RUN_SIZE:06d}"
    folder = run / config / inner[number % 4] / name
    (folder / "agent").mkdir(parents=True)
    result = {
        "id": f"00000000-0000-0000-0000-{number:012d}",
        "task_name": f"mcp_{task}_a1b2c3" if number % 2 else task,
        "trial_name": name,
        "agent_info": {"name": "claude-code", "model_info": {"name": "claude-haiku-4-5"}},
        "verifier_result": {"rewards": {"reward": number % 3 / 2}},
        "started_at": "2026-03-20T18:25:24.000001",
        "finished_at": "2026-03-20T18:35:24.000001",
    }
    (folder / "result.json").write_text(json.dumps(result))
    (folder / "agent" / "trajectory.json").write_text("{}")


def peak_memory() -> float:
    """Peak resident memory of this process in MiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def measure(count: int, parent: str | None = None) -> dict[str, float]:
    """Find `count` generated trials; returns the time and memory that it took."""
    with tempfile.TemporaryDirectory(dir=parent) as name:
        root = Path(name)
        write_tasks(root / "benchmarks")
        (root / "runs").mkdir()
        for number in range(count):
            write_trial(root / "runs", number)
        before = peak_memory()
        started = time.perf_counter()
        tasks = build_index(LocalFolder(root / "benchmarks"))
        indexed = time.perf_counter()
        found = joined = 0
        for item in discover(LocalFolder(root / "runs"), settings=Settings(), tasks=tasks):
            if isinstance(item, Trial):
                found += 1
                joined += item.task is not None
        ended = time.perf_counter()
        if found != count or joined != count:
            raise SystemExit(f"found {found} and joined {joined} of {count} trials")
        return {
            "trials": count,
            "index_seconds": round(indexed - started, 3),
            "seconds": round(ended - indexed, 3),
            "trials_per_second": round(count / (ended - indexed)),
            "memory_before_mib": round(before, 1),
            "memory_added_mib": round(peak_memory() - before, 1),
        }


def main() -> None:
    """Print the measurement as JSON."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    print(json.dumps(measure(count), indent=2))


if __name__ == "__main__":
    main()
