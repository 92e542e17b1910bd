"""How a search after a pipe filters its input."""

from __future__ import annotations

import msgspec

from groundtrace.shell.streams.search_patterns import Pattern


class Filter(msgspec.Struct, frozen=True):
    """`... | grep`, by its options."""

    pattern: Pattern | None = None
    inverted: bool = False
    numbered: bool = False
    """Lines begin with their number in the stream (-n)."""
    context: bool = False
    """Lines around the found ones are printed too (-A, -B, -C)."""
    partial: bool = False
    """Only the matching text is printed (-o)."""
    limit: int | None = None
    """No more lines than this (-m)."""
    rule: str = "grep"
    """Name of the program, for `explain`."""
