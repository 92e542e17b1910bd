"""Traces without a trial's folder, data sets of tasks, manifests, and interrupted work."""

from __future__ import annotations

import json
from random import Random

from groundtrace.base.limit import TimeLimitReached, time_limit
from groundtrace.config import Settings
from groundtrace.discover import discover
from groundtrace.model import Trial
from groundtrace.storage.folder import Folder
from groundtrace.tools import view_calls
from groundtrace.traces import all_readers, read_trace
from groundtrace.traces.kit.loose import read_trace_of, recognise
from groundtrace.truth import load_ground_truth
from groundtrace.truth.rows import read_task_rows
from tests.fuzz import checks, loose_seeds, mutate
from tests.fuzz.cases import Case, changed, damaged
from tests.fuzz.memory import MemoryFolder
from tests.fuzz.on_traces import make_trial


def make_loose(rng: Random) -> Case:
    """A folder of traces of one form, one to three of them damaged, perhaps under other names."""
    files = dict(rng.choice(loose_seeds.folders()))
    for _ in range(rng.choice((1, 1, 2, 3))):
        name = rng.choice(sorted(files))
        as_json = name if name.endswith((".json", ".jsonl")) else f"{name}.json"
        files[name] = damaged(as_json, files[name], rng)
    if rng.random() < 0.2:
        name = rng.choice(sorted(files))
        files[f"{rng.choice(('a/b', 'x', '..x'))}/{name}"] = files.pop(name)
    return Case(files)


def check_loose(case: Case) -> None:
    """Every trial that is found can be read; nothing raises, nothing is invented of no file."""
    folder: Folder = MemoryFolder(case.files)
    for item in discover(folder, settings=Settings()):
        if not isinstance(item, Trial):
            continue
        for text in (item.path, item.task_name, item.trial_name, item.config_name):
            checks.check_text(text)
        if item.loose is not None:
            trace = checks.check_trace(read_trace_of(item))
            checks.check_views(trace, view_calls(trace, Settings()))
    for name in case.files:
        recognise(folder, name, all_readers()[0], named=True)


_ROW = {
    "instance_id": "heron__heron-12",
    "repo": "heron/heron",
    "base_commit": "0" * 40,
    "patch": "diff --git a/n.py b/n.py\n--- a/n.py\n+++ b/n.py\n@@ -1,2 +1,2 @@\n-a\n+b\n c\n",
    "test_patch": "--- a/t.py\n+++ b/t.py\n@@ -1 +1 @@\n-a\n+b\n",
    "gold_context": "file: src/n.py\nlines: 3-9\n\nfile: src/m.py\nlines: 1-2\n",
}


def make_rows(rng: Random) -> Case:
    """A data set of tasks, as lines or as one list."""
    contexts = [
        _ROW["gold_context"],
        [{"file": "src/n.py", "start_line": 3, "end_line": 9}],
        json.dumps([{"file": "/workspace/heron__heron/src/n.py", "lines": [1, 2]}]),
        ["src/n.py", "src/m.py"],
    ]
    rows = [{**_ROW, "gold_context": rng.choice(contexts)} for _ in range(rng.randrange(1, 4))]
    hurt = [changed(row, rng) if rng.random() < 0.8 else row for row in rows]
    name = rng.choice(("tasks.jsonl", "tasks.json"))
    lines = [mutate.to_bytes(row) for row in hurt]
    data = b"\n".join(lines) if name.endswith("l") else b"[" + b",".join(lines) + b"]"
    if rng.random() < 0.2:
        data = mutate.damage_bytes(data, rng)
    return Case({name: data}, (name,))


def check_rows(case: Case) -> None:
    """Tasks have names; their truth is as any other's."""
    problems = []
    for task in read_task_rows(MemoryFolder(case.files), case.values[0], problems):
        checks.check_text(task.name)
        assert task.name
        checks.check_truth(load_ground_truth(task))
    checks.check_problems(problems)


def make_stopped(rng: Random) -> Case:
    """A trial, and when reading it is stopped."""
    case = make_trial(rng)
    return case._replace(values=(rng.choice((0.0005, 0.001, 0.003, 0.01)),))


def check_stopped(case: Case) -> None:
    """Work that a time limit stopped leaves nothing behind: the next answer is the same."""
    before = _read(case)
    try:
        with time_limit(case.values[0]):
            stopped = _read(case)
        assert stopped == before
    except TimeLimitReached:
        pass
    assert _read(case) == before


def _read(case: Case) -> str:
    trace, problems = read_trace(MemoryFolder(case.files))
    return repr((trace, problems, view_calls(trace, Settings())))
