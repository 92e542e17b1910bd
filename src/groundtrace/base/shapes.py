"""What the type of a setting or option says about a value that a user gives.

One check serves a settings file, `Settings(...)` and the keywords of the Python API; the flags of the
command line are made from the same shapes.
"""

from __future__ import annotations

import operator
import os
from collections.abc import Iterable, Mapping, Sequence
from types import GenericAlias, NoneType, UnionType
from typing import TYPE_CHECKING, Any, Literal, Union, get_args, get_origin

from msgspec.structs import replace

from groundtrace.base.frozen import Frozen
from groundtrace.base.suggest import nearest_name
from groundtrace.errors import UsageError

if TYPE_CHECKING:
    from typing import Annotated as Annotated
else:

    class Annotated:
        """That of `typing`, for types that only this package reads: made in a hundredth of the time, for
        60 settings and options 6 million instructions of every command."""

        __class_getitem__ = classmethod(GenericAlias)


class Limits(Frozen, frozen=True):
    """The numbers that are allowed."""

    least: int | None = None
    most: int | None = None
    above: int | None = None
    """Every allowed number is greater."""

    def allow(self, number: Any) -> bool:
        """Whether a number is inside; NaN is not."""
        return bool(
            (self.least is None or number >= self.least)
            and (self.most is None or number <= self.most)
            and (self.above is None or number > self.above)
        )

    def __str__(self) -> str:
        if self.most is not None:
            return f" from {self.least} to {self.most}"
        if self.least is not None:
            return f" of at least {self.least}"
        return "" if self.above is None else f" above {self.above}"


class Shape(Frozen, frozen=True):
    """What a type allows."""

    kind: Any
    """bool, int, float, str, os.PathLike (also for texts that are paths), Mapping (of tables), or
    object for what is checked elsewhere."""
    many: bool = False
    """Several of them; they become a tuple."""
    alone: bool = False
    """One of them may stand without a list."""
    optional: bool = False
    choices: tuple[str, ...] = ()


def shape_of(hint: Any) -> Shape:
    """The shape of an annotation, such as `Sequence[str] | None`."""
    parts = get_args(hint) if get_origin(hint) in {Union, UnionType} else (hint,)
    optional = NoneType in parts
    kinds = {get_origin(part) or part: part for part in parts if part is not NoneType}
    for several in (Sequence, tuple):
        if several in kinds:
            inner = shape_of(get_args(kinds[several])[0])
            return replace(inner, many=True, alone=len(kinds) > 1, optional=optional)
    if Literal in kinds:
        return Shape(str, optional=optional, choices=get_args(kinds[Literal]))
    if Mapping in kinds:
        tables = get_origin(get_args(kinds[Mapping])[1]) is Mapping
        return Shape(Mapping if tables else object, optional=optional)
    kind = os.PathLike if os.PathLike in kinds else next(iter(kinds))
    return Shape(kind, optional=optional)


def checked(shape: Shape, value: Any, where: str, limits: Limits) -> Any:
    """The value as the library takes it; raises UsageError with the way to fix it."""
    if value is None and shape.optional:
        return None
    if shape.many:
        single = isinstance(value, str | os.PathLike)
        items = [value] if single and shape.alone else value
        whole = isinstance(items, Iterable) and not isinstance(items, str | bytes | Mapping)
        texts = list(items) if whole else []
        if not whole or not all(isinstance(item, str | os.PathLike) for item in texts):
            raise UsageError(f"{where} must be a list of strings")
        one = replace(shape, many=False, optional=False)
        return tuple(checked(one, item, where, limits) for item in texts)
    if shape.kind is Mapping:
        if not isinstance(value, dict) or not all(isinstance(v, dict) for v in value.values()):
            raise UsageError(f"{where} must hold tables")
        return value
    if shape.kind is bool:
        if not isinstance(value, bool):
            raise UsageError(f"{where} must be true or false")
        return value
    if shape.kind in {int, float}:
        return _number(shape.kind, value, where, limits)
    return _text(shape, value, where)


def _number(kind: Any, value: Any, where: str, limits: Limits) -> Any:
    """A number of Python's own kind, also from numpy's."""
    try:
        number = operator.index(value) if kind is int else value.__float__()
    except (TypeError, AttributeError, OverflowError):
        number = None
    if number is None or isinstance(value, bool) or not limits.allow(number):
        raise UsageError(f"{where} must be a {'whole ' if kind is int else ''}number{limits}")
    return number


def _text(shape: Shape, value: Any, where: str) -> Any:
    if shape.kind is object:
        return value
    if shape.kind is os.PathLike and isinstance(value, os.PathLike):
        value = os.fspath(value)
    if not isinstance(value, str):
        raise UsageError(f"{where} must be a string")
    if shape.choices and value not in shape.choices:
        near = nearest_name(value, shape.choices)
        raise UsageError(
            f"{where} must be one of {', '.join(shape.choices)}, not {value!r}; nearest is {near!r}"
        )
    return value
