"""Runs targets: each input with a limit of time, each target in a process with limited memory.

The process notes the number of an input before trying it. So even after a crash of the interpreter
the number of the input is known.
"""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from tests.fuzz.cases import Case
from tests.fuzz.giants import try_giants
from tests.fuzz.targets import TARGETS
from tests.fuzz.typed import TYPED

SECONDS = 5.0
"""For one input; the slowest honest one takes a tenth of that."""
STUCK_SECONDS = 60.0
"""Without a sign of life a process is taken to hang in C code, and is stopped."""
MEMORY = 3 * 1024**3
"""Address space of a process; what it maps without using counts too."""
BATCH = 20
"""Inputs that hypothesis makes in one go."""
MAX_FAILURES = 5
"""A target is given up after so many: they are mostly one and the same."""

GIANTS = "giants"
"""Not many inputs but large ones: a gigabyte each."""
NAMES = (*TARGETS, *TYPED, GIANTS)


class HangError(BaseException):
    """An input took too long; no `except Exception` in between may keep it."""


@dataclass(slots=True)
class Failure:
    """An input that broke something."""

    target: str
    number: int
    error: str
    files: dict[str, bytes] = field(default_factory=dict)


@contextmanager
def time_guard(seconds: float) -> Iterator[None]:
    """Raise HangError inside the block when it takes longer, in processor time: on a machine with
    other work an honest input took 5 seconds by the clock."""

    def stop(*_: object) -> None:
        raise HangError(f"no answer within {seconds:g} s")

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def make(target: str, seed: int, number: int) -> Case:
    """The input of that number: the same for the same seed."""
    return TARGETS[target].make(Random(f"{seed}/{target}/{number}"))


def try_one(target: str, seed: int, number: int, seconds: float = SECONDS) -> Failure | None:
    """One input (for hypothesis one batch of them), and what it broke."""
    files: dict[str, bytes] = {}
    try:
        if target in TYPED:
            with time_guard(seconds * BATCH):
                TYPED[target](BATCH, seed * 1_000_003 + number)
            return None
        case = make(target, seed, number)
        files = {} if case.real else case.files
        with time_guard(seconds):
            TARGETS[target].check(case)
    except (Exception, HangError):  # noqa: BLE001 - finding what escapes is the purpose
        return Failure(target, number, traceback.format_exc(), files)
    return None


def inputs_of(target: str) -> int:
    """Inputs that one number stands for."""
    return BATCH if target in TYPED else 1


def work(target: str, seed: int, seconds: float, first: int, status: Path) -> int:
    """What a process does: inputs until the time is over. Returns how many it tried."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    until = time.monotonic() + seconds
    number = first
    failures = []
    slowest = (0.0, first)
    handle = os.open(status, os.O_RDWR | os.O_CREAT)
    while time.monotonic() < until and len(failures) < MAX_FAILURES:
        os.pwrite(handle, f"{number:>20}".encode(), 0)
        began = time.process_time()
        failure = try_one(target, seed, number)
        slowest = max(slowest, (time.process_time() - began, number))
        if failure is not None:
            failures.append(failure)
        number += 1
    os.close(handle)
    report = {
        "tried": (number - first) * inputs_of(target),
        "failures": [(f.number, f.error) for f in failures],
        "slowest": slowest,
        "memory": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
    }
    status.with_suffix(".json").write_text(json.dumps(report), encoding="utf-8")
    return number - first


@dataclass(slots=True)
class Worked:
    """What came of one target."""

    target: str
    tried: int
    failures: list[Failure]
    cost: str = ""
    """The slowest input, and the most memory of the process."""


def run_target(target: str, seed: int, seconds: float, folder: Path) -> Worked:
    """A target in a process of its own, watched for life."""
    folder.mkdir(parents=True, exist_ok=True)
    if target == GIANTS:
        with tempfile.TemporaryDirectory() as giants_folder:
            tried, errors = try_giants(seconds, Path(giants_folder))
        return Worked(target, tried, [Failure(target, n, text) for n, text in enumerate(errors)])
    status = folder / f".{target}.status"
    result = status.with_suffix(".json")
    for path in (status, result):
        path.unlink(missing_ok=True)
    command = [sys.executable, "-m", "tests.fuzz", "--worker", str(status), "--only", target]
    command += ["--seed", str(seed), "--seconds", str(seconds)]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, errors="replace")
    said = _watched(process, status)
    cost = ""
    try:
        data = json.loads(result.read_text(encoding="utf-8"))
        found = [_again(target, seed, number, error) for number, error in data["failures"]]
        tried = data["tried"]
        seconds, number = data["slowest"]
        cost = f", slowest {seconds:.2f} s (case {number}), {data['memory']} MB"
    except (OSError, ValueError):
        number = int(status.read_text() or 0) if status.exists() else 0
        reason = f"the process ended with {process.returncode} at this input\n{said}"
        found = [_again(target, seed, number, reason)]
        tried = number * inputs_of(target)
    for path in (status, result):
        path.unlink(missing_ok=True)
    return Worked(target, tried, found, cost)


def _watched(process: subprocess.Popen[str], status: Path) -> str:
    """Wait for the process; stop it when it shows no life. Returns what it said."""
    seen: object = None
    since = time.monotonic()
    while True:
        try:
            return process.communicate(timeout=2)[1]
        except subprocess.TimeoutExpired:
            now = status.read_bytes() if status.exists() else None
            if now != seen:
                seen, since = now, time.monotonic()
            elif time.monotonic() - since > STUCK_SECONDS * (3 if now is None else 1):
                process.kill()


def _again(target: str, seed: int, number: int, error: str) -> Failure:
    try:
        case = make(target, seed, number)
    except Exception:  # noqa: BLE001 - made by hypothesis, or the making itself failed
        return Failure(target, number, error)
    return Failure(target, number, error, {} if case.real else case.files)


def save(failure: Failure, seed: int, folder: Path) -> Path:
    """A folder that says how to try the input again, with the input where it may be stored."""
    top = folder / f"{failure.target}-{seed}-{failure.number}"
    command = f"python -m tests.fuzz --only {failure.target} --seed {seed} --case {failure.number}"
    top.mkdir(parents=True, exist_ok=True)
    (top / "again.txt").write_text(f"{command}\n\n{failure.error}\n", encoding="utf-8")
    for name, data in failure.files.items():
        safe = name.encode("utf-8", "replace").decode().replace("/", "__").replace("\0", "_")
        (top / safe[-200:]).write_bytes(data)
    return top
