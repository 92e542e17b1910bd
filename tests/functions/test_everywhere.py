"""What functions become after the metrics document: report, association, TREC (D216, D218).

Four trials of two tasks, counted by hand:

| trial | shown                      | needed of these    | recall | precision | solved |
|-------|----------------------------|--------------------|--------|-----------|--------|
| a, 1  | first, Store.read          | Store.read         | 1/2    | 1/2       | no     |
| a, 2  | Store.read, write, last    | Store.read, last   | 1      | 2/3       | yes    |
| b, 1  | first, read, write, last   | Store.read, last   | 1      | 1/2       | yes    |
| b, 2  | last                       | last               | 1/2    | 1         | no     |

Both patches of `a` change Store.read and write: recall 1/2, precision 1/2; `b` hands in the gold patch.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

import groundtrace
from groundtrace.api import RunResult, run
from groundtrace.cli.main import invoke
from groundtrace.documents.events import EventsDocument
from groundtrace.functions.repositories import close_repositories
from groundtrace.metrics.evidence import EvidenceView
from groundtrace.metrics.function_level import make_function_level, seen_functions
from groundtrace.metrics.published import of_functions
from tests.functions.repositories import repository
from tests.functions.test_documents import CODE, GOLD, SUBMITTED, message, numbered

SHOWN = {
    ("a", "task-1"): (4, 12),
    ("a", "task-2"): (11, 20),
    ("b", "task-1"): (4, 20),
    ("b", "task-2"): (19, 20),
}
SOLVED = {("a", "task-2"), ("b", "task-1")}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    data = tmp_path_factory.mktemp("functions")
    commit = repository(data / "repos" / "owner__kit", {"pkg/store.py": CODE})
    row = {"repo": "owner/kit", "base_commit": commit, "patch": GOLD}
    tasks = [{"instance_id": f"task-{n}", **row} for n in (1, 2)]
    (data / "tasks.jsonl").write_text("".join(json.dumps(task) + "\n" for task in tasks))
    for (config, task), (first, last) in SHOWN.items():
        command = f"cat -n pkg/store.py | sed -n '{first},{last}p'"
        messages: list[dict[str, Any]] = [{"role": "user", "content": "the task"}]
        messages += message(command, numbered(first, last))
        info = {"exit_status": "Submitted", "mini_version": "1.15.0"}
        info["submission"] = SUBMITTED if config == "a" else GOLD
        trace = {"info": info, "messages": messages, "trajectory_format": "mini-swe-agent-1"}
        place = data / "runs" / config / "trajs" / task
        place.mkdir(parents=True)
        (place / f"{task}.traj.json").write_text(json.dumps(trace))
        verdict = data / "runs" / config / "logs" / task
        verdict.mkdir(parents=True)
        (verdict / "report.json").write_text(
            json.dumps({task: {"resolved": (config, task) in SOLVED}})
        )
    yield data
    close_repositories()


@pytest.fixture(scope="module")
def result(folder: Path) -> RunResult:
    return run(
        folder / "runs",
        tasks=folder / "tasks.jsonl",
        repos=folder / "repos",
        layout="{config}/trajs/{task}/{trial}",
        out=folder / "out",
        format=["md", "html"],
    )


def test_values_of_each_trial(folder: Path, result: RunResult) -> None:
    rows = groundtrace.load_trials(folder / "runs", out=folder / "out")
    found = {
        (row["config_name"], row["task_name"]): (
            row["function_recall"],
            row["function_precision"],
            row["functions_shown"],
            row["reward"],
        )
        for row in rows
    }
    assert found == {
        ("a", "task-1"): (0.5, 0.5, 2, 0.0),
        ("a", "task-2"): (1.0, pytest.approx(2 / 3, abs=1e-4), 3, 1.0),
        ("b", "task-1"): (1.0, 0.5, 4, 1.0),
        ("b", "task-2"): (0.5, 1.0, 1, 0.0),
    }
    published = {
        name: [row[name] for row in rows]
        for name in rows[0]
        if name.startswith(("locagent_fun", "correct_location_fun"))
    }
    assert published == {
        "correct_location_function": [0.0, 0.0, 1.0, 1.0],
        "locagent_function_acc@5": [0.0, 1.0, 1.0, 0.0],
        "locagent_function_acc@10": [0.0, 1.0, 1.0, 0.0],
        "locagent_function_recall@5": [0.5, 1.0, 1.0, 0.5],
        "locagent_function_recall@10": [0.5, 1.0, 1.0, 0.5],
        "locagent_function_precision@5": [0.2, 0.4, 0.4, 0.2],
        "locagent_function_precision@10": [0.1, 0.2, 0.2, 0.1],
    }


def test_locagent_cuts_the_ideal_list_at_k(folder: Path, result: RunResult) -> None:
    """Six needed functions cannot be among the first five: five of them are enough there, not here."""
    path = next(folder.glob("out/**/b/task-1.retrieval_events.json"))
    document = json.loads(path.read_text())
    names = [f"pkg/store.py::f{n}" for n in range(6)]
    lines = [
        {"function": name, "file": "pkg/store.py", "line_start": n, "line_end": n}
        for n, name in enumerate(names, 1)
    ]
    document["ground_truth"]["functions"] = document["functions"]["listed"] = lines
    shown = next(a for event in document["events"] for a in event["accesses"] if "functions" in a)
    for first, expected in (([0, 1, 2, 3, 4], (1.0, 0.0)), ([0, 1, 2, 3], (0.0, 0.0))):
        shown["functions"] = first
        view = EvidenceView(msgspec.convert(document, EventsDocument))
        found = of_functions(view)["locagent_function_acc@5"].value
        assert (found, make_function_level(seen_functions(view)).func_acc_at_5) == expected


def test_the_report_has_each_step(result: RunResult) -> None:
    text = next(Path(path) for path in result.reports if str(path).endswith(".md")).read_text()
    section = text.partition("Search, read, edit")[2].partition("\n## ")[0]
    assert "On average a trial looked at 2.5 functions; 2.0 were needed." in section
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in section.splitlines()]
    steps = {(row[0], row[1]): row[2:6] for row in rows if len(row) > 5 and ":" in row[1]}
    assert steps["all", "read: functions shown"] == ["0.750", "4", "0.667", "4"]
    assert steps["`a`", "read: functions shown"] == ["0.750", "2", "0.583", "2"]
    assert steps["`b`", "read: functions shown"] == ["0.750", "2", "0.750", "2"]
    assert steps["`a`", "edit: functions edited"] == ["0.500", "2", "0.500", "2"]
    assert steps["`b`", "edit: functions edited"] == ["1.000", "2", "1.000", "2"]
    assert steps["`a`", "search: files met"] == ["1.000", "2", "1.000", "2"]


def test_the_chart_has_the_steps_of_functions(result: RunResult) -> None:
    page = next(Path(path) for path in result.reports if str(path).endswith(".html")).read_text()
    assert (
        "a, functions shown: 75 % of needed functions of which a line was shown (2 tasks)" in page
    )
    assert "b, functions edited: 100 % of needed functions that the submitted patch changes" in page


def test_association_of_functions_by_hand(result: RunResult) -> None:
    assert result.impact is not None
    linked = result.impact.document.answer.association.functions  # type: ignore[union-attr]
    by = linked.by_found  # type: ignore[union-attr]
    assert (by.shown_all.n, by.shown_all.solved) == (2, 2)
    assert (by.otherwise.n, by.otherwise.solved) == (2, 0)
    assert by.difference == 1.0


def test_trec_files_hold_functions_by_first_sight(folder: Path, result: RunResult) -> None:
    out = folder / "trec"
    given = [str(out), "--out", str(folder / "out"), "--to", "trec"]
    assert invoke(["export", str(folder / "runs"), *given]) == 0
    read, last = "pkg/store.py::Store.read#11", "pkg/store.py::last#19"
    for config in "ab":
        assert (out / f"{config}.functions.qrels").read_text().splitlines() == [
            f"runs/task-{n} 0 {name} 1" for n in (1, 2) for name in (read, last)
        ]
    assert (out / "a.functions.run").read_text().splitlines() == [
        "runs/task-1 Q0 pkg/store.py::first#4 1 2 groundtrace",
        f"runs/task-1 Q0 {read} 2 1 groundtrace",
        f"runs/task-2 Q0 {read} 1 3 groundtrace",
        "runs/task-2 Q0 pkg/store.py::Store.write#15 2 2 groundtrace",
        f"runs/task-2 Q0 {last} 3 1 groundtrace",
    ]
    assert len((out / "b.functions.run").read_text().splitlines()) == 4 + 1
