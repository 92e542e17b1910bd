"""Damaged traces: every reader, cuts, the path from files to metrics, the whole command."""

from __future__ import annotations

import io
import tempfile
from collections import Counter
from contextlib import redirect_stderr, redirect_stdout
from functools import cache
from pathlib import Path
from random import Random

from groundtrace.config import Settings
from groundtrace.documents.codec import decode
from groundtrace.events import build_document
from groundtrace.metrics import evaluate
from groundtrace.model import (
    Problem,
    Trial,
)
from groundtrace.tools import view_calls
from groundtrace.traces import read_trace
from groundtrace.truth import load_ground_truth
from groundtrace.truth.tasks import read_task
from tests.fuzz import checks, seeds
from tests.fuzz.cases import Case, damaged, make_task
from tests.fuzz.memory import MemoryFolder


def make_trial(rng: Random) -> Case:
    """A trial's files, one to three of them damaged."""
    seed = rng.choice(seeds.trials())
    files = dict(seed.files)
    for _ in range(rng.choice((1, 1, 2, 3))):
        name = rng.choice(sorted(files))
        files[name] = damaged(name, files[name], rng)
    if rng.random() < 0.05:
        other = rng.choice(seeds.trials())
        files.update(other.files)
        seed = seed._replace(real=seed.real or other.real)
    return Case(files, (), seed.real)


def check_trace(case: Case) -> None:
    """Nothing raises, calls have the right types, problems can be written."""
    checks.check_trace(read_trace(MemoryFolder(case.files)))


def make_cut(rng: Random) -> Case:
    """One whole trace file, cut or with one bit flipped."""
    seed, name = rng.choice(_plain_trials())
    data = seed.files[name]
    at = rng.randrange(len(data))
    if rng.random() < 0.5:
        bad = data[:at]
    else:
        bad = data[:at] + bytes([data[at] ^ (1 << rng.randrange(8))]) + data[at + 1 :]
    return Case({name: bad, f"{name}.whole": data}, (name, at, len(bad) < len(data)), seed.real)


@cache
def _plain_trials() -> tuple[tuple[seeds.Trial, str], ...]:
    """Whole trace files that are read without a problem when alone."""
    endings = (".jsonl", "claude-code.txt", "trajectory.json")
    return tuple(
        (trial, name)
        for trial in seeds.trials()
        for name, data in trial.files.items()
        if name.startswith("agent/") and name.endswith(endings) and data.strip()
        if not read_trace(MemoryFolder({name: data})).problems
    )


def check_cut(case: Case) -> None:
    """What lies before the damage is read as from the whole file, nothing is invented, and where
    calls are gone a problem says so (D38)."""
    name, at, cut = case.values
    whole = _calls(case.files[f"{name}.whole"], name)[0]
    found, problems = _calls(case.files[name], name)
    invented = Counter(found) - Counter(whole)
    assert sum(invented.values()) <= (0 if cut else 1), f"invented: {invented}"
    lost = Counter(whole) - Counter(found)
    if cut:
        assert found == whole[: len(found)], "calls before the cut changed or moved"
    data = case.files[f"{name}.whole"]
    at_line_end = not name.endswith(".json") and (data[at - 1 : at] in (b"\n", b"") or not at)
    if cut and lost and not at_line_end and data[at : at + 1] != b"\n":
        assert problems, f"{sum(lost.values())} calls lost without a word"
    if not name.endswith(".json"):
        before = _calls(data[: data.rfind(b"\n", 0, at) + 1], name)[0]
        assert not Counter(before) - Counter(found), "a call of an earlier line is lost"


def _calls(data: bytes, name: str) -> tuple[list[tuple[str, str]], tuple[Problem, ...]]:
    trace, problems = read_trace(MemoryFolder({name: data}))
    return [(call.name, repr(call.arguments)) for call in trace.calls], problems


def make_pipeline(rng: Random) -> Case:
    """A damaged trial, and a task whose files are damaged, too."""
    trial = make_trial(rng)
    task = make_task(rng)
    files = trial.files | {f"task/{name}": data for name, data in task.files.items()}
    return Case(files, (rng.choice(("1.0", "1.1")),), trial.real)


def check_pipeline(case: Case) -> None:
    """From files to metrics: documents fit their schema whatever went in, and say what was lost."""
    folder = MemoryFolder(case.files)
    settings = Settings(schema_version=case.values[0])
    task, _ = read_task(folder.folder("task"), "suite")
    trace, problems = read_trace(folder)
    views = view_calls(trace, settings)
    checks.check_views(trace, views)
    truth, more = load_ground_truth(task)
    trial = Trial("r", "c", "t", "t__1", path="r/c/t", folder=folder, task=task)
    everything = (*problems, *more, *(p for view in views for p in view.problems))
    document = build_document(trial, trace, views, truth, everything, settings)
    checks.check_document("retrieval_events", document)
    assert len(document.events) == len(trace.calls)
    assert trace.source is not None or document.coverage.degraded_reason
    metrics = evaluate(document, generated_at="2026-01-01T00:00:00Z")
    checks.check_document("retrieval_metrics", metrics)
    known = set(document.ground_truth.files)
    for event in document.events:
        assert set(event.matched_ground_truth_files) <= known


def make_world(rng: Random) -> Case:
    """A few trials of the sample with the tasks, some files damaged, removed or renamed."""
    sample = seeds.sample()
    tops = sorted({n.rpartition("/")[0] for n in sample if n.endswith("/result.json")})
    kept = rng.sample(tops, min(len(tops), 4))
    files = {
        name: data
        for name, data in sample.items()
        if name.startswith(("benchmarks/", *(f"{top}/" for top in kept)))
    }
    for name in rng.sample(sorted(files), 6):
        if rng.random() < 0.15:
            files.pop(name)
        elif rng.random() < 0.1:
            files[f"{name}{rng.choice(('~', '.bak', ' '))}"] = files.pop(name)
        else:
            files[name] = damaged(name, files[name], rng)
    return Case(files)


def check_world(case: Case) -> None:
    """Exit codes by contract, no internal error, and every document written is valid."""
    from groundtrace.cli.main import invoke
    from groundtrace.documents import kind_of

    with tempfile.TemporaryDirectory() as name:
        top = Path(name)
        for path, data in case.files.items():
            (top / path).parent.mkdir(parents=True, exist_ok=True)
            (top / path).write_bytes(data)
        said = io.StringIO()
        where = [f"{top}/runs/official", "--out", f"{top}/out"]
        common = [*where, "--jobs", "1"]
        with redirect_stdout(said), redirect_stderr(said):
            tasks = ["--tasks", f"{top}/benchmarks", "--format", "md", "--draws", "100"]
            code = invoke(["run", *common, *tasks])
            again = invoke(["evaluate", *common]) if code in (0, 1) else code
        assert code in (0, 1, 3) and again == code, (code, again, said.getvalue())
        assert "internal error" not in said.getvalue(), said.getvalue()
        for path in (top / "out").rglob("*.json"):
            kind = kind_of(path.name)
            if kind is not None:
                decode(kind, path.read_bytes(), path.name)
