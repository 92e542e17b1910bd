"""A second run processes only what changed, and gives the same bytes as a forced run."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from groundtrace.config import Settings
from groundtrace.discover import Run, layout_of, walk
from groundtrace.discover.records import Records
from groundtrace.runs.normalize import Events
from groundtrace.storage import EntryKind, Folder, LocalFolder
from tests.conftest import Ran
from tests.whole_runs import DRAWS, RUN, TRIALS, results, run, shrink

Call = Callable[..., Ran]


@pytest.fixture
def small(sample: Path) -> Path:
    return shrink(sample)


def test_a_second_run_rewrites_nothing(groundtrace: Call, small: Path) -> None:
    run(groundtrace, small)
    before = written_at(small)
    ran = run(groundtrace, small)
    assert f"0 documents written, {TRIALS} unchanged" in ran.err
    assert written_at(small) == before


@pytest.mark.parametrize("command", ["run", "normalize", "evaluate", "impact", "report"])
def test_a_run_without_changes_is_not_locked(
    command: str, groundtrace: Call, small: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Taking the lock writes who holds it, and lists the folder to remove what a killed process
    left; where nothing is done nothing is written."""
    run(groundtrace, small)
    flags = {
        "run": ("--tasks", small / "benchmarks", *DRAWS, "--format", "md"),
        "normalize": ("--tasks", small / "benchmarks"),
        "impact": DRAWS,
        "report": ("--format", "md"),
    }
    locks = list(small.rglob(".lock"))
    assert len(locks) == 2
    before = [lock.stat().st_mtime_ns for lock in locks]
    swept: list[str] = []
    monkeypatch.setattr(LocalFolder, "sweep", lambda folder: swept.append(folder.url))
    ran = groundtrace(command, small / "runs/official", *flags.get(command, ()))
    assert ran.code == 0
    assert [lock.stat().st_mtime_ns for lock in locks] == before
    assert not swept


