"""Folders of inputs and outputs, on disk or in an object store, behind one small interface."""

from __future__ import annotations

import os
from pathlib import Path

from groundtrace.base.frozen import Frozen
from groundtrace.base.jsonio import clean_text
from groundtrace.base.patterns import regex
from groundtrace.errors import InputError
from groundtrace.storage.folder import (
    MAX_WHOLE_FILE,
    EntryKind,
    Folder,
    FolderEntry,
    Links,
    TooLargeError,
)
from groundtrace.storage.local import LocalFolder

__all__ = [
    "DAY_FOLDERS",
    "MAX_WHOLE_FILE",
    "EntryKind",
    "Folder",
    "FolderEntry",
    "Links",
    "LocalFolder",
    "Place",
    "TooLargeError",
    "folder_at",
    "in_day_folder",
    "open_folder",
    "open_place",
    "place_at",
]


def folder_at(location: str | os.PathLike[str]) -> Folder:
    """The folder at a path or URL, whether it exists or not."""
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
    raise InputError(f"{location}: no such folder{_nearest(folder)}")


def _nearest(folder: Folder) -> str:
    """The folder or file of the most similar name beside a missing one, for the message."""
    if not isinstance(folder, LocalFolder):
        return ""
    path = folder.path
    above = path.parent
    while not above.is_dir() and above != above.parent:
        path, above = above, above.parent
    try:
        names = [name for name in os.listdir(above) if not name.startswith(".")]
    except OSError:
        return ""
    import difflib

    near = difflib.get_close_matches(path.name, names, n=1, cutoff=0.6)
    return f"; did you mean {clean_text(str(above / near[0]))}?" if near else ""


class Place(Frozen, frozen=True):
    """What a user named: a folder, or one file and the folder that holds it."""

    folder: Folder
    file: str | None = None
    """Name of the file; None for a folder."""


def place_at(location: str | os.PathLike[str]) -> Place:
    """The folder or file at a path or URL; where nothing exists, a folder."""
    folder = folder_at(location)
    if isinstance(folder, LocalFolder):
        path = folder.path
        if not path.is_file():
            return Place(folder)
        # The user named this link on purpose: use the folder in which its target is.
        path = path.resolve() if path.is_symlink() else path
        return Place(LocalFolder(path.parent, _root_of(path)), path.name)
    if not folder.exists():
        parent, _, name = str(location).rstrip("/").rpartition("/")
        if name and "://" in f"{parent}/" and not parent.endswith((":", ":/")):
            above = folder_at(parent)
            if above.has_file(name):
                return Place(above, name)
    return Place(folder)


DAY_FOLDERS = r"\d{4}/\d\d/\d\d"
"""Folders of year, month and day, as Codex keeps them: `2026/05/04`."""
_DATED = regex(rf"(?:^|/){DAY_FOLDERS}/[^/]+$")


def in_day_folder(path: str) -> bool:
    """Whether a file is in a folder of one day (`2026/05/04/`): its parts may be in another's."""
    return _DATED.search(path) is not None


def _root_of(path: Path) -> Path | None:
    """The folder that holds all days, of a file in a day's folder."""
    full = path.absolute()
    return full.parents[3] if in_day_folder(str(full)) else None


def open_place(location: str | os.PathLike[str]) -> Place:
    """The same; raises InputError when neither a folder nor a file is there."""
    place = place_at(location)
    return place if place.file is not None else Place(open_folder(location))
