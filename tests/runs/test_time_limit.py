"""A limit of processor time stops one piece of work, in any thread or process."""

from __future__ import annotations

import re
import signal
import threading
from pathlib import Path

import pytest

from groundtrace.base.limit import TimeLimitReached, time_limit
from groundtrace.runs.engine.local import LocalEngine
from tests.adversarial.worlds import Call, World, assert_good_trial_was_evaluated, read_of, stream

HANGING = re.compile(r"(a+)+b")
LONG = 60_000  # calls: several seconds of processor time, so that one second is not enough on any machine


def spin() -> None:
    while True:
        try:
            sum(range(1000))
        except Exception:  # noqa: BLE001 - what makes a fault cost one call must not catch it
            pass


def test_python_code_is_stopped() -> None:
    with pytest.raises(TimeLimitReached), time_limit(0.05):
        spin()


def test_a_pattern_that_is_being_matched_is_stopped() -> None:
    with pytest.raises(TimeLimitReached), time_limit(0.05):
        HANGING.match("a" * 60)


def test_the_handler_of_before_is_back_and_no_signal_comes_late() -> None:
    before = signal.getsignal(signal.SIGPROF)
    with pytest.raises(TimeLimitReached), time_limit(0.02):
        spin()
    assert signal.getsignal(signal.SIGPROF) is before
    assert signal.getitimer(signal.ITIMER_PROF) == (0.0, 0.0)


def test_another_thread_is_stopped_too() -> None:
    """Dask's workers do their work in threads."""
    stopped: list[bool] = []

    def work() -> None:
        try:
            with time_limit(0.05):
                spin()
        except TimeLimitReached:
            stopped.append(True)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert stopped == [True]


@pytest.mark.parametrize("seconds", [0, 30])
def test_work_within_the_limit_is_left_alone(seconds: float) -> None:
    with time_limit(seconds):
        assert sum(range(10)) == 45


def limited(number: int) -> str:
    try:
        with time_limit(0.05):
            if number % 2:
                HANGING.match("a" * 60)
            return "done"
    except TimeLimitReached:
        return "stopped"


@pytest.mark.parametrize("jobs", [1, 2])
def test_each_item_has_its_own_limit(jobs: int) -> None:
    engine = LocalEngine(jobs)
    done = {one.item: one.result for one in engine.map(limited, range(6))}
    engine.close()
    assert done == {n: "stopped" if n % 2 else "done" for n in range(6)}


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_trial_that_takes_too_long_says_so_and_the_others_are_evaluated(
    jobs: int, tmp_path: Path, groundtrace: Call
) -> None:
    """A long trace stands for a hang: a pattern that hangs would be mended instead."""
    world = World(tmp_path)
    world.good()
    reads = "".join(read_of(f"/workspace/src/{n}.py", n) for n in range(LONG))
    world.trial("good-1", config="mcp", trace=stream() + reads)
    ran = world.evaluate(groundtrace, "--trial-seconds", 1, "--jobs", jobs)
    assert ran.code == 0, ran.err
    assert_good_trial_was_evaluated(world)
    document = world.documents()["mcp good-1"]
    assert document["events"] == []
    assert document["coverage"]["problems"]["time_limit"] == 1
    assert "1 seconds of processor time" in document["coverage"]["degraded_reason"]
    metrics = world.documents("retrieval_metrics.json")["mcp good-1"]
    assert metrics["file_level_metrics"]["computable"] is False
    again = world.evaluate(groundtrace, "--trial-seconds", 100)
    assert again.code == 0
    assert len(world.documents()["mcp good-1"]["events"]) == LONG
