"""Who a trial is (D31): records before folders, wrappers removed only when that is certain."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from groundtrace.discover import trial_at, with_trace
from groundtrace.discover.names import forms, stem, unwrapped
from groundtrace.model import Trace, Trial, Usage
from groundtrace.storage import LocalFolder
from tests.discover.run_trees import found, index, kinds, put, result, task, trial


def one(runs: Path, *args: Any, **more: Any) -> Trial:
    trials = found(runs, *args, **more)[0]
    assert len(trials) == 1
    return trials[0]


def labels(**kwargs: str) -> dict[str, Any]:
    return {"environment": {"kwargs": kwargs}}


@pytest.mark.parametrize(
    ("raw", "name"),
    [
        ("mcp_ccx-dep-trace-002_q04bku", "ccx-dep-trace-002"),
        ("mcp_CCX-domain-137_TXdrz0", "ccx-domain-137"),
        ("mcp_calcom-code-review-001_a2szdg", "calcom-code-review-001"),
        ("mcp_bustub-hyperloglog-impl-001_0a1b2c3d", "bustub-hyperloglog-impl-001"),
        ("bl_flipt-trace-fix-001_VQx0Mu", "flipt-trace-fix-001"),
        ("sgonly_django-csrf-session-audit-001", "django-csrf-session-audit-001"),
        ("artifact_ccx-vuln-remed-014", "ccx-vuln-remed-014"),
        ("sdlc_test_aspnetcore-code-review-001_hRabbC", "aspnetcore-code-review-001"),
        ("instance_nodebb__nodebb-0499-v1", "instance_NodeBB__NodeBB-0499-v1"),
        ("CCX-crossorg-218", "ccx-crossorg-218"),
    ],
)
def test_a_wrapped_name_finds_its_task(tmp_path: Path, raw: str, name: str) -> None:
    """What remains is a known task, so the wrapper goes; case does not count."""
    tasks = index(tmp_path / "tasks", f"csb_org_x/{name}")
    trial(tmp_path / "runs/r1/mcp" / f"{raw[:32]}__AbCdEfG", raw)
    got = one(tmp_path / "runs", tasks)
    assert got.task is not None
    assert got.task_name == name
    assert got.evidence["task_name"] == "result.json task_name"


@pytest.mark.parametrize(
    "raw", ["mcp_server_config", "mcp_foo_a1b2c3", "sgonly_foo", "bl_x-001_abc123"]
)
def test_a_wrapper_stays_when_tasks_are_known_but_not_this_one(tmp_path: Path, raw: str) -> None:
    """D31: removed only when what remains is a known task."""
    trial(tmp_path / "runs/r1/mcp/x__AbCdEfG", raw)
    trials, _, problems = found(tmp_path / "runs", index(tmp_path / "tasks", "csb_org_x/other"))
    assert trials[0].task_name == raw
    assert trials[0].task is None
    assert kinds(problems) == {"no_task"}


@pytest.mark.parametrize(
    ("raw", "name"),
    [
        ("mcp_foo-bar_a1b2c3", "foo-bar"),
        ("mcp_foo-001_abcdef", "foo-001"),
        ("mcp_foo_VQxaMu", "foo"),
        ("sdlc_fix_foo-001_a1b2c3", "foo-001"),
        ("sgonly_foo", "foo"),
        ("mcp_server_config", "mcp_server_config"),
        ("mcp_report_202601", "mcp_report_202601"),
        ("bl_tiny_folder", "bl_tiny_folder"),
        ("artifact_store", "artifact_store"),
        ("instance_a__b-0123", "instance_a__b-0123"),
        ("plain-001", "plain-001"),
    ],
)
def test_without_known_tasks_only_an_unmistakable_form_is_unwrapped(raw: str, name: str) -> None:
    """A task may be called `mcp_server_config`: a word or a date is no hash."""
    assert unwrapped(raw) == name


def test_forms_begin_with_the_name_itself() -> None:
    """A known task that looks wrapped is itself."""
    assert next(iter(forms("mcp_foo_a1b2c3"))) == "mcp_foo_a1b2c3"


@pytest.mark.parametrize(
    ("name", "parent", "expected"),
    [
        ("flipt-cockroachdb-backend-fix-00__R99evYw", None, None),
        ("mcp_calcom-code-review-001_a2szd__878mgrd", None, None),
        ("mcp_bustub-hyperloglog-impl-001___ui8hMoF", None, None),
        ("ccx-dep-trace-001__Ruw46XZ", None, "ccx-dep-trace-001"),
        ("ccx-dep-trace-002_1", "ccx-dep-trace-002", "ccx-dep-trace-002"),
        ("thing_2", "else", "thing_2"),
    ],
)
def test_the_front_of_a_trial_name_counts_only_when_uncut(
    name: str, parent: str | None, expected: str | None
) -> None:
    """Names are cut at 32 characters, so what fills them proves nothing (D31)."""
    assert stem(name, parent) == expected


def test_a_cut_folder_name_never_names_the_task(tmp_path: Path) -> None:
    """The one known task with that beginning may be the wrong one: `-002` may be missing."""
    tasks = index(tmp_path / "tasks", "csb_sdlc_fix/flipt-cockroachdb-backend-fix-001")
    trial(tmp_path / "runs/r1/mcp/flipt-cockroachdb-backend-fix-00__R99evYw")
    trials, _, problems = found(tmp_path / "runs", tasks)
    assert trials[0].task is None
    assert {"no_result", "no_task", "task_from_folder"} == kinds(problems)


def test_folders_that_hold_the_whole_name_do(tmp_path: Path) -> None:
    """A task folder or a job's name repeats what the trial's cuts off."""
    tasks = index(
        tmp_path / "tasks",
        "csb_sdlc_fix/flipt-cockroachdb-backend-fix-001",
        "csb_sdlc_secure/django-csrf-session-audit-backend-001",
    )
    trial(
        tmp_path / "runs/r1/mcp/flipt-cockroachdb-backend-fix-001_28815a/2026-03-25__13-09-42"
        "/flipt-cockroachdb-backend-fix-00__R99evYw"
    )
    trial(
        tmp_path / "runs/r1/mcp/ccb_secure_django-csrf-session-audit-backend-001_mcp-remote-direct"
        "/sgonly_django-csrf-session-audit__9ufpf78"
    )
    trials, _, _ = found(tmp_path / "runs", tasks)
    assert sorted(t.task_name for t in trials if t.task) == [
        "django-csrf-session-audit-backend-001",
        "flipt-cockroachdb-backend-fix-001",
    ]


def test_the_order_of_evidence_for_the_task(tmp_path: Path) -> None:
    """Label, source folder, task_name, paths, task_metrics: the first that is a known task."""
    tasks = index(
        tmp_path / "tasks",
        "csb_x/by-label",
        "csb_x/by-source",
        "csb_x/by-name",
        "csb_x/by-path",
        "csb_x/by-metrics",
    )
    folder = tmp_path / "runs/r1/mcp/x__AbCdEfG"
    put(folder / "task_metrics.json", {"task_id": "by-metrics"})
    trial(folder, "nothing")
    assert one(tmp_path / "runs", tasks).task_name == "by-metrics"
    trial(folder, "nothing", task_id={"path": "/tmp/by-path"})
    assert one(tmp_path / "runs", tasks).task_name == "by-path"
    trial(folder, "by-name", task_id={"path": "/tmp/by-path"})
    assert one(tmp_path / "runs", tasks).task_name == "by-name"
    put(folder / "config.json", labels(task_source_dir="/b/benchmarks/csb_x/by-source/"))
    assert one(tmp_path / "runs", tasks).task_name == "by-source"
    put(
        folder / "config.json",
        labels(task_source_dir="/b/csb_x/by-source", label_task_id="by-label"),
    )
    got = one(tmp_path / "runs", tasks)
    assert got.task_name == "by-label"
    assert got.evidence["task_name"] == "config.json environment.kwargs.label_task_id"


def test_the_configuration_comes_from_records_before_folders(tmp_path: Path) -> None:
    """Promotion renamed the folder to `mcp`; it held `mcp-remote-artifact`."""
    folder = tmp_path / "r1/mcp/a-1__AbCdEfG"
    trial(folder, "a-1")
    assert one(tmp_path).config_name == "mcp"
    trials_dir = "runs/staging/r0/mcp-remote-artifact/2026-02-21__14-27-00"
    trial(folder, "a-1", config={"trials_dir": trials_dir})
    assert one(tmp_path).config_name == "mcp-remote-artifact"
    put(folder / "task_metrics.json", {"config_name": "mcp-remote-direct"})
    assert one(tmp_path).config_name == "mcp-remote-direct"
    put(folder / "config.json", labels(label_config="github-remote-direct"))
    trials, _, problems = found(tmp_path)
    assert trials[0].config_name == "github-remote-direct"
    assert kinds(problems) == {"config_disagrees"}
    assert trials[0].run_id == "r1"


def test_the_suite_comes_from_records_then_task_then_folders(tmp_path: Path) -> None:
    """Old and new names are kept as the records have them."""
    folder = tmp_path / "runs/ccb_fix_haiku_022326/mcp/a-1__AbCdEfG"
    trial(folder, "a-1")
    assert one(tmp_path / "runs").benchmark == "ccb_fix"
    tasks = index(tmp_path / "tasks", "csb_sdlc_fix/a-1")
    assert one(tmp_path / "runs", tasks).benchmark == "csb_sdlc_fix"
    trial(folder, "a-1", task_id={"path": "/x/benchmarks/eb_ops/a-1"})
    assert one(tmp_path / "runs", tasks).benchmark == "eb_ops"
    put(folder / "task_metrics.json", {"benchmark": "ccb_repair"})
    assert one(tmp_path / "runs", tasks).benchmark == "ccb_repair"


def test_two_tasks_of_one_name_are_told_apart_by_suite(tmp_path: Path) -> None:
    """A trial joined to the wrong one would be scored against a stranger's truth."""
    tasks = index(tmp_path / "tasks", "csb_sdlc_fix/a-1", "csb_org_fix/a-1")
    folder = tmp_path / "runs/r1/mcp/a-1__AbCdEfG"
    trial(folder, "a-1")
    trials, _, problems = found(tmp_path / "runs", tasks)
    assert trials[0].task is None
    assert kinds(problems) == {"ambiguous_task"}
    put(folder / "task_metrics.json", {"benchmark": "ccb_mcp_fix"})
    got = one(tmp_path / "runs", tasks)
    assert got.task is not None
    assert got.task.benchmark == "csb_org_fix"


