"""Bytes to documents and back: the one place that handles versions and says what is wrong where."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import islice
from typing import Any

import msgspec
import msgspec.inspect as inspect
import msgspec.structs

from groundtrace.base import jsonio
from groundtrace.base.patterns import regex
from groundtrace.documents import KINDS, MAJOR, SCHEMA_VERSION, kind_of
from groundtrace.documents.masked import masked, written
from groundtrace.errors import InputError, VersionError

_VERSION = regex(r"^(\d{1,9})\.(\d{1,9})$")

PART = 256
"""How many items of a streamed list are encoded at a time."""

_KEYED_BY_CUTOFF = frozenset({"MetricsDocument", "RunSummaryDocument"})
"""Documents with keys that are cutoffs or end in one, by their names: a run that only reads traces
needs none of their types."""

encoder = msgspec.json.Encoder(order="deterministic")


def encode(document: msgspec.Struct, *, is_masked: bool = False, is_ordered: bool = False) -> bytes:
    """A document as it is written: masked, indented, one newline at the end; same input, same
    bytes. `is_masked`: nothing was added to it since it was masked. `is_ordered`: it was made here
    (`metrics.evaluate`, `rows.summarise`), with its mappings in order."""
    keyed = type(document).__name__ in _KEYED_BY_CUTOFF
    document = written(document, is_masked=is_masked, by_cutoff=keyed and not is_ordered)
    with_names = getattr(document, "with_names", None)  # a summary
    if with_names is not None:
        document = with_names()
    # Keys that hold cutoffs are in their order; the encoder would sort them as texts.
    encoded = msgspec.json.encode(document) if keyed else encoder.encode(document)
    return msgspec.json.format(encoded, indent=1) + b"\n"


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
        inside = msgspec.json.format(encoder.encode({field: list(map(masked, some))}), indent=1)
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
        document = _decoder(kind).decode(data)
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError) as error:
        document = _decode_slowly(kind, data, where, error)
    if kind != "run_retrieval_summary":
        return document
    try:
        return document.with_groups()
    except ValueError as error:
        raise InputError(f"{where}: $: {error}") from error


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
