"""From flags to a request: the settings file, and progress on stderr."""

from __future__ import annotations

import gc
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from groundtrace.cli.terminal import Progress, print_message, say_settings

if TYPE_CHECKING:
    from groundtrace.config import Settings
    from groundtrace.runs.request import Request


def settings_of(given: Mapping[str, Any]) -> Settings:
    """Settings from the file, overridden by the flags that were given."""
    from groundtrace.config import load_settings
    from groundtrace.runs.prepare import settings_for

    config = given.get("config")
    return settings_for(given, load_settings(None if config is None else Path(config)))


def with_remembered(given: Mapping[str, Any], found: Mapping[str, Any]) -> dict[str, Any]:
    """The flags, completed by what the run before was given; says which locations are gone."""
    from groundtrace.runs.inputs import missing

    kept = {name: value for name, value in found.items() if name not in given}
    for name, location in missing(kept):
        flag = "--" + name.replace("_", "-")
        note = f"the run was made with {flag} {location}, which is no longer there; give {flag}"
        print_message(note, quiet=given.get("quiet", False))
        kept.pop(name, None)
    return {**given, **kept}


@contextmanager
def prepared_request(
    what: str, runs: str, given: Mapping[str, Any], *, reads_traces: bool = False
) -> Iterator[Request]:
    """A request, with progress shown on stderr as `what` while the block runs."""
    from groundtrace.runs.prepare import request_for

    settings = settings_of(given)
    say_settings(given)
    show = not (given["quiet"] or given["no_progress"] or given["json"])
    ticker = Progress(what, show=show, times=given["verbose"])
    made = request_for(
        runs, given, settings, reads_traces=reads_traces, may_fork=True, ticker=ticker
    )
    # What is loaded stays. Looking through it once more, with the first objects of the work, took 17
    # million instructions of a small `run`.
    gc.freeze()
    with made as request, ticker:
        yield request
