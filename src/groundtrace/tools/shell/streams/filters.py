"""How a search behind a pipe filters what it is fed."""

from __future__ import annotations

import msgspec

from groundtrace.tools.shell.streams.search_patterns import Pattern


class Filter(msgspec.Struct, frozen=True):
    """`... | grep`, by its options."""

    pattern: Pattern | None = None
    inverted: bool = False
    numbered: bool = False
    """Lines carry the number that they have in the stream (-n)."""
    context: bool = False
    """Lines around the found ones are printed too (-A, -B, -C)."""
    partial: bool = False
    """Only the matching text is printed (-o)."""
    limit: int | None = None
    """No more lines than this (-m)."""
    rule: str = "grep"
    """Name of the program, for `explain`."""
