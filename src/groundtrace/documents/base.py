"""What all documents share: the version, the base type, and helpers to describe fields."""

import copyreg
from collections.abc import Mapping
from functools import lru_cache
from typing import Annotated, Any, TypeVar

import msgspec
from msgspec import Meta

K = TypeVar("K")
V = TypeVar("V")

SCHEMA_VERSION = "1.3"
"""The version that this groundtrace writes."""

SCHEMA_VERSIONS = ("1.0", "1.1", "1.2", "1.3")
"""Versions that this groundtrace can write."""

MAJOR = 1
"""The major version that this groundtrace can read, with any minor version."""


# Without this, pickle asks every module that is loaded for one that has `UNSET`: 150 µs for every
# record that is sent to another process or kept as a row.
copyreg.pickle(msgspec.UnsetType, lambda unset: (type(unset), ()))


class Record(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Base of every document and its parts: unknown fields are refused."""


Version = Annotated[
    str,
    Meta(pattern=r"^1\.(0|[1-9][0-9]*)$", description="Version of the document's schema."),
]


Time = Annotated[str, Meta(extra_json_schema={"format": "date-time"})]
"""A moment, as RFC 3339 writes it. What is no moment is still read: the format is a remark."""


def cutoff_order(key: str) -> tuple[str, int]:
    """Sort key for names that end in a cutoff: `precision@3` comes before `precision@10`."""
    front, at, end = key.rpartition("@")
    number = end if at or not front else ""
    return (front + at, int(number)) if number.isdecimal() and len(number) < 10 else (key, -1)


@lru_cache(maxsize=4096)
def ordered(keys: tuple[Any, ...]) -> tuple[Any, ...] | None:
    """Keys of a mapping in the order in which documents have them; None if they are in it. Hundreds
    of mappings of a summary have the same ones."""
    found = tuple(sorted(sorted(dict.fromkeys(keys)), key=cutoff_order))
    return None if found == keys else found


def in_order(mapping: Mapping[K, V]) -> dict[K, V]:
    """The mapping in the order in which documents have it: what is made so needs no walk when it is
    written."""
    return {key: mapping[key] for key in ordered(tuple(mapping)) or mapping}


Share = Annotated[float, Meta(ge=0, le=1)]
"""A number from 0 to 1."""
MAX_INT = 2**63 - 1
"""The largest integer that every JSON reader should be able to take."""

Count = Annotated[int, Meta(ge=0, le=MAX_INT)]
"""A number of things."""
Seconds = Annotated[float, Meta(ge=0)]
"""A duration."""
LineNumber = Annotated[int, Meta(ge=1, le=MAX_INT)]
"""A line number, from 1."""
