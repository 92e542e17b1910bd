"""What `ls` and `tree` print, and which of the names are files (D5)."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Callable, Iterable, Sequence
from typing import ClassVar

from msgspec.structs import replace

from groundtrace.answers.cuts import from_headings, is_cut, whole
from groundtrace.answers.file_names import looks_like_folder
from groundtrace.answers.listed import BRANCH, LONG, TOTAL, in_columns, long_row, tree_entries
from groundtrace.base.patterns import regex
from groundtrace.model import FileRef
from groundtrace.shell.streams.file_names import is_file_name, join, path_of
from groundtrace.shell.streams.name_lists import WHOLE_OR_LAST, NameLines, Names
from groundtrace.shell.streams.part import Part
from groundtrace.shell.streams.word import Word
from groundtrace.shell.syntax.holes import has_hole
from groundtrace.shell.weights import (
    BELOW_PATTERN,
    FULL_LISTING,
    LISTED_NAME,
    LISTED_OPERAND,
    LISTING_MAYBE_SILENT,
    LISTING_SECTION,
    LISTING_SILENT,
    ORDER_BREAKS,
    ORDER_GOES_ON,
    PLAIN,
    QUIET_LISTING_SPEAKS,
    TELLING,
    UNLIKELY,
)

_BARE_NAME = regex(r"[^\s/:;(){}<>=\"'`|&*][^/:;(){}<>=\"`|&*]{0,200}$")


class Listing(NameLines, kw_only=True, frozen=True):
    """What `ls` prints: names in a directory, in sections if there are several directories."""

    operands: tuple[Word, ...] = ()
    long: bool = False
    recursive: bool = False
    marks: bool = False
    """Names have a mark for their type (-F, -p)."""
    itself: bool = False
    """The operands themselves are listed, not their contents (-d)."""
    sorted: bool = True
    loose: bool = False
    """A filter removed columns or lines."""

    tells_success: ClassVar[bool] = True
    tells_failure: ClassVar[bool] = True
    complains: ClassVar[bool] = True

    @property
    def strict(self) -> bool:
        return self.long

    @property
    def prefers_later_start(self) -> bool:
        """If the names of `ls a; ls b` are in one order, b gets as few of them as possible.

        Nothing shows where b begins, but it has at least the last name.
        """
        return True

    def score(self, line: str) -> float:
        if self.long and not self.loose:
            row = long_row(line)
            if row is not None and not self._possible(row.name):
                return UNLIKELY
            return TELLING if row is not None or TOTAL.match(line) else self._other(line)
        return self.scorer()(line)

    def scorer(self) -> Callable[[str], float]:
        if self.long and not self.loose:
            return self.score
        bare = self._bare_weight()

        def score(line: str) -> float:
            if self.loose and (not line or line.isdecimal()):
                return LISTING_SECTION  # what is left of `total 16`
            if "  " in line or "\t" in line:
                return min(self._fit(name, bare) for name in in_columns(line))
            return self._fit(line, bare)

        return score

    def _fit(self, name: str, bare: float | None) -> float:
        if self.operands and self._given(name):
            return LISTED_OPERAND
        if bare is not None and _BARE_NAME.match(name):
            return bare
        return self._other(name)

    def _bare_weight(self) -> float | None:
        """The weight of a word that can be a name; None if only operands can be listed."""
        if self._only_given():
            return None
        return BELOW_PATTERN if any(word.glob for word in self.operands) else LISTED_NAME

    def _possible(self, name: str) -> bool:
        """Whether a row of `ls -l` can have this name; for a link the target follows the name."""
        name = name.split(" -> ")[0]
        if self._given(name) or (self._open() and "/" in name):
            return True
        return not self._only_given() and "/" not in name.rstrip("/")

    def _only_given(self) -> bool:
        """Whether all operands are files or patterns of files, so that no folder is opened."""
        if not self.operands:
            return False
        return self.itself or not any(_may_be_folder(word) for word in self.operands)

    def cost_of_silence(self) -> float:
        return LISTING_MAYBE_SILENT if self.quiet or self.maybe or self.fallback else LISTING_SILENT

    @property
    def fullness(self) -> float:
        return FULL_LISTING

    def exact(self) -> int | None:
        """The number of lines: one for each file that is given, or the number of `| head`."""
        if self.limit is not None:
            return self.limit
        given = [word for word in self.operands if word.known and not looks_like_folder(word.text)]
        return len(given) if given and len(given) == len(self.operands) else None

    def cost_of_speech(self) -> float:
        # Names in one order are one listing. For `ls a 2>/dev/null; ls b` that is the listing of b.
        return Part.cost_of_speech(self) + (QUIET_LISTING_SPEAKS if self.quiet else 0.0)

    def _other(self, line: str) -> float:
        return (
            LISTING_SECTION if self._sections() and (not line or line.endswith(":")) else UNLIKELY
        )

    def pair(self, before: str, line: str) -> float:
        """Names are in order; where the order breaks, another listing begins."""
        if self.long or not self.sorted or not before or not line:
            return 0.0
        if self._sections() and (before.endswith(":") or line.endswith(":")):
            return 0.0
        before, line = in_columns(before)[0], in_columns(line)[0]
        if before < line or _folded_name(before) <= _folded_name(line):
            return 0.0
        return ORDER_BREAKS

    def begin(self, before: str, line: str) -> float:
        """A listing that continues the order of the names before it is rarely another listing.

        In the output of `ls a 2>/dev/null | head -30; ls b`, 33 names in order all belong to b.
        """
        if self.long or not self.sorted or not before or self.score(before) <= 0:
            return 0.0
        return ORDER_GOES_ON if self.pair(before, line) == 0.0 else 0.0

    def _given(self, name: str) -> bool:
        for word in self.operands:
            if name == word.text or (word.glob and fnmatch.fnmatchcase(name, word.text)):
                return True
        return False

    def _sections(self) -> bool:
        """Whether names are below headings."""
        return self.recursive or len(self.operands) > 1 or any(w.glob for w in self.operands)

    def read(self, lines: Sequence[str], sure: bool, trimmed: bool) -> Iterable[FileRef]:
        folder = self._folder()
        sections = self._sections()
        if is_cut(lines):
            lines = from_headings(lines, _heads) if sections else whole(lines)
        is_open = self._open()
        operands = {word.text for word in self.operands}
        globs = any(word.glob for word in self.operands)
        known_folders = {line[:-1] for line in lines if line.endswith(":")} if sections else set()
        if not self.long and [row for row in lines if "  " in row or "\t" in row]:
            lines = [name for row in lines for name in in_columns(row)]
        for line in lines:
            if sections and line.endswith(":") and not LONG.match(line):
                folder = line[:-1] if is_file_name(line[:-1] + "x") else None
                continue
            name, kind = self._name(line)
            if name is None or name in {".", ".."}:
                continue
            given = name in operands or (globs and self._given(name)) or (is_open and "/" in name)
            place = name if given or folder is None else f"{folder.rstrip('/')}/{name}"
            if given and not self._own(name):
                continue
            if folder is None and not given and self.operands:
                continue
            if kind == "d" or place in known_folders:
                continue
            path = path_of(self.cwd, place)
            if path is None or (kind in {"?", "l"} and looks_like_folder(name)):
                continue
            yield FileRef(path, "surfaced", rule=self.rule)

    def place(self, name: str) -> str | None:
        """The path of a listed name; None if its directory is not known."""
        if self._given(name):
            return join(self.cwd, name)
        folder = self._folder()
        return None if folder is None else join(self.cwd, f"{folder.rstrip('/')}/{name}")

    @property
    def folder(self) -> str | None:
        """The directory listed, if it is exactly one."""
        place = self.place(".")
        return None if place is None else place.removesuffix(".").rstrip("/")

    def _open(self) -> bool:
        """Whether the operands hold patterns or unknown text."""
        return any(not word.known for word in self.operands)

    def _folder(self) -> str | None:
        if not self.operands:
            return "."
        if len(self.operands) > 1 or self.itself:
            return None
        word = self.operands[0]
        return word.text if word.known else None

    def _own(self, name: str) -> bool:
        """Whether a printed operand is a file.

        For a directory its contents would have been printed.
        """
        return not self.itself or not looks_like_folder(name)

    def _name(self, line: str) -> tuple[str | None, str]:
        """Name and type in a line: `-` file, `d` directory, `l` link, `?` unknown."""
        if not line or (" " in line and TOTAL.match(line)) or (self.loose and line.isdecimal()):
            return None, "?"
        if self.long:
            row = long_row(line)
            if row is None:
                return (line, "?") if self.loose and _BARE_NAME.match(line) else (None, "?")
            return row.name.rstrip("*/") if self.marks else row.name, row.kind
        name = line.strip("'") if " " in line else line
        if self.marks or name.endswith("/"):
            if name.endswith("/"):
                return name, "d"
            if self.marks and name[-1:] in "*@|=":
                return name[:-1], "-" if name[-1] == "*" else "?"
            return name, "-" if self.marks else "?"
        return name, "?"

    # --- what filters leave of it ---------------------------------------------------------------

    def reorder(self, dropping: bool) -> Part:
        return replace(self, sorted=False)

    def columns(self, fields: Sequence[str]) -> Part:
        """Some columns of `ls -l`: the name is the first or the last of them."""
        if len(fields) == 1:
            last = fields[0] in WHOLE_OR_LAST
            return replace(self, loose=True) if last else self.derive("awk")
        named = [index for index, field in enumerate(fields) if field in {"9", "NF"}]
        form = {0: "first", len(fields) - 1: "last"}.get(named[0]) if len(named) == 1 else None
        if form is None or not self.long:
            return self.derive("awk")
        folder = self.place("")
        anchored = folder is not None and not any(word.glob for word in self.operands)
        cwd = folder if anchored else self.cwd
        return Names(cwd=cwd, form=form, limit=self.limit, quiet=self.quiet, rule=self.rule)


def _may_be_folder(word: Word) -> bool:
    """Whether an operand can be a folder, so that ls lists its contents."""
    if has_hole(word.text):
        return True
    return looks_like_folder(word.text) or word.text.endswith(("*", "/", "?"))


def _folded_name(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())


def expect_parents(parts: Sequence[Part]) -> Sequence[Part]:
    """A listing of a folder that holds another listed folder must have printed.

    If `ls a/b` printed, `ls a` names at least `b`. So in `ls a/b 2>/dev/null; ls a 2>/dev/null` the
    second printed.
    """
    if len(parts) < 2 or sum([type(part) is Listing for part in parts]) < 2:
        return parts
    listed = [part.folder if isinstance(part, Listing) and part.quiet else None for part in parts]
    return [
        replace(part, quiet=False)
        if own is not None and any((other or "").startswith(f"{own}/") for other in listed)
        else part
        for part, own in zip(parts, listed, strict=True)
    ]


def _heads(line: str) -> bool:
    """Whether `ls -R` names a folder."""
    return line.endswith(":")


# --- what tree prints -----------------------------------------------------------------------------


def _is_top(line: str) -> bool:
    """Whether a name is at the top of a tree: after a cut the folder of deeper ones is not known."""
    branch = BRANCH.match(line)
    return branch is not None and not branch["bars"]


class TreeListing(Part, kw_only=True, frozen=True):
    """What `tree` prints: names under names, by indentation."""

    cwd: str | None
    folders: bool = False

    is_strict: ClassVar[bool] = True

    def score(self, line: str) -> float:
        if BRANCH.match(line):
            return TELLING
        return PLAIN if not line or re.match(r"\d+ director|[./~\w-]+$", line) else UNLIKELY

    def read(self, lines: Sequence[str], sure: bool, trimmed: bool) -> Iterable[FileRef]:
        if self.folders:
            return
        if is_cut(lines):
            lines = from_headings(lines, _is_top)
        for entry in tree_entries(lines):
            path = entry.path if entry.root is None else f"{entry.root}/{entry.path}"
            if not entry.is_folder and is_file_name(path) and not looks_like_folder(path):
                yield FileRef(join(self.cwd, path), "surfaced", rule=self.rule)
