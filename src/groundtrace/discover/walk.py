"""Walking a runs folder: which folders are runs, and the trials in each, as a stream.

Only the path being walked is kept in memory, so a million trials need no more memory than ten.
Whether a folder is a trial depends on what its files say (`records`), never on its depth.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Mapping
from typing import TYPE_CHECKING

from msgspec.structs import replace

from groundtrace.base.frozen import Frozen
from groundtrace.base.jsonio import clean_text
from groundtrace.base.safe_names import AGGREGATE, OUTPUT, run_id_of
from groundtrace.config import Settings
from groundtrace.discover.found import Found, FoundProblem, Skipped, fits, matches, unread
from groundtrace.discover.identity import located, record_tasks
from groundtrace.discover.records import (
    AGENT,
    Records,
    is_record,
    kinds_of,
    read_records,
    with_run,
)
from groundtrace.discover.trial import make_trial
from groundtrace.model import Problem, Trial
from groundtrace.problems import ProblemKind
from groundtrace.storage import EntryKind, Folder, Links, LocalFolder, Place
from groundtrace.storage.listed import listed

if TYPE_CHECKING:
    from groundtrace.discover.loose_items import LooseRun
    from groundtrace.truth.tasks import TaskIndex

MAX_DEPTH = 16
"""Most folders between RUNS and a trial; real trees have two to seven."""

_OF_GROUNDTRACE = frozenset({OUTPUT, AGGREGATE})
"""Folders of results, also where a single trial is given as the run."""

_PROBES = 40
"""How many children of a folder are examined to tell a run from a folder of runs."""


class Run(Frozen, frozen=True):
    """One run folder."""

    run_id: str
    path: str
    """Path below RUNS; empty when RUNS is the run itself."""
    folder: Folder
    loose: LooseRun | None = None
    """Set when the run is traces without trial records."""


class RunsLayout(Frozen, frozen=True):
    """What RUNS is: one run, a folder that holds runs, or traces without trial records."""

    folder: Folder
    settings: Settings
    single: bool
    loose: tuple[LooseRun, ...] = ()

    def runs(
        self, is_known: Callable[[Run], bool] | None = None
    ) -> Iterator[Run | Skipped | FoundProblem]:
        """Every run, found lazily, with what was skipped on the way.

        `is_known` says that a folder was found to be this run before and has not changed since; its
        records are then not read again.
        """
        if self.loose:
            name = clean_text(self.folder.name)
            for loose in self.loose:
                yield Run(loose.only_run or name, "", self.folder, loose)
            return
        if self.single:
            yield Run(clean_text(self.folder.name), "", self.folder)
            return
        taken: set[str] = set()

        def is_run(spot: _Spot) -> bool:
            name = spot.path.rpartition("/")[2]
            if is_known is None or name.casefold() in taken:
                return False
            return is_known(Run(name, spot.path, spot.folder))

        for item in _runs_below(_Spot(self.folder, (), (), Links()), self.settings, is_run):
            if isinstance(item, _Spot):
                yield Run(run_id_of(item.path, taken), item.path, item.folder)
            else:
                yield item


def layout_of(runs: Folder | Place, settings: Settings, *, by_run: bool = False) -> RunsLayout:
    """Find out what RUNS is: one run, a folder of runs, loose traces, one trace, a manifest.

    `by_run` says that each run of a manifest is written to its own folder.
    """
    if isinstance(runs, Place):
        if runs.file is not None:
            return _layout_of_file(runs.folder, runs.file, settings, by_run=by_run)
        runs = runs.folder
    top = _Spot(runs, (), (), Links())
    first = _first_trial(top, settings)
    if first is None or (first.is_bare and _are_all_bare(top, settings)):
        from groundtrace.discover.loose_items import LooseRun

        return RunsLayout(runs, settings, True, (LooseRun(),))
    return RunsLayout(runs, settings, not _holds_runs(top, settings, first))


def _layout_of_file(folder: Folder, file: str, settings: Settings, *, by_run: bool) -> RunsLayout:
    from groundtrace.discover.loose_items import LooseRun
    from groundtrace.discover.manifest import is_manifest, read_manifest

    if not is_manifest(folder, file):
        return RunsLayout(folder, settings, True, (LooseRun(file),))
    name = clean_text(folder.name)
    found = dict.fromkeys(row.texts.get("run", name) for row in read_manifest(folder, file, []))
    if not by_run or len(found) < 2:
        only = next(iter(found), None) if by_run else None
        return RunsLayout(folder, settings, True, (LooseRun(file, True, only, name),))
    return RunsLayout(
        folder, settings, False, tuple(LooseRun(file, True, run, name) for run in found)
    )


def discover(
    runs: Folder | Place,
    *,
    settings: Settings,
    tasks: TaskIndex | None = None,
) -> Iterator[Found]:
    """Every trial below RUNS, run by run, with what was skipped and what was wrong."""
    for item in layout_of(runs, settings).runs():
        if isinstance(item, Run):
            yield from discover_run(item, settings=settings, tasks=tasks)
        else:
            yield item


def discover_run(
    run: Run, *, settings: Settings, tasks: TaskIndex | None = None, only: str | None = None
) -> Iterator[Found]:
    """The trials of one run. `only` is a pattern of task names, ignoring case."""
    if run.loose is not None:
        yield from _loose_trials(run, run.loose, settings, tasks, only)
        return
    top = tuple(run.path.split("/")) if run.path else ()
    spot = _Spot(run.folder, top, (), Links())
    for item in _trials_below(spot, settings, at_once=True):
        if not isinstance(item, _TrialFolder):
            yield item if item.run_id else _of_run(item, run.run_id)
            continue
        parts = item.spot.parts[len(top) :] or (run.run_id,)
        path = "/".join(item.spot.parts) or "."
        trial, problems = make_trial(
            item.spot.folder,
            item.records,
            run_id=run.run_id,
            path=path,
            above=top or (run.run_id,),
            parts=parts,
            tasks=tasks,
        )
        if only is not None and not matches(only, trial):
            continue
        for problem in problems:
            yield FoundProblem(path, run.run_id, problem)
        yield trial


def _loose_trials(
    run: Run, loose: LooseRun, settings: Settings, tasks: TaskIndex | None, only: str | None
) -> Iterator[Found]:
    """Loose traces; if there are none, also what was wrong with the records of the folders."""
    from groundtrace.discover.loose import discover_loose  # a run with records needs none of it

    nothing = True
    for item in discover_loose(
        run.folder, run.run_id, loose, settings=settings, tasks=tasks, only=only
    ):
        nothing = nothing and not isinstance(item, Trial)
        yield item
    if nothing and loose.file is None:
        for found in _trials_below(_Spot(run.folder, (), (), Links()), settings):
            if not isinstance(found, _TrialFolder):
                yield _of_run(found, run.run_id)


def _of_run(item: Skipped | FoundProblem, run_id: str) -> Skipped | FoundProblem:
    if isinstance(item, Skipped):
        return Skipped(item.path, run_id, item.reason)
    return FoundProblem(item.path, run_id, item.problem)


class _Spot(Frozen, frozen=True):
    """A folder on the walk: the folder, the names below RUNS, and the folders on the way to it."""

    folder: Folder
    parts: tuple[str, ...]
    parents: tuple[Folder, ...]
    links: Links
    """Links that this walk has followed."""

    def below(self, name: str) -> _Spot:
        return _Spot(
            self.folder.folder(name),
            (*self.parts, clean_text(name)),
            (*self.parents, self.folder),
            self.links,
        )

    def at_start(self) -> _Spot:
        """The same folder at the start of a separate walk."""
        return replace(self, links=Links())

    def is_loop(self) -> bool:
        """Whether this is a link to a folder above it: following it would never end."""
        if not isinstance(self.folder, LocalFolder) or not self.folder.is_link:
            return False
        target = self.folder.path.resolve()
        return any(isinstance(p, LocalFolder) and p.path.resolve() == target for p in self.parents)

    @property
    def path(self) -> str:
        return "/".join(self.parts)


class _TrialFolder(Frozen, frozen=True):
    spot: _Spot
    records: Records

    @property
    def is_bare(self) -> bool:
        """Whether nothing but a trace makes the folder a trial: neither a record nor `agent/`."""
        records = self.records
        stated = records.result or records.config or records.metrics
        return not stated and not any("/" in name for name in records.files)


def _children(
    spot: _Spot, entries: Mapping[str, EntryKind], settings: Settings
) -> Iterator[_Spot | Skipped | FoundProblem]:
    """Folders to walk into; the others as skipped or as problems, with the reason."""
    for name, kind in entries.items():
        shown = clean_text("/".join((*spot.parts, name)))
        if name in _OF_GROUNDTRACE:
            continue
        pattern = next((p for p in settings.skip if fits(name, p)), None)
        if kind == "folder":
            below = spot.below(name)
            if pattern is not None and not _is_in_task(below, pattern, settings):
                yield Skipped(shown, None, f"named like {pattern!r} in the list of skipped folders")
            elif len(spot.parts) >= MAX_DEPTH:
                yield Skipped(shown, None, f"more than {MAX_DEPTH} folders deep")
            elif below.is_loop():
                yield _problem(shown, "link_loop", "a link to a folder above it; not followed")
            elif _is_read_where_it_lies(below.folder, settings):
                yield Skipped(shown, None, "a link to files that are read where they lie")
            elif not spot.links.enters(below.folder):
                yield _problem(
                    shown, "link_loop", "a link to a folder that another link already led to"
                )
            else:
                yield below
        elif (problem := unread(kind, spot.path, shown)) is not None:
            yield problem


def _is_read_where_it_lies(folder: Folder, settings: Settings) -> bool:
    """Whether a folder is a link to one that the walk also comes to without links: `latest -> r1` made
    every trial of r1 a trial of a second run."""
    if not isinstance(folder, LocalFolder):
        return False
    parts = folder.link_target
    unread = (*settings.skip, *settings.skip_runs, *_OF_GROUNDTRACE)
    return bool(parts) and not any(fits(part, pattern) for part in parts for pattern in unread)


def _strays(spot: _Spot, entries: Mapping[str, EntryKind]) -> Iterator[FoundProblem]:
    """Traces in a folder that is no trial, among folders that are: nobody evaluates them."""
    names = [name for name, kind in entries.items() if kind == "file" and not is_record(name)]
    if not names:
        return
    from groundtrace.traces import all_readers
    from groundtrace.traces.kit.loose import recognise

    readers, _ = all_readers()
    for name in names:
        found, _, _ = recognise(spot.folder, name, readers)
        if found is not None:
            path = clean_text("/".join((*spot.parts, name)))
            reason = (
                f"a {found.reader.name} trace outside of every trial's folder is not evaluated; "
                "give it, or its folder, as RUNS"
            )
            yield _problem(path, "stray_trace", reason)


def _is_in_task(spot: _Spot, pattern: str, settings: Settings) -> bool:
    """Whether a folder matches a skip pattern only because of its task's name.

    The patterns are meant for runs and configurations; a task may be called
    `reject_invalid_tokens-001`.
    """
    trial = _first_trial(spot, settings)
    if trial is None:
        return False
    names = [*record_tasks(trial.records), trial.records.text("result", "trial_name")]
    return any(fits(name, pattern) for name in names if name is not None)


def _problem(path: str, kind: ProblemKind, reason: str) -> FoundProblem:
    return FoundProblem(path, None, Problem(path, kind, reason))


def _trials_below(
    spot: _Spot, settings: Settings, *, at_once: bool = False
) -> Iterator[_TrialFolder | Skipped | FoundProblem]:
    """Trial folders at and below a folder; a tree without any is reported once, at its top.

    `at_once`: the folder of a trial is listed once, for everything that will be asked of it.
    """
    found = yield from _walk(spot.at_start(), settings, at_once=at_once)
    if not found:
        yield Skipped(spot.path or ".", None, "no trial in it")


def _walk(
    spot: _Spot, settings: Settings, *, at_once: bool
) -> Generator[_TrialFolder | Skipped | FoundProblem, None, bool]:
    """The walk itself; returns whether it found a trial."""
    entries = kinds_of(spot.folder)
    if at_once and entries.get(AGENT) == "folder":  # it looks like a trial
        spot = replace(spot, folder=listed(spot.folder, _OF_GROUNDTRACE))
    records = with_run(read_records(spot.folder, entries), spot.parents)
    if records.level == "trial":
        yield _TrialFolder(spot, records)
        return True
    for problem in records.problems:
        yield FoundProblem(spot.path or ".", None, problem)
    if at_once:
        yield from _strays(spot, entries)
    found = False
    empty: list[str] = []
    for child in _children(spot, entries, settings):
        if not isinstance(child, _Spot):
            yield child
            continue
        if (yield from _walk(child, settings, at_once=at_once)):
            found = True
        else:
            empty.append(child.path)
        if found:
            for path in empty:
                yield Skipped(path, None, "no trial in it")
            empty.clear()
    return found


def _are_all_bare(spot: _Spot, settings: Settings) -> bool:
    """Whether no folder is a trial by its records: then one `trajectory.json` among traces of other
    names must not hide them."""
    found = (item for item in _trials_below(spot, settings) if isinstance(item, _TrialFolder))
    return all(item.is_bare for item in found)


def _first_trial(spot: _Spot, settings: Settings) -> _TrialFolder | None:
    """The first trial at or below a folder; stops as soon as it is found."""
    return next((t for t in _trials_below(spot, settings) if isinstance(t, _TrialFolder)), None)


def _holds_runs(spot: _Spot, settings: Settings, first: _TrialFolder) -> bool:
    """Whether a folder is a folder of runs: where does the first trial of each child put its run?

    `first` is the first trial at or below the folder. Names count more than positions: one child
    with the name of a configuration outweighs any number of children that are only at a certain
    depth.
    """
    depth = len(spot.parts)
    if len(first.spot.parts) == depth:
        return False
    place = located(first.spot.parts[depth:], first.records)
    if place.strong:  # as in nearly every folder; then no other record is read
        return place.run >= 0
    spot = spot.at_start()
    weak = 0
    probed = 0
    for child in _children(spot, kinds_of(spot.folder), settings):
        trial = _first_trial(child, settings) if isinstance(child, _Spot) else None
        if trial is None:
            continue
        place = located(trial.spot.parts[depth:], trial.records)
        if place.strong:
            return place.run >= 0
        weak += 1 if place.run >= 0 else -1
        probed += 1
        if probed >= _PROBES:
            break
    return weak > 0


def _runs_below(
    spot: _Spot, settings: Settings, is_run: Callable[[_Spot], bool]
) -> Iterator[_Spot | Skipped | FoundProblem]:
    """Runs in a folder of runs, also inside folders that only group them (`_raw`, `csb_org`)."""
    entries = kinds_of(spot.folder)
    yield from _strays(spot, entries)
    for child in _children(spot, entries, settings):
        if isinstance(child, _Spot):
            name = child.parts[-1]
            thrown = next((p for p in settings.skip_runs if fits(name, p)), None)
            if thrown is not None:
                reason = (
                    f"a run that its makers threw away: named like {thrown!r} (discover.skip_runs)"
                )
                yield Skipped(child.path, None, reason)
                continue
        if not isinstance(child, _Spot) or is_run(child):
            yield child
            continue
        first = _first_trial(child, settings)
        if first is None:
            for item in _trials_below(child, settings, at_once=True):
                if not isinstance(item, _TrialFolder):
                    yield item
        elif _holds_runs(child, settings, first):
            yield from _runs_below(child, settings, is_run)
        else:
            yield child
