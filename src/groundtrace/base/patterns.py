"""Regular expressions that are compiled when they are first asked.

Compiling all patterns of the modules that read traces took 90 of the 600 ms of a small run, and
fewer than half of them are asked in it.
"""

from __future__ import annotations

import re
from typing import Any, AnyStr, cast

_NAMES = tuple(name for name in dir(re.Pattern) if not name.startswith("_"))


class _Later:
    """A pattern that is not compiled yet; from the first question on it has all of its methods.

    Methods in slots are found as fast as those of a compiled pattern.
    """

    __slots__ = ("_flags", "_source", *_NAMES)

    def __init__(self, source: str | bytes, flags: int) -> None:
        self._source = source
        self._flags = flags

    @property  # type: ignore[misc]
    def __class__(self) -> Any:
        """For `isinstance`: functions of `re` take it as a pattern."""
        return re.Pattern

    def __getattr__(self, name: str) -> Any:
        compiled = re.compile(self._source, self._flags)
        for own in _NAMES:
            setattr(self, own, getattr(compiled, own))
        return getattr(compiled, name)

    def __reduce__(self) -> tuple[Any, ...]:
        """Sent to another process as a plain pattern."""
        return re.compile, (self._source, self._flags)

    def __repr__(self) -> str:
        return repr(re.compile(self._source, self._flags))


def regex(source: AnyStr, flags: int | re.RegexFlag = 0) -> re.Pattern[AnyStr]:
    """A constant pattern of a module. Not for patterns of users: a mistake shows only when asked."""
    return cast("re.Pattern[AnyStr]", _Later(source, flags))
