"""Which sessions of a run continue another one, and what they repeat of it (D136)."""

from __future__ import annotations

import posixpath
from collections.abc import Sequence

from msgspec.structs import replace

from groundtrace.base.frozen import Frozen
from groundtrace.base.visible import plural
from groundtrace.model import Problem, Repeats
from groundtrace.storage import in_day_folder
from groundtrace.traces.kit.claims import CallKey, SessionCalls
from groundtrace.traces.kit.repeated_calls import repeated_part


class Session(Frozen, frozen=True):
    """A session of the run."""

    parts: tuple[str, ...]
    """Path below RUNS, the file last."""
    reader: str
    calls: SessionCalls


class Continued(Frozen, frozen=True):
    """What a session repeats."""

    repeats: Repeats
    is_all: bool
    """It has no call of its own."""

    def problem(self, path: str) -> Problem:
        """That it goes on from another session, for the list of problems."""
        calls = plural(len(self.repeats.calls), "call", "calls")
        reason = f"goes on from {self.repeats.file}; {calls} of it repeated here and left out"
        return Problem(path, "repeated_calls", reason)


def continued(sessions: Sequence[Session]) -> list[Continued | None]:
    """For each session what it repeats of an earlier one in the same project; mostly None."""
    calls: dict[tuple[str, ...], dict[CallKey, str]] = {}
    replies: dict[tuple[str, ...], set[str]] = {}
    found: list[Continued | None] = [None] * len(sessions)
    for number in sorted(range(len(sessions)), key=lambda n: _age(sessions[n])):
        session = sessions[number]
        project = _project(session)
        known, said = calls.setdefault(project, {}), replies.setdefault(project, set())
        repeats = repeated_part(session.calls, known, said)
        path = "/".join(session.parts)
        for key in session.calls.keys:
            if key is not None:
                known.setdefault(key, path)
        said.update(session.calls.replies)
        if repeats is not None:
            here = posixpath.relpath(f"/{repeats.file}", f"/{posixpath.dirname(path)}")
            own = sum(key is None or key[0] not in repeats.calls for key in session.calls.keys)
            found[number] = Continued(replace(repeats, file=here), own == 0)
    return found


def _project(session: Session) -> tuple[str, ...]:
    """The folder whose sessions may go on from each other."""
    folder = session.parts[:-1]
    if in_day_folder("/".join(session.parts)):
        folder = folder[:-3]
    return (session.reader, *folder)


def _age(session: Session) -> tuple[float, float, tuple[str, ...]]:
    """The earlier of two sessions first; a copy keeps the times of what it copies."""
    last = float("inf")
    calls = session.calls
    return (
        calls.first if calls.first is not None else last,
        calls.last if calls.last is not None else last,
        session.parts,
    )
