"""JMESPath expressions of a mapping, with limits: anybody may have written the mapping.

Repeated `[@, @]` and `[]` double a value each time, so an expression of a hundred characters could
fill all memory. The length, depth and number of branches of an expression are limited.
"""

from __future__ import annotations

from typing import Any

import jmespath
from jmespath.exceptions import JMESPathError
from jmespath.functions import Functions

from groundtrace.base.suggest import unknown_name
from groundtrace.traces.mapped.compiled import Node, compiled
from groundtrace.traces.mapped.scope import (
    RECORD,
    can_fail,
    is_of_element,
    part_on_record,
    walk,
)

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
