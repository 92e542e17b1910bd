"""What a reader of a tool says of one call."""

from __future__ import annotations

import msgspec

from groundtrace.model import Category, FileRef, Problem, RootSign


class Findings(msgspec.Struct, frozen=True):
    """What one reader says of one call."""

    refs: tuple[FileRef, ...] = ()
    """Files touched, in order of appearance."""
    failed: bool = False
    """The call obtained nothing (D4)."""
    repos: tuple[str, ...] = ()
    """Repositories that the call names, as the trace spells them."""
    symbols: tuple[str, ...] = ()
    """Symbols that the call asked for."""
    category: Category | None = None
    """Set if arguments or result decide the category, such as a view of a directory (D2)."""
    signs: tuple[RootSign, ...] = ()
    """What the call shows about folders as repositories."""
    problems: tuple[Problem, ...] = ()
    """What could not be understood."""


NOTHING = Findings(failed=True)
"""A call that obtained nothing."""
