"""The fields that the encoder does not look into hold nothing that could be in a wrong order."""

from __future__ import annotations

import importlib
import pkgutil
from typing import Any

import msgspec.inspect as inspect
import msgspec.structs
import pytest

import groundtrace.documents
from groundtrace.documents.base import Record
from groundtrace.documents.codec import _keyed_fields

MODULES = [
    importlib.import_module(module.name)
    for module in pkgutil.walk_packages(groundtrace.documents.__path__, "groundtrace.documents.")
]
RECORDS = {
    value.__name__: value
    for module in MODULES
    for value in vars(module).values()
    if isinstance(value, type) and issubclass(value, Record)
}


def options(kind: Any) -> list[Any]:
    """The types of a union, as msgspec understands them."""
    if isinstance(kind, inspect.Metadata):
        return options(kind.type)
    if isinstance(kind, inspect.UnionType):
        return [option for one in kind.types for option in options(one)]
    return [kind]


def has_mapping(kind: Any) -> bool:
    """Whether a mapping can be anywhere in a value of this type."""
    for option in options(kind):
        if isinstance(option, inspect.StructType):
            if any(has_mapping(field.type) for field in option.fields):
                return True
        elif isinstance(option, inspect.DictType | inspect.AnyType) or (
            hasattr(option, "item_type") and has_mapping(option.item_type)
        ):
            return True
    return False


def is_plain_mapping(kind: Any) -> bool:
    """Whether all that can hold mappings is one mapping of plain values."""
    holding = [option for option in options(kind) if has_mapping(option)]
    return all(
        isinstance(one, inspect.DictType) and not has_mapping(one.value_type) for one in holding
    )


@pytest.mark.parametrize("record", RECORDS.values(), ids=RECORDS)
def test_keyed_fields_are_those_that_msgspec_finds(record: type[Record]) -> None:
    types = {field.name: inspect.type_info(field.type) for field in msgspec.structs.fields(record)}
    keyed = {name: is_plain_mapping(kind) for name, kind in types.items() if has_mapping(kind)}
    assert _keyed_fields(record) == keyed
