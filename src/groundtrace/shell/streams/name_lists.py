"""Lists of names, one per line, as find, git and wc print them; a name surfaces a file (D7)."""

from __future__ import annotations

import fnmatch
from collections.abc import Iterable, Sequence
from typing import ClassVar

from msgspec.structs import replace

from groundtrace.answers.cuts import whole
from groundtrace.answers.file_names import looks_like_folder
from groundtrace.answers.name_rows import ROWS
from groundtrace.base.patterns import regex
from groundtrace.base.quoted_names import without_quotes
from groundtrace.model import FileRef
from groundtrace.shell.streams.file_names import from_top, path_of
from groundtrace.shell.streams.filters import Filter
from groundtrace.shell.streams.part import Opaque, Part
from groundtrace.shell.streams.word import Word, under
from groundtrace.shell.weights import BARE_NAME, BESIDE_NAMES, IMPOSSIBLE, ODD_NAME, TELLING

_USUAL_GLOB = regex(r"\*([\w.-]+)(\*?)")
"""`*.py` and `*_test*`."""


class NameLines(Part, kw_only=True, frozen=True):
    """Names of files, in whatever rows."""

    cwd: str | None

    # --- what filters leave of it ---------------------------------------------------------------

    def filter(self, how: Filter) -> Part:
        if how.numbered or how.partial:
            return Opaque(rule=how.rule, maybe=True)
        return self.limited(how.limit)

    def substitute(self) -> Part:
        return self.derive("sed")

    def with_prefix(self, prefix: str) -> Part | None:
        return Names(cwd=self.cwd, roots=(Word(prefix),), limit=self.limit, rule="sed")


class Names(NameLines, kw_only=True, frozen=True):
    """A list of file names, one per line."""

    roots: tuple[Word, ...] = ()
    form: str = "plain"
    only_files: bool = False
    """No directories can be among them."""
    glob: str | None = None
    """Pattern that every base name matches (`find -name`)."""
    repo: str | None = None
    folders: bool = False
    """Only directories are printed."""
    anchor: bool = True
    """Names must lie below the roots."""
    stripped: str = ""
    """What a filter removed at the start of every name."""
    silent: bool = False
    """Nothing is expected: a checker that finds nothing prints nothing."""
    start: str | None = None
    """Where the command began."""
    top: bool = False
    """Names are relative to the top of the repository, which may be above the directory."""
    revision: str = ""
    """The revision that was searched: it comes before every name."""
    refused: frozenset[str] = frozenset()
    """Names that the program could not read: `wc -l src/*` also counts lines of folders, as 0."""

    tells_success: ClassVar[bool] = True
    tells_failure: ClassVar[bool] = True

    is_strict: ClassVar[bool] = True

    @property
    def wanted(self) -> bool:
        return not self.silent

    def score(self, line: str) -> float:
        row = ROWS[self.form]
        name = row.name(self._bare(line))
        if name is not None and self.rule.startswith("git"):
            name = without_quotes(name)
        if name is None:
            if row.own is not None and row.own.match(line):
                return TELLING
            beside = row.beside is not None and row.beside.match(line)
            return BESIDE_NAMES if beside else IMPOSSIBLE
        if not self._fits(name):
            return IMPOSSIBLE
        if self.form != "plain":
            return TELLING
        if _is_odd(name):
            return ODD_NAME
        return TELLING if "/" in name or any(word.text != "." for word in self.roots) else BARE_NAME

    def _bare(self, line: str) -> str:
        """The line without the revision at its start."""
        return line.removeprefix(f"{self.revision}:") if self.revision else line

    def _fits(self, name: str) -> bool:
        if "\t" in name and self.form == "plain":
            return False  # `4	src/a.py` of du
        name = self.stripped + name
        if self.anchor and not under(name, self.roots):
            return False
        if self.glob is None:
            return True
        base, glob = name.rstrip("/").rsplit("/", 1)[-1].lower(), self.glob.lower()
        usual = _USUAL_GLOB.fullmatch(glob)
        if usual is None:
            return fnmatch.fnmatchcase(base, glob)
        return usual[1] in base if usual[2] else base.endswith(usual[1])

    def read(self, lines: Sequence[str], sure: bool, trimmed: bool) -> Iterable[FileRef]:
        if self.folders:
            return
        lines = whole(lines)
        plain = self.form == "plain"
        if self.revision:
            lines = [self._bare(line) for line in lines]
        found = filter(None, lines) if plain else ROWS[self.form].names(lines)
        fits = self._fits
        if self.rule.startswith("git"):
            found = map(without_quotes, found)
        names = [self.stripped + name for name in found if fits(name)]
        parents: set[str] = set()
        roots: set[str] = set()
        if not self.only_files:
            roots.update(root.text.rstrip("/") for root in self.roots)
            for name in names:
                slash = name.rfind("/")
                while slash > 0:
                    parent = name[:slash]
                    if parent in parents:
                        break
                    parents.add(parent)
                    slash = parent.rfind("/")
        cwd = from_top(self.cwd, names, self.start) if self.top else self.cwd
        if self.repo:
            cwd = None
        for name in dict.fromkeys(names):
            bare = name if plain else name.strip()
            path = path_of(cwd, bare)
            if path is None:
                continue
            if not self.only_files and _is_folder(bare, parents, roots):
                continue
            if bare in self.refused:
                continue
            yield FileRef(path, "surfaced", self.repo, rule=self.rule)

    # --- what filters leave of it ---------------------------------------------------------------

    def counted(self, rule: str) -> Part:
        return replace(self, form="uniq") if self.form == "plain" else self.derive(rule)

    def names(self, rule: str) -> Part:
        return self

    def places(self, rule: str) -> Part:
        return replace(self, form="located") if self.form == "plain" else self

    def columns(self, fields: Sequence[str]) -> Part:
        last = len(fields) == 1 and fields[0] in (*WHOLE_OR_LAST, _LAST_FIELD.get(self.form))
        return replace(self, form="plain") if last else self.derive("awk")

    def without_prefix(self, prefix: str) -> Part | None:
        if prefix == "./":
            return replace(self, anchor=False)
        below = any(root.begins(prefix) for root in self.roots)
        return replace(self, stripped=self.stripped + prefix) if below else None


def _is_folder(name: str, parents: set[str], roots: set[str]) -> bool:
    """Whether a name in a list of files and folders is a folder."""
    if name in parents or looks_like_folder(name):
        return True
    return name in roots and "." not in name.rsplit("/", 1)[-1]


def _is_odd(name: str) -> bool:
    """Whether a line is more likely a found line, a count or a status than a name."""
    if ":" in name:
        return True
    space = name.find(" ")
    return space >= 0 and "/" not in name[:space]


_LAST_FIELD = {"last": "2", "size": "2", "sum": "2", "uniq": "2"}
"""The field that holds the name in forms of two fields."""
WHOLE_OR_LAST = frozenset(["NF", "9", "0"])
"""Fields of awk that hold the name, if the program prints nothing after it."""
