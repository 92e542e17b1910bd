"""Parts that only PowerShell and cmd print: directories as tables, found lines with marks.

Everything else (contents, names, text, writes) is the same as for bash. What is printed is read by
`answers.windows`.
"""

from __future__ import annotations

import fnmatch
from collections.abc import Iterable, Sequence
from typing import ClassVar

from msgspec.structs import replace

from groundtrace.answers import windows
from groundtrace.answers.cuts import whole
from groundtrace.answers.file_names import looks_like_folder
from groundtrace.answers.fold import fold
from groundtrace.answers.found import Found, split
from groundtrace.answers.line import Shown
from groundtrace.model import FileRef
from groundtrace.paths.windows import is_drive
from groundtrace.shell.streams.content import Content
from groundtrace.shell.streams.file_names import join, path_of
from groundtrace.shell.streams.filters import Filter
from groundtrace.shell.streams.found_lines import Search
from groundtrace.shell.streams.name_lists import Names
from groundtrace.shell.streams.part import Count, Opaque, Part
from groundtrace.shell.weights import (
    BESIDE_NAMES,
    GROUP_GAP,
    HEADING,
    IMPOSSIBLE,
    LISTED_NAME,
    PLAIN,
    TELLING,
    UNLIKELY,
    UNTESTED,
)


def slashed(name: str) -> str:
    """A name with slashes, whichever way it is written; Windows takes both."""
    return name.replace("\\", "/") if "\\" in name else name


class Items(Part, kw_only=True, frozen=True):
    """Files and folders that Get-ChildItem found, as the table that it prints."""

    cwd: str | None
    folder: str | None = None
    """The folder that was listed, if it is one and known."""
    globs: tuple[str, ...] = ()
    """Patterns of names, one of which fits."""
    recursive: bool = False
    only_files: bool = False
    only_folders: bool = False
    count: int | None = None
    """No more entries than this."""

    tells_success: ClassVar[bool] = True
    complains: ClassVar[bool] = True
    leads: ClassVar[bool] = False

    is_strict: ClassVar[bool] = True

    def score(self, line: str) -> float:
        if not line.strip():
            return GROUP_GAP
        if windows.heading(line) is not None:
            return HEADING
        if windows.row(line) is not None or windows.is_column_heading(line):
            return TELLING
        return UNLIKELY

    def read(self, lines: Sequence[str], sure: bool, trimmed: bool) -> Iterable[FileRef]:
        folder = self.folder
        for line in whole(lines):
            folder = windows.heading(line) or folder
            entry = windows.row(line)
            if entry is None or entry.is_folder or self.only_folders:
                continue
            if folder is None:
                continue
            path = path_of(self.cwd, f"{slashed(folder).rstrip('/')}/{entry.name}")
            if path is not None:
                yield FileRef(path, "surfaced", rule=self.rule)

    # --- what filters leave of it ---------------------------------------------------------------

    def head(self, count: int, first: bool, shared: bool) -> Part:
        return replace(self, count=count)

    def tail(self, count: int, last: bool) -> Part:
        return replace(self, count=count)

    def derive(self, rule: str) -> Part:
        return Opaque(rule=rule or self.rule, maybe=self.maybe)

    def property(self, name: str) -> Part:
        """One property of each entry, a line for each."""
        if name in ("fullname", "name", "pspath", "path", "relative"):
            relative = name == "name"
            return ItemNames(
                cwd=self.folder_path() if relative else self.cwd,
                unplaced=relative and (self.recursive or self.folder_path() is None),
                globs=self.globs,
                anchor=False,
                only_files=self.only_files,
                folders=self.only_folders,
                limit=self.count,
                rule=self.rule,
            )
        return Opaque(rule=self.rule)

    def listed_names(self) -> Part:
        """`-Name`: names below the folder."""
        names = self.property("name")
        assert isinstance(names, ItemNames)
        return replace(names, unplaced=self.folder_path() is None)

    def folder_path(self) -> str | None:
        """The folder's path; None if it is not known."""
        if self.folder is None:
            return None
        return self.cwd if self.folder in ("", ".") else join(self.cwd, slashed(self.folder))

    def records(self, names: Sequence[str]) -> Part:
        """Several properties of each entry."""
        return Records(
            cwd=self.cwd,
            folder=None if self.recursive else self.folder_path(),
            at_start=self.folder in ("", "."),
            columns_asked=tuple(names),
            folders=self.only_folders,
            rule=self.rule,
        )


