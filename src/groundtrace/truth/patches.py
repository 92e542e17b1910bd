"""Which files a patch touches, and how.

Only names and line numbers are needed. So headers are read and the lines of hunks are counted, but
the patch is not built. A patch that was cut off in the middle of a hunk still gives its files, and
a removed line `-- a/x` inside a hunk is not mistaken for the header `--- a/x`.
"""

from __future__ import annotations

import re
from typing import Literal

import msgspec
from msgspec.structs import replace

from groundtrace.base.frozen import Frozen
from groundtrace.base.patterns import regex
from groundtrace.base.quoted_names import unquote
from groundtrace.model import PatchHunk

Status = Literal["added", "deleted", "modified", "renamed", "copied"]

NOTHING = "/dev/null"

_HUNK = regex(r"@@ -(\d+)(?:,(\d+))? \+\d+(?:,(\d+))? @@")
_LINK = regex(r"(?:(?:new|deleted) file mode|old mode|new mode) 160000$|index .* 160000$")
_INDEX = regex(r"index ([a-f0-9]+)\.\.[a-f0-9]+")
_BINARY = regex(r"\ABinary files (.+) and .+ differ")
_EPOCH = regex(r"\t(?:1970-01-01|1969-12-31) ")


class PatchedFile(msgspec.Struct, frozen=True):
    """One file of a patch."""

    path: str
    """Its name after the patch; the name before the patch if the patch deletes it."""
    status: Status
    old_path: str | None = None
    """Its name before the patch, if it was renamed or copied."""


class ChangedLines(msgspec.Struct, frozen=True):
    """Lines of a file that a patch changes, with their numbers before the patch."""

    path: str
    """The file's name before the patch."""
    first: int
    last: int


class PatchResult(msgspec.Struct, frozen=True):
    """The files of a patch and what was wrong with it."""

    files: tuple[PatchedFile, ...]
    faults: tuple[str, ...]
    changed: tuple[ChangedLines, ...] = ()
    """Each run of removed lines; for an insertion without removals, the lines around it (D55)."""
    old_names: tuple[str, ...] = ()
    """Distinct names before the patch, as SWE-PolyBench reads them (`_old_name`)."""
    hunks: tuple[PatchHunk, ...] = ()
    """The hunks of files that existed before, under their old names."""


def evidence(files: tuple[PatchedFile, ...]) -> list[str]:
    """Files that could be retrieved: those that existed before, with their old names (D53)."""
    return [
        file.old_path if file.status == "renamed" and file.old_path is not None else file.path
        for file in files
        if file.status not in ("added", "copied")
    ]


def edits(files: tuple[PatchedFile, ...]) -> list[str]:
    """Files that the patch writes, with new files; a renamed file with both names (D53)."""
    return [name for file in files for name in _names(file)]


def created(files: tuple[PatchedFile, ...]) -> list[str]:
    """Names that did not exist before the patch, so nobody could have looked at them."""
    return [file.path for file in files if file.status in ("added", "copied", "renamed")]


def _names(file: PatchedFile) -> list[str]:
    if file.status == "renamed" and file.old_path is not None:
        return [file.old_path, file.path]
    return [file.path]


def looks_like_patch(text: str) -> bool:
    """Whether a text has the header of a patch."""
    return re.search(r"^(?:diff --git |--- .*\n\+\+\+ )", text, re.MULTILINE) is not None


class Hunk(Frozen, frozen=True):
    """What one hunk changes, in line numbers of the old file."""

    removed: tuple[tuple[int, int], ...]
    """Runs of removed lines."""
    inserted: tuple[int, ...]
    """For each insertion without removals, the number of the next old line, which may not exist."""
    last: int
    """Last old line that the hunk shows; 0 if it shows none."""
    first: int = 1
    """First old line that it shows."""
    old: tuple[str, ...] = ()
    """The old lines that it shows."""


class _Section(Frozen, frozen=True):
    """Headers of one file, as written."""

    line: int
    git: str | None = None
    """The text after `diff --git `."""
    old: str | None = None
    new: str | None = None
    created: bool = False
    deleted: bool = False
    moved_from: str | None = None
    moved_to: str | None = None
    copied: bool = False
    is_submodule: bool = False
    index: str | None = None
    """The old side of the line `index 1a2b3c4..5d6e7f8`."""
    binary: str | None = None
    """The old side of the line `Binary files … and … differ`."""
    has_hunk: bool = False
    hunks: tuple[Hunk, ...] = ()


