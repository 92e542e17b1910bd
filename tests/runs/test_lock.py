"""The lock of an output folder."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

import pytest

from groundtrace.runs.session import locked
from groundtrace.storage import LocalFolder


@pytest.mark.skipif(sys.platform != "linux", reason="workers are forked on Linux alone")
def test_a_worker_that_was_forked_since_does_not_keep_the_lock(tmp_path: Path) -> None:
    """It holds the same open file; closing it here alone would leave the folder locked."""
    folder = LocalFolder(tmp_path)
    with locked(folder):
        worker = os.fork()
        if not worker:
            signal.pause()
            os._exit(0)
    try:
        with locked(folder):
            assert (tmp_path / ".lock").read_text(), "it names its holder"
    finally:
        os.kill(worker, signal.SIGKILL)
        os.waitpid(worker, 0)
