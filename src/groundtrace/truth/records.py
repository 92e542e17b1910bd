"""Ground truth in JSON and TOML: which keys hold files, and which only seem to.

`FILE_GROUPS` is the table of keys. Groups are tried in order and the first that gives a file wins;
the keys of one group are combined. Some keys are left out on purpose: `context_files` lists a whole
repository, `answer` belongs to a question and is not always a file, `dependency_chain` and `text`
are prose. Guessing that any `*_files` key holds evidence would include distractors and forbidden
files. So a record with unknown keys only is skipped, and its keys are named.

Two forms are no file lists: rubrics of regular expressions (`rubric_paths`) and Python literals.
"""

from __future__ import annotations

import ast
import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import Any

from groundtrace.base.frozen import Frozen
from groundtrace.base.patterns import regex
from groundtrace.base.values import as_items
from groundtrace.model import PatchHunk, Problem, TruthChunk, TruthFile, TruthSymbol
from groundtrace.truth.entries import (
    PATH_KEYS,
    Notes,
    RefusedEntry,
    collect,
    has_extension,
    line_range,
    shown,
    truth_chunk,
    truth_file,
    truth_symbol,
)

PATTERN_KEYS = ("file_references", "required_findings")
"""Checks that ask for findings; `negative_checks` ask for absence, `causal_chain` for words."""

MAX_LITERAL = 8 * 1024 * 1024
MAX_DEPTH = 4

_SPECIAL = frozenset(".^$*+?{}[]|()")
_TOKEN = regex(r"""\s*(?:([\[(])|([\])])|,|'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*")\s*""")


def literal(pattern: str) -> str | None:
    """The one text that a pattern matches, or None when it matches several."""
    out: list[str] = []
    characters = iter(pattern)
    for character in characters:
        if character == "\\":
            escaped = next(characters, "")
            if not escaped or escaped.isalnum():
                return None  # \d, \b and the like are classes and anchors, not characters
            out.append(escaped)
        elif character in _SPECIAL:
            return None
        else:
            out.append(character)
    return "".join(out)


def rubric_paths(data: Mapping[Any, Any], notes: Notes) -> list[str]:
    """Paths that the patterns of a rubric give (D26).

    A checklist gives regular expressions by which it recognises an answer. Such a pattern is used as
    a path only when

    1. every special character in it is escaped, so that it matches exactly one text
       (`controller/state\\.go`; not `cmd/argocd.server/main\\.go`, whose dots match anything);
    2. that text has a folder and a file name with an extension (`state\\.go` alone could be anywhere,
       `pkg/apis/application` is a directory);
    3. the rubric does not show that it is the end of a longer path: of another literal in the rubric
       (`v1alpha1/types.go` beside `pkg/apis/application/v1alpha1/types.go`) or of a folder that the
       same check names (`repository/repository.go` beside `reposerver/repository`).

    A pattern may match anywhere in an answer, so it is never certain that a text is a whole path; the
    third rule removes the ends that the rubric itself shows. Files at the root of a repository, and
    files whose pattern is not exact, are lost. So a rubric often gives fewer files than it checks
    for, and the problem `regex_pattern` says how many patterns were skipped.
    """
    checks = [[literal(pattern) for pattern in patterns] for patterns in _checks(data)]
    backwards = sorted({text[::-1] for check in checks for text in check if text})
    found: dict[str, None] = {}
    passed = tails = 0
    for check in checks:
        folders = {text.rstrip("/").rpartition("/")[2] for text in check if text and "/" in text}
        for text in check:
            if text is None or not _is_path(text):
                passed += 1
            elif _is_tail(text, backwards) or text.partition("/")[0] in folders:
                tails += 1
            else:
                found.setdefault(text)
    if passed or tails:
        reason = f"of its checks' patterns {passed:,} are not literal paths and {tails:,} are tails"
        notes.add("regex_pattern", reason)
    return list(found)


def _is_tail(text: str, backwards: list[str]) -> bool:
    """Whether another literal ends in `/text`: `backwards` is sorted, so it would come next."""
    start = f"{text[::-1]}/"
    place = bisect_left(backwards, start)
    return place < len(backwards) and backwards[place].startswith(start)


def _checks(data: Mapping[Any, Any]) -> Iterator[list[str]]:
    """The patterns of each check; a check is an object with patterns, or one pattern."""
    for key in PATTERN_KEYS:
        for item in as_items(data.get(key)):
            patterns = item.get("patterns", item.get("pattern")) if isinstance(item, dict) else item
            patterns = patterns if isinstance(patterns, list) else [patterns]
            yield [pattern for pattern in patterns if isinstance(pattern, str)]


def _is_path(text: str) -> bool:
    return "/" in text.strip("/") and has_extension(text) and not re.search(r"\s", text)


