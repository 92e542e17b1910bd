"""Functions that a trial was shown, that it edited, and that it should have found (D216).

The repository's files at the base commit say where functions are. Which lines calls showed is known
as in `documents.line_map`: with the numbers that they had before the agent's own edits.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import msgspec
from msgspec import UNSET, UnsetType, structs

from groundtrace.base.jsonio import clean_text
from groundtrace.base.patterns import regex
from groundtrace.base.recent import Recent
from groundtrace.documents.events import Access, Event
from groundtrace.documents.functions import FunctionFile, FunctionLines, Functions
from groundtrace.documents.line_map import LineRun, OriginalLines
from groundtrace.events.base_lines import BaseText
from groundtrace.events.same_text import WholeText
from groundtrace.functions.changed import (
    WHY_UNKNOWN,
    ChangedFunctions,
    PlacedFunction,
    functions_changed,
)
from groundtrace.functions.repositories import BaseTree, OpenedTree
from groundtrace.functions.spans import Span, met
from groundtrace.model import GroundTruth, PatchHunk, Problem, TruthChunk

KEPT_BYTES = 4 * 1024 * 1024
"""Of the files whose lines a worker keeps, by the id of their object: trials of a task look at the same."""
_wholes: Recent[str, WholeText] = Recent(KEPT_BYTES)
OUTSIDE = ("/", "~", "../")
"""Beginnings of paths outside of every repository."""
_SHOWN = frozenset({"read", "matched"})
_GO_RECEIVER = regex(r"^\(\*?([^()]+)\)")
"""`(*Store).Read`"""


class WithFunctions(msgspec.Struct, frozen=True):
    """What the document says of functions."""

    events: Sequence[Event]
    functions: Functions | UnsetType = UNSET
    truth: list[FunctionLines] | UnsetType = UNSET
    """The relevant functions; unset if they are not known."""
    problems: tuple[Problem, ...] = ()


def text_of(opened: OpenedTree, home: str | None) -> BaseText:
    """The base text of files with functions, for `base_lines`."""

    def text(access: Access) -> WholeText | None:
        path = _path_of(access, home)
        if opened.tree is None or path is None:
            return None
        file = opened.tree.file(path)
        if file.state != "known":
            return None
        whole = _wholes.get(file.id)
        if whole is None:
            data = opened.tree.text(file)
            whole = _wholes.keep(file.id, WholeText(_lines(data)), len(data))
        return whole

    return text


def _lines(data: bytes) -> dict[int, str]:
    """The lines of a file, by number."""
    lines = data.decode("utf-8", errors="replace").split("\n")
    if b"\r" in data:
        lines = [line.rstrip("\r") for line in lines]
    return dict(enumerate(lines[:-1] if lines[-1] == "" else lines, 1))


def with_functions(
    events: Sequence[Event],
    opened: OpenedTree,
    truth: GroundTruth,
    submitted: Sequence[PatchHunk] | None,
    home: str | None,
) -> WithFunctions:
    """The events with the functions that each access showed, and all of these functions.

    `submitted` are the hunks of the patch that was handed in; None if that is not known. `home` is
    the short name of the task's repository.
    """
    if opened.tree is None:
        return WithFunctions(events, Functions(reason=opened.reason), UNSET, opened.problems)
    tree = opened.tree
    listed = _Listed()
    shown = _Shown(tree, listed, home)
    completed = [shown.event(event) for event in events]
    relevant = _relevant(tree, truth)
    gold = functions_changed(tree, truth.hunks) if truth.chunks and truth.hunks else None
    edited = ChangedFunctions(reason="no_submission")
    if submitted is not None:
        edited = functions_changed(tree, submitted)
    symbols = list(_symbols(tree, truth))
    section = Functions(
        listed=listed.functions,
        files=list(shown.files.values()),
        truth_reason=relevant.reason,
        gold_edits=UNSET if gold is None or gold.reason else listed.all(gold.functions),
        edited=None if edited.reason else listed.all(edited.functions),
        edit_reason=edited.reason,
        symbols=symbols or UNSET,
    )
    known = UNSET if relevant.reason else [_lines_of(one) for one in relevant.functions]
    return WithFunctions(completed, section, known, (*opened.problems, *tree.problems))


class _Listed:
    """The list of functions, each once."""

    def __init__(self) -> None:
        self.functions: list[FunctionLines] = []
        self._positions: dict[tuple[str, Span], int] = {}

    def all(self, functions: Iterable[PlacedFunction]) -> list[int]:
        """Positions of functions, added where they are new."""
        return [self._position(one) for one in functions]

    def _position(self, one: PlacedFunction) -> int:
        if one not in self._positions:
            self._positions[one] = len(self.functions)
            self.functions.append(_lines_of(one))
        return self._positions[one]


def _lines_of(one: PlacedFunction) -> FunctionLines:
    file = clean_text(one.file)
    return FunctionLines(
        function=f"{file}::{one.span.name}",
        file=file,
        line_start=one.span.first,
        line_end=one.span.last,
    )


class _Shown:
    """Follows a trial's accesses and finds the functions that they show."""

    def __init__(self, tree: BaseTree, listed: _Listed, home: str | None) -> None:
        self._tree = tree
        self._listed = listed
        self._home = home
        self._lines = OriginalLines()
        self.files: dict[str, FunctionFile] = {}
        """Files that were shown, by their spelling."""

    def event(self, event: Event) -> Event:
        """The event, with functions on its accesses."""
        if not event.accesses:
            return event
        accesses = [self._access(access) for access in event.accesses]
        changed = any(new is not old for new, old in zip(accesses, event.accesses, strict=True))
        return structs.replace(event, accesses=accesses) if changed else event

    def _access(self, access: Access) -> Access:
        path = _path_of(access, self._home)
        if path is None:
            return access
        shown = self._lines.take(path.lower(), access)
        if access.kind not in _SHOWN:
            return access
        file = self._tree.file(path)
        if file.state in ("none", "absent"):
            return access
        if access.file not in self.files:
            known = file.state == "known"
            self.files[access.file] = FunctionFile(
                file=access.file,
                functions=sum(not span.is_class for span in file.spans) if known else None,
                reason=UNSET if known else WHY_UNKNOWN[file.state],
            )
        if shown is None or file.state != "known":
            return access
        functions = [PlacedFunction(path, span) for span in met(file.spans, shown.runs)]
        return (
            structs.replace(access, functions=self._listed.all(functions)) if functions else access
        )


