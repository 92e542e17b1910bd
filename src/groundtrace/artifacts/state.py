"""Incremental state: which inputs each document was made from, so that a second run can skip.

One file inside `retrieval_events/`. It is a cache: when it is missing, broken or from another
version, everything is done again and the results are the same bytes.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import Any

import msgspec

from groundtrace import __version__
from groundtrace.storage import Entry, Folder

FILE_NAME = ".state.json"


class State(msgspec.Struct, kw_only=True):
    """What the last run over this folder knew."""

    groundtrace: str = __version__
    context: str = ""
    """Fingerprint of settings, registry and version: when it differs, everything is stale."""
    documents: dict[str, str] = {}
    """Events document to the fingerprint of the inputs it was made from."""
    evaluated: dict[str, str] = {}
    """Events document to its own stamp when its metrics were computed."""
    results: dict[str, str] = {}
    """Run-level file to the fingerprint of what it was made from."""


def load_state(folder: Folder) -> State:
    """The state of the folder, or an empty one."""
    try:
        state = msgspec.json.decode(folder.read(FILE_NAME), type=State)
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError):
        return State()
    return state if state.groundtrace == __version__ else State()


def save_state(folder: Folder, state: State) -> None:
    """Write the state, last of all: what it names is on disk already."""
    folder.write(FILE_NAME, msgspec.json.encode(state, order="sorted"))


def fingerprint(*parts: Any) -> str:
    """A short digest of anything that msgspec can encode."""
    digest = hashlib.blake2b(digest_size=16)
    for part in parts:
        digest.update(msgspec.json.encode(part, order="deterministic"))
        digest.update(b"\0")
    return digest.hexdigest()


def stamps(entries: Iterable[tuple[str, Entry]]) -> list[tuple[str, int, str]]:
    """Name, size and stamp of each file, for a fingerprint."""
    return [(name, entry.size, entry.stamp) for name, entry in entries if entry.kind == "file"]


def walk(folder: Folder, below: str = "", depth: int = 8) -> Iterable[tuple[str, Entry]]:
    """Every file below a folder with its path, to a bounded depth."""
    for entry in folder.entries():
        path = f"{below}{entry.name}"
        if entry.kind == "folder" and depth > 0:
            yield from walk(folder.folder(entry.name), f"{path}/", depth - 1)
        else:
            yield path, entry
