"""The words of a command line, as `shlex.split` gives them.

The standard library examines one character after another in Python: for an editor's command with a
file in it, that took longer than all else about its step.
"""

from __future__ import annotations

import re

from groundtrace.base.patterns import regex

_QUOTED = r"""'([^']*+)'|"((?:[^"\\]++|\\.)*+)"|\\(.)"""
_PIECE = r"""[^ \t\r\n"'\\]++|'[^']*+'|"(?:[^"\\]++|\\.)*+"|\\."""
_LINE = regex(rf"(?:[ \t\r\n]++|{_PIECE})*+", re.DOTALL)
_WORD = regex(rf"(?:{_PIECE})++", re.DOTALL)
_PART = regex(_QUOTED, re.DOTALL)
_ESCAPED = regex(r'\\(["\\])')


def split_words(text: str) -> list[str]:
    """The words of a line without their quotes; if a quote is not closed, what blanks separate."""
    if not _LINE.fullmatch(text):
        return text.split()
    return [_PART.sub(_unquoted, word) for word in _WORD.findall(text)]


def _unquoted(part: re.Match[str]) -> str:
    single, double, escaped = part.groups()
    if double is not None:
        return _ESCAPED.sub(r"\1", double)
    return single if single is not None else escaped
