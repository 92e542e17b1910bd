"""Which files of a project's folder belong to one session of Claude Code.

A subagent writes `agent-<id>.jsonl` next to the session, or in `<session>/subagents/`; each of its
lines names the session. A subagent's file without the session's file is a trial of its own.
"""

from __future__ import annotations

from groundtrace.base import jsonio
from groundtrace.base.jsonl import read_lines
from groundtrace.base.patterns import regex
from groundtrace.base.values import as_mapping, as_text
from groundtrace.storage import Folder, LocalFolder
from groundtrace.storage.watch import note_error, watched

SUBAGENT = regex(r"(?:^|/)agent-[^/]*\.jsonl$")
_SUBAGENTS = "subagents"
_LOOK = 50
"""How many lines are searched for the session's id: summaries and snapshots have none."""
_MAX_KNOWN = 20_000

_known: dict[tuple[str, str, str], str | None] = {}


def _split(folder: Folder, path: str) -> tuple[Folder, str, str]:
    parent, slash, name = path.rpartition("/")
    return (folder.folder(parent) if parent else folder), f"{parent}{slash}", name


def _session_of(place: Folder, name: str, mark: str | None = None) -> str | None:
    """The session that a file names."""
    if mark is None:
        entry = place.stat(name)
        mark = "" if entry is None else entry.mark
    key = (place.url, name, mark)
    if key not in _known:
        if len(_known) > _MAX_KNOWN:
            _known.clear()
        try:
            with watched():  # not an input of each session: the result is kept for all of them
                _known[key] = _look(place, name)
        except OSError:  # it may be readable next time, with the same mark
            note_error(name)
            return None
    return _known[key]


def _look(place: Folder, name: str) -> str | None:
    with place.open(name) as stream:
        for line in read_lines(stream):
            if line.number > _LOOK:
                return None
            try:
                value = as_mapping(jsonio.loads(line.data))
            except jsonio.BadJsonError:
                continue
            session = as_text(value.get("sessionId"))
            if session is not None:
                return session
    return None


def companions(folder: Folder, path: str) -> tuple[str, ...]:
    """The logs of the subagents of a session."""
    place, before, name = _split(folder, path)
    if SUBAGENT.search(name):
        return ()
    session = _session_of(place, name)
    if session is None:
        return ()
    if session != _stem(name) and _has_log(place, session):
        session = _stem(name)  # it goes on from that session and begins with its lines
    found = []
    for inner in dict.fromkeys(("", f"{session}/{_SUBAGENTS}", f"{_stem(name)}/{_SUBAGENTS}")):
        here = place.folder(inner) if inner else place
        for entry in here.entries():
            is_log = entry.kind == "file" and SUBAGENT.search(entry.name) is not None
            if is_log and _session_of(here, entry.name, entry.mark) == session:
                found.append(f"{before}{inner}/{entry.name}" if inner else f"{before}{entry.name}")
    return tuple(sorted(found))


def part_of(folder: Folder, path: str) -> str | None:
    """For a subagent's log: its session, if the session's log is there."""
    place, before, name = _split(folder, path)
    if not SUBAGENT.search(name):
        return None
    session = _session_of(place, name)
    if session is None:
        return None
    project = place
    if place.name == _SUBAGENTS and isinstance(place, LocalFolder):
        # The folder is `<project>/<session>/subagents`.
        project, before = LocalFolder(place.path.parent.parent), ""
    if _has_log(project, session):
        return f"{before}{session}.jsonl"
    for entry in project.entries():
        if entry.kind != "file" or not entry.name.endswith(".jsonl"):
            continue
        if SUBAGENT.search(entry.name):
            continue
        if _session_of(project, entry.name, entry.mark) == session:
            return f"{before}{entry.name}"
    return None


def _has_log(project: Folder, session: str) -> bool:
    """Whether a session has a log of its name."""
    return "/" not in session and project.has_file(f"{session}.jsonl")


def _stem(name: str) -> str:
    return name.removesuffix(".jsonl")
