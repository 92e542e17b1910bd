"""Whole runs: the same results in every way, inputs unchanged, only what the user asked for."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Ran
from tests.whole_runs import DRAWS, RUN, TRIALS, inputs, results, run, shrink

Call = Callable[..., Ran]


@pytest.fixture
def small(sample: Path) -> Path:
    return shrink(sample)


def test_the_benchmarks_own_files_are_never_touched(groundtrace: Call, sample: Path) -> None:
    """SPEC: result.json, task_metrics.json and the like are read, never modified."""
    before = inputs(sample)
    run(groundtrace, sample)
    assert results(sample)
    assert inputs(sample) == before


def test_run_equals_normalize_then_evaluate_then_impact_then_report(
    groundtrace: Call, small: Path, tmp_path: Path
) -> None:
    runs, tasks = small / "runs/official", small / "benchmarks"
    run(groundtrace, small, "--out", tmp_path / "retrieval_events_a")
    out = ("--out", tmp_path / "retrieval_events_b")
    assert groundtrace("normalize", runs, "--tasks", tasks, "--jobs", 1, *out).code == 0
    assert groundtrace("evaluate", runs, "--jobs", 1, *out).code == 0
    assert groundtrace("impact", runs, *DRAWS, *out).code == 0
    assert groundtrace("report", runs, "--format", "md", *out).code == 0
    assert results(tmp_path / "retrieval_events_a") == results(tmp_path / "retrieval_events_b")


def test_one_run_and_a_folder_of_runs_give_the_same_documents(
    groundtrace: Call, small: Path
) -> None:
    run(groundtrace, small)
    folder = small / "runs/official" / RUN / "retrieval_events"
    together = documents_in(folder)
    tasks = ("--tasks", small / "benchmarks", "--format", "md", "--jobs", 1, *DRAWS)
    again = groundtrace("run", small / "runs/official" / RUN, *tasks)
    assert f"{TRIALS} unchanged" in again.err
    shutil.rmtree(folder)
    one = groundtrace("run", small / "runs/official" / RUN, *tasks)
    assert one.code == 0, one.err
    assert documents_in(folder) == together


def documents_in(folder: Path) -> dict[str, Any]:
    """What was written, without the one thing that is told relative to RUNS."""
    found = {}
    for path in folder.rglob("*"):
        if path.suffix == ".json" and not path.name.startswith("."):
            found[path.name] = document = json.loads(path.read_text())
            document.get("provenance", {}).pop("source_file", None)
        elif path.suffix == ".md":
            found[path.name] = path.read_text()
    assert len(found) > TRIALS
    return found


def test_what_vanished_is_removed_only_with_prune(groundtrace: Call, small: Path) -> None:
    run(groundtrace, small)
    shutil.rmtree(next((small / "runs").rglob("mcp_rate*")))
    ran = run(groundtrace, small)
    assert "1 document has no trial any more" in ran.err
    left = list(small.rglob("mcp-remote-direct/rate-limit-trace-004.*.json"))
    assert len(left) == 2
    assert "1 document without a trial removed" in run(groundtrace, small, "--prune").err
    assert not list(small.rglob("mcp-remote-direct/rate-limit-trace-004.*.json"))
    pruned = results(small)
    for folder in list(small.rglob("retrieval_events*")):
        if folder.is_dir():
            shutil.rmtree(folder)
    run(groundtrace, small)
    assert results(small) == pruned


def test_only_leaves_other_outcomes_alone(groundtrace: Call, small: Path) -> None:
    runs, tasks = small / "runs/official", small / "benchmarks"
    flags = ("--tasks", tasks, "--jobs", 1)
    assert groundtrace("normalize", runs, *flags).code == 0
    outcomes = runs / RUN / "retrieval_events" / "outcomes.json"
    before = outcomes.read_bytes()
    assert groundtrace("normalize", runs, *flags, "--only", "QUAY-*", "--force").code == 0
    assert outcomes.read_bytes() == before


def test_evaluating_some_documents_keeps_what_is_known_of_the_others(
    groundtrace: Call, small: Path
) -> None:
    runs = small / "runs/official"
    run(groundtrace, small)
    whole = results(small)
    groundtrace("evaluate", runs, "--only", "quay-*", "--jobs", 1)
    assert results(small) != whole, "the summary of some is not the summary of all"
    ran = groundtrace("evaluate", runs, "--jobs", 1)
    assert f"0 documents evaluated, {TRIALS} unchanged" in ran.out
    run(groundtrace, small)
    assert results(small) == whole


def test_all_trials_are_written_under_their_own_names(groundtrace: Call, small: Path) -> None:
    """D32: the selected trial has the plain name, the others carry theirs."""
    run(groundtrace, small, "--trials", "all")
    names = sorted(p.name for p in small.rglob("baseline-local-direct/tide-table-008*events.json"))
    assert len(names) == 2
    assert names[0] == "tide-table-008.retrieval_events.json"
    assert names[1].startswith("tide-table-008.tide-table-008__")


@pytest.mark.usefixtures("workers_for_small_work")
def test_jobs_do_not_change_a_byte(groundtrace: Call, small: Path, tmp_path: Path) -> None:
    run(groundtrace, small, "--out", tmp_path / "retrieval_events_1")
    run(groundtrace, small, "--out", tmp_path / "retrieval_events_2", "--jobs", "2")
    assert results(tmp_path / "retrieval_events_1") == results(tmp_path / "retrieval_events_2")


def test_documents_from_elsewhere_are_evaluated_without_state_or_outcomes(
    groundtrace: Call, small: Path, tmp_path: Path
) -> None:
    """Documents alone are enough: evaluate needs neither traces nor what normalize knew."""
    run(groundtrace, small)
    source = small / "runs/official" / RUN / "retrieval_events"
    target = tmp_path / "given" / RUN / "retrieval_events"
    for document in source.glob("*/*.retrieval_events.json"):
        copy = target / document.relative_to(source)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(document, copy)
    ran = groundtrace("evaluate", tmp_path / "given" / RUN, "--jobs", 1)
    assert f"{TRIALS} documents evaluated" in ran.out
    metrics = {n: d for n, d in results(source).items() if n.endswith("metrics.json")}
    assert {n: d for n, d in results(target).items() if n.endswith("metrics.json")} == metrics
    assert groundtrace("impact", tmp_path / "given" / RUN, *DRAWS).code == 0


def test_a_broken_document_is_named_and_the_others_are_evaluated(
    groundtrace: Call, small: Path
) -> None:
    runs = small / "runs/official"
    groundtrace("normalize", runs, "--tasks", small / "benchmarks", "--jobs", 1)
    broken = next(runs.rglob("quay-*.retrieval_events.json"))
    broken.write_text('{"schema_version": "1.1", "events": [')
    ran = groundtrace("evaluate", runs, "--jobs", 1)
    assert ran.code == 1
    assert f"failed: {broken}" in ran.err
    summary = json.loads((broken.parents[1] / "run_retrieval_summary.json").read_text())
    assert "broken_document" in json.dumps(summary)
    assert len(list(runs.rglob("*.retrieval_metrics.json"))) == TRIALS - 1


def test_problems_of_task_definitions_are_said(groundtrace: Call, small: Path) -> None:
    """D38: a task that two folders define is joined to nothing; somebody should know why."""
    suite = small / "benchmarks/demo_sdlc_fix"
    shutil.copytree(suite / "quay-timeout-fix-001", suite / "again" / "quay-timeout-fix-001")
    flags = ("--tasks", small / "benchmarks", "--jobs", 1)
    ran = groundtrace("normalize", small / "runs/official", *flags)
    assert "task definitions: " in ran.out
    assert "2 tasks are named 'quay-timeout-fix-001'" in ran.out
    ran = groundtrace("normalize", small / "runs/official", *flags, "--json")
    assert len(json.loads(ran.out)["task_problems"]) >= 1


def test_two_runs_of_one_name_in_different_groups_stay_two(groundtrace: Call, small: Path) -> None:
    official = small / "runs/official"
    for group in ("first", "second"):
        shutil.copytree(official / RUN, official / group / RUN)
    shutil.rmtree(official / RUN)
    run(groundtrace, small)
    aggregate = official / "retrieval_events_aggregate"
    outcomes = json.loads((aggregate / "outcomes.json").read_text())
    assert {trial["run_id"] for trial in outcomes["trials"]} == {RUN, f"second__{RUN}"}
    scopes = {
        json.loads(path.read_text())["scope"]
        for path in official.rglob("run_retrieval_summary.json")
    }
    assert scopes == {RUN, f"second__{RUN}", "*"}


def test_a_document_left_behind_is_not_counted(groundtrace: Call, sample: Path) -> None:
    """A trial that is gone, or was only written by `--trials all`, must not weigh in a summary."""
    runs, tasks = sample / "runs/official", sample / "benchmarks"
    everything = ("normalize", runs, "--tasks", tasks)
    assert groundtrace(*everything, "--trials", "all").code == 0
    assert groundtrace("evaluate", runs).code == 0
    summary = runs / RUN / "retrieval_events" / "run_retrieval_summary.json"
    assert json.loads(summary.read_text())["overall"]["trials"] == 25
    assert groundtrace(*everything).code == 0
    assert groundtrace("evaluate", runs).code == 0
    found = json.loads(summary.read_text())
    assert found["overall"]["trials"] == 24
    assert found["problems"]["left_behind"] == 1
    assert len(list(sample.rglob("tide-table-008.tide*events.json"))) == 1, (
        "only --prune removes it"
    )
    assert "0 documents evaluated" in groundtrace("evaluate", runs).out


def test_only_goes_by_the_name_of_the_task_in_every_stage(groundtrace: Call, sample: Path) -> None:
    runs, tasks = sample / "runs/official", sample / "benchmarks"
    assert groundtrace("normalize", runs, "--tasks", tasks, "--trials", "all").code == 0
    assert groundtrace("evaluate", runs, "--only", "TIDE-table-008").code == 0
    metrics = {path.name for path in sample.rglob("*.retrieval_metrics.json")}
    assert len(metrics) == 2 and all(name.startswith("tide-table-008.") for name in metrics)


def test_tasks_of_one_name_in_two_suites_are_two_tasks(groundtrace: Call, sample: Path) -> None:
    """One of them was once taken for an older trial of the other, and lost."""
    tasks = sample / "benchmarks"
    shutil.copytree(tasks / "demo_sdlc_fix/queue-depth-011", tasks / "demo_other/queue-depth-011")
    trial = next((sample / "runs").rglob("queue-depth-011__*"))
    copy = trial.with_name("queue-depth-011__zzzzzzz")
    shutil.copytree(trial, copy)
    for name, changes in {
        "result.json": {"trial_name": copy.name},
        "task_metrics.json": {"benchmark": "demo_other"},
    }.items():
        path = copy / name
        path.write_text(json.dumps(json.loads(path.read_text()) | changes))
    ran = groundtrace("normalize", sample / "runs/official", "--tasks", tasks)
    assert ran.code == 0, ran.err
    names = {p.name for p in sample.rglob("baseline-local-direct/queue-depth-011*events.json")}
    assert names == {
        "queue-depth-011.demo_other.retrieval_events.json",
        "queue-depth-011.demo_sdlc_fix.retrieval_events.json",
    }


def test_a_task_has_one_name_everywhere(groundtrace: Call, sample: Path) -> None:
    """D60: the name that task.toml states, in documents, file names, tables and the report."""
    shrink(sample)
    definition = next((sample / "benchmarks").rglob("quay-timeout-fix-001/task.toml"))
    text = definition.read_text()
    definition.write_text(text.replace("quay-timeout-fix-001", "QUAY-Timeout-Fix-001"))
    assert definition.read_text() != text
    run(groundtrace, sample)
    folder = sample / "runs/official" / RUN / "retrieval_events"
    found = [path for path in folder.rglob("*.json") if "quay-timeout" in path.name.casefold()]
    assert found
    for path in found:
        assert path.name.startswith("QUAY-Timeout-Fix-001.")
        assert json.loads(path.read_text())["provenance"]["task_name"] == "QUAY-Timeout-Fix-001"
    tables = sample / "tables"
    groundtrace("export", sample / "runs/official", "--to", "csv", tables)
    written = [*folder.rglob("*.json"), folder / "retrieval_report.md", tables / "trials.csv"]
    for path in written:
        # The trial's own name and folder are what the harness made of it.
        others = path.read_text().replace("quay-timeout-fix-001__", "")
        assert not re.search(r"(?<![\w/])quay-timeout-fix-001(?![\w/])", others), path


def test_another_baseline_makes_no_document_stale(groundtrace: Call, sample: Path) -> None:
    run(groundtrace, sample)
    ran = run(groundtrace, sample, "--baseline", "mcp-remote-direct")
    assert "0 documents written, 24 unchanged" in ran.err
    impact = sample / "runs/official" / RUN / "retrieval_events" / "impact_analysis.json"
    assert json.loads(impact.read_text())["baseline"] == "mcp-remote-direct"
