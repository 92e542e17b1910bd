"""What was asked for last, up to a total size: a worker keeps it for the trials that follow."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


class Recent(Generic[Key, Value]):
    """Values by key. Where there is no room, those go that were not asked for the longest.

    All going at once had made every second trial read its files again.
    """

    def __init__(self, room: int) -> None:
        self._room = room
        self._left = room
        self._kept: dict[Key, tuple[Value, int]] = {}

    def get(self, key: Key) -> Value | None:
        """The value of a key; None if it is not kept."""
        found = self._kept.pop(key, None)
        if found is None:
            return None
        self._kept[key] = found
        return found[0]

    def keep(self, key: Key, value: Value, size: int) -> Value:
        """Keep a value, unless it alone is larger than the room. Returns it."""
        old = self._kept.pop(key, None)
        self._left += 0 if old is None else old[1]
        if size > self._room:
            return value
        while size > self._left:
            self._left += self._kept.pop(next(iter(self._kept)))[1]
        self._kept[key] = value, size
        self._left -= size
        return value