_FLAGS: tuple[tuple[str, str], ...] = (
    ("new file mode ", "created"),
    ("deleted file mode ", "deleted"),
)
_NAMED = ((_INDEX, "index"), (_BINARY, "binary"))
_MOVES: tuple[tuple[str, str, bool], ...] = (
    ("rename from ", "moved_from", False),
    ("rename to ", "moved_to", False),
    ("copy from ", "moved_from", True),
    ("copy to ", "moved_to", True),
)


def read_patch(text: str) -> PatchResult:
    """The files of a patch: git's or a plain one, whole or cut off."""
    if text.count("\n") > MAX_LINES:
        return PatchResult((), (f"more than {MAX_LINES:,} lines; none of them is used",))
    sections, faults = _sections(text)
    if len(sections) > MAX_FILES:
        return PatchResult((), (f"more than {MAX_FILES:,} files; none of them is used",))
    found: dict[PatchedFile, None] = {}
    changed: dict[ChangedLines, None] = {}
    hunks: list[PatchHunk] = []
    olds: dict[str, None] = {}
    for section in sections:
        if section.is_submodule:
            continue  # a link to a commit (a submodule) is not a file (D5)
        file = _patched(section)
        if file is None:
            faults.append(f"line {section.line}: a header that names no file")
        else:
            found.setdefault(file)
            olds.setdefault(_old_name(section, file))
            if file.status not in ("added", "copied"):
                old = file.old_path or file.path
                changed.update(dict.fromkeys(_changed(old, section.hunks)))
                hunks += [
                    PatchHunk(old, hunk.removed, hunk.inserted, hunk.first, hunk.old)
                    for hunk in section.hunks
                ]
    if not sections:
        faults.append("no header of a patch in it")
    return PatchResult(tuple(found), tuple(faults), tuple(changed), tuple(olds), tuple(hunks))


_NO_FILE = "0000000"


def _old_name(section: _Section, file: PatchedFile) -> str:
    """The name of a file before the patch, as the published program of SWE-PolyBench reads it (D232).

    A created file is `/dev/null` if its header says so and has an `index` line. Without that line,
    which data sets drop from gold patches, it keeps its own name; so does a created empty file, which
    has no `---` line, unless its index is exactly seven zeros.
    """
    own = file.old_path or file.path
    if section.index is None:
        return own if section.git is not None or section.old != NOTHING else NOTHING
    for stated in (section.old, section.binary):
        if stated is not None:
            return NOTHING if stated == NOTHING else own
    return NOTHING if section.index == _NO_FILE else own


def _changed(path: str, hunks: tuple[Hunk, ...]) -> list[ChangedLines]:
    """The lines that the hunks of a file change, in order.

    The line after an insertion counts only if some hunk shows that the file continues there.
    """
    end = max((hunk.last for hunk in hunks), default=0)
    runs = [run for hunk in hunks for run in hunk.removed]
    for following in (line for hunk in hunks for line in hunk.inserted):
        first, last = max(1, following - 1), min(following, end)
        if first <= last:
            runs.append((first, last))
    return [ChangedLines(path, first, last) for first, last in sorted(runs)]


def _sections(text: str) -> tuple[list[_Section], list[str]]:
    # Not splitlines: content may hold form feeds and other characters that do not end a line here.
    lines = text.split("\n")
    sections: list[_Section] = []
    hunks: list[list[Hunk]] = []
    faults: list[str] = []
    open_section = False
    number = 0
    while number < len(lines) and len(sections) <= MAX_FILES:
        line = lines[number].rstrip("\r")
        number += 1
        if line.startswith("diff --git "):
            sections.append(_Section(number, git=line[len("diff --git ") :]))
            hunks.append([])
            open_section = True
        elif line.startswith("--- ") and number < len(lines) and lines[number].startswith("+++ "):
            if not open_section:
                sections.append(_Section(number))
                hunks.append([])
            sections[-1] = _named(sections[-1], line[4:], lines[number][4:].rstrip("\r"))
            number += 1
            open_section = False
        elif hunk := _HUNK.match(line):
            number, whole, content = _read_hunk(lines, number, hunk)
            open_section = False
            if sections:
                hunks[-1].append(content)
            if not whole:
                faults.append(f"line {number}: the patch is cut off inside a hunk")
        elif open_section:
            sections[-1] = _extended(sections[-1], line)
    made = [
        replace(section, has_hunk=True, hunks=tuple(found)) if found else section
        for section, found in zip(sections, hunks, strict=True)
    ]
    return made, faults


MAX_FILES = 250_000
"""Most files in one patch; nobody makes a change with more."""
MAX_LINES = 2_000_000
"""Most lines of one patch: nine million in one cell of a data set took 800 MB."""


MAX_LINE = 2**31
"""A larger line number means that the patch is damaged."""