class ItemNames(Names, kw_only=True, frozen=True):
    """Names of files, one per line."""

    globs: tuple[str, ...] = ()
    unplaced: bool = False
    """Only the last part of each name is printed, and its folder is not known."""

    def score(self, line: str) -> float:
        if not line.strip():
            return GROUP_GAP
        name = slashed(line.strip())
        if self.globs and not any(_fits(name, glob) for glob in self.globs):
            return IMPOSSIBLE if not looks_like_folder(name) else LISTED_NAME
        if is_drive(name) or name.startswith("/"):
            return TELLING
        return Names.score(self, name)

    def read(self, lines: Sequence[str], sure: bool, trimmed: bool) -> Iterable[FileRef]:
        if self.unplaced:
            return ()
        named = [slashed(line.strip()) for line in whole(lines) if line.strip()]
        if len(named) > 1 and windows.is_dashes(named[1]):
            named = named[2:]  # `Path` and a rule above the only column
        return Names.read(self, named, sure, trimmed)


def _fits(name: str, glob: str) -> bool:
    return fnmatch.fnmatchcase(name.rsplit("/", 1)[-1].lower(), glob.lower())


class Matches(Search, kw_only=True, frozen=True):
    """Lines that Select-String found: `src\\app.py:12:text`, with marks if there is context."""

    searched: tuple[str, ...] = ()
    """Names of the files that were searched, if all are known."""

    def score(self, line: str) -> float:
        if not line.strip():
            return GROUP_GAP
        place = self._split(line)
        if place is None:
            return IMPOSSIBLE
        return UNTESTED if not self.context and self._lacks(line, place) else TELLING

    def _split(self, line: str) -> Found | None:
        line = windows.unmarked(line)
        place = split(line, numbered=self.numbered)
        if place is None or not self.searched:
            return place if place is not None and _is_path(place.name) else None
        name = slashed(place.name).lower()
        known = (slashed(other).lower().removeprefix("./") for other in self.searched)
        fits = any(name.endswith(other) or other.endswith(name) for other in known)
        return place if fits else None

    def _place(self, name: str) -> str | None:
        return path_of(self.cwd, slashed(name)) if _is_path(name) else None

    def read(self, lines: Sequence[str], sure: bool, trimmed: bool) -> Iterable[FileRef] | None:
        bare = [windows.unmarked(line) if type(line) is str else line for line in lines]
        return Search.read(self, bare, sure, trimmed)

    # --- what filters leave of it ---------------------------------------------------------------

    def filter(self, how: Filter) -> Part:
        return self.limited(how.limit)

    def property(self, name: str) -> Part:
        """One property of each match, a line for each."""
        if name in ("path", "filename"):
            return ItemNames(
                cwd=self.cwd,
                anchor=False,
                only_files=True,
                unplaced=name == "filename",
                rule=self.rule,
            )
        if name == "line":
            return Search(
                cwd=self.cwd,
                sole=self._sole(),
                named=False,
                pattern=self.pattern,
                inverted=self.inverted,
                limit=self.limit,
                rule=self.rule,
            )
        return Opaque(rule=self.rule)

    def _sole(self) -> str | None:
        return self._place(self.searched[0]) if len(self.searched) == 1 else None

    def numbered_lines(self, named: bool) -> Part:
        """`"$($_.LineNumber): $($_.Line)"`, with the name before it if `named`."""
        if named:
            return replace(self, context=False)
        return Search(
            cwd=self.cwd,
            sole=self._sole(),
            named=False,
            numbered=True,
            pattern=self.pattern,
            inverted=self.inverted,
            limit=self.limit,
            rule=self.rule,
        )

    def records(self, names: Sequence[str]) -> Part:
        """Several properties of each match."""
        return Records(
            cwd=self.cwd,
            columns_asked=tuple(names),
            sole=self._sole(),
            of_matches=True,
            rule=self.rule,
        )


class StreamMatches(Search, kw_only=True, frozen=True):
    """Lines that Select-String found in a stream: blank lines stand around them."""

    def score(self, line: str) -> float:
        if not line.strip():
            return GROUP_GAP
        return Search.score(self, windows.unmarked(line) if self.context else line)

    def read(self, lines: Sequence[str], sure: bool, trimmed: bool) -> Iterable[FileRef] | None:
        filled = [line for line in lines if type(line) is not str or line.strip()]
        return Search.read(self, filled, sure, trimmed)

    # --- what filters leave of it ---------------------------------------------------------------

    def property(self, name: str) -> Part:
        """One property of each match, a line for each."""
        return self if name == "line" else Opaque(rule=self.rule)

    def numbered_lines(self, named: bool) -> Part:
        """`"$($_.LineNumber): $($_.Line)"`: numbers are those of the stream."""
        return (
            Opaque(shows=self.behind(), rule=self.rule) if named else replace(self, numbered=True)
        )

    def records(self, names: Sequence[str]) -> Part:
        """Several properties of each match."""
        sole = next((ref.path for ref in self.behind()), None)
        return Records(
            cwd=self.cwd, columns_asked=tuple(names), sole=sole, of_matches=True, rule=self.rule
        )


