"""Decoded values fitted into types, whatever the values are.

Readers declare what they need of a line or message as Structs, and msgspec decodes bytes straight
into them. That fails as a whole if one member has another type. Such a line is decoded completely
and fitted into the same types here, member by member.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from types import NoneType, UnionType
from typing import Any, TypeVar, Union, get_args, get_origin

import msgspec

from groundtrace.base import jsonio

S = TypeVar("S", bound=msgspec.Struct)

NOT_FITTING = (msgspec.DecodeError, RecursionError, UnicodeDecodeError)
"""What a decoder raises for data of another form, and for data that is not clean JSON."""
MAX_DEPTH = 32
"""Objects inside objects that are fitted; what is deeper counts as missing."""

_Fit = Callable[[Any, int], Any]
_MISSING = object()


def fit(value: Mapping[str, Any], kind: type[S]) -> S:
    """An object as a Struct, with the rules of its annotations:

    - a member of the wrong type counts as missing; members without an annotation are left out;
    - `Any` and `Raw` take any value: a reader must expect that of a `Raw` (see `value_of`);
    - an element of a list that is not an object where one belongs becomes an empty one, or None if
      the annotation allows it: the others keep their places;
    - a Struct with members that must be there is not made of an empty object.
    """
    return _fit(value, kind, 0)


def value_of(value: Any) -> Any:
    """The value of a member that may still be bytes; None if they are not JSON."""
    if not isinstance(value, msgspec.Raw):
        return value
    try:
        return jsonio.loads(bytes(value))
    except jsonio.BadJsonError:
        return None


def as_arguments(value: Any) -> dict[str, Any] | None:
    """Arguments of a call from an object, or from the text of one; None if it is neither."""
    if value is None or (isinstance(value, str) and not value.strip()):
        return {}
    given = jsonio.loads_text(value) if isinstance(value, str) else value
    return given if isinstance(given, dict) else None


def _fit(value: Mapping[str, Any], kind: type[S], depth: int) -> S:
    plan, required = _plan(kind)
    members: dict[str, Any] = dict.fromkeys(required)
    for key, (name, convert) in plan.items():
        if key not in value:
            continue
        item = value[key] if convert is None else convert(value[key], depth + 1)
        if item is not _MISSING:
            members[name] = item
    return kind(**members)


@cache
def _plan(kind: type[msgspec.Struct]) -> tuple[dict[str, tuple[str, _Fit | None]], tuple[str, ...]]:
    """The members of a Struct: key, name and what converts a value; and those without a default."""
    fields = msgspec.structs.fields(kind)
    plan = {field.encode_name: (field.name, _converter(field.type)) for field in fields}
    return plan, tuple(field.name for field in fields if field.required)


def _converter(kind: Any) -> _Fit | None:
    """What converts a value into a type; None for a type that takes any value."""
    if kind is Any or kind is msgspec.Raw:
        return None
    origin = get_origin(kind)
    if origin is Union or origin is UnionType:
        return _any_of([part for part in get_args(kind) if part is not msgspec.UnsetType])
    if origin is list:
        return _list_of(get_args(kind)[0])
    if origin is dict and get_args(kind)[1] is not Any:
        return _dict_of(get_args(kind)[1])
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        return _object_of(kind)
    plain = origin or kind
    return lambda value, _: value if isinstance(value, plain) else _MISSING


def _any_of(kinds: list[Any]) -> _Fit:
    converters = [_converter(kind) for kind in kinds]

    def convert(value: Any, depth: int) -> Any:
        for one in converters:
            found = value if one is None else one(value, depth)
            if found is not _MISSING:
                return found
        return _MISSING

    return convert


def _object_of(kind: type[msgspec.Struct]) -> _Fit:
    def convert(value: Any, depth: int) -> Any:
        is_object = isinstance(value, dict) and depth <= MAX_DEPTH
        if not is_object or (not value and _plan(kind)[1]):
            return _MISSING
        return _fit(value, kind, depth)

    return convert


def _list_of(kind: Any) -> _Fit:
    convert_one = _converter(kind)
    if convert_one is None:
        return lambda value, _: value if isinstance(value, list) else _MISSING
    otherwise = _MISSING
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct) and not _plan(kind)[1]:
        otherwise = kind()
    elif NoneType in get_args(kind):
        otherwise = None

    def convert(value: Any, depth: int) -> Any:
        if not isinstance(value, list):
            return _MISSING
        found = [convert_one(item, depth) for item in value]
        found = [otherwise if item is _MISSING else item for item in found]
        return [item for item in found if item is not _MISSING]

    return convert


def _dict_of(kind: Any) -> _Fit:
    convert_one = _converter(kind)

    def convert(value: Any, depth: int) -> Any:
        if not isinstance(value, dict):
            return _MISSING
        if convert_one is None:
            return value
        found = {key: convert_one(item, depth) for key, item in value.items()}
        return {key: item for key, item in found.items() if item is not _MISSING}

    return convert
