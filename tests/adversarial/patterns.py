"""Every regular expression of the package, and lines that make a careless one take for ever."""

from __future__ import annotations

import ast
import dataclasses
import importlib
import inspect
import pkgutil
import re
import re._constants as constants
import re._parser as parser
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import groundtrace

SEARCHING = ("search", "finditer", "sub", "subn", "split", "findall")
MATCHING = ("match", "fullmatch")
ASKING = frozenset({*SEARCHING, *MATCHING})

MAX_BRANCHES = 12
"""Branches of a pattern that examples are made for."""

MAX_CHARS = 12
"""Characters of a pattern that its lines are made of."""


@cache
def all_patterns() -> dict[str, re.Pattern[Any]]:
    """Name to pattern, each pattern once: in the globals of a module, or written in a call."""
    found: dict[int, tuple[str, re.Pattern[Any]]] = {}
    written: dict[str, re.Pattern[Any]] = {}
    for module in pkgutil.walk_packages(groundtrace.__path__, "groundtrace."):
        if module.name.endswith("__main__"):
            continue
        loaded = importlib.import_module(module.name)
        for name, value in vars(loaded).items():
            for place, pattern in _inside(value, name, 4):
                found.setdefault(id(pattern), (f"{module.name}.{place}", pattern))
        written.update(_written(module.name))
    return dict(sorted([*found.values(), *written.items()], key=lambda one: one[0]))


def _written(module: str) -> Iterator[tuple[str, re.Pattern[Any]]]:
    """Patterns that stand in a call as text, such as `re.search(r"\\s", text)`."""
    for call in ast.walk(ast.parse(_source(module))):
        if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.args):
            continue
        owner, first = call.func.value, call.args[0]
        if not (isinstance(owner, ast.Name) and owner.id == "re"):
            continue
        if call.func.attr in ASKING and isinstance(first, ast.Constant):
            flags = re.NOFLAG
            for word in call.keywords or ():
                if word.arg == "flags" and isinstance(word.value, ast.Attribute):
                    flags |= getattr(re, word.value.attr)
            yield f"{module}: re.{call.func.attr}({first.value!r})", re.compile(first.value, flags)


def _inside(value: Any, name: str, depth: int) -> Iterator[tuple[str, re.Pattern[Any]]]:
    if isinstance(value, re.Pattern):
        yield name, value
        return
    if not depth:
        return
    if isinstance(value, Mapping):
        parts = [(f"{name}[{key!r}]", part) for key, part in value.items()]
        parts += [(f"{name}[{key!r}]", key) for key in value]
    elif isinstance(value, list | tuple | set | frozenset):
        parts = [(f"{name}[{number}]", part) for number, part in enumerate(value)]
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = dataclasses.fields(value)
        parts = [(f"{name}.{f.name}", getattr(value, f.name, None)) for f in fields]
    else:
        return
    for place, part in parts:
        yield from _inside(part, place, depth - 1)


