"""What a loop goes over, as far as its head shows: `while read a b`, `for ((i=1; i<=9; i++))`."""

from __future__ import annotations

from typing import NamedTuple

from groundtrace.base.patterns import regex

_READ = regex(r"(?:IFS=\S*\s+)?read\b((?:\s+-\w+(?:\s+(?:''|\"\"|\$'[^']*'))?)*)((?:\s+\w+)*)")
_COUNTED = regex(
    r"for\s*\(\(\s*(?P<name>\w+)\s*=\s*(?P<low>[0-9]{1,9})\s*;\s*\w+\s*(?P<sign><=?)\s*(?P<high>[0-9]{1,9})\s*;"
    r"\s*\w+\s*(?:\+\+|\+=\s*(?P<step>[0-9]{1,9}))\s*\)\)"
)


class Counter(NamedTuple):
    """The variable of a counting loop and its values."""

    name: str
    values: range


def read_names(condition: str) -> list[str] | None:
    """Variables of `while read a b`; None if the loop reads nothing."""
    read = _READ.match(condition)
    return None if read is None else read[2].split() or ["REPLY"]


def counted(source: str) -> Counter | None:
    """`for ((i=1; i<=9; i++))`; None for loops that count in another way."""
    head = _COUNTED.match(source)
    if head is None:
        return None
    stop = int(head["high"]) + (head["sign"] == "<=")
    return Counter(head["name"], range(int(head["low"]), stop, int(head["step"] or 1) or 1))
