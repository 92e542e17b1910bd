"""A program as a row of data: what it does, its options, how its lines look, who speaks for it."""

from __future__ import annotations

import msgspec


class Program(msgspec.Struct, frozen=True):
    """One program as data."""

    effect: str
    """What it does with the files that it names: a key of `EFFECTS`, or of `HANDLERS` for the
    programs that need code of their own."""
    takes: str = ""
    """Short options with a value, letter by letter: with `n`, `-n 5` names no file `5`."""
    long: frozenset[str] = frozenset()
    """Long options with a value."""
    form: str = ""
    """How a name stands in its lines (`streams.name_forms`)."""
    stop: int | None = None
    """Operands up to this one are files."""
    skip: int = 0
    """Operands before the command that it runs."""
    speaks: tuple[str, ...] = ()
    """Other names under which it complains: `gzip` for `zcat`."""
