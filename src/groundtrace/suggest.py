"""What is said of a name that does not exist: the nearest one, and those that there are."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


def unknown_name(what: str, name: str, known: Iterable[str]) -> str:
    """A message such as `unknown metric 'recal'; nearest is 'recall@1' (known: …)`."""
    names = list(known)
    near = difflib.get_close_matches(name.lower(), names, n=1, cutoff=0.0)
    nearest = f"; nearest is {near[0]!r}" if near else ""
    return f"unknown {what} {name!r}{nearest} (known: {', '.join(names)})"
