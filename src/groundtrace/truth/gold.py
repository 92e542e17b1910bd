"""What a gold patch and a test patch say, from any place: a file, a column, a script; and the ground
truth of a task that is a row of a data set.

In a row, `gold_context`, `snippets` or `files` give relevant files and line ranges, and `patch` gives
the edit targets; without them `patch` gives both. Paths in a container lose their prefix: annotators
wrote them down as they saw them (`/workspace/cli__cli__0.1/pkg/clone.go`). A container path that is
in no repository is a note or a script of the annotator, which no agent can find (D56).
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from typing import Any

from msgspec.structs import replace

from groundtrace.base.frozen import Frozen
from groundtrace.base.jsonio import BadJsonError, loads
from groundtrace.base.patterns import regex
from groundtrace.model import Confidence, GroundTruth, PatchHunk, Problem, TaskRow, TruthChunk
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
from groundtrace.truth.patches import (
    ChangedLines,
    PatchedFile,
    PatchResult,
    edits,
    evidence,
    looks_like_patch,
    read_patch,
)
from groundtrace.truth.records import SourceFindings


def from_patch(patch: PatchResult, notes: Notes) -> SourceFindings:
    """Relevant files, edit targets and changed lines of a gold patch (D53, D55)."""
    for fault in patch.faults:
        notes.add("bad_patch", fault)
    relevant = collect(evidence(patch.files), truth_file, notes)
    if not relevant:
        reason = "its patch only adds new files" if patch.files else "no patch with files in it"
        notes.add("no_file_list", reason)
    return SourceFindings(
        files=relevant,
        edit_files=collect(edits(patch.files), truth_file, notes),
        edit_chunks=tuple(TruthChunk(c.path, c.first, c.last) for c in patch.changed),
        hunks=patch.hunks,
        old_names=patch.old_names,
    )


def test_files_of(text: str, notes: Notes) -> tuple[str, ...]:
    """Files of a test patch, new ones included."""
    patch = read_patch(text)
    for fault in patch.faults:
        notes.add("bad_patch", f"test patch: {fault}")
    return tuple(file.path for file in collect(edits(patch.files), truth_file, notes))


# --- patches in solve.sh ---------------------------------------------------------------------
#
# A patch is the body of a heredoc, which is skipped as a whole: a `<<` inside a patch (of a shell
# script, or of a C++ stream) opens no heredoc.

_OPENER = regex(
    r"""(?<!<)<<(?P<dash>-?)(?!<)[ \t]*(?:'([^'\n]+)'|"([^"\n]+)"|\\?([A-Za-z_][\w.-]*))"""
)
_HEADER = regex(r"diff --git |\+\+\+ ")
_MAX_WORD = 80
"""A longer line closes no heredoc."""


class Heredoc(Frozen, frozen=True):
    """A here-document of a script."""

    line: int
    """Line number of the first line of its body, from 1."""
    body: str
    is_closed: bool
    """Whether its closing word was found; if not, the body goes to the end of the script."""


def heredocs(script: str) -> list[Heredoc]:
    """The here-documents of a script; those inside another one are left out."""
    lines = script.split("\n")
    ends = _Ends(lines)
    found: list[Heredoc] = []
    unclosed: int | None = None
    number = 0
    while number < len(lines):
        line = lines[number]
        number += 1
        if line.lstrip().startswith("#"):
            continue
        for opener in _OPENER.finditer(line):
            word = opener[2] or opener[3] or opener[4]
            end = ends.after(number, word, tabs=bool(opener["dash"]))
            if end is not None:
                found.append(Heredoc(number + 1, _text(lines[number:end]), True))
                number = end + 1
                unclosed = None  # an open heredoc would have included this one
            elif unclosed is None:
                unclosed = number
    # Most openers without an end are shifts (1<<BITS) or quoted words. But if a patch follows and
    # no other heredoc comes in between, the script was cut off inside its patch.
    if unclosed is not None and any(_HEADER.match(line) for line in lines[unclosed:]):
        found.append(Heredoc(unclosed + 1, _text(lines[unclosed:]), False))
    return found


def _text(lines: list[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


class _Ends:
    """Index of the lines that could close a heredoc, so that hostile scripts do not take long."""

    def __init__(self, lines: list[str]) -> None:
        self._places: dict[str, list[int]] = {}
        self._after_tabs: dict[str, list[int]] = {}
        for index, line in enumerate(lines):
            word = line.rstrip("\r")
            if len(word) <= _MAX_WORD:
                self._places.setdefault(word, []).append(index)
                self._after_tabs.setdefault(word.lstrip("\t"), []).append(index)

    def after(self, start: int, word: str, *, tabs: bool) -> int | None:
        """The first line, from `start` on, that closes a heredoc with that word."""
        places = (self._after_tabs if tabs else self._places).get(word, [])
        place = bisect_left(places, start)
        return places[place] if place < len(places) else None


def gold_patches(script: str) -> PatchResult:
    """The files of all patches in a script; a file in two patches keeps its first status.

    The first status counts: a file that the first patch creates and the second one changes did not
    exist before (D27).
    """
    found: dict[str, PatchedFile] = {}
    faults: list[str] = []
    changed: list[ChangedLines] = []
    hunks: list[PatchHunk] = []
    olds: dict[str, None] = {}
    for document in heredocs(script):
        if not looks_like_patch(document.body):
            continue
        result = read_patch(document.body)
        faults += [f"patch at line {document.line}: {fault}" for fault in result.faults]
        if not document.is_closed:
            faults.append(f"patch at line {document.line}: its closing word is missing")
        # A second patch counts the lines of the file after the first patch.
        changed += (lines for lines in result.changed if lines.path not in found)
        hunks += (hunk for hunk in result.hunks if hunk.path not in found)
        olds.update(dict.fromkeys(result.old_names))
        for file in result.files:
            found.setdefault(file.path, file)
    return PatchResult(
        tuple(found.values()), tuple(faults), tuple(changed), tuple(olds), tuple(hunks)
    )


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
