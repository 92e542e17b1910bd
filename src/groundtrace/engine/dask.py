"""A Dask cluster: the same work, on other machines.

Only descriptions of work travel, never contents of files, so workers must see the same paths or
URLs. A chunk whose worker is lost is done again elsewhere by the scheduler. Workers with another
groundtrace are refused, because their numbers might differ.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from groundtrace import __version__
from groundtrace.engine import Done, Item, Result, chunked
from groundtrace.engine.local import do_chunk
from groundtrace.errors import InputError, MissingExtraError, UsageError

CONNECT_SECONDS = 10
"""How long to wait for the scheduler and its first worker."""
RETRIES = 3
"""How often a chunk is tried when its worker raises; losing the worker is not counted here."""
OUTSTANDING = 4
"""Chunks a worker thread that may be under way or wait."""


class DaskEngine:
    """Work on the workers of a Dask scheduler."""

    def __init__(self, scheduler: str | None) -> None:
        if scheduler is None:
            raise UsageError("--engine dask needs --scheduler ADDRESS, such as tcp://host:8786")
        _distributed()
        self.scheduler = scheduler

    def map(
        self, function: Callable[[Item], Result], items: Iterable[Item]
    ) -> Iterator[Done[Item, Result]]:
        distributed = _distributed()
        client = self._connect()
        try:
            limit = max(1, sum(client.nthreads().values())) * OUTSTANDING
            pending = distributed.as_completed(loop=client.loop)
            chunks: dict[str, list[Item]] = {}
            waiting = 0
            for chunk in chunked(items):
                future = client.submit(do_chunk, function, chunk, pure=False, retries=RETRIES)
                chunks[future.key] = chunk
                pending.add(future)
                waiting += 1
                if waiting >= limit:
                    yield from _results(next(pending), chunks)
                    waiting -= 1
            for future in pending:
                yield from _results(future, chunks)
        finally:
            client.close()

    def _connect(self) -> Any:
        distributed = _distributed()
        try:
            client = distributed.Client(
                self.scheduler, timeout=CONNECT_SECONDS, set_as_default=False
            )
        except (OSError, TimeoutError, ValueError) as error:
            raise InputError(
                f"{self.scheduler}: no Dask scheduler answers there ({error})"
            ) from error
        try:
            client.wait_for_workers(1, timeout=CONNECT_SECONDS)
            _check_versions(client, self.scheduler)
        except (TimeoutError, OSError) as error:
            client.close()
            raise InputError(f"{self.scheduler}: the scheduler has no workers") from error
        except BaseException:
            client.close()
            raise
        return client


def _distributed() -> Any:
    """The package, imported when used; it has no types."""
    try:
        return importlib.import_module("distributed")
    except ImportError as error:
        raise MissingExtraError("--engine dask", "cluster") from error


def _check_versions(client: Any, scheduler: str) -> None:
    """Refuse workers that would compute with another groundtrace."""
    found: dict[str, str] = client.run(worker_version)
    for worker, version in sorted(found.items()):
        if version != __version__:
            raise UsageError(
                f"{scheduler}: worker {worker} has groundtrace {version}, here is {__version__}; "
                "install the same version on every worker"
            )


def worker_version() -> str:
    """The version of groundtrace where this runs; `none` where it is not installed."""
    try:
        import groundtrace
    except ImportError:
        return "none"
    return groundtrace.__version__


def _results(future: Any, chunks: dict[str, list[Any]]) -> Iterator[Done[Any, Any]]:
    chunk = chunks.pop(future.key)
    if future.status == "finished":
        yield from future.result()
    else:
        error = future.exception()
        reason = f"{type(error).__name__}: {error}" if error is not None else future.status
        yield from (Done(item, error=f"on the cluster: {reason}") for item in chunk)
    future.release()
