"""Where the work is done: one small interface, `map` over chunks, and a table of engines.

A chunk is a list of descriptions of work, never contents of files; a function turns one
description into one result. Engines differ only in where that happens.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Generic, Protocol, TypeVar

from groundtrace.errors import UsageError

Item = TypeVar("Item")
Result = TypeVar("Result")

CHUNK_SIZE = 16
"""Items a chunk: large enough that sending it costs nothing beside doing it."""


@dataclass(frozen=True, slots=True)
class Done(Generic[Item, Result]):
    """One item after its work: its result, or why it could not be done."""

    item: Item
    result: Result | None = None
    error: str | None = None


class Engine(Protocol):
    """Does work somewhere and gives results as they come, in any order."""

    def map(
        self, function: Callable[[Item], Result], items: Iterable[Item]
    ) -> Iterator[Done[Item, Result]]:
        """Every item once, with its result or the reason it has none."""
        ...


def chunked(items: Iterable[Item], size: int = CHUNK_SIZE) -> Iterator[list[Item]]:
    """The items in lists of `size`; the last may be shorter."""
    rest = iter(items)
    while chunk := list(islice(rest, size)):
        yield chunk


def make_engine(name: str, *, jobs: int | None = None, scheduler: str | None = None) -> Engine:
    """The engine of that name."""
    if name == "local":
        if scheduler is not None:
            raise UsageError("--scheduler goes with --engine dask")
        from groundtrace.engine.local import LocalEngine

        return LocalEngine(jobs or os.cpu_count() or 1)
    if name == "dask":
        from groundtrace.engine.dask import DaskEngine

        return DaskEngine(scheduler)
    raise UsageError(f"no engine {name!r}; there are local and dask")