def lines_for(pattern: re.Pattern[Any], length: int) -> Iterator[str]:
    """Lines of about `length` characters that are nearly what the pattern wants, many times."""
    text = (
        pattern.pattern if isinstance(pattern.pattern, str) else pattern.pattern.decode("latin-1")
    )
    parsed = parser.parse(text, pattern.flags & ~re.LOCALE & ~re.DEBUG)
    chars = list(dict.fromkeys(_characters(parsed)))[:MAX_CHARS]
    examples = list(dict.fromkeys(_example(parsed, choice) for choice in range(MAX_BRANCHES)))
    seeds = dict.fromkeys((" ", "a", "0", "/", "\\", "\n", "\t", *chars))
    units = [*seeds, *(f"{a}{b}" for a in chars[:6] for b in chars[:6] if a != b)]
    for unit in units:
        if unit:
            repeated = unit * (length // len(unit))
            yield repeated + "\x01"
            yield from (example + repeated + "\x01" for example in examples[:2] if example)
    for example in examples:
        for cut in sorted({len(example), len(example) // 2, max(1, len(example) - 1)}):
            if part := example[:cut]:
                yield part * (length // len(part)) + "\x01"
            for char in chars[:4]:
                yield example[:cut] + char * length + "\x01"
            yield example[:cut] + "0" * length + "\x01"


def _characters(parsed: Any) -> Iterator[str]:
    """Characters that any part of a parsed pattern matches."""
    for kind, value in parsed:
        if kind is constants.LITERAL:
            yield chr(value)
        elif kind is constants.IN:
            yield _member(value)
        elif kind in (constants.MAX_REPEAT, constants.MIN_REPEAT, constants.POSSESSIVE_REPEAT):
            yield from _characters(value[2])
        elif kind is constants.SUBPATTERN:
            yield from _characters(value[3])
        elif kind is constants.BRANCH:
            for branch in value[1]:
                yield from _characters(branch)
        elif kind in (constants.ASSERT, constants.ASSERT_NOT):
            yield from _characters(value[1])
        elif kind is constants.ATOMIC_GROUP:
            yield from _characters(value)


_CATEGORY = {
    constants.CATEGORY_DIGIT: "7",
    constants.CATEGORY_SPACE: " ",
    constants.CATEGORY_WORD: "w",
    constants.CATEGORY_NOT_SPACE: "x",
    constants.CATEGORY_NOT_WORD: "-",
    constants.CATEGORY_NOT_DIGIT: "z",
}


def _member(items: Any) -> str:
    """A character of a set."""
    if items[0][0] is constants.NEGATE:
        refused = {chr(value) for kind, value in items[1:] if kind is constants.LITERAL}
        return next(char for char in "y -/.1\x02" if char not in refused)
    kind, value = items[0]
    if kind is constants.LITERAL:
        return chr(value)
    return chr(value[0]) if kind is constants.RANGE else _CATEGORY.get(value, "q")


def _example(parsed: Any, choice: int = 0) -> str:
    """A short text that the pattern matches, or nearly."""
    made = []
    for kind, value in parsed:
        if kind is constants.LITERAL:
            made.append(chr(value))
        elif kind is constants.NOT_LITERAL:
            made.append("n" if value != ord("n") else "m")
        elif kind is constants.ANY:
            made.append("e")
        elif kind is constants.IN:
            made.append(_member(value))
        elif kind in (constants.MAX_REPEAT, constants.MIN_REPEAT, constants.POSSESSIVE_REPEAT):
            least = min(value[0] or (1 if value[1] else 0), 40)
            made.append(_example(value[2], choice) * least)
        elif kind is constants.SUBPATTERN:
            made.append(_example(value[3], choice))
        elif kind is constants.BRANCH:
            made.append(_example(value[1][choice % len(value[1])], choice))
        elif kind is constants.ATOMIC_GROUP:
            made.append(_example(value, choice))
    return "".join(made)


HANDED_ON = {
    "groundtrace.answers.numbered.SURE": ("match",),
    "groundtrace.shell.programs.wrappers._PLACES": ("match",),
    "groundtrace.shell.streams.name_lists.BESIDE": ("match",),
    "groundtrace.shell.streams.name_lists.OWN": ("match",),
    "groundtrace.shell.streams.patched._SAID": ("match",),
    "groundtrace.tools.session._GREPPED": ("match",),
    "groundtrace.tools.local_files.NUMBERED": ("match",),
    "groundtrace.tools.auggie._LINE": ("match",),
}
"""Patterns in tables or handed to a function, and how they are asked."""

BELOW = {
    "groundtrace.discover.names._SUITE": 255,
    "groundtrace.tools.github._RESOURCE": 1000,
}
"""Patterns that are asked of texts up to a length only."""


@cache
def _source(module: str) -> str:
    """The text of a module, or of all modules for a pattern that others import."""
    if module:
        return inspect.getsource(importlib.import_module(module))
    files = sorted(Path(groundtrace.__path__[0]).rglob("*.py"))
    return "\n".join(file.read_text(encoding="utf-8") for file in files)


def ways_of(name: str) -> tuple[str, ...]:
    """How the package asks a pattern: `finditer` for any search, and each kind of match.

    A pattern in a table is asked in every way that the table's users might.
    """
    if ": re." in name:
        way = name.partition(": re.")[2].partition("(")[0]
        return (way if way in MATCHING else "finditer",)
    module, _, own = name.rpartition(".")
    table = name.partition("[")[0]
    if table in HANDED_ON:
        return HANDED_ON[table]
    if not own.isidentifier():
        return ("finditer", *MATCHING)
    source = _source(module if own.startswith("_") else "")
    used = set(re.findall(rf"\b{re.escape(own)}\.(\w+)\b", source))
    if not used & {*SEARCHING, *MATCHING}:
        return ("finditer", *MATCHING)
    ways = [way for way in MATCHING if way in used]
    return tuple(ways + (["finditer"] if used & set(SEARCHING) else []))


def ask(pattern: re.Pattern[Any], way: str, line: str) -> None:
    """Ask a pattern of a line, in one of `ways_of`."""
    given = line.encode("utf-8", "replace") if isinstance(pattern.pattern, bytes) else line
    if way == "finditer":
        for _ in pattern.finditer(given):
            pass
    else:
        getattr(pattern, way)(given)
