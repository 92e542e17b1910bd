"""Traces that are links into another trial: its calls are not this trial's calls."""

from __future__ import annotations

import os
from itertools import takewhile
from pathlib import Path

from groundtrace.base.jsonio import clean_text
from groundtrace.model import Problem
from groundtrace.storage import Folder, LocalFolder

_RECORDS = ("result.json", "config.json")


def _has_link(base: str, path: str) -> bool:
    """Whether a file or a folder on the way to it is a link, as far as names alone can tell."""
    parts = path.split("/")
    if ".." in parts:
        return True
    for part in parts:
        base = f"{base}/{part}"
        if os.path.islink(base):  # noqa: PTH114 - a tenth of the time of a Path
            return True
    return False


def foreign_trial(folder: Folder, path: str) -> Problem | None:
    """A problem if a file of a trial is a link into another trial's folder.

    A link to a place where a harness keeps traces for all trials is followed: it belongs to no
    trial.
    """
    if not isinstance(folder, LocalFolder) or folder.is_listed:  # a listed folder has no link
        return None
    if not _has_link(folder.url, path):
        return None
    target = os.path.realpath(f"{folder.url}/{path}")
    own = os.path.realpath(folder.url)
    if target.startswith(f"{own.rstrip('/')}/"):
        return None
    # Folders that also hold this trial, such as a job's, do not count: their records are shared.
    above = takewhile(lambda place: not Path(own).is_relative_to(place), Path(target).parents)
    for place in above:
        if any((place / name).is_file() for name in _RECORDS):
            reason = f"a link to a trace of another trial ({clean_text(place.name)}); not read"
            return Problem(clean_text(path), "foreign_trace", reason)
    return None
