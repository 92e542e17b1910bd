"""The small part of Lua that scripts use to read files in a loop: lists of constants and sums."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from functools import lru_cache
from itertools import islice

from groundtrace.base.patterns import regex

Values = Mapping[str, str | int]
"""What names hold in one round of a loop."""

_LIST = regex(r"\b(?P<name>[A-Za-z_]\w*)\s*=\s*\{(?P<items>[^{}]*)\}")
_LOOP = regex(
    r"\bfor\s+\w+\s*,\s*(?P<name>\w+)\s+in\s+ipairs\s*\(\s*(?:(?P<list>\w+)|\{(?P<items>[^{}]*)\})\s*\)"
)
_ITEM = regex(r"""\"(?P<double>[^\"\n]*)\"|'(?P<single>[^'\n]*)'|(?P<number>\d{1,9})""")
_LOCAL = regex(r"\blocal\s+(?P<name>\w+)\s*=\s*(?P<value>[^\n;]{1,200})")
_LIMIT = regex(r"math\.(?P<which>max|min)\((?P<one>[^(),]+),(?P<other>[^(),]+)\)")
_SUM = regex(r"(?P<left>[^()+-]+)(?P<sign>[+-])(?P<right>[^()+-]+)")
_MOST_ROUNDS = 400
_MOST_NAMES = 100
_DEPTH = 6


def rounds(script: str, arguments: str) -> list[dict[str, str | int]]:
    """The values of names in each round of the loop that a call's arguments depend on.

    Names are the loop variable and the script's locals. Without such a loop there is one round.
    """
    locals_, loops = _names(script)
    used = set(re.findall(r"\b[A-Za-z_]\w*\b", arguments))
    for name in list(used):
        used.update(re.findall(r"\b[A-Za-z_]\w*\b", locals_.get(name, "")))
    for name, items in loops:
        if name in used and items:
            return [_with_locals({name: item}, locals_) for item in items]
    return [_with_locals({}, locals_)]


@lru_cache(maxsize=1)
def _names(script: str) -> tuple[dict[str, str], list[tuple[str, list[str | int]]]]:
    """Names that get exactly one value, and the variables of loops with their values.

    A name that is assigned again, such as in a loop by steps, has more than one value and is left
    out.
    """
    times = Counter(re.findall(r"\b(\w+)\s*=(?!=)", script))
    found = islice(_LOCAL.finditer(script), _MOST_NAMES)
    locals_ = {m["name"]: m["value"].strip() for m in found if times[m["name"]] == 1}
    lists = {match["name"]: match["items"] for match in _LIST.finditer(script)}
    loops = []
    for loop in islice(_LOOP.finditer(script), _MOST_NAMES):
        text = loop["items"] if loop["items"] is not None else lists.get(loop["list"], "")
        loops.append((loop["name"], [_item(m) for m in islice(_ITEM.finditer(text), _MOST_ROUNDS)]))
    return locals_, loops


def _item(match: re.Match[str]) -> str | int:
    if match["number"] is not None:
        return int(match["number"])
    return match["double"] if match["double"] is not None else match["single"]


def _with_locals(values: dict[str, str | int], locals_: Mapping[str, str]) -> dict[str, str | int]:
    for name, value in locals_.items():
        known = number(value, values)
        if known is not None:
            values.setdefault(name, known)
    return values


def number(text: str, values: Values, depth: int = 0) -> int | None:
    """A whole number: a constant, a name, a sum of two, the larger or smaller of two."""
    text = text.strip()
    if depth > _DEPTH or not text:
        return None
    if re.fullmatch(r"\d{1,9}", text):
        return int(text)
    held = values.get(text)
    if isinstance(held, int):
        return held
    limit = _LIMIT.fullmatch(text)
    if limit is not None:
        pair = [number(limit[key], values, depth + 1) for key in ("one", "other")]
        known = [value for value in pair if value is not None]
        if len(known) < 2:
            return None
        return max(known) if limit["which"] == "max" else min(known)
    total = _SUM.fullmatch(text)
    if total is None:
        return None
    left, right = (number(total[key], values, depth + 1) for key in ("left", "right"))
    if left is None or right is None:
        return None
    return left + right if total["sign"] == "+" else left - right
