"""The expressions of a mapping as functions, for reading one file.

An expression that fails gives nothing. How often each one failed, and where first, is counted and
reported when the file has been read.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import msgspec
from msgspec import field

from groundtrace.traces.mapped.compiled import Evaluate
from groundtrace.traces.mapped.expressions import FAILURES, Expression, reason_of, within


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
