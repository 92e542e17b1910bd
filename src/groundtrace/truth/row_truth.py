"""The ground truth of a task that is a row of a data set.

`gold_context`, `snippets` or `files` give relevant files and line ranges, and `patch` gives the
edit targets; without them `patch` gives both. Paths in a container lose their prefix: annotators
wrote them down as they saw them (`/workspace/cli__cli__0.1/pkg/clone.go`). A container path that is
in no repository is a note or a script of the annotator, which no agent can find (D56).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from msgspec.structs import replace

from groundtrace.base.jsonio import BadJsonError, loads
from groundtrace.base.patterns import regex
from groundtrace.model import Confidence, GroundTruth, Problem, TaskRow
from groundtrace.paths.containers import clone_of
from groundtrace.truth.entries import (
    PATH_KEYS,
    Notes,
    collect,
    line_range,
    shown,
    truth_chunk,
    truth_file,
)
from groundtrace.truth.gold import from_patch, test_files_of
from groundtrace.truth.patches import read_patch

CONFIDENCE: Confidence = "high"
"""People made the list, or made the change that solved the task."""

_FILE = regex(
    r"\s*+(?:[-*]\s*+)?(?:file(?:_path)?|path)\s*+[:：]\s*+(\S(?:.*\S)?)\s*+$", re.IGNORECASE
)
_LINES = regex(r"\s*(?:[-*]\s*)?lines?\s*[:：]\s*(\d+)(?:\s*(?:-|–|to|,)\s*(\d+))?", re.IGNORECASE)
_EDGE = regex(r"\s*(?:[-*]\s*)?(start|end)(?:_line)?\s*[:：]\s*(\d+)", re.IGNORECASE)


def truth_of_row(row: TaskRow) -> tuple[GroundTruth, tuple[Problem, ...]]:
    """The truth in a row, and what could not be used."""
    notes = Notes(f"{row.file}:{row.number}")
    truth = GroundTruth()
    if row.context is not None:
        entries = _in_repository(list(_entries(row, notes)), notes)
        files = collect(entries, truth_file, notes)
        with_lines = [entry for entry in entries if _has_lines(entry)]
        if files:
            truth = GroundTruth(
                files=files,
                chunks=collect(with_lines, truth_chunk, notes),
                source=f"{row.file} {row.context_key}",
                confidence=CONFIDENCE,
            )
        else:
            notes.add("no_file_list", f"{row.context_key} names no files")
    if row.patch is not None and row.patch.strip():
        truth = _with_patch(truth, row, notes)
    elif row.context is None:
        notes.add("no_file_list", "the row has neither a patch nor a list of files")
    if row.test_patch is not None and row.test_patch.strip():
        truth = replace(truth, test_files=test_files_of(row.test_patch, notes))
    return truth, notes.problems()


def _with_patch(truth: GroundTruth, row: TaskRow, notes: Notes) -> GroundTruth:
    found = from_patch(read_patch(row.patch or ""), notes)
    source = f"{row.file} patch"
    if not truth.files and found.files:
        truth = replace(truth, files=found.files, source=source, confidence=CONFIDENCE)
    return replace(
        truth,
        expected_edit_files=found.edit_files,
        expected_edit_files_source=source if found.edit_files else None,
        expected_edit_files_confidence=CONFIDENCE if found.edit_files else None,
        edit_chunks=found.edit_chunks,
        hunks=found.hunks,
        old_names=found.old_names,
    )


# --- lists of context -----------------------------------------------------------------------


def _entries(row: TaskRow, notes: Notes) -> Iterator[Any]:
    """The entries of a column, each an object or a path."""
    text = row.context or ""
    try:
        value = loads(text.encode("utf-8", errors="surrogatepass"))
    except BadJsonError as error:
        if text.lstrip()[:1] in ("[", "{"):
            notes.add("broken_json", f"{row.context_key} is not valid JSON: {error}")
            return
        value = text
    if isinstance(value, str):
        yield from _free_text(value)
    elif isinstance(value, list):
        yield from value
    elif isinstance(value, dict):
        listed = next((v for v in value.values() if isinstance(v, list)), None)
        yield from [value] if _names_file(value) else listed or []
    else:
        notes.add("wrong_type", f"{row.context_key} is {shown(value)}, where a list is expected")


def _names_file(value: dict[str, Any]) -> bool:
    return any(isinstance(value.get(key), str) for key in PATH_KEYS)


def _free_text(text: str) -> Iterator[dict[str, Any]]:
    """Entries in a text such as `context0：`, `file: a.go`, `lines: 1-20`."""
    entry: dict[str, Any] = {}
    for line in text.split("\n"):
        named, lines, edge = _FILE.match(line), _LINES.match(line), _EDGE.match(line)
        if named is not None:
            if entry:
                yield entry
            entry = {"file": named[1].strip("`'\"")}
        elif entry and lines is not None and "start_line" not in entry:
            entry["start_line"] = int(lines[1][:12])
            entry["end_line"] = int((lines[2] or lines[1])[:12])
        elif entry and edge is not None:
            entry.setdefault(f"{edge[1].lower()}_line", int(edge[2][:12]))
    if entry:
        yield entry


def _has_lines(entry: Any) -> bool:
    if not isinstance(entry, dict):
        return False
    lines = [entry.get("start_line"), entry.get("end_line")]
    return line_range(lines) is not None or "lines" in entry


def _in_repository(entries: list[Any], notes: Notes) -> list[Any]:
    """The entries with their paths inside the repository.

    If some paths are in a clone with the repository's name, any other absolute path is not a file
    of the repository.
    """
    clones = [clone_of(path) if (path := _path_of(entry)) else None for entry in entries]
    if not any(clones):
        return entries
    found: list[Any] = []
    for entry, clone in zip(entries, clones, strict=True):
        path = _path_of(entry) or ""
        if clone is not None:
            found.append(_with_path(entry, path[len(clone.folder) + 1 :]))
        elif path.startswith("/"):
            notes.add("bad_entry", f"{shown(path)} is in no repository of the container")
        else:
            found.append(entry)
    return found


def _path_of(entry: Any) -> str | None:
    if isinstance(entry, dict):
        entry = next((entry[key] for key in PATH_KEYS if entry.get(key) is not None), None)
    return entry if isinstance(entry, str) else None


def _with_path(entry: Any, path: str) -> Any:
    if not isinstance(entry, dict):
        return path
    return {name: item for name, item in entry.items() if name not in PATH_KEYS} | {"file": path}