def python_paths(text: str, notes: Notes) -> list[Any]:
    """Entries of a Python literal: lists of texts and lists of such lists; nothing else is read."""
    if len(text) > MAX_LITERAL or not _is_plain(text):
        notes.add("no_file_list", "text that is no literal list of paths")
        return []
    try:
        value = ast.literal_eval(text.strip())
    except (ValueError, SyntaxError, MemoryError, RecursionError, TypeError) as error:
        notes.add("no_file_list", f"text that is no literal list of paths: {type(error).__name__}")
        return []
    return list(_flat(value))


def _is_plain(text: str) -> bool:
    """Whether a text has only brackets, commas and quoted texts and is not nested deeply: such a
    text is safe to evaluate."""
    depth = place = 0
    while place < len(text):
        token = _TOKEN.match(text, place)
        if token is None:
            return False
        depth += (token[1] is not None) - (token[2] is not None)
        if not 0 <= depth <= MAX_DEPTH or (depth == 0 and token[2] is None):
            return False
        place = token.end()
    return depth == 0 and place > 0


def _flat(value: Any) -> Iterator[Any]:
    if isinstance(value, list | tuple):
        for item in value:
            yield from _flat(item)
    else:
        yield value


FILE_GROUPS: tuple[tuple[str, ...], ...] = (
    ("files",),
    ("required_files", "sufficient_files"),
    ("entries",),
    ("root_cause_files", "buggy_files"),
    (
        "fix_files",
        "pr_files",
        "affected_files",
        "producer_changed_files",
        "consumer_affected_files",
        "error_chain",
    ),
    ("drift_points", "dead_code"),
    ("canonical_path", "function_id", "file_path"),
)
"""Keys of ground_truth.json that hold files: the first group with files wins, its keys combine."""

ORACLE_GROUPS: tuple[tuple[str, ...], ...] = (("files",), ("chain", "symbols"))
"""Keys of oracle_answer.json; an answer that is only a chain or a symbol also names files."""

SPEC_GROUPS: tuple[tuple[str, ...], ...] = (
    ("required_files",),
    ("required_symbols", "required_references", "dependency_chains"),
)
"""Keys of the oracle in task_spec.json."""

_BY_REPO = frozenset({"consumer_affected_files", "affected_files"})
"""Keys whose value may be an object from a repository to its files."""

_LOOSE = frozenset({"error_chain"})
"""Keys whose texts may be prose: only a text that ends like a file name is used."""

_PATH_AND_SYMBOL = frozenset({"function_id"})
"""Keys whose `::` separates path and symbol, never repository and path."""

_PLACEHOLDER_MARKS = ("converted from canonical", "manual ground truth", "curator timed out")
_PLACEHOLDER_LINES = (1, 50)


class SourceFindings(Frozen, frozen=True):
    """What one source says; `problems` names what could not be used."""

    files: tuple[TruthFile, ...] = ()
    edit_files: tuple[TruthFile, ...] = ()
    symbols: tuple[TruthSymbol, ...] = ()
    chunks: tuple[TruthChunk, ...] = ()
    problems: tuple[Problem, ...] = ()
    edit_chunks: tuple[TruthChunk, ...] = ()
    """Lines that a patch changes."""
    hunks: tuple[PatchHunk, ...] = ()
    """The patch itself, as far as it changes files that existed before."""
    old_names: tuple[str, ...] = ()
    """Names of a patch's files before it (D232)."""
    test_files: tuple[str, ...] = ()
    """Files of a test patch."""
    expects_no_edit: bool = False
    """Whether the source has a list of edits and the list is empty (D58), or asks for an answer and
    not for a change (D193)."""


def read_ground_truth(data: Any, notes: Notes) -> SourceFindings:
    """tests/ground_truth.json in all its forms."""
    if isinstance(data, str):
        return SourceFindings(files=_files(python_paths(data, notes), notes))
    if isinstance(data, list):
        flat = (one for item in data for one in (item if isinstance(item, list) else [item]))
        return SourceFindings(files=_files(flat, notes))
    if not isinstance(data, dict):
        notes.add("no_file_list", f"{shown(data)} where an object or a list is expected")
        return SourceFindings()
    files = _grouped(data, FILE_GROUPS, notes)
    inner = data.get("ground_truth")
    if not files and isinstance(inner, dict):
        files = _grouped(inner, FILE_GROUPS, notes)
    if not files:
        files = _files(rubric_paths(data, notes), notes)
    if not files:
        notes.add("no_file_list", f"no file list under its keys: {_keys(data)}")
    real, dropped = _chunks(data, notes)
    return SourceFindings(
        files=files,
        edit_files=_explicit_edits(data, files, dropped, notes),
        symbols=_symbols(data, notes),
        chunks=real,
        expects_no_edit=data.get("expected_edit_files") == [] and not dropped,
    )


