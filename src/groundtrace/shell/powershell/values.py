"""The objects that a PowerShell pipeline carries, as far as they are followed.

An object is known (text or a number), printed by something that is a part (`Content`, `Items`), or
unknown (None). Inside a loop it may be a `Counter` (a number that rises by one with each round), an
`Element` (the line of a stream that belongs to the round) or a `Line` (a text made of these). So
`for ($i = 0; $i -lt 9; $i++) { "{0}: {1}" -f ($i + 1), $lines[$i] }` is followed once, and shows
lines 1 to 9 with their numbers.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec
from msgspec.structs import replace

from groundtrace.shell.powershell.nodes import Block, Hash
from groundtrace.shell.streams import line_algebra as algebra
from groundtrace.shell.streams.content import Content
from groundtrace.shell.streams.numbered_lines import NumberedLines
from groundtrace.shell.streams.part import Opaque, Part, Parts


class Counter(msgspec.Struct, frozen=True):
    """A number that rises by one with each round of a loop."""

    first: int | None
    """Its value in the first round."""
    last: int | None = None
    """Its value in the last round, if the loop ends by it."""

    def plus(self, count: int) -> Counter:
        """The number with another one added."""
        first = None if self.first is None else self.first + count
        return Counter(first, None if self.last is None else self.last + count)


class Element(msgspec.Struct, frozen=True):
    """The line of a stream that belongs to the round."""

    stream: tuple[Part, ...]
    index: Counter
    """Its place in the stream, from 0."""
    chosen: bool = False
    """Only some rounds print it, by what the line holds."""


class Line(msgspec.Struct, frozen=True):
    """A text that is printed in each round and that holds the round's line."""

    element: Element
    number: Counter | None = None
    """The number at its start."""


class Item(msgspec.Struct, frozen=True):
    """The file of a round, in a loop over files whose names only the output shows."""

    variable: str
    """The variable of the shell that holds the name."""
    folder: str | None = None
    """Where the file is, if that is known."""


class ItemProperty(msgspec.Struct, frozen=True):
    """A property of the file of a round, before it is known how the rounds are told apart."""

    item: Item
    name: str


class Found(msgspec.Struct, frozen=True):
    """The match of a round, in a loop over what Select-String found; `name` is a property of it."""

    matches: Part
    name: str = ""


Obj = (
    str | int | Part | Counter | Element | Line | Item | ItemProperty | Found | Block | Hash | None
)
Objects = list[Obj]
MAX_ITEMS = 400
"""How many rounds over known values are followed."""


def parts_in(objects: Iterable[Obj]) -> Parts:
    """The parts among some objects."""
    return [item for item in objects if isinstance(item, Part)]


def numbers_in(objects: Sequence[Obj]) -> list[int] | None:
    """Known numbers; None if one of them is not known."""
    out: list[int] = []
    for item in objects:
        if isinstance(item, str) and item.strip().lstrip("-").isdecimal() and len(item) < 10:
            item = int(item)
        if not isinstance(item, int):
            return None
        out.append(item)
    return out


def number(objects: Sequence[Obj]) -> int | None:
    """The one known number."""
    known = numbers_in(objects)
    return known[0] if known and len(known) == 1 else None


def taken(parts: Sequence[Part], places: Sequence[int]) -> Parts:
    """Lines of a stream by their places, from 0; from the end if they are negative."""
    if not places:
        return []
    if all(place >= 0 for place in places):
        spans: list[tuple[int, int | None]] = []
        for place in places:
            if spans and spans[-1][1] == place:
                spans[-1] = (spans[-1][0], place + 1)
            else:
                spans.append((place + 1, place + 1))
        return algebra.select(parts, tuple(spans))
    if list(places) == list(range(-len(places), 0)):
        return algebra.tail(parts, len(places))
    return algebra.head(algebra.without_lines(parts), len(places))


def lines_of(line: Line | Element) -> Parts:
    """What a loop prints that prints this in each round."""
    element, counter = (line.element, line.number) if isinstance(line, Line) else (line, None)
    first, last = element.index.first, element.index.last
    stream: Parts = list(element.stream)
    own = stream[0] if len(stream) == 1 and isinstance(stream[0], Content) else None
    if first is None or first < 0:
        stream = algebra.without_lines(stream)
    elif first or last is not None:
        wanted = (first + 1, None if last is None else last + 1)
        stream = algebra.select(stream, (wanted,))
    true = None if own is None or first is None or first < 0 else own.line(first + 1)
    exact = counter is not None and true is not None and counter.first == true
    if exact and own is not None and not own.shuffled:
        return [
            replace(part, numbers="lead", by_text=element.chosen)
            if isinstance(part, Content)
            else part
            for part in stream
        ]
    if element.chosen:
        stream = algebra.blurred(stream)
    if counter is None:
        return stream
    return [
        NumberedLines(inner=part, rule=part.rule) if part.prints and part.leads else part
        for part in stream
    ]


def derived(objects: Iterable[Obj], rule: str) -> Objects:
    """Something made from objects: files among them are still shown, but not as lines."""
    parts = parts_in(objects)
    return [*algebra.derive(parts, rule)] if parts else [Opaque(rule=rule, expected=False)]
