"""Scores and speed of the shell evidence; see README-shell.md.

python -m benchmarks.shell          lists of commands; with GROUNDTRACE_CORPUS also real calls
"""

from __future__ import annotations

import os
import statistics
import time
from pathlib import Path


def lists() -> None:
    """For each list of commands: how many have exactly the right files and lines."""
    from tests.shell.scores import judge_list
    from tests.shell.scratch_repository import one_repository_lists

    for name in one_repository_lists():
        judged = judge_list(name)
        files = sum(one.files_right for one in judged)
        lines = sum(one.files_right and one.lines_right for one in judged)
        print(f"{name}: {len(judged)} commands, files exact {files}, lines exact {lines}")
        for one in judged:
            if not (one.files_right and one.lines_right):
                print(f"  {one.case.name}: {one.case.command!r}")


def corpus(folder: Path) -> None:
    """Precision, recall and time on real calls."""
    from groundtrace.config import Settings
    from tests.shell.scores import real_calls, score_labels
    from tests.shell.views import shell_refs

    precision, recall, count = score_labels(folder)
    print(f"labelled calls: {count}, precision {precision:.3f}, recall {recall:.3f}")
    calls = list(real_calls(folder))
    settings = Settings()
    times = []
    for _ in range(3):
        for command, call in calls:
            started = time.perf_counter()
            shell_refs(command, call.result, call.cwd, settings)
            times.append(time.perf_counter() - started)
    print(f"{len(calls)} commands, median {statistics.median(times) * 1e6:.0f} µs")


if __name__ == "__main__":
    lists()
    if os.environ.get("GROUNDTRACE_CORPUS"):
        corpus(Path(os.environ["GROUNDTRACE_CORPUS"]))