def _read_hunk(lines: list[str], number: int, header: re.Match[str]) -> tuple[int, bool, Hunk]:
    """The line after a hunk, whether the hunk is complete, and what it changes."""
    start, old, new = (1 if count is None else int(count[:12]) for count in header.groups())
    # `-5,0` is an insertion after line 5; any other hunk begins with the line that it names.
    at = start + 1 if old == 0 else start
    removed: list[tuple[int, int]] = []
    inserted: list[int] = []
    run = at
    """First old line of the current change."""
    is_change = whole = False
    last = start if old == 0 else 0
    first, text = at, list[str]()

    def end_change() -> None:
        if is_change and at <= MAX_LINE:
            if at > run:
                removed.append((run, at - 1))
            else:
                inserted.append(at)

    while True:
        if old <= 0 and new <= 0:
            # A remark about a missing newline at the end belongs to the hunk and changes nothing.
            whole = True
            break
        mark = lines[number].rstrip("\r")[:1] if number < len(lines) else None
        if mark not in ("", " ", "-", "+", "\\"):
            break
        if mark in ("", " "):
            end_change()
            is_change = False
        elif mark in ("-", "+") and not is_change:
            is_change, run = True, at
        if mark in ("", " ", "-"):
            text.append(lines[number][1:])
            last, at, old = at, at + 1, old - 1
        new -= mark in ("", " ", "+")
        number += 1
    end_change()
    last = min(last, MAX_LINE)
    return number, whole, Hunk(tuple(removed), tuple(inserted), last, first, tuple(text))


def _named(section: _Section, old: str, new: str) -> _Section:
    created = section.created or _EPOCH.search(old) is not None
    deleted = section.deleted or _EPOCH.search(new) is not None
    return replace(section, old=_name(old), new=_name(new), created=created, deleted=deleted)


def _extended(section: _Section, line: str) -> _Section:
    if _LINK.match(line):
        return replace(section, is_submodule=True)
    for start, field in _FLAGS:
        if line.startswith(start):
            return replace(section, **{field: True})
    for pattern, field in _NAMED:
        if found := pattern.match(line):
            return replace(section, **{field: found[1]})
    for start, field, copied in _MOVES:
        if line.startswith(start):
            moved = {field: _name(line[len(start) :])}
            return replace(section, copied=section.copied or copied, **moved)
    return section


def _name(text: str) -> str:
    """A name from a header, without time stamp and quotes."""
    if text.startswith('"'):
        end = _closing_quote(text)
        return unquote(text[1:end])
    return text.split("\t", 1)[0].rstrip("\r")


def _closing_quote(text: str) -> int:
    match = re.match(r'"(?:[^"\\]|\\.)*', text)
    return match.end() if match else len(text)


def _patched(section: _Section) -> PatchedFile | None:
    if section.moved_from and section.moved_to:
        return _moved(section, section.moved_from, section.moved_to)
    old, new = section.old or "", section.new or ""
    path = _git_name(section.git) if section.git is not None else None
    # A `+++` line without a hunk is where a patch was cut off: the name may be cut too.
    if path is None and section.has_hunk:
        path = _plain_name(old, new)
    if not path:
        return None
    status: Status = "modified"
    if section.created or old == NOTHING:
        status = "added"
    elif section.deleted or new == NOTHING:
        status = "deleted"
    return PatchedFile(path, status)


def _moved(section: _Section, old: str, new: str) -> PatchedFile | None:
    git = section.git or ""
    if not git.endswith((new, '"')):
        return None  # cut off inside the new name
    return PatchedFile(new, "copied" if section.copied else "renamed", old)


def _git_name(text: str) -> str | None:
    """The name in `diff --git a/NAME b/NAME`; None when the two differ or were cut off.

    Without quotes, only the equal length of both names shows where the first one ends.
    """
    if text.startswith('"'):
        end = _closing_quote(text)
        left, right = unquote(text[1:end]), _name(text[end + 1 :].lstrip(" "))
    else:
        middle = len(text) // 2
        left, right = text[:middle], text[middle + 1 :]
        if text[middle : middle + 1] != " ":
            return None
    return _common(left, right)


def _common(old: str, new: str) -> str | None:
    """The name that both sides share, without a first part that differs (`a/`, `b/`)."""
    if old == new:
        return old
    tail = old.partition("/")[2]
    return tail if tail and tail == new.partition("/")[2] else None


def _plain_name(old: str, new: str) -> str:
    """The name in the `---` and `+++` lines: the new one, else the old one (D13)."""
    if old == NOTHING:
        return new.removeprefix("b/") if new != NOTHING else ""
    if new == NOTHING:
        return old.removeprefix("a/")
    has_prefixes = old.startswith("a/") and new.startswith("b/")
    return _common(old, new) or (new[2:] if has_prefixes else new)
