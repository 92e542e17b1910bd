"""Every trace is a trial or is named: mixed folders, links, rows, homes of harnesses, verdicts."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from groundtrace.config import Settings
from groundtrace.discover import survey
from groundtrace.storage import place_at
from tests.discover.run_trees import task, trial
from tests.discover.test_loose import problems, put, trajectory, trials
from tests.discover.test_which_trial import chat, named, rewards, session, skipped

POINTER = "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n"


def kinds(runs: Path, tasks: str | None = None) -> set[str]:
    return {problem.kind for problem in problems(runs, tasks)}


# --- traces among folders of trials -----------------------------------------------------------


def test_traces_among_folders_of_trials_are_named(groundtrace: Any, tmp_path: Path) -> None:
    """A record of one trial hid every loose trace, with exit 0 and no word."""
    runs = tmp_path / "runs"
    trial(runs / "r1/mcp/a-1__AAAAAAA", "a-1")
    stray = ["top.jsonl", "extra/s1.jsonl", "r1/mcp/loose/s2.jsonl"]
    for path in stray:
        put(runs / path, session("hello"))
    put(runs / "r1/notes.json", '{"made": "by hand"}')
    ran = groundtrace("normalize", runs, "--out", tmp_path / "out", "--jobs", 1)
    assert "1 document written" in ran.out
    said = [line for line in ran.out.splitlines() if "outside of every trial's folder" in line]
    assert [any(path in line for line in said) for path in stray] == [True] * 3
    assert len(said) == 3


def test_a_link_among_runs_adds_no_run_and_no_trial(tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    trial(runs / "r1/mcp/a-1__AAAAAAA", "a-1")
    (runs / "latest").symlink_to(runs / "r1")
    (runs / "r1/mcp/again__BBBBBBB").symlink_to(runs / "r1/mcp/a-1__AAAAAAA")
    assert list(trials(runs)) == ["r1/mcp/a-1__AAAAAAA"]
    assert {"latest", "r1/mcp/again__BBBBBBB"} <= set(skipped(runs))


def test_a_link_to_a_run_that_nothing_else_leads_to_is_followed(tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    trial(runs / "r1/mcp/a-1__AAAAAAA", "a-1")
    trial(runs / "archive/r0/mcp/b-1__BBBBBBB", "b-1")
    (runs / "r0").symlink_to(runs / "archive/r0")
    assert sorted(trials(runs)) == ["r0/mcp/b-1__BBBBBBB", "r1/mcp/a-1__AAAAAAA"]


@pytest.mark.parametrize(
    ("record", "said"),
    [
        (POINTER, "git lfs pull"),
        ('{"task_name": ', "not JSON"),
        ("", "empty"),
        ("[]", "where an object is expected"),
    ],
)
def test_a_record_that_cannot_be_read_keeps_its_trial(
    record: str, said: str, tmp_path: Path
) -> None:
    runs = tmp_path / "runs"
    trial(runs / "r1/mcp/a-1__AAAAAAA", "a-1")
    put(trial(runs / "r1/mcp/b-1__BBBBBBB", "b-1") / "result.json", record)
    assert len(trials(runs)) == 2
    assert any(said in problem.reason for problem in problems(runs))


# --- loose traces -----------------------------------------------------------------------------


def test_rows_without_ids_in_two_files_are_different_tasks(tmp_path: Path) -> None:
    """The first row of one file and the first row of another became attempts of one task."""
    runs = tmp_path / "runs"
    for file in ("a.jsonl", "b.jsonl"):
        put(runs / file, "\n".join(json.dumps(chat()) for _ in range(3)))
    assert len(trials(runs)) == 6
    assert len({found.task_name for found in trials(runs).values()}) == 6


def test_folders_above_files_of_rows_are_configurations(tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    for model in ("m1", "m2"):
        put(runs / model / "rows.jsonl", "\n".join(json.dumps(chat()) for _ in range(2)))
    assert named(runs) == {(c, t) for c in ("m1", "m2") for t in ("row-1", "row-2")}


UUID = "0f3a5c1e-77aa-4c1d-9b1e-{:012d}"


def test_a_session_id_alone_in_each_folder_is_no_task(tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    for number, name in enumerate(("heron-1", "heron-2", "heron-3")):
        put(runs / name / f"{UUID.format(number)}.jsonl", session("hello"))
    assert {task for _, task in named(runs)} == {"heron-1", "heron-2", "heron-3"}
    assert len({config for config, _ in named(runs)}) == 1


def test_homes_of_harnesses_are_searched_and_other_hidden_folders_named(tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    put(runs / f"t1/.claude/projects/-app/{UUID.format(1)}.jsonl", session("hello"))
    put(runs / f"t2/.claude/projects/-app/{UUID.format(2)}.jsonl", session("hello"))
    put(runs / ".trash/old.jsonl", session("hello"))
    assert {task for _, task in named(runs)} == {"t1", "t2"}
    assert skipped(runs)[".trash"] == "a hidden folder"


def test_a_bare_repository_beside_traces_is_named_once(tmp_path: Path) -> None:
    """A study's folder with eleven clones for `--repos` listed 67 files that are no traces."""
    runs = tmp_path / "runs"
    put(runs / "claude/a.jsonl", session("hello"))
    subprocess.run(["git", "init", "-q", "--bare", runs / "repos/heron.git"], check=True)
    put(runs / "claude/HEAD/b.jsonl", session("a folder of this name is no repository"))
    assert sorted(trials(runs)) == ["claude/HEAD/b.jsonl", "claude/a.jsonl"]
    assert skipped(runs) == {"repos/heron.git": "a git repository"}


