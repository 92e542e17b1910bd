"""Which fields of a record can hold texts or mappings: a walk over a document skips all others.

Most of a summary is numbers: 115 distributions a group, with one mapping each. The annotations are
evaluated here, each once, because msgspec and typing ask for all that is in them again and again: a
tenth of the time of evaluating 28 trials.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from functools import cache
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import msgspec

NUMBERS = frozenset({int, float, bool, NoneType})
_PLAIN = (*NUMBERS, msgspec.UnsetType)


@cache
def fields_with(
    record: type[msgspec.Struct], wanted: type, skipped: frozenset[str] = frozenset()
) -> tuple[str, ...]:
    """Names of the fields in which a value of the class `wanted` can be, at any depth."""
    types = {
        name: _type_named(owner.__module__, text)
        for owner in reversed(record.__mro__)
        for name, text in vars(owner).get("__annotations__", {}).items()
    }
    return tuple(
        name
        for name in record.__struct_fields__
        if name not in skipped and _can_hold(types[name], wanted, skipped)
    )


@cache
def _type_named(module: str, annotation: Any) -> Any:
    """The type that an annotation names; anything if it is known to type checkers only."""
    if not isinstance(annotation, str):
        return annotation
    try:
        return eval(annotation, vars(sys.modules[module]))
    except NameError:
        return Any


@cache  # 600 fields have 80 types
def _can_hold(kind: Any, wanted: type, skipped: frozenset[str]) -> bool:
    """Whether a value of the class can be in a value of this type; true if that is not clear."""
    for option in _options(kind):
        origin = get_origin(option)
        if option in _PLAIN or origin is Literal or (option is str and wanted is not str):
            continue
        if origin in (list, tuple, dict) and origin is not wanted:
            if any(_can_hold(inner, wanted, skipped) for inner in get_args(option)):
                return True
        else:
            is_record = isinstance(option, type) and issubclass(option, msgspec.Struct)
            if not is_record or fields_with(option, wanted, skipped):
                return True
    return False


def _options(kind: Any) -> Iterator[Any]:
    """The types of a union, without what is said about them."""
    origin = get_origin(kind)
    if origin is Annotated:
        yield from _options(get_args(kind)[0])
    elif origin in (Union, UnionType):
        for one in get_args(kind):
            yield from _options(one)
    elif kind is not Ellipsis:
        yield kind
