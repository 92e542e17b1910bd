"""Which rollouts are subagents or forks of which: the first line of each says it.

A subagent's file names the thread that started it. The file of a review does not; it begins within
a second after its parent entered review mode, in the same directory.
"""

from __future__ import annotations

import importlib
import io
import os
import re
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, cast

from msgspec import field
from msgspec.structs import replace

from groundtrace.base import jsonio
from groundtrace.base.frozen import Frozen
from groundtrace.base.jsonl import read_lines
from groundtrace.base.patterns import regex
from groundtrace.base.times import parse_time
from groundtrace.base.values import as_mapping, as_text
from groundtrace.storage import DAY_FOLDERS, Folder, LocalFolder
from groundtrace.storage.watch import note_error, watched
from groundtrace.traces.codex.records import CALLS, line_of

MAX_FIRST_LINE = 4 * 1024 * 1024
MAX_FILES = 20_000
"""How many files are searched for related ones, the newest days last."""
REVIEW_SECONDS = 1.0
_MAX_KNOWN = 40_000
_MAX_TREES = 16
_REVIEW = regex(rb'"type"\s*:\s*"entered_review_mode"')
_CALL = regex(rb'"type"\s*:\s*"(?:\w+_call)"')


class Thread(NamedTuple):
    """What the first line of a rollout says about its thread."""

    file: str
    """Path below the top of its tree."""
    mark: str
    thread_id: str
    parent: str | None
    """For a subagent: id of the thread that started it."""
    forked_from: str | None
    is_review: bool
    started: float | None
    cwd: str | None


class Kin(Frozen, frozen=True):
    """What must be known about related files in order to read a rollout."""

    thread_id: str | None = None
    parent: str | None = None
    """File of the thread that started it; None if no thread did."""
    forked_from: str | None = None
    """File whose calls it repeats."""
    history: frozenset[str] = field(default_factory=frozenset)
    """Ids of the repeated calls."""
    unread: str | None = None
    """Why these ids are unknown, if the file is there but cannot be read."""


class _Index(Frozen, frozen=True):
    """The threads of a tree, by what they are asked for."""

    threads: tuple[Thread, ...]
    by_id: Mapping[str, Thread]
    children: Mapping[str, tuple[Thread, ...]]
    """File of a thread to those that it started."""


_known: dict[tuple[str, str, str], Thread | None] = {}
_known_reviews: dict[tuple[str, str, str], list[float]] = {}
_indexes: dict[str, tuple[tuple[str, ...], _Index]] = {}


def _index(tree: Tree) -> _Index:
    """The threads of a tree; looked for again when a file was added, removed or has changed."""
    places = list(tree.places())
    now = signature(places)
    known = _indexes.get(tree.top.url)
    if known is not None and known[0] == now:
        return known[1]
    found, whole = _threads(places)
    by_id: dict[str, Thread] = {}
    for thread in found:
        by_id.setdefault(thread.thread_id, thread)
    index = _Index(tuple(found), by_id, {})
    children: dict[str, tuple[Thread, ...]] = {}
    for thread in found:
        parent = _parent(thread, index, tree)
        if parent is not None:
            children[parent.file] = (*children.get(parent.file, ()), thread)
    index = replace(index, children=children)
    if now is not None and whole:
        if len(_indexes) >= _MAX_TREES:
            _indexes.clear()
        _indexes[tree.top.url] = now, index
    return index


def _threads(places: list[RolloutFolder]) -> tuple[list[Thread], bool]:
    """The threads whose rollouts lie in folders, and whether all of them could be read."""
    found: list[Thread] = []
    looked = 0
    whole = True
    for place, before in places:
        for entry in place.entries():
            if entry.kind != "file" or not entry.name.endswith((".jsonl", ".jsonl.zst")):
                continue
            looked += 1
            if looked > MAX_FILES:
                return found, whole
            try:
                thread = _looked_at(place, before, entry.name, entry.mark)
            except OSError:  # it may be readable the next time, with the same mark
                note_error(entry.name)
                whole = False
                continue
            if thread is not None:
                found.append(thread)
    return found, whole


def _looked_at(place: Folder, before: str, name: str, mark: str) -> Thread | None:
    key = (place.url, name, mark)
    if key not in _known:
        if len(_known) > _MAX_KNOWN:
            _known.clear()
        with watched():  # looked at once: it is no input that each rollout has
            _known[key] = _thread(place, name, mark)
    thread = _known[key]
    return None if thread is None else thread._replace(file=f"{before}{name}")


def _thread(place: Folder, name: str, mark: str) -> Thread | None:
    try:
        with open_plain(place, name) as stream:
            data = stream.readline(MAX_FIRST_LINE)
        line = line_of(jsonio.loads(data.removeprefix(b"\xef\xbb\xbf").strip()))
    except (ValueError, jsonio.BadJsonError):
        return None
    thread_id = as_text(line.members.get("id")) if line is not None else None
    if line is None or line.kind != "session_meta" or thread_id is None:
        return None
    parent, is_review = _started_by(line.members)
    return Thread(
        name,
        mark,
        thread_id,
        parent,
        as_text(line.members.get("forked_from_id")),
        is_review,
        parse_time(line.members.get("timestamp")) or parse_time(line.stamp),
        as_text(line.members.get("cwd")),
    )


