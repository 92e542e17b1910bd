"""A Dask cluster: the same work, on other machines.

Only descriptions of work are sent, never contents of files, so workers must see the same paths or
URLs. Paths are sent as absolute ones, because a worker may have been started in any folder, and a
worker that cannot see a folder is an error: its trials would have no trace and no truth. If a worker is lost, the scheduler gives its chunk to another worker. If a chunk loses several
workers, it is processed again trial by trial, and the trial that is the cause is reported. Workers
with another version of groundtrace are refused, because their numbers might differ.
"""

from __future__ import annotations

import copyreg
import gc
import importlib
import io
import os
import pickle
import pkgutil
import time
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import CancelledError
from contextlib import suppress
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from groundtrace import __version__
from groundtrace.errors import GroundtraceError, InputError, MissingExtraError, UsageError
from groundtrace.runs.engine.base import (
    Done,
    Item,
    Result,
    WorkerReply,
    chunk_size,
    chunked,
    do_chunk,
)
from groundtrace.storage import Folder, LocalFolder

CONNECT_SECONDS = 10
"""How long to wait for the scheduler and its first worker."""
ALONE_SECONDS = 60
"""How long to wait for a new worker when the cluster has lost all of them."""
RESULT_SECONDS = 600
"""How long to wait for a result that was lost with its worker and is computed again."""
OUTSTANDING = 4
"""Chunks per worker thread that are sent and not finished."""


class DaskEngine:
    """Work on the workers of a Dask scheduler."""

    def __init__(self, scheduler: str | None) -> None:
        if scheduler is None:
            raise UsageError("--engine dask needs --scheduler ADDRESS, such as tcp://host:8786")
        _distributed()
        self.scheduler = scheduler
        self._client: Any = None

    @property
    def workers(self) -> int:
        return 1 if self._client is None else max(1, sum(self._client.nthreads().values()))

    @property
    def forks(self) -> bool:
        return False

    def map(
        self, function: Callable[[Item], Result], items: Iterable[Item], *, chunk: int | None = None
    ) -> Generator[Done[Item, Result], None, None]:
        if self._client is None:
            self._client = _connect(self.scheduler)
        work = _Work(self._client, self.scheduler, function)
        threads = self.workers
        for some in chunked(items, chunk or chunk_size(items, threads)):
            work.submit(some)
            if len(work.chunks) >= threads * OUTSTANDING:
                yield from work.collect()
        while work.chunks or work.suspects:
            yield from work.collect()

    def close(self) -> None:
        if self._client is not None:
            self._client.close()
            self._client = None


class _Work:
    """Chunks on their way to the cluster and back."""

    def __init__(self, client: Any, scheduler: str, function: Callable[[Any], Any]) -> None:
        self.client = client
        self.scheduler = scheduler
        self.function = function
        self.pending: Any = _distributed().as_completed(loop=client.loop)
        self.chunks: dict[str, list[Any]] = {}
        self.suspects: list[Any] = []
        """Items that were lost with a worker; another item on that worker may be the cause."""

    def submit(self, chunk: list[Any], *, look: bool = True) -> None:
        """Send a chunk; `look`: the worker makes sure that it sees the folders."""
        sent = with_absolute_paths(chunk)
        future = self.client.submit(do_sent, __version__, self.function, sent, look, pure=False)
        self.chunks[future.key] = chunk
        self.pending.add(future)

    def collect(self) -> Iterator[Done[Any, Any]]:
        """Results of the next chunk that is ready; suspects come last, each in its own chunk."""
        alone = not self.chunks
        if alone:
            self.submit([self.suspects.pop(0)])
        self._wait()
        future = next(self.pending)
        chunk = self.chunks.pop(future.key)
        try:
            # This waits if the worker with the result was lost and the chunk is processed again.
            answers = future.result(timeout=RESULT_SECONDS)
        except FolderNotSeenError as error:
            if Path(error.folder).is_dir():
                raise
            self.submit(chunk, look=False)  # it is gone here too: the trial's document says so
        except GroundtraceError:
            raise
        except (CancelledError, TimeoutError) as error:
            raise InputError(f"{self.scheduler}: the scheduler no longer answers") from error
        except Exception as error:  # noqa: BLE001 - whatever a cluster raises: the chunk is lost
            yield from self._failed(chunk, error, alone)
        else:
            for item, (result, reason) in zip(chunk, answers, strict=True):
                yield Done(item, result, reason)
        future.release()

    def _failed(self, chunk: list[Any], error: Exception, alone: bool) -> Iterator[Done[Any, Any]]:
        """A chunk that lost several workers: one item at a time shows which item is the cause."""
        if not alone:
            self.suspects += chunk
        else:
            reason = f"on the cluster: {type(error).__name__}: {error}"
            yield Done(chunk[0], error=" ".join(reason.split()))

    def _wait(self) -> None:
        """Wait until a chunk is ready; give up if the cluster has had no workers for a while."""
        seen = time.monotonic()
        looked = seen
        while not self.pending.has_ready():
            time.sleep(0.005)
            now = time.monotonic()
            if now - looked < 2:
                continue
            looked = now
            if self.client.nthreads():
                seen = now
            elif now - seen > ALONE_SECONDS:
                raise InputError(f"{self.scheduler}: the cluster has lost all its workers")


