"""The answer in the terminal and in `--json`; names that no configuration has."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import Ran, fixed


@pytest.fixture(scope="module")
def whole_run(sample_source: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample with the results of a run, made once."""
    sample = tmp_path_factory.mktemp("answer") / "sample"
    shutil.copytree(sample_source, sample)
    runs = sample / "runs/official"
    with fixed() as call:
        ran = call("run", runs, "--tasks", sample / "benchmarks", "--format", "md", "--jobs", 1)
    assert ran.code == 0, ran.err
    assert ran.out.startswith("mcp-remote-direct against baseline-local-direct, ")
    assert "Found    relevant files shown" in ran.out
    answer = ran.out.partition("Look at")[0]
    assert max(map(len, answer.splitlines())) <= 100
    return sample


@pytest.fixture
def evaluated(whole_run: Path, tmp_path: Path) -> Path:
    """The runs with their results, to be changed at will."""
    shutil.copytree(whole_run, tmp_path / "sample")
    return tmp_path / "sample/runs/official"


def test_every_command_that_analyses_carries_the_answer(
    evaluated: Path, groundtrace: Callable[..., Ran]
) -> None:
    answers = []
    for command in ("impact", "evaluate"):
        ran = groundtrace(command, evaluated, "--json", "--jobs", 1)
        assert ran.code == 0, ran.err
        answers.append(json.loads(ran.out)["answer"])
    stored = json.loads(
        (evaluated / "retrieval_events_aggregate/impact_analysis.json").read_text()
    )["answer"]
    assert answers == [stored, stored]
    report = evaluated / "retrieval_events_aggregate/retrieval_report.md"
    assert report.read_text().split("\n## ")[1].startswith("The answer")


def test_a_name_that_no_configuration_has_is_an_error(
    evaluated: Path, groundtrace: Callable[..., Ran]
) -> None:
    """`--baseline wihtout` ended with 0 and compared nothing. What is on disk stays."""
    analyses = sorted(evaluated.rglob("impact_analysis.json"))
    before = [path.read_bytes() for path in analyses]
    assert len(before) > 1
    for flag in ("--baseline", "--against"):
        ran = groundtrace("impact", evaluated, flag, "mcp-remote-drect", "--jobs", 1)
        assert ran.code == 2
        assert f"{flag}: unknown configuration 'mcp-remote-drect'" in ran.err
        assert "nearest is 'mcp-remote-direct'" in ran.err
        assert ran.out == "", "no answer of a comparison that nobody asked for"
        ran = groundtrace("run", evaluated, flag, "mcp-remote-drect", "--json", "--jobs", 1)
        assert (ran.code, ran.out) == (2, "")
    assert [path.read_bytes() for path in analyses] == before


def test_primaries_and_margin_are_settable(
    evaluated: Path, groundtrace: Callable[..., Ran]
) -> None:
    flags = ("--primary", "mrr", "--primary", "reward", "--margin", "0.2")
    ran = groundtrace("impact", evaluated, *flags, "--json", "--jobs", 1)
    answer = json.loads(ran.out)["answer"]
    rows = {row["metric"]: row for row in answer["rows"]}
    assert rows.keys() == {"mrr", "reward"}
    assert (answer["enough"]["at"], "within_margin" in rows["reward"]) == (0.2, True)
    wrong = groundtrace("impact", evaluated, "--primary", "mr", "--jobs", 1)
    assert (wrong.code, "'mrr'" in wrong.err) == (2, True)


def test_intervals_and_p_agree_in_every_row_of_the_demo(evaluated: Path) -> None:
    """41 of 52 intervals excluded 0, 34 of them with a p above 0.05."""
    path = evaluated / "retrieval_events_aggregate/impact_analysis.json"
    found = json.loads(path.read_text())
    checked = 0
    for comparison in (*found["matched_comparisons"], *found["other_comparisons"]):
        for delta in comparison["deltas"]:
            if delta["ci_low"] is not None:
                excludes = delta["ci_low"] > 0 or delta["ci_high"] < 0
                p = delta["p"] if delta["table"] == "exploratory" else delta["p_adjusted"]
                assert excludes == (p < 0.05), delta
                checked += 1
    assert checked > 50
