"""How a reader says that a file has its format.

This module and the `reader.py` of each format must import quickly: discovery asks readers for the
names of their files even in a run without changes. The code that reads is imported with the first
file.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any, Literal

from msgspec import field

from groundtrace.base.frozen import Frozen
from groundtrace.base.patterns import regex
from groundtrace.model import Stated

Strength = Literal["marker", "shape", "name"]
"""How sure a reader is: by an explicit marker, by the form of the content, by the file's name."""


_TYPE = regex(rb'"type"\s*+:\s*+"([\w.-]{1,80}+)"')


class Probe(Frozen, frozen=True, dict=True):
    """What a reader may use to recognise a file."""

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
        """Values of all members `type`, found once for all readers. So a reader that looks for its
        own type does not search the bytes of another format again."""
        return frozenset(_TYPE.findall(self.head))


class Recognised(Frozen, frozen=True):
    """A reader's claim on a file."""

    strength: Strength
    evidence: str


CallKey = tuple[str, bytes]
"""Id of a call, and a digest of its tool and arguments."""


class SessionCalls(Frozen, frozen=True):
    """What of a session another file may repeat."""

    keys: tuple[CallKey | None, ...]
    """Each call, in order; None where its id does not tell calls of different files apart."""
    replies: tuple[str, ...]
    """Ids of the model's messages, in order."""
    first: float | None
    last: float | None


OF_A_SUBAGENT = "the session of a subagent, a part of another trial"
"""Why such a file is no sample."""


class Sample(Frozen, frozen=True):
    """One trial in a trace file."""

    sample_id: str | None = None
    """Selects the sample in its file (`FILE#id`), unique there; None if the file is one trace. For
    several attempts at one instance a reader numbers the later ones."""
    stated: Stated = field(default_factory=Stated)
    """What the sample says about itself, as far as that can be read quickly."""
    no_trial: str | None = None
    """Why it is not a trial of a model, for example a demonstration; discovery skips it."""
    session: SessionCalls | None = None
    """Its calls, if another session may have copied them into a file of its own."""
    first_call: float | None = None
    """When its first call was made, if listing it meant reading its calls."""


def stated_by(reader: object, name: str) -> tuple[Any, ...]:
    """The value of an optional attribute of a reader (`sidecars`, …); empty if it has none."""
    return tuple(getattr(reader, name, ()))
