"""Where the name is in a line, by the program that prints it."""

from __future__ import annotations

import re
from collections.abc import Callable

from groundtrace.answers.listed import stat_names
from groundtrace.base.patterns import regex


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
