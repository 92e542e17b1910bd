"""Trials for the readers' tests: the fixtures, and folders of one file."""

from __future__ import annotations

from pathlib import Path

from groundtrace.model import ReadResult
from groundtrace.storage import LocalFolder
from groundtrace.traces import read_trace

FIXTURES = Path(__file__).parent.parent / "fixtures" / "traces"


def read(name: str) -> ReadResult:
    """The trace of a fixture."""
    return read_trace(LocalFolder(FIXTURES / name))


def read_bytes(folder: Path, name: str, data: bytes) -> ReadResult:
    """The trace of a trial whose only file is `agent/<name>`."""
    path = folder / "agent" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return read_trace(LocalFolder(folder))
