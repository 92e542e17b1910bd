"""What programs of Windows print: directories, tables and lists of properties, marked lines.

    Mode                 LastWriteTime         Length Name          Get-ChildItem
    -a----        2026-01-02     10:11           1234 app.py

    01/02/2026  10:11 AM             1,234 app.py                   dir of cmd

    > src\\app.py:12:text                                            Select-String -Context

Dates and headings are those of the user's language. What stays the same is read: the letters of the
mode, a time, a size, the lines of dashes below a heading.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from groundtrace.base.patterns import regex

_HEADING = regex(r"\s{2,8}[^\s:][^:]{0,30}?\s?: (?P<folder>(?:[A-Za-z]:[\\/]|\\\\|/|\w+::).*)$")
"""`    Directory: C:\\w\\src`, in any language."""
_TIME = r"\d{1,2}[:.]\d{2}(?:[:.]\d{2})?(?:\s?[AaPp]\.?\s?[Mm]\.?|\s?[上下]午)?"
_ROW = regex(
    r"(?P<mode>[dl-][a-][r-][h-][s-][l-]?)\s+\S.{0,30}?"
    rf"(?<![\d:.]){_TIME}\s+(?P<rest>\S.*)$"
)
"""A row of Get-ChildItem: mode, date, time, size and name; a folder has no size."""
_SIZED = regex(r"(?:\d{1,15}|\(\d{1,15}\)) (?P<name>\S.*)$")
_COLUMNS = regex(
    r"Mode\s+LastWriteTime(?:\s+\(?\w+\)?)?\s+(?:Length|Size)\s+Name\s*$|(?:Mode|----)\s+\S"
)
_CMD_HEADING = regex(r" (?:\S.{0,40}? )?(?P<folder>[A-Za-z]:\\[^|<>*?\"]*?)(?: \S{1,12})?$")
_CMD_ROW = regex(
    rf"\d{{1,4}}[./-]\d{{1,2}}[./-]\d{{1,4}}\.?\s+(?:[上下]午\s?)?{_TIME}\s+"
    r"(?:<(?P<kind>[A-Z]{3,10})>|(?P<size>\d[\d.,\xa0\u202f' ]{0,20}))\s+(?P<name>\S.*)$"
)
_CMD_OTHER = regex(
    r" (?:Volume |Datenträger|Volumeseriennummer|Le volume|驱动器|卷)|\s+\d+ (?:File|Dir|Datei|Verzeichnis|fichier|Rép|个)"
)


class DirectoryRow(msgspec.Struct, frozen=True):
    """An entry of a directory as it is printed."""

    name: str
    is_folder: bool


def heading(line: str) -> str | None:
    """The folder that a heading of Get-ChildItem names."""
    found = _HEADING.match(line)
    return None if found is None else found["folder"].strip()


def row(line: str) -> DirectoryRow | None:
    """An entry of Get-ChildItem's table."""
    found = _ROW.match(line)
    if found is None:
        return None
    rest, is_folder = found["rest"], found["mode"][0] == "d"
    sized = None if is_folder else _SIZED.match(rest)
    if not is_folder and sized is None and found["mode"][0] != "l":
        return None
    name = sized["name"] if sized is not None else rest
    return DirectoryRow(name.split(" -> ")[0].strip(), is_folder)


def is_column_heading(line: str) -> bool:
    """Whether a line is a part of the table's heading."""
    return _COLUMNS.match(line) is not None


def cmd_heading(line: str) -> str | None:
    """The folder that a heading of cmd's `dir` names."""
    found = _CMD_HEADING.match(line) if not _CMD_OTHER.match(line) else None
    return None if found is None else found["folder"]


def cmd_row(line: str) -> DirectoryRow | None:
    """An entry that cmd's `dir` prints."""
    found = _CMD_ROW.match(line)
    if found is None:
        return None
    return DirectoryRow(
        found["name"].split(" [")[0].strip(), found["kind"] in ("DIR", "JUNCTION", "SYMLINKD")
    )


def is_cmd_frame(line: str) -> bool:
    """Whether a line is one that cmd's `dir` prints around its entries."""
    return _CMD_OTHER.match(line) is not None


# --- properties of objects ------------------------------------------------------------------------

_DASHES = regex(r"\s*-+(?:\s+-+)*\s*$")
_PROPERTY = regex(r"(?P<name>[A-Za-z_][\w ]{0,60}?)\s*: ?(?P<value>.*)$")
Record = dict[str, str]
"""Properties of an object by name, in small letters."""


def is_dashes(line: str) -> bool:
    """Whether a line is the rule below the names of a table's columns."""
    return "-" in line and _DASHES.match(line) is not None


def records(lines: Sequence[str]) -> Iterator[Record]:
    """Objects as Format-Table or Format-List prints them."""
    rule = next((at for at, line in enumerate(lines) if at and is_dashes(line)), None)
    return _listed(lines) if rule is None else _tabled(lines, rule)


def _tabled(lines: Sequence[str], rule: int) -> Iterator[Record]:
    starts = [found.start() for found in regex(r"-+").finditer(lines[rule])]
    names = [lines[rule - 1][low:high].strip().lower() for low, high in _pairs(starts)]
    for line in lines[rule + 1 :]:
        if not line.strip() or is_dashes(line):
            continue
        cells = [line[low:high].strip() for low, high in _pairs(_cell_starts(line, starts))]
        yield dict(zip(names, cells, strict=True))


def _cell_starts(line: str, starts: Sequence[int]) -> list[int]:
    """Where the cells of a row begin: a number that is longer than its heading begins before it."""
    out = [0]
    for start in starts[1:]:
        at = min(start, len(line))
        while at > out[-1] + 1 and at < len(line) and line[at - 1] != " ":
            at -= 1
        out.append(at)
    return out


def _pairs(starts: Sequence[int]) -> Iterator[tuple[int, int | None]]:
    return zip(starts, [*starts[1:], None], strict=True)


def _listed(lines: Sequence[str]) -> Iterator[Record]:
    record: Record = {}
    width = 0
    for line in lines:
        found = _PROPERTY.match(line)
        if not line.strip():
            if record:
                yield record
            record = {}
        elif found is not None and (not record or found.start("value") == width):
            width = found.start("value")
            record[found["name"].lower()] = found["value"].strip()
        elif record and line[:width].isspace():
            last = next(reversed(record))  # a value that goes on in the next line
            record[last] += line[width:].rstrip()
    if record:
        yield record


# --- lines that Select-String found ---------------------------------------------------------------


def unmarked(line: str) -> str:
    """A line of Select-String without its mark: `> ` for a match, two blanks for context."""
    return line[2:] if line[:2] in ("> ", "  ") else line