def test_model_and_harness(tmp_path: Path) -> None:
    """A model has no provider; `unknown` is no version; a class names its harness."""
    folder = tmp_path / "r1/mcp/a-1__AbCdEfG"
    trial(folder, "a-1")
    got = one(tmp_path)
    assert (got.model, got.harness, got.harness_version) == (
        "claude-haiku-4-5-20251001",
        "claude-code",
        None,
    )
    put(folder / "result.json", {"task_name": "a-1"})
    agent = {
        "model_name": "anthropic/claude-x",
        "name": None,
        "import_path": "agents.harnesses.openhands:OpenHandsHarnessAgent",
    }
    put(folder / "config.json", {"agent": agent})
    got = one(tmp_path)
    assert (got.model, got.harness) == ("claude-x", "openhands")
    assert got.evidence["harness"] == "config.json agent.import_path"


def test_the_trace_completes_what_records_leave_open(tmp_path: Path) -> None:
    """It adds; it does not overrule who the trial is. Tokens come from it first."""
    folder = tmp_path / "r1/mcp/a-1__AbCdEfG"
    trial(folder, "a-1")
    usage = Usage(
        output_tokens=8975, output_tokens_source="modelUsage", cost_usd=0.51, cost_source="stream"
    )
    trace = Trace(harness="else", harness_version="2.1.62", model="other/model", usage=usage)
    got = with_trace(one(tmp_path), trace)
    assert (got.harness, got.harness_version, got.model) == (
        "claude-code",
        "2.1.62",
        "claude-haiku-4-5-20251001",
    )
    assert got.evidence["harness_version"] == "trace"
    assert (got.outcome.output_tokens, got.outcome.output_tokens_source) == (8975, "modelUsage")
    assert (got.outcome.cost_usd, got.outcome.cost_source) == (0.51, "stream")
    put(folder / "task_metrics.json", {"cost_usd": 0.4})
    kept = with_trace(one(tmp_path), trace).outcome
    assert (kept.cost_usd, kept.cost_source) == (0.4, "task_metrics.json cost_usd")
    put(folder / "result.json", {"task_name": "a-1"})
    assert with_trace(one(tmp_path), trace).model == "model"


