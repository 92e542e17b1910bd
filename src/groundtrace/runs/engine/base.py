"""What every engine shares: its interface, and how a list of work is cut into chunks.

A chunk is a list of descriptions of work, never contents of files; a function turns one
description into one result. Engines differ only in where that happens.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Sized
from itertools import islice
from typing import Generic, Protocol, TypeVar

from groundtrace.base.frozen import Frozen
from groundtrace.errors import OutputError

Item = TypeVar("Item")
Result = TypeVar("Result")

CHUNK_SIZE = 16
"""Items per chunk. With so many, sending a chunk costs little compared with processing it."""
CHUNKS_EACH = 4
"""Least number of chunks per worker, if there are enough items, so that all workers end at about
the same time."""


class Done(Frozen, Generic[Item, Result], frozen=True):
    """One item after its work: its result, or why it could not be done."""

    item: Item
    result: Result | None = None
    error: str | None = None


class Engine(Protocol):
    """Does work somewhere and yields results as they arrive, in any order."""

    @property
    def workers(self) -> int:
        """How many items are processed at a time, as far as that is known."""
        ...

    @property
    def forks(self) -> bool:
        """Whether workers that start now have everything that is in this process's memory."""
        ...

    def map(
        self, function: Callable[[Item], Result], items: Iterable[Item], *, chunk: int | None = None
    ) -> Generator[Done[Item, Result], None, None]:
        """Every item once, with its result or the reason it has none. It ends, or is closed, before
        the next begins.

        `chunk` is how many items are sent at a time; None if the engine should decide. Raises
        OutputError when results cannot be written: that concerns all items.
        """
        ...

    def close(self) -> None:
        """Release its resources; the engine can be used again afterwards."""
        ...


WorkerReply = tuple[Result | None, str | None]
"""What a worker sends back for one item: its result, or why there is none."""


def do_one(function: Callable[[Item], Result], item: Item) -> WorkerReply[Result]:
    """Process one item. An exception in a stage becomes a failed trial here, not a lost run."""
    try:
        return function(item), None
    except OutputError:
        raise
    except Exception as error:  # noqa: BLE001 - the rest of the run goes on, and this is reported
        return None, f"{type(error).__name__}: {error}"


def do_chunk(function: Callable[[Item], Result], chunk: list[Item]) -> list[WorkerReply[Result]]:
    """Every item of a chunk, in its order."""
    return [do_one(function, item) for item in chunk]


def chunked(items: Iterable[Item], size: int = CHUNK_SIZE) -> Iterator[list[Item]]:
    """The items in lists of `size`; the last may be shorter."""
    rest = iter(items)
    while chunk := list(islice(rest, size)):
        yield chunk


def chunk_size(items: Iterable[Item], workers: int, chunks_each: int = CHUNKS_EACH) -> int:
    """Items per chunk: fewer than usual where some workers would otherwise get none."""
    if not isinstance(items, Sized):
        return CHUNK_SIZE
    return max(1, min(CHUNK_SIZE, len(items) // max(1, workers * chunks_each)))