def test_the_results_of_a_run_without_changes_are_listed_once(
    groundtrace: Call, small: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each of four stages listed them and read the state, only to find that nothing had changed."""
    run(groundtrace, small)
    results_of_run = str(small / "runs/official" / RUN / "retrieval_events")
    listed: list[str] = []
    read: list[str] = []
    file_marks, read_file = LocalFolder.file_marks, LocalFolder.read

    def noted_marks(folder: LocalFolder) -> dict[str, str]:
        listed.append(folder.url)
        return file_marks(folder)

    def noted_read(folder: LocalFolder, name: str, *limit: int) -> bytes:
        read.append(f"{folder.url}/{name}")
        return read_file(folder, name, *limit)

    monkeypatch.setattr(LocalFolder, "file_marks", noted_marks)
    monkeypatch.setattr(LocalFolder, "read", noted_read)
    run(groundtrace, small)
    assert listed == [results_of_run]
    assert [path for path in read if path.startswith(results_of_run)] == [
        f"{results_of_run}/.state.json"
    ]


def test_a_new_run_is_listed_once_and_once_more_when_it_was_read(
    groundtrace: Call, small: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Fingerprint, discovery, plan and readers each listed it. The second listing shows whether
    files changed meanwhile; the folder of the first trial is also looked at to tell runs apart."""
    runs = small / "runs/official"
    agents = {str(folder) for folder in (runs / RUN).rglob("agent")}
    counted: Counter[str] = Counter()
    scandir = os.scandir

    def noted(path: str) -> Any:
        counted[str(path)] += 1
        return scandir(path)

    monkeypatch.setattr(os, "scandir", noted)
    flags = ("--tasks", small / "benchmarks", "--jobs", "1")
    assert groundtrace("normalize", runs, *flags).code == 0
    seen = Counter(counted[agent] for agent in agents)
    assert seen[2] >= TRIALS
    assert max(seen) <= 3


def test_a_run_that_is_known_is_told_without_its_records(
    small: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    layout = layout_of(LocalFolder(small / "runs/official"), Settings())
    assert not layout.single
    runs = [(run.run_id, run.path) for run in layout.runs() if isinstance(run, Run)]
    read: list[str] = []
    read_records = walk.read_records

    def noted(folder: Folder, entries: Mapping[str, EntryKind]) -> Records:
        read.append(folder.url)
        return read_records(folder, entries)

    monkeypatch.setattr(walk, "read_records", noted)
    known = {path for _, path in runs}
    again = layout.runs(lambda run: run.path in known)
    assert [(run.run_id, run.path) for run in again if isinstance(run, Run)] == runs
    folders = [str(small / "runs/official" / path) for path in known]
    assert not [url for url in read if url.startswith(tuple(folders))]


@pytest.mark.parametrize("order", [("run", "normalize"), ("normalize", "run")])
def test_run_and_normalize_share_what_they_know(
    order: tuple[str, str], groundtrace: Call, small: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Metrics of the same pass change no events document, so the other command plans nothing."""
    runs = small / "runs/official"
    flags = ("--tasks", small / "benchmarks", "--jobs", "1")
    reports = (*DRAWS, "--format", "md")
    commands = {"run": ("run", runs, *flags, *reports), "normalize": ("normalize", runs, *flags)}
    assert groundtrace(*commands[order[0]]).code == 0

    def refuse(*_: object) -> None:
        raise AssertionError("a run was planned although nothing changed")

    with monkeypatch.context() as patch:
        patch.setattr(Events, "planned", refuse)
        ran = groundtrace(*commands[order[1]])
    assert ran.code == 0
    assert f"0 documents written, {TRIALS} unchanged" in ran.out + ran.err
    both = results(small)
    assert groundtrace(*commands["run"], "--force").code == 0
    assert results(small) == both


def written_at(folder: Path) -> dict[Path, int]:
    """Time of every file; state and lock are no results."""
    files = (p for p in folder.rglob("*") if p.is_file() and not p.name.startswith("."))
    return {path: path.stat().st_mtime_ns for path in files}


def first(sample: Path, pattern: str) -> Path:
    return next((sample / "runs").rglob(pattern))


def change_result(sample: Path) -> None:
    path = first(sample, "mcp_rate*/result.json")
    data = json.loads(path.read_text())
    data["verifier_result"] = {"rewards": {"reward": 0.125}}
    path.write_text(json.dumps(data))


def change_nothing_but_bytes_of_the_same_size_and_time(sample: Path) -> None:
    path = first(sample, "mcp_rate*/result.json")
    before = path.stat()
    text = path.read_text()
    path.write_text(text.replace('"finished_at": "2026', '"finished_at": "2025', 1))
    assert len(path.read_text()) == before.st_size
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def change_task_metrics(sample: Path) -> None:
    path = first(sample, "mcp_rate*/task_metrics.json")
    data = json.loads(path.read_text())
    path.write_text(json.dumps(data | {"benchmark": "demo_org_other"}))


def change_trace(sample: Path) -> None:
    path = first(sample, "mcp_rate*/agent/claude-code.txt")
    path.write_text("\n".join(path.read_text().splitlines()[:6]) + "\n")


def remove_trace(sample: Path) -> None:
    shutil.rmtree(first(sample, "mcp_rate*/agent"))


def add_second_trace(sample: Path) -> None:
    path = first(sample, "mcp_rate*/agent/claude-code.txt")
    lines = path.read_text().splitlines()
    path.write_text("\n".join(lines[:6]) + "\n")
    (path.parent / "session.jsonl").write_text("not a session\n")


def change_truth(sample: Path) -> None:
    path = sample / "benchmarks/demo_org_trace/event-schema-005/tests/ground_truth.json"
    path.write_text('{"files": ["manifest::schema/event.go"]}')


def add_truth(sample: Path) -> None:
    folder = next((sample / "benchmarks").rglob("naming-survey-010"))
    (folder / "tests").mkdir(exist_ok=True)
    (folder / "tests/ground_truth.json").write_text('{"files": ["quay::README.md"]}')


def change_task(sample: Path) -> None:
    path = sample / "benchmarks/demo_sdlc_fix/quay-timeout-fix-001/task.toml"
    path.write_text(path.read_text().replace("sg-evals/quay--a1b2c3d4", "sg-evals/other--a1b2c3d4"))


def remove_task(sample: Path) -> None:
    shutil.rmtree(sample / "benchmarks/demo_sdlc_fix/quay-timeout-fix-001")


def add_trial(sample: Path) -> None:
    folder = first(sample, "mcp_rate*")
    copy = folder.with_name("brand-new__abcdefg")
    shutil.copytree(folder, copy)
    path = copy / "result.json"
    data = json.loads(path.read_text())
    data |= {"task_name": "brand-new", "trial_name": copy.name, "task_id": {"path": "/x/brand-new"}}
    path.write_text(json.dumps(data))
    (copy / "task_metrics.json").unlink()


def add_later_trial_of_a_task(sample: Path) -> None:
    """The new one is selected, and the old one superseded: both outcomes change."""
    folder = first(sample, "mcp_rate*")
    copy = folder.with_name(f"{folder.name[:-3]}xyz")
    shutil.copytree(folder, copy)
    path = copy / "result.json"
    data = json.loads(path.read_text())
    data |= {"trial_name": copy.name, "finished_at": "2026-12-31T00:00:00Z"}
    path.write_text(json.dumps(data))


def edit_events_document(sample: Path) -> None:
    path = first(sample, "mcp-remote-direct/rate-*.retrieval_events.json")
    path.write_text(path.read_text().replace("rate-limit-trace-004", "rate-limit-trace-005"))


def edit_metrics_document(sample: Path) -> None:
    path = first(sample, "mcp-remote-direct/rate-*.retrieval_metrics.json")
    path.write_text(path.read_text().replace('"total_events": ', '"total_events": 9'))


def remove_metrics_document(sample: Path) -> None:
    first(sample, "mcp-remote-direct/rate-*.retrieval_metrics.json").unlink()


def edit_outcomes(sample: Path) -> None:
    path = first(sample, f"{RUN}/retrieval_events/outcomes.json")
    data = json.loads(path.read_text())
    data["trials"][0]["reward"] = 0.987
    path.write_text(json.dumps(data))


def edit_summary(sample: Path) -> None:
    path = first(sample, f"{RUN}/retrieval_events/run_retrieval_summary.json")
    path.write_text(path.read_text().replace('"scope": "', '"scope": "x'))


def edit_impact(sample: Path) -> None:
    path = first(sample, f"{RUN}/retrieval_events/impact_analysis.json")
    path.write_text(path.read_text().replace('"scope": "', '"scope": "x'))


def break_state(sample: Path) -> None:
    for path in (sample / "runs").rglob(".state.json"):
        path.write_text('{"groundtrace": ')


def state_of_another_version(sample: Path) -> None:
    for path in (sample / "runs").rglob(".state.json"):
        data = json.loads(path.read_text())
        path.write_text(json.dumps(data | {"groundtrace": "0.0.1", "documents": {}}))


INPUTS = [
    change_result,
    change_nothing_but_bytes_of_the_same_size_and_time,
    change_task_metrics,
    change_trace,
    remove_trace,
    add_second_trace,
    change_truth,
    add_truth,
    change_task,
    remove_task,
    add_trial,
    add_later_trial_of_a_task,
]
OUTPUTS = [
    edit_events_document,
    edit_metrics_document,
    remove_metrics_document,
    edit_outcomes,
    edit_summary,
    edit_impact,
]


@pytest.mark.parametrize("change", INPUTS)
def test_an_incremental_run_gives_the_bytes_of_a_forced_one(
    change: Callable[[Path], None], groundtrace: Call, small: Path
) -> None:
    run(groundtrace, small)
    before = results(small)
    change(small)
    ran = run(groundtrace, small)
    incremental = results(small)
    assert incremental != before, "the change had no effect: this test tests nothing"
    assert not ran.err.startswith("0 documents written")
    assert " 0 unchanged" not in ran.err, "only what changed is done again"
    run(groundtrace, small, "--force")
    assert results(small) == incremental


@pytest.mark.parametrize("change", OUTPUTS)
def test_results_that_somebody_changed_are_made_again(
    change: Callable[[Path], None], groundtrace: Call, small: Path
) -> None:
    run(groundtrace, small)
    before = results(small)
    change(small)
    assert results(small) != before, "the change had no effect: this test tests nothing"
    run(groundtrace, small)
    assert results(small) == before


@pytest.mark.parametrize("change", [break_state, state_of_another_version])
def test_without_a_usable_state_everything_is_done_again(
    change: Callable[[Path], None], groundtrace: Call, small: Path
) -> None:
    run(groundtrace, small)
    before = results(small)
    change(small)
    assert f"{TRIALS} documents written" in run(groundtrace, small).err
    assert results(small) == before


def test_evaluate_takes_a_document_as_it_finds_it(groundtrace: Call, small: Path) -> None:
    """Documents are what evaluate works from: one that was changed by hand is evaluated anew."""
    run(groundtrace, small)
    runs = small / "runs/official"
    edit_events_document(small)
    ran = groundtrace("evaluate", runs, "--jobs", 1)
    assert f"1 document evaluated, {TRIALS - 1} unchanged" in ran.out
    incremental = results(small)
    groundtrace("evaluate", runs, "--jobs", 1, "--force")
    assert results(small) == incremental


@pytest.mark.parametrize(
    "flags", [("--shell", "ignore"), ("--schema-version", "1.0"), ("--mcp-server", "none-such")]
)
def test_changed_settings_make_everything_stale(
    flags: tuple[str, ...], groundtrace: Call, small: Path
) -> None:
    run(groundtrace, small)
    ran = run(groundtrace, small, *flags)
    assert f"{TRIALS} documents written" in ran.err
    incremental = results(small)
    run(groundtrace, small, *flags, "--force")
    assert results(small) == incremental


def test_changed_options_of_the_impact_analysis_are_seen(groundtrace: Call, small: Path) -> None:
    run(groundtrace, small)
    before = results(small)
    groundtrace("impact", small / "runs/official", *DRAWS, "--seed", 7)
    assert results(small) != before
    run(groundtrace, small)
    assert results(small) == before


def test_a_changed_registry_concerns_the_tasks_whose_truth_changed(
    groundtrace: Call, small: Path, tmp_path: Path
) -> None:
    registry = tmp_path / "registry.json"
    flags = ("--ground-truth", registry)
    registry.write_text('{"naming-survey-010": ["README.md"], "elsewhere": ["a.go"]}')
    run(groundtrace, small, *flags)
    registry.write_text('{"naming-survey-010": ["internal/config/config.go"], "elsewhere": ["b"]}')
    ran = run(groundtrace, small, *flags)
    assert f"2 documents written, {TRIALS - 2} unchanged" in ran.err
    incremental = results(small)
    run(groundtrace, small, *flags, "--force")
    assert results(small) == incremental
    run(groundtrace, small)
    without = results(small)
    run(groundtrace, small, "--force")
    assert results(small) == without != incremental


def test_a_new_folder_without_a_trial_is_noticed(groundtrace: Call, small: Path) -> None:
    """It has no file that could change, and yet it belongs into the list of what was skipped."""
    run(groundtrace, small)
    (small / "runs/official" / RUN / "leftovers/empty").mkdir(parents=True)
    ran = run(groundtrace, small)
    assert f"0 documents written, {TRIALS} unchanged" in ran.err
    assert "1 folder or file skipped; -v says why" in ran.err
    incremental = results(small)
    run(groundtrace, small, "--force")
    assert results(small) == incremental
    assert "1 folder or file skipped" in run(groundtrace, small).err, (
        "said again when nothing changed"
    )


def test_changes_behind_a_link_are_noticed(groundtrace: Call, small: Path) -> None:
    """A folder behind a link lies elsewhere; its changes show in no listing of the run."""
    official = small / "runs/official"
    config = official / RUN / "mcp-remote-direct"
    config.rename(official.parent / "stored")
    config.symlink_to(official.parent / "stored")
    runs = small / "runs"
    flags = ("--tasks", small / "benchmarks", "--jobs", 1, "--out", small / "retrieval_events_out")
    first = groundtrace("normalize", runs, *flags).out
    # The five trials of that configuration lie in RUNS too; each is read once.
    assert first.startswith(f"{TRIALS} documents written, 0 unchanged")
    again = groundtrace("normalize", runs, *flags).out
    assert again.startswith(f"0 documents written, {TRIALS} unchanged")
    before = results(small)
    path = next((official.parent / "stored").rglob("mcp_rate*/result.json"))
    data = json.loads(path.read_text())
    data["verifier_result"] = {"rewards": {"reward": 0.125}}
    path.write_text(json.dumps(data))
    groundtrace("normalize", runs, *flags)
    incremental = results(small)
    assert incremental != before
    groundtrace("normalize", runs, *flags, "--force")
    assert results(small) == incremental


def test_a_single_trial_given_as_the_run_is_not_stale_for_its_own_results(
    groundtrace: Call, small: Path
) -> None:
    trial = first(small, "mcp_rate*")
    flags = ("--tasks", small / "benchmarks", "--jobs", 1)
    assert "1 document written" in groundtrace("normalize", trial, *flags).out
    assert "0 documents written, 1 unchanged" in groundtrace("normalize", trial, *flags).out
    groundtrace("evaluate", trial, "--jobs", 1)
    assert "0 documents written, 1 unchanged" in groundtrace("normalize", trial, *flags).out


def test_a_trial_that_failed_is_tried_again(
    groundtrace: Call, small: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from groundtrace.runs import normalize as stage

    real = stage.normalize_trial

    def fails(work: Any) -> Any:
        if "mcp_rate" in work.trial.path:
            raise RuntimeError("out of luck")
        return real(work)

    flags = ("--tasks", small / "benchmarks", "--jobs", 1)
    monkeypatch.setattr(stage, "normalize_trial", fails)
    for _ in range(2):
        ran = groundtrace("normalize", small / "runs/official", *flags)
        assert ran.code == 1
        assert "out of luck" in ran.err
    monkeypatch.setattr(stage, "normalize_trial", real)
    ran = groundtrace("normalize", small / "runs/official", *flags)
    assert f"1 document written, {TRIALS - 1} unchanged" in ran.out


@pytest.mark.parametrize("broken", [False, True])
def test_task_definitions_are_not_read_again_but_their_problems_told_again(
    broken: bool, groundtrace: Call, small: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from groundtrace.truth import tasks

    if broken:
        copy = next((small / "benchmarks").rglob("task.toml")).parent
        shutil.copytree(copy, copy.with_name("broken-001"))
        (copy.with_name("broken-001") / "task.toml").write_text("name = ")
    flags = ("--tasks", small / "benchmarks", "--jobs", 1)
    told = groundtrace("normalize", small / "runs/official", *flags).out.splitlines()[1:]
    assert any("task definitions: " in line for line in told) is broken
    read: list[object] = []
    real = tasks.build_index
    monkeypatch.setattr(tasks, "build_index", lambda folder: read.append(folder) or real(folder))
    again = groundtrace("normalize", small / "runs/official", *flags).out.splitlines()
    assert f"0 documents written, {TRIALS} unchanged" in again[0]
    assert again[1:] == told
    assert bool(read) is broken


def test_a_folder_without_tasks_is_told_each_time(groundtrace: Call, small: Path) -> None:
    """The folder of the runs, given as that of the tasks, looked like tasks without truth."""
    runs = small / "runs/official"
    for _ in range(2):
        ran = groundtrace("normalize", runs, "--tasks", runs, "--jobs", 1)
        assert ran.code == 0
        assert f"task definitions: {runs}: no task in it" in ran.out
    ran = groundtrace("normalize", runs, "--tasks", small / "benchmarks", "--jobs", 1)
    assert "no task in it" not in ran.out


def test_a_run_without_changes_imports_no_stage_that_works_on_traces(
    groundtrace: Call, small: Path
) -> None:
    """They were half of its start."""
    runs, tasks = small / "runs/official", small / "benchmarks"
    groundtrace("normalize", runs, "--tasks", tasks, "--jobs", 1)
    program = (
        "import sys\n"
        "from groundtrace.cli.main import invoke\n"
        "invoke(sys.argv[1:])\n"
        "print(*(n for n in sys.modules if n.startswith('groundtrace.') or n == 'tree_sitter'))"
    )
    command = [sys.executable, "-c", program, "normalize", str(runs), "--tasks", str(tasks)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert f"0 documents written, {TRIALS} unchanged" in done.stdout
    packages = {
        name.split(".")[1] for name in done.stdout.split() if "." in name and "groundtrace." in name
    }
    assert "runs" in packages
    assert not packages & {"traces", "tools", "events", "metrics", "paths", "truth", "pipeline"}
    assert "tree_sitter" not in done.stdout
