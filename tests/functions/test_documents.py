"""Functions in the documents of a trial: from a trace and a repository to the numbers (D216)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from groundtrace.api import run
from groundtrace.cli.main import invoke
from groundtrace.errors import UsageError
from groundtrace.events.functions import _symbols
from groundtrace.functions import repositories as kept
from groundtrace.functions.repositories import close_repositories, open_tree
from groundtrace.model import GroundTruth, Task, TruthSymbol
from tests.functions.repositories import git, repository

CODE = """import os


def first():
    return 1


class Store:
    limit = 3

    def read(self):
        value = 1
        return value

    def write(self):
        return 2


def last():
    return 3
"""
GOLD = """diff --git a/pkg/store.py b/pkg/store.py
--- a/pkg/store.py
+++ b/pkg/store.py
@@ -11,3 +11,3 @@ class Store:
     def read(self):
-        value = 1
+        value = 2
         return value
@@ -18,3 +18,4 @@ class Store:

 def last():
+    pass
     return 3
"""
SUBMITTED = """diff --git a/pkg/store.py b/pkg/store.py
--- a/pkg/store.py
+++ b/pkg/store.py
@@ -11,3 +11,3 @@ class Store:
     def read(self):
-        value = 1
+        value = 4
         return value
@@ -15,2 +15,2 @@ class Store:
     def write(self):
