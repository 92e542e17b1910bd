"""Where the work is done: in processes of this machine, or on a cluster.

`make_engine` makes an engine; `ENGINES` lists them. The module of an engine is imported only when
the engine is used, because a run on this machine does not need a cluster's packages.

Small work is done in this process, the rest in worker processes: starting two workers takes as much
processor time as reading ten trials. So work that reads less than `SMALL_BYTES` is done here, as with
one job; `--jobs` stays the most that may be used. Only work that can tell what it reads is ever
called small: a trial that uses up the memory is one with large files, and it must cost a worker, not
the whole run.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence, Sized
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from groundtrace.base.frozen import Frozen
from groundtrace.errors import UsageError
from groundtrace.runs.engine.base import Done, Engine, Item, Result, do_one

if TYPE_CHECKING:
    from groundtrace.runs.engine.local import LocalEngine

__all__ = ["ENGINES", "Done", "Engine", "EngineOptions", "make_engine"]


class EngineOptions(Frozen, frozen=True):
    """Options of all engines; each engine refuses options that are not for it."""

    jobs: int | None = None
    """Processes on this machine; None means one per core."""
    scheduler: str | None = None
    """Address of a cluster's scheduler."""
    preload: tuple[str, ...] = ()
    """Modules that the work needs; local workers import them when they start."""
    may_fork: bool = False
    """Local workers may be forked from this process, as long as it has no thread."""


SMALL_BYTES = 3 * 1024 * 1024
"""Bytes that are read in this process: about 0.2 s of work."""
LEAST_BYTES = 128 * 1024
"""What an item counts at least: it takes some milliseconds even if it reads little."""


@runtime_checkable
class KnowsSize(Protocol):
    """An item that can tell how much it reads."""

    def input_bytes(self) -> int | None:
        """Bytes of its files; None if it would take requests to a store to find out."""


def is_small(items: Iterable[object]) -> bool:
    """Whether workers would cost more than they save."""
    if not isinstance(items, Sized) or len(items) * LEAST_BYTES > SMALL_BYTES:
        return False
    left = SMALL_BYTES
    for item in items:
        size = item.input_bytes() if isinstance(item, KnowsSize) else None
        if size is None:
            return False
        left -= max(size, LEAST_BYTES)
        if left < 0:
            return False
    return True


class HereFirstEngine:
    """Work in this process as long as it is small, then in `jobs` processes."""

    def __init__(self, jobs: int, preload: Sequence[str] = (), *, may_fork: bool = False) -> None:
        """The parameters are those of `LocalEngine`."""
        self.jobs = max(1, jobs)
        self._preload = tuple(preload)
        self._may_fork = may_fork
        self._local: LocalEngine | None = None
        self._later: list[str] = []

    def load_meanwhile(self, modules: Sequence[str]) -> None:
        """Modules that this process needs later. It imports them while workers work, so small work
        is worth one worker too, if that can be forked."""
        self._later = list(modules)

    @property
    def workers(self) -> int:
        return self.jobs

    @property
    def forks(self) -> bool:
        return self.jobs > 1 and self._processes().forks

    @property
    def has_workers(self) -> bool:
        """Whether worker processes are there already: they are used for small work too."""
        return self._local is not None and self._local.has_workers

    def map(
        self, function: Callable[[Item], Result], items: Iterable[Item], *, chunk: int | None = None
    ) -> Generator[Done[Item, Result], None, None]:
        small = self.jobs == 1 or is_small(items)
        alone = not (self.has_workers or (self._later and self.forks))
        if self.jobs == 1 or (small and alone):
            for item in items:
                yield Done(item, *do_one(function, item))
            return
        yield from self._processes().map(function, items, chunk=chunk, is_small=small)

    def _processes(self) -> LocalEngine:
        if self._local is None:
            from groundtrace.runs.engine.local import LocalEngine

            self._local = LocalEngine(self.jobs, self._preload, may_fork=self._may_fork)
        self._local.later = self._later
        return self._local

    def close(self) -> None:
        if self._local is not None:
            self._local.close()


def _local(options: EngineOptions) -> Engine:
    if options.scheduler is not None:
        raise UsageError("--scheduler needs --engine dask")
    jobs = options.jobs or os.cpu_count() or 1
    return HereFirstEngine(jobs, options.preload, may_fork=options.may_fork)


def _dask(options: EngineOptions) -> Engine:
    from groundtrace.runs.engine.dask import DaskEngine

    return DaskEngine(options.scheduler)


ENGINES: Mapping[str, Callable[[EngineOptions], Engine]] = {"local": _local, "dask": _dask}
"""Name of an engine to the function that makes it; the names are the choices of `--engine`."""


def make_engine(
    name: str,
    *,
    jobs: int | None = None,
    scheduler: str | None = None,
    preload: Sequence[str] = (),
    may_fork: bool = False,
) -> Engine:
    """The engine of that name; raises UsageError if there is none, or an option does not fit.

    The options are those of `EngineOptions`.
    """
    if name not in ENGINES:
        raise UsageError(f"no engine {name!r}; there are {' and '.join(ENGINES)}")
    return ENGINES[name](EngineOptions(jobs, scheduler, tuple(preload), may_fork))
