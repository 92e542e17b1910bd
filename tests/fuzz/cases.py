"""Cases, targets, and the damage that they share. A case is made only from a random generator, so
its number is enough to make it again."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any, NamedTuple

from groundtrace.base import jsonio
from tests.fuzz import mutate, seeds


class Case(NamedTuple):
    """One input: files to look at when it fails, and the values that are tried."""

    files: dict[str, bytes]
    values: tuple[Any, ...] = ()
    real: bool = False
    """Made from a real trace: never stored."""


class Target(NamedTuple):
    """Something that is fuzzed."""

    make: Callable[[Random], Case]
    check: Callable[[Case], None]
    says: str


def damaged(name: str, data: bytes, rng: Random) -> bytes:
    """A file damaged as bytes, or as the JSON values that it holds."""
    if rng.random() < 0.35:
        return mutate.damage_bytes(data, rng, rng.choice((1, 1, 2, 5)))
    try:
        if name.endswith(".json"):
            return mutate.to_bytes(changed(jsonio.loads(data), rng))
        lines = data.split(b"\n")
        for _ in range(rng.choice((1, 1, 2, 4))):
            at = rng.randrange(len(lines))
            lines[at] = _damaged_line(lines[at], rng)
        return b"\n".join(lines)
    except (jsonio.BadJsonError, RecursionError):
        return mutate.damage_bytes(data, rng)


def changed(value: Any, rng: Random) -> Any:
    for _ in range(rng.choice((1, 1, 2, 6))):
        value = mutate.damage_value(value, rng)
    return value


def _damaged_line(line: bytes, rng: Random) -> bytes:
    match rng.randrange(10):
        case 0:
            return b""
        case 1:
            return line + b"\n" + line
        case 2:
            return mutate.to_bytes(mutate.value(rng))
    try:
        return mutate.to_bytes(changed(jsonio.loads(line), rng))
    except (jsonio.BadJsonError, RecursionError):
        return mutate.damage_bytes(line, rng)


def json_copy(value: Any) -> Any:
    return jsonio.loads(mutate.to_bytes(value))


def shown_values(value: Any) -> dict[str, bytes]:
    """Values that are no files, for a person to look at."""
    try:
        return {"values.txt": repr(value).encode("utf-8", "replace")}
    except RecursionError:
        return {"values.txt": b"nested too deeply to be shown"}


def make_task(rng: Random) -> Case:
    files = dict(rng.choice(seeds.tasks()))
    if rng.random() < 0.3:
        files.update(rng.choice(seeds.tasks()))
    for _ in range(rng.choice((1, 2, 3))):
        name = rng.choice(sorted(files))
        if name.endswith((".sh", ".patch", ".diff", ".md", ".toml")) and rng.random() < 0.7:
            text = files[name].decode("utf-8", "replace")
            files[name] = mutate.damage_text(text, rng).encode("utf-8", "surrogatepass")
        else:
            files[name] = damaged(name, files[name], rng)
    return Case(files)
