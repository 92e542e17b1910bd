"""How a name stands in a line, by the program that prints it."""

from __future__ import annotations

import re
from collections.abc import Callable


def name_in_diffstat(line: str) -> str | None:
    row = re.match(r" (.+?) +\| +(?:\d+|Bin\b)", line)
    if row is None:
        return None
    name = row[1]
    if "=>" in name:
        name = re.sub(r"\{.*? => (.*?)\}", r"\1", name).split(" => ")[-1].replace("//", "/")
    return None if name.startswith("...") else name


def _name_in_status(line: str) -> str | None:
    row = re.match(
        r"(?:[ MADRCUT?!]{2} |\t(?:modified|new file|deleted|renamed|both modified): +|\t)(\S.*)",
        line,
    )
    return None if row is None else row[1].split(" -> ")[-1].strip('"')


def _matcher(pattern: str) -> Callable[[str], str | None]:
    compiled = re.compile(pattern)

    def take(line: str) -> str | None:
        match = compiled.match(line)
        return None if match is None else match[1]

    return take


FORMS: dict[str, Callable[[str], str | None]] = {
    "plain": lambda line: line,
    "wc": _matcher(r"\s*(?:\d+\s+){1,5}(?!total$)(\S.*)"),
    "count": _matcher(r"(.+):\d+$"),
    "describe": _matcher(r"([^:]+): +(?!directory\b|cannot open)\S"),
    "sum": _matcher(r"\\?[0-9a-f]{8,128} [ *](.+)"),
    "size": _matcher(r"[\d.,]+[KMGTPB]?\s+(\S.*)"),
    "stat": _matcher(r"\s+File: [‘'\"]?(.+?)[’'\"]?$"),
    "diffstat": name_in_diffstat,
    "status": _name_in_status,
    "letters": _matcher(r"[ MADRCTUX]\d{0,3}\t(?:[^\t]+\t)?([^\t]+)$"),
    "numstat": _matcher(r"(?:\d+|-)\t(?:\d+|-)\t(.+)$"),
    "uniq": _matcher(r"\s*\d+\s+(\S.*)"),
    "findls": _matcher(r"\s*\d+\s+\d+\s+-\S+\s+.*\d\d:?\d\d ((?:\.|/).*)$"),
    "tree": _matcher(r"(?:[│├└─|`\s -]*)\s*(\S.*)$"),
    "treehash": _matcher(r"\d{6} blob [0-9a-f]+\s+(.+)$"),
    "logname": _matcher(
        r"(?!commit |Author: |Date: |Merge: |[0-9a-f]{7,40}\b)((?=\S*[./]|[A-Z]+$)[^\s:](?:[^\s:]*|[^:]*/[^:]*))$"
    ),
    "first": _matcher(r"(\S*[./]\S*)(?:\s+\S+)+$"),
    "last": _matcher(r"(?:\S+\s+)+(\S*[./]\S*)$"),
    "report": _matcher(
        r"(?:\./)?((?=[^\s:(]*[./])[^\s:()]{1,1000})(?::\d{1,9}(?::\d{1,9})?:|\(\d{1,9},\d{1,9}\):) "
    ),
    "test": _matcher(r"([^\s:]{1,1000}\.\w{1,10})::\S"),
    "located": _matcher(r"([^:]+):\d+(?::|$)"),
}
"""How a name stands in a line, by the program that prints it."""
_COMMIT = r"commit [0-9a-f]{7,}|[0-9a-f]{7,40} |Author: |Date: |Merge: |    |$"
BESIDE = {
    "wc": re.compile(r"\s*(?:\d+\s+){1,5}total$"),
    "diffstat": re.compile(rf"{_COMMIT}| \d+ files? changed"),
    "letters": re.compile(_COMMIT),
    "numstat": re.compile(_COMMIT),
    "logname": re.compile(_COMMIT),
    "report": re.compile(""),
    "test": re.compile(""),
}
"""Lines without a name that the same program prints beside those with one."""
