"""Lists of names, one per line, as find, git and wc print them; a name surfaces a file (D7)."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import ClassVar

from msgspec.structs import replace

from groundtrace.answers.cuts import whole
from groundtrace.answers.file_names import looks_like_folder
from groundtrace.answers.listed import stat_names
from groundtrace.base.patterns import regex
from groundtrace.base.quoted_names import without_quotes
from groundtrace.model import FileRef
from groundtrace.shell.streams.file_names import from_top, path_of
from groundtrace.shell.streams.filters import Filter
from groundtrace.shell.streams.part import Opaque, Part
from groundtrace.shell.streams.word import Word, under
from groundtrace.shell.weights import BARE_NAME, BESIDE_NAMES, IMPOSSIBLE, ODD_NAME, TELLING


def _name_in_diffstat(line: str) -> str | None:
    return next(reversed(stat_names(line)), None)


def _old_name_in_diffstat(line: str) -> str | None:
    names = stat_names(line)
    return names[0] if len(names) > 1 else None


_STATUS = regex(
    r"(?:(?!   )[ MADRCUT?!]{2} |(?:\t| {8})(?:(?:modified|new file|deleted|renamed|copied|typechange"
    r"|both modified|both added|deleted by \w+|added by \w+): +)?)(\S.*)"
)
"""Short rows, and rows of the long form; some harnesses expand the tab of the long form."""


def _name_in_status(line: str) -> str | None:
    row = _STATUS.match(line)
    return None if row is None else row[1].split(" -> ")[-1]


def _old_name_in_status(line: str) -> str | None:
    row = _STATUS.match(line) if " -> " in line else None
    return None if row is None else row[1].split(" -> ")[0]


_LETTERS = regex(r"[MADRCTUX]\d{0,3}(?:\t| {2,7})(\S.*)$")
_GAP = regex(r"\t| {2,}")


def _name_in_letters(line: str) -> str | None:
    """`M	a.py`, `R100	old.py	new.py`, also with expanded tabs."""
    row = _LETTERS.match(line)
    return None if row is None else _GAP.split(row[1].rstrip())[-1]


def _old_name_in_letters(line: str) -> str | None:
    row = _LETTERS.match(line) if line.startswith(("R", "C")) else None
    names = [] if row is None else _GAP.split(row[1].rstrip())
    return names[0] if len(names) > 1 else None


def _matcher(pattern: str) -> Callable[[str], str | None]:
    compiled = re.compile(pattern)

    def take(line: str) -> str | None:
        match = compiled.match(line)
        return None if match is None else match[1]

    return take


_NO_NAME = regex(r"commit |Author: |Date: |Merge: |[0-9a-f]{7,40}\b")


def _name_in_log(line: str) -> str | None:
    """A line of `git log --name-only` that is a name: one word, or a path with blanks."""
    if line[:1] == '"' == line[-1:] and len(line) > 2:
        return line
    if not line or ":" in line or line[0].isspace() or _NO_NAME.match(line):
        return None
    words = line.split()
    if len(words) > 1 and "/" not in line:
        return None
    telling = "." in words[0] or "/" in words[0] or (len(words) == 1 and line.isupper())
    return line if telling else None


def _first_word(line: str) -> str | None:
    words = line.split()
    return words[0] if len(words) > 1 and ("." in words[0] or "/" in words[0]) else None


def _last_word(line: str) -> str | None:
    words = line.split()
    return words[-1] if len(words) > 1 and ("." in words[-1] or "/" in words[-1]) else None


FORMS: dict[str, Callable[[str], str | None]] = {
    "plain": lambda line: line,
    "wc": _matcher(r"\s*(?:\d+\s+){1,5}(?!total$)(\S.*)"),
    "count": _matcher(r"(.+):\d+$"),
    "describe": _matcher(r"([^:]+): +(?!directory\b|cannot open)\S"),
    "sum": _matcher(r"\\?[0-9a-f]{8,128} [ *](.+)"),
    "size": _matcher(r"[\d.,]+[KMGTPB]?\s+(\S.*)"),
    "stat": _matcher(r"\s+File: [‘'\"]?(.+?)[’'\"]?$"),
    "diffstat": _name_in_diffstat,
    "status": _name_in_status,
    "letters": _name_in_letters,
    "raw": _matcher(
        r":\d{6} \d{6} [0-9a-f.]{4,70} [0-9a-f.]{4,70} [MADRCTUX]\d{0,3}(?:\t| {2,7})(\S.*)$"
    ),
    "numstat": _matcher(r"(?:\d{1,9}|-)(?:\t| {2,7})(?:\d{1,9}|-)(?:\t| {2,7})(\S.*)$"),
    "uniq": _matcher(r"\s*\d+\s+(\S.*)"),
    "findls": _matcher(r"\s*\d+\s+\d+\s+-\S+\s+.*\d\d:?\d\d ((?:\.|/).*)$"),
    "treehash": _matcher(r"\d{6} blob [0-9a-f]+\s+(.+)$"),
    "staged": _matcher(r"\d{6} [0-9a-f]{7,64} \d(?:\t| {2,7})(.+)$"),
    "logname": _name_in_log,
    "first": _first_word,
    "last": _last_word,
    "report": _matcher(
        r"(?:\./)?((?=[^\s:(]*[./])[^\s:()]{1,1000})(?::\d{1,9}(?::\d{1,9})?:|\(\d{1,9},\d{1,9}\):) "
    ),
    "pydoc": _matcher(r"    (/\S{1,1000}\.\w{1,10})$"),
    "test": _matcher(r"([^\s:]{1,1000}\.\w{1,10})::\S"),
    "located": _matcher(r"([^:]+):\d+:?$"),
}
"""Where the name is in a line, by the program that prints it."""
OLD_NAMES: dict[str, Callable[[str], str | None]] = {
    "diffstat": _old_name_in_diffstat,
    "status": _old_name_in_status,
    "letters": _old_name_in_letters,
}
"""The old name of a renamed file, in forms that show it."""
_COMMIT = r"commit [0-9a-f]{7,}|[0-9a-f]{7,40} |Author: |Date: |Merge: |    |$"
OWN = {
    "wc": regex(r"\s*+(?:\d++\s++){1,5}total$"),
    "describe": regex(r"[^:]++: ++(?:directory\b|cannot open)"),
}
"""Lines without a file's name that no other program prints."""
BESIDE = {
    "diffstat": regex(rf"{_COMMIT}| \d+ files? changed"),
    "letters": regex(_COMMIT),
    "numstat": regex(_COMMIT),
    "raw": regex(_COMMIT),
    "logname": regex(_COMMIT),
    "stat": regex(r" *(?:Size|Device|Access|Modify|Change|Birth): "),
    "status": regex(
        r"On branch |HEAD detached|Your branch |Changes |Untracked |  \(use |no changes |nothing "
        r"|Unmerged |Dropped |You are |All conflicts |Saved |$"
    ),
    "pydoc": regex(""),
    "report": regex(""),
    "test": regex(""),
}
"""Lines without a name that the same program prints beside lines with a name."""


