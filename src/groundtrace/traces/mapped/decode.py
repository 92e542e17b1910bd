"""Decoders of a mapping's files that make only what the mapping's expressions can look at."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any

import msgspec

from groundtrace.traces.mapped.expressions import Expression
from groundtrace.traces.mapped.named import (
    MAX_PLACES,
    Place,
    Value,
    elements,
    follow,
    see,
    together,
)

NOT_FITTING = (msgspec.DecodeError, RecursionError, UnicodeDecodeError)
"""What a decoder raises for data of another shape, and for data that is not clean JSON."""


class Decoders:
    """The decoders of a mapping, made when a file is read."""

    def __init__(
        self,
        expressions: Mapping[str, Expression],
        facts: tuple[str, ...],
        groups: Mapping[str, tuple[str, ...]],
        records: str | None = None,
    ) -> None:
        """`facts` are keys that give a value of a record or of the object around the records;
        `groups` has the keys that give elements of a record, each with the keys about such an
        element; `records` is the name of the list of records."""
        self._expressions = expressions
        self._records = records
        self._facts = facts
        self._groups = groups

    @cached_property
    def record(self) -> Callable[[bytes], Any]:
        """Decodes a record; raises one of NOT_FITTING."""
        return msgspec.json.Decoder(self._record().type()).decode

    @cached_property
    def whole(self) -> Callable[[bytes], Any]:
        """Decodes an object with its records; raises one of NOT_FITTING."""
        root = Place()
        self._state(root)
        if root.size() > MAX_PLACES:
            root.see()
        if self._records is not None:
            root.member(self._records).element = self._record()
        return msgspec.json.Decoder(root.type()).decode

    def _record(self) -> Place:
        record = Place()
        self._state(record)
        for key, about in self._groups.items():
            if key in self._expressions:
                found = follow(self._expressions[key].tree, [record])
                places: list[Value] = [value for value in found if isinstance(value, Place)]
                self._use([*places, *elements(found)], record, about)
        if record.size() > MAX_PLACES:
            record.see()
        return record

    def _state(self, place: Place) -> None:
        """Follow the expressions that give a value of an object."""
        for key in self._facts:
            if key in self._expressions:
                see(follow(self._expressions[key].tree, [place]))

    def _use(self, found: list[Value], record: Place, about: tuple[str, ...]) -> None:
        """Follow the expressions about an element."""
        for key in about:
            expression = self._expressions.get(key)
            if expression is None:
                continue
            inside = found if expression.is_of_element else together(found, record)
            see(follow(expression.tree, inside))
