"""What patterns remove from the text of a variable."""

from __future__ import annotations

import fnmatch


def stripped(text: str, pattern: str, at_end: bool, longest: bool) -> str:
    """`${x%pattern}` and `${x#pattern}`: the text without the shortest or the longest match."""
    cuts = range(len(text) + 1)
    order = cuts if longest == at_end else reversed(cuts)
    for cut in order:
        piece = text[cut:] if at_end else text[:cut]
        if fnmatch.fnmatchcase(piece, pattern):
            return text[:cut] if at_end else text[cut:]
    return text


def glob_regex(pattern: str) -> str:
    """A pattern of the shell as a regular expression."""
    return fnmatch.translate(pattern).removeprefix("(?s:").removesuffix(r")\Z")
