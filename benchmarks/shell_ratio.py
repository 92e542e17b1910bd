"""Cost of shell commands compared with another version of groundtrace; see README-shell.md.

python -m benchmarks.shell_ratio OTHER/src [rounds]

Each version runs in its own process, in turn, over the commands of the lists and, with
GROUNDTRACE_CORPUS, of real calls. The least time of a command's rounds counts, because others use
the machine too. Caches of the library are emptied before every round.
"""

from __future__ import annotations

import gc
import json
import os
import pickle
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

Item = tuple[str, str, Any, bool, str | None]
"""Command, output as text and as data, whether it is an error, and the directory."""


def items(folder: Path) -> dict[str, list[Item]]:
    """The commands and what they printed."""
    from tests.shell.scores import real_calls
    from tests.shell.scratch_repository import build, one_repository_lists, read_cases, run

    listed: list[Item] = []
    for name in one_repository_lists():
        for case in read_cases(name):
            if case.runnable():
                repo = build(Path(tempfile.mkdtemp(dir=folder)))
                command = case.command.replace("{root}", str(repo))
                listed.append((command, run(case, repo), None, False, str(repo)))
    out = {"lists": listed}
    corpus = os.environ.get("GROUNDTRACE_CORPUS")
    if corpus:
        out["corpus"] = [
            (command, call.result.text, call.result.data, bool(call.result.is_error), call.cwd)
            for command, call in real_calls(Path(corpus))
            if call.result is not None
        ]
    return out


def child(source: str, work: str) -> None:
    """Times of one version: one round for every line of standard input."""
    sys.path.insert(0, source)
    from groundtrace.config import Settings
    from groundtrace.model import ToolCall, ToolResult, Trace
    from groundtrace.tools import view_calls

    calls = [
        Trace(
            (
                ToolCall(
                    "Bash",
                    {"command": command},
                    result=ToolResult(text=text, data=data, is_error=error),
                    cwd=cwd,
                ),
            )
        )
        for command, text, data, error, cwd in pickle.loads(Path(work).read_bytes())
    ]
    settings = Settings()
    for trace in calls:
        view_calls(trace, settings)
    modules = [module for name, module in sys.modules.items() if name.startswith("groundtrace.")]
    caches = [
        value
        for module in modules
        for name, value in vars(module).items()
        if hasattr(value, "cache_clear") and name != "_parser"
    ]
    gc.disable()
    for _ in sys.stdin:
        for cache in caches:
            cache.cache_clear()
        times = []
        for trace in calls:
            started = time.perf_counter_ns()
            view_calls(trace, settings)
            times.append(time.perf_counter_ns() - started)
        gc.collect()
        print(json.dumps(times), flush=True)


def compare(work: str, sources: tuple[str, str], rounds: int) -> list[list[int]]:
    """The least time of every command, by version."""
    running = [
        subprocess.Popen(
            [sys.executable, __file__, "child", source, work],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for source in sources
    ]
    best: list[list[int]] = [[], []]
    for number in range(rounds):
        for index in (0, 1) if number % 2 else (1, 0):
            process = running[index]
            assert process.stdin is not None and process.stdout is not None
            print("go", file=process.stdin, flush=True)
            times = json.loads(process.stdout.readline())
            best[index] = list(map(min, best[index], times)) if best[index] else times
    for process in running:
        process.communicate()
    return best


def main() -> None:
    """Print the ratio of the sums, and the median of the ratios of single commands."""
    other = sys.argv[1]
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 20
    own = str(Path(__file__).resolve().parents[1] / "src")
    with tempfile.TemporaryDirectory() as folder:
        for name, work in items(Path(folder)).items():
            path = Path(folder) / name
            path.write_bytes(pickle.dumps(work))
            new, old = compare(str(path), (own, other), rounds)
            ratio = sum(new) / sum(old)
            median = statistics.median(a / b for a, b in zip(new, old, strict=True))
            print(f"{name}: {len(new)} commands, sums {ratio:.2f}, median of ratios {median:.2f}")


if __name__ == "__main__":
    if sys.argv[1:2] == ["child"]:
        child(*sys.argv[2:4])
    else:
        main()
