"""Line algebra: what head, tail, sed, grep and similar programs leave of a stream.

A stream is a list of parts, and a filter maps it to another list. Lines stay lines of the file they
came from: `tail -n +100 a.py | head -20` is "from line 100", then "the first 20 of that": lines
100–119 of a.py. Each part itself says what a filter leaves of it. This module handles what depends
on the place in the stream: the second of two parts has only the room that the first left.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from groundtrace.model import FileRef
from groundtrace.shell.streams.filters import Filter
from groundtrace.shell.streams.numbered_lines import NumberedLines
from groundtrace.shell.streams.part import Count, Part, Parts, as_kind
from groundtrace.shell.streams.spans import Spans


def shown_files(parts: Iterable[Part]) -> tuple[FileRef, ...]:
    """The files of a stream as read, if something else is made from their contents."""
    return as_kind((ref for part in parts for ref in part.behind()), "read")


def head(parts: Sequence[Part], count: int) -> Parts:
    """`head -n count`."""
    shared = len(parts) > 1 and sum([part.prints for part in parts]) > 1
    first = _first(parts)
    return [
        part.head(count, at == first, shared) if part.prints else part
        for at, part in enumerate(parts)
    ]


def tail(parts: Sequence[Part], count: int) -> Parts:
    """`tail -n count`."""
    last = len(parts) - 1 - _first(reversed(parts))
    return [part.tail(count, at == last) if part.prints else part for at, part in enumerate(parts)]


def select(parts: Sequence[Part], wanted: Spans) -> Parts:
    """`sed -n 'a,bp'`, `tail -n +a`, `awk 'NR>=a'`: ranges of lines by their number."""
    size: int | None = 0
    for low, high in wanted:
        size = None if size is None or high is None else size + max(0, high - low + 1)
    first = _first(parts)
    return [
        part.select(wanted, size, at == first) if part.prints else part
        for at, part in enumerate(parts)
    ]


def _first(parts: Iterable[Part]) -> int:
    """The position of the first part that prints."""
    for at, part in enumerate(parts):
        if part.prints:
            return at
    return 0


def number(parts: Sequence[Part]) -> Parts:
    """`cat -n`: lines begin with their number.

    It is the file's own number only if the whole file is there.
    """
    alone = sum(part.prints for part in parts) == 1
    return [_led(part, part.number(alone)) for part in parts]


def number_text(parts: Iterable[Part]) -> Parts:
    """`nl`: numbers that are not those of a file, because empty lines have none."""
    return [_led(part, part) for part in parts]


def _led(part: Part, numbered: Part) -> Part:
    """What a part is with numbers in front, if it does not say so itself (`numbered`)."""
    if numbered is not part or not part.leads or not part.prints:
        return numbered
    return NumberedLines(
        inner=part, rule=part.rule, maybe=part.maybe, quiet=part.quiet, serial=part.serial
    )


def chosen(parts: Iterable[Part]) -> Parts:
    """Numbered lines chosen by their text become found lines: one span from first to last."""
    return [part.chosen() for part in parts]


def without_lines(parts: Iterable[Part]) -> Parts:
    """The same lines, but it is not known which lines of a file they are."""
    return [part.without_lines() for part in parts]


def blurred(parts: Iterable[Part]) -> Parts:
    """Lines chosen by their text: the files are known, the lines are not."""
    return [part.blurred() for part in parts]


def search(parts: Sequence[Part], how: Filter) -> Parts:
    """`... | grep`: lines of a content become found lines; names stay names.

    With -n the numbers are those of the stream. They are the file's own only if the file is alone
    in it.
    """
    if how.numbered and sum(part.prints for part in parts) > 1:
        parts = without_lines(parts)
    return [part.filter(how) for part in parts]


def reorder(parts: Iterable[Part], dropping: bool = False) -> Parts:
    """`sort`, `tac`, `uniq`: the same lines in another order, or fewer."""
    return [part.reorder(dropping) for part in parts]


def derive(parts: Iterable[Part], rule: str = "") -> Parts:
    """Something made from the stream: its files are still shown, but their lines are not known."""
    return [part.derive(rule) for part in parts]


def count(parts: Iterable[Part], rule: str = "wc") -> Parts:
    """Only numbers are printed."""
    return [*(part for part in parts if not part.prints), Count(rule=rule)]


def names_of(parts: Iterable[Part], rule: str = "") -> Parts:
    """The first field of `name:line:text`: only names are left of a search."""
    return [part.names(rule) for part in parts]


def places_of(parts: Iterable[Part], rule: str = "") -> Parts:
    """The first two fields of `name:line:text`: names and numbers, no contents."""
    return [part.places(rule) for part in parts]


def quiet(parts: Iterable[Part]) -> Parts:
    """Errors of these parts are not seen."""
    return [part if part.quiet else replace(part, quiet=True) for part in parts]
