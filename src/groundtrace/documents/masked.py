"""The one gate for documents: every text of a record is masked, whatever field it is in (D226).

A field is masked unless it is in `PATHS`. So a field that is added later is masked too. The same
walk puts keys in the order in which they are written: a walk for each took a tenth of `evaluate`.

The walk skips fields that can hold neither texts nor mappings. Most of a summary is numbers: 115
distributions a group, with one mapping each. Annotations are evaluated here, each once, because
msgspec and typing ask for all that is in them again and again: a tenth of the time of evaluating 28
trials.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import cache, lru_cache
from operator import is_
from types import NoneType
from typing import Any, Literal, TypeVar, Union, cast

import msgspec

from groundtrace.documents.base import ordered
from groundtrace.redact import is_masking, masked_name

PATHS = frozenset(
    {
        # files and folders, and what is called like one: runs, tasks, trials, batches
        *("file", "files", "path", "source_file", "document", "trial_key", "counted_in"),
        *("run_id", "runs", "scope", "run_scope", "task_name", "tasks", "trial_name"),
        *("batch", "batch_timestamp", "target_files", "matched_ground_truth_files", "test_files"),
        *(
            "ground_truth_file",
            "expected_edit_file",
            "expected_edit_files",
            "new_files",
            "old_names",
        ),
        *("seen_not_edited_files", "edited_unseen_files", "relevant_met", "relevant_read"),
        *("came_back", "repo", "function", "functions", "relevant_not_shown"),
        # what groundtrace itself says
        *("schema_version", "generated_at", "timestamp", "method"),
        # masked before it is cut (`events.text`)
        "arguments",
    }
)
"""Fields that hold names of files, repositories, tasks, trials and runs: these lead to files."""

R = TypeVar("R", bound=msgspec.Struct)


def masked(record: R) -> R:
    """A record without credentials; the same record if it has none."""
    return cast(R, _Gate(mask=True).of(record)) if is_masking() else record


def written(record: R, *, is_masked: bool, by_cutoff: bool) -> R:
    """The record as it is encoded, in one walk: without credentials, unless nothing was added since
    it was masked; and with keys in the order of their cutoffs (1, 3, 5, 10, and not 1, 10, 3, 5)
    where they are cutoffs or end in one."""
    mask = is_masking() and not is_masked
    return cast(R, _Gate(mask=mask, order=by_cutoff).of(record)) if mask or by_cutoff else record


class _Gate:
    """Walks through a record. What needs no change is kept as it is."""

    def __init__(self, *, mask: bool = False, order: bool = False) -> None:
        self._mask, self._order = mask, order
        self._keys = _keys_of[mask, order]
        self._known: dict[int, msgspec.Struct] = {}
        """What was made of each record, by id: groups of a summary that have the same trials are
        one record, and so are values that are alike."""
        self._only_order = _Gate(order=True) if mask and order else self

    def of(self, value: Any) -> Any:
        """The same for any value."""
        if isinstance(value, str):
            return masked_name(value) if self._mask else value
        if isinstance(value, msgspec.Struct):
            found = self._known.get(id(value))
            if found is None:
                found = self._known[id(value)] = self._record(value)
            return found
        if isinstance(value, dict):
            return self._mapping(value)
        if isinstance(value, (list, tuple)):
            items = [self.of(item) for item in value]
            return value if all(map(is_, items, value)) else type(value)(items)
        return value

    def _mapping(self, value: dict[Any, Any], *, only_keys: bool = False) -> dict[Any, Any]:
        shown, order = self._keys(tuple(value))
        made = value
        if not only_keys and not NUMBERS.issuperset(map(type, value.values())):
            known, of = self._known.get, self.of
            items = [known(id(item)) or of(item) for item in value.values()]
            if shown is not None or not all(map(is_, items, value.values())):
                made = dict(zip(shown or value, items, strict=True))
        elif shown is not None:
            made = dict(zip(shown, value.values(), strict=True))
        return made if order is None else {key: made[key] for key in order}

    def _record(self, record: msgspec.Struct) -> msgspec.Struct:
        changes = {}
        for name, is_text, only_keys in _fields(type(record), self._mask, self._order):
            value = getattr(record, name)
            if value:
                if only_keys and type(value) is dict:
                    shown = self._mapping(value, only_keys=True)
                else:
                    shown = self.of(value) if is_text else self._only_order.of(value)
                if shown is not value:
                    changes[name] = shown
        return msgspec.structs.replace(record, **changes) if changes else record


@cache
def _fields(
    record: type[msgspec.Struct], mask: bool, order: bool
) -> tuple[tuple[str, bool, bool], ...]:
    """The fields to walk through; whether they are masked (what leads to files is not); and whether
    they are mappings in which only the keys can need it, as those of 115 distributions."""
    texts = fields_with(record, str, PATHS) if mask else ()
    mappings = fields_with(record, dict) if order else ()
    kinds = _kinds(record)
    return tuple(
        (name, name in texts or not mask, _only_keys(kinds[name], mask, order))
        for name in record.__struct_fields__
        if name in texts or name in mappings
    )


def _only_keys(kind: Any, mask: bool, order: bool) -> bool:
    """Whether the values of a mapping of this type need no walk."""
    if getattr(kind, "__origin__", None) is not dict:
        return False
    inside = kind.__args__[1]
    return not (mask and _can_hold(inside, str, PATHS)) and not (
        order and _can_hold(inside, dict, frozenset())
    )


Keys = tuple[Any, ...]


def _keys(mask: bool, order: bool) -> Callable[[Keys], tuple[Keys | None, Keys | None]]:
    """How keys are written, None if they stay; and their order, None if it is right. Hundreds of
    mappings of a summary have the same ones."""

    @lru_cache(maxsize=4096)
    def found(keys: Keys) -> tuple[Keys | None, Keys | None]:
        shown = keys
        if mask:
            shown = tuple(masked_name(key) if isinstance(key, str) else key for key in keys)
        return None if shown == keys else shown, ordered(shown) if order else None

    return found


_keys_of = {(mask, order): _keys(mask, order) for mask in (True, False) for order in (True, False)}


def masked_data(value: Any, name: str = "") -> Any:
    """The same for plain data: keys of an object are the names of its fields."""
    if not is_masking() or name in PATHS:
        return value
    if isinstance(value, msgspec.Struct):
        return masked(value)
    if isinstance(value, dict):
        return {
            masked_name(key) if isinstance(key, str) else key: masked_data(item, str(key))
            for key, item in value.items()
        }
    if isinstance(value, list | tuple):
        return [masked_data(item, name) for item in value]
    return masked_name(value) if isinstance(value, str) else value


NUMBERS = frozenset({int, float, bool, NoneType})
_PLAIN = NUMBERS | {msgspec.UnsetType}


@cache
def fields_with(
    record: type[msgspec.Struct], wanted: type, skipped: frozenset[str] = frozenset()
) -> tuple[str, ...]:
    """Names of the fields in which a value of the class `wanted` can be, at any depth."""
    kinds = _kinds(record)
    return tuple(
        name
        for name in record.__struct_fields__
        if name not in skipped and _can_hold(kinds[name], wanted, skipped)
    )


@cache
def _kinds(record: type[msgspec.Struct]) -> dict[str, Any]:
    """The type of each field of a record."""
    return {
        name: _type_named(owner.__module__, kind) if isinstance(kind, str) else kind
        for owner in reversed(record.__mro__)
        for name, kind in vars(owner).get("__annotations__", {}).items()
    }


@cache
def _type_named(module: str, annotation: str) -> Any:
    """The type that an annotation names; anything if it is known to type checkers only."""
    try:
        return eval(annotation, vars(sys.modules[module]))
    except NameError:
        return Any


def _can_hold(kind: Any, wanted: type, skipped: frozenset[str]) -> bool:
    """Whether a value of the class can be in a value of this type; true if that is not clear.

    It looks at the attributes of types itself: `typing.get_args`, and answers kept by type, took
    three times as long, 14 million instructions of every start.
    """
    if isinstance(kind, type):
        if kind is str:
            return wanted is str
        return kind not in _PLAIN and (
            not issubclass(kind, msgspec.Struct) or bool(fields_with(kind, wanted, skipped))
        )
    origin = getattr(kind, "__origin__", Union)  # `int | None` has none
    if origin is Literal:
        return False
    if origin is wanted:
        return True
    if origin in (list, tuple, dict, Union):
        return any(_can_hold(one, wanted, skipped) for one in kind.__args__ if one is not Ellipsis)
    # `Annotated[int, …]` has int as its origin
    return not hasattr(kind, "__metadata__") or _can_hold(origin, wanted, skipped)
