"""Every stage that writes relies on this: the state names nothing that is not on disk."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from benchmarks.generate import generate
from groundtrace.errors import LockedError, OutputError
from groundtrace.impact.options import ImpactOptions
from groundtrace.runs import session as sessions_module
from groundtrace.runs.engine import Done, make_engine
from groundtrace.runs.engine.local import LocalEngine
from groundtrace.runs.evaluate import evaluate
from groundtrace.runs.output_folders import RunOutput
from groundtrace.runs.request import Request
from groundtrace.runs.session import (
    AllRunsSession,
    RunSession,
    batches,
    open_sessions,
    work_through,
)
from groundtrace.runs.state import FILE_NAME, KnownResults, RunSeen, State, load_state
from groundtrace.runs.unchanged import unchanged_run
from groundtrace.runs.whole_run import run_stages
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


@contextmanager
def open_session(output: RunOutput) -> Iterator[RunSession]:
    with open_sessions([output]) as sessions:
        yield sessions[output.folder.url]


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


def enter_summary(session: RunSession) -> None:
    session.enter_result("summary.json", "rows", session.folder.write("summary.json", b"{}"))


def is_stale(_: RunSession) -> bool:
    return False


def is_current(_: RunSession) -> bool:
    return True


def test_stages_share_the_session_over_all_runs(output: RunOutput) -> None:
    """Locked with the first thing to write, saved and free when the command ends."""
    known = KnownResults()
    with AllRunsSession() as all_runs:
        with all_runs.if_stale(output, known, is_current) as session:
            assert session is None
        with open_session(output):
            pass  # nobody holds it yet
        with all_runs.if_stale(output, known, is_stale) as first:
            assert first is not None
            enter_summary(first)
        with all_runs.if_stale(output, known, is_stale) as second:
            assert second is first
        with pytest.raises(LockedError), open_session(output):
            pass
        assert not load_state(output.folder).results
    assert "summary.json" in load_state(output.folder).results
    with open_session(output):
        pass


def test_a_stage_alone_saves_its_session_over_all_runs(output: RunOutput) -> None:
    all_runs = AllRunsSession()
    with all_runs.if_stale(output, KnownResults(), is_stale) as session:
        assert session is not None
        enter_summary(session)
    assert "summary.json" in load_state(output.folder).results
    with open_session(output):
        pass


def test_a_command_that_is_stopped_keeps_what_it_entered_over_all_runs(output: RunOutput) -> None:
    with (
        pytest.raises(KeyboardInterrupt),
        AllRunsSession() as all_runs,
        all_runs.if_stale(output, KnownResults(), is_stale) as session,
    ):
        assert session is not None
        enter_summary(session)
        raise KeyboardInterrupt
    assert "summary.json" in load_state(output.folder).results
    with open_session(output):
        pass


def test_a_command_locks_each_folder_and_saves_its_state_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    generate(tmp_path, 4, run_size=2)
    locks: Counter[str] = Counter()
    saves: Counter[str] = Counter()
    opened, save = sessions_module._opened, sessions_module.save_state

    def noted_lock(path: str) -> int:
        locks[Path(path).parent.parent.name] += 1
        return opened(path)

    def noted_save(folder: Folder, state: State) -> None:
        saves[Path(folder.url).parent.name] += 1
        save(folder, state)

    monkeypatch.setattr(sessions_module, "_opened", noted_lock)
    monkeypatch.setattr(sessions_module, "save_state", noted_save)
    request = Request(
        runs=str(tmp_path / "runs"),
        tasks=(str(tmp_path / "benchmarks"),),
        out=str(tmp_path / "out"),
        engine=make_engine("local", jobs=1),
    )
    run_stages(request, ImpactOptions(draws=100), None)
    assert len(locks) == 3 and set(locks.values()) == {1}
    assert locks == saves
    run_stages(request, ImpactOptions(draws=100), None)
    assert locks == saves and set(locks.values()) == {1}, "the second time, nothing is written"


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
