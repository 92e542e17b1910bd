"""What is said of a name that does not exist: the nearest one, and those that there are."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


def unknown_name(what: str, name: str, known: Iterable[str], *, listed: bool = True) -> str:
    """A message such as `unknown metric 'recal'; nearest is 'recall@1' (known: …)`.

    `listed`: all names follow; not where there are hundreds of them.
    """
    names = list(known)
    by_lower = {one.lower(): one for one in reversed(names)}
    near = difflib.get_close_matches(name.lower(), by_lower, n=1, cutoff=0.0)
    nearest = f"; nearest is {by_lower[near[0]]!r}" if near else ""
    everything = f" (known: {', '.join(names)})" if listed else ""
    return f"unknown {what} {name!r}{nearest}{everything}"
