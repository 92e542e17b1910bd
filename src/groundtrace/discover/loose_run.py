"""Which traces of a folder are read, and everything that their results depend on."""

from __future__ import annotations

from groundtrace.base.frozen import Frozen
from groundtrace.discover.loose_names import stem_of
from groundtrace.discover.loose_places import place_of, places_around
from groundtrace.discover.manifest import read_manifest
from groundtrace.discover.outcomes_beside import marks_beside
from groundtrace.storage import Folder, in_day_folder


class LooseRun(Frozen, frozen=True):
    """Which traces of a folder are read."""

    file: str | None = None
    """Only this file; None for everything below the folder."""
    is_manifest: bool = False
    only_run: str | None = None
    """For a manifest: only the rows of this run."""
    default_run: str = ""
    """Run of rows that name no run."""

    def marks(self, folder: Folder, without: frozenset[str]) -> list[str] | None:
        """A line for everything that results depend on; None if that cannot be determined."""
        marks = [mark for place, _ in places_around(folder, ())[1:] for mark in marks_beside(place)]
        if self.file is None:
            lines = folder.everything(without)
            return None if lines is None else [*marks, *lines]
        marks += marks_beside(folder)
        files = [self.file]
        if self.is_manifest:
            files += [row.trace for row in read_manifest(folder, self.file, [])]
            if any(map(in_day_folder, files)):
                return None
        elif _may_have_companions(folder, self.file):
            return None
        listed: set[str] = set()
        for name in files:
            place, file = place_of(folder, name)
            entry = place.stat(file)
            marks.append(f"{name} {entry.mark if entry is not None else 'missing'}")
            if not self.is_manifest:
                continue
            # Logs of subagents are next to a session, or in a folder with its name.
            marks += place.folder(stem_of(file)).everything(without) or ()
            if place.url not in listed:
                listed.add(place.url)
                marks += [f"{one.name} {one.mark}" for one in place.entries() if one.kind == "file"]
        return marks


def _may_have_companions(folder: Folder, file: str) -> bool:
    """Whether other files may be read with a trace; for a file of many samples there are none."""
    from groundtrace.traces import all_readers
    from groundtrace.traces.kit.loose import recognise

    found, _, _ = recognise(folder, file, all_readers()[0], named=True)
    return found is not None and not hasattr(found.reader, "samples")