def test_copies_of_a_trial_share_a_key_and_others_do_not(tmp_path: Path) -> None:
    """Promotion renames folders and keeps files: 1,086 real trials exist twice (D32)."""
    more = {"id": "fe366d63"}
    trial(tmp_path / "_raw/r1/mcp-remote-direct/2026-02-28__00-53-35/a-1__AbCdEfG", "a-1", **more)
    trial(tmp_path / "r1_promoted/mcp/a-1__AbCdEfG", "a-1", **more)
    trial(tmp_path / "r2/mcp/a-1__AbCdEfG", "a-1", id="other")
    trial(tmp_path / "r3/mcp/b-1__AbCdEfG", "b-1", **more)
    keys = {t.run_id: t.trial_key for t in found(tmp_path)[0]}
    assert keys["r1"] == keys["r1_promoted"]
    assert len({keys["r1"], keys["r2"], keys["r3"]}) == 3


def test_without_an_id_name_and_times_make_the_key(tmp_path: Path) -> None:
    """A second execution under the same name has other times; no records, no copy."""
    trial(tmp_path / "r1/mcp/a-1__AbCdEfG", "a-1")
    trial(tmp_path / "r2/mcp/a-1__AbCdEfG", "a-1")
    trial(tmp_path / "r3/mcp/a-1__AbCdEfG", "a-1", finished_at="2026-03-21T00:00:00")
    for run in ("r4", "r5"):
        trial(tmp_path / f"{run}/mcp/a-1__AbCdEfG")
    keys = {t.run_id: t.trial_key for t in found(tmp_path)[0]}
    assert keys["r1"] == keys["r2"]
    assert len(set(keys.values())) == 4


