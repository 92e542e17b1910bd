"""Set this process up as a fork server that leaves no worker behind. Importing it does that.

A fork server loads it before anything else (`local.py` names it). A worker has none of the
engine's code when it is forked: a run that was stopped while its workers started left them to
print that their semaphores were gone, each with a traceback.
"""

from __future__ import annotations

import os
import sys
from types import TracebackType

from groundtrace.engine.parent_death import end_with_parent


def _not_started(
    kind: type[BaseException], error: BaseException, trace: TracebackType | None
) -> None:
    """Say why a worker could not start, unless the process that wanted it is gone."""
    if not isinstance(error, (EOFError, OSError)):
        sys.__excepthook__(kind, error, trace)


def _set_up() -> None:
    server = os.getpid()
    is_worker = False

    def forked() -> None:
        nonlocal is_worker
        if not is_worker:  # a process that a worker forks is the worker's own matter
            is_worker = True
            end_with_parent(server)

    sys.excepthook = _not_started
    os.register_at_fork(after_in_child=forked)


_set_up()
