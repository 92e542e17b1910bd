"""Commands made from the table in `options.py`, and the lines of them that need no click.

Loading click and asking it took 42 of the 450 million instructions of a small `evaluate`, and 62
of a `normalize`, which has more flags. click does what people see: help, completion, and errors in
a line. `plain_line` reads a line in which nothing of that can come up, and leaves every other to
click (D383); tests compare the two.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

from groundtrace.base.frozen import Frozen
from groundtrace.options import OptionRow, rows_of, taken_by

ARCHIVES = (".zip", ".tar", ".tar.gz", ".tgz", ".tar.xz", ".tar.bz2", ".7z")
"""Ends of names of archives, which people download runs as."""


class Command(Frozen, frozen=True, dict=True):
    """A command that takes the flags of its `**given`."""

    name: str
    function: Callable[..., Any]
    takes_runs: bool
    """Its first argument is RUNS."""

    @cached_property
    def rows(self) -> Mapping[str, OptionRow]:
        """Its flags; `run` loads the module of `normalize`, and needs only its own."""
        return rows_of(taken_by(self.function))

    def call(self, values: Mapping[str, Any]) -> Any:
        """Do it; flags that were not given are left out."""
        left_out = [flag for flag in self.rows if values[flag] in (None, ())]
        return self.function(**{n: value for n, value in values.items() if n not in left_out})


def command(name: str, *, takes_runs: bool = False) -> Callable[[Callable[..., Any]], Command]:
    """A command made from a function; its other arguments are declared with click's `argument`."""

    def decorate(function: Callable[..., Any]) -> Command:
        return Command(name, function, takes_runs)

    return decorate


def plain_line(command: Command, words: Sequence[str]) -> dict[str, Any] | None:
    """The values in the words after a command's name; None if click must look at them.

    Plain are RUNS, once, and flags in full, each once unless it can be repeated, with values that
    need no explanation.
    """
    if not command.takes_runs or hasattr(command.function, "__click_params__"):
        return None
    values = {name: _unset(row) for name, row in command.rows.items()}
    by_flag = {row.flag: row for row in command.rows.values()}
    by_flag |= {row.option.short: row for row in command.rows.values() if row.option.short}
    rest = iter(words)
    for word in rest:
        if not word.startswith("-"):
            if not word or "runs" in values or word.lower().endswith(ARCHIVES):
                return None
            values["runs"] = word
            continue
        row = by_flag.get(word)
        value = None if row is None else _plain_value(row, rest)
        if row is None or value is None:
            return None
        several = row.shape.many
        if values[row.name] != _unset(row) and not several:
            return None
        values[row.name] = (*values[row.name], value) if several else value
    needed = ("runs", *(name for name, row in command.rows.items() if row.option.required))
    return values if all(values.get(name) is not None for name in needed) else None


def _unset(row: OptionRow) -> Any:
    """The value of a flag that is not given."""
    if row.shape.kind is bool:
        return False
    return () if row.shape.many else row.option.default


def _plain_value(row: OptionRow, rest: Iterator[str]) -> Any:
    """The value of a flag in the words that follow; None if it is not plain."""
    shape, limits = row.shape, row.option.limits
    if shape.kind is bool:
        return True
    word = next(rest, "")
    if not word or word.startswith("-") or row.option.commas:
        return None
    if shape.kind in (str, os.PathLike):
        return None if shape.choices and word not in shape.choices else word
    if shape.kind is not int or not (word.isascii() and word.isdecimal()) or len(word) > 9:
        return None
    return int(word) if limits.allow(int(word)) else None