def test_tasks_of_one_name_in_two_suites(tmp_path: Path) -> None:
    """A folder with the name of a suite decides; else it is said that there are two, not none."""
    suites = tmp_path / "benchmarks"
    for suite in ("suite_a", "suite_b"):
        task(suites, suite, "same-1")
    put(tmp_path / "runs/suite_b/same-1.json", trajectory())
    put(tmp_path / "runs/x.json", trajectory("same-1"))
    found = trials(tmp_path / "runs", str(suites))
    chosen = found["suite_b/same-1.json"].task
    assert chosen is not None
    assert chosen.benchmark == "suite_b"
    assert found["x.json"].task is None
    assert kinds(tmp_path / "runs", str(suites)) == {"ambiguous_task"}


def test_two_files_that_claim_one_trial_are_two_documents(groundtrace: Any, tmp_path: Path) -> None:
    put(tmp_path / "a.json", trajectory("h-1"))
    put(tmp_path / "b.json", trajectory("h-1"))
    put(tmp_path / "m.csv", "trace,task,config,trial\na.json,h-1,x,1\nb.json,h-1,x,1\na.json,,,2\n")
    ran = groundtrace("normalize", tmp_path / "m.csv", "--out", tmp_path / "out", "--jobs", 1)
    assert "2 documents written" in ran.out
    assert "'a.json' is named by two rows" in ran.out
    written = sorted(path.name for path in (tmp_path / "out").rglob("*.retrieval_events.json"))
    assert len(written) == 2
    assert "h-1.retrieval_events.json" in written


# --- verdicts ---------------------------------------------------------------------------------


def judged(top: Path, file: str, value: Any) -> Path:
    for name in ("h-1", "h-2"):
        put(top / f"trajs/{name}.json", trajectory(name))
    put(top / file, json.dumps(value))
    return top


@pytest.mark.parametrize(
    ("file", "value"),
    [
        *(
            ("results.json", {key: ["h-1"]})
            for key in ("resolved_ids", "resolved_instances", "RESOLVED", "solved", "success")
        ),
        ("results.json", {"passed": ["h-1"], "failed": ["h-2"]}),
        ("results.json", {"h-1": True, "h-2": False}),
        ("results.json", {"resolved": {"h-1": True, "h-2": False}}),
        ("results/results.json", {"h-1": {"resolved": True}, "h-2": {"resolved": False}}),
        (
            "results.json",
            [
                {"instance_id": "h-1", "resolved": True},
                {"instance_id": "h-2", "resolved": False},
            ],
        ),
        ("report.json", {"resolved_ids": ["h-1"], "unresolved_ids": ["h-2"]}),
        ("final_report.json", {"resolved_ids": ["h-1"], "empty_patch_ids": ["h-2"]}),
        (
            "lab__wader-1.may.json",
            {"total_instances": 2, "resolved_instances": 1, "resolved_ids": ["h-1"]},
        ),
    ],
)
def test_verdicts_in_every_spelling(file: str, value: Any, tmp_path: Path) -> None:
    assert rewards(judged(tmp_path / "runs", file, value)) == {"h-1": 1.0, "h-2": 0.0}


@pytest.mark.parametrize(
    "value",
    [
        {"resolved": ["h-1", "h-2"], "error_ids": ["h-2"]},
        {"resolved": ["h-1", "h-2"], "h-2": False},
        {"resolved_ids": ["h-1", "h-2"], "failed": ["h-2"]},
    ],
)
def test_an_id_in_lists_that_exclude_each_other_has_no_verdict(
    value: Any, groundtrace: Any, tmp_path: Path
) -> None:
    runs = judged(tmp_path / "runs", "results.json", value)
    assert rewards(runs) == {"h-1": 1.0, "h-2": None}
    ran = groundtrace("normalize", runs, "--out", tmp_path / "out", "--jobs", 1)
    assert "unclear: results.json: h-2: listed both" in ran.out


