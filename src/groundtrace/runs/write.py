"""Writing run-level files: as a whole, and only when more than `generated_at` has changed."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

import msgspec

from groundtrace.base.patterns import regex
from groundtrace.documents.codec import encode
from groundtrace.storage import Folder, FolderEntry

D = TypeVar("D", bound=msgspec.Struct)

_MADE = regex(rb'"generated_at": ?"([^"]*)"')
_HEAD = 4096
"""Bytes at the start of a document that hold `generated_at`: it is the second field."""


def write_document(
    folder: Folder, name: str, document: D, *, is_masked: bool = False, is_ordered: bool = False
) -> FolderEntry:
    """Write a document that has `generated_at`, unless the same one is there already; see
    `documents.codec.encode`."""

    def parts(made: str | None) -> tuple[bytes]:
        dated = document if made is None else msgspec.structs.replace(document, generated_at=made)
        return (encode(dated, is_masked=is_masked, is_ordered=is_ordered),)

    return write_in_parts(folder, name, parts)


def write_in_parts(
    folder: Folder, name: str, parts: Callable[[str | None], Iterable[bytes]]
) -> FolderEntry:
    """The same for a document that comes in parts.

    `parts` makes the parts for a `generated_at`: that of the document on disk, or None for now.
    """
    made = _made_before(folder, name)
    there = folder.stat(name) if made is not None and _holds(folder, name, parts(made)) else None
    return there or folder.write_parts(name, parts(None))


def _made_before(folder: Folder, name: str) -> str | None:
    """The `generated_at` of the document that is there."""
    try:
        with folder.open(name) as stream:
            made = _MADE.search(stream.read(_HEAD))
    except OSError:
        return None
    return None if made is None else made[1].decode("utf-8", "replace")


def _holds(folder: Folder, name: str, parts: Iterable[bytes]) -> bool:
    try:
        with folder.open(name) as stream:
            return all(stream.read(len(part)) == part for part in parts) and not stream.read(1)
    except OSError:
        return False


def write_text(folder: Folder, name: str, text: str) -> FolderEntry:
    """Write a text file, unless it is there already."""
    data = text.encode("utf-8", errors="replace")
    try:
        same = folder.read(name, len(data)) == data
    except OSError:
        same = False
    return (folder.stat(name) if same else None) or folder.write(name, data)