def _started_by(meta: Mapping[str, Any]) -> tuple[str | None, bool]:
    """For a subagent: the id of the thread that started it, and whether it is a review."""
    subagent = as_mapping(meta.get("source")).get("subagent")
    if subagent is None:
        return None, False
    spawn = as_mapping(as_mapping(subagent).get("thread_spawn"))
    parent = as_text(spawn.get("parent_thread_id")) or as_text(meta.get("parent_thread_id"))
    return parent, parent is None and subagent == "review"


def _parent(thread: Thread, index: _Index, tree: Tree) -> Thread | None:
    if thread.parent is not None:
        found = index.by_id.get(thread.parent)
        return None if found is None or found.file == thread.file else found
    if not thread.is_review or thread.started is None:
        return None
    for other in index.threads:
        if other.is_review or other.cwd != thread.cwd or (other.started or 0) > thread.started:
            continue
        if any(0 <= thread.started - at <= REVIEW_SECONDS for at in _reviews(tree, other)):
            return other
    return None


def _reviews(tree: Tree, thread: Thread) -> list[float]:
    """When a thread entered review mode."""
    key = (tree.top.url, thread.file, thread.mark)
    if key in _known_reviews:
        return _known_reviews[key]
    found: list[float] = []
    try:
        with watched(), open_plain(tree.top, thread.file) as stream:
            for raw in read_lines(stream):
                if _REVIEW.search(raw.data):
                    line = line_of(jsonio.loads(raw.data))
                    moment = None if line is None else parse_time(line.stamp)
                    if moment is not None:
                        found.append(moment)
    except (OSError, jsonio.BadJsonError):
        return found
    if len(_known_reviews) > _MAX_KNOWN:
        _known_reviews.clear()
    _known_reviews[key] = found
    return found


def _own(tree: Tree) -> Thread | None:
    """The thread of the file that is asked about, as the file is now."""
    entry = tree.top.stat(tree.own)
    if entry is None:
        return None
    place, slash, name = tree.own.rpartition("/")
    return _looked_at(
        tree.top.folder(place) if place else tree.top, f"{place}{slash}", name, entry.mark
    )


def parent_of(folder: Folder, path: str) -> str | None:
    """The file of the thread that started this one, if it is in the same tree."""
    tree = tree_of(folder, path)
    try:
        own = _own(tree)
    except OSError:
        note_error(path)
        return None
    if own is None or (own.parent is None and not own.is_review):
        return None
    parent = _parent(own, _index(tree), tree)
    return None if parent is None else tree.named(parent.file)


def subagents_of(folder: Folder, path: str) -> tuple[str, ...]:
    """The files of the subagents of a thread, and of theirs, by the time of their start."""
    tree = tree_of(folder, path)
    index = _index(tree)
    found: list[Thread] = []
    family = {tree.own}
    waiting = [tree.own]
    while waiting:
        for thread in index.children.get(waiting.pop(), ()):
            if thread.file not in family:
                family.add(thread.file)
                waiting.append(thread.file)
                found.append(thread)
    found.sort(key=lambda t: (t.started or 0, t.file))
    return tuple(tree.named(t.file) for t in found)


def relatives_of(folder: Folder, path: str) -> Kin:
    """What the files of the same tree say of a rollout."""
    tree = tree_of(folder, path)
    own = _own(tree)
    if own is None:
        return Kin()
    if own.parent is None and own.forked_from is None and not own.is_review:
        return Kin(own.thread_id)
    index = _index(tree)
    parent = _parent(own, index, tree)
    origin = index.by_id.get(own.forked_from or "")
    if origin is not None and origin.file == own.file:
        origin = None
    history: frozenset[str] = frozenset()
    unread = None
    if origin is not None:
        try:
            history = _call_ids(folder, tree.named(origin.file))
        except OSError as error:
            unread = str(error)
    return Kin(
        own.thread_id,
        None if parent is None else tree.named(parent.file),
        None if origin is None else tree.named(origin.file),
        history,
        unread,
    )


def _call_ids(place: Folder, name: str) -> frozenset[str]:
    """Ids of the calls of a rollout."""
    found: set[str] = set()
    with open_plain(place, name) as stream:
        for raw in read_lines(stream):
            if not _CALL.search(raw.data):
                continue
            try:
                line = line_of(jsonio.loads(raw.data))
            except jsonio.BadJsonError:
                continue
            call_id = as_text(line.members.get("call_id")) if line is not None else None
            if line is not None and line.body.type in CALLS and call_id is not None:
                found.add(call_id)
    return frozenset(found)


# --- folders ---
# Codex keeps a folder for each day (`sessions/2026/05/04/`). A thread is written to the file of the
# day on which it began. A subagent that it starts after midnight, or weeks later when it is resumed,
# has its file in another folder, so all days are searched. Without such folders it is the file's own.

