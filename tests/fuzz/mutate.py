"""Damage: to bytes, as from a disk or a cut pipe; to JSON values, as from a wrong harness."""

from __future__ import annotations

import json
from random import Random
from typing import Any

WORDS = (
    *("", " ", "\n", "\0", "\x1b[31m", "\u2028", "\ud800", "\U0001f980", "NaN", "null", "true"),
    *("-1", "0", "1e999", "9" * 25, "..", "../../etc/x", "/", "//", "a/", "/a", "a::b", "::", "~"),
    *(
        "src/a.py",
        "/workspace/src/a.py",
        "/workspace/r--1a2b3c4d/x.go",
        "b/src/a.py",
        "a\\b",
        "C:\\x",
    ),
    *(
        "github.com/sg-evals/kafka--0753c489",
        "org/repo",
        "file:///etc/x",
        "https://h/x?a=b",
        "*.py",
    ),
    *(
        "<script>alert(1)</script>",
        "]]>",
        "{{x}}",
        "${X}",
        "$(x)",
        "`x`",
        "'",
        '"',
        "\\",
        "%s",
        "|",
    ),
    *("GITHUB_TOKEN=ghp_0123456789abcdefghij", "1-2", "12:30", "    1\tx", "1→x", "Found 2 files"),
    *("diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n", "# File: a.py", "[stdout]"),
    *("<persisted-output>\nsaved to: /x\nPreview:\na\n", "[metadata] {", "```\na.py\n```"),
)
"""Texts that mean something to some rule."""

NUMBERS = (0, -1, 1, 2**31, 2**53, 2**63, 2**64, 10**30, -(10**30), 0.5, -0.0, 1e308)
NOT_FINITE = (float("nan"), float("inf"), float("-inf"))


def leaf(rng: Random) -> Any:
    """A value without members."""
    match rng.randrange(7):
        case 0:
            return rng.choice((None, True, False))
        case 1:
            return rng.choice(NUMBERS + NOT_FINITE)
        case 2:
            return "".join(rng.choices(WORDS, k=rng.randrange(1, 4)))
        case 3:
            return rng.choice(WORDS) * rng.choice((1, 1, 1, 50, 2000))
        case _:
            return rng.choice(WORDS)


def value(rng: Random, depth: int = 3, keys: tuple[str, ...] = WORDS) -> Any:
    """Any JSON value; `keys` are names that its members may have."""
    kind = rng.randrange(4) if depth else 3
    if kind == 0:
        return [value(rng, depth - 1, keys) for _ in range(rng.randrange(4))]
    if kind == 1:
        names = rng.choices(keys, k=rng.randrange(4))
        return {name: value(rng, depth - 1, keys) for name in names}
    return leaf(rng)


def to_bytes(item: Any) -> bytes:
    """JSON as a careless writer gives it: NaN and lone surrogates included."""
    try:
        text = json.dumps(item, ensure_ascii=False)
    except RecursionError:
        return b'{"deep": ' + b"[" * 2000 + b"]" * 2000 + b"}"
    return text.encode("utf-8", errors="surrogatepass")


def damage_value(item: Any, rng: Random) -> Any:
    """The value with one place changed: another type, removed, repeated, renamed, swapped, deep."""
    places = list(_places(item))
    if not places:
        return value(rng)
    holder, key = rng.choice(places)
    match rng.randrange(8):
        case 0 | 1:
            holder[key] = value(rng)
        case 2:
            del holder[key]
        case 3 if isinstance(holder, list):
            holder.insert(key, holder[key])
        case 3:
            holder[rng.choice(WORDS)] = holder.pop(key)
        case 4:
            other, there = rng.choice(places)
            holder[key] = _copy(other[there])
        case 5 if isinstance(holder[key], str):
            holder[key] = damage_text(holder[key], rng)
        case 6:
            holder[key] = [holder[key]] if rng.random() < 0.5 else {"value": holder[key]}
        case 7 if rng.random() < 0.02:
            holder[key] = _nested(rng.choice((70, 150, 900)))
        case _:
            holder[key] = leaf(rng)
    return item


def _copy(item: Any) -> Any:
    """A copy, so that a place is never put into itself; a value too deep for that is left out."""
    try:
        return json.loads(json.dumps(item))
    except RecursionError:
        return None


def _nested(depth: int) -> Any:
    item: Any = 1
    for _ in range(depth):
        item = [item]
    return item


def _places(item: Any) -> Any:
    """Every (holder, key) of a JSON value, without recursion."""
    stack = [item]
    while stack:
        holder = stack.pop()
        if not isinstance(holder, dict | list):
            continue
        pairs = holder.items() if isinstance(holder, dict) else enumerate(holder)
        for key, inner in list(pairs):
            yield holder, key
            if isinstance(inner, dict | list):
                stack.append(inner)


def damage_text(text: str, rng: Random) -> str:
    """The text with a piece cut out, doubled, replaced or put elsewhere."""
    a, b = sorted((rng.randrange(len(text) + 1), rng.randrange(len(text) + 1)))
    if b - a > 400 and rng.random() < 0.7:
        b = a + rng.randrange(400)
    match rng.randrange(6):
        case 0:
            return text[:a] + text[b:]
        case 1:
            return text[:a] + text[a:b] * 2 + text[b:]
        case 2:
            return text[:a] + rng.choice(WORDS) + text[b:]
        case 3:
            return text[:a] + rng.choice(WORDS) + text[a:]
        case 4:
            lines = text.split("\n")
            rng.shuffle(lines)
            return "\n".join(lines)
        case _:
            return (
                text[:a] + chr(rng.choice((0, 9, 10, 34, 39, 92, 96, 0x2028, 0x1F980))) + text[a:]
            )


def damage_bytes(data: bytes, rng: Random, times: int = 1) -> bytes:
    """Bytes cut, flipped, filled, doubled or moved."""
    for _ in range(times):
        if not data:
            return rng.randbytes(rng.randrange(20))
        at = rng.randrange(len(data))
        span = rng.randrange(1, 40)
        match rng.randrange(8):
            case 0:
                data = data[:at]
            case 1 | 2:
                data = data[:at] + bytes([data[at] ^ (1 << rng.randrange(8))]) + data[at + 1 :]
            case 3:
                data = data[:at] + data[at + span :]
            case 4:
                data = data[:at] + rng.randbytes(span) + data[at:]
            case 5:
                data = data[:at] + data[at : at + span * 20] + data[at:]
            case 6:
                data = (
                    data[:at]
                    + rng.choice((b"\0", b"\n", b'"', b"{", b"}", b"\xff", b"\\"))
                    + data[at:]
                )
            case _:
                data = (
                    data[at:]
                    if rng.random() < 0.3
                    else data[:at] + b"\0" * span + data[at + span :]
                )
    return data
