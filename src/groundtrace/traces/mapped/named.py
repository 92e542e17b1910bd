"""Which members of a file the expressions of a mapping can look at; only these are decoded.

Half of a trace of trae-agent or Copilot is copies and telemetry that no expression names. The
expressions are followed through a tree of places. What they name there becomes a type for msgspec,
which skips everything else. A place whose whole value can be seen is decoded completely. Data of
any other shape does not fit the type; the caller decodes it completely.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypedDict, Union

from groundtrace.traces.mapped.compiled import Node
from groundtrace.traces.mapped.scope import RECORD

MAX_VALUES = 16
"""Values that an expression is followed for; each `||` can double them."""
MAX_PLACES = 500
MAX_DEPTH = 20
"""Beyond these limits, whole values are decoded: anybody may have written the mapping."""


class Place:
    """A place in a record, and how expressions use the value there."""

    def __init__(self, depth: int = 0) -> None:
        self.depth = depth
        self.members: dict[str, Place] = {}
        self.element: Place | None = None
        """Every element of a list."""
        self.is_seen = False
        """Whether all of the value can be seen."""
        self.is_tested = False
        """Whether the value is taken as true or false: an object without members is false."""

    def member(self, name: str) -> Place:
        """The place of a member."""
        if self.depth == MAX_DEPTH:
            self.see()
            return self
        return self.members.setdefault(name, Place(self.depth + 1))

    def elements(self) -> Place:
        """The place of the elements of a list."""
        if self.depth == MAX_DEPTH:
            self.see()
            return self
        if self.element is None:
            self.element = Place(self.depth + 1)
        return self.element

    def size(self) -> int:
        """How many places there are in this one."""
        inside = [*self.members.values(), *([self.element] if self.element is not None else [])]
        return 1 + sum(place.size() for place in inside)

    def see(self) -> None:
        """Note that all of the value can be seen."""
        self.is_seen = True

    def type(self) -> Any:
        """A type that has only what is used."""
        if self.is_seen or (self.is_tested and self.members):
            return Any
        kinds: list[Any] = [str, int, float, bool, None]
        if self.members:
            members = {name: place.type() for name, place in self.members.items()}
            kinds.append(TypedDict("Named", members, total=False))  # type: ignore[operator]
        if self.element is not None:
            kinds.append(list[self.element.type()])  # type: ignore[misc]
        return Union[tuple(kinds)] if self.members or self.element else Any  # noqa: UP007


class _Together(Place):
    """An element with the record around it."""

    def __init__(self, inside: Place, record: Place) -> None:
        super().__init__()
        self.inside, self.record = inside, record

    def member(self, name: str) -> Place:
        return self.record if name == RECORD else self.inside.member(name)

    def elements(self) -> Place:
        return self.inside.elements()

    def see(self) -> None:
        self.inside.see()
        self.record.see()


Value = Place | list["Value"]
"""What an expression may give: the value of a place, or a list that it makes."""


def follow(node: Node, values: list[Value]) -> list[Value]:
    """What an expression may give for these values; what it uses of them is noted."""
    step = _FOLLOWED.get(node["type"])
    if step is None or len(values) > MAX_VALUES:  # it may look at everything
        see(values)
        return []
    return step(node, values)


def see(values: Iterable[Value]) -> None:
    """Note that all of these values can be seen."""
    for value in values:
        if isinstance(value, list):
            see(value)
        else:
            value.see()


def elements(values: Iterable[Value]) -> list[Value]:
    """The elements of values that are lists."""
    found: list[Value] = []
    for value in values:
        found += value if isinstance(value, list) else [value.elements()]
    return found


def together(values: Iterable[Value], record: Place) -> list[Value]:
    """Elements with the record around them, as expressions about elements see them."""
    return [value if isinstance(value, list) else _Together(value, record) for value in values]


def _test(values: Iterable[Value]) -> None:
    for value in values:
        if isinstance(value, Place):
            value.is_tested = True


def _field(node: Node, values: list[Value]) -> list[Value]:
    return [value.member(node["value"]) for value in values if isinstance(value, Place)]


def _chain(node: Node, values: list[Value]) -> list[Value]:
    for child in node["children"]:
        values = follow(child, values)
    return values


def _logic(node: Node, values: list[Value]) -> list[Value]:
    first, second = (follow(child, values) for child in node["children"])
    _test(first)
    return first + second


def _seen(node: Node, values: list[Value]) -> list[Value]:
    """Functions and comparisons see their operands, and give a new value."""
    for child in node["children"]:
        see(follow(child, values))
    return []


def _projection(node: Node, values: list[Value]) -> list[Value]:
    listed, shown, *conditions = node["children"]
    projected = elements(follow(listed, values))
    for condition in conditions:
        _test(follow(condition, projected))
    return [follow(shown, projected)]


def _list(node: Node, values: list[Value]) -> list[Value]:
    made: list[Value] = []
    for child in node["children"]:
        made += follow(child, values)
    return [made]


_FOLLOWED: Mapping[str, Callable[[Node, list[Value]], list[Value]]] = {
    "and_expression": _logic,
    "comparator": _seen,
    "current": lambda _node, values: values,
    "field": _field,
    "filter_projection": _projection,
    "function_expression": _seen,
    "identity": lambda _node, values: values,
    "index": lambda _node, values: elements(values),
    "index_expression": _chain,
    "literal": lambda _node, _values: [],
    "multi_select_list": _list,
    "or_expression": _logic,
    "pipe": _chain,
    "projection": _projection,
    "subexpression": _chain,
}
"""Kind of a node to what follows it."""
