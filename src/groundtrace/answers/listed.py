"""Answers that are lists of names: one name per line, trees, git's status, counts."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Sequence

import msgspec

from groundtrace.answers.file_names import (
    LONGEST_PATH,
    is_file,
    may_be_file,
    name_in_answer,
    word_path,
)
from groundtrace.answers.name_rows import ROWS
from groundtrace.base.patterns import regex
from groundtrace.base.quoted_names import without_quotes

_MARKED = regex(r"\[(FILE|DIR)\] +(\S.*)")
_SIZE = regex(r"(?<!\s)\s{2,}+[\d.,]++ ?[KMGT]?i?B\s*+\Z")
BRANCH = regex(r"(?P<bars>[│|\s\xa0]*)[├└|`](?:──|--) ?(?P<name>\S.*)")
"""A row of a drawn tree."""
DASHED = regex(r"(?P<indent>\s*)- (?P<name>.+)")
"""A row of an indented tree."""
_TREE_SUM = regex(r"\d+ director")
_TREE_FACTS = regex(r"\A\[[^\]]*+\]\s+")
"""What `tree -s` and `tree -p` print before a name."""
_MONTH = r"(?:[^\W\d_]{2,9}\.?|\d{1,2}\s?[月월])"
_DAY = r"\d{1,2}[.日일]?"
"""Months and days in any language: `Mär 12`, `12 févr.`, `5月 12`."""
LONG = regex(
    r"\s*(?:\d+\s+)*(?P<type>[-.dlbcpsD])[-rwxsStTl]{9}[.+@]?\s+(?:\d+(?:\.\d)?[kMG]?|-)\s++(?:\S++\s++)*?"
    rf"(?:(?:{_MONTH}\s+{_DAY}|{_DAY}\s+{_MONTH})\s+(?:\d{{1,2}}:\d{{2}}|\d{{4}}年?)"
    r"|\d{4}-\d\d-\d\d(?:[ T]\d\d:\d\d(?::\d\d(?:\.\d+)?(?: [+-]\d{4})?)?)?)\s(?P<name>.+)$"
)
"""A row of `ls -l`: type, rights, owner, size, date and name. `eza -l` has no number of links."""
TOTAL = regex(
    r"(?:total|totale|totaal|insgesamt|razem|celkem|summa|yhteensä|toplam|итого|合計|总用量|总计|總計|합계) \d[\d.,]*[KMGTP]?$"
)
"""The first line of `ls -l`."""
_SUM = regex(r"\d{1,9} total|(?:Found \d{1,9}|End of) match.*")
_COLUMN_GAP = regex(r" {2,}|\t+")
_BULLET = regex(r"(?:[-*•] +|\d{1,4}[.)] +)")
_SUMMARY = regex(r"\d+ (?:director|files?|results?|match)|Total|Found \d|\(", re.IGNORECASE)


def marked(lines: Sequence[str]) -> Iterator[str]:
    """`[FILE] name` and `[DIR] name`."""
    for line in lines:
        match = _MARKED.match(line[:LONGEST_PATH])
        if match is not None and match[1] == "FILE":
            yield _SIZE.sub("", match[2]).strip()


class TreeEntry(msgspec.Struct, frozen=True):
    """A name in a drawn tree."""

    root: str | None
    """The line above the tree, if there is one."""
    path: str
    """The folders above the name in the tree, and the name."""
    is_folder: bool
    """Other names lie below it."""


def tree_entries(lines: Sequence[str]) -> Iterator[TreeEntry]:
    """The names of a drawn tree; deeper rows lie in the row above them."""
    root: str | None = None
    rows: list[tuple[str | None, int, str]] = []
    for line in lines:
        branch = BRANCH.match(line[:LONGEST_PATH])
        if branch is not None:
            name = _TREE_FACTS.sub("", branch["name"], count=1).split(" -> ")[0]
            rows.append((root, len(branch["bars"]), name.removesuffix("*")))
        elif line.strip() and not _TREE_SUM.match(line):
            root = line.strip()
    above: list[tuple[int, str]] = []
    for index, (root, indent, name) in enumerate(rows):
        if index and root != rows[index - 1][0]:
            above.clear()
        while above and above[-1][0] >= indent:
            above.pop()
        is_folder = index + 1 < len(rows) and rows[index + 1][1] > indent
        if "/" in name.rstrip("/"):  # `tree -f` prints whole paths
            yield TreeEntry(None, name, is_folder)
        else:
            yield TreeEntry(root, "/".join([*(part for _, part in above), name]), is_folder)
        if is_folder:
            above.append((indent, name.rstrip("/")))


def tree(lines: Sequence[str]) -> Iterator[str]:
    """A drawn tree; the line above it is its folder if it is absolute, else it repeats what was
    asked for or is the name of the workspace."""
    count = sum(BRANCH.match(line[:LONGEST_PATH]) is not None for line in lines)
    if not count or 2 * count < sum(bool(line.strip()) for line in lines):
        return
    for entry in tree_entries(lines):
        root = entry.root or ""
        path = f"{root.rstrip('/')}/{entry.path}" if root.startswith("/") else entry.path
        if not entry.is_folder and is_file(path):
            yield path


def dashed_tree(lines: Sequence[str]) -> Iterator[str]:
    """Files of an indented tree of `- name` rows whose folders end in `/`."""
    above: list[tuple[int, str]] = []
    for row in filter(None, map(DASHED.fullmatch, lines)):
        indent, name = len(row["indent"]), row["name"].strip()
        while above and above[-1][0] >= indent:
            above.pop()
        path = posixpath.join(above[-1][1], name) if above else name
        if name.endswith("/"):
            above.append((indent, path))
        else:
            yield path


def indented(lines: Sequence[str]) -> Iterator[str]:
    """An indented tree whose folders end in `/`."""
    rows = [line for line in lines if line.strip()]
    plain = [line.strip().removeprefix("- ") for line in rows]
    has_folders = any(name.endswith("/") for name in plain)
    is_nested = any(line[:1] in " \t" for line in rows)
    if not (has_folders and is_nested) or any(" " in name for name in plain):
        return
    yield from _nested(
        [(len(line) - len(line.lstrip()), name) for line, name in zip(rows, plain, strict=True)]
    )


def _nested(rows: Sequence[tuple[int, str]]) -> Iterator[str]:
    above: list[tuple[int, str]] = []
    for index, (indent, name) in enumerate(rows):
        while above and above[-1][0] >= indent:
            above.pop()
        path = "/".join([*(name for _, name in above), name])
        is_parent = index + 1 < len(rows) and rows[index + 1][0] > indent
        if is_parent or name.endswith("/"):
            above.append((indent, name.rstrip("/")))
        elif is_file(path):
            yield path


class LongRow(msgspec.Struct, frozen=True):
    """A row of `ls -l`."""

    name: str
    kind: str
    """`-` for a file, `l` for a link, `d` for a folder or anything else."""


def long_row(line: str) -> LongRow | None:
    """The row of `ls -l` in a line; the target of a link is no part of its name."""
    row = LONG.match(line)
    if row is None:
        return None
    kind = {".": "-"}.get(row["type"], row["type"] if row["type"] in "-dl" else "d")
    return LongRow(row["name"].split(" -> ")[0] if kind == "l" else row["name"], kind)


def long_listing(lines: Sequence[str]) -> Iterator[str]:
    """`ls -l`: the type of a row says which names are files."""
    rows = [
        long_row(line[:LONGEST_PATH]) for line in lines if line.strip() and not TOTAL.match(line)
    ]
    if rows and all(rows):
        for row in rows:
            if row and (row.kind == "-" or (row.kind == "l" and is_file(row.name))):
                yield row.name


def in_columns(line: str) -> list[str]:
    """The names in a line of `ls`, which prints columns on a terminal."""
    if "  " not in line and "\t" not in line:
        return [line]
    return [name for name in _COLUMN_GAP.split(line) if name] or [""]


def folders(lines: Sequence[str]) -> Iterator[str]:
    """`ls -R`: names below the names of their folders, all of them below the first."""
    headings = {line[:-1] for line in lines if line.endswith(":")}
    filled = [line for line in lines if line.strip()]
    first = filled[0][:-1] if filled and filled[0].endswith(":") else ""
    names = [line.rstrip("/") for line in filled if not line.endswith(":")]
    if not first or len(headings) < 2 or not all(map(may_be_file, names)):
        return
    if not all(f"{name}/".startswith(f"{first}/") for name in headings):
        return
    folder = first
    for line in filled:
        if line.endswith(":"):
            folder = line[:-1]
        elif f"{folder}/{line.rstrip('/')}" not in headings:
            path = f"{folder}/{line}"[:LONGEST_PATH]
            if is_file(path):
                yield path


def diff_stat(lines: Sequence[str]) -> Iterator[str]:
    """`git diff --stat`."""
    if any("changed" in line for line in lines):
        yield from filter(is_file, ROWS["diffstat"].names(line[:LONGEST_PATH] for line in lines))


def git_status(lines: Sequence[str]) -> Iterator[str]:
    """`git status` in words."""
    if any(line.startswith(("On branch ", "HEAD detached ")) for line in lines[:4]):
        rows = (line[:LONGEST_PATH].rstrip() for line in lines)
        yield from filter(is_file, ROWS["status"].names(rows))


_TOLD = ("letters", "raw", "numstat", "treehash", "staged", "sum", "findls")
"""Rows whose form alone says that they hold a name."""
_ALIKE = ("letters", "numstat", "status", "counted", "wc", "size")
"""Rows that other texts resemble: the name must be spelled like one. The first two are among those
above if they have tabs."""
_BESIDE = {
    **dict.fromkeys(
        ("treehash", "findls"), regex(r"\A(?:\s*+\d++\s++\d++\s++d|\d{6} (?:tree|commit) )")
    ),
    "status": regex(r"## \S"),
}
"""Rows of folders, and the branch above states."""
_NOT_IN = {"wc": regex(r"\A[^\t]*+\t"), "size": regex(r"\A(?![\d.,]++[KMGTPB]\s)")}
"""Numbered contents: `12`, a tab and a line that may be spelled like a name."""


def name_rows(lines: Sequence[str]) -> Iterator[str]:
    """Rows that hold a name each: states, objects, sums, sizes, counts."""
    filled = [line.rstrip()[:LONGEST_PATH] for line in lines if line.strip()]
    for form in _TOLD:
        rows = _rows_of(form, filled)
        if rows and (form not in _ALIKE or all("\t" in row for row in rows)):
            yield from filter(may_be_file, map(without_quotes, ROWS[form].names(rows)))
            return
    filled = [line for line in filled if not _SUM.fullmatch(line.strip())]
    for form in _ALIKE:
        rows = _rows_of(form, filled)
        if rows and not any(map(_NOT_IN[form].match, rows) if form in _NOT_IN else ()):
            yield from filter(_is_spelled, map(without_quotes, ROWS[form].names(rows)))
            return


def _rows_of(form: str, filled: Sequence[str]) -> list[str]:
    """The rows of one form; none if there are other lines than those that stand beside them."""
    row = ROWS[form]
    rows = [line for line in filled if row.name(line)]
    others = [pattern for pattern in (row.own, row.beside, _BESIDE.get(form)) if pattern]
    is_all = len(rows) == len(filled) or all(
        row.name(line) or any(pattern.match(line) for pattern in others) for line in filled
    )
    return rows if is_all else []


def _is_spelled(name: str) -> bool:
    return bool(word_path(name) or name_in_answer(name))


def names(lines: Sequence[str]) -> Iterator[str]:
    """One path per line and nothing else, except a heading and a total."""
    filled = [line.strip() for line in lines if line.strip()]
    if len(filled) > 1 and filled[0].endswith(":"):
        filled = filled[1:]
        headed = True
    else:
        headed = False
    while len(filled) > 1 and _SUMMARY.match(filled[-1]):
        filled.pop()
    if len(filled) > 1 and _SUMMARY.match(filled[0]):
        filled = filled[1:]
        headed = True
    plain = [_BULLET.sub("", line, count=1) for line in filled]
    paths = [word_path(name) or name_in_answer(name) for name in plain]
    others = [name for name, path in zip(plain, paths, strict=True) if not path]
    if any("/" not in name or " " in name or "://" in name for name in others):
        return
    found = [path for path in paths if path]
    if headed or len(found) > 1 or any("/" in path for path in found):
        yield from found


LISTINGS = (
    marked, tree, long_listing, indented, folders, diff_stat, git_status, name_rows, names,
)  # fmt: skip
"""Shapes of lists, tried in this order."""