def test_a_list_above_two_configurations_is_nobodys(groundtrace: Any, tmp_path: Path) -> None:
    """Both had the verdicts of one."""
    runs = tmp_path / "runs"
    for model in ("wader-1", "egret-2"):
        put(runs / model / "h-1.json", trajectory("h-1", f"lab/{model}"))
    put(runs / "results.json", '{"resolved": ["h-1"]}')
    put(runs / "preds.json", '{"h-1": {"model_patch": "diff"}}')
    found = trials(runs).values()
    assert [t.outcome.reward for t in found] == [None, None]
    assert [t.loose.submission for t in found if t.loose is not None] == [None, None]
    ran = groundtrace("normalize", runs, "--out", tmp_path / "out", "--jobs", 1)
    assert ran.out.count("results.json: lies above several configurations") == 1
    put(runs / "lab__egret-2.may.json", '{"resolved_ids": ["h-1"]}')
    by_config = {t.config_name: t.outcome.reward for t in trials(runs).values()}
    assert by_config == {"egret-2": 1.0, "wader-1": None}, "a name says whose it is"


def test_a_list_that_git_did_not_fetch_is_named_with_its_own_path(
    groundtrace: Any, tmp_path: Path
) -> None:
    put(tmp_path / "runs/trajs/h-1.json", trajectory("h-1"))
    put(tmp_path / "runs/results.json", POINTER)
    ran = groundtrace("normalize", tmp_path / "runs", "--out", tmp_path / "out", "--jobs", 1)
    assert "cannot be read: results.json:1: a Git LFS pointer: run git lfs pull" in ran.out


# --- times ------------------------------------------------------------------------------------


def timed(path: Path, moment: str) -> None:
    """A session whose one call was made at a moment."""
    lines = [json.loads(line) for line in session("hello").splitlines()]
    put(path, "\n".join(json.dumps({**line, "timestamp": moment}) for line in lines))


def states(runs: Path, **settings: Any) -> dict[str, str]:
    rows = survey(place_at(str(runs)), settings=Settings(**settings))
    return {row.path: row.state for row in rows if row.trial is not None}


def test_the_session_of_28_october_is_not_superseded_by_that_of_26(tmp_path: Path) -> None:
    """Written in this order, as copying did."""
    timed(tmp_path / "runs/t1/attempt_1.jsonl", "2025-10-28T10:00:00Z")
    timed(tmp_path / "runs/t1/attempt_2.jsonl", "2025-10-26T10:00:00Z")
    timed(tmp_path / "runs/t2/attempt_1.jsonl", "2025-10-26T10:00:00Z")
    found = states(tmp_path / "runs", trials="latest")
    assert found["t1/attempt_1.jsonl"] == "selected"
    assert found["t1/attempt_2.jsonl"] == "superseded"


@pytest.mark.parametrize("times", [("2025-10-28T10:00:00Z", "2025-10-26T10:00:00Z"), ("", "")])
def test_calls_decide_between_batches_before_their_names(
    times: tuple[str, str], groundtrace: Any, tmp_path: Path
) -> None:
    runs = tmp_path / "runs"
    for batch, moment in zip(("2025-01-01__00-00-00", "2025-02-01__00-00-00"), times, strict=True):
        folder = trial(
            runs / f"r1/mcp/{batch}/a-1__{batch[5:7]}AAAAA",
            "a-1",
            started_at=None,
            finished_at=None,
        )
        call = {"type": "tool_use", "id": "t1", "name": "Read", "input": {"file_path": "a.py"}}
        message = {"id": "m", "role": "assistant", "content": [call]}
        line = {"type": "assistant", "timestamp": moment or None, "message": message}
        put(folder / "agent/claude-code.txt", json.dumps(line))
    chosen = [path for path, state in states(runs).items() if state == "selected"]
    assert [path[7:14] for path in chosen] == ["2025-01" if times[0] else "2025-02"]


def test_that_no_time_tells_is_said_in_the_terminal(groundtrace: Any, tmp_path: Path) -> None:
    for name in ("t1/attempt_1", "t1/attempt_2", "t2/attempt_1"):
        timed(tmp_path / f"runs/{name}.jsonl", "2025-10-28T10:00:00Z")
    given = ("normalize", tmp_path / "runs", "--trials", "latest", "--jobs", 1)
    for _ in range(2):  # again when nothing changed
        ran = groundtrace(*given, "--out", tmp_path / "out")
        assert "no time tells which of 2 trials is the latest: all count" in ran.out
    assert len(list((tmp_path / "out").rglob("*.retrieval_events.json"))) == 3
