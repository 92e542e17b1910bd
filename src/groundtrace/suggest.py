"""What is said of a name that does not exist: the nearest one, and those that there are."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


def nearest_name(name: str, known: Iterable[str]) -> str | None:
    """The name that is spelled most like this one; case does not count."""
    by_lower = {one.lower(): one for one in reversed(list(known))}
    near = difflib.get_close_matches(name.lower(), by_lower, n=1, cutoff=0.0)
    return by_lower[near[0]] if near else None


def unknown_name(what: str, name: str, known: Iterable[str], *, listed: bool = True) -> str:
    """A message such as `unknown metric 'recal'; nearest is 'recall@1' (known: …)`.

    `listed`: all names follow; not where there are hundreds of them.
    """
    names = list(known)
    near = nearest_name(name, names)
    nearest = f"; nearest is {near!r}" if near is not None else ""
    everything = f" (known: {', '.join(names)})" if listed else ""
    return f"unknown {what} {name!r}{nearest}{everything}"