_DAY = regex(rf"(?:(.*)/)?({DAY_FOLDERS})/([^/]+)")
_LEVELS = tuple(map(re.compile, DAY_FOLDERS.split("/")))
_SETTLED_SECONDS = 0.1
"""A folder that changed less than this ago may change again and keep its time of change."""


class RolloutFolder(NamedTuple):
    """A folder of rollouts."""

    folder: Folder
    before: str
    """Its path below the top, with a slash at the end; empty for the top itself."""


class Tree(Frozen, frozen=True):
    """The folder that holds all days, or the only folder."""

    top: Folder
    own: str
    """Path of the rollout below the top."""
    is_dated: bool
    base: str
    """What comes before a path below the top, as the caller names files; may be empty."""
    start: str | None = None
    """For local folders: the caller's folder, from which files are named."""

    def named(self, path: str) -> str:
        """A path below the top, as the caller names it."""
        if self.start is None:
            return f"{self.base}{path}"
        return os.path.relpath(f"{self.base}/{path}", self.start)

    def places(self) -> Iterator[RolloutFolder]:
        """The folders of rollouts, by day."""
        if self.is_dated:
            yield from _below(self.top, "", 0)
        else:
            yield RolloutFolder(self.top, "")


def _below(folder: Folder, before: str, level: int) -> Iterator[RolloutFolder]:
    if level == len(_LEVELS):
        yield RolloutFolder(folder, before)
        return
    for name, kind in folder.kinds():
        if kind == "folder" and _LEVELS[level].fullmatch(name):
            yield from _below(folder.folder(name), f"{before}{name}/", level + 1)


def tree_of(folder: Folder, path: str) -> Tree:
    """Where related rollouts are looked for; never outside of the folder's root."""
    if isinstance(folder, LocalFolder):
        # With the folder's own path, because users often name the folder of one day.
        found = _DAY.fullmatch(os.path.normpath(folder.path.absolute() / path))
        if found is not None:
            days = folder.above(Path(found[1] or "/"))
            if days is not None:
                start = os.path.normpath(folder.path.absolute())
                return Tree(days, f"{found[2]}/{found[3]}", True, found[1] or "/", start)
    elif (found := _DAY.fullmatch(path)) is not None:
        base = "" if found[1] is None else f"{found[1]}/"
        top = folder.folder(found[1]) if found[1] else folder
        return Tree(top, f"{found[2]}/{found[3]}", True, base)
    parent, slash, name = path.rpartition("/")
    top = folder.folder(parent) if parent else folder
    return Tree(top, name, False, f"{parent}{slash}")


def signature(places: list[RolloutFolder]) -> tuple[str, ...] | None:
    """When files were last added or removed; None if these times cannot be relied on."""
    found = []
    newest = 0
    for place in places:
        if not isinstance(place.folder, LocalFolder):
            return None
        try:
            info = place.folder.path.stat()
        except OSError:
            return None
        newest = max(newest, info.st_mtime_ns)
        found.append(f"{place.before} {info.st_ino} {info.st_mtime_ns}")
    return tuple(found) if time.time_ns() - newest > _SETTLED_SECONDS * 1e9 else None


# --- packed files ---
# Codex compresses old rollouts with zstd; the package that unpacks them is optional.

MISSING = "packed with zstd: pip install 'groundtrace[zstd]' to read it"


class CannotUnpackError(OSError):
    """No installed package can unpack the file."""


MOST_UNPACKED = 64 * 1024 * 1024
"""Bytes that every packed file may unpack to."""
MAX_RATIO = 200
"""How many times its size a larger one may unpack to: rollouts pack to a tenth or a twentieth."""


class _Bounded(io.RawIOBase):
    """A packed file; raises an error if it gives more bytes than the limit."""

    def __init__(self, inner: BinaryIO, most: int) -> None:
        self._inner = inner
        self._left = most

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self._inner.read(len(buffer))
        self._left -= len(data)
        if self._left < 0:
            raise OSError("unpacks to far more than its size; the rest is not read")
        buffer[: len(data)] = data
        return len(data)

    def close(self) -> None:
        self._inner.close()
        super().close()


def open_plain(folder: Folder, path: str) -> BinaryIO:
    """The unpacked content of a file."""
    stream = folder.open(path)
    if not path.endswith(".zst"):
        return stream
    entry = folder.stat(path)
    most = max(MOST_UNPACKED, MAX_RATIO * (0 if entry is None else entry.size))
    try:
        return cast(BinaryIO, io.BufferedReader(_Bounded(_unpacked(stream), most)))
    except ImportError:
        stream.close()
        raise CannotUnpackError(MISSING) from None


def _unpacked(stream: BinaryIO) -> BinaryIO:
    try:
        own: Any = importlib.import_module("compression.zstd")  # Python 3.14
    except ImportError:
        package: Any = importlib.import_module("zstandard")
        reader = package.ZstdDecompressor().stream_reader(
            stream, read_across_frames=True, closefd=True
        )
        return cast(BinaryIO, reader)
    return cast(BinaryIO, own.ZstdFile(stream))
