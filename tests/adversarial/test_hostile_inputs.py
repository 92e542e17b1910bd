"""What a command does with giants, hanging readers and crowds, in a process of its own."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from groundtrace.base.limit import allowed_seconds
from groundtrace.config import Settings
from groundtrace.discover import discover
from groundtrace.discover import loose as loose_module
from groundtrace.discover.found import FoundProblem, Skipped
from groundtrace.discover.loose_items import LooseRun
from groundtrace.model import READER_ENTRY_POINTS, Problem, Trial
from groundtrace.storage import LocalFolder
from groundtrace.truth import git_history
from groundtrace.truth.git_history import tasks_of_history
from groundtrace.truth.rows import MAX_ROWS, read_task_rows
from tests.adversarial import hostile
from tests.adversarial.worlds import (
    Call,
    World,
    assert_good_trial_was_evaluated,
    put,
    stream,
)

MOST_MEGABYTES = 500


def installed(top: Path, code: str) -> dict[str, str]:
    """The environment in which a reader of another package is installed."""
    put(top / "slow_reader.py", code)
    put(
        top / "slow_reader-1.dist-info/METADATA",
        "Metadata-Version: 2.1\nName: slow_reader\nVersion: 1\n",
    )
    put(
        top / "slow_reader-1.dist-info/entry_points.txt",
        f"[{READER_ENTRY_POINTS}]\nslow = slow_reader:Slow\n",
    )
    return {
        "PYTHONPATH": os.pathsep.join([str(top), *filter(None, [os.environ.get("PYTHONPATH")])])
    }


READER = """
import time
class Slow:
    name = "slow"
    patterns = ("agent/*.slow",)
    own_names = ("slow*.jsonl",)
    def recognise(self, probe):
        if "slow" in probe.name:
            {claims}
        return None
    def read(self, folder):
        return None
"""


@pytest.mark.parametrize("claims", ["time.sleep(100_000)", "while True: pass"])
def test_a_reader_that_hangs_costs_its_own_files_only(tmp_path: Path, claims: str) -> None:
    """A reader that slept was waited for without end: only processor time was limited."""

    own = installed(tmp_path / "packages", READER.format(claims=claims))
    for name in ("slow", "good"):
        put(tmp_path / f"runs/{name}.jsonl", stream("/workspace/src/a.py"))
    out = tmp_path / "out"
    flags = ("--out", out, "--jobs", 1, "--format", "md", "--trial-seconds", 1)
    took = hostile.measured("run", tmp_path / "runs", *flags, environment=own, timeout=60)
    assert took.code == 0, took.said
    assert "slow.jsonl" in took.said and "more than 1" in took.said, took.said
    assert list(out.rglob("good.retrieval_metrics.json"))


READS = """
import time
from groundtrace.traces.source import Recognised
class Slow:
    name = "slow"
    patterns = ("agent/*.slow",)
    def recognise(self, probe):
        return Recognised("marker", "SLOW") if probe.head.startswith(b"SLOW") else None
    def read(self, folder, path, keep):
        time.sleep(100_000)
"""


def test_a_reader_that_waits_for_ever_in_a_trial_costs_that_trial(tmp_path: Path) -> None:
    """In a worker too: the document says why, and the others are evaluated."""
    own = installed(tmp_path / "packages", READS)
    world = World(tmp_path)
    world.good()
    world.task("slow-1")
    trial = world.trial("slow-1")
    (trial / "agent/claude-code.txt").unlink()
    put(trial / "agent/a.slow", "SLOW")
    flags = ("--tasks", world.tasks, "--out", world.out, "--jobs", 2, "--format", "md")
    took = hostile.measured(
        "run", world.run, *flags, "--trial-seconds", 1, environment=own, timeout=60
    )
    assert took.code == 0 and "internal error" not in took.said, took.said
    assert_good_trial_was_evaluated(world)
    coverage = world.documents()["baseline slow-1"]["coverage"]
    assert coverage["problems"]["time_limit"] == 1
    assert "it waited more than 10 seconds" in coverage["degraded_reason"]


def test_a_line_end_in_a_name_makes_no_line(tmp_path: Path, groundtrace: Call) -> None:
    """`no trial: x` and a line of its own choice below it."""
    put(tmp_path / "runs/good.jsonl", stream("/workspace/src/a.py"))
    put(tmp_path / "runs/a\nfailed: all of it.eval", b"PK\x03\x04" + bytes(3000))
    for flags in (("--out", tmp_path / "out", "--jobs", 1), ("--dry-run",)):
        ran = groundtrace("normalize", tmp_path / "runs", *flags)
        assert r"a\nfailed: all of it.eval" in ran.out
        assert not [line for line in ran.out.splitlines() if line.startswith("failed: all")]


def test_a_commit_with_a_giant_file_keeps_its_other_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file that 600 bytes of deltas make 800 MB large stopped the whole command."""
    hostile.repository(tmp_path / "r", giant=hostile.MB, chain=12)
    monkeypatch.setattr(git_history, "MAX_MEMORY", 120 * hostile.MB)
    (task,) = tasks_of_history(f"{tmp_path}/r@HEAD").tasks
    assert task.row is not None and task.row.patch is not None
    assert "+def f():" in task.row.patch
    assert "Binary files /dev/null and b/src/delta.py differ" in task.row.patch


