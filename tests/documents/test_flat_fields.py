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
from groundtrace.documents.codec import _deep_fields

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


def is_flat(kind: Any) -> bool:
    """As msgspec understands the type."""
    if isinstance(kind, inspect.Metadata):
        return is_flat(kind.type)
    if isinstance(kind, inspect.UnionType):
        return all(map(is_flat, kind.types))
    flat = (inspect.BoolType, inspect.FloatType, inspect.IntType, inspect.NoneType)
    return isinstance(kind, (*flat, inspect.LiteralType, inspect.StrType))


@pytest.mark.parametrize("record", RECORDS.values(), ids=RECORDS)
def test_deep_fields_are_those_that_msgspec_finds(record: type[Record]) -> None:
    fields = msgspec.structs.fields(record)
    deep = tuple(field.name for field in fields if not is_flat(inspect.type_info(field.type)))
    assert _deep_fields(record) == deep
