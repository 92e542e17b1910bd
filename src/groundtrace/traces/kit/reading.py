"""Readers whose code that reads is imported with the first file.

Discovery asks every reader for the names of its files, even in a run without changes. So the
`reader.py` of a format only recognises files, and the module `trace` beside it reads them.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from typing import TYPE_CHECKING, Any

from groundtrace.traces.kit.claims import Sample

if TYPE_CHECKING:
    from groundtrace.model import Problem
    from groundtrace.storage import Folder
    from groundtrace.traces.kit.keep import Keep
    from groundtrace.traces.source import Source


class ReadsFiles:
    """A reader of files that each hold one trial: `trace` has `read(folder, path, keep)`."""

    @property
    def _trace(self) -> Any:
        return import_module(f"{type(self).__module__.rpartition('.')[0]}.trace")

    def read(self, folder: Folder, path: str, keep: Keep) -> Source:
        """Read a file of the format."""
        found: Source = self._trace.read(folder, path, keep)
        return found


class ReadsSamples(ReadsFiles):
    """A reader of files that may hold several trials: `trace` has `samples(folder, path)` and
    `read(folder, path, sample_id, keep)`."""

    def samples(self, folder: Folder, path: str) -> Iterator[Sample | Problem]:
        """The trials of a file, with what each states."""
        found: Iterator[Sample | Problem] = self._trace.samples(folder, path)
        return found

    def read(self, folder: Folder, path: str, keep: Keep) -> Source:
        """Read the only trial of a file."""
        return self.read_sample(folder, path, None, keep)

    def read_sample(self, folder: Folder, path: str, sample_id: str | None, keep: Keep) -> Source:
        """Read one of the trials of a file."""
        found: Source = self._trace.read(folder, path, sample_id, keep)
        return found
