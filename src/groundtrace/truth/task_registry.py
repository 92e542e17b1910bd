"""A registry of ground truths in one file, for use without task directories (D30).

The file is JSON or TOML and maps each task to its ground truth. In JSON:

    {
      "tasks": {
        "ccx-dep-trace-001": {
          "files": ["client-go::rest/config.go", {"repo": "etcd-io/etcd", "path": "go.mod"}],
          "source": "curated by hand",
          "confidence": "high"
        },
        "csb_sdlc_fix/flipt-fix-001": ["internal/storage/store.go"]
      }
    }

and in TOML `[tasks.ccx-dep-trace-001]` with the same keys. The outer `tasks` may be left out.
A name may carry its suite (`suite/task`), which is looked up first. Upper and lower case are the
same. The ground truth of a task is a list of files, or an object:

- `files`: required; each as in ground_truth.json.
- `source`: where they come from, shown as `registry: <source>`.
- `confidence`: `high`, `medium` or `low`; without it the confidence is unknown.
- `symbols` [{file, symbol, repo}], `chunks` [{file, line_start, line_end, annotation}]: optional.
- `expected_edit_files`: optional list of files; its confidence is the entry's.

Names that begin with `_` are for remarks. The file is named on the command line, so a file that
cannot be used at all is an error; a single bad entry is a problem and the others count.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

from msgspec import field

from groundtrace.base import tomlio
from groundtrace.base.frozen import Frozen
from groundtrace.base.given_files import parse_given
from groundtrace.base.jsonio import BadJsonError, clean_text, loads
from groundtrace.base.values import as_items
from groundtrace.errors import InputError
from groundtrace.model import Confidence, GroundTruth, Problem, Task
from groundtrace.truth.entries import Notes, collect, shown, truth_chunk, truth_file, truth_symbol

CONFIDENCES = ("high", "medium", "low")
KEYS = ("files", "source", "confidence", "symbols", "chunks", "expected_edit_files")


class Registry(Frozen, frozen=True):
    """Ground truths by task, from one file."""

    truths: Mapping[str, GroundTruth] = field(default_factory=dict)
    """By name in lower case, with or without the suite."""
    names: tuple[str, ...] = ()
    """Names as written."""
    problems: tuple[Problem, ...] = ()
    """Entries that could not be used."""

    def find(self, task: Task) -> GroundTruth | None:
        """The truth of a task, by its name or one of its other names."""
        names = (task.name, *task.aliases)
        qualified = (f"{task.benchmark}/{name}" for name in names)
        keys = (name.lower() for name in (*qualified, *names))
        return next((self.truths[key] for key in keys if key in self.truths), None)

    def task(self, name: str, benchmark: str | None = None) -> Task | None:
        """A task without a directory, for a trial that names a task of this registry."""
        task = Task(name=name, benchmark=benchmark or "", folder=None)
        return task if self.find(task) is not None else None


def load_registry(path: Path) -> Registry:
    """The registry in a file; raises InputError when the file cannot be used at all."""
    return parse_given(path, lambda raw: _registry(path, raw))


def _registry(path: Path, raw: bytes) -> Registry:
    data = _parse(path, raw)
    tasks = data.get("tasks", data) if isinstance(data, dict) else None
    if not isinstance(tasks, dict):
        raise InputError(
            f'{path}: a registry is an object: {{"tasks": {{"NAME": {{"files": […]}}}}}}'
        )
    registry = registry_from(tasks, path.name)
    if not registry.truths:
        hint = f" ({registry.problems[0].reason})" if registry.problems else ""
        raise InputError(f"{path}: no task with files in it{hint}")
    return registry


def _parse(path: Path, raw: bytes) -> Any:
    if path.suffix.lower() == ".toml":
        try:
            return tomlio.loads(raw.decode("utf-8-sig"))
        except ValueError as error:
            raise InputError(f"{path}: not valid TOML: {error}") from error
    try:
        return loads(raw)
    except BadJsonError as error:
        where = "" if error.line is None else f":{error.line}"
        raise InputError(f"{path}{where}: not valid JSON: {error}") from error


def registry_from(tasks: Mapping[Any, Any], where: str) -> Registry:
    """A registry from parsed data."""
    notes = Notes(where)
    truths: dict[str, GroundTruth] = {}
    names: list[str] = []
    for name, value in tasks.items():
        name = clean_text(str(name))
        if name.startswith("_"):
            continue
        truth = _truth(name, value, notes)
        if truth is None:
            continue
        if name.lower() in truths:
            notes.add("duplicate_task", f"{shown(name)} occurs twice; the first one counts")
            continue
        truths[name.lower()] = truth
        names.append(name)
    return Registry(truths, tuple(names), notes.problems())


def _truth(name: str, value: Any, notes: Notes) -> GroundTruth | None:
    entry = {"files": value} if isinstance(value, list) else value
    if not isinstance(entry, dict):
        notes.add("bad_task", f"{shown(name)} is neither a list of files nor an object")
        return None
    for key in entry:
        if key not in KEYS and not str(key).startswith("_"):
            notes.add("unknown_key", f"{shown(name)} has the unknown key {shown(key)}")
    files = collect(as_items(entry.get("files")), truth_file, notes)
    if not files:
        notes.add("no_file_list", f"{shown(name)} has no files")
        return None
    confidence = _confidence(name, entry, notes)
    source = entry.get("source")
    source = f"registry: {clean_text(source)}" if isinstance(source, str) and source else "registry"
    edits = collect(as_items(entry.get("expected_edit_files")), truth_file, notes)
    says_edits = bool(edits) or entry.get("expected_edit_files") == []
    return GroundTruth(
        files=files,
        symbols=collect(as_items(entry.get("symbols")), truth_symbol, notes),
        chunks=collect(as_items(entry.get("chunks")), truth_chunk, notes),
        expected_edit_files=edits,
        expected_edit_files_source=source if says_edits else None,
        expected_edit_files_confidence=confidence if says_edits else None,
        source=source,
        confidence=confidence,
    )


def _confidence(name: str, entry: Mapping[Any, Any], notes: Notes) -> Confidence | None:
    value = entry.get("confidence")
    if value is None:
        return None
    if value in CONFIDENCES:
        return cast(Confidence, value)
    notes.add(
        "bad_confidence",
        f"{shown(name)}: confidence {shown(value)} is none of {', '.join(CONFIDENCES)}",
    )
    return None
