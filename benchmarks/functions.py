"""What functions cost: `python -m benchmarks.functions RUNS TASKS REPOS [TRIALS]`.

The same trials are read without repositories, with them for the first time, and again with their
functions kept. The aim: once kept, functions take at most 20 % of a trial's processor time.
"""

from __future__ import annotations

import dataclasses
import sys
import time
from pathlib import Path

from groundtrace.config import Settings
from groundtrace.discover import discover
from groundtrace.model import Trial
from groundtrace.pipeline import read_trial
from groundtrace.runs.plan import WorkContext
from groundtrace.storage import open_folder
from groundtrace.truth.definitions import load_tasks


def main() -> None:
    """Print milliseconds a trial for each way."""
    runs, tasks, repos = sys.argv[1:4]
    most = int(sys.argv[4]) if sys.argv[4:] else 100
    settings = Settings()
    found = discover(open_folder(runs), settings=settings, tasks=load_tasks([tasks]))
    trials = [item for item in found if isinstance(item, Trial)][:most]
    with_repos = dataclasses.replace(settings, repos=(str(Path(repos).absolute()),))
    ways = {
        "warm-up": settings,
        "without repositories": settings,
        "with, first time": with_repos,
        "with, functions kept": with_repos,
    }
    for name, chosen in ways.items():
        context = WorkContext(chosen, None, "2026-01-01T00:00:00Z", with_metrics=True)
        start = time.process_time()
        for trial in trials:
            read_trial(trial, context)
        spent = (time.process_time() - start) * 1000 / len(trials)
        print(f"{name:<22} {spent:8.1f} ms a trial, {len(trials)} trials")


if __name__ == "__main__":
    main()