-        return 2
+        return 5
"""


@pytest.fixture(autouse=True)
def closed() -> Iterator[None]:
    yield
    close_repositories()


def message(command: str, output: str) -> list[dict[str, Any]]:
    said = f"<returncode>0</returncode>\n<output>\n{output}</output>"
    return [
        {"role": "assistant", "content": f"```bash\n{command}\n```"},
        {"role": "user", "content": said},
    ]


def numbered(first: int, last: int) -> str:
    lines = CODE.split("\n")
    return "".join(f"{n:6}\t{lines[n - 1]}\n" for n in range(first, last + 1))


def trial(tmp_path: Path, calls: list[tuple[str, str]], submitted: str | None = SUBMITTED) -> Path:
    messages = [{"role": "system", "content": "s"}, {"role": "user", "content": "the task"}]
    for command, output in calls:
        messages += message(command, output)
    info: dict[str, Any] = {"exit_status": "Submitted", "mini_version": "1.15.0"}
    if submitted is not None:
        info["submission"] = submitted
    trace = {"info": info, "messages": messages, "trajectory_format": "mini-swe-agent-1"}
    path = tmp_path / "runs" / "task-1" / "task-1.traj.json"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps(trace))
    return tmp_path / "runs"


def evaluated(
    tmp_path: Path,
    calls: list[tuple[str, str]],
    *,
    submitted: str | None = SUBMITTED,
    gold: str = GOLD,
    repos: bool = True,
    row: dict[str, Any] | None = None,
) -> tuple[dict[str, Any], dict[str, Any]]:
    """The events and the metrics document of one trial."""
    commit = repository(tmp_path / "repos" / "owner__kit", {"pkg/store.py": CODE, "n.rst": "x"})
    task = {"instance_id": "task-1", "repo": "owner/kit", "base_commit": commit, "patch": gold}
    tasks = tmp_path / "tasks.jsonl"
    tasks.write_text(json.dumps({**task, **(row or {})}) + "\n")
    runs = trial(tmp_path, calls, submitted)
    given = {"repos": tmp_path / "repos"} if repos else {}
    run(runs, tasks=tasks, out=tmp_path / "out", **given)
    events = next((tmp_path / "out").rglob("*.retrieval_events.json"))
    metrics = next((tmp_path / "out").rglob("*.retrieval_metrics.json"))
    return json.loads(events.read_text()), json.loads(metrics.read_text())


READ = ("cat -n pkg/store.py | sed -n '4,12p'", numbered(4, 12))


def test_worked_by_hand(tmp_path: Path) -> None:
    """Lines 4 to 12 show first and read (its first two lines); last is needed and never shown."""
    events, metrics = evaluated(tmp_path, [READ])
    assert events["ground_truth"]["functions"] == [
        {
            "function": "pkg/store.py::Store.read",
            "file": "pkg/store.py",
            "line_start": 11,
            "line_end": 13,
        },
        {
            "function": "pkg/store.py::last",
            "file": "pkg/store.py",
            "line_start": 19,
            "line_end": 20,
        },
    ]
    section = metrics["function_level_metrics"]
    assert section.pop("undefined") == {"symbol_recall": "no_symbols"}
    assert section == {
        "computable": True,
        "reason": None,
        "functions_relevant": 2,
        "functions_shown": 2,
        "functions_relevant_shown": 1,
        "functions_edited": 2,
        "function_recall": 0.5,
        "function_precision": 0.5,
        "function_f1": 0.5,
        "function_lines_recall": 0.4,
        "function_edit_recall": 0.5,
        "function_edit_precision": 0.5,
        "func_acc@1": 0.0,
        "func_acc@3": 0.0,
        "func_acc@5": 0.0,
        "symbol_recall": None,
        "relevant_not_shown": ["pkg/store.py::last"],
    }


def test_lines_after_an_edit_are_those_of_the_base(tmp_path: Path) -> None:
    """Two lines put in above move everything: what is then shown as 21 and 22 is `last`."""
    edit = ("sed -i '1i # one\\n# two' pkg/store.py", "")
    lines = ["# one", "# two", *CODE.split("\n")]
    later = "".join(f"{n:6}\t{lines[n - 1]}\n" for n in range(21, 23))
    shown = ("cat -n pkg/store.py | sed -n '21,22p'", later)
    events, metrics = evaluated(tmp_path, [READ, edit, shown])
    listed = [one["function"] for one in events["functions"]["listed"]]
    seen = [listed[at] for at in events["events"][-1]["accesses"][0].get("functions", [])]
    section = metrics["function_level_metrics"]
    if section["computable"]:
        assert seen == ["pkg/store.py::last"]
        assert section["function_recall"] == 1.0
    else:
        assert section["reason"] == "lines_unknown"


def test_files_that_the_commit_does_not_have_have_no_functions(tmp_path: Path) -> None:
    own = ("cat -n try.py", "     1\tdef mine():\n     2\t    pass\n")
    _, metrics = evaluated(tmp_path, [READ, own])
    assert metrics["function_level_metrics"]["functions_shown"] == 2


def test_without_repos_nothing_is_known_and_nothing_else_changes(tmp_path: Path) -> None:
    events, metrics = evaluated(tmp_path, [READ], repos=False)
    assert "functions" not in events
    assert "functions" not in events["ground_truth"]
    section = metrics["function_level_metrics"]
    assert (section["computable"], section["reason"]) == (False, "no_repository")
    assert section["functions_relevant"] is None


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ({"repo": "owner/other"}, "no_repository"),
        ({"base_commit": "0" * 40}, "commit_absent"),
        ({"patch": GOLD.replace("value = 1", "value = 7")}, "patch_does_not_fit"),
        (
            {"patch": "--- a/n.rst\n+++ b/n.rst\n@@ -1 +1 @@\n-x\n+y\n"},
            "no_function_changed",
        ),
    ],
)
def test_reasons(tmp_path: Path, row: dict[str, Any], reason: str) -> None:
    events, metrics = evaluated(tmp_path, [READ], row=row)
    section = metrics["function_level_metrics"]
    assert (section["computable"], section["reason"]) == (False, reason)
    assert section["function_recall"] is None
    if reason == "no_function_changed":
        assert events["ground_truth"]["functions"] == []
        assert section["functions_relevant"] == 0
        assert section["functions_shown"] == 2, "what was shown does not depend on the truth"


def test_lines_that_the_task_names_meet_functions(tmp_path: Path) -> None:
    context = [{"file": "pkg/store.py", "start_line": 3, "end_line": 5}]
    events, metrics = evaluated(tmp_path, [READ], row={"gold_context": json.dumps(context)})
    names = [one["function"] for one in events["ground_truth"]["functions"]]
    assert names == ["pkg/store.py::first"]
    section = metrics["function_level_metrics"]
    assert (section["function_recall"], section["function_precision"]) == (1.0, 0.5)
    assert section["function_edit_recall"] == 0.5, "edits are held against the gold patch"


@pytest.mark.parametrize(
    ("symbols", "recall"),
    [
        (["Store.read", "last", "Store"], 2 / 3),  # the class has a line shown, as its function has
        (["read"], 1.0),  # one function ends so
        (["Store::read(self)", "Store#write", "(*Store).read", "Store.read()"], 3 / 4),
        (["limit", "nothing"], None),  # no function, no class
        (["last", "nothing"], 0.0),
    ],
)
def test_symbols_by_hand(tmp_path: Path, symbols: list[str], recall: float | None) -> None:
    """A task folder in whose repository's name the commit stands. Lines 4 to 12 are shown: the
    function first and the first lines of the class Store and of its read."""
    commit = repository(tmp_path / "repos" / "owner__kit", {"pkg/store.py": CODE})
    task = tmp_path / "benchmarks" / "suite" / "task-1"
    (task / "tests").mkdir(parents=True)
    repo = f"owner/kit--{commit}"
    (task / "task.toml").write_text(f'[task]\nid = "task-1"\nrepo = "{repo}"\n')
    stated = [{"file": "pkg/store.py", "symbol": name} for name in symbols]
    truth = {"files": ["pkg/store.py"], "symbols": stated}
    (task / "tests" / "ground_truth.json").write_text(json.dumps(truth))
    runs = trial(tmp_path, [READ])
    run(runs, tasks=task.parent.parent, repos=tmp_path / "repos", out=tmp_path / "out")
    document = json.loads(next((tmp_path / "out").rglob("*.retrieval_metrics.json")).read_text())
    section = document["function_level_metrics"]
    assert section["symbol_recall"] == (None if recall is None else pytest.approx(recall, abs=1e-6))
    if recall is None:
        assert section["undefined"]["symbol_recall"] == "no_symbols"
    summary = json.loads(next((tmp_path / "out").rglob("run_retrieval_summary.json")).read_text())
    assert summary["by_config"]["default"]["more_metrics"]["symbol_recall"]["mean"] == (
        None if recall is None else pytest.approx(recall, abs=1e-6)
    )


def test_a_symbol_that_two_classes_have_is_not_known(tmp_path: Path) -> None:
    spans = "class A:\n    def f(self):\n        return 1\n\n\nclass B:\n    def f(self):\n        return 2\n"
    commit = repository(
        tmp_path / "repos" / "kit", {"a.py": spans + "class C:\n    class C: pass\n"}
    )
    task = Task("t", "suite", None, (f"kit--{commit}",))
    tree = open_tree(task, [str(tmp_path / "repos")]).tree
    assert tree is not None
    stated = tuple(TruthSymbol("a.py", name) for name in ("f", "B.f", "C"))
    found = _symbols(tree, GroundTruth(symbols=stated))
    assert [one.function for one in found] == ["a.py::B.f", "a.py::C"]


def test_one_of_two_needed_functions_edited_and_no_other(tmp_path: Path) -> None:
    _, metrics = evaluated(tmp_path, [READ], submitted=SUBMITTED.partition("@@ -15,2")[0])
    section = metrics["function_level_metrics"]
    assert (section["functions_edited"], section["function_edit_recall"]) == (1, 0.5)
    assert section["function_edit_precision"] == 1.0


def test_what_was_submitted_may_be_unknown_or_empty(tmp_path: Path) -> None:
    _, metrics = evaluated(tmp_path, [READ], submitted="")
    section = metrics["function_level_metrics"]
    assert (section["functions_edited"], section["function_edit_recall"]) == (0, 0.0)
    assert section["undefined"]["function_edit_precision"] == "nothing_submitted"


def test_an_object_that_git_lacks(tmp_path: Path) -> None:
    commit = repository(
        tmp_path / "repos" / "owner__kit", {"pkg/store.py": CODE, "pkg/other.py": CODE + "#\n"}
    )
    task = {"instance_id": "task-1", "repo": "owner/kit", "base_commit": commit, "patch": GOLD}
    (tmp_path / "tasks.jsonl").write_text(json.dumps(task))
    runs = trial(tmp_path, [READ, ("cat -n pkg/other.py | sed -n '4,5p'", numbered(4, 5))])
    for name, expected in (
        ("pkg/other.py", (0.5, None, "file_absent")),
        ("pkg/store.py", (None, None, "file_absent")),
    ):
        folder = tmp_path / "repos" / "owner__kit"
        lost = git(folder, "rev-parse", f"HEAD:{name}")
        (folder / ".git/objects" / lost[:2] / lost[2:]).unlink()
        close_repositories()
        kept._spans.clear()
        run(
            runs,
            tasks=tmp_path / "tasks.jsonl",
            out=tmp_path / "out",
            repos=tmp_path / "repos",
            force=True,
        )
        path = next((tmp_path / "out").rglob("*.retrieval_metrics.json"))
        section = json.loads(path.read_text())["function_level_metrics"]
        undefined = section["undefined"].get("function_precision")
        found = (section["function_recall"], section["function_precision"], undefined)
        assert found == expected


def test_explain_names_the_functions_of_a_call(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    commit = repository(tmp_path / "repos" / "owner__kit", {"pkg/store.py": CODE})
    task = {"instance_id": "task-1", "repo": "owner/kit", "base_commit": commit, "patch": GOLD}
    (tmp_path / "tasks.jsonl").write_text(json.dumps(task))
    runs = trial(tmp_path, [READ])
    given = ["--tasks", str(tmp_path / "tasks.jsonl"), "--repos", str(tmp_path / "repos")]
    assert invoke(["explain", "task-1", str(runs), *given]) == 0
    said = capsys.readouterr().out
    assert "functions: first, Store.read" in said
    assert "function: pkg/store.py::last lines 19-20" in said
    with pytest.raises(UsageError, match="no such folder"):
        run(runs, tasks=tmp_path / "tasks.jsonl", repos=tmp_path / "none", out=tmp_path / "out")