@pytest.mark.parametrize("name", ["a.py", "a\tb.py", "a b.py", 'q"uote.py', "é.py"])
@pytest.mark.parametrize("kind", ["new", "changed", "gone"])
def test_what_is_said_of_a_giant_file_is_what_git_says(
    name: str, kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    top = tmp_path / "r"
    top.mkdir()
    hostile.git(top, "init", "-q")
    put(top / "b.py", "x\n")
    if kind != "new":
        put(top / name, "x\n" * 200)
    hostile.git(top, "add", "-A")
    hostile.git(top, "commit", "-q", "-m", "a")
    put(top / "b.py", "y\n")
    if kind == "gone":
        (top / name).unlink()
    else:
        put(top / name, "y\n" * 200)
    hostile.git(top, "add", "-A")
    hostile.git(top, "commit", "-q", "-m", "b")
    monkeypatch.setattr(git_history, "LARGE_FILE", 100)
    settings = tuple(
        "core.bigFileThreshold=100" if one.startswith("core.big") else one
        for one in git_history._SETTINGS
    )
    monkeypatch.setattr(git_history, "_SETTINGS", settings)
    ends = ["HEAD^", "HEAD"]
    said = git_history.run_git(str(top), [*git_history._DIFF, *ends])
    (change,) = git_history._large_files(str(top), ends, [])
    assert git_history._as_binary(change) in said


def test_a_crowd_hides_no_file(tmp_path: Path) -> None:
    """3,000 empty files of one folder filled the list, and a bomb beside them was not named."""
    for number in range(loose_module.MAX_SKIPPED + 200):
        put(tmp_path / f"many/{number}.jsonl", b"")
    put(tmp_path / "z/deep.json", '{"messages":' + "[" * 50_000)
    found = [
        item
        for item in discover(LocalFolder(tmp_path), settings=Settings())
        if isinstance(item, Skipped)
    ]
    assert "z/deep.json" in {item.path for item in found}
    assert [item.reason for item in found if item.path == "many"] == [
        "and 1,100 more files that are not traces"
    ]


def test_a_session_that_cannot_be_read_in_time_stops_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What names depend on was read without limits, before any trial was."""
    read = loose_module._trace_of

    def hangs(item: loose_module.LooseItem, settings: Settings) -> object:
        while item.file == "slow.jsonl":
            pass
        return read(item, settings)

    monkeypatch.setattr(loose_module, "_trace_of", hangs)
    for name in ("slow", "good"):
        put(tmp_path / f"{name}.jsonl", stream("/workspace/src/a.py"))
    with allowed_seconds(0.3):
        found = list(discover(LocalFolder(tmp_path), settings=Settings(config_by="mcp")))
    assert len([item for item in found if isinstance(item, Trial)]) == 2
    problems = [item.problem for item in found if isinstance(item, FoundProblem)]
    assert [p.file for p in problems if p.kind == "too_large"] == ["slow.jsonl"]


def test_predictions_beside_traces_are_read_within_the_limits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from groundtrace.discover import verdicts

    def hangs(*_: object) -> object:
        while True:
            pass

    monkeypatch.setattr(verdicts, "rows_of", hangs)
    put(tmp_path / "good.jsonl", stream("/workspace/src/a.py"))
    put(tmp_path / "preds.json", {"a__b-1": {"instance_id": "a__b-1", "model_patch": "x"}})
    with allowed_seconds(0.2):
        found = list(discover(LocalFolder(tmp_path), settings=Settings()))
    assert len([item for item in found if isinstance(item, Trial)]) == 1
    problems = [item.problem for item in found if isinstance(item, FoundProblem)]
    assert [(p.kind, p.file) for p in problems] == [("too_large", "preds.json")]


def test_the_state_of_a_file_is_asked_within_the_limits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before its results were found to be current, a named file was recognised without a limit."""
    from groundtrace.traces.kit import loose

    def hangs(*_: object, **__: object) -> object:
        while True:
            pass

    put(tmp_path / "a.jsonl", stream("/workspace/src/a.py"))
    monkeypatch.setattr(loose, "recognise", hangs)
    with allowed_seconds(0.2):
        assert LooseRun("a.jsonl").marks(LocalFolder(tmp_path), frozenset()) is None


def test_a_million_rows_take_bounded_memory(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    hostile.parquet(path, f"SELECT range AS instance_id, '' AS patch FROM range({MAX_ROWS + 500})")
    problems: list[Problem] = []
    tasks = list(read_task_rows(LocalFolder(tmp_path), path.name, problems))
    assert len(tasks) == MAX_ROWS
    assert [problem.kind for problem in problems] == ["too_large"]


def test_ten_good_trials_beside_every_kind_at_its_real_size(tmp_path: Path) -> None:
    """A command of its own: its time and memory count, with those of its workers."""
    if not Path("/proc/self/statm").exists():
        pytest.skip("this system does not say how much memory a process has")
    pytest.importorskip("zstandard")
    world = hostile.make(tmp_path / "w", scale=40)
    out = tmp_path / "out"
    flags = ("--out", out, "--format", "md", "--no-progress", "-v", "--trial-seconds", 4)
    took = hostile.measured("run", world.runs, "--tasks", world.tasks, *flags, "--jobs", 2)
    assert took.code == 0 and "internal error" not in took.said, took.said[-2000:]
    assert took.megabytes < MOST_MEGABYTES
    outcomes = next(out.rglob("outcomes.json")).read_text()
    names = {trial["trial_name"] for trial in json.loads(outcomes)["trials"]}
    assert {f"task-{number}" for number in range(hostile.GOOD)} <= names
    metrics = [json.loads(path.read_text()) for path in out.rglob("task-*.retrieval_metrics.json")]
    assert [one["file_level_metrics"]["file_recall"] for one in metrics] == [1.0] * hostile.GOOD
    said = took.said + outcomes
    unnamed = [
        path.name
        for path in (tmp_path / "w/runs/bad").rglob("*")
        if path.parent.name not in ("d", "many")
        and not path.is_dir()
        and path.stem not in said
        and path.name.isprintable()
    ]
    assert unnamed == []
