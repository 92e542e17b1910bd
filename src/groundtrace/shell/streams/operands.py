"""Whether a printed name lies below what the program was given."""

from __future__ import annotations

import fnmatch
from collections.abc import Sequence

from groundtrace.base.patterns import regex
from groundtrace.shell.streams.word import Word
from groundtrace.shell.syntax.holes import has_hole

_PATH_LIKE = regex(
    r"(?:\([\w.-]+\)(?=/)|[^\s:(){}<>=;,'\"`|&*])"
    r"(?:[^:(){}<>=;'\"`|*]|(?<=/)\([\w.-]+\)(?=/)){0,300}$"
)
"""A name, not a piece of code. A whole folder in brackets is a route of Next.js
(`app/(shop)/page.tsx`); without this rule six searches of one real session were lost."""


def under(name: str, roots: Sequence[Word]) -> bool:
    """Whether a printed name lies below one of the operands, as the program prints it."""
    if not roots:
        return _PATH_LIKE.match(name) is not None
    name = name.replace("\\", "/")
    for root in roots:
        text = root.text.replace("\\", "/")
        if not root.glob and (name.startswith(f"{text}/") or (name == text and text.isascii())):
            return True  # the usual case; a printed name holds no holes
        text = text.rstrip("/") or "/"
        if has_hole(text):
            return _PATH_LIKE.match(name) is not None
        if root.glob:
            text = text.replace("**/", "*")  # `**/` matches no folder at all, too
            if (
                name == text
                or fnmatch.fnmatchcase(name, text)
                or fnmatch.fnmatchcase(name, text + "/*")
            ):
                return True
        elif text == ".":
            if name.startswith("./") or (not name.startswith("/") and _PATH_LIKE.match(name)):
                return True
        elif name == text or name.startswith(text if text == "/" else text + "/"):
            return True
    return False
