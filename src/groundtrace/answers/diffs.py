"""Files and lines in diffs: git's text, and the `files` with hunks of structured comparisons.

The lines of a file are the lines of its hunks on the new side, as far as they are shown. A hunk
that only removes has lines only on the old side.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import msgspec

from groundtrace.answers.cuts import Cut, Half
from groundtrace.answers.fold import Run
from groundtrace.answers.line import Shown
from groundtrace.base.patterns import regex
from groundtrace.base.quoted_names import unquote, without_quotes
from groundtrace.base.values import as_items, as_mapping, text_or_empty, whole_name, whole_number
from groundtrace.model import AccessKind

HUNK = regex(
    r"@@ -(?P<old>\d{1,9})(?:,(?P<olds>\d{1,9}))? \+(?P<new>\d{1,9})(?:,(?P<news>\d{1,9}))? @@"
)
_FILE = regex(r"(?P<side>---|\+\+\+) (?P<path>[^\t\n]+?)(?:\t.*)?")
_SIDE = regex(r"[abciow]/")
"""The letter before a name; it says what is compared: commit, index, working tree."""
_BLANKS_CUT = 2
"""How many blank lines a harness may have cut off the end of the last hunk."""
MAX_HEADING = 8192
"""No two paths are longer."""
_NEW = ("newPath", "newFile", "path", "file", "filename", "name", "newName")
_OLD = ("oldPath", "oldFile", "previous_filename", "oldName")
_LISTS = ("files", "fileDiffs", "diffs", "results", "nodes", "changes", "commits")


class Hunk(msgspec.Struct):
    """A place of a file that a diff shows."""

    lines: Run
    """Lines of the new side; of the old side where the hunk only removes."""
    old: Run
    """The same on the old side; the last line is before the first where it has none."""
    text: list[str]
    """Its lines, with their signs."""

    @property
    def chars(self) -> int:
        """The characters that show the file."""
        return sum(len(line) + 1 for line in self.text if line[:1] != "\\")


class Change(msgspec.Struct):
    """What a diff shows of one file."""

    name: str
    """The file's name on the new side; on the old side if it is gone."""
    old_name: str = ""
    """Its old name, if it was renamed."""
    spelled: str = ""
    """Its name as the diff prints it, with `a/` or `b/`."""
    hunks: list[Hunk] = msgspec.field(default_factory=list)
    loose: int = 0
    """Characters of lines outside of hunks, as after `grep '^[+-]'`."""


class _Side(msgspec.Struct):
    """One side of a hunk: where it begins, how long it is, how much of it was shown."""

    start: int
    size: int
    shown: int = 0

    def span(self, whole: bool) -> Run | None:
        shown = min(self.size, self.shown)  # `--color-words` does not tell the sides apart
        count = self.size if whole and self.size - shown <= _BLANKS_CUT else shown
        return (self.start, self.start + count - 1) if count else None


_WHOLE_LINE = regex(r"(?:\[-(?:(?!-\]).)*-\]|\{\+(?:(?!\+\}).)*\+\})$")


def _word_mark(line: str) -> str:
    """The sign that a line of `git diff --word-diff` would have: that of a line which is new or gone."""
    if not _WHOLE_LINE.match(line):
        return " "
    return "-" if line[0] == "[" else "+"


class _Reading:
    """How far a diff was read."""

    def __init__(self, by_git: bool, words: bool = False) -> None:
        self.by_git = by_git
        self.words = words
        self.changes: dict[str, Change] = {}
        self.change: Change | None = None
        self.sides: tuple[_Side, _Side] | None = None
        self.text: list[str] = []
        self.before = ""

    def begin(self, change: Change) -> None:
        """Begin another file."""
        self.close()
        self.change = self.changes.setdefault(change.name, change)

    def hunk(self, found: re.Match[str]) -> None:
        """Begin another hunk."""
        self.close()
        old = _Side(int(found["old"]), int(found["olds"] or 1))
        self.sides = old, _Side(int(found["new"]), int(found["news"] or 1))
        self.text = []

    def line(self, line: str) -> bool:
        """Whether a line belongs to the current hunk."""
        if self.sides is None:
            return False
        old, new = self.sides
        mark = _word_mark(line) if self.words else line[:1]
        if old.shown >= old.size and new.shown >= new.size:
            return mark == "\\"
        if mark in (" ", "", "-"):
            old.shown += 1
        if mark in (" ", "", "+"):
            new.shown += 1
        if mark not in (" ", "", "-", "+", "\\"):
            return False
        self.text.append(line)
        return True

    def close(self, whole: bool = False) -> None:
        """End the hunk; `whole`: blank lines may have been cut off its end."""
        if self.change is not None and self.sides is not None:
            old, new = self.sides
            lines = (new if new.size else old).span(whole)
            if lines is not None:
                # An insertion names the line above it: `@@ -7,0 +8,2 @@`.
                before = old.span(whole) or (old.start + 1, old.start)
                self.change.hunks.append(Hunk(lines, before, self.text))
            elif old.shown:
                self.change.loose += sum(map(len, self.text)) + len(self.text)
        self.sides = None

    def file(self, side: str, name: str) -> None:
        """`--- name` and `+++ name`, which follow `diff --git` or stand alone."""
        self.close()
        name = without_quotes(name.strip())
        if side == "---":
            self.before = name
            return
        name = self.before if name == "/dev/null" else name
        if not name or name == "/dev/null":
            return
        prefixed = _SIDE.match(name) is not None
        bare = name[2:] if prefixed else name
        if self.change is not None and self.change.name in (name, bare):
            self.change.spelled = name  # of a file that is gone, the name on the old side
        elif prefixed or not self.by_git:
            self.begin(Change(bare, spelled=name))


