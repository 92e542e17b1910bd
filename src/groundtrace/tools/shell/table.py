"""All commands that are known, by name."""

from __future__ import annotations

from groundtrace.tools.shell import (
    editors,
    gits,
    listings,
    readers,
    remote,
    scripts,
    searches,
    wrappers,
    writers,
)
from groundtrace.tools.shell.commands import Entry

TABLE: dict[str, Entry] = {
    name: Entry(handler)
    for module in (readers, editors, searches, listings, writers, gits, wrappers, scripts, remote)
    for name, handler in module.HANDLERS.items()
}
"""Name of the program to its entry."""