def spaced(part: Part) -> Part:
    """Found lines of a stream as PowerShell prints them."""
    if type(part) is not Search:
        return part
    return StreamMatches(**{name: getattr(part, name) for name in part.__struct_fields__})


def _is_path(name: str) -> bool:
    return not name[:1].isspace() and not any(char in name[2:] for char in ':"<>|*?')


class Records(Part, kw_only=True, frozen=True):
    """Properties of files or of matches, as a table or a list."""

    cwd: str | None
    folder: str | None = None
    """Where the files are, if it is one folder and known."""
    at_start: bool = False
    """The files are in the directory itself."""
    columns_asked: tuple[str, ...] = ()
    """The properties asked for; empty if all are shown."""
    sole: str | None = None
    """The only file that was searched."""
    of_matches: bool = False
    """They are matches."""
    folders: bool = False

    leads: ClassVar[bool] = False

    is_strict: ClassVar[bool] = True

    def score(self, line: str) -> float:
        if not line.strip():
            return GROUP_GAP
        if windows.is_dashes(line):
            return TELLING
        return BESIDE_NAMES if self.columns_asked else PLAIN

    def read(self, lines: Sequence[str], sure: bool, trimmed: bool) -> Iterable[FileRef]:
        shown = [line for record in windows.records(whole(lines)) for line in self._shown(record)]
        return fold(shown, self.rule) if not self.folders else ()

    def _shown(self, record: windows.Record) -> Iterable[Shown]:
        path = self._path(record)
        if path is None:
            return
        number = record.get("linenumber", "")
        if self.of_matches and ("line" in record or number):
            chars = sum(map(len, record.values())) + len(record)
            first = int(number) if number.isdecimal() and len(number) < 10 else None
            kind = "matched" if record.get("line") else "surfaced"
            yield Shown(path, kind, first, None, chars)  # type: ignore[arg-type]
        else:
            yield Shown(path, "surfaced")

    def _path(self, record: windows.Record) -> str | None:
        name = next((record[key] for key in ("fullname", "path") if record.get(key)), "")
        if name:
            cut = name.endswith(("...", "…")) or "…" in name
            place = None if cut else path_of(self.cwd, slashed(name))
        elif self.sole is not None:
            return self.sole
        else:
            name = record.get("name") or record.get("filename") or ""
            cut = not name or name.endswith(("...", "…"))
            known = (self.folder is not None or self.at_start) and not self.of_matches
            place = None if cut or not known else path_of(self.folder, slashed(name))
        folder = record.get("mode", "")[:1] == "d" or record.get("psiscontainer") == "True"
        return None if folder or (not self.of_matches and looks_like_folder(name)) else place


class CmdListing(Part, kw_only=True, frozen=True):
    """What `dir` of cmd prints."""

    cwd: str | None

    tells_success: ClassVar[bool] = True

    is_strict: ClassVar[bool] = True

    def score(self, line: str) -> float:
        if not line.strip():
            return GROUP_GAP
        if windows.cmd_row(line) is not None or windows.is_cmd_frame(line):
            return TELLING
        return HEADING if windows.cmd_heading(line) is not None else UNLIKELY

    def read(self, lines: Sequence[str], sure: bool, trimmed: bool) -> Iterable[FileRef]:
        folder: str | None = None
        for line in whole(lines):
            entry = windows.cmd_row(line)
            if entry is None:
                folder = windows.cmd_heading(line) or folder
            elif folder is not None and not entry.is_folder:
                path = path_of(self.cwd, f"{slashed(folder).rstrip('/')}/{entry.name}")
                if path is not None:
                    yield FileRef(path, "surfaced", rule=self.rule)


def take_property(part: Part, name: str) -> Part:
    """One property of each object that a part stands for."""
    name = name.lower()
    if isinstance(part, Items | Matches | StreamMatches):
        return part.property(name)
    if isinstance(part, ItemNames):
        return part if name in ("path", "fullname", "providerpath") else Opaque(rule=part.rule)
    if isinstance(part, Count) or name in ("count", "length", "lines"):
        return Count(rule=part.rule)
    if isinstance(part, Content):
        return part if name in ("line", "value") else part.derive(name)
    return part.derive(name) if part.prints else part