def changes(
    lines: Iterable[str],
    *,
    whole: bool = False,
    by_git: bool = False,
    words: bool = False,
    beside: Callable[[str], bool] | None = None,
) -> list[Change]:
    """The files of a unified diff, in order.

    `whole`: blank lines may have been cut off its end. `by_git`: names have a letter in front, or
    stand on a line of their own: an added line `++ x` is no heading. `words`: signs are within lines. `beside` sees lines outside of hunks first,
    and says whether it took them: rows of a summary.
    """
    reading = _Reading(by_git, words)
    for line in lines:
        if isinstance(line, Cut):
            reading.close()
            reading.change = None
        elif not reading.line(line) and not (isinstance(line, Half) and not line.ends):
            _outside(line, reading, beside)
    reading.close(whole)
    return list(reading.changes.values())


def _outside(line: str, reading: _Reading, beside: Callable[[str], bool] | None) -> None:
    """A line outside of hunks: a heading, a row of the summary, or what a filter left."""
    found = HUNK.match(line)
    if found is not None:
        reading.hunk(found)
        return
    if line.startswith("diff --git "):
        change = _git_heading(line)
        if change is not None:
            reading.before = ""
            reading.begin(change)
        return
    if line.startswith(("--- ", "+++ ")) and len(line) <= MAX_HEADING:
        file = _FILE.fullmatch(line)
        if file is not None:
            reading.file(file["side"], file["path"])
        return
    if beside is not None and beside(line):
        return
    if reading.change is not None and line[:1] in ("+", "-"):
        reading.change.loose += len(line) + 1


def _git_heading(line: str) -> Change | None:
    """The names in a line that begins a file."""
    if len(line) > MAX_HEADING:
        return None
    both = line[len("diff --git ") :]
    middle = len(both) // 2
    left, right = without_quotes(both[:middle]), without_quotes(both[middle + 1 :])
    if both[middle : middle + 1] == " " and left == right:
        return Change(left, spelled=left)  # `--no-prefix`: both sides are only the name
    if both[middle : middle + 1] == " " and left[1:] == right[1:] and _SIDE.match(right):
        return Change(right[2:], spelled=right)
    # A renamed file: the two sides differ.
    for mark in (' "b/', " b/", " w/", " i/", " c/", " o/"):
        at = both.rfind(mark)
        if at > 0:
            name = both[at + len(mark) :]
            old = without_quotes(both[:at])
            old = old[2:] if _SIDE.match(old) else ""
            name = unquote(name.removesuffix('"')) if '"' in mark else name
            return Change(name, old, mark.strip(' "') + name)
    return None


def in_text(text: str, repo: str | None, kind: AccessKind = "read") -> Iterator[Shown]:
    """What a diff shows, for callers that do not know which folder its names are in."""
    for change in changes(text.rstrip("\n").split("\n"), whole=True):
        path = change.spelled
        yield Shown(path, "surfaced", repo=repo, from_diff=True)
        if change.old_name and change.old_name != change.name:
            yield Shown(f"a/{change.old_name}", "surfaced", repo=repo, from_diff=True)
        for hunk in change.hunks:
            yield Shown(path, kind, *hunk.lines, hunk.chars, repo, from_diff=True)


