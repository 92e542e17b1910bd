"""Several trials of one task and configuration: which count (D148), and the rows of a dry run."""

from __future__ import annotations

import itertools
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from groundtrace.base.times import parse_time
from groundtrace.config import Settings, Trials
from groundtrace.discover import select, survey
from groundtrace.model import Outcome, Trial
from groundtrace.storage import LocalFolder
from tests.discover.run_trees import index, put, trial


def a_trial(name: str, batch: str | None = None, **outcome: float | None) -> Trial:
    return Trial(
        folder=LocalFolder(Path("x")),
        path=f"mcp/{batch or ''}/{name}",
        run_id="r1",
        config_name="mcp",
        task_name="a-1",
        trial_name=name,
        trial_key=name,
        batch_timestamp=batch,
        outcome=Outcome(**outcome),  # type: ignore[arg-type]
    )


MAY, JUNE = "2026-05-01__10-00-00", "2026-06-01__10-00-00"

CASES: dict[str, tuple[list[Trial], dict[str, list[str]]]] = {
    "attempts of one batch all count, lost ones too": (
        [
            a_trial("first", MAY, reward=1.0, finished_at=1.0),
            a_trial("lost", MAY, finished_at=2.0),
            a_trial("third", MAY, reward=0.0, finished_at=3.0),
        ],
        {
            "attempts": ["third", "first", "lost"],
            "all": ["third", "first", "lost"],
            "latest": ["third"],
        },
    ),
    "another batch is a rerun": (
        [
            a_trial("old", MAY, reward=1.0),
            a_trial("new", JUNE),
            a_trial("again", JUNE, reward=0.0, started_at=1.785e9),
        ],
        {"attempts": ["again", "new"], "all": ["again", "old", "new"], "latest": ["again"]},
    ),
    "a reward does not make an old batch count": (
        [a_trial("scored", MAY, reward=1.0), a_trial("crashed", JUNE)],
        {"attempts": ["crashed"], "all": ["crashed", "scored"], "latest": ["crashed"]},
    ),
    "batches without a time keep all": (
        [a_trial("a", "one", reward=1.0), a_trial("b", "two", reward=0.0)],
        {"attempts": ["b", "a"], "all": ["b", "a"], "latest": ["b", "a"]},
    ),
    "batches by the times of their trials": (
        [a_trial("a", "z", finished_at=1.0), a_trial("b", "y", finished_at=2.0)],
        {"attempts": ["b"], "all": ["b", "a"], "latest": ["b"]},
    ),
    "equal times tell nothing": (
        [a_trial("a", started_at=1.0), a_trial("b", started_at=1.0)],
        {"attempts": ["b", "a"], "all": ["b", "a"], "latest": ["b", "a"]},
    ),
    "one unknown time tells nothing": (
        [a_trial("a", started_at=1.0), a_trial("b")],
        {"attempts": ["a", "b"], "all": ["a", "b"], "latest": ["a", "b"]},
    ),
}


@pytest.mark.parametrize("which", ["attempts", "all", "latest"])
@pytest.mark.parametrize("case", CASES)
def test_which_trials_count(case: str, which: Trials) -> None:
    """In any order of input: the latest first, then the others by time."""
    trials, expected = CASES[case]
    for order in itertools.permutations(trials):
        chosen = select(order, which)
        assert [t.trial_name for t in chosen.selected] == expected[which]
        assert len(chosen.superseded) == len(trials) - len(chosen.selected)
        assert chosen.latest == {chosen.selected[0].path}
        numbers = [chosen.attempts[t.path] for t in chosen.selected]
        assert sorted(numbers) == list(range(1, len(numbers) + 1))
        assert numbers[0] == len(numbers)
        assert all(other.reason for other in chosen.superseded)


def called(name: str, first: float | None = None, **more: Any) -> Trial:
    """A loose trace: the time of its first call, of its record, of its file."""
    times = {key: more.pop(key) for key in ("file_time",) if key in more}
    return replace(a_trial(name, more.pop("batch", None), **more), first_call=first, **times)


