"""Local processes: every item once, whatever happens to the workers."""

from __future__ import annotations

import os
import signal
import threading

import pytest

from groundtrace.errors import UsageError
from groundtrace.runs.engine import ENGINES, make_engine
from groundtrace.runs.engine.base import chunked
from groundtrace.runs.engine.forked import ForkedWorkers
from groundtrace.runs.engine.local import LocalEngine


def square(number: int) -> int:
    return number * number


def square_but_not_seven(number: int) -> int:
    if number == 7:
        raise ValueError("seven is not for squaring")
    return number * number


def die_at_forty(number: int) -> int:
    if number == 40:
        os.kill(os.getpid(), signal.SIGKILL)
    return number


@pytest.mark.parametrize("jobs", [1, 2, 3])
def test_every_item_is_done_once(jobs: int) -> None:
    done = list(LocalEngine(jobs).map(square, range(100)))
    assert sorted(one.item for one in done) == list(range(100))
    assert all(one.result == one.item**2 for one in done)


@pytest.mark.parametrize("jobs", [1, 2])
def test_an_item_that_raises_is_reported_and_the_rest_is_done(jobs: int) -> None:
    done = {one.item: one for one in LocalEngine(jobs).map(square_but_not_seven, range(20))}
    assert done[7].error == "ValueError: seven is not for squaring"
    assert [one.result for one in done.values() if one.error is None].count(None) == 0
    assert len(done) == 20


def test_a_worker_that_dies_costs_only_the_item_that_killed_it() -> None:
    done = list(LocalEngine(2).map(die_at_forty, range(200)))
    assert sorted(one.item for one in done) == list(range(200))
    failed = [one for one in done if one.error is not None]
    assert [one.item for one in failed] == [40]
    assert "worker process died" in (failed[0].error or "")


def test_nothing_to_do_starts_nothing() -> None:
    assert list(LocalEngine(2).map(square, [])) == []


def test_chunks_are_full_but_the_last() -> None:
    assert [len(chunk) for chunk in chunked(range(40), 16)] == [16, 16, 8]


def test_engines_are_a_table() -> None:
    assert list(ENGINES) == ["local", "dask"]
    with pytest.raises(UsageError, match="there are local and dask"):
        make_engine("ray")
    with pytest.raises(UsageError, match="needs --engine dask"):
        make_engine("local", scheduler="tcp://localhost:1")
    with pytest.raises(UsageError, match="needs --scheduler"):
        make_engine("dask")


def variable_of(name: str) -> str | None:
    return os.environ.get(name)


def test_workers_have_the_environment_that_the_parent_has_now(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The fork server is older than a variable that was set since it was started."""
    for value in ("before", "after"):
        monkeypatch.setenv("GROUNDTRACE_TEST_VARIABLE", value)
        engine = LocalEngine(2)
        done = list(engine.map(variable_of, ["GROUNDTRACE_TEST_VARIABLE"] * 40))
        engine.close()
        assert {one.result for one in done} == {value}


def test_forked_workers_do_the_work_of_this_process() -> None:
    """They have what this process has imported, and are other processes."""
    engine = LocalEngine(2, may_fork=True)
    try:
        found = {done.result for done in engine.map(where, range(8))}
    finally:
        engine.close()
    assert os.getpid() not in found
    assert None not in found


def where(_number: int) -> int:
    return os.getpid()


def test_a_process_with_a_thread_is_not_forked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fork copies locks that the thread may hold."""

    def forked(*_: object) -> int:
        raise AssertionError("this process was forked")

    monkeypatch.setattr(ForkedWorkers, "_fork", forked)
    over = threading.Event()
    thread = threading.Thread(target=over.wait)
    thread.start()
    engine = LocalEngine(2, may_fork=True)
    try:
        assert [done.error for done in engine.map(abs, [1, 2])] == [None, None]
    finally:
        over.set()
        thread.join()
        engine.close()
