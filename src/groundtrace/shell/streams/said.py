"""Lines that a script prints in its own words, whatever its files hold."""

from __future__ import annotations

from collections.abc import Sequence

Said = tuple[tuple[str, str], ...]
"""How the lines begin and end; equal if the whole line is known."""

_TRACEBACK = "Traceback (most recent call last):"


def only_said(lines: Sequence[str], said: Said) -> bool:
    """Whether all lines are a script's own words or a traceback, so that they show no file."""
    whole = {start for start, end in said if start == end}
    open_ended = [(start, end) for start, end in said if start != end]
    starts = tuple(start for start, _ in open_ended)
    in_trace = False
    for line in lines:
        if in_trace:
            # The exception itself comes after the indented lines.
            in_trace = line.startswith("  ")
            continue
        text = line.strip()
        if text == _TRACEBACK:
            in_trace = True
        elif text and text not in whole:
            if not text.startswith(starts):
                return False
            if not any(text.startswith(start) and text.endswith(end) for start, end in open_ended):
                return False
    return True