def at(text: str) -> float:
    moment = parse_time(text)
    assert moment is not None
    return moment


OCTOBER_26, OCTOBER_28 = at("2025-10-26T10:00:00Z"), at("2025-10-28T10:00:00Z")
COPIED = at("2026-01-05T08:00:00Z")

CLOCKS: dict[str, tuple[list[Trial], list[str]]] = {
    "the first call counts before the file, whichever was copied last": (
        [
            called("28", OCTOBER_28, file_time=COPIED),
            called("26", OCTOBER_26, file_time=COPIED + 60),
        ],
        ["28"],
    ),
    "the first call counts before the record": (
        [called("28", OCTOBER_28, started_at=1.7e9), called("26", OCTOBER_26, started_at=1.71e9)],
        ["28"],
    ),
    "records, where a trial made no call": (
        [called("later", started_at=1.71e9), called("earlier", 1.72e9, started_at=1.7e9)],
        ["later"],
    ),
    "three clocks, days apart": (
        [
            called("by file", file_time=OCTOBER_26),
            called("by call", OCTOBER_28, file_time=COPIED),
            called("by record", started_at=COPIED),
        ],
        ["by record"],
    ),
    "two clocks, hours apart, may be two zones": (
        [called("by call", OCTOBER_28), called("by file", file_time=OCTOBER_28 + 5 * 3600)],
        ["by file", "by call"],
    ),
    "times of two zones are compared as moments": (
        [
            called("first", at("2025-10-28T10:00:00+02:00")),
            called("second", at("2025-10-28T09:00:00Z")),
        ],
        ["second"],
    ),
    "a time without zone is UTC": (
        [called("first", at("2025-10-28T09:30:00")), called("second", at("2025-10-28T10:00:00Z"))],
        ["second"],
    ),
    "a time in the future is none": (
        [called("broken", at("2099-01-01T00:00:00Z")), called("right", OCTOBER_28)],
        ["right", "broken"],
    ),
    "a time in the future leaves the next clock": (
        [
            called("broken", at("2099-01-01T00:00:00Z"), started_at=1.7e9),
            called("right", OCTOBER_28, started_at=1.71e9),
        ],
        ["right"],
    ),
    "a file's time alone": (
        [called("a", file_time=COPIED), called("b", file_time=OCTOBER_26)],
        ["a"],
    ),
    "calls of one moment say nothing, their files neither": (
        [called("a", OCTOBER_28, file_time=1.7e9), called("b", OCTOBER_28, file_time=1.71e9)],
        ["b", "a"],
    ),
}


@pytest.mark.parametrize("case", CLOCKS)
def test_what_is_later_is_decided_by_the_best_clock(case: str) -> None:
    """The first call, the record, the file: 28 October is never superseded by 26 October."""
    trials, expected = CLOCKS[case]
    for order in itertools.permutations(trials):
        chosen = select(order, "latest")
        assert sorted(t.trial_name for t in chosen.selected) == sorted(expected)
        assert chosen.selected[0].trial_name == expected[0]
        assert bool(chosen.doubts) == (len(expected) > 1)


def test_that_nothing_tells_which_is_later_is_said() -> None:
    chosen = select([a_trial("a", "one"), a_trial("b", "two")])
    (problem,) = chosen.doubts.values()
    assert problem.kind == "order_unknown"
    assert "which of 2 batches is the latest" in problem.reason
    assert not select([a_trial("a", MAY), a_trial("b", JUNE)]).doubts
    assert not select([a_trial("a"), a_trial("b")]).doubts, "attempts need no order"


