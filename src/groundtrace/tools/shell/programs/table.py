"""All programs that are known, by name."""

from __future__ import annotations

from groundtrace.tools.shell.programs import (
    fetchers,
    git,
    listers,
    readers,
    remote_readers,
    reporters,
    scripts,
    searchers,
    sed_awk,
    wrappers,
    writers,
)
from groundtrace.tools.shell.programs.call import Entry

TABLE: dict[str, Entry] = {
    name: Entry(handler)
    for module in (
        readers,
        sed_awk,
        searchers,
        listers,
        writers,
        git,
        wrappers,
        scripts,
        remote_readers,
        reporters,
        fetchers,
    )
    for name, handler in module.HANDLERS.items()
}
"""Name of the program to its entry."""
