"""Rows that hold one name: states, sizes, sums, counts, as git, wc, du and others print them.

A row says where its name is. Whether the name is a file, and where it lies, is for the caller to say:
a shell command knows both from its arguments, an unknown tool from the name alone.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

import msgspec

from groundtrace.base.patterns import regex

_STAT = regex(r" +(?:\d+|Bin)\b")
_RENAMED = regex(r"(?P<before>[^{}]*)\{(?P<old>[^{}]*) => (?P<new>[^{}]*)\}(?P<behind>[^{}]*)")


def stat_names(line: str) -> list[str]:
    """The name in a row of `git diff --stat`, both names of a renamed file; none for other lines.

    A name that git shortened (`.../deep/a.py`) is none.
    """
    name, bar, change = line.rpartition("|")
    name = name.strip()
    if not bar or not line.startswith(" ") or not _STAT.match(change) or name.startswith("..."):
        return []
    return [side for side in _both_names(name) if side]


def _both_names(name: str) -> list[str]:
    """The old and the new name of `src/{old.py => new.py}` and `old.py => new.py`."""
    renamed = _RENAMED.fullmatch(name)
    if renamed is not None:
        before, behind = renamed["before"], renamed["behind"]
        sides = [f"{before}{renamed[side]}{behind}" for side in ("old", "new")]
        return [side.replace("//", "/") for side in sides]
    return name.split(" => ")


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
    compiled = regex(pattern)

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


_COUNTED = regex(
    r"(?P<first>(?:[A-Za-z]:[\\/])?[^\s:][^:\t]{0,1000}?) \(\d{1,9} match(?:es)?\)"
    r"|(?P<path>(?:[A-Za-z]:[\\/])?[^\s:][^:\t]{0,1000}): ?\d{1,9}(?: (?:match(?:es)?|lines?|times?|hits?))?"
)


def _name_in_words(line: str) -> str | None:
    row = _COUNTED.fullmatch(line.strip())
    return None if row is None else row["first"] or row["path"]


class NameRow(msgspec.Struct, frozen=True):
    """A form of rows: where the name is in a line, and what else the same program prints."""

    name: Callable[[str], str | None]
    """The name in a row, the new one of a renamed file; None for other lines."""
    old: Callable[[str], str | None] | None = None
    """The old name of a renamed file, in forms that show it."""
    own: re.Pattern[str] | None = None
    """Lines without a file's name that no other program prints."""
    beside: re.Pattern[str] | None = None
    """Lines without a name that the same program prints beside its rows, and others print too."""

    def names(self, lines: Iterable[str]) -> Iterator[str]:
        """The names in the lines, of a renamed file both."""
        for line in lines:
            if self.old is not None and (old := self.old(line)):
                yield old
            if name := self.name(line):
                yield name


_COMMIT = r"commit [0-9a-f]{7,}|[0-9a-f]{7,40} |Author: |Date: |Merge: |    |$"
ROWS: dict[str, NameRow] = {
    "plain": NameRow(lambda line: line),
    "wc": NameRow(
        _matcher(r"\s*(?:\d+\s+){1,5}(?!total$)(\S.*)"), own=regex(r"\A\s*+(?:\d++\s++){1,5}total$")
    ),
    "count": NameRow(_matcher(r"(.+):\d+$")),
    "counted": NameRow(_name_in_words),
    "describe": NameRow(
        _matcher(r"([^:]+): +(?!directory\b|cannot open)\S"),
        own=regex(r"\A[^:]++: ++(?:directory\b|cannot open)"),
    ),
    "sum": NameRow(_matcher(r"\\?[0-9a-f]{8,128} [ *](.+)")),
    "size": NameRow(_matcher(r"[\d.,]+[KMGTPB]?\s+(\S.*)")),
    "stat": NameRow(
        _matcher(r"\s+File: [‘'\"]?(.+?)[’'\"]?$"),
        beside=regex(r"\A *+(?:Size|Device|Access|Modify|Change|Birth): "),
    ),
    "diffstat": NameRow(
        _name_in_diffstat, _old_name_in_diffstat, beside=regex(rf"{_COMMIT}| \d+ files? changed")
    ),
    "status": NameRow(
        _name_in_status,
        _old_name_in_status,
        beside=regex(
            r"On branch |HEAD detached|Your branch |Changes |Untracked |  \(use |no changes |nothing "
            r"|Unmerged |Dropped |You are |All conflicts |Saved |$"
        ),
    ),
    "letters": NameRow(_name_in_letters, _old_name_in_letters, beside=regex(_COMMIT)),
    "raw": NameRow(
        _matcher(
            r":\d{6} \d{6} [0-9a-f.]{4,70} [0-9a-f.]{4,70} [MADRCTUX]\d{0,3}(?:\t| {2,7})(\S.*)$"
        ),
        beside=regex(_COMMIT),
    ),
    "numstat": NameRow(
        _matcher(r"(?:\d{1,9}|-)(?:\t| {2,7})(?:\d{1,9}|-)(?:\t| {2,7})(\S.*)$"),
        beside=regex(_COMMIT),
    ),
    "uniq": NameRow(_matcher(r"\s*\d+\s+(\S.*)")),
    "findls": NameRow(_matcher(r"\s*\d+\s+\d+\s+-\S+\s+.*\d\d:?\d\d (\S.*)$")),
    "treehash": NameRow(_matcher(r"\d{6} blob [0-9a-f]+\s+(.+)$")),
    "staged": NameRow(_matcher(r"\d{6} [0-9a-f]{7,64} \d(?:\t| {2,7})(.+)$")),
    "logname": NameRow(_name_in_log, beside=regex(_COMMIT)),
    "first": NameRow(_first_word),
    "last": NameRow(_last_word),
    "report": NameRow(
        _matcher(
            r"(?:\./)?((?=[^\s:(]*[./])[^\s:()]{1,1000})(?::\d{1,9}(?::\d{1,9})?:|\(\d{1,9},\d{1,9}\):) "
        ),
        beside=regex(""),
    ),
    "pydoc": NameRow(_matcher(r"    (/\S{1,1000}\.\w{1,10})$"), beside=regex("")),
    "test": NameRow(_matcher(r"([^\s:]{1,1000}\.\w{1,10})::\S"), beside=regex("")),
    "located": NameRow(_matcher(r"([^:]+):\d+:?$")),
}
"""Forms of rows, by the program that prints them."""
