"""Where files go, what they are called, and where later commands find them: the command line's
contract in one place.

RUN/retrieval_events/                 one run
RUNS/<run>/retrieval_events/          a folder of runs
RUNS/retrieval_events_aggregate/      the same files over all of its runs
DIR/<run_id>/retrieval_events/        with --out DIR
DIR/retrieval_events_aggregate/       also with --aggregate DIR alone

If RUNS is one file (a trace or a manifest), the folder that holds the file is the run.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property

from groundtrace.base.frozen import Frozen
from groundtrace.base.safe_names import AGGREGATE, OUTPUT, run_id_of, safe_name
from groundtrace.documents import KINDS
from groundtrace.errors import NothingFoundError
from groundtrace.runs.state import load_state
from groundtrace.storage import Folder, Links, folder_at, open_folder, open_place, place_at

EVENTS_ENDING = KINDS["retrieval_events"].file_name
"""End of the name of a trial's events document."""
METRICS_ENDING = KINDS["retrieval_metrics"].file_name
"""End of the name of a trial's metrics document."""
OUTCOMES_FILE = KINDS["outcomes"].file_name
"""The outcomes of all trials of a run."""
SUMMARY = KINDS["run_retrieval_summary"].file_name
"""The summary of a run."""
IMPACT = KINDS["impact_analysis"].file_name
"""The impact analysis of a run."""
REPORTS = {"md": "retrieval_report.md", "html": "retrieval_report.html"}
"""File name of a report, by format."""
RUN_FILES = (OUTCOMES_FILE, SUMMARY, IMPACT, *REPORTS.values())
"""Files of the whole run, next to the folders of the configurations."""

_GROUPS = 3
"""Levels of folders that may be between RUNS and a run (`_raw`, `csb_org`)."""


def events_path(metrics_path: str) -> str:
    """The events document that a metrics document was made from."""
    return metrics_path.removesuffix(METRICS_ENDING) + EVENTS_ENDING


def metrics_path(events_path: str) -> str:
    """The metrics document beside an events document."""
    return events_path.removesuffix(EVENTS_ENDING) + METRICS_ENDING


class RunOutput(Frozen, frozen=True):
    """The output folder of one run."""

    run_id: str
    folder: Folder


class OutputFolders(Frozen, frozen=True, dict=True):
    """The output folders of RUNS: one for each run, and one over all runs."""

    runs: str
    out: str | None = None
    above: str | None = None
    """Folder in which the results over all runs are put, if not beside the runs."""

    @cached_property
    def _base(self) -> Folder:
        """The folder that all of them are in: where it leads is asked once, not for every run."""
        return place_at(self.runs).folder if self.out is None else folder_at(self.out)

    def run(self, run_id: str, path: str) -> RunOutput:
        """Where a run's files go; `path` is the run's folder below RUNS, empty for RUNS itself."""
        if self.out is not None:
            return RunOutput(run_id, self._base.folder(f"{safe_name(run_id)}/{OUTPUT}"))
        inside = f"{path}/{OUTPUT}" if path else OUTPUT
        return RunOutput(run_id, self._base.folder(inside))

    def aggregate(self) -> Folder:
        """Where files over all runs go."""
        base = self._base if self.above is None else folder_at(self.above)
        return base.folder(AGGREGATE)

    def existing(self) -> tuple[list[RunOutput], bool]:
        """Output folders that earlier commands left, and whether RUNS is a single run.

        Without the results of runs that are no longer in RUNS (D113).
        """
        found, single = self.all_existing()
        if single:
            return found, True
        left_out = frozenset(load_state(self.aggregate()).left_out)
        return [output for output in found if output.run_id not in left_out], False

    def all_existing(self) -> tuple[list[RunOutput], bool]:
        """The same as `existing`, with the results of runs that are gone."""
        if self.out is not None:
            name = place_at(self.runs).folder.name
            one = folder_at(self.out).folder(safe_name(name))
            if one.folder(OUTPUT).exists():
                return [RunOutput(name, one.folder(OUTPUT))], True
        base = open_place(self.runs).folder if self.out is None else open_folder(self.out)
        if self.out is None and base.folder(OUTPUT).exists():
            return [RunOutput(base.name, base.folder(OUTPUT))], True
        found = list(_named_apart(_below(base, "", _GROUPS, Links())))
        if not found:
            raise NothingFoundError(
                f"{base.url}: holds no {OUTPUT} folder; run 'groundtrace run' first"
            )
        return found, False


def _below(folder: Folder, path: str, depth: int, links: Links) -> Iterator[tuple[str, Folder]]:
    """Output folders, each with the path of its run."""
    for entry in folder.entries():
        if entry.kind != "folder" or entry.name in {OUTPUT, AGGREGATE}:
            continue
        child = folder.folder(entry.name)
        if not links.enters(child):
            continue
        below = f"{path}{entry.name}"
        if child.folder(OUTPUT).exists():
            yield below, child.folder(OUTPUT)
        elif depth > 1:
            yield from _below(child, f"{below}/", depth - 1, links)


def _named_apart(found: Iterable[tuple[str, Folder]]) -> Iterator[RunOutput]:
    """Runs by the names that discovery gives them."""
    taken: set[str] = set()
    for path, folder in found:
        yield RunOutput(run_id_of(path, taken), folder)