def side_runs(lines: Iterable[str], sign: str) -> Iterator[Run]:
    """First and last line of each run of the side with this sign (`-`: old, `+`: new).

    Of a hunk that a cut goes through, the lines in front of it count from the hunk's first and
    those behind it from its last, if no other hunk comes in between.
    """
    start = size = 0
    pieces: list[int] = [0]
    for line in [*lines, "@@ -0,0 +0,0 @@"]:
        found = HUNK.match(line)
        if found is not None:
            yield from _runs(start, size, pieces)
            names = ("old", "olds") if sign == "-" else ("new", "news")
            start, size = int(found[names[0]]), int(found[names[1]] or 1)
            pieces = [0]
        elif isinstance(line, Cut):
            pieces.append(0)
        elif isinstance(line, Half) and not line.ends:
            continue  # the end of a line that the cut went through: its sign is gone
        elif line[:1] in (" ", "", sign):
            pieces[-1] += 1


def _runs(start: int, size: int, pieces: Sequence[int]) -> Iterator[Run]:
    head, *rest = pieces
    if head and size:
        yield start, start + min(head, size) - 1
    if len(rest) == 1 and rest[0] and head + rest[0] <= size:
        yield start + size - rest[0], start + size - 1


def in_objects(
    value: Any, repo: str | None, kind: AccessKind = "read", depth: int = 6
) -> Iterator[Shown]:
    """The files of a structured comparison, in any list that holds them."""
    if depth <= 0:
        return
    if isinstance(value, str):
        yield from in_text(value, repo, kind)
        return
    if isinstance(value, (list, tuple)):
        for item in value:
            yield from in_objects(item, repo, kind, depth - 1)
        return
    data = as_mapping(value)
    repo = text_or_empty(data.get("repository")) or text_or_empty(data.get("repo")) or repo
    new = next((name for key in _NEW if (name := _name(data.get(key)))), "")
    old = next((name for key in _OLD if (name := _name(data.get(key)))), "")
    if (new or old) and any(key in data for key in ("hunks", "patch", "added", "status", *_OLD)):
        yield from _file(data, new or old, repo, kind)
        if old and new and old != new:
            yield Shown(old, "surfaced", repo=repo)
        return
    for key in _LISTS:
        if isinstance(data.get(key), (list, tuple)):
            yield from in_objects(data[key], repo, kind, depth - 1)
    for key in ("diff", "text", "content", "patch"):
        if isinstance(data.get(key), str):
            yield from in_text(data[key], repo, kind)


def _file(
    data: Mapping[str, Any], path: str, repo: str | None, kind: AccessKind
) -> Iterator[Shown]:
    """One file with its hunks."""
    yield Shown(path, "surfaced", repo=repo)
    for hunk in as_items(data.get("hunks")):
        added = as_mapping(as_mapping(hunk).get("newRange"))
        start = whole_number(added.get("startLine"))
        count = max(whole_number(added.get("lines")) or 1, 1)
        body = text_or_empty(as_mapping(hunk).get("body"))
        chars = len(body) or None
        if start is not None and start >= 1:
            yield Shown(path, kind, start, start + count - 1, chars, repo)
        elif body:
            yield Shown(path, kind, chars=chars, repo=repo)
    for match in HUNK.finditer(text_or_empty(data.get("patch"))):
        side = "old" if match["new"] == match["news"] == "0" else "new"
        start, count = max(int(match[side]), 1), max(int(match[f"{side}s"] or 1), 1)
        yield Shown(path, kind, start, start + count - 1, repo=repo)


def _name(value: Any) -> str:
    if isinstance(value, Mapping):
        value = value.get("path") or value.get("name")
    name = whole_name(value)
    return "" if name == "/dev/null" else name


# --- lines of diff, cmp and patches ----------------------------------------------------------------

PATCH_LINE_START = regex(
    r"(?:[-+ @\\]|diff --git|index |new file|deleted file|similarity|rename |$)"
)
"""Every line of a patch begins so."""
SENTENCE = regex(
    r"(?:Binary files|Files) (?P<pair>.+) (?:differ|are identical)$"
    r"|Only in (?P<folder>.+?): (?P<name>.+)$"
    r"|(?P<bytes>.+) differ: (?:byte|char) \d+"
)
"""Lines that name files and show nothing of them."""
PAIR_ABOVE = regex(r'diff (?:.* )?(?P<left>"[^"]+"|[^\s"]+) (?P<right>"[^"]+"|[^\s"]+)$')
"""The line above the differences of two files, if whole folders are compared: the options with
their values (`-x '*.md'`), and the two names, in quotes if they hold blanks."""
ABSENT = regex(r"(?:---|\+\+\+|\*\*\*) (?P<name>.+)\t(?:1970-01-01|Thu Jan +1) ")
"""For a file that is missing, `-N` prints the start of Unix time as its date."""
OTHER_LINE = regex(r"[-+<> @\\!*]|\d+(?:,\d+)?[acd]\d|Common subdirectories: |$")
"""Other lines that the programs print."""
DIFFERENCE = regex(r"[-+<>] |\d+(?:,\d+)?[acd]\d|@@ ")
