"""As much of Lua as scripts need that read files in a loop: lists of constants and sums."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from itertools import islice

Values = Mapping[str, str | int]
"""What names hold in one round of a loop."""

_LIST = re.compile(r"\b(?P<name>[A-Za-z_]\w*)\s*=\s*\{(?P<items>[^{}]*)\}")
_LOOP = re.compile(
    r"\bfor\s+\w+\s*,\s*(?P<name>\w+)\s+in\s+ipairs\s*\(\s*(?:(?P<list>\w+)|\{(?P<items>[^{}]*)\})\s*\)"
)
_ITEM = re.compile(r"""\"(?P<double>[^\"\n]*)\"|'(?P<single>[^'\n]*)'|(?P<number>\d{1,9})""")
_LOCAL = re.compile(r"\blocal\s+(?P<name>\w+)\s*=\s*(?P<value>[^\n;]{1,200})")
_LIMIT = re.compile(r"math\.(?P<which>max|min)\((?P<one>[^(),]+),(?P<other>[^(),]+)\)")
_SUM = re.compile(r"(?P<left>[^()+-]+)(?P<sign>[+-])(?P<right>[^()+-]+)")
_MOST_ROUNDS = 400
_MOST_NAMES = 100
_DEPTH = 6


def rounds(script: str, arguments: str) -> list[dict[str, str | int]]:
    """Values of the loop variable that a call's arguments depend on, and of its locals."""
    locals_ = _locals(script)
    used = set(re.findall(r"\b[A-Za-z_]\w*\b", arguments))
    for name in list(used):
        used.update(re.findall(r"\b[A-Za-z_]\w*\b", locals_.get(name, "")))
    lists = {match["name"]: match["items"] for match in _LIST.finditer(script)}
    for loop in _LOOP.finditer(script):
        if loop["name"] not in used:
            continue
        items = loop["items"] if loop["items"] is not None else lists.get(loop["list"], "")
        out = []
        for item in list(_ITEM.finditer(items))[:_MOST_ROUNDS]:
            text = item["double"] if item["double"] is not None else item["single"]
            values: dict[str, str | int] = {loop["name"]: int(item[0]) if text is None else text}
            out.append(_with_locals(values, locals_))
        if out:
            return out
    return [_with_locals({}, locals_)]


def _locals(script: str) -> dict[str, str]:
    """Names that are given one value; loops by steps give theirs another later."""
    times = Counter(re.findall(r"\b(\w+)\s*=(?!=)", script))
    found = islice(_LOCAL.finditer(script), _MOST_NAMES)
    return {match["name"]: match["value"].strip() for match in found if times[match["name"]] == 1}


def _with_locals(values: dict[str, str | int], locals_: Mapping[str, str]) -> dict[str, str | int]:
    for name, value in locals_.items():
        known = number(value, values)
        if known is not None:
            values.setdefault(name, known)
    return values


def number(text: str, values: Values, depth: int = 0) -> int | None:
    """A whole number: a constant, a name, a sum of two, the greater or lesser of two."""
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
