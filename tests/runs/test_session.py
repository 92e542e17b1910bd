"""Every stage that writes relies on this: the state names nothing that is not on disk."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from groundtrace.errors import LockedError, OutputError
from groundtrace.runs import session as sessions_module
from groundtrace.runs.engine import Done
from groundtrace.runs.engine.local import LocalEngine
from groundtrace.runs.evaluate import evaluate
from groundtrace.runs.output_folders import RunOutput
from groundtrace.runs.request import Request
from groundtrace.runs.session import (
    RunSession,
    batches,
    open_session,
    open_sessions,
    work_through,
)
from groundtrace.runs.state import FILE_NAME, RunSeen, load_state
from groundtrace.runs.unchanged import unchanged_run
from groundtrace.storage import Folder, LocalFolder
from tests.conftest import Ran
from tests.whole_runs import RUN, TRIALS, results, run, shrink

Call = Callable[..., Ran]
EVENTS = "baseline/task.retrieval_events.json"
METRICS = "baseline/task.retrieval_metrics.json"
SEEN = RunSeen(fingerprint="run", superseded=1, skipped=2, without_task=3)


@pytest.fixture
def output(tmp_path: Path) -> RunOutput:
    return RunOutput("run", LocalFolder(tmp_path / "retrieval_events"))


def written(output: RunOutput) -> RunOutput:
    """An output folder with one document, its metrics and a state that knows both."""
    events = output.folder.write(EVENTS, b"{}")
    metrics = output.folder.write(METRICS, b"{}")
    with open_session(output) as session:
        session.enter_document(EVENTS, "inputs", events.mark, None)  # type: ignore[arg-type]
        session.outcomes_are_written()
        session.enter_metrics(EVENTS, events.mark, metrics.mark)
        session.enter_run(SEEN)
        session.save_if_changed()
    return output


def test_what_was_entered_is_current_until_inputs_or_files_change(output: RunOutput) -> None:
    written(output)
    with open_session(output) as session:
        assert session.is_current_document(EVENTS, "inputs")
        assert session.is_current_metrics(EVENTS)
        assert not session.is_current_document(EVENTS, "other inputs")
    output.folder.write(METRICS, b"{ }")
    with open_session(output) as session:
        assert session.is_current_document(EVENTS, "inputs")
        assert not session.is_current_metrics(EVENTS)
    output.folder.write(EVENTS, b"{ }")
    with open_session(output) as session:
        assert not session.is_current_document(EVENTS, "inputs")


def test_what_will_be_made_again_is_forgotten_on_disk_first(output: RunOutput) -> None:
    """Killed right after, the run leaves no state that vouches for a half-done folder."""
    written(output)
    with open_session(output) as session:
        session.forget_before_work([EVENTS])
        on_disk = load_state(output.folder)
    assert (on_disk.documents, on_disk.evaluated, on_disk.run) == ({}, {}, None)


def test_where_nothing_is_made_again_nothing_is_written(output: RunOutput) -> None:
    written(output)
    before = results_of(output)
    with open_session(output) as session:
        session.forget_before_work([])
        session.enter_run(SEEN)
        session.outcomes_are_written()
        session.save_if_changed()
    assert results_of(output) == before


def results_of(output: RunOutput) -> int:
    path = Path(output.folder.url) / FILE_NAME
    return path.stat().st_mtime_ns


def test_a_state_that_is_ignored_is_also_replaced(output: RunOutput) -> None:
    """--force: what an earlier run knew must not come back when this one is killed."""
    written(output)
    with open_sessions([output], ignore_state=True) as sessions:
        (session,) = sessions.values()
        assert not session.is_current_document(EVENTS, "inputs")
        session.forget_before_work([EVENTS])
        assert load_state(output.folder).documents == {}


def test_one_session_at_a_time(output: RunOutput) -> None:
    with open_session(output), pytest.raises(LockedError), open_session(output):
        pass


@dataclass(frozen=True)
class Item:
    output: Folder
    number: int


def double(item: Item) -> int:
    return 2 * item.number


class StopsAfter:
    """An engine that is interrupted after some results."""

    def __init__(self, results: int, error: BaseException) -> None:
        self.results = results
        self.error = error

    workers = 1
    forks = False

    def map(
        self, function: Any, items: Iterable[Any], *, chunk: int | None = None
    ) -> Generator[Done[Any, Any], None, None]:
        for number, item in enumerate(items):
            if number == self.results:
                raise self.error
            yield Done(item, function(item))

    def close(self) -> None:
        pass


@pytest.mark.parametrize("error", [KeyboardInterrupt(), OutputError("the disk is full")])
def test_stopped_in_the_middle_what_was_done_is_saved(
    error: BaseException, output: RunOutput
) -> None:
    request = Request(runs="runs", engine=StopsAfter(3, error))

    def enter(done: Done[Item, int], session: RunSession) -> None:
        session.enter_metrics(f"{done.item.number}", "events", str(done.result))

    works = [Item(output.folder, number) for number in range(5)]
    with pytest.raises(type(error)), open_sessions([output]) as sessions:
        work_through(request, sessions, double, works, enter)
    saved = {"0": "events 0", "1": "events 2", "2": "events 4"}
    assert load_state(output.folder).evaluated == saved


def test_what_is_done_is_saved_while_the_work_goes_on(
    output: RunOutput, monkeypatch: pytest.MonkeyPatch
) -> None:
    """kill -9 leaves no time to save."""
    monkeypatch.setattr(sessions_module, "SAVE_SECONDS", -1.0)
    on_disk: list[int] = []

    def enter(done: Done[Item, int], session: RunSession) -> None:
        on_disk.append(len(load_state(output.folder).evaluated))
        session.enter_metrics(f"{done.item.number}", "events", "metrics")

    works = [Item(output.folder, number) for number in range(3)]
    with open_sessions([output]) as sessions:
        request = Request(runs="runs", engine=LocalEngine(1))
        work_through(request, sessions, double, works, enter)
    assert on_disk == [0, 1, 2]


def test_runs_come_in_batches_that_are_bounded_in_trials_and_in_locks() -> None:
    assert [len(batch) for batch in batches([400] * 5, int)] == [3, 2]
    assert [len(batch) for batch in batches([0] * 450, int)] == [200, 200, 50]
    assert list(batches([], int)) == []


def test_an_evaluation_that_is_stopped_keeps_what_it_did(groundtrace: Call, sample: Path) -> None:
    small = shrink(sample)
    runs = small / "runs/official"
    run(groundtrace, small)
    whole = results(small)
    for metrics in runs.rglob("*.retrieval_metrics.json"):
        metrics.unlink()
    with pytest.raises(KeyboardInterrupt):
        evaluate(Request(runs=str(runs), engine=StopsAfter(4, KeyboardInterrupt())))
    ran = groundtrace("evaluate", runs, "--jobs", 1)
    assert f"{TRIALS - 4} documents evaluated, 4 unchanged" in ran.out
    assert results(small) == whole


def test_an_unchanged_run_is_a_value_and_touches_nothing(groundtrace: Call, sample: Path) -> None:
    """It once counted into the result of the whole stage while it answered yes or no."""
    small = shrink(sample)
    run(groundtrace, small)
    runs = small / "runs/official"
    folder = LocalFolder(runs / RUN / "retrieval_events")
    output = RunOutput(RUN, folder)
    seen = load_state(folder).run
    assert seen is not None
    request = Request(runs=str(runs), engine=LocalEngine(1))
    unchanged = unchanged_run(output, seen.fingerprint, request)
    assert unchanged is not None
    assert (unchanged.output, unchanged.seen) == (output, seen)
    assert (unchanged.documents, unchanged.left_behind) == (TRIALS, 0)
    for other in (None, "another fingerprint"):
        assert unchanged_run(output, other, request) is None
    forced = Request(runs=str(runs), engine=LocalEngine(1), force=True)
    assert unchanged_run(output, seen.fingerprint, forced) is None
    document = next((runs / RUN).rglob("*.retrieval_events.json"))
    document.write_bytes(document.read_bytes() + b"\n")
    assert unchanged_run(output, seen.fingerprint, request) is None
