"""Task folders, registries, and trees of runs."""

from __future__ import annotations

from random import Random
from typing import Any

from groundtrace.config import Settings
from groundtrace.discover import discover
from groundtrace.model import (
    Trial,
)
from groundtrace.truth import load_ground_truth
from groundtrace.truth.task_registry import registry_from
from groundtrace.truth.tasks import build_index, read_task
from tests.fuzz import checks, mutate, seeds
from tests.fuzz.cases import Case, changed, damaged, json_copy, make_task
from tests.fuzz.memory import MemoryFolder


def check_task(case: Case) -> None:
    task, problems = read_task(MemoryFolder(case.files, name="task"), "suite")
    checks.check_problems(problems)
    checks.check_truth(load_ground_truth(task))


def make_registry(rng: Random) -> Case:
    entry = {
        "files": ["a/b.py", "r::c/d.go", {"repo": "o/r", "path": "x.rs"}],
        "source": "hand",
        "confidence": "high",
        "symbols": [{"file": "a/b.py", "symbol": "f"}],
        "chunks": [{"file": "a/b.py", "line_start": 1, "line_end": 2}],
        "expected_edit_files": ["a/b.py"],
    }
    tasks: Any = {"one": entry, "suite/two": ["x/y.py"], "_remark": "x", "ONE": ["z.c"]}
    tasks = changed(json_copy(tasks), rng)
    return Case({"registry.json": mutate.to_bytes(tasks)}, (tasks,))


def check_registry(case: Case) -> None:
    (tasks,) = case.values
    if not isinstance(tasks, dict):
        return
    registry = registry_from(tasks, "registry.json")
    checks.check_problems(registry.problems)
    for name, truth in registry.truths.items():
        checks.check_text(name)
        assert truth.files


def make_tasks_tree(rng: Random) -> Case:
    files = {}
    for _ in range(rng.randrange(1, 5)):
        top = "/".join(_name(rng) for _ in range(rng.randrange(3)))
        files.update({f"{top}/{n}".lstrip("/"): d for n, d in make_task(rng).files.items()})
    return Case(files)


def _name(rng: Random) -> str:
    """A name that a folder can have."""
    word = rng.choice((*mutate.WORDS, "suite", "csb_sdlc_fix", "ccb_fix", "fix-001", "FIX-001"))
    return word.replace("/", "_").replace("\0", "_").replace("\ud800", "\udcff") or "x"


def check_tasks_tree(case: Case) -> None:
    index = build_index(MemoryFolder(case.files, name="benchmarks"))
    checks.check_problems(index.problems)
    for task in index.tasks:
        checks.check_text(task.name)
        assert index.candidates(task.name)


def make_runs(rng: Random) -> Case:
    """The sample's runs with the records of some trials damaged."""
    files = {k: v for k, v in seeds.sample().items() if k.startswith("runs/official/")}
    records = [n for n in sorted(files) if n.endswith(".json") and "trajectory" not in n]
    hurt = set()
    for name in rng.choices(records, k=rng.randrange(1, 4)):
        files[name] = damaged(name, files[name], rng)
        hurt.add(name.rpartition("/")[0])
    return Case(files, (frozenset(hurt),))


def check_runs(case: Case) -> None:
    """Damage to one trial's records costs no other trial, and the trial itself stays one."""
    folder = MemoryFolder(case.files, "runs/official/")
    tops = {n.rpartition("/")[0] for n in case.files if n.endswith("/result.json")}
    expected = {t for t in tops if any(n.startswith(f"{t}/agent/") for n in case.files)}
    found = set()
    for item in discover(folder, settings=Settings()):
        if isinstance(item, Trial):
            found.add(f"runs/official/{item.path}")
            for text in (item.run_id, item.config_name, item.task_name, item.trial_name):
                checks.check_text(text)
                assert text
    missing = expected - found
    skipped = {t for t in expected if any(part.startswith("_") for part in t.split("/"))}
    assert missing <= skipped | case.values[0], missing


def make_tree(rng: Random) -> Case:
    """Trees of no particular shape, with records and traces strewn over them."""
    names = ("result.json", "config.json", "task_metrics.json", "agent/trajectory.json", "x.txt")
    files = {}
    sample = seeds.sample()
    for _ in range(rng.randrange(1, 8)):
        top = "/".join(_name(rng) for _ in range(rng.randrange(6)))
        for name in rng.choices(names, k=rng.randrange(1, 4)):
            like = [n for n in sorted(sample) if n.endswith(name)]
            data = sample[rng.choice(like)] if like else b""
            files[f"{top}/{name}".lstrip("/")] = (
                damaged(name, data, rng) if rng.random() < 0.5 else data
            )
    return Case(files)


def check_tree(case: Case) -> None:
    for item in discover(MemoryFolder(case.files), settings=Settings()):
        if isinstance(item, Trial):
            checks.check_text(item.path)
            checks.check_text(item.task_name)
