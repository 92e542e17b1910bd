"""A program as a row of data: what it does, its options, its lines, its names in messages."""

from __future__ import annotations

import msgspec


class Program(msgspec.Struct, frozen=True):
    """One program as data."""

    effect: str
    """What it does with the files that it names: a key of `EFFECTS`, or of `HANDLERS` for programs
    that need code of their own."""
    takes: str = ""
    """Short options with a value, letter by letter: with `n`, the `5` of `-n 5` is not a file."""
    long: frozenset[str] = frozenset()
    """Long options with a value."""
    form: str = ""
    """Where the name is in its lines (`streams.name_forms`)."""
    stop: int | None = None
    """Operands after this many are not files; None: all are."""
    skip: int = 0
    """Number of operands before the command that it runs."""
    speaks: tuple[str, ...] = ()
    """Other names that it uses in error messages: `gzip` for `zcat`."""