def test_traces_are_read_only_where_the_first_call_may_decide() -> None:
    asked: list[str] = []

    def read(trial: Trial) -> float | None:
        asked.append(trial.trial_name)
        return {"a": OCTOBER_28, "b": OCTOBER_26}[trial.trial_name]

    select([a_trial("a", MAY, started_at=1.7e9), a_trial("b", MAY, started_at=1.71e9)], read=read)
    select([a_trial("a", MAY)], "latest", read)
    select([a_trial("a", MAY), a_trial("b", JUNE)], "all", read)
    select([called("a", OCTOBER_28), called("b", OCTOBER_26)], "latest", read)
    assert asked == []
    reruns = [a_trial("a", MAY, started_at=1.7e9), a_trial("b", JUNE, started_at=1.71e9)]
    assert [t.trial_name for t in select(reruns, "attempts", read).selected] == ["a"]
    assert sorted(asked) == ["a", "b"]
    assert [t.trial_name for t in select([a_trial("b"), a_trial("a")], read=read).selected] == [
        "a",
        "b",
    ]


def test_a_file_has_a_time_where_no_record_has_one() -> None:
    trials = [replace(a_trial("a"), file_time=2.0), replace(a_trial("b"), file_time=1.0)]
    assert [t.trial_name for t in select(trials, "latest").selected] == ["a"]


def test_runs_configurations_and_tasks_are_apart() -> None:
    """Only trials of the same run, configuration and task compete; case does not count."""
    one = a_trial("x", MAY, reward=1.0)
    others = [replace(one, run_id="r2"), replace(one, config_name="b"), replace(one, task_name="c")]
    assert len(select([one, *others]).selected) == 4
    later = replace(a_trial("y", JUNE), task_name="A-1")
    assert [t.trial_name for t in select([one, later]).selected] == ["y"]


def test_a_copy_in_the_same_run_is_called_one() -> None:
    """It is not another attempt."""
    one = a_trial("x", reward=1.0, finished_at=1.0)
    (other,) = select([one, replace(one, path="mcp/y")]).superseded
    assert other.reason == "a copy of mcp//x"


def test_the_rows_of_a_dry_run(tmp_path: Path) -> None:
    """Run, configuration, task, trial, files, and why a folder or a trial was skipped."""
    runs = tmp_path / "runs"
    trial(runs / f"r1/mcp/{MAY}/a-1__AAAAAAA", "a-1")
    trial(runs / f"r1/mcp/{JUNE}/a-1__BBBBBBB", "a-1", finished_at="2026-03-21T00:00:00")
    put(trial(runs / "r1/mcp/b-1__CCCCCCC") / "result.json", "[]")
    trial(runs / "r1/_errored/c-1__DDDDDDD", "c-1")
    trial(runs / "archive/r0/mcp/d-1__EEEEEEE", "d-1")
    tasks = index(tmp_path / "tasks", "csb_sdlc_fix/a-1")
    rows = list(survey(LocalFolder(runs), settings=Settings(), tasks=tasks))
    assert {(row.path, row.state) for row in rows} == {
        ("archive", "skipped"),
        ("r1/_errored", "skipped"),
        (f"r1/mcp/{MAY}/a-1__AAAAAAA", "superseded"),
        (f"r1/mcp/{JUNE}/a-1__BBBBBBB", "selected"),
        ("r1/mcp/b-1__CCCCCCC", "problem"),
        ("r1/mcp/b-1__CCCCCCC", "selected"),
    }
    lines = [row.as_dict() for row in rows]
    chosen = next(line for line in lines if line["trial_name"] == "a-1__BBBBBBB")
    assert chosen["files"] == ("result.json", "agent/claude-code.txt")
    assert chosen["has_task"]
    assert [line["has_task"] for line in lines if line["task_name"] == "b-1"] == [False]
    skipped = next(line for line in lines if line["path"] == "archive")
    assert skipped.keys() == chosen.keys()
    assert (skipped["config_name"], skipped["has_task"], skipped["files"]) == (None, None, ())
    all_trials = list(survey(LocalFolder(runs), settings=Settings(trials="all")))
    assert not [row for row in all_trials if row.state == "superseded"]
    fitting = survey(LocalFolder(runs), settings=Settings(), only="a*")
    assert {row.trial.task_name for row in fitting if row.trial is not None} == {"a-1"}
