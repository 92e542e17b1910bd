"""What a gold patch and a test patch say, from any place: a file, a column, a script."""

from __future__ import annotations

from bisect import bisect_left

from groundtrace.base.frozen import Frozen
from groundtrace.base.patterns import regex
from groundtrace.model import PatchHunk, TruthChunk
from groundtrace.truth.entries import Notes, collect, truth_file
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