_USUAL_GLOB = regex(r"\*([\w.-]+)(\*?)")
"""`*.py` and `*_test*`."""


class Names(Part, kw_only=True, frozen=True):
    """A list of file names, one per line."""

    cwd: str | None
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

    @property
    def strict(self) -> bool:
        return True

    @property
    def wanted(self) -> bool:
        return not self.silent

    def score(self, line: str) -> float:
        name = FORMS[self.form](self._bare(line))
        if name is not None and self.rule.startswith("git"):
            name = without_quotes(name)
        if name is None:
            own = OWN.get(self.form)
            if own is not None and own.match(line):
                return TELLING
            neutral = BESIDE.get(self.form)
            return BESIDE_NAMES if neutral is not None and neutral.match(line) else IMPOSSIBLE
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
        form = FORMS[self.form]
        if self.revision:
            lines = [self._bare(line) for line in lines]
        old = OLD_NAMES.get(self.form)
        found: Iterable[str | None] = lines
        if not plain:
            found = map(form, lines) if old is None else _both(lines, old, form)
        fits = self._fits
        if self.rule.startswith("git"):
            found = [name and without_quotes(name) for name in found]
        names = [self.stripped + name for name in found if name and fits(name)]
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

    def filter(self, how: Filter) -> Part:
        if how.numbered or how.partial:
            return Opaque(rule=how.rule, maybe=True)
        return self.limited(how.limit)

    def counted(self, rule: str) -> Part:
        return replace(self, form="uniq") if self.form == "plain" else self.derive(rule)

    def names(self, rule: str) -> Part:
        return self

    def places(self, rule: str) -> Part:
        return replace(self, form="located") if self.form == "plain" else self

    def columns(self, fields: Sequence[str]) -> Part:
        last = len(fields) == 1 and fields[0] in (*WHOLE_OR_LAST, _LAST_FIELD.get(self.form))
        return replace(self, form="plain") if last else self.derive("awk")

    def substitute(self) -> Part:
        return self.derive("sed")

    def without_prefix(self, prefix: str) -> Part | None:
        if prefix == "./":
            return replace(self, anchor=False)
        below = any(root.begins(prefix) for root in self.roots)
        return replace(self, stripped=self.stripped + prefix) if below else None

    def with_prefix(self, prefix: str) -> Part | None:
        return Names(cwd=self.cwd, roots=(Word(prefix),), limit=self.limit, rule="sed")


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


def _both(
    lines: Sequence[str], old: Callable[[str], str | None], new: Callable[[str], str | None]
) -> Iterator[str | None]:
    """Names line by line; for a renamed file both names."""
    for line in lines:
        yield old(line)
        yield new(line)