def test_one_trial_can_be_looked_at_alone(tmp_path: Path) -> None:
    """The folders above it, given by name, tell its run."""
    folder = trial(tmp_path / "runs/official/r1/mcp/a-1__AbCdEfG", "a-1")
    got, problems = trial_at(LocalFolder(folder), ["runs", "official", "r1", "mcp"])
    assert got is not None
    assert (got.run_id, got.config_name, got.task_name, got.path) == (
        "r1",
        "mcp",
        "a-1",
        "mcp/a-1__AbCdEfG",
    )
    assert not problems
    nothing, _ = trial_at(LocalFolder(tmp_path), [])
    assert nothing is None


def test_tasks_of_the_same_name_in_one_suite(tmp_path: Path) -> None:
    """The id of one task may be the folder of another: the folder's name counts first."""
    task(tmp_path / "tasks", "csb_x", "incident-002", '[task]\nid = "incident-001"\n')
    task(tmp_path / "tasks", "csb_x", "incident-001", '[task]\nid = "other"\n')
    trial(tmp_path / "runs/r1/mcp/x__AbCdEfG", "incident-001")
    found = one(tmp_path / "runs", index(tmp_path / "tasks"))
    assert found.task is not None and found.task.folder is not None
    assert (found.task.folder.name, found.task_name) == ("incident-001", "other")


BAD_RESULTS: dict[str, Any] = {
    "list": [1, 2],
    "empty": b"",
    "blank": b" \n",
    "cut": b'{"task_name": "a-1"',
    "not UTF-8": b'\xff\xfe{"task_name": "a-1"}',
    "text": '"a-1"',
    "null": "null",
    "NaN": "NaN",
    "deep": b"[" * 100_000,
    "wrong types": {
        "task_name": 5,
        "trial_name": ["x"],
        "agent_info": [],
        "verifier_result": 3,
        "config": "x",
    },
    "huge name": {"task_name": "x" * 100_000},
}


