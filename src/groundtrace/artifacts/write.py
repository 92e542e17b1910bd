"""Writing run-level documents: whole, and only when something but the time of making changed."""

from __future__ import annotations

import re
from typing import TypeVar

import msgspec

from groundtrace.artifacts.codec import encode
from groundtrace.storage import Entry, Folder

D = TypeVar("D", bound=msgspec.Struct)

_MADE = re.compile(rb'"generated_at": ?"([^"]*)"')


def write_document(folder: Folder, name: str, document: D) -> Entry:
    """Write a document that has `generated_at`, unless the same one is there already."""
    try:
        old = folder.read(name, 1 << 30)
    except OSError:
        old = b""
    made = _MADE.search(old)
    if made is not None:
        before = msgspec.structs.replace(document, generated_at=made[1].decode("utf-8", "replace"))
        if encode(before) == old:
            return _there(folder, name) or folder.write(name, old)
    return folder.write(name, encode(document))


def write_text(folder: Folder, name: str, text: str) -> Entry:
    """Write a text file, unless it is there already."""
    data = text.encode("utf-8", errors="replace")
    try:
        same = folder.read(name, len(data)) == data
    except OSError:
        same = False
    return (_there(folder, name) if same else None) or folder.write(name, data)


def _there(folder: Folder, name: str) -> Entry | None:
    return folder.stat(name)
