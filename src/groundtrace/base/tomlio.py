"""Read untrusted TOML: refuse it where the standard parser would take for ever."""

from __future__ import annotations

from typing import Any

from groundtrace.base.patterns import regex

MAX_KEY_PARTS = 64
"""Most parts of one dotted key. The parser's time grows with the square of them; real keys have a
few."""

_QUOTED = regex(r"\"(?:[^\"\\]|\\.)*+\"?+|'[^']*+'?+")
_LONG_KEY = regex(rf"(?<![\w-])(?:(?:[\w-]++|\"\")[ \t]*+\.[ \t]*+){{{MAX_KEY_PARTS}}}")
"""A long key anywhere in a line, quoted parts empty: also inside a table in braces, where an earlier
check did not look."""


def loads(text: str) -> dict[str, Any]:
    """The data of a TOML text; raises ValueError for anything that is wrong with it."""
    import tomllib

    # Most texts have fewer dots in all of their lines together.
    lines = text.splitlines() if text.count(".") >= MAX_KEY_PARTS else ()
    for number, line in enumerate(lines, 1):
        if line.count(".") >= MAX_KEY_PARTS and _LONG_KEY.search(_QUOTED.sub('""', line)):
            raise ValueError(f"line {number}: a key of more than {MAX_KEY_PARTS} parts")
    try:
        return tomllib.loads(text)
    except RecursionError as error:
        raise ValueError("nested too deeply") from error
