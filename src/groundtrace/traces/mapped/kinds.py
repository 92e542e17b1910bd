"""Kinds of records, and what remains of the expressions of a mapping for a kind.

Most expressions begin with a condition such as `type == 'message'`, and most records are not for
them: of seven records that Kimi writes for a call, three matter. The kind of a record is the names
of its members and the texts that conditions ask for. What these decide is worked out once for a
kind: `type == 'message' && message` is `message`, or nothing. A record of a kind that no expression
is for costs a lookup.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set
from typing import Any

from groundtrace.base.frozen import Frozen
from groundtrace.traces.mapped.compiled import Evaluate, Node, compiled, equality, is_false
from groundtrace.traces.mapped.scope import can_fail

Kind = tuple[str | None, ...] | None
"""The names of a record's members, and for each condition its text; None for any other value. A
record with very many members, or with an object in the place of such a text, has no kind."""

MAX_KINDS = 256
"""Kinds that are remembered; Copilot, with the most, writes about 20."""
MAX_NAMES = 64
"""Members of a record that has a kind."""

_CHAINS = frozenset({"subexpression", "index_expression", "pipe"})
_PROJECTIONS = frozenset({"projection", "filter_projection", "value_projection"})
_NOTHING_OF_NOTHING = frozenset({"field", "index", "identity", "current"})


class Rest(Frozen, frozen=True):
    """What remains of an expression for a kind of record."""

    evaluate: Evaluate
    can_fail: bool


class _Known(Frozen, frozen=True):
    """What a kind says about a record."""

    names: Set[str | None]
    texts: Mapping[str, str | None]
    """Operand of a condition, as text, to what the record has there."""


class Kinds:
    """The kinds of records that the expressions of a mapping distinguish."""

    def __init__(self, trees: Mapping[str, Node], first_counts: Set[str] = frozenset()) -> None:
        """Trees of the expressions; of those in `first_counts` the first value of a file counts,
        and false is a value."""
        self._trees = trees
        self._first_counts = first_counts
        self._rests: dict[Kind, Mapping[str, Rest]] = {}
        asked: dict[str, tuple[list[str], dict[Any, str]]] = {}
        for tree in trees.values():
            for operand, text in _conditions(tree):
                asked.setdefault(str(operand), (_names(operand), {}))[1][text] = text
        self._operands = tuple(asked)
        self._asked = [(first, rest, texts.get) for (first, *rest), texts in asked.values()]
        """For each operand its path, and what gives a text that is asked for, else None."""

    def of(self, record: Mapping[str, Any]) -> Kind:
        """The kind of a record."""
        if len(record) > MAX_NAMES:
            return None
        kind: list[str | None] = list(record)
        try:
            for first, rest, one_of in self._asked:
                value = record.get(first)
                for name in rest:
                    value = value.get(name) if isinstance(value, dict) else None
                kind.append(one_of(value))
        except TypeError:  # a list or an object in the place of a text
            return None
        return tuple(kind)

    def rests(self, kind: Kind) -> Mapping[str, Rest]:
        """The keys that can give something for a record of this kind, with what gives it."""
        found = self._rests.get(kind)
        if found is None:
            found = self._worked_out(kind)
            if len(self._rests) < MAX_KINDS:
                self._rests[kind] = found
        return found

    def _worked_out(self, kind: Kind) -> Mapping[str, Rest]:
        trees = self._trees
        if kind is not None:
            count = len(kind) - len(self._operands)
            texts = dict(zip(self._operands, kind[count:], strict=True))
            known = _Known(frozenset(kind[:count]), texts)
            trees = {key: _rest(tree, known) for key, tree in trees.items()}
        return {
            key: Rest(compiled(tree), can_fail(tree))
            for key, tree in trees.items()
            if not self._is_nothing(key, tree)
        }

    def _is_nothing(self, key: str, tree: Node) -> bool:
        """Whether an expression gives nothing. As a fact, false is something: it is kept."""
        if tree["type"] != "literal":
            return False
        return tree["value"] is None or (tree["value"] is False and key not in self._first_counts)


def _conditions(node: Node) -> Iterator[tuple[Node, str]]:
    """The comparisons of a path with a text that decide an expression."""
    if node["type"] in ("and_expression", "or_expression"):
        for child in node["children"]:
            yield from _conditions(child)
        return
    compared = equality(node)
    if compared is not None and isinstance(compared[1], str) and _names(compared[0]):
        yield compared[0], compared[1]


def _names(node: Node) -> list[str]:
    """The names of a path; empty for anything else."""
    path = node["children"] if node["type"] == "subexpression" else [node]
    return [step["value"] for step in path] if all(s["type"] == "field" for s in path) else []


def _literal(value: Any) -> Node:
    return {"type": "literal", "value": value, "children": []}


def _rest(node: Node, known: _Known) -> Node:
    """An expression that gives the same for records of a kind; a literal if the kind decides it."""
    kind, children = node["type"], node["children"]
    if kind == "field":
        return node if node["value"] in known.names else _literal(None)
    if kind == "comparator":
        return _rest_of_comparison(node, known)
    if kind in ("and_expression", "or_expression"):
        return _rest_of_logic(node, known)
    if kind in _CHAINS and not all(_is_nothing_of_nothing(step) for step in children[1:]):
        return node
    if kind in _CHAINS or kind in _PROJECTIONS:
        start = _rest(children[0], known)
        return start if start["type"] == "literal" and start["value"] is None else node
    return node


def _rest_of_logic(node: Node, known: _Known) -> Node:
    """An `or` ends with the first operand that is true, an `and` with the first that is false."""
    first, second = (_rest(child, known) for child in node["children"])
    if first["type"] != "literal":
        return {**node, "children": [first, second]}
    return second if is_false(first["value"]) is (node["type"] == "or_expression") else first


def _rest_of_comparison(node: Node, known: _Known) -> Node:
    compared = equality(node)
    if compared is None:
        return node
    operand, literal, is_equal = compared
    names, place = _names(operand), str(operand)
    if not names:
        return node
    if names[0] not in known.names:  # nothing is there, which is not equal to the literal
        return _literal(not is_equal)
    if not isinstance(literal, str) or place not in known.texts:
        return node
    return _literal((known.texts[place] == literal) is is_equal)


def _is_nothing_of_nothing(node: Node) -> bool:
    """Whether a step gives nothing for nothing."""
    kind, children = node["type"], node["children"]
    if kind in _CHAINS:
        return all(_is_nothing_of_nothing(step) for step in children)
    if kind in _PROJECTIONS:
        return _is_nothing_of_nothing(children[0])
    return kind in _NOTHING_OF_NOTHING
