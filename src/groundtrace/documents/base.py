"""What all documents share: the version, the base type, and helpers to describe fields."""

from __future__ import annotations

import copyreg
from typing import Annotated

import msgspec
from msgspec import Meta

SCHEMA_VERSION = "1.2"
"""The version that this groundtrace writes."""

SCHEMA_VERSIONS = ("1.0", "1.1", "1.2")
"""Versions that it can write."""

MAJOR = 1
"""The major version that it can read, whatever the minor one."""


# Without this, pickle asks every module that is loaded for one that has `UNSET`: 150 µs for every
# record that is sent to another process or kept as a row.
copyreg.pickle(msgspec.UnsetType, lambda unset: (type(unset), ()))


class Record(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Base of every document and its parts: unknown fields are refused."""


Version = Annotated[
    str,
    Meta(pattern=r"^1\.(0|[1-9][0-9]*)$", description="Version of the document's schema."),
]


def cutoff_order(key: str) -> tuple[str, int]:
    """Sorts names that end in a cutoff by its number: `precision@3` before `precision@10`."""
    front, at, end = key.rpartition("@")
    number = end if at or not front else ""
    return (front + at, int(number)) if number.isdecimal() and len(number) < 10 else (key, -1)


Share = Annotated[float, Meta(ge=0, le=1)]
"""A number from 0 to 1."""
MAX_INT = 2**63 - 1
"""The largest integer that every reader of JSON can be expected to take."""

Count = Annotated[int, Meta(ge=0, le=MAX_INT)]
"""A number of things."""
Seconds = Annotated[float, Meta(ge=0)]
"""A duration."""
LineNumber = Annotated[int, Meta(ge=1, le=MAX_INT)]
"""A line number, from 1."""