def read_defects(data: Any, notes: Notes) -> SourceFindings:
    """tests/expected_defects.json: an array, or an object with `defects`."""
    items = data.get("defects") if isinstance(data, dict) else data
    if not isinstance(items, list):
        notes.add("no_file_list", "neither a list of defects nor an object with `defects`")
        return SourceFindings()
    files = _files(items, notes)
    return SourceFindings(files=files, chunks=collect(items, _defect, notes))


def _defect(item: Any) -> TruthChunk | RefusedEntry:
    """The lines of a defect; its type is called `defect_type` or `type`."""
    return truth_chunk(
        {"defect_type": item.get("type"), **item} if isinstance(item, dict) else item
    )


def read_changes(data: Any, notes: Notes) -> SourceFindings:
    """tests/expected_changes.json: files that a solution must change."""
    if not isinstance(data, dict):
        notes.add("no_file_list", f"{shown(data)} where an object is expected")
        return SourceFindings()
    files = _grouped(data, (("expected_files", "expected_file"),), notes)
    if not files:
        notes.add("no_file_list", f"no file list under its keys: {_keys(data)}")
    lines = line_range(data.get("expected_line_range"))
    chunks: tuple[TruthChunk, ...] = ()
    if lines is not None and isinstance(data.get("expected_file"), str):
        item = {"file": data["expected_file"], "lines": list(lines)}
        chunks = collect([{**item, "annotation": data.get("description")}], truth_chunk, notes)
    return SourceFindings(files=files, edit_files=files, chunks=chunks)


def read_oracle(data: Any, notes: Notes) -> SourceFindings:
    """tests/oracle_answer.json: the answer that the verifier compares against."""
    if not isinstance(data, dict):
        notes.add("no_file_list", f"{shown(data)} where an object is expected")
        return SourceFindings()
    files = _grouped(data, ORACLE_GROUPS, notes)
    if not files:
        notes.add("no_file_list", "its lists are empty")
    return SourceFindings(
        files=files,
        symbols=_symbols(data, notes),
        chunks=_chunks(data, notes)[0],
        expects_no_edit=True,
    )


def read_task_spec(data: Any, notes: Notes) -> SourceFindings:
    """tests/task_spec.json: the oracle among its artifacts."""
    oracle = _inside(data, "artifacts", "oracle")
    if oracle is None:
        notes.add("no_file_list", "no `artifacts.oracle` in it")
        return SourceFindings()
    files = _grouped(oracle, SPEC_GROUPS, notes)
    if not files:
        notes.add("no_file_list", "its oracle lists are empty")
    symbols = collect(_leaves(oracle.get("required_symbols")), truth_symbol, notes)
    return SourceFindings(files=files, symbols=symbols, expects_no_edit=True)


CHANGES_CODE = regex(r"patch|diff|code|fix|change|commit|source|test|config|pull_request|migration")
"""An artifact with such a name is a change, or can be one."""


def read_task_toml(data: Any, notes: Notes) -> SourceFindings:
    """task.toml: `[[ground_truth.required_files]]`, `sufficient_files`, and what is asked for."""
    wants_answer = _asks_for_answer(data)
    table = _inside(data, "ground_truth")
    if table is None:  # most tasks have no such table, and that is no problem
        return SourceFindings(expects_no_edit=wants_answer)
    files = _grouped(table, (FILE_GROUPS[1],), notes)
    return SourceFindings(files=files, expects_no_edit=wants_answer)


def _asks_for_answer(data: Any) -> bool:
    """Whether a definition says that an answer is checked, and no change (D193)."""
    required = (_inside(data, "artifacts") or {}).get("required")
    if isinstance(required, list) and required:
        names = [name.lower() if isinstance(name, str) else "code" for name in required]
        return not any(map(CHANGES_CODE.search, names))
    modes = [(_inside(data, *where) or {}).get("verification_modes") for where in ((), ("task",))]
    return ["artifact"] in modes


def read_companion(data: Any, notes: Notes) -> SourceFindings:
    """ground_truth_agent.json and similar files: only files, when nothing better is known."""
    return SourceFindings(files=read_ground_truth(data, notes).files)


# --- files --------------------------------------------------------------------------------


def _files(items: Iterable[Any], notes: Notes, repo: str | None = None) -> tuple[TruthFile, ...]:
    return collect(items, partial(truth_file, repo=repo), notes)


def _grouped(
    data: Mapping[Any, Any], groups: Iterable[tuple[str, ...]], notes: Notes
) -> tuple[TruthFile, ...]:
    for group in groups:
        found = collect(
            (entry for key in group for entry in _under(key, data.get(key))), lambda e: e, notes
        )
        if found:
            return found
    return ()


