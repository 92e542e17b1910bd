"""Which rollouts are subagents or forks of which: the first line of each says it.

A subagent's file names the thread that started it. The file of a review does not; it begins within
a second after its parent entered review mode, in the same directory.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from groundtrace import jsonio
from groundtrace.storage import Folder
from groundtrace.storage.watch import note_error, watched
from groundtrace.times import parse_time
from groundtrace.traces.codex.lines import CALLS, line_of
from groundtrace.traces.codex.packed import open_plain
from groundtrace.traces.jsonl import read_lines
from groundtrace.values import as_mapping, as_text

MAX_FIRST_LINE = 4 * 1024 * 1024
MAX_FILES = 5_000
"""How many files of a folder are searched for related ones."""
REVIEW_SECONDS = 1.0
_MAX_KNOWN = 20_000
_REVIEW = re.compile(rb'"type"\s*:\s*"entered_review_mode"')
_CALL = re.compile(rb'"type"\s*:\s*"(?:\w+_call)"')


class Thread(NamedTuple):
    """What the first line of a rollout says about its thread."""

    file: str
    thread_id: str
    parent: str | None
    """For a subagent: id of the thread that started it."""
    forked_from: str | None
    is_review: bool
    started: float | None
    cwd: str | None


@dataclass(frozen=True, slots=True)
class Kin:
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


_known: dict[tuple[str, str, str], Thread | None] = {}


def _split(folder: Folder, path: str) -> tuple[Folder, str, str]:
    """The folder of a file, the path before its name, and its name."""
    parent, slash, name = path.rpartition("/")
    return (folder.folder(parent) if parent else folder), f"{parent}{slash}", name


def _threads(place: Folder) -> list[Thread]:
    """The threads whose rollouts are in a folder."""
    found: list[Thread] = []
    looked = 0
    for entry in place.entries():
        if entry.kind != "file" or not entry.name.endswith((".jsonl", ".jsonl.zst")):
            continue
        looked += 1
        if looked > MAX_FILES:
            break
        key = (place.url, entry.name, entry.mark)
        if key not in _known:
            if len(_known) > _MAX_KNOWN:
                _known.clear()
            try:
                with watched():  # not an input of each rollout: the result is kept for all of them
                    _known[key] = _thread(place, entry.name)
            except OSError:  # it may be readable next time, with the same mark
                note_error(entry.name)
                continue
        thread = _known[key]
        if thread is not None:
            found.append(thread)
    return found


def _thread(place: Folder, name: str) -> Thread | None:
    try:
        with open_plain(place, name) as stream:
            data = stream.readline(MAX_FIRST_LINE)
        line = line_of(jsonio.loads(data.removeprefix(b"\xef\xbb\xbf").strip()))
    except (ValueError, jsonio.BadJsonError):
        return None
    thread_id = as_text(line.body.get("id")) if line is not None else None
    if line is None or line.kind != "session_meta" or thread_id is None:
        return None
    parent, is_review = _started_by(line.body)
    return Thread(
        name,
        thread_id,
        parent,
        as_text(line.body.get("forked_from_id")),
        is_review,
        parse_time(line.body.get("timestamp")) or line.moment,
        as_text(line.body.get("cwd")),
    )


def _started_by(meta: Mapping[str, Any]) -> tuple[str | None, bool]:
    """For a subagent: the id of the thread that started it, and whether it is a review."""
    subagent = as_mapping(meta.get("source")).get("subagent")
    if subagent is None:
        return None, False
    spawn = as_mapping(as_mapping(subagent).get("thread_spawn"))
    parent = as_text(spawn.get("parent_thread_id")) or as_text(meta.get("parent_thread_id"))
    return parent, parent is None and subagent == "review"


def _parent(thread: Thread, threads: list[Thread], place: Folder) -> Thread | None:
    if thread.parent is not None:
        return next((t for t in threads if t.thread_id == thread.parent and t != thread), None)
    if not thread.is_review or thread.started is None:
        return None
    for other in threads:
        if other.is_review or other.cwd != thread.cwd:
            continue
        if any(0 <= thread.started - at <= REVIEW_SECONDS for at in _reviews(place, other.file)):
            return other
    return None


def _reviews(place: Folder, name: str) -> list[float]:
    """When a thread entered review mode."""
    found: list[float] = []
    try:
        with open_plain(place, name) as stream:
            for raw in read_lines(stream):
                if _REVIEW.search(raw.data):
                    line = line_of(jsonio.loads(raw.data))
                    if line is not None and line.moment is not None:
                        found.append(line.moment)
    except (OSError, jsonio.BadJsonError):
        pass
    return found


def parent_of(folder: Folder, path: str) -> str | None:
    """The file of the thread that started this one, if it is in the same folder."""
    place, before, name = _split(folder, path)
    threads = _threads(place)
    own = next((thread for thread in threads if thread.file == name), None)
    if own is None or (own.parent is None and not own.is_review):
        return None
    parent = _parent(own, threads, place)
    return None if parent is None else f"{before}{parent.file}"


def subagents_of(folder: Folder, path: str) -> tuple[str, ...]:
    """The files of a thread's subagents, and of their subagents, by start time."""
    place, before, name = _split(folder, path)
    threads = _threads(place)
    started = [t for t in threads if t.parent is not None or t.is_review]
    parents = {t.file: parent.file for t in started if (parent := _parent(t, threads, place))}
    family = {name}
    while more := {file for file, parent in parents.items() if parent in family} - family:
        family |= more
    found = [t for t in started if t.file in family and t.file != name]
    return tuple(f"{before}{t.file}" for t in sorted(found, key=lambda t: (t.started or 0, t.file)))


def kin_of(folder: Folder, path: str) -> Kin:
    """What the files next to a rollout say about it."""
    place, before, name = _split(folder, path)
    own = _thread(place, name)
    if own is None:
        return Kin()
    if own.parent is None and own.forked_from is None and not own.is_review:
        return Kin(own.thread_id)
    threads = _threads(place)
    parent = _parent(own, threads, place)
    origin = next((t for t in threads if t.thread_id == own.forked_from and t != own), None)
    history: frozenset[str] = frozenset()
    unread = None
    if origin is not None:
        try:
            history = _call_ids(place, origin.file)
        except OSError as error:
            unread = str(error)
    return Kin(
        own.thread_id,
        None if parent is None else f"{before}{parent.file}",
        None if origin is None else f"{before}{origin.file}",
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
            call_id = as_text(line.body.get("call_id")) if line is not None else None
            if line is not None and line.item in CALLS and call_id is not None:
                found.add(call_id)
    return frozenset(found)
