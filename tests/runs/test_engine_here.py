"""Small work is done in this process, and only work that tells its size is ever small."""

from __future__ import annotations

import os
import sys

import msgspec
import pytest

from groundtrace.runs.engine import LEAST_BYTES, SMALL_BYTES, is_small, make_engine


class Reads(msgspec.Struct, frozen=True):
    """Work that reads so many bytes, or cannot tell."""

    size: int | None

    def input_bytes(self) -> int | None:
        return self.size


def where(_: object) -> int:
    return os.getpid()


@pytest.mark.parametrize(
    ("items", "small"),
    [
        ([], True),
        ([Reads(1)], True),
        ([Reads(SMALL_BYTES)], True),
        ([Reads(SMALL_BYTES + 1)], False),
        ([Reads(SMALL_BYTES // 2)] * 2, True),
        ([Reads(SMALL_BYTES // 2 + 1)] * 2, False),
        # Items that read nothing take their time all the same.
        ([Reads(0)] * (SMALL_BYTES // LEAST_BYTES), True),
        ([Reads(0)] * (SMALL_BYTES // LEAST_BYTES + 1), False),
        # Nobody knows how much these read, or how many there are.
        ([Reads(1), Reads(None)], False),
        ([1, 2], False),
        (iter([Reads(1)]), False),
    ],
)
def test_what_is_small(items: list[object], small: bool) -> None:
    assert is_small(items) is small


def processes(jobs: int, *batches: list[Reads]) -> list[set[int | None]]:
    engine = make_engine("local", jobs=jobs)
    try:
        return [{done.result for done in engine.map(where, batch)} for batch in batches]
    finally:
        engine.close()


def test_small_work_stays_here_and_large_work_does_not() -> None:
    small, large = [Reads(1)] * 3, [Reads(SMALL_BYTES)] * 3
    here = {os.getpid()}
    assert processes(2, small, small) == [here, here]
    assert processes(1, large) == [here], "one job is always this process"
    first, second = processes(2, large, small)
    assert os.getpid() not in first
    assert os.getpid() not in second, "workers that are there already are used"


def test_modules_for_processes_are_loaded_with_the_first_worker() -> None:
    import subprocess

    program = """
import sys
from groundtrace.runs.engine import make_engine
engine = make_engine("local", jobs=2)
print(list(engine.map(abs, [])), "multiprocessing" in sys.modules)
"""
    ran = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert ran.stdout.split() == ["[]", "False"]