def _under(key: str, value: Any) -> Iterator[TruthFile | RefusedEntry]:
    """Entries under a key of the table, in any of its forms."""
    if isinstance(value, dict) and key in _BY_REPO:
        for repo, items in value.items():
            for item in items if isinstance(items, list) else [items]:
                yield truth_file(item, repo or None)
        return
    for item in _leaves(value):
        if key in _PATH_AND_SYMBOL and isinstance(item, str):
            item = item.partition("::")[0]
        if key in _LOOSE and isinstance(item, str) and not has_extension(item):
            continue
        yield truth_file(item)


def _leaves(value: Any, depth: int = 0) -> Iterator[Any]:
    """Entries in a value: the value itself, items of its lists, and steps of chains in it."""
    if value is None:
        return
    if isinstance(value, list):
        for item in value if depth < 4 else ():
            yield from _leaves(item, depth + 1)
    elif isinstance(value, dict) and not any(key in value for key in PATH_KEYS):
        steps = next((value[key] for key in ("steps", "chain") if key in value), None)
        if isinstance(steps, list):
            yield from _leaves(steps, depth + 1)
        else:
            yield value
    else:
        yield value


def _inside(data: Any, *keys: str) -> dict[Any, Any] | None:
    for key in keys:
        data = data.get(key) if isinstance(data, dict) else None
    return data if isinstance(data, dict) else None


def _keys(data: Mapping[Any, Any]) -> str:
    names = [str(key) for key in data]
    return shown(", ".join(names[:12]) if names else "none")


# --- symbols, chunks, edits ---------------------------------------------------------------


def _symbols(data: Mapping[Any, Any], notes: Notes) -> tuple[TruthSymbol, ...]:
    return collect(_symbol_items(data), truth_symbol, notes)


def _symbol_items(data: Mapping[Any, Any]) -> Iterator[Any]:
    yield from as_items(data.get("symbols"))
    for entry in as_items(data.get("entries")):
        if isinstance(entry, dict) and entry.get("function"):
            yield entry
    function_id = data.get("function_id")
    if isinstance(function_id, str) and "::" in function_id:
        path, _, symbol = function_id.partition("::")
        yield {"file": path, "symbol": symbol}
    elif data.get("file_path") and data.get("target_function"):
        yield {"file": data["file_path"], "symbol": data["target_function"]}


def _chunks(data: Mapping[Any, Any], notes: Notes) -> tuple[tuple[TruthChunk, ...], int]:
    """Line ranges, and how many were placeholders (D28)."""
    found = collect(as_items(data.get("chunks")), truth_chunk, notes)
    is_placeholder = _placeholders(data, found)
    real = tuple(chunk for chunk in found if not is_placeholder(chunk))
    for chunk in found:
        if is_placeholder(chunk):
            where = f"{chunk.line_start}–{chunk.line_end} of {shown(chunk.file)}"
            notes.add("placeholder_chunk", f"lines {where} are a placeholder")
    return real, len(found) - len(real)


def _placeholders(
    data: Mapping[Any, Any], chunks: tuple[TruthChunk, ...]
) -> Callable[[TruthChunk], bool]:
    """A test for whether a chunk of this record is a placeholder.

    Converted records give every file the lines 1–50. Some say so in the annotation, some in the
    record's text, and one kind does not say it (its annotation names the target function). So a
    record in which every chunk is 1–50 counts as converted too.
    """
    is_marked = _marked(data.get("text"))
    is_uniform = all((c.line_start, c.line_end) == _PLACEHOLDER_LINES for c in chunks)

    def rule(chunk: TruthChunk) -> bool:
        if _marked(chunk.annotation) and chunk.line_start == 1:
            return True
        lines = (chunk.line_start, chunk.line_end)
        return lines == _PLACEHOLDER_LINES and (is_marked or is_uniform)

    return rule


def _marked(text: Any) -> bool:
    return isinstance(text, str) and any(mark in text.lower() for mark in _PLACEHOLDER_MARKS)


def _explicit_edits(
    data: Mapping[Any, Any], files: tuple[TruthFile, ...], placeholders: int, notes: Notes
) -> tuple[TruthFile, ...]:
    """Edit targets that the record itself states.

    An explicit list means that edits are expected, so it counts (in the chain it comes after every
    source made from a real change). Converted records, known by their placeholders, copy `files`
    into this list; then it says nothing about edits and is left out.
    """
    edits = _files(as_items(data.get("expected_edit_files")), notes)
    if edits and placeholders and set(edits) == set(files):
        notes.add(
            "placeholder_edits", "`expected_edit_files` only repeats `files` in a converted record"
        )
        return ()
    return edits
