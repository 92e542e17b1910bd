"""Decoders of a mapping's files that make only what the mapping's expressions can look at."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any

import msgspec

from groundtrace.traces.mapped.expressions import Expression
from groundtrace.traces.mapped.named import Place, Value, elements, follow, see, together

NOT_FITTING = (msgspec.DecodeError, RecursionError, UnicodeDecodeError)
"""What a decoder raises for data of another shape, and for data that is not clean JSON."""


class Decoders:
    """The decoders of a mapping, made when a file is read."""

    def __init__(
        self,
        expressions: Mapping[str, Expression],
        facts: tuple[str, ...],
        groups: Mapping[str, tuple[str, ...]],
    ) -> None:
        """`facts` are keys that give a value of a record; `groups` has the keys that give elements
        of a record, each with the keys about such an element."""
        self._expressions = expressions
        self._facts = facts
        self._groups = groups

    @cached_property
    def record(self) -> Callable[[bytes], Any]:
        """Decodes a record; raises one of NOT_FITTING."""
        return msgspec.json.Decoder(self._record().type()).decode

    @cached_property
    def objects(self) -> dict[str, Callable[[bytes], Any]]:
        return {}

    def object(self, records: str) -> Callable[[bytes], Any]:
        """Decodes an object with records in a list of this name; raises one of NOT_FITTING."""
        if records not in self.objects:
            root = Place()
            self._state(root)
            root.member(records).element = self._record()
            self.objects[records] = msgspec.json.Decoder(root.type()).decode
        return self.objects[records]

    def _record(self) -> Place:
        record = Place()
        self._state(record)
        for key, about in self._groups.items():
            if key in self._expressions:
                found = follow(self._expressions[key].tree, [record])
                places: list[Value] = [value for value in found if isinstance(value, Place)]
                self._use([*places, *elements(found)], record, about)
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
