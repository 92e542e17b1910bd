"""JMESPath expressions of a mapping: checked, with limits, and as functions for reading one file.

Anybody may have written the mapping. Repeated `[@, @]` and `[]` double a value each time, so an
expression of a hundred characters could fill all memory: length, depth and number of branches of an
expression are limited. An expression that fails gives nothing. How often each one failed, and where
first, is counted and reported when the file has been read.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import jmespath
import msgspec
from jmespath.exceptions import JMESPathError
from jmespath.functions import Functions
from msgspec import field

from groundtrace.base.suggest import unknown_name
from groundtrace.traces.mapped.compiled import Evaluate, Node, compiled, equality

# --- what an expression looks at, and whether it can fail: known from its tree ---
# An expression about a call sees the call with the record around it as `_record`. To put the two
# together for every call is not needed for an expression that names members of one of them only.

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


# --- limits ---

MAX_LENGTH = 2_000
MAX_DEPTH = 40
MAX_NODES = 400
MAX_BRANCHES = 64
"""How many copies of a value all lists in an expression may make together."""


class ExpressionError(ValueError):
    """An expression that cannot be used, and why."""


FAILURES = (
    *(JMESPathError, RecursionError),
    *(TypeError, ValueError, KeyError, AttributeError, OverflowError),
)
"""What a checked expression can raise: it was written for other values."""


class Expression:
    """An expression that was checked."""

    def __init__(self, text: str) -> None:
        """Raises ExpressionError."""
        if len(text) > MAX_LENGTH:
            raise ExpressionError(f"longer than {MAX_LENGTH:,} characters")
        try:
            with warnings.catch_warnings():
                # An old spelling of a text (`x` without quotes) is still understood.
                warnings.simplefilter("ignore", PendingDeprecationWarning)
                parsed = jmespath.compile(text).parsed
        except JMESPathError as error:
            reason = " ".join(str(error).split())
            raise ExpressionError(f"not a JMESPath expression: {reason[:300]}") from error
        except (RecursionError, ValueError, TypeError, IndexError, AttributeError) as error:
            raise ExpressionError(f"not a JMESPath expression: {error}"[:300]) from error
        _check(parsed)
        self.text = text
        self.tree: Node = parsed
        self.evaluate = compiled(parsed)
        """Gives the value of the expression; raises one of FAILURES."""
        self.can_fail = can_fail(parsed)
        self.is_of_element = is_of_element(parsed)
        """Whether it needs only the element, and not the record around it."""
        part = part_on_record(parsed)
        self.of_record = None if part is None else compiled(part)
        """Gives the value for the record around an element, if the record is all that it needs."""

    def of(self, value: Any) -> Any:
        """The value that the expression gives; raises ExpressionError."""
        try:
            return self.evaluate(value)
        except FAILURES as error:
            raise ExpressionError(reason_of(error)) from error


def reason_of(failure: Exception) -> str:
    """Why an expression gives nothing, in one line."""
    if isinstance(failure, JMESPathError | RecursionError):
        return " ".join(str(failure).split())[:300]
    return f"{type(failure).__name__}: {failure}"[:300]


def within(element: Any, record: Any) -> Any:
    """An element together with the record around it, as expressions see it."""
    return {**element, RECORD: record} if isinstance(element, dict) else element


def _check(tree: Any) -> None:
    branches = 1
    for number, (node, depth) in enumerate(walk(tree)):
        if depth > MAX_DEPTH or number > MAX_NODES:
            raise ExpressionError("nested too deeply or too complex to be evaluated")
        kind = node.get("type")
        if kind == "function_expression" and node.get("value") not in Functions.FUNCTION_TABLE:
            names = sorted(Functions.FUNCTION_TABLE)
            raise ExpressionError(unknown_name("function", str(node.get("value")), names))
        if kind in ("multi_select_list", "multi_select_dict"):
            branches *= max(1, len(node.get("children", ())))
            if branches > MAX_BRANCHES:
                raise ExpressionError(f"it makes more than {MAX_BRANCHES} copies of a value")


# --- reading one file ---


class Failure(NamedTuple):
    """How often an expression failed, and the first time it did."""

    times: int
    reason: str
    line: int | None
    place: str


class Current(msgspec.Struct):
    """The record that is being read."""

    records: str | None
    """Name of the list that holds the records."""
    record: Any = None
    line: int | None = None
    number: int | None = None
    """Its place in the list."""
    failures: dict[str, Failure] = field(default_factory=dict)
    """Key to the failures of its expression, so far."""

    @property
    def place(self) -> str:
        """Where the record is in its object."""
        return "$" if self.number is None else f"$.{self.records}[{self.number}]"

    def note_failure(self, key: str, error: Exception) -> None:
        """Count a failure of an expression."""
        last = self.failures.get(key) or Failure(0, reason_of(error), self.line, self.place)
        self.failures[key] = last._replace(times=last.times + 1)


def _nothing(_value: Any) -> None:
    """The value of a key that the mapping does not have."""


def on_record(expressions: Mapping[str, Expression], key: str, current: Current) -> Evaluate:
    """A function that gives what the expression of a key gives for a record; it never fails."""
    expression = expressions.get(key)
    if expression is None:
        return _nothing
    return reporting(expression.evaluate, expression.can_fail, key, current)


def on_element(expressions: Mapping[str, Expression], key: str, current: Current) -> Evaluate:
    """The same for a call, an answer or a model call in the current record."""
    expression = expressions.get(key)
    if expression is None or expression.is_of_element:
        return on_record(expressions, key, current)
    if expression.of_record is not None:
        of_record = reporting(expression.of_record, expression.can_fail, key, current)
        return lambda value: of_record(current.record if isinstance(value, dict) else None)
    of_both = reporting(expression.evaluate, expression.can_fail, key, current)
    return lambda value: of_both(within(value, current.record))


def reporting(evaluate: Evaluate, can_fail: bool, key: str, current: Current) -> Evaluate:
    """The function of an expression; failures are counted."""
    if not can_fail:
        return evaluate

    def report(value: Any) -> Any:
        try:
            return evaluate(value)
        except FAILURES as error:
            current.note_failure(key, error)
            return None

    return report
