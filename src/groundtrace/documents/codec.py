"""Bytes to documents and back: the one place that handles versions and says what is wrong where."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from functools import cache, lru_cache
from itertools import islice
from operator import is_
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import msgspec
import msgspec.inspect as inspect

from groundtrace import jsonio
from groundtrace.documents import KINDS, MAJOR, SCHEMA_VERSION, kind_of
from groundtrace.documents.base import cutoff_order
from groundtrace.errors import InputError, VersionError
from groundtrace.patterns import regex

_VERSION = regex(r"^(\d{1,9})\.(\d{1,9})$")

PART = 256
"""How many items of a streamed list are encoded at a time."""

_KEYED_BY_CUTOFF = (KINDS["retrieval_metrics"].type, KINDS["run_retrieval_summary"].type)
"""Documents with keys that are cutoffs or end in one."""

encoder = msgspec.json.Encoder(order="deterministic")


def encode(document: msgspec.Struct) -> bytes:
    """A document as it is written: indented, one newline at the end; same input, same bytes."""
    if isinstance(document, _KEYED_BY_CUTOFF):
        plain = _encoded_once(document)
        return msgspec.json.format(msgspec.json.encode(plain), indent=1) + b"\n"
    return msgspec.json.format(encoder.encode(document), indent=1) + b"\n"


def _encoded_once(document: msgspec.Struct) -> dict[str, Any]:
    """The fields of a document, with the records in them encoded.

    A record that occurs more than once is encoded once. In the summary of a small run all trials
    have one configuration, one suite and one model, so all these groups are the same record.
    """
    known: dict[int, msgspec.Raw] = {}

    def part(value: Any) -> Any:
        if isinstance(value, msgspec.Struct):
            if id(value) not in known:
                known[id(value)] = msgspec.Raw(msgspec.json.encode(_in_cutoff_order(value)))
            return known[id(value)]
        if isinstance(value, dict):
            return {key: part(value[key]) for key in _ordered(tuple(value))}
        return _in_cutoff_order(value)

    return {name: part(value) for name, value in _members(document)}


def _members(record: msgspec.Struct) -> Iterator[tuple[str, Any]]:
    """The fields of a record under the names that are written, in their order."""
    names = zip(record.__struct_fields__, record.__struct_encode_fields__, strict=True)
    members = ((written, getattr(record, name)) for name, written in names)
    return (member for member in members if member[1] is not msgspec.UNSET)


def _in_cutoff_order(value: Any) -> Any:
    """Sorted keys in the order of their cutoffs: 1, 3, 5, 10, and not 1, 10, 3, 5.

    What is in order is given back as it is: of a summary's thousand records nearly all are, and
    copying them into plain values took longer than encoding them.
    """
    if isinstance(value, msgspec.Struct):
        new: dict[str, Any] = {}
        for name in _deep_fields(type(value)):
            item = getattr(value, name)
            if item and (ordered := _in_cutoff_order(item)) is not item:
                new[name] = ordered
        if not new:
            return value
        fields = dict(zip(value.__struct_encode_fields__, value.__struct_fields__, strict=True))
        return {key: new.get(fields[key], item) for key, item in _members(value)}
    if isinstance(value, dict):
        keys = tuple(value)
        wanted = _ordered(keys)
        items = [_in_cutoff_order(value[key]) for key in wanted]
        same = keys == wanted and all(map(is_, items, value.values()))
        return value if same else dict(zip(wanted, items, strict=True))
    if isinstance(value, list):
        items = [_in_cutoff_order(item) for item in value]
        return value if all(map(is_, items, value)) else items
    return value


@lru_cache(maxsize=4096)
def _ordered(keys: tuple[str, ...]) -> tuple[str, ...]:
    """Keys in the order in which they are written; most documents have the same ones."""
    keys = tuple(sorted(keys))
    return tuple(sorted(keys, key=cutoff_order))


@lru_cache
def _deep_fields(record: type[msgspec.Struct]) -> tuple[str, ...]:
    """Fields that can hold keys: records, lists and mappings; the others are numbers and texts."""
    types: dict[str, bool] = {}
    for owner in reversed(record.__mro__):
        for name, text in vars(owner).get("__annotations__", {}).items():
            types[name] = _is_flat(owner.__module__, text)
    return tuple(name for name in record.__struct_fields__ if not types[name])


@cache
def _is_flat(module: str, text: str) -> bool:
    """Whether the type that an annotation names holds nothing further.

    A few texts are the types of nearly all fields. Asking msgspec for the types of all fields, with
    all that is in them, took a tenth of the time of evaluating 20 trials.
    """
    return _is_flat_type(eval(text, vars(sys.modules[module])))


_FLAT = (bool, float, int, str, NoneType, msgspec.UnsetType)


def _is_flat_type(kind: Any) -> bool:
    """Whether a type, or each of a union, is a number, a text or one of a few words."""
    origin = get_origin(kind)
    if origin is Annotated:
        return _is_flat_type(kind.__origin__)
    if origin in (Union, UnionType):
        return all(map(_is_flat_type, get_args(kind)))
    return origin is Literal or kind in _FLAT


def encode_in_parts(
    document: msgspec.Struct, field: str, items: Iterable[msgspec.Struct]
) -> Iterator[bytes]:
    """The same bytes as `encode`, for a document whose list `field` comes as a stream.

    `document` has an empty list there. A few items at a time are formatted with their final
    indentation, so the bytes of the whole list are never in memory at once.
    """
    empty = f'\n "{field}": []'.encode()
    head, _, tail = encode(document).partition(empty)
    opened = False
    rest = iter(items)
    while some := list(islice(rest, PART)):
        inside = msgspec.json.format(encoder.encode({field: some}), indent=1)
        yield b"," if opened else head + empty[:-1]
        yield inside[len(b"{" + empty[:-1]) : -len(b"\n ]\n}")]
        opened = True
    yield (b"\n ]" if opened else head + empty) + tail


@lru_cache
def _decoder(kind: str) -> msgspec.json.Decoder[Any]:
    return msgspec.json.Decoder(KINDS[kind].type)


def decode(kind: str, data: bytes, where: str) -> Any:
    """A document of a known kind; raises InputError or VersionError naming file and place.

    Of documents of a later minor version, the fields known here are read (D12).
    """
    try:
        return _decoder(kind).decode(data)
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError) as error:
        return _decode_slowly(kind, data, where, error)


def _decode_slowly(kind: str, data: bytes, where: str, first: Exception) -> Any:
    """Second attempt: a later minor version or integral floats give a document, else an error."""
    raw = _loads(data, where)
    if not isinstance(raw, dict):
        raise InputError(f"{where}: $: expected an object, got {type(raw).__name__}")
    later = _check_version(raw.get("schema_version"), where)
    fitted = _fit(raw, inspect.type_info(KINDS[kind].type), drop_unknown=later)
    try:
        document = msgspec.convert(fitted, KINDS[kind].type)
        # `msgspec.convert` is more tolerant than the decoder: it accepts lone surrogates, and
        # numbers that are not finite, which would be written as null.
        if _decoder(kind).decode(encoder.encode(document)) != document:
            raise InputError(f"{where}: $: it has NaN or Infinity, which JSON does not allow")
        return document
    except (msgspec.ValidationError, RecursionError, OverflowError, UnicodeEncodeError) as error:
        reason = str(error) if isinstance(error, msgspec.ValidationError) else str(first)
        raise InputError(f"{where}: {_with_place(reason)}") from error


def _loads(data: bytes, where: str) -> Any:
    try:
        return jsonio.loads(data)
    except jsonio.BadJsonError as error:
        place = f"{where}:{error.line}:{error.column}" if error.line else where
        raise InputError(f"{place}: not valid JSON: {error}") from error


def _check_version(version: Any, where: str) -> bool:
    """Whether this is a later minor version; raises when the version cannot be read at all."""
    match = _VERSION.match(version) if isinstance(version, str) else None
    if match is None:
        found = "missing" if version is None else repr(version)[:60]
        raise InputError(f"{where}: $.schema_version: {found}, expected {MAJOR}.x")
    major, minor = int(match[1]), int(match[2])
    if major != MAJOR:
        raise VersionError(
            f"{where}: schema version {version}; this groundtrace reads {MAJOR}.x "
            f"(it writes {SCHEMA_VERSION}): use a groundtrace of that major version"
        )
    return minor > int(SCHEMA_VERSION.split(".")[1])


def _with_place(reason: str) -> str:
    """msgspec's message with the JSON path first, as in all our messages."""
    text, found, place = reason.rpartition(" - at ")
    return f"{place.replace('`', '')}: {text}" if found else f"$: {reason}"


