"""Paths, settings and documents."""

from __future__ import annotations

from random import Random
from typing import Any

from groundtrace.discover import discover
from groundtrace.documents import KINDS
from groundtrace.documents.codec import decode
from groundtrace.errors import GroundtraceError, InputError
from groundtrace.metrics import evaluate
from groundtrace.model import (
    FileRef,
    GroundTruth,
    Task,
    ToolCall,
    Trace,
    Trial,
    TruthChunk,
    TruthFile,
)
from groundtrace.paths import Resolver
from groundtrace.tools import view_calls
from tests.fuzz import checks, mutate
from tests.fuzz.cases import Case, changed, damaged, json_copy, shown_values
from tests.fuzz.memory import MemoryFolder

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
    return Case(shown_values(arguments), arguments)


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


_SETTINGS: dict[str, Any] = {
    "paths": {"container_prefixes": ["/workspace/"]},
    "mcp": {"servers": ["sourcegraph"]},
    "compare": {"baseline": "baseline*"},
    "discover": {"skip": ["_errored"], "trials": "latest"},
    "shell": {"evidence": "use", "commands": {"bat": {"like": "cat"}}},
    "tools": {"MyRead": {"category": "file_read", "reads": "read"}},
}


def make_settings(rng: Random) -> Case:
    data = changed(json_copy(_SETTINGS), rng)
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
    trace = Trace((ToolCall("Bash", {"command": "cat a.py | bat"}),))
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
