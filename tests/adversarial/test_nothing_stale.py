"""Every change of an input of a result is noticed.

Each kind of change is made to runs and tasks that were already evaluated. The next run must leave
the same bytes as a run from nothing. Documents that belong to no trial are named and are in no
result.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.adversarial.worlds import REPO, Call, World, line, put, read_of, result_of, stream
from tests.conftest import Ran

Change = Callable[["Stale"], None]


def several_tools() -> str:
    """A trace with a shell command, a call of an MCP server and one of an unknown tool."""
    calls = (
        ("Read", {"file_path": "/workspace/src/a.py"}, "     1\tx\n"),
        ("Bash", {"command": "cat src/c.py"}, "x\n"),
        ("mcp__sourcegraph__sg_read_file", {"repo": REPO, "path": "src/a.py"}, "x\n"),
        ("look_up", {"path": "src/d.py"}, "x\n"),
    )
    text = stream()
    for number, (name, given, answer) in enumerate(calls):
        use = {"type": "tool_use", "id": f"t{number}", "name": name, "input": given}
        usage = {"input_tokens": 10, "output_tokens": 1}
        message = {"id": f"m{number}", "model": "m", "content": [use], "usage": usage}
        said = {"type": "tool_result", "tool_use_id": f"t{number}", "content": answer}
        text += line(type="assistant", message=message)
        text += line(type="user", message={"role": "user", "content": [said]})
    return text + line(type="result", usage={"input_tokens": 40, "output_tokens": 4})


class Stale(World):
    """Two configurations of three tasks, with settings, prices and a registry; two runs."""

    def __init__(self, top: Path) -> None:
        super().__init__(top)
        self.settings = put(top / "groundtrace.toml", "[compare]\nbaseline = 'baseline'\n")
        self.prices = put(top / "prices.toml", "[models.m]\ninput = 1.0\noutput = 2.0\n")
        self.registry = put(
            top / "registry.json", {"tasks": {"registered-1": {"files": ["src/b.py"]}}}
        )
        self.flags: list[object] = []
        for name in ("good-1", "good-2"):
            self.task(name)
        for config in ("baseline", "mcp"):
            for name in ("good-1", "good-2", "registered-1"):
                self.trial(name, config, stream("/workspace/src/a.py", "/workspace/src/b.py"))
        put(self.first(TRACE), several_tools())
        self.trial(
            "good-2",
            "baseline",
            stream("/workspace/src/x.py"),
            started_at="2026-03-19T18:00:00",
            finished_at="2026-03-19T18:10:00",
        )
        self.run = self.runs / "run_two"
        self.trial("good-1", "baseline")
        self.run = self.runs / "run_one"

    def first(self, pattern: str) -> Path:
        return sorted(self.run.glob(pattern))[0]

    def go(self, call: Call, out: Path, *flags: object) -> Ran:
        given = ("--config", self.settings, "--prices", self.prices)
        registry = ("--ground-truth", self.registry)
        where = (self.runs, "--tasks", self.tasks, "--out", out, "--jobs", 1)
        return call("run", *where, *given, *registry, "--draws", 100, *self.flags, *flags)

    def edit(self, path: Path, old: str, new: str) -> None:
        text = path.read_text(encoding="utf-8")
        assert old in text, f"{path} does not hold {old!r}"
        path.write_text(text.replace(old, new), encoding="utf-8")


def left(out: Path) -> dict[str, bytes]:
    """Every result, without the state and what belongs to no trial."""
    found = {}
    for path in sorted(out.rglob("*")):
        if path.is_file() and not path.name.startswith("."):
            found[str(path.relative_to(out))] = path.read_bytes()
    return found


# --- inputs of a trial ---------------------------------------------------------------------

RESULT = "baseline/trial-1__*/result.json"
CONFIG = "baseline/trial-4__*/config.json"
"""Of a trial whose configuration is not what its folder is called."""
TRACE = "baseline/trial-1__*/agent/claude-code.txt"


def same_size_and_time(world: Stale) -> None:
    path = world.first(RESULT)
    before = path.stat()
    world.edit(path, '"reward": 0.5', '"reward": 0.7')
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def record(**members: Any) -> Change:
    def change(world: Stale) -> None:
        path = world.first(RESULT)
        put(path, json.loads(path.read_text()) | members)

    return change


def rename_configuration(world: Stale) -> None:
    put(world.first(CONFIG), {"environment": {"kwargs": {"label_config": "other"}}})


def deep_session(world: Stale) -> None:
    trace = world.first("baseline/trial-2__*/agent/claude-code.txt")
    trace.unlink()
    folder = trace.parent / "sessions/projects/a/b/c/d/e/f/g"
    put(folder / "s.jsonl", stream("/workspace/src/c.py"))


def change_deep_session(world: Stale) -> None:
    path = next(world.run.rglob("g/s.jsonl"))
    path.write_text(stream("/workspace/src/c.py", "/workspace/src/d.py"))


def relinked(world: Stale) -> None:
    shared = put(world.run / "shared/two.txt", stream("/workspace/src/z.py"))
    path = world.first(TRACE)
    path.unlink()
    path.symlink_to(shared)


def behind_a_link(world: Stale) -> None:
    (world.run / "shared/two.txt").write_text(stream("/workspace/src/y.py", "/workspace/src/x.py"))


def later_attempt(world: Stale) -> None:
    world.trial("good-2", "baseline", finished_at="2026-03-21T18:10:00")


def trial_gone(world: Stale) -> None:
    shutil.rmtree(world.first(RESULT).parent)


def trial_renamed(world: Stale) -> None:
    folder = world.first(RESULT).parent
    folder.rename(folder.with_name("renamed__zzzz001"))


TRIALS: dict[str, Change] = {
    "a reward": lambda w: w.edit(w.first(RESULT), '"reward": 0.5', '"reward": 0.25'),
    "a reward, of the same size and time": same_size_and_time,
    "times": record(finished_at="2026-03-20T18:20:00"),
    "a cost": record(agent_result={"cost_usd": 0.25}),
    "an exception": record(exception_info={"exception_type": "TimeoutError"}),
    "the task of a trial": record(task_name="good-2"),
    "the model of a trial": record(agent_info={"name": "claude-code", "model_info": {"name": "x"}}),
    "a result that is empty": lambda w: put(w.first(RESULT), ""),
    "a result that is gone": lambda w: w.first(RESULT).unlink(),
    "a configuration's name": rename_configuration,
    "a config.json that is gone": lambda w: w.first(CONFIG).unlink(),
    "a task_metrics.json that came": lambda w: put(
        w.first(RESULT).with_name("task_metrics.json"), {"task_id": "good-1", "benchmark": "b"}
    ),
    "a call more": lambda w: put(
        w.first(TRACE), stream("/workspace/src/a.py") + read_of("/workspace/src/q.py", 9)
    ),
    "a trace that is cut": lambda w: put(w.first(TRACE), w.first(TRACE).read_bytes()[:-40]),
    "a trace that is gone": lambda w: w.first(TRACE).unlink(),
    "a trace that is empty": lambda w: put(w.first(TRACE), ""),
    "a trace under another name": lambda w: w.first(TRACE).rename(
        w.first(TRACE).with_name("notes.md")
    ),
    "a second trace": lambda w: put(
        w.first(TRACE).with_name("trajectory.json"), {"schema_version": "ATIF-v1.2", "steps": []}
    ),
    "a session nine folders deep": deep_session,
    "a trace that became a link": relinked,
    "a trial more": lambda w: w.trial("good-2", "third"),
    "a later attempt": later_attempt,
    "a trial of another run": lambda w: put(
        w.runs / "run_two/baseline/more__x/result.json", result_of("good-2", "more__x")
    ),
    "a run that is gone": lambda w: shutil.rmtree(w.runs / "run_two"),
    "a run more": lambda w: shutil.copytree(w.runs / "run_two", w.runs / "run_three"),
}

# --- tasks and truth -----------------------------------------------------------------------

TRUTH = "csb_sdlc_fix/good-1/tests/ground_truth.json"
PATCH = "--- a/src/a.py\n+++ b/src/a.py\n@@ -1 +1 @@\n-x\n+y\n"


def other_tasks(world: Stale) -> None:
    other = world.top / "in/other"
    put(other / "suite/good-1/task.toml", '[task]\nid = "good-1"\n')
    put(other / "suite/good-1/tests/ground_truth.json", {"files": ["src/zzz.py"]})
    world.tasks = other


TASKS: dict[str, Change] = {
    "a truth": lambda w: put(w.tasks / TRUTH, {"files": ["src/b.py", "src/c.py"]}),
    "a truth that is gone": lambda w: (w.tasks / TRUTH).unlink(),
    "a truth that is broken": lambda w: put(w.tasks / TRUTH, "{"),
    "a patch beside a truth": lambda w: put(
        w.tasks / "csb_sdlc_fix/good-1/tests/expected.diff", PATCH
    ),
    "the repository of a task": lambda w: w.edit(
        w.tasks / "csb_sdlc_fix/good-1/task.toml", "quay--a1b2c3d4", "other--a1b2c3d4"
    ),
    "an instruction": lambda w: put(
        w.tasks / "csb_sdlc_fix/good-1/instruction.md", "See github.com/heron/nest and `src/x.py`."
    ),
    "a suite's folder": lambda w: (w.tasks / "csb_sdlc_fix").rename(w.tasks / "csb_org_trace"),
    "a task that is gone": lambda w: shutil.rmtree(w.tasks / "csb_sdlc_fix/good-2"),
    "a task that came": lambda w: w.task("registered-1", "src/a.py"),
    "another folder of tasks": other_tasks,
    "the registry": lambda w: put(w.registry, {"tasks": {"registered-1": ["src/a.py"]}}),
    "the source of a truth in the registry": lambda w: put(
        w.registry, {"tasks": {"registered-1": {"files": ["src/b.py"], "source": "by hand"}}}
    ),
}

# --- settings and flags --------------------------------------------------------------------


def settings(text: str) -> Change:
    return lambda world: put(world.settings, f"[compare]\nbaseline = 'baseline'\n{text}") and None


def flags(*given: object) -> Change:
    return lambda world: world.flags.extend(given)


SETTINGS: dict[str, Change] = {
    "a folder to be skipped": settings("[discover]\nskip = ['run_two']\n"),
    "a tool": settings("[tools.look_up]\nlike = 'Read'\n"),
    "servers that count": settings("[mcp]\nservers = ['none']\n"),
    "the baseline in the settings": lambda w: put(w.settings, "[compare]\nbaseline = 'mcp'\n"),
    "masking in the settings": settings("[privacy]\nmask = false\n"),
    "evidence of commands": settings("[shell]\nevidence = 'ignore'\n"),
    "prices": lambda w: put(w.prices, "[models.m]\ninput = 5.0\noutput = 9.0\n"),
    "--shell ignore": flags("--shell", "ignore"),
    "--trials latest": flags("--trials", "latest"),
    "--schema-version": flags("--schema-version", "1.1"),
    "--no-mask": flags("--no-mask"),
    "--baseline": flags("--baseline", "mcp"),
    "--only": flags("--only", "good-1"),
    "--draws": flags("--draws", "120"),
    "--mcp-server": flags("--mcp-server", "none"),
    "--primary": flags("--primary", "file_recall"),
}

CHANGES = TRIALS | TASKS | SETTINGS
LEFT_RUNS = ("a folder to be skipped", "a run that is gone")


def difference(one: dict[str, bytes], other: dict[str, bytes]) -> list[str]:
    return sorted(name for name in one.keys() | other.keys() if one.get(name) != other.get(name))


@pytest.fixture
def stale(tmp_path: Path) -> Stale:
    return Stale(tmp_path)


@pytest.mark.parametrize("name", CHANGES)
def test_a_change_gives_what_a_run_from_nothing_gives(
    name: str, stale: Stale, groundtrace: Call
) -> None:
    assert stale.go(groundtrace, stale.out).code == 0
    before = left(stale.out)
    CHANGES[name](stale)
    ran = stale.go(groundtrace, stale.out)
    assert ran.code in (0, 1) and "Traceback" not in ran.err, ran.err
    fresh = stale.top / "fresh"
    again = stale.go(groundtrace, fresh)
    assert ran.code == again.code
    after, wanted = left(stale.out), left(fresh)
    owned = {name: data for name, data in after.items() if name in wanted}
    if "--only" not in name:  # what was not asked for stays as it is
        gone = [document for document in after if document not in wanted]
        if name in LEFT_RUNS:  # results of a run that is no more stay, and count in nothing
            assert "left out: run_two" in ran.err
        elif gone:  # a trial that is no more: said, and in no other result
            assert "left" in ran.err
            stale.go(groundtrace, stale.out, "--prune")
            owned = left(stale.out)
        assert difference(owned, wanted) == []
    assert wanted != before, "the change has no effect: this test tests nothing"


def test_a_change_behind_a_link_and_deep_in_a_trial(stale: Stale, groundtrace: Call) -> None:
    relinked(stale)
    deep_session(stale)
    stale.go(groundtrace, stale.out)
    for number, change in enumerate((behind_a_link, change_deep_session)):
        change(stale)
        stale.go(groundtrace, stale.out)
        fresh = stale.top / f"fresh{number}"
        stale.go(groundtrace, fresh)
        assert difference(left(stale.out), left(fresh)) == []


@pytest.mark.parametrize("change", [trial_gone, trial_renamed])
def test_what_a_trial_left_behind_is_named(change: Change, stale: Stale, groundtrace: Call) -> None:
    stale.go(groundtrace, stale.out)
    change(stale)
    ran = stale.go(groundtrace, stale.out)
    fresh = stale.top / "fresh"
    stale.go(groundtrace, fresh)
    if change is trial_gone:
        assert "1 document left" in ran.err or "left behind" in ran.err, ran.err
    stale.go(groundtrace, stale.out, "--prune")
    assert difference(left(stale.out), left(fresh)) == []


# --- results -------------------------------------------------------------------------------

OF_RUN = (
    "outcomes.json",
    "run_retrieval_summary.json",
    "impact_analysis.json",
    "retrieval_report.md",
    "retrieval_report.html",
)
PLACES = [f"run_one/retrieval_events/{name}" for name in OF_RUN]
PLACES += [f"retrieval_events_aggregate/{name}" for name in OF_RUN]
PLACES += [
    "run_one/retrieval_events/baseline/good-1.retrieval_events.json",
    "run_one/retrieval_events/baseline/good-1.retrieval_metrics.json",
]
DEEDS: dict[str, Callable[[Path], object]] = {
    "edited": lambda path: path.write_bytes(path.read_bytes().replace(b"0", b"1")),
    "emptied": lambda path: path.write_bytes(b""),
    "removed": lambda path: path.unlink(),
    "broken": lambda path: path.write_bytes(path.read_bytes()[:-20]),
}


@pytest.mark.parametrize("deed", DEEDS)
def test_results_that_somebody_touched_are_made_again(
    deed: str, stale: Stale, groundtrace: Call
) -> None:
    stale.go(groundtrace, stale.out)
    before = left(stale.out)
    for place in PLACES:
        DEEDS[deed](stale.out / place)
        assert left(stale.out) != before
        assert stale.go(groundtrace, stale.out).code == 0
        assert difference(left(stale.out), before) == [], place


@pytest.mark.parametrize("where", ["baseline", "nobody"])
def test_a_document_that_no_trial_owns_is_named_and_left_out(
    where: str, stale: Stale, groundtrace: Call
) -> None:
    stale.go(groundtrace, stale.out)
    before = left(stale.out)
    results = stale.results
    for ending in ("retrieval_events.json", "retrieval_metrics.json"):
        data = (results / f"baseline/good-1.{ending}").read_bytes()
        put(results / where / f"foreign.{ending}", data)
    ran = stale.go(groundtrace, stale.out)
    assert "left" in ran.err, ran.err
    after = left(stale.out)
    summary = json.loads(after["run_one/retrieval_events/run_retrieval_summary.json"])
    assert summary["problems"]["left_behind"] == 1
    for name in ("outcomes.json", "impact_analysis.json"):
        place = f"run_one/retrieval_events/{name}"
        assert after[place] == before[place]
    page = after["run_one/retrieval_events/retrieval_report.md"].decode()
    assert "foreign" not in page


def test_results_of_another_version_are_made_again(stale: Stale, groundtrace: Call) -> None:
    stale.go(groundtrace, stale.out)
    before = left(stale.out)
    for path in stale.out.rglob(".state.json"):
        put(path, json.loads(path.read_text()) | {"groundtrace": "0.2.0"})
    for path in stale.results.rglob("*.retrieval_*.json"):
        path.write_bytes(path.read_bytes().replace(b"src/a.py", b"src/q.py"))
    ran = stale.go(groundtrace, stale.out)
    assert "0 unchanged" in ran.err
    assert difference(left(stale.out), before) == []