def _path_of(access: Access, home: str | None) -> str | None:
    """The path of a file in the task's repository; None if it lies elsewhere.

    A relevant file is where the truth says; the spelling of other files is their path.
    """
    if access.repo is not UNSET and home is not None and access.repo != home:
        return None
    name = access.file
    for stated in (access.ground_truth_file, access.expected_edit_file):
        if stated is not UNSET:
            name = stated
    name = name.rpartition("::")[2]
    return None if not name or name.startswith(OUTSIDE) else name


def _relevant(tree: BaseTree, truth: GroundTruth) -> ChangedFunctions:
    """The functions that the task's lines meet, or that its gold patch changes."""
    if truth.chunks:
        found = _met_by(tree, truth.chunks)
    elif truth.hunks:
        found = functions_changed(tree, truth.hunks)
    else:
        return ChangedFunctions(reason="no_gold_lines")
    return found


def _met_by(tree: BaseTree, chunks: Iterable[TruthChunk]) -> ChangedFunctions:
    runs: dict[str, list[LineRun]] = {}
    for chunk in chunks:
        runs.setdefault(chunk.file, []).append((chunk.line_start, chunk.line_end))
    functions: list[PlacedFunction] = []
    for path, lines in runs.items():
        file = tree.file(path)
        if file.state in WHY_UNKNOWN:
            return ChangedFunctions((), WHY_UNKNOWN[file.state])
        functions += [PlacedFunction(path, span) for span in met(file.spans, lines)]
    return ChangedFunctions(tuple(functions))


def _symbols(tree: BaseTree, truth: GroundTruth) -> Iterator[FunctionLines]:
    """The symbols of the truth that are functions or classes of their files."""
    for symbol in truth.symbols:
        name = _GO_RECEIVER.sub(r"\1", symbol.symbol).partition("(")[0]
        name = name.replace("::", ".").replace("#", ".")
        spans = tree.file(symbol.file).spans
        same = [span for span in spans if span.name == name]
        ending = [span for span in spans if span.name.endswith(f".{name}")]
        if same or all(span.last <= ending[0].last for span in ending):
            # A class holds its constructor of the same name. A name that two classes have says neither.
            for span in (same or ending)[:1]:
                yield _lines_of(PlacedFunction(symbol.file, span))
