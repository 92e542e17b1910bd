"""Every layout in which real runs come: the right run, configuration, batch, task and trial."""

from __future__ import annotations

from pathlib import Path

import pytest

from groundtrace.config import Settings
from groundtrace.discover import discover_run, layout_of
from groundtrace.discover.walk import Run
from groundtrace.model import Trial
from groundtrace.storage import LocalFolder
from tests.discover.run_trees import found, index, put, result, trial

STAMP = "2026-03-20__18-25-24"
LONG = "linux-nfs-inode-revalidate-fault-001"

LAYOUTS = {
    "batches": (
        f"csb_debug_sonnet_20260320_181826/baseline-local-direct/{STAMP}/linux-nfs-inode-revalidate-fault__GF8yiSH",
        LONG,
        ("csb_debug_sonnet_20260320_181826", "baseline-local-direct", STAMP),
    ),
    "job folders": (
        "secure_haiku_20260223/mcp-remote-direct/ccb_secure_django-csrf-audit-001_mcp-remote-direct"
        "/sgonly_django-csrf-audit-001__9ufpf78",
        "sgonly_django-csrf-audit-001",
        ("secure_haiku_20260223", "mcp-remote-direct", None),
    ),
    "bare trials": (
        "ccb_mcp_security_haiku_022126/mcp/ccx-vuln-remed-014__N89s2pB",
        "ccx-vuln-remed-014",
        ("ccb_mcp_security_haiku_022126", "mcp", None),
    ),
    "task folders": (
        f"csb_sdlc_debug_opus_20260325/baseline-local-direct/linux-acpi-backlight-fault-001_288156/{STAMP}"
        "/linux-acpi-backlight-fault-001__YR7PYZu",
        "linux-acpi-backlight-fault-001",
        ("csb_sdlc_debug_opus_20260325", "baseline-local-direct", STAMP),
    ),
    "attempts": (
        "csb_org_crossrepo_tracing/mcp/ccx-dep-trace-002/ccx-dep-trace-002_1",
        "ccx-dep-trace-002",
        ("csb_org_crossrepo_tracing", "mcp", None),
    ),
    "all": (
        "oh_sonnet46/baseline-local-direct/all/calcom-code-review-001__2C4pKJq",
        "calcom-code-review-001",
        ("oh_sonnet46", "baseline-local-direct", None),
    ),
    "mode in the name": (
        "mcp_batch_v4/incident-002_hybrid",
        "incident-002",
        ("mcp_batch_v4", "hybrid", None),
    ),
    "studies": (
        "study-a/runs/dep-traversal-001/mcp_only/rep1/attempt1",
        "dep-traversal-001",
        ("study-a", "mcp_only", None),
    ),
    "modes below tasks": (
        "rescore_2/dep-traversal-001/cli",
        "dep-traversal-001",
        ("rescore_2", "cli", None),
    ),
    "a task named like a configuration": (
        "r1/mcp/cache-remote-artifact/cache-remote-artifact_1",
        "cache-remote-artifact",
        ("r1", "mcp", None),
    ),
    "own names": (
        "weekly/with-graph/nightly-7__AbCdEfG",
        "nightly-7",
        ("weekly", "with-graph", None),
    ),
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("above", ["", "_raw", "analysis/csb_org", "cli"])
def test_a_folder_of_runs_in_each_layout(tmp_path: Path, layout: str, above: str) -> None:
    """A trial is found under its run and configuration, however deep the runs lie (D31)."""
    path, task_name, (run, config, batch) = LAYOUTS[layout]
    trial(tmp_path / above / path, task_name)
    trial(tmp_path / above / "other_run/baseline-local-direct" / STAMP / "x-1__AbCdEfG", "x-1")
    trials, _, problems = found(tmp_path)
    assert not problems
    (one,) = [t for t in trials if t.run_id != "other_run"]
    assert (one.run_id, one.config_name, one.batch_timestamp) == (run, config, batch)
    assert one.task_name == task_name.removeprefix("sgonly_")
    assert one.path == str(Path(above) / path)
    assert not layout_of(LocalFolder(tmp_path), Settings()).single


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_single_run_in_each_layout(tmp_path: Path, layout: str) -> None:
    """The same run given alone is found out to be one, not asked (command line contract)."""
    path, task_name, (run, config, batch) = LAYOUTS[layout]
    trial(tmp_path / path, task_name)
    trials, _, problems = found(tmp_path / run)
    assert layout_of(LocalFolder(tmp_path / run), Settings()).single
    assert not problems
    (one,) = trials
    assert (one.run_id, one.config_name, one.batch_timestamp) == (run, config, batch)


def test_runs_beside_a_folder_that_groups_runs(tmp_path: Path) -> None:
    """`_raw` beside promoted runs is no run of its own."""
    trial(tmp_path / f"_raw/fix_20260301/mcp-remote-direct/{STAMP}/a-1__AbCdEfG", "a-1")
    trial(tmp_path / "fix_030126/mcp/a-1__AbCdEfG", "a-1")
    trials, _, _ = found(tmp_path)
    assert sorted(t.run_id for t in trials) == ["fix_030126", "fix_20260301"]


def test_two_runs_of_one_name_stay_apart(tmp_path: Path) -> None:
    """Their artifacts would overwrite each other: the second goes by its path."""
    for place in ("_raw", "keep"):
        trial(tmp_path / f"{place}/r1/baseline/a-1__AbCdEfG", "a-1")
    runs = [r for r in layout_of(LocalFolder(tmp_path), Settings()).runs() if isinstance(r, Run)]
    assert [(r.run_id, r.path) for r in runs] == [("r1", "_raw/r1"), ("keep__r1", "keep/r1")]
    trials = list(discover_run(runs[1], settings=Settings()))
    assert [getattr(t, "run_id", None) for t in trials] == ["keep__r1"]


def test_a_configuration_folder_given_as_runs(tmp_path: Path) -> None:
    """Its name is the configuration when nothing else says one."""
    trial(tmp_path / f"r1/baseline-local-direct/{STAMP}/a-1__AbCdEfG", "a-1")
    trials, _, _ = found(tmp_path / "r1/baseline-local-direct")
    assert [t.config_name for t in trials] == ["baseline-local-direct"]


def test_a_trial_folder_given_as_runs(tmp_path: Path) -> None:
    """It is one run with itself as the only trial."""
    trial(
        tmp_path / "a-1__AbCdEfG",
        "a-1",
        config={"environment": {"kwargs": {"label_config": "mcp"}}},
    )
    trials, _, _ = found(tmp_path / "a-1__AbCdEfG")
    assert [(t.task_name, t.config_name, t.path) for t in trials] == [("a-1", "mcp", ".")]


def test_files_of_jobs_and_tasks_are_not_trials(tmp_path: Path) -> None:
    """Harbor writes result.json and config.json one folder above as well."""
    job = tmp_path / "r1/mcp/job_a-1_mcp"
    put(job / "result.json", {"id": "j", "n_total_trials": 1, "stats": {"n_trials": 1}})
    put(job / "config.json", {"job_name": "j", "jobs_dir": "x", "tasks": []})
    trial(job / "a-1__AbCdEfG", "a-1")
    put(
        tmp_path / "r1/mcp/somewhere/tests/config.json",
        {"repo": "o/r", "patch": "", "instance_id": "i"},
    )
    trials, skipped, problems = found(tmp_path)
    assert [t.path for t in trials] == ["r1/mcp/job_a-1_mcp/a-1__AbCdEfG"]
    assert [s.path for s in skipped] == ["r1/mcp/somewhere"]
    assert not problems


@pytest.mark.parametrize(
    "name",
    ["_errored", "_archived_errors", "archive", "mcp-remote-direct__broken_mcp_websearch"],
)
def test_broken_and_archived_folders_are_skipped_and_named(tmp_path: Path, name: str) -> None:
    """D32: skipped by a list of patterns, and counted."""
    trial(tmp_path / "r1/mcp/a-1__AbCdEfG", "a-1")
    trial(tmp_path / "r1" / name / "b-1__AbCdEfG", "b-1")
    trials, skipped, _ = found(tmp_path)
    assert [t.task_name for t in trials] == ["a-1"]
    assert [(s.path, s.run_id) for s in skipped] == [(f"r1/{name}", "r1")]
    everything = found(tmp_path, settings=Settings(skip=()))[0]
    assert sorted(t.task_name for t in everything) == ["a-1", "b-1"]


def test_a_whole_run_is_skipped_by_its_name(tmp_path: Path) -> None:
    """`<run>__sgfull_invalid_truncation_gap` is a run that was taken back."""
    trial(tmp_path / "r1/mcp/a-1__AbCdEfG", "a-1")
    trial(tmp_path / "r2__sgfull_invalid_truncation_gap/mcp/a-1__AbCdEfH", "a-1")
    trials, skipped, _ = found(tmp_path)
    assert [t.run_id for t in trials] == ["r1"]
    assert [s.path for s in skipped] == ["r2__sgfull_invalid_truncation_gap"]


def test_a_task_whose_name_looks_broken_is_not_skipped(tmp_path: Path) -> None:
    """The patterns mean runs and configurations, not what a task is about."""
    trial(
        tmp_path / "r1/mcp/reject_invalid_tokens-1/reject_invalid_tokens-1__AbCdEfG",
        "reject_invalid_tokens-1",
    )
    assert [t.task_name for t in found(tmp_path)[0]] == ["reject_invalid_tokens-1"]


def test_own_output_is_ignored(tmp_path: Path) -> None:
    """Both folders that groundtrace writes are skipped without a word."""
    trial(tmp_path / "r1/mcp/a-1__AbCdEfG", "a-1")
    put(tmp_path / "r1/retrieval_events/mcp/a-1.retrieval_events.json", {"task_name": "a-1"})
    trial(tmp_path / "r1/retrieval_events/mcp/x/b__AbCdEfG", "b")
    put(tmp_path / "retrieval_events_aggregate/outcomes.json", {})
    trials, skipped, problems = found(tmp_path)
    assert len(trials) == 1
    assert not skipped
    assert not problems


def test_an_empty_folder_is_named_once(tmp_path: Path) -> None:
    """A tree without trials is one line, at its top."""
    (tmp_path / "notes/a/b").mkdir(parents=True)
    (tmp_path / "notes/c").mkdir(parents=True)
    trial(tmp_path / "r1/mcp/a-1__AbCdEfG", "a-1")
    (tmp_path / "r1/mcp/empty/deep").mkdir(parents=True)
    _, skipped, _ = found(tmp_path)
    assert sorted(s.path for s in skipped) == ["notes", "r1/mcp/empty"]
    assert found(tmp_path / "notes")[1][0].reason == "no trial in it"


def test_links_that_leave_or_go_round_end(tmp_path: Path) -> None:
    """Loops end, also over two links; what lies outside RUNS is never read."""
    trial(tmp_path / "outside/x__AbCdEfG", "secret-1")
    runs = tmp_path / "runs"
    trial(runs / "r1/mcp/a-1__AbCdEfG", "a-1")
    (runs / "r1/mcp/up").symlink_to(runs)
    (runs / "r1/mcp/out").symlink_to(tmp_path / "outside")
    (runs / "r1/p").mkdir()
    (runs / "r1/q").mkdir()
    (runs / "r1/p/to_q").symlink_to(runs / "r1/q")
    (runs / "r1/q/to_p").symlink_to(runs / "r1/p")
    for name, other in (("p", "q"), ("q", "p")):
        (runs / "archive" / name).mkdir(parents=True)
        (runs / "archive" / name / "to").symlink_to(runs / "archive" / other)
    (runs / "r1/kept").symlink_to(runs / "archive/p")  # nothing but this link leads there
    trials, _, problems = found(runs)
    assert [t.task_name for t in trials] == ["a-1"]
    assert {"r1/mcp/up", "r1/mcp/out"} <= {p.path for p in problems}
    assert kinds_of(problems) == {"link_not_followed", "link_loop"}


def kinds_of(problems: list) -> set[str]:  # type: ignore[type-arg]
    return {p.problem.kind for p in problems}


def test_only_keeps_tasks_by_pattern_without_case(tmp_path: Path) -> None:
    """`--only` is about tasks."""
    for name in ("ccx-dep-1", "ccx-vuln-2"):
        trial(tmp_path / "r1/mcp" / f"{name}__AbCdEfG", name)
    (run,) = layout_of(LocalFolder(tmp_path), Settings()).runs()
    assert isinstance(run, Run)
    items = discover_run(run, settings=Settings(), only="CCX-dep*")
    assert [item.task_name for item in items if isinstance(item, Trial)] == ["ccx-dep-1"]


def test_a_flattened_name_still_tells_its_folders(tmp_path: Path) -> None:
    """A path flattened with `__` is read like the folders it was."""
    name = "runs__official__ccb_build_haiku_022326__mcp-remote-direct__sgonly_deps-001__RjeANAy"
    put(tmp_path / "r1/kept" / name / "config.json", {"trial_name": "sgonly_deps-001__RjeANAy"})
    (one,) = found(tmp_path, index(tmp_path / "t", "csb_sdlc_build/deps-001"))[0]
    assert (one.config_name, one.task_name) == ("mcp-remote-direct", "deps-001")


def test_discovery_streams(tmp_path: Path) -> None:
    """The first trial comes before the last folder is looked at."""
    for number in range(5):
        trial(tmp_path / f"r{number}/mcp/a-1__AbCdEf{number}", "a-1")
    put(tmp_path / "r0/mcp/a-1__AbCdEf0/result.json", result("a-1", "a-1__AbCdEf0"))
    stream = iter(layout_of(LocalFolder(tmp_path), Settings()).runs())
    first = next(stream)
    assert isinstance(first, Run)
    assert first.run_id == "r0"
