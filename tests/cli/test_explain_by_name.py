"""`explain` by a task's name, for one metric, and for a folder of trials."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from groundtrace.metrics.catalogue import METRICS, OUTCOMES
from groundtrace.runs.explain import COUNTED_FROM
from tests.conftest import Ran

Call = Callable[..., Ran]
TASK = "rate-limit-trace-004"
CONFIG = ("--config-name", "baseline-local-direct")


def test_a_task_and_a_configuration_name_a_trial(groundtrace: Call, sample: Path) -> None:
    runs, tasks = sample / "runs/official", ("--tasks", sample / "benchmarks")
    folder = next(runs.glob(f"*/baseline-local-direct/*/*{TASK}*"))
    by_folder = groundtrace("explain", folder, *tasks)
    by_name = groundtrace("explain", TASK.upper(), runs, *CONFIG, *tasks)
    assert by_name.code == 0, by_name.err
    for text in (by_folder.out, by_name.out):
        assert "Ranking\nmet: 3 files" in text
    assert by_name.out.partition("Ranking")[2] == by_folder.out.partition("Ranking")[2]


def test_without_runs_the_current_folder_is_searched(
    groundtrace: Call, sample: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(sample)
    ran = groundtrace("explain", TASK, "--config-name", "mcp*", "--calls")
    assert ran.code == 0, ran.err
    assert ran.out.startswith("Calls\n[0] mcp__sourcegraph__")


def test_a_name_that_fits_several_trials_lists_them(groundtrace: Call, sample: Path) -> None:
    runs = sample / "runs/official"
    ran = groundtrace("explain", TASK, runs)
    assert ran.code == 2
    assert "2 trials match" in ran.err and "--config-name" in ran.err
    folders = [line.split()[-1] for line in ran.out.splitlines()[1:]]
    assert len(folders) == 2
    for folder in folders:
        assert groundtrace("explain", folder).code == 0, "what is listed can be explained"


def test_of_repeated_trials_the_one_that_counts_is_meant(groundtrace: Call, sample: Path) -> None:
    runs = sample / "runs/official"
    ran = groundtrace("explain", "tide-table-008", runs, *CONFIG, "--json")
    assert ran.code == 0, ran.err
    name = json.loads(ran.out)["identity"]["trial_name"]["value"]
    assert name == "tide-table-008__f0f57a6", "the later one, as in the documents"
    other = groundtrace("explain", "tide-table-008__07d87a2", runs, "--json")
    assert json.loads(other.out)["identity"]["trial_name"]["value"] == "tide-table-008__07d87a2"


def test_a_slip_names_the_nearest_task(groundtrace: Call, sample: Path) -> None:
    ran = groundtrace("explain", "rate-limit-trace-04", sample / "runs/official")
    assert ran.code == 3
    assert f"such as '{TASK}'" in ran.err
    ran = groundtrace("explain", TASK, sample / "runs/official", "--config-name", "none")
    assert (ran.code, "no trial of a configuration 'none'" in ran.err) == (3, True)


def test_a_folder_of_trials_is_listed(groundtrace: Call, sample: Path) -> None:
    ran = groundtrace("explain", sample / "runs/official")
    assert ran.code == 0
    head, *lines = ran.out.splitlines()
    assert head.split() == ["task", "configuration", "counts", "reward", "trial"]
    assert len(lines) == 25
    assert sum(re.search(r"  no  ", line) is not None for line in lines) == 1, "superseded"
    rows = json.loads(groundtrace("explain", sample / "runs/official", "--json").out)
    assert [row["trial"] for row in rows] == [line.split()[-1] for line in lines]


def test_a_folder_without_trials_is_still_an_error(groundtrace: Call, tmp_path: Path) -> None:
    ran = groundtrace("explain", tmp_path)
    assert (ran.code, "no trial in it" in ran.err) == (2, True)


def test_one_metric_alone_with_what_it_is_counted_from(groundtrace: Call, sample: Path) -> None:
    where = (TASK, sample / "runs/official", *CONFIG, "--tasks", sample / "benchmarks")
    ran = groundtrace("explain", *where, "--metric", "file_recall", "--metric", "reward")
    assert ran.code == 0, ran.err
    titles = re.findall(r"^[A-Z][a-z ]+$", ran.out, re.MULTILINE)
    assert titles == ["Trial", "Numbers", "Ranking", "Calls with relevant files"]
    numbers = ran.out.partition("Numbers\n")[2].partition("\n\n")[0]
    assert "file_recall: 0.7500\n" in numbers and "here: 3 of 4" in numbers
    assert "counted from: ranking, met" in numbers
    assert "found in: result.json verifier_result.rewards" in numbers
    assert "precision@1" not in ran.out
    assert "\nmet: " in ran.out and "\nshown: " not in ran.out, "only the list it is over"
    alone = groundtrace("explain", *where, "--metric", "reward").out
    assert "Ranking" not in alone and "reward: 0.5000" in alone
    data = json.loads(groundtrace("explain", *where, "--metric", "mrr", "--json").out)
    assert [one["metric"] for one in data["metrics"]] == ["mrr"]


def test_an_unknown_metric_names_the_nearest(groundtrace: Call, sample: Path) -> None:
    ran = groundtrace("explain", TASK, sample / "runs/official", "--metric", "recal@10")
    assert (ran.code, "nearest is 'recall@10'" in ran.err) == (2, True)


def test_every_number_says_where_it_comes_from(groundtrace: Call, sample: Path) -> None:
    """Values once had "–" for a source; each now names a record, or why there is none."""
    assert {metric.section for metric in METRICS.values()} <= set(COUNTED_FROM)
    for trial in (sample / "runs/official").glob("*/*/*/*"):
        if not (trial / "result.json").is_file():
            continue
        data = json.loads(groundtrace("explain", trial, "--json").out)
        for name in OUTCOMES:
            assert data["outcome_sources"][name], (trial.name, name)
        text = groundtrace("explain", trial).out
        outcome = text.partition("\nOutcome\n")[2].partition("\n\n")[0].splitlines()[1:]
        assert all(not line.endswith("–") for line in outcome[: len(OUTCOMES)]), outcome


def test_hits_are_marked_in_words_with_the_name_in_the_ground_truth() -> None:
    from groundtrace.report.explain_text import _hit

    assert _hit("a.py", None) == ""
    assert _hit("a.py", "a.py") == "  relevant"
    assert _hit("src/a.py", "repo::src/a.py") == "  relevant: repo::src/a.py"
