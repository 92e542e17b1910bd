"""Where the work is done: in processes of this machine, or on a cluster.

`make_engine` makes an engine; `ENGINES` lists them. The module of an engine is imported only when
the engine is used, because a run on this machine does not need a cluster's packages.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence

from groundtrace.base.frozen import Frozen
from groundtrace.errors import UsageError
from groundtrace.runs.engine.base import Done, Engine

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


def _local(options: EngineOptions) -> Engine:
    if options.scheduler is not None:
        raise UsageError("--scheduler needs --engine dask")
    from groundtrace.runs.engine.here import HereFirstEngine

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
