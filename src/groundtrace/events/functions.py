"""Functions that a trial was shown, that it edited, and that it should have found (D216).

The repository's files at the base commit say where functions are. Which lines calls showed is known
as in `documents.line_map`: with the numbers that they had before the agent's own edits.

What a patch changes: a removed line belongs to the innermost function that holds it, an insertion to
the innermost function that holds both lines around it. Class bodies, module level and functions that
the patch creates give none.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import msgspec
from msgspec import UNSET, UnsetType, structs
from msgspec.structs import replace

from groundtrace.base.jsonio import clean_text
from groundtrace.base.patterns import regex
from groundtrace.base.recent import Recent
from groundtrace.documents.events import Access, Event
from groundtrace.documents.functions import FunctionFile, FunctionLines, Functions
from groundtrace.documents.line_map import LineRun, OriginalLines
from groundtrace.events.base_lines import BaseText
from groundtrace.events.same_text import WholeText
from groundtrace.functions.repositories import BaseTree, OpenedTree
from groundtrace.functions.spans import Nested, Span, met
from groundtrace.model import GroundTruth, PatchHunk, Problem, TruthChunk

WHY_UNKNOWN = {"missing": "file_absent", "no_grammar": "no_grammar"}
"""State of a file to the reason why its functions are not known."""


class PlacedFunction(NamedTuple):
    """A function and its file."""

    file: str
    """From the top of the repository."""
    span: Span


class ChangedFunctions(NamedTuple):
    """The functions that a patch changes, or why they are not known."""

    functions: tuple[PlacedFunction, ...] = ()
    reason: str | None = None


def functions_changed(tree: BaseTree, hunks: Iterable[PatchHunk]) -> ChangedFunctions:
    """The functions that the hunks of a patch change, in the order of the patch."""
    by_file: dict[str, list[PatchHunk]] = {}
    for hunk in hunks:
        by_file.setdefault(hunk.path, []).append(hunk)
    found: dict[PlacedFunction, None] = {}
    reason: str | None = None
    for path, of_file in by_file.items():
        file = tree.file(path)
        if file.state == "none":
            continue
        if file.state != "known":
            reason = reason or WHY_UNKNOWN.get(file.state, "patch_does_not_fit")
        elif (placed := _placed(of_file, tree.text(file).split(b"\n"))) is None:
            reason = reason or "patch_does_not_fit"
        else:
            nested = Nested(file.spans)
            for hunk in placed:
                found.update((PlacedFunction(path, span), None) for span in _changed(hunk, nested))
    return ChangedFunctions(() if reason else tuple(found), reason)


def _changed(hunk: PatchHunk, nested: Nested) -> list[Span]:
    lines = [
        *((line, line) for first, last in hunk.removed for line in range(first, last + 1)),
        *((following - 1, following) for following in hunk.inserted),
    ]
    held = [nested.innermost(first, last) for first, last in sorted(lines)]
    return [span for span in held if span is not None]


def _placed(hunks: Sequence[PatchHunk], lines: Sequence[bytes]) -> list[PatchHunk] | None:
    """The hunks where git would apply them; None if it would not.

    Patches of data sets were made from other commits now and then: `git apply` takes a hunk to the
    nearest place that has its old lines, so the program that judges the patch does.
    """
    if all(_fits(hunk, lines) for hunk in hunks):
        return list(hunks)
    texts = [_plain(line) for line in lines]
    found: list[PatchHunk] = []
    taken: list[range] = []
    for hunk in hunks:
        old = [line.rstrip() for line in hunk.old]
        for at in _places(hunk, texts):
            here = range(at, at + len(old))
            if all(map(_same, old, texts[at - 1 : here.stop - 1])) and all(
                here.stop <= one.start or one.stop <= here.start for one in taken
            ):
                break
        else:
            return None
        taken.append(here)
        found.append(_moved(hunk, at - hunk.first))
    return found


def _fits(hunk: PatchHunk, lines: Sequence[bytes]) -> bool:
    """Whether the file has the old lines of a hunk where the patch says."""
    here = lines[hunk.first - 1 : hunk.first - 1 + len(hunk.old)] if hunk.first else []
    return len(here) == len(hunk.old) and all(
        _same(old.rstrip(), _plain(line)) for old, line in zip(hunk.old, here, strict=True)
    )


def _places(hunk: PatchHunk, texts: Sequence[str]) -> Iterator[int]:
    """Lines at which a hunk may begin: the stated one, then others, near ones first.

    A hunk without a line behind its change belongs to the end of the file, one that begins with the
    first line to its beginning, as git has it.
    """
    last = len(texts) - len(hunk.old) + 1
    if 1 <= hunk.first <= last:
        yield hunk.first
    changed = [*(one for run in hunk.removed for one in run), *(n - 1 for n in hunk.inserted)]
    if hunk.first <= 1:
        return
    if max(changed, default=0) >= hunk.first + len(hunk.old) - 1:
        yield last - (texts[-1:] == [""])
        return
    for distance in range(1, max(hunk.first, last)):
        for at in (hunk.first + distance, hunk.first - distance):
            if 1 <= at <= last:
                yield at


def _moved(hunk: PatchHunk, by: int) -> PatchHunk:
    if not by:
        return hunk
    return replace(
        hunk,
        removed=tuple((first + by, last + by) for first, last in hunk.removed),
        inserted=tuple(following + by for following in hunk.inserted),
        first=hunk.first + by,
    )


def _plain(line: bytes) -> str:
    return clean_text(line.decode("utf-8", errors="replace")).rstrip()


def _same(stated: str, text: str) -> bool:
    """Programs that store patches drop blanks at ends of lines and replace what is not UTF-8."""
    return stated == text or "\ufffd" in stated or "\ufffd" in text


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
