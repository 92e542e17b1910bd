"""Folders of inputs and outputs, on disk or in an object store, behind one small interface."""

from __future__ import annotations

import os
from pathlib import Path

from groundtrace.errors import InputError
from groundtrace.storage.folder import (
    MAX_WHOLE_FILE,
    Entry,
    EntryKind,
    Folder,
    Links,
    TooLargeError,
)
from groundtrace.storage.local import LocalFolder

__all__ = [
    "MAX_WHOLE_FILE",
    "Entry",
    "EntryKind",
    "Folder",
    "Links",
    "LocalFolder",
    "TooLargeError",
    "folder_at",
    "open_folder",
]


def folder_at(location: str | os.PathLike[str]) -> Folder:
    """The folder at a path or URL, whether it is there or not."""
    if "://" in str(location):
        from groundtrace.storage.objects import SCHEMES, ObjectFolder, is_url

        if not is_url(str(location)):
            known = ", ".join(f"{scheme}://" for scheme in SCHEMES)
            raise InputError(f"{location}: not a kind of store that can be read ({known})")
        return ObjectFolder(str(location))
    return LocalFolder(Path(location))


def open_folder(location: str | os.PathLike[str]) -> Folder:
    """The folder at a path or URL; raises InputError when it is missing or not a folder."""
    folder = folder_at(location)
    if folder.exists():
        first = next(iter(folder.entries()), None)
        if first is not None and first.kind == "unlisted":
            raise InputError(f"{location}: cannot be listed ({first.stamp})")
        return folder
    if isinstance(folder, LocalFolder) and folder.path.exists():
        raise InputError(f"{location}: a file, where a folder is expected")
    raise InputError(f"{location}: no such folder")
