"""Ask the kernel to end this process together with its parent."""

from __future__ import annotations

import contextlib
import os
import signal
import sys

_PR_SET_PDEATHSIG = 1


def end_with_parent(parent: int) -> None:
    """End this process when `parent` ends, even in the middle of a long match; only on Linux."""
    if sys.platform != "linux":
        return
    # A Python can be built without ctypes.
    with contextlib.suppress(OSError, AttributeError, ImportError):
        import ctypes  # here: only workers need it

        ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, int(signal.SIGKILL))
    if os.getppid() != parent:  # the parent ended before the call above
        os._exit(1)
