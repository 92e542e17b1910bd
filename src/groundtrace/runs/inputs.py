"""What the last `run` of a folder was given, remembered beside its results.

`explain`, `view` and the Python API need the same tasks, mappings and layout to say the same as the
results; nobody wants to type them again. An option that is given wins.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from groundtrace.base.safe_names import AGGREGATE, OUTPUT, TASK_SCHEMES
from groundtrace.errors import GroundtraceError
from groundtrace.options import Reading, Truth, rows_of
from groundtrace.runs.output_folders import OutputFolders
from groundtrace.storage import Folder, folder_at

FILE_NAME = ".inputs.json"
MAX_SIZE = 1 << 20
_NAMES = tuple(
    name for group in (Truth, Reading) for name in rows_of(group) if name != "schema_version"
)
"""Options that are remembered: how traces are read and where truth comes from."""
_PATHS = tuple(
    name
    for group in (Truth, Reading)
    for name, row in rows_of(group).items()
    if row.shape.kind is os.PathLike
)
"""Those of them that are locations."""


def remember(folders: OutputFolders, given: Mapping[str, Any]) -> None:
    """Keep the options of a run beside its results; locations as absolute paths."""
    kept: dict[str, Any] = {
        name: _made_whole(given[name]) if name in _PATHS else given[name]
        for name in _NAMES
        if given.get(name)
    }
    try:
        folder = _top(folders)
    except GroundtraceError:  # a dry run, or nothing was found
        return
    if _stored(folder) != kept:
        # Not msgspec: names of files need not be UTF-8.
        folder.write(FILE_NAME, json.dumps(kept, sort_keys=True, separators=(",", ":")).encode())


def recalled(folders: OutputFolders) -> dict[str, Any]:
    """The options that were remembered beside the results; empty if there are none."""
    try:
        return _stored(_top(folders))
    except GroundtraceError:
        return {}


def recalled_above(trial: str) -> dict[str, Any]:
    """The same for a trial's folder or file: from the nearest results in a folder above it."""
    if "://" in trial:
        return {}
    path = Path(trial.rpartition("#")[0] or trial).absolute()
    for folder in (path, *path.parents):
        for name in (OUTPUT, AGGREGATE):
            found = _stored(folder_at(folder / name))
            if found:
                return found
    return {}


def missing(found: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Remembered locations that are gone: option and location."""
    for name in _PATHS:
        values = found.get(name, ())
        for value in [values] if isinstance(values, str) else values:
            if "://" not in value and not Path(_plain(value)).exists():
                yield name, value


def _plain(location: str) -> str:
    """The path in a location such as `git:REPO@REV`."""
    scheme, colon, rest = location.partition(":")
    if colon and scheme in TASK_SCHEMES:
        return rest if Path(rest).exists() else rest.rpartition("@")[0] or rest
    return location


def _made_whole(value: Any) -> Any:
    if not isinstance(value, str | os.PathLike):
        return tuple(_made_whole(one) for one in value)
    location = os.fspath(value)
    scheme, colon, rest = location.partition(":")
    if "://" in location:
        return location
    if colon and scheme in TASK_SCHEMES:
        return f"{scheme}:{Path(rest).absolute()}"
    return str(Path(location).absolute())


def _top(folders: OutputFolders) -> Folder:
    """The folder of the results that cover everything: over all runs, or of the single run."""
    outputs, single = folders.existing()
    return outputs[0].folder if single else folders.aggregate()


def _stored(folder: Folder) -> dict[str, Any]:
    try:
        found = json.loads(folder.read(FILE_NAME, MAX_SIZE))
    except (OSError, ValueError, RecursionError):
        return {}
    if not isinstance(found, dict):
        return {}
    return {
        name: tuple(value) if isinstance(value, list) else value
        for name, value in found.items()
        if name in _NAMES
    }