@pytest.mark.parametrize("name", BAD_RESULTS)
def test_a_bad_result_is_a_named_problem_and_the_trial_goes_on(tmp_path: Path, name: str) -> None:
    """It is evaluated as far as config.json, task_metrics.json and the folders allow."""
    folder = trial(tmp_path / "r1/mcp/a-1__AbCdEfG")
    put(folder / "result.json", BAD_RESULTS[name])
    put(folder / "task_metrics.json", {"task_id": "a-1", "config_name": "mcp-remote-direct"})
    trial(tmp_path / "r1/mcp/b-1__AbCdEfG", "b-1")
    trials, _, problems = found(tmp_path)
    assert [(t.task_name, t.config_name) for t in trials] == [
        ("a-1", "mcp-remote-direct"),
        ("b-1", "mcp"),
    ]
    assert problems
    assert all(p.path == "r1/mcp/a-1__AbCdEfG" for p in problems)
    assert trials[0].outcome.reward is None


def test_a_trial_of_which_only_task_metrics_is_left_is_a_trial(tmp_path: Path) -> None:
    """Like one of which only config.json is left: nothing that ran is missing from the counts."""
    named = {"task_id": "a-1", "config_name": "mcp-remote-direct", "benchmark": "csb_sdlc_fix"}
    put(tmp_path / "r1/mcp/a-1__AbCdEfG/task_metrics.json", named)
    trial(tmp_path / "r1/mcp/b-1__AbCdEfG", "b-1")
    trials, skipped, problems = found(tmp_path)
    assert [(t.task_name, t.config_name) for t in trials] == [
        ("a-1", "mcp-remote-direct"),
        ("b-1", "mcp"),
    ]
    assert (trials[0].benchmark, trials[0].files) == ("csb_sdlc_fix", ("task_metrics.json",))
    assert kinds(problems) == {"no_result"}
    assert not skipped


def test_task_metrics_above_a_trial_make_no_trial_of_the_folder(tmp_path: Path) -> None:
    """The trial below would be lost in it."""
    put(tmp_path / "r1/mcp/a-1/task_metrics.json", {"task_id": "a-1"})
    trial(tmp_path / "r1/mcp/a-1/a-1__AbCdEfG", "a-1")
    trials, _, _ = found(tmp_path)
    assert [t.trial_name for t in trials] == ["a-1__AbCdEfG"]


def test_a_folder_named_result_json(tmp_path: Path) -> None:
    """Not a file, so not read; said so."""
    folder = trial(tmp_path / "r1/mcp/a-1__AbCdEfG")
    (folder / "result.json").mkdir()
    trials, _, problems = found(tmp_path)
    assert len(trials) == 1
    assert "not_a_file" in kinds(problems)


def test_a_trial_with_only_a_config_is_one(tmp_path: Path) -> None:
    """It was started and left nothing else; a job's config is not."""
    put(
        tmp_path / "r1/mcp/a-1__AbCdEfG/config.json",
        {"trial_name": "a-1__AbCdEfG", "task": {"path": "t/a-1"}},
    )
    put(tmp_path / "r1/mcp/job/config.json", {"job_name": "j", "tasks": []})
    trials, skipped, problems = found(tmp_path)
    assert [(t.task_name, t.outcome.reward_reason) for t in trials] == [("a-1", "no_result")]
    assert kinds(problems) == {"no_result"}
    assert [s.path for s in skipped] == ["r1/mcp/job"]


def test_records_from_a_hostile_hand(tmp_path: Path) -> None:
    """Names that are paths, hold NUL or lone surrogates are kept as text and raise nothing."""
    bad = "../../etc/x\0\ud800"
    put(tmp_path / "r1/mcp/a/result.json", result(bad, bad, id=bad))
    (got,) = found(tmp_path)[0]
    got.task_name.encode()
    assert got.path == "r1/mcp/a"
