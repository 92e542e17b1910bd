"""Fields in which texts or mappings can be: the same as msgspec says of every record."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
import msgspec.inspect as inspect
import pytest

from groundtrace.documents import KINDS
from groundtrace.documents.masked import PATHS, fields_with


def records(kind: inspect.Type) -> Iterator[inspect.StructType]:
    """Every record in a type."""
    if isinstance(kind, inspect.StructType):
        yield kind
        for field in kind.fields:
            yield from records(field.type)
    for name in ("type", "item_type", "key_type", "value_type"):
        if isinstance(getattr(kind, name, None), inspect.Type):
            yield from records(getattr(kind, name))
    for option in getattr(kind, "types", ()):
        yield from records(option)


def holds(kind: inspect.Type, wanted: type, skipped: frozenset[str]) -> bool:
    match kind:
        case inspect.StrType() | inspect.AnyType():
            return wanted is str or isinstance(kind, inspect.AnyType)
        case inspect.StructType():
            return any(holds(f.type, wanted, skipped) for f in kind.fields if f.name not in skipped)
        case inspect.DictType():
            inner = (kind.key_type, kind.value_type)
            return wanted is dict or any(holds(one, wanted, skipped) for one in inner)
        case inspect.ListType() | inspect.VarTupleType():
            return holds(kind.item_type, wanted, skipped)
        case inspect.UnionType():
            return any(holds(one, wanted, skipped) for one in kind.types)
        case inspect.Metadata():
            return holds(kind.type, wanted, skipped)
    return False


@pytest.mark.parametrize("kind", KINDS)
def test_fields_are_those_that_msgspec_finds(kind: str) -> None:
    found: dict[type[msgspec.Struct], inspect.StructType] = {
        record.cls: record for record in records(inspect.type_info(KINDS[kind].type))
    }
    assert len(found) > 2
    for record, info in found.items():
        for wanted, skipped in ((str, PATHS), (dict, frozenset[str]())):
            expected = [
                field.name
                for field in info.fields
                if field.name not in skipped and holds(field.type, wanted, skipped)
            ]
            assert list(fields_with(record, wanted, skipped)) == expected, (record, wanted)
