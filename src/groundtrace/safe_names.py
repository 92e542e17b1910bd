"""Names from records as file names: the one place where untrusted text becomes a path.

Configurations, tasks and trials are named by files that anybody can write. A name that is a
plain file name everywhere is kept as it is, so that paths read as users expect; any other is
spelled with safe characters, a `~` and a digest of the original. No plain name holds a `~`, so
the two kinds cannot meet, and two names never share a spelling.
"""

from __future__ import annotations

import fnmatch
import hashlib
import re
from collections.abc import Iterable

OUTPUT = "retrieval_events"
"""Folder of a run's results: written by artifacts, skipped by discovery."""
AGGREGATE = "retrieval_events_aggregate"
"""Folder of the results over all runs, likewise."""

MAX_LENGTH = 200
"""Leaves room for suffixes and a temporary name within the 255 bytes of a file name."""

_PLAIN = re.compile(r"[A-Za-z0-9_+=@,-][A-Za-z0-9_+=@,.-]*(?<!\.)", re.ASCII)
_UNSAFE = re.compile(r"[^A-Za-z0-9_+=@,-]+", re.ASCII)
_RESERVED = re.compile(r"(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\..*)?", re.ASCII | re.IGNORECASE)
_KEPT = 60
"""Characters of an unsafe name that are kept for people to recognise it by."""


def fits_only(name: str, only: str) -> bool:
    """Whether a task's name fits `--only`: one of its patterns, a line each; case does not count."""
    folded = name.casefold()
    return any(fnmatch.fnmatchcase(folded, pattern) for pattern in only.casefold().split("\n"))


def safe_name(name: str) -> str:
    """A file name for `name`: itself where that is safe, else a marked spelling of it."""
    if len(name) <= MAX_LENGTH and _PLAIN.fullmatch(name) and not _RESERVED.fullmatch(name):
        return name
    return _marked(name)


def safe_names(names: Iterable[str], taken_already: Iterable[str] = ()) -> dict[str, str]:
    """File names for names that share a folder, apart even where case does not count.

    Of names that differ only in case the first by code point keeps its plain spelling. None is
    one of `taken_already`: a configuration can be named `outcomes.json`.
    """
    taken = {name.casefold() for name in taken_already}
    spelled: dict[str, str] = {}
    for name in sorted(set(names)):
        spelling = safe_name(name)
        if spelling.casefold() in taken:
            spelling = _marked(name)
        taken.add(spelling.casefold())
        spelled[name] = spelling
    return spelled


def document_stem(task_name: str, trial_name: str | None = None) -> str:
    """Stem of a trial's documents: the task, and the trial where all are written (D32)."""
    return safe_name(task_name if trial_name is None else f"{task_name}.{trial_name}")


def _marked(name: str) -> str:
    digest = hashlib.sha256(name.encode("utf-8", errors="surrogatepass")).hexdigest()[:16]
    kept = _UNSAFE.sub("_", name[: _KEPT * 2]).strip("_")[:_KEPT]
    return f"{kept or 'name'}~{digest}"


def run_id_of(path: str, taken: set[str]) -> str:
    """The id of a run at a path below RUNS: its folder's name, or its whole path where another
    run has that name already."""
    run_id = path.rpartition("/")[2]
    if run_id.casefold() in taken:
        run_id = path.replace("/", "__")
    if run_id.casefold() in taken:
        run_id = _marked(path)  # `y/r` beside `x/r` and `y__r`
    taken.add(run_id.casefold())
    return run_id


TASK_SCHEMES: tuple[str, ...] = ("git",)
"""Prefixes of `--tasks` that name neither a file nor a folder; `truth.definitions` reads them."""
