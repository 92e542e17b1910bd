"""How a reader says that a file is of its format.

This module and the `reader.py` of each format are light: discovery asks readers for the names of
their files, also in a run without changes. The code that reads is imported with the first file.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal, NamedTuple

from groundtrace.model import Stated

Strength = Literal["marker", "shape", "name"]
"""How sure a reader is of a file: an explicit marker, the shape of what is in it, its name."""


_TYPE = re.compile(rb'"type"\s*+:\s*+"([\w.-]{1,80}+)"')


@dataclass(frozen=True)
class Probe:
    """What a reader may look at to recognise a file."""

    path: str
    """Relative to the trial's folder."""
    head: bytes
    """The first bytes of the file."""

    @property
    def name(self) -> str:
        """The file's own name."""
        return self.path.rpartition("/")[2]

    @cached_property
    def types(self) -> frozenset[bytes]:
        """Values of all members `type`, found once for all readers: one that looks for a type of
        its own need not search the bytes of another format again."""
        return frozenset(_TYPE.findall(self.head))


@dataclass(frozen=True, slots=True)
class Recognised:
    """A reader's claim on a file."""

    strength: Strength
    evidence: str


CallKey = tuple[str, bytes]
"""Id of a call, and a digest of its tool and arguments."""


class SessionCalls(NamedTuple):
    """What of a session another file may repeat."""

    keys: tuple[CallKey | None, ...]
    """Each call, in order; None where its id does not tell calls of different files apart."""
    replies: tuple[str, ...]
    """Ids of the model's messages, in order."""
    first: float | None
    last: float | None


@dataclass(frozen=True, slots=True)
class Sample:
    """One trial in a trace file."""

    sample_id: str | None = None
    """Picks it among the samples of its file (`FILE#id`), unique there; None where the file is one
    trace. Of several attempts at one instance a reader numbers the later ones."""
    stated: Stated = field(default_factory=Stated)
    """What the sample says of itself, as far as that is cheap to know."""
    no_trial: str | None = None
    """Why it is no trial of a model, such as a demonstration: discovery skips it and says why."""
    session: SessionCalls | None = None
    """Its calls, where another session may have copied them into a file of its own."""


def stated_by(reader: object, name: str) -> tuple[Any, ...]:
    """What a reader states under a name that it need not have (`sidecars`, …); else nothing."""
    return tuple(getattr(reader, name, ()))
