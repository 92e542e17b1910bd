"""Names from records as file names: the only place where untrusted text becomes a path.

The names of configurations, tasks and trials come from files that anybody can write. A name that
is a plain file name on every system is kept, so that paths read as users expect. Any other name is
spelled with safe characters, a `~` and a digest of the original. No plain name contains a `~`, so
the two kinds cannot collide, and two names never get the same spelling.
"""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Iterable

from groundtrace.base.digests import sha256
from groundtrace.base.patterns import regex

OUTPUT = "retrieval_events"
"""Folder of a run's results: written by artifacts, skipped by discovery."""
AGGREGATE = "retrieval_events_aggregate"
"""Folder of the results over all runs: also skipped by discovery."""

MAX_LENGTH = 200
"""Longest name that is kept. It leaves room for suffixes and a temporary name within the 255 bytes
of a file name."""

_PLAIN = regex(r"[A-Za-z0-9_+=@,-][A-Za-z0-9_+=@,.-]*(?<!\.)", re.ASCII)
_UNSAFE = regex(r"[^A-Za-z0-9_+=@,-]+", re.ASCII)
_RESERVED = regex(r"(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\..*)?", re.ASCII | re.IGNORECASE)
_OWN = frozenset({OUTPUT, AGGREGATE})
"""Folders that discovery and reading pass over: a run of that name would be lost."""
_KEPT = 60
"""Characters of an unsafe name that are kept, so that people recognise it."""


def fits_only(name: str, only: str) -> bool:
    """Whether a task's name fits one of the patterns of `--only` (one per line), ignoring case."""
    folded = name.casefold()
    return any(fnmatch.fnmatchcase(folded, pattern) for pattern in only.casefold().split("\n"))


def safe_name(name: str) -> str:
    """A file name for `name`: the name itself if it is safe, else a marked spelling of it."""
    plain = len(name) <= MAX_LENGTH and _PLAIN.fullmatch(name) and not _RESERVED.fullmatch(name)
    if plain and name.casefold() not in _OWN:
        return name
    return _marked(name)


def safe_names(names: Iterable[str], taken_already: Iterable[str] = ()) -> dict[str, str]:
    """File names for names that share a folder; they differ even if the file system ignores case.

    If names differ only in case, the first by code point keeps its plain spelling. No file name is
    in `taken_already`: a configuration can be named `outcomes.json`, like a file of the run.
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
    """Stem of a trial's documents: the task, and the trial's name if one is given (D32)."""
    return safe_name(task_name if trial_name is None else f"{task_name}.{trial_name}")


def _marked(name: str) -> str:
    digest = sha256(name.encode("utf-8", errors="surrogatepass")).hexdigest()[:16]
    kept = _UNSAFE.sub("_", name[: _KEPT * 2]).strip("_")[:_KEPT]
    return f"{kept or 'name'}~{digest}"


def run_id_of(path: str, taken: set[str]) -> str:
    """The id of a run at a path below RUNS: its folder's name, or its whole path if another run
    already has that name."""
    run_id = path.rpartition("/")[2]
    if run_id.casefold() in taken:
        run_id = path.replace("/", "__")
    if run_id.casefold() in taken:
        run_id = _marked(path)  # `y/r` beside `x/r` and `y__r`
    taken.add(run_id.casefold())
    return run_id


TASK_SCHEMES: tuple[str, ...] = ("git",)
"""Prefixes of values of `--tasks` that are neither a file nor a folder; `truth.definitions` reads
them."""
