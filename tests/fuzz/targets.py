"""What is fuzzed, and what must hold. A case is made from a random generator alone, so that its
number is enough to make it again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import cache
from random import Random
from typing import Any, NamedTuple

from groundtrace import jsonio
from groundtrace.artifacts.codec import decode
from groundtrace.artifacts.documents import KINDS
from groundtrace.config import Settings
from groundtrace.discover import discover
from groundtrace.errors import GroundtraceError, InputError
from groundtrace.events import build_document
from groundtrace.metrics import evaluate
from groundtrace.model import (
    FileRef,
    GroundTruth,
    Problem,
    Task,
    ToolCall,
    ToolResult,
    Trace,
    Trial,
    TruthChunk,
    TruthFile,
)
from groundtrace.paths import Resolver
from groundtrace.redact import mask
from groundtrace.tools import view_calls
from groundtrace.tools.shell import shell_refs
from groundtrace.traces import read_trace
from groundtrace.truth import load_ground_truth
from groundtrace.truth.registry import registry_from
from groundtrace.truth.tasks import build_index, read_task
from tests.fuzz import checks, mutate, seeds, shells
from tests.fuzz.memory import MemoryFolder


class Case(NamedTuple):
    """One input: files to look at when it fails, and the values that are tried."""

    files: dict[str, bytes]
    values: tuple[Any, ...] = ()
    real: bool = False
    """Made from a real trace: never stored."""


class Target(NamedTuple):
    """Something that is fuzzed."""

    make: Callable[[Random], Case]
    check: Callable[[Case], None]
    says: str


# --- traces -------------------------------------------------------------------------------


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


def damaged(name: str, data: bytes, rng: Random) -> bytes:
    """A file damaged as bytes, or as the JSON values that it holds."""
    if rng.random() < 0.35:
        return mutate.damage_bytes(data, rng, rng.choice((1, 1, 2, 5)))
    try:
        if name.endswith(".json"):
            return mutate.to_bytes(_changed(jsonio.loads(data), rng))
        lines = data.split(b"\n")
        for _ in range(rng.choice((1, 1, 2, 4))):
            at = rng.randrange(len(lines))
            lines[at] = _damaged_line(lines[at], rng)
        return b"\n".join(lines)
    except (jsonio.BadJsonError, RecursionError):
        return mutate.damage_bytes(data, rng)


def _changed(value: Any, rng: Random) -> Any:
    for _ in range(rng.choice((1, 1, 2, 6))):
        value = mutate.damage_value(value, rng)
    return value


def _damaged_line(line: bytes, rng: Random) -> bytes:
    match rng.randrange(10):
        case 0:
            return b""
        case 1:
            return line + b"\n" + line
        case 2:
            return mutate.to_bytes(mutate.value(rng))
    try:
        return mutate.to_bytes(_changed(jsonio.loads(line), rng))
    except (jsonio.BadJsonError, RecursionError):
        return mutate.damage_bytes(line, rng)


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
    data = case.files[f"{name}.whole"]
    at_line_end = not name.endswith(".json") and (data[at - 1 : at] in (b"\n", b"") or not at)
    if cut and lost and not at_line_end and data[at : at + 1] != b"\n":
        assert problems, f"{sum(lost.values())} calls lost without a word"


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
    trial = Trial(folder, "r/c/t", "r", "c", "t", "t__1", task=task)
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


# --- tools --------------------------------------------------------------------------------


def make_call(rng: Random) -> Case:
    """Calls of known tools with any arguments and any results."""
    calls = []
    for _ in range(rng.randrange(1, 4)):
        seed = rng.choice(seeds.tool_cases())
        arguments = dict(seed.get("arguments", {}))
        data = seed.get("data")
        text = seed.get("text", "")
        if rng.random() < 0.6:
            arguments = mutate.damage_value(_json_copy(arguments), rng)
            arguments = arguments if isinstance(arguments, dict) else {"x": arguments}
        if rng.random() < 0.6:
            data = mutate.damage_value(_json_copy(data), rng) if data else mutate.value(rng)
        if rng.random() < 0.6:
            other = rng.choice(seeds.tool_cases()).get("text", "")
            text = mutate.damage_text(rng.choice((text, other, str(mutate.value(rng)))), rng)
        result = ToolResult(
            jsonio.clean_text(text),
            data,
            rng.random() < 0.2,
            rng.choice((None, None, "/x/out.txt", "")),
        )
        name = seed["tool"] if rng.random() < 0.9 else rng.choice(mutate.WORDS) or "x"
        calls.append(
            ToolCall(
                jsonio.clean_text(name),
                arguments,
                "id",
                result=result if rng.random() < 0.95 else None,
                server=rng.choice((None, seed.get("server"), "sourcegraph", "")),
                cwd=rng.choice((None, "/workspace", "", "relative", "/")),
            )
        )
    return Case(_shown(calls), tuple(calls))


def _shown(value: Any) -> dict[str, bytes]:
    """Values that are no files, for a person to look at."""
    try:
        return {"values.txt": repr(value).encode("utf-8", "replace")}
    except RecursionError:
        return {"values.txt": b"nested too deeply to be shown"}


def _json_copy(value: Any) -> Any:
    return jsonio.loads(mutate.to_bytes(value))


def check_call(case: Case) -> None:
    trace = Trace(case.values, "transcript", cwd="/workspace", readable=True)
    views = view_calls(trace, Settings())
    checks.check_views(trace, views)
    document = build_document(
        Trial(MemoryFolder({}), "p", "r", "c", "t", "t"),
        trace,
        views,
        GroundTruth((TruthFile("src/a.py", "src/a.py"),), source="x", confidence="high"),
        (),
        Settings(),
    )
    checks.check_document("retrieval_events", document)


def make_shell(rng: Random) -> Case:
    command, output = shells.command(rng), shells.output(rng)
    result = ToolResult(jsonio.clean_text(output), is_error=rng.random() < 0.1)
    files = {"command.sh": command.encode("utf-8", "replace"), "output.txt": result.text.encode()}
    cwd = rng.choice((None, "/workspace", "/", "", "a"))
    return Case(files, (command, result if rng.random() < 0.95 else None, cwd))


def check_shell(case: Case) -> None:
    command, result, cwd = case.values
    view = shell_refs(command, result, cwd, Settings())
    checks.check_refs(view.refs)
    checks.check_problems(view.problems)
    assert not (view.failed and view.refs)
    again = shell_refs(command, result, cwd, Settings())
    assert again == view, "the same command gave another answer"


# --- ground truth and tasks ----------------------------------------------------------------


def make_task(rng: Random) -> Case:
    files = dict(rng.choice(seeds.tasks()))
    if rng.random() < 0.3:
        files.update(rng.choice(seeds.tasks()))
    for _ in range(rng.choice((1, 2, 3))):
        name = rng.choice(sorted(files))
        if name.endswith((".sh", ".patch", ".diff", ".md", ".toml")) and rng.random() < 0.7:
            text = files[name].decode("utf-8", "replace")
            files[name] = mutate.damage_text(text, rng).encode("utf-8", "surrogatepass")
        else:
            files[name] = damaged(name, files[name], rng)
    return Case(files)


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
    tasks = _changed(_json_copy(tasks), rng)
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


# --- discovery ----------------------------------------------------------------------------


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


# --- paths --------------------------------------------------------------------------------

_PARTS = ("src", "a.py", "r", "kafka", "kafka--0753c489", "workspace", "..", ".", "", "A", "a", "b")


def _path(rng: Random) -> str:
    if rng.random() < 0.15:
        return str(mutate.leaf(rng)) or "x"
    return rng.choice(("", "/", "/workspace/", "./")) + "/".join(
        rng.choices(_PARTS, k=rng.randrange(1, 5))
    )


def make_paths(rng: Random) -> Case:
    def repo() -> str | None:
        return rng.choice((None, "kafka", "github.com/sg-evals/kafka--0753c489", "o/r", _path(rng)))

    refs = [
        FileRef(_path(rng), rng.choice(sorted(checks.KINDS)), repo(), from_diff=rng.random() < 0.2)
        for _ in range(rng.randrange(12))
    ]
    truths = []
    for _ in range(rng.randrange(6)):
        path, owner = _path(rng), repo()
        truths.append(TruthFile(path if owner is None else f"{owner}::{path}", path, owner))
    truth = GroundTruth(
        tuple(truths),
        chunks=tuple(TruthChunk(_path(rng), 1, 2, None, repo()) for _ in range(rng.randrange(3))),
        expected_edit_files=tuple(truths[: rng.randrange(3)]),
    )
    task = Task(
        "t",
        "b",
        None,
        tuple(r for r in (repo() for _ in range(rng.randrange(3))) if r),
        {_path(rng): repo() or "r" for _ in range(rng.randrange(2))},
    )
    arguments = (truth, rng.choice((None, task)), refs, rng.choice((None, "/workspace", "/", "x")))
    return Case(_shown(arguments), arguments)


def check_paths(case: Case) -> None:
    """Every reference has one answer, whichever is asked first, and hits are entries (D17)."""
    truth, task, refs, cwd = case.values
    resolver = Resolver(truth=truth, task=task, refs=refs, cwd=cwd)
    answers = [resolver.resolve(ref) for ref in refs]
    assert [resolver.resolve(ref) for ref in reversed(refs)] == answers[::-1]
    for answer in answers:
        if answer is not None:
            assert answer.file
            assert answer.truth is None or answer.truth in resolver.files
    for entry in (*truth.expected_edit_files, *truth.chunks):
        where = entry.file if isinstance(entry, TruthChunk) else entry.path
        assert isinstance(resolver.spelling_of(where, entry.repo), str)


# --- settings, documents, text --------------------------------------------------------------

_SETTINGS: dict[str, Any] = {
    "paths": {"container_prefixes": ["/workspace/"]},
    "mcp": {"servers": ["sourcegraph"]},
    "compare": {"baseline": "baseline*"},
    "discover": {"skip": ["_errored"], "trials": "latest"},
    "shell": {"evidence": "use", "commands": {"bat": {"like": "cat"}}},
    "tools": {"MyRead": {"category": "file_read", "reads": "read"}},
}


def make_settings(rng: Random) -> Case:
    data = _changed(_json_copy(_SETTINGS), rng)
    return Case({"settings.json": mutate.to_bytes(data)}, (data,))


def check_settings(case: Case) -> None:
    """Wrong settings are refused in one sentence; right ones serve every stage."""
    from groundtrace.config import settings_from
    from groundtrace.tools import check_tools

    (data,) = case.values
    if not isinstance(data, dict):
        return
    try:
        settings = settings_from(data)
        check_tools(settings)
    except GroundtraceError as error:
        assert str(error)
        return
    trace = Trace((ToolCall("Bash", {"command": "cat a.py | bat"}),), readable=True)
    checks.check_views(trace, view_calls(trace, settings))
    folder = MemoryFolder({"r/c/t__abcdefg/result.json": b'{"task_name": "t"}'})
    assert sum(isinstance(i, Trial) for i in discover(folder, settings=settings)) <= 1


def make_document(rng: Random) -> Case:
    from tests.fuzz.typed import valid_documents

    kind = rng.choice(sorted(KINDS))
    data = rng.choice(valid_documents()[kind])
    return Case({f"x.{kind}.json": damaged("x.json", data, rng)}, (kind,))


def check_document(case: Case) -> None:
    """A document is read or refused with the file's name; what is read can be written again."""
    (kind,) = case.values
    (data,) = case.files.values()
    try:
        document = decode(kind, data, "some/file.json")
    except InputError as error:
        assert str(error).startswith("some/file.json"), str(error)
        return
    checks.check_document(kind, document)
    if kind == "retrieval_events":
        checks.check_document("retrieval_metrics", evaluate(document, generated_at="x"))


