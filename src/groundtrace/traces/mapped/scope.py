"""What an expression looks at, and whether it can fail: known from its tree, before any record.

An expression about a call sees the call with the record around it as `_record`. To put the two
together for every call is not needed for an expression that names members of one of them only.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from groundtrace.traces.mapped.compiled import Node, equality

RECORD = "_record"
"""Name of the record around a call, in expressions about the call."""

_CANNOT_FAIL = frozenset(
    {
        *("and_expression", "current", "field", "filter_projection", "identity", "index"),
        *("index_expression", "literal", "multi_select_list", "or_expression", "pipe"),
        *("projection", "subexpression"),
    }
)
_SHOWS_ALL = frozenset({"current", "value_projection"})
"""Kinds of nodes that can show all members of a value."""


def walk(tree: Any) -> Iterator[tuple[Node, int]]:
    """Every node with its depth."""
    stack: list[tuple[Any, int]] = [(tree, 0)]
    while stack:
        node, depth = stack.pop()
        if isinstance(node, dict) and "type" in node:
            yield node, depth
            stack += [(child, depth + 1) for child in node.get("children", ())]


def can_fail(tree: Node) -> bool:
    """Whether there may be a value for which an expression raises an error, as functions do."""
    return any(
        node["type"] not in _CANNOT_FAIL and equality(node) is None for node, _ in walk(tree)
    )


def is_of_element(tree: Node) -> bool:
    """Whether an expression gives the same for an element without the record around it."""
    return not any(
        node["type"] in _SHOWS_ALL or (node["type"] == "field" and node["value"] == RECORD)
        for node, _ in walk(tree)
    )


def part_on_record(tree: Node) -> Node | None:
    """What `_record.…` asks of the record; None for any other expression."""
    if tree["type"] != "subexpression":
        return None
    first, *rest = tree["children"]
    if first["type"] != "field" or first["value"] != RECORD:
        return None
    return rest[0] if len(rest) == 1 else {**tree, "children": rest}