@runtime_checkable
class NeedsFolders(Protocol):
    """An item that knows which folders its work reads and writes."""

    def folders(self) -> Iterable[Folder]:
        """Folders that exist; whoever does the work must see them."""


class FolderNotSeenError(InputError):
    """A worker does not see a folder that its work needs."""

    def __init__(self, worker: str, folder: str) -> None:
        super().__init__(worker, folder)
        self.folder = folder
        self._worker = worker

    def __str__(self) -> str:
        return (
            f"worker {self._worker} cannot see {self.folder}; workers need the same folders at the "
            "same paths as this machine"
        )


class _AbsolutePaths(pickle.Pickler):
    """Writes folders on disk with their absolute paths."""

    def reducer_override(self, value: Any) -> Any:
        if not isinstance(value, LocalFolder):
            return NotImplemented
        # Not `resolve`: links stay as they are, as everywhere in `storage`.
        paths = {name: os.path.abspath(vars(value)[name]) for name in ("url", "_root")}  # noqa: PTH100
        return copyreg.__newobj__, (type(value),), vars(value) | paths  # type: ignore[attr-defined]


def with_absolute_paths(chunk: list[Any]) -> bytes:
    """A chunk as it is sent: every relative path in it is made absolute here, where it means
    something."""
    data = io.BytesIO()
    _AbsolutePaths(data, pickle.HIGHEST_PROTOCOL).dump(chunk)
    return data.getvalue()


def do_sent(
    version: str, function: Callable[[Item], Result], sent: bytes, look: bool
) -> list[WorkerReply[Result]]:
    """A chunk as it arrives at a worker."""
    _check_version(version)
    chunk: list[Item] = pickle.loads(sent)
    if look:
        needed = (item.folders() for item in chunk if isinstance(item, NeedsFolders))
        for folder in (folder for folders in needed for folder in folders):
            if isinstance(folder, LocalFolder) and not folder.path.is_dir():
                raise FolderNotSeenError(_distributed().get_worker().address, folder.url)
    return do_chunk(function, chunk)


def _check_version(version: str) -> None:
    """Refuse work on a worker that has another version: it can join late."""
    if version != __version__:
        raise UsageError(_other_version("a worker", __version__, version))


def _connect(scheduler: str) -> Any:
    distributed = _distributed()
    client: Any = None
    with suppress(OSError, TimeoutError, ValueError):
        client = distributed.Client(scheduler, timeout=CONNECT_SECONDS, set_as_default=False)
    if client is None:
        # A client that did not connect closes itself when its memory is freed. If that happens
        # while the next client starts, both wait for the same lock for ever.
        gc.collect()
        raise InputError(f"{scheduler}: no Dask scheduler answers there")
    try:
        client.wait_for_workers(1, timeout=CONNECT_SECONDS)
        _check_versions(client, scheduler)
    except (TimeoutError, OSError) as error:
        client.close()
        raise InputError(f"{scheduler}: the scheduler has no workers") from error
    except BaseException:
        client.close()
        raise
    return client


def _distributed() -> Any:
    """The package `distributed`, imported when used; it has no type hints."""
    try:
        return importlib.import_module("distributed")
    except ImportError as error:
        raise MissingExtraError("--engine dask", "cluster") from error


def _check_versions(client: Any, scheduler: str) -> None:
    """Refuse workers that have another version of groundtrace, or none."""
    # A function of the standard library, because a worker without groundtrace cannot load ours.
    found = client.run(pkgutil.resolve_name, "groundtrace:__version__", on_error="return")
    for worker, version in sorted(found.items()):
        if version != __version__:
            has = version if isinstance(version, str) else None
            raise UsageError(f"{scheduler}: {_other_version(f'worker {worker}', has, __version__)}")


def _other_version(worker: str, has: str | None, here: str) -> str:
    found = "no groundtrace" if has is None else f"groundtrace {has}"
    return (
        f"{worker} has {found}, this machine has {here}; install the same version on every worker"
    )
