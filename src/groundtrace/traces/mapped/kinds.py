"""Kinds of records, and which keys of a mapping can give something for a kind.

Most expressions begin with a condition such as `type == 'message'`, and most records are not for
them: of seven records that Kimi writes for a call, three matter. The kind of a record is the names
of its members and the texts that conditions ask for. What these decide is worked out once for a
kind, without evaluating an expression; a record of a kind that no expression is for costs a lookup.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set
from typing import Any

from groundtrace.frozen import Frozen
from groundtrace.traces.mapped.compiled import Evaluate, Node, compiled, equality, is_false

Kind = tuple[str | None, ...]
"""The names of a record's members, and for each condition its text; None for any other value."""

UNKNOWN = object()
"""Value of an expression that the kind of a record does not decide."""
MAX_KINDS = 256
"""Kinds that are remembered; Copilot, with the most, writes about 20."""
MAX_NAMES = 64
"""A record with more members has no kind: kinds are kept."""

_CHAINS = frozenset({"subexpression", "index_expression", "pipe"})
_PROJECTIONS = frozenset({"projection", "filter_projection", "value_projection"})
_NOTHING_OF_NOTHING = frozenset({"field", "index", "identity", "current"})
_LOGIC = frozenset({"and_expression", "or_expression"})


class _Known(Frozen, frozen=True):
    """What a kind says about a record."""

    names: Set[str | None]
    texts: Mapping[str, str | None]
    """Condition, as text, to the text that the record has there."""


class Kinds:
    """The kinds of records that the expressions of a mapping distinguish."""

    def __init__(self, trees: Mapping[str, Node], first_counts: Set[str] = frozenset()) -> None:
        """Trees of the expressions; of those in `first_counts` the first value of a file counts,
        and false is a value."""
        self._trees = trees
        self._first_counts = first_counts
        self._keys: dict[Kind, tuple[str, ...]] = {}
        asked: dict[str, tuple[Node, set[str]]] = {}
        for tree in trees.values():
            for operand, text in _conditions(tree):
                asked.setdefault(str(operand), (operand, set()))[1].add(text)
        self._places = tuple(asked)
        self._asked: list[tuple[Evaluate, frozenset[str]]] = [
            (compiled(operand), frozenset(texts)) for operand, texts in asked.values()
        ]

    def of(self, record: Mapping[str, Any]) -> Kind | None:
        """The kind of a record, if it has one."""
        if len(record) > MAX_NAMES:
            return None
        kind: list[str | None] = list(record)
        for evaluate, texts in self._asked:
            value = evaluate(record)
            kind.append(value if type(value) is str and value in texts else None)
        return tuple(kind)

    def keys(self, kind: Kind | None) -> tuple[str, ...]:
        """The keys that can give something for a record of this kind."""
        if kind is None:
            return tuple(self._trees)
        found = self._keys.get(kind)
        if found is None:
            count = len(kind) - len(self._places)
            texts = dict(zip(self._places, kind[count:], strict=True))
            known = _Known(frozenset(kind[:count]), texts)
            values = {key: _value(tree, known) for key, tree in self._trees.items()}
            found = tuple(key for key, value in values.items() if not self._is_nothing(key, value))
            if len(self._keys) < MAX_KINDS:
                self._keys[kind] = found
        return found

    def _is_nothing(self, key: str, value: Any) -> bool:
        """Whether a value says nothing. As a fact, false does: it keeps later values away."""
        return value is None or (value is False and key not in self._first_counts)


def _conditions(node: Node) -> Iterator[tuple[Node, str]]:
    """The comparisons of a path with a text that decide an expression."""
    if node["type"] in _LOGIC:
        for child in node["children"]:
            yield from _conditions(child)
        return
    compared = equality(node)
    if compared is not None and isinstance(compared[1], str) and _first_name(compared[0]):
        yield compared[0], compared[1]


def _first_name(node: Node) -> str | None:
    """The first name of a path; None for anything else."""
    path = node["children"] if node["type"] == "subexpression" else [node]
    return path[0]["value"] if all(step["type"] == "field" for step in path) else None


def _value(node: Node, known: _Known) -> Any:
    kind, children = node["type"], node["children"]
    if kind == "literal":
        return node["value"]
    if kind == "field":
        return UNKNOWN if node["value"] in known.names else None
    if kind in _LOGIC:
        return _logic(kind == "or_expression", children, known)
    if kind == "comparator":
        return _comparison(node, known)
    if kind in _CHAINS and not all(_is_nothing_of_nothing(step) for step in children[1:]):
        return UNKNOWN
    if kind in _CHAINS or kind in _PROJECTIONS:
        return None if _value(children[0], known) is None else UNKNOWN
    return UNKNOWN


def _logic(is_or: bool, operands: list[Node], known: _Known) -> Any:
    """An `or` ends with the first operand that is true, an `and` with the first that is false."""
    value = None
    for operand in operands:
        value = _value(operand, known)
        if value is UNKNOWN or is_false(value) is not is_or:
            return value
    return value


def _comparison(node: Node, known: _Known) -> Any:
    compared = equality(node)
    if compared is None:
        return UNKNOWN
    operand, literal, is_equal = compared
    name, place = _first_name(operand), str(operand)
    if name is None:
        return UNKNOWN
    if name not in known.names:  # nothing there, and that is not equal to the literal
        return not is_equal
    if not isinstance(literal, str) or place not in known.texts:
        return UNKNOWN
    return (known.texts[place] == literal) is is_equal


def _is_nothing_of_nothing(node: Node) -> bool:
    """Whether a step gives nothing for nothing."""
    kind, children = node["type"], node["children"]
    if kind in _CHAINS:
        return all(_is_nothing_of_nothing(step) for step in children)
    if kind in _PROJECTIONS:
        return _is_nothing_of_nothing(children[0])
    return kind in _NOTHING_OF_NOTHING
