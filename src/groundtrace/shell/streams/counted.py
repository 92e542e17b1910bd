"""Found lines that were counted while their names were read, so that nobody reads them again.

Almost every search prints only lines such as `name:12:text`. `tools.shell.shown` can count the
characters and numbers of each file in any output, but it must find out which file a line names.
The search knows that already. Both ways must give the same numbers, so the search counts only if
no name can be understood in two ways.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from groundtrace.base.patterns import regex
from groundtrace.model import FileRef

LONGEST = 4096
"""How far into a line the name and the number of a found line may reach."""
_NUMBER_INSIDE = regex(r"-\d{1,9}[:\-]")


class Counted(list[FileRef]):
    """References in the order of `chars` and `numbers`: what `lines` show of each file."""

    __slots__ = ("chars", "lines", "numbers")
    chars: list[int]
    numbers: list[list[int]]
    lines: Sequence[str]
    """The lines that were counted."""


def is_plain(names: Mapping[str, object], refs: Sequence[FileRef]) -> bool:
    """Whether each name can only mean its own reference, and only its own number follows it.

    `a/x.py` is also the end of `b/a/x.py`; `v-1-2.py:7:` has three places where a name may end.
    """
    bases = set()
    for name, ref in zip(names, refs, strict=True):
        tail = name.removeprefix("./").lstrip("/")
        if name != name.strip() or name[0].isdigit() or not f"/{ref.path}".endswith(f"/{tail}"):
            return False
        if "-" in name and _NUMBER_INSIDE.search(f"{name}:"):
            return False
        bases.add(tail.rpartition("/")[2])
    return len(bases) == len(refs)
