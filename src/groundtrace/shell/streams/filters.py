"""How a search after a pipe filters its input: its pattern, as a regular expression of Python."""

from __future__ import annotations

import re
import warnings
from functools import lru_cache

import msgspec

from groundtrace.base.patterns import regex

_CLASSES = {
    "[:space:]": r"\s", "[:blank:]": r" \t", "[:digit:]": r"\d", "[:alpha:]": "a-zA-Z",
    "[:alnum:]": "a-zA-Z0-9", "[:upper:]": "A-Z", "[:lower:]": "a-z", "[:punct:]": r"!-/:-@\[-`{-~",
    "[:xdigit:]": "0-9a-fA-F", "[:word:]": r"\w",
}  # fmt: skip
_RISKY = regex(r"\((?=[^()*+}]*[*+}])[^()]*+\)\s*+[*+{]|\\\d|\(\?[<=!]")
"""Nested repetition can take exponential time; such patterns are not tried."""
_SWAPPED = "+?|(){}"


class Pattern(msgspec.Struct, frozen=True):
    """A pattern as the command gives it.

    It is compiled when a line is first tried: most patterns never are, and compiling is the slowest
    step of a search.
    """

    source: str
    syntax: str = "basic"
    ignore_case: bool = False
    words: bool = False
    whole: bool = False

    @property
    def compiled(self) -> re.Pattern[str] | None:
        """The pattern, or None if it cannot be translated safely."""
        return compile_pattern(self.source, self.syntax, self.ignore_case, self.words, self.whole)


@lru_cache(maxsize=512)
def compile_pattern(
    source: str,
    syntax: str = "basic",
    ignore_case: bool = False,
    words: bool = False,
    whole: bool = False,
) -> re.Pattern[str] | None:
    """The pattern, or None if it cannot be translated safely."""
    if len(source) > 2000:
        return None
    if syntax == "fixed":
        text = "|".join(re.escape(line) for line in source.split("\n"))
    else:
        text = "|".join(
            f"(?:{_basic(line) if syntax == 'basic' else line})" for line in source.split("\n")
        )
        for name, body in _CLASSES.items():
            text = text.replace(name, body)
        text = text.replace(r"\<", r"\b").replace(r"\>", r"\b")
        if _RISKY.search(text):
            return None
    if words:
        text = rf"\b(?:{text})\b"
    if whole:
        text = rf"^(?:{text})$"
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return re.compile(text, re.IGNORECASE if ignore_case else 0)
    except (re.error, RecursionError, OverflowError):
        return None


def _basic(source: str) -> str:
    """A basic expression: special characters have a backslash."""
    out: list[str] = []
    at = 0
    in_class = False
    while at < len(source):
        char = source[at]
        if in_class:
            out.append("\\\\" if char == "\\" else char)
            in_class = char != "]" or source[at - 1] in "[^"
        elif char == "\\" and at + 1 < len(source):
            at += 1
            following = source[at]
            out.append(following if following in _SWAPPED else "\\" + following)
        elif char in _SWAPPED:
            out.append("\\" + char)
        elif char == "*" and (not out or out[-1] in {"^", "(", "|"}):
            out.append("\\*")
        else:
            in_class = char == "["
            if char == "[" and source[at + 1 : at + 3] == "[:":
                end = source.find(":]]", at)
                if end > 0:
                    out.append(source[at : end + 3])
                    at = end + 3
                    in_class = False
                    continue
            out.append(char)
        at += 1
    return "".join(out)


class Filter(msgspec.Struct, frozen=True):
    """`... | grep`, by its options."""

    pattern: Pattern | None = None
    inverted: bool = False
    numbered: bool = False
    """Lines begin with their number in the stream (-n)."""
    context: bool = False
    """Lines around the found ones are printed too (-A, -B, -C)."""
    partial: bool = False
    """Only the matching text is printed (-o)."""
    limit: int | None = None
    """No more lines than this (-m)."""
    rule: str = "grep"
    """Name of the program, for `explain`."""
