"""How often Python looks for unreachable objects, while a block runs."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def rarely_collected(new_objects: int) -> Iterator[None]:
    """Look for unreachable objects only after so many new ones; Python's own number is 700.

    In the middle of a trial or of an analysis everything is in use, and going through all of it
    several times took a thirtieth of the time. If collection is off, it stays off.
    """
    before = gc.get_threshold()
    gc.set_threshold(max(before[0], new_objects) if before[0] else 0, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)