def make_text(rng: Random) -> Case:
    words = (
        *mutate.WORDS,
        "Authorization: ",
        "Bearer ",
        "sk-",
        "TOKEN=",
        "://",
        "-----BEGIN ",
        "a1" * 9,
    )
    text = "".join(rng.choices(words, k=rng.randrange(40))) * rng.choice((1, 1, 1, 30))
    return Case({"text.txt": text.encode("utf-8", "replace")}, (text,))


def check_text(case: Case) -> None:
    """Masking is done after one go (D39)."""
    once = mask(case.values[0])
    assert mask(once) == once
    assert "ghp_0123456789" not in once


TARGETS: dict[str, Target] = {
    "traces": Target(make_trial, check_trace, "every trace reader, on damaged trials"),
    "cuts": Target(make_cut, check_cut, "one trace file, cut or with a bit flipped"),
    "pipeline": Target(
        make_pipeline, check_pipeline, "files to metrics of damaged trials and tasks"
    ),
    "tools": Target(make_call, check_call, "calls with arguments and results of any type"),
    "shell": Target(make_shell, check_shell, "shell commands and outputs"),
    "truth": Target(make_task, check_task, "ground truth of damaged task folders"),
    "registry": Target(make_registry, check_registry, "registries of ground truth"),
    "tasks": Target(make_tasks_tree, check_tasks_tree, "the task index over odd trees"),
    "records": Target(make_runs, check_runs, "discovery where records are damaged"),
    "trees": Target(make_tree, check_tree, "discovery on trees of no shape"),
    "paths": Target(make_paths, check_paths, "which file a path means"),
    "settings": Target(make_settings, check_settings, "settings of any shape"),
    "documents": Target(make_document, check_document, "damaged documents"),
    "masking": Target(make_text, check_text, "masking of credentials"),
}
"""Targets of the mutation fuzzer by name."""
