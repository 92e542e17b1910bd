"""Set this process up as a fork server that leaves no worker behind. Importing it does that.

A fork server loads this module before anything else (`local.py` names it), because a worker has
none of the engine's code when it is forked. Without it, when a run was stopped while its workers
were starting, each worker printed a traceback that its semaphores were gone.
"""

from __future__ import annotations

import os
import sys
from types import TracebackType

from groundtrace.runs.engine.parent_death import end_with_parent


def _not_started(
    kind: type[BaseException], error: BaseException, trace: TracebackType | None
) -> None:
    """Print why a worker could not start, unless the process that started it is gone."""
    if not isinstance(error, (EOFError, OSError)):
        sys.__excepthook__(kind, error, trace)


def _set_up() -> None:
    server = os.getpid()
    is_worker = False

    def forked() -> None:
        nonlocal is_worker
        if not is_worker:  # processes that a worker forks are not our concern
            is_worker = True
            end_with_parent(server)

    sys.excepthook = _not_started
    os.register_at_fork(after_in_child=forked)


_set_up()
