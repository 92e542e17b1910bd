"""Where the files of loose traces are, and where verdicts about them are looked for."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from groundtrace.storage import Folder, LocalFolder


def place_of(folder: Folder, path: str) -> tuple[Folder, str]:
    """Folder and name of a file in a manifest; the user may name a file outside of its folder."""
    parent, _, file = path.replace("\\", "/").rpartition("/")
    if isinstance(folder, LocalFolder) and (path.startswith("/") or ".." in parent.split("/")):
        target = Path(folder.url, path)
        return LocalFolder(target.parent), target.name
    return (folder.folder(parent) if parent else folder), file


def places_around(folder: Folder, parts: Sequence[str]) -> list[tuple[Folder, str]]:
    """Folders to search for verdicts, nearest first, each with its name for sources."""
    places = [
        (folder.folder("/".join(parts[:end])) if end else folder, "/".join(parts[:end]))
        for end in range(len(parts), -1, -1)
    ]
    if isinstance(folder, LocalFolder):
        path = folder.path.absolute()
        if path.parent != path:
            places.append((LocalFolder(path.parent), ".."))
    return places
