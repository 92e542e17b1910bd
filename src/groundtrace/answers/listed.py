"""Answers that are lists of names: one name per line, trees, git's status, counts."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from groundtrace.answers.file_names import LONGEST_PATH, is_file, name_in_answer, word_path
from groundtrace.base.patterns import regex

_MARKED = regex(r"\[(FILE|DIR)\] +(\S.*)")
_SIZE = regex(r"(?<!\s)\s{2,}+[\d.,]++ ?[KMGT]?i?B\s*+\Z")
_BRANCH = regex(r"(?P<bars>[│|\s\xa0]*)[├└|`](?:──|--) ?(?P<name>\S.*)")
_STAT = regex(r" +(?:\d+|Bin)\b")
_STATUS = regex(r"\t(?:(?:modified|deleted|new file|renamed|typechange): +)?(?P<path>\S.*)")
_COUNT = regex(
    r"(?P<first>[^\s:][^:\t]{0,1000}?) \([1-9]\d{0,8} match(?:es)?\)"
    r"|(?P<path>[^\s:][^:\t]{0,1000}): ?[1-9]\d{0,8}(?: (?:match(?:es)?|lines?|times?|hits?))?"
    r"|[1-9]\d{0,8} +(?P<behind>[^\s:][^:\t]{0,1000})"
)
LONG = regex(
    r"\s*(?:\d+\s+)*(?P<type>[-dlbcpsD])[-rwxsStTl]{9}[.+@]?\s+\d+\s.*?"
    r"(?:[A-Z][a-z]{2}\s+\d{1,2}\s+(?:\d{1,2}:\d{2}|\d{4})|\d{1,2} [A-Z][a-z]{2} +(?:\d{1,2}:\d{2}|\d{4})"
    r"|\d{4}-\d\d-\d\d(?:[ T]\d\d:\d\d(?::\d\d(?:\.\d+)?(?: [+-]\d{4})?)?)?)\s(?P<name>.+)$"
)
"""A row of `ls -l`: type, rights, owner, size, date and name."""
TOTAL = regex(r"total \d[\d.,]*[KMGTP]?$")
"""The first line of `ls -l`."""
_SUM = regex(r"\d{1,9} total|(?:Found \d{1,9}|End of) match.*")
_STATE = regex(r"(?:[AMDTUXB]|[RC]\d{1,3})\t(?P<paths>[^\t]+(?:\t[^\t]+)?)")
_RENAMED = regex(r"(?P<before>[^{}]*)\{(?P<old>[^{}]*) => (?P<new>[^{}]*)\}(?P<behind>[^{}]*)")
_BULLET = regex(r"(?:[-*•] +|\d{1,4}[.)] +)")
_SUMMARY = regex(r"\d+ (?:director|files?|results?|match)|Total|Found \d|\(", re.IGNORECASE)


def marked(lines: Sequence[str]) -> Iterator[str]:
    """`[FILE] name` and `[DIR] name`."""
    for line in lines:
        match = _MARKED.match(line[:LONGEST_PATH])
        if match is not None and match[1] == "FILE":
            yield _SIZE.sub("", match[2]).strip()


def tree(lines: Sequence[str]) -> Iterator[str]:
    """A tree with branches; its first line may be the folder."""
    rows = [(match, line) for line in lines if (match := _BRANCH.match(line[:LONGEST_PATH]))]
    if not rows or 2 * len(rows) < sum(bool(line.strip()) for line in lines):
        return
    root = next((line.strip() for line in lines if line.strip()), "")
    root = root if root.startswith("/") else ""
    yield from _nested([(len(match["bars"]), match["name"]) for match, _ in rows], root)


def indented(lines: Sequence[str]) -> Iterator[str]:
    """An indented tree whose folders end in `/`."""
    rows = [line for line in lines if line.strip()]
    plain = [line.strip().removeprefix("- ") for line in rows]
    has_folders = any(name.endswith("/") for name in plain)
    is_nested = any(line[:1] in " \t" for line in rows)
    if not (has_folders and is_nested) or any(" " in name for name in plain):
        return
    yield from _nested(
        [(len(line) - len(line.lstrip()), name) for line, name in zip(rows, plain, strict=True)], ""
    )


def _nested(rows: Sequence[tuple[int, str]], root: str) -> Iterator[str]:
    above: list[tuple[int, str]] = []
    for index, (indent, name) in enumerate(rows):
        while above and above[-1][0] >= indent:
            above.pop()
        parts = [part for part in (root.rstrip("/"), *(name for _, name in above)) if part]
        path = "/".join([*parts, name])
        is_parent = index + 1 < len(rows) and rows[index + 1][0] > indent
        if is_parent or name.endswith("/"):
            above.append((indent, name.rstrip("/")))
        elif is_file(path):
            yield path


def long_listing(lines: Sequence[str]) -> Iterator[str]:
    """`ls -l`: the type of a row says which names are files."""
    rows = [line for line in lines if line.strip() and not TOTAL.match(line)]
    found = [LONG.match(line[:LONGEST_PATH]) for line in rows]
    if found and all(found):
        yield from (row["name"] for row in found if row and row["type"] == "-")


def diff_stat(lines: Sequence[str]) -> Iterator[str]:
    """`git diff --stat`."""
    if not any("changed" in line for line in lines):
        return
    for line in lines:
        yield from filter(is_file, stat_names(line[:LONGEST_PATH]))


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


def git_status(lines: Sequence[str]) -> Iterator[str]:
    """`git status`."""
    if not any(line.startswith("On branch ") for line in lines[:4]):
        return
    for line in lines:
        match = _STATUS.fullmatch(line[:LONGEST_PATH].rstrip())
        if match is not None and is_file(match["path"]):
            yield match["path"]


def counts(lines: Sequence[str]) -> Iterator[str]:
    """`path:3` on each line: how often something occurs in a file; no lines of the file."""
    filled = [line.strip() for line in lines if line.strip() and not _SUM.fullmatch(line.strip())]
    found = [match for line in filled if (match := _COUNT.fullmatch(line[:LONGEST_PATH]))]
    if found and len(found) == len(filled):
        paths = [match["first"] or match["path"] or match["behind"] for match in found]
        yield from (path for path in paths if word_path(path))


def states(lines: Sequence[str]) -> Iterator[str]:
    """`git diff --name-status`: a letter and a name, for a renamed file two names."""
    filled = [line.rstrip() for line in lines if line.strip()]
    found = [_STATE.fullmatch(line[:LONGEST_PATH]) for line in filled]
    if found and all(found):
        yield from (path for match in found if match for path in match["paths"].split("\t"))


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


LISTINGS = (marked, tree, long_listing, indented, diff_stat, git_status, states, counts, names)
"""Shapes of lists, tried in this order."""