def _fit(value: Any, wanted: inspect.Type, *, drop_unknown: bool) -> Any:
    """`value` with integral floats as integers, as in JSON Schema; with `drop_unknown`, without
    the fields that this version does not know."""
    match wanted:
        case inspect.Metadata(type=inner):
            return _fit(value, inner, drop_unknown=drop_unknown)
        case inspect.UnionType(types=types):
            for option in types:
                if _could_be(value, option):
                    return _fit(value, option, drop_unknown=drop_unknown)
            return value
        case inspect.StructType(fields=known) if isinstance(value, dict):
            by_name = {field.encode_name: field.type for field in known}
            return {
                key: _fit(item, by_name[key], drop_unknown=drop_unknown) if key in by_name else item
                for key, item in value.items()
                if key in by_name or not drop_unknown
            }
        case inspect.ListType(item_type=inner) if isinstance(value, list):
            return [_fit(item, inner, drop_unknown=drop_unknown) for item in value]
        case inspect.DictType(value_type=inner) if isinstance(value, dict):
            return {
                key: _fit(item, inner, drop_unknown=drop_unknown) for key, item in value.items()
            }
        case inspect.IntType() if isinstance(value, float) and value.is_integer():
            return int(value)
    return value


def _could_be(value: Any, option: inspect.Type) -> bool:
    """Whether the value is meant for this option of a union."""
    match option:
        case inspect.Metadata(type=inner):
            return _could_be(value, inner)
        case inspect.StructType() | inspect.DictType():
            return isinstance(value, dict)
        case inspect.ListType():
            return isinstance(value, list)
        case inspect.IntType():
            return isinstance(value, float) and value.is_integer()
    return False


def kind_of_file(name: str, data: bytes) -> str:
    """Which document a file holds: by its name, else by its fields; raises InputError."""
    kind = kind_of(name)
    if kind is not None:
        return kind
    raw = _loads(data, name)
    if isinstance(raw, dict):
        best = max(KINDS, key=lambda k: len(raw.keys() & set(KINDS[k].type.__struct_fields__)))
        if len(raw.keys() & set(KINDS[best].type.__struct_fields__)) >= 3:
            return best
    endings = ", ".join(sorted(kind.file_name for kind in KINDS.values()))
    raise InputError(f"{name}: not a document of groundtrace (these end in {endings})")
