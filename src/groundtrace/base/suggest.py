"""Messages for a name that does not exist: they give the nearest name and the existing ones."""

from __future__ import annotations

from collections.abc import Iterable


def nearest_name(name: str, known: Iterable[str]) -> str | None:
    """The known name with the most similar spelling, ignoring case."""
    import difflib

    by_lower = {one.lower(): one for one in reversed(list(known))}
    near = difflib.get_close_matches(name.lower(), by_lower, n=1, cutoff=0.0)
    return by_lower[near[0]] if near else None


def unknown_name(what: str, name: str, known: Iterable[str], *, listed: bool = True) -> str:
    """A message such as `unknown metric 'recal'; nearest is 'recall@1' (known: …)`.

    `listed`: the message lists all known names; set it to False if there are hundreds.
    """
    names = list(known)
    near = nearest_name(name, names)
    nearest = f"; nearest is {near!r}" if near is not None else ""
    everything = f" (known: {', '.join(names)})" if listed else ""
    return f"unknown {what} {name!r}{nearest}{everything}"
