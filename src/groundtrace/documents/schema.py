"""The published JSON Schemas, made from the documents' types.

A member that a record does not have is refused in versions that are known here, and allowed in later
minor versions, which may add some. So the records themselves allow others, and for known versions a
second, short definition of each (`known.NAME`) lists the only members.

What a field means is the text below it in the source. As `Annotated[..., Meta(description=...)]` it was
made into objects by every command: 67 of the 651 million instructions of evaluating one trial.
"""

from __future__ import annotations

import ast
import itertools
import sys
from collections.abc import Iterator, Mapping
from functools import cache
from inspect import getsource
from typing import Any

import msgspec
import msgspec.inspect as inspect

from groundtrace.documents import KINDS, SCHEMA_VERSION, SCHEMA_VERSIONS
from groundtrace.documents.base import cutoff_order

DRAFT = "https://json-schema.org/draft/2020-12/schema"


def schema(kind: str) -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of one kind of document."""
    made = msgspec.json.schema(KINDS[kind].type)
    defs = made.pop("$defs")
    for struct in _structs(inspect.type_info(KINDS[kind].type), set()):
        properties = defs[struct.cls.__name__]["properties"]
        _restrict_keys(struct, properties)
        texts = descriptions(struct.cls)
        for field in struct.fields:
            if field.name in texts:
                described = properties[field.encode_name]
                properties[field.encode_name] = {"description": texts[field.name]} | described
    name = made["$ref"].rpartition("/")[2]
    strict = {f"known.{record}": _only_members(described) for record, described in defs.items()}
    for described in defs.values():
        del described["additionalProperties"]
    return {
        "$schema": DRAFT,
        "$id": f"{kind}_schema.json",
        **defs.pop(name),
        "if": {"properties": {"schema_version": {"enum": list(SCHEMA_VERSIONS)}}},
        "then": {"$ref": f"#/$defs/known.{name}"},
        "$comment": f"Version {SCHEMA_VERSION}.",
        "$defs": {**defs, **strict},
    }


def descriptions(record: type[msgspec.Struct]) -> dict[str, str]:
    """What the fields of a record mean: the texts below them in the source, each in one line."""
    owners = (owner for owner in reversed(record.__mro__) if issubclass(owner, msgspec.Struct))
    found: dict[str, str] = {}
    for owner in owners:
        if owner is not msgspec.Struct:
            found |= _below_fields(owner.__module__).get(owner.__name__, {})
    return found


@cache
def _below_fields(module: str) -> Mapping[str, Mapping[str, str]]:
    """The texts below the fields of all classes of a module, by class and field."""
    found: dict[str, dict[str, str]] = {}
    for record in ast.parse(getsource(sys.modules[module])).body:
        if isinstance(record, ast.ClassDef):
            found[record.name] = {
                field.target.id: " ".join(text.value.value.split())
                for field, text in itertools.pairwise(record.body)
                if isinstance(field, ast.AnnAssign)
                and isinstance(field.target, ast.Name)
                and isinstance(text, ast.Expr)
                and isinstance(text.value, ast.Constant)
                and isinstance(text.value.value, str)
            }
    return found


def _only_members(described: dict[str, Any]) -> dict[str, Any]:
    """The members of a record, and in them those of the records that they hold."""
    members = {name: _records_in(inner) or True for name, inner in described["properties"].items()}
    return {"properties": members, "additionalProperties": False}


def _records_in(described: Any) -> dict[str, Any]:
    """What holds for records in a value; keywords for lists and objects say nothing of others."""
    if not isinstance(described, dict):
        return {}
    found: dict[str, Any] = {}
    if "$ref" in described:
        found["$ref"] = described["$ref"].replace("#/$defs/", "#/$defs/known.")
    for key in ("items", "additionalProperties"):
        if inner := _records_in(described.get(key)):
            found[key] = inner
    for option in described.get("anyOf", ()):
        found.update(_records_in(option))
    return found


def render(kind: str) -> str:
    """The schema as the text of its file."""
    return msgspec.json.format(msgspec.json.encode(schema(kind)), indent=2).decode() + "\n"


def _structs(wanted: inspect.Type, seen: set[str]) -> Iterator[inspect.StructType]:
    for inner in _inner(wanted):
        yield from _structs(inner, seen)
    if isinstance(wanted, inspect.StructType) and wanted.cls.__name__ not in seen:
        seen.add(wanted.cls.__name__)
        yield wanted
        for field in wanted.fields:
            yield from _structs(field.type, seen)


def _inner(wanted: inspect.Type) -> tuple[inspect.Type, ...]:
    match wanted:
        case inspect.Metadata(type=inner) | inspect.ListType(item_type=inner):
            return (inner,)
        case inspect.DictType(value_type=inner):
            return (inner,)
        case inspect.UnionType(types=types):
            return tuple(types)
    return ()


def _restrict_keys(struct: inspect.StructType, properties: dict[str, Any]) -> None:
    """Add the keys that a dictionary may have: msgspec checks them, but its schemas lack them."""
    for field in struct.fields:
        _restrict(field.type, properties[field.encode_name])


def _restrict(wanted: inspect.Type, described: Any) -> None:
    """The same for one type: the keys of a dictionary and of the dictionaries in its values."""
    if not isinstance(described, dict):
        return
    dictionary = _dictionary(wanted)
    if dictionary is None:
        return
    for option in [described, *described.get("anyOf", [])]:
        if option.get("type") == "object":
            keys = dictionary.key_type
            if isinstance(keys, inspect.LiteralType):
                option["propertyNames"] = {"enum": sorted(map(str, keys.values), key=cutoff_order)}
            _restrict(dictionary.value_type, option.get("additionalProperties"))


def _dictionary(wanted: inspect.Type) -> inspect.DictType | None:
    match wanted:
        case inspect.DictType():
            return wanted
        case inspect.Metadata(type=inner):
            return _dictionary(inner)
        case inspect.UnionType(types=types):
            return next(filter(None, map(_dictionary, types)), None)
    return None
