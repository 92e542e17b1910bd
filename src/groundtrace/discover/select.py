"""Which of several trials of one task and configuration count (D148), and the rows of a dry run."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar, get_args

import msgspec

from groundtrace.base.frozen import Frozen
from groundtrace.base.patterns import regex
from groundtrace.base.visible import shell_word
from groundtrace.config import Settings, Trials
from groundtrace.discover.found import Found, FoundProblem, InferredLayout, Skipped
from groundtrace.discover.walk import Run, discover_run, layout_of
from groundtrace.model import Contender, Problem, Trial
from groundtrace.storage import Folder, Place

if TYPE_CHECKING:
    from groundtrace.truth.tasks import TaskIndex


class Candidate(Contender, frozen=True, kw_only=True):
    """What stands for a trial that waits elsewhere while it is decided which trials count."""

    number: int
    """Its place among the trials of its run."""


def candidate(number: int, trial: Trial) -> Candidate:
    """What stands for a trial."""
    known = {name: getattr(trial, name) for name in Contender.__struct_fields__}
    return Candidate(**known, number=number)


SomeTrial = TypeVar("SomeTrial", bound=Contender)


class Superseded(msgspec.Struct, Generic[SomeTrial], frozen=True):
    """A trial that does not count, because another trial of its task and configuration does."""

    trial: SomeTrial
    by: SomeTrial
    reason: str


class Selection(msgspec.Struct, Generic[SomeTrial], frozen=True):
    """The trials that count, and the others with their reasons."""

    selected: tuple[SomeTrial, ...]
    """Of each task the latest trial first, then its other attempts by time."""
    superseded: tuple[Superseded[SomeTrial], ...]
    attempts: Mapping[str, int]
    """Path of each selected trial to its number among the attempts of its task, from 1."""
    doubts: Mapping[str, Problem]
    """Path of a selected trial to why nothing of its task is superseded, although it might be."""

    @property
    def latest(self) -> set[str]:
        """Paths of the trials that keep the plain name of their task."""
        first = {_group_of(trial): trial.path for trial in reversed(self.selected)}
        return set(first.values())


FirstCall = Callable[[Any], float | None]
"""Reads when the first call of a trial was made; it is asked only where that may decide."""


def select(
    trials: Iterable[SomeTrial],
    which: Trials = "attempts",
    read: FirstCall | None = None,
) -> Selection[SomeTrial]:
    """Choose the trials that count, of each run, configuration and task (D148).

    Attempts of one batch are data and all count. Another batch is a rerun: the latest counts, by
    time (D211). Where no time tells which is later, nothing is superseded. The order of the input
    does not matter.
    """
    groups: dict[tuple[str, ...], list[SomeTrial]] = {}
    for trial in trials:
        groups.setdefault(_group_of(trial), []).append(trial)
    selected: list[SomeTrial] = []
    superseded: list[Superseded[SomeTrial]] = []
    attempts: dict[str, int] = {}
    doubts: dict[str, Problem] = {}
    for group in groups.values():
        own, copies = _without_copies(group)
        clocks = _Clocks(own, which, read)
        kept, others, doubt = _chosen(own, which, clocks)
        latest = kept[-1]
        selected += [latest, *kept[:-1]]
        attempts |= {trial.path: number for number, trial in enumerate(kept, start=1)}
        superseded += copies
        superseded += [Superseded(t, latest, _why(latest, which)) for t in others]
        if doubt is not None:
            doubts[latest.path] = Problem(latest.path, "order_unknown", doubt)
    return Selection(tuple(selected), tuple(superseded), attempts, doubts)


def first_call(trial: Trial, settings: Settings) -> float | None:
    """When the first call of a trial was made, read from its trace."""
    from groundtrace.traces.kit.loose import first_call_of  # most runs never ask

    return first_call_of(trial, settings.readers)


def _group_of(trial: Contender) -> tuple[str, ...]:
    # Two suites may each have a task of the same name; their trials do not replace each other.
    folder = trial.task.folder if trial.task is not None else None
    names = (trial.run_id, trial.config_name.casefold(), trial.task_name.casefold())
    return (*names, folder.url if folder is not None else "")


def _without_copies(
    group: Iterable[SomeTrial],
) -> tuple[list[SomeTrial], list[Superseded[SomeTrial]]]:
    """The trials, each once; a copy of a trial is no attempt."""
    first: dict[str, SomeTrial] = {}
    copies = []
    for trial in sorted(group, key=lambda t: t.path):
        known = first.setdefault(trial.trial_key or trial.path, trial)
        if known is not trial:
            copies.append(Superseded(trial, known, f"a copy of {known.path}"))
    return list(first.values()), copies


# --- what is later ------------------------------------------------------------------------

Clock = Literal["call", "record", "batch", "file"]
"""Who wrote a time: the trace's first call, the trial's record, the batch folder's name, or the
file system."""

DAY = 86_400.0
"""Clocks may stand in different zones, at most 26 hours apart and mostly fewer than a day. A time
further in the future is damage."""


_BATCH = regex(r"(\d{4})-(\d\d?)-(\d\d?)__(\d\d?)-(\d\d?)-(\d\d?)")


def batch_time(name: str | None) -> float | None:
    """The time in the name of a batch folder (`2026-02-28__00-53-20`)."""
    found = _BATCH.fullmatch(name or "")
    if found is None:
        return None
    year, month, day, hour, minute, second = map(int, found.groups())
    try:
        return datetime(year, month, day, hour, minute, second, tzinfo=UTC).timestamp()
    except ValueError:
        return None


class _Clocks:
    """What each clock says about the trials of one group."""

    def __init__(self, trials: Sequence[Contender], which: Trials, read: FirstCall | None) -> None:
        """The traces are read only if the first call may decide what counts, or nothing else can
        order the attempts: reading costs as much as a good part of evaluating."""
        batches = {trial.batch_timestamp for trial in trials}
        rivals = {"attempts": len(batches), "latest": len(trials), "all": 1}[which]
        now = time.time() + DAY
        self.times: dict[str, dict[Clock, float]] = {}
        for trial in trials:
            known = _times(trial)
            if "call" not in known and len(trials) > 1 and (rivals > 1 or not known):
                moment = None if read is None else read(trial)
                known = known if moment is None else {"call": moment, **known}
            self.times[trial.path] = {c: at for c, at in known.items() if at <= now}

    def best(self, trial: Contender) -> tuple[float, str]:
        """Sorts trials: by the best time that is known of each."""
        times = self.times[trial.path].values()
        return next(iter(times), float("-inf")), trial.path

    def latest(self, rivals: Sequence[Sequence[Contender]]) -> int | None:
        """Which of several lists of trials is the latest; None if times do not tell.

        Times of one clock are compared, the best one that all of them have. The file system's is
        the last resort: copying 28 October and then 26 October made the older session the later.
        Times of two clocks tell only if they are more than a day apart.
        """
        said = [self._of(trials) for trials in rivals]
        for clock in ("call", "record", "batch"):
            if all(clock in times for times in said):
                last = _greatest([times[clock] for times in said])
                if last is not None:
                    return last
        if not all(said):
            return None
        firsts = [next(iter(times.items())) for times in said]
        last = _greatest([at for _, at in firsts])
        if last is None:
            return None
        clock, at = firsts[last]
        others = (one for n, one in enumerate(firsts) if n != last)
        clear = all(other == clock or at - moment > DAY for other, moment in others)
        return last if clear else None

    def _of(self, trials: Sequence[Contender]) -> dict[Clock, float]:
        """The last time of several trials by each clock, the best clock first."""
        found: dict[Clock, float] = {}
        for clock in get_args(Clock):
            known = [t[clock] for trial in trials if clock in (t := self.times[trial.path])]
            if known:
                found[clock] = max(known)
        return found


def _times(trial: Contender) -> dict[Clock, float]:
    """The times of a trial that are known without its trace, the best clock first."""
    outcome = trial.outcome
    record = outcome.started_at if outcome.started_at is not None else outcome.finished_at
    said: dict[Clock, float | None] = {
        "call": trial.first_call,
        "record": record,
        "batch": batch_time(trial.batch_timestamp),
        "file": trial.file_time,
    }
    return {clock: at for clock, at in said.items() if at is not None}


def _greatest(times: Sequence[float]) -> int | None:
    """The place of the greatest number, if there is one."""
    last = max(range(len(times)), key=times.__getitem__)
    return last if times.count(times[last]) == 1 else None


Choice = tuple[list[SomeTrial], list[SomeTrial], str | None]
"""Trials that count, by time, the others, and why there are no others although there might be."""


def _chosen(trials: Sequence[SomeTrial], which: Trials, clocks: _Clocks) -> Choice[SomeTrial]:
    ordered = sorted(trials, key=clocks.best)
    rivals: dict[str | None, list[SomeTrial]] = {}
    for trial in ordered:
        rivals.setdefault(trial.path if which == "latest" else trial.batch_timestamp, []).append(
            trial
        )
    if which == "all" or len(rivals) < 2:
        return ordered, [], None
    groups = list(rivals.values())
    last = clocks.latest(groups)
    if last is None:
        what = "trials" if which == "latest" else "batches"
        return ordered, [], f"no time tells which of {len(groups)} {what} is the latest: all count"
    return groups[last], [t for t in ordered if t not in groups[last]], None


def _why(latest: Contender, which: Trials) -> str:
    if which == "latest":
        return f"{latest.trial_name} is later"
    return f"a rerun counts: batch {latest.batch_timestamp or 'without a name'} is later"


RowState = Literal["selected", "superseded", "skipped", "problem", "layout"]


class SurveyRow(Frozen, frozen=True):
    """One line of `normalize --dry-run`."""

    state: RowState
    path: str
    reason: str | None
    run_id: str | None = None
    trial: Trial | None = None

    def as_dict(self) -> dict[str, Any]:
        """The line for programs: the trial's names beside the rest, null without a trial."""
        trial = self.trial
        names = ("config_name", "task_name", "trial_name", "benchmark", "model", "harness")
        return {
            "state": self.state,
            "path": self.path,
            "reason": self.reason,
            "run_id": self.run_id,
            **{name: getattr(trial, name, None) for name in names},
            "has_task": None if trial is None else trial.task is not None,
            "files": () if trial is None else trial.files,
            "named_by": {} if trial is None else trial.evidence,
            "is_loose": trial is not None and trial.loose is not None,
        }


def survey(
    runs: Folder | Place,
    *,
    settings: Settings,
    tasks: TaskIndex | None = None,
    only: str | None = None,
) -> Iterator[SurveyRow]:
    """What normalize would do with RUNS, run by run, in order of path within each run."""
    for item in layout_of(runs, settings).runs():
        if isinstance(item, Run):
            yield from _survey_run(
                discover_run(item, settings=settings, tasks=tasks, only=only), settings
            )
        else:
            yield _row(item)


def _survey_run(found: Iterable[Found], settings: Settings) -> Iterator[SurveyRow]:
    rows: list[SurveyRow] = []
    trials: list[Trial] = []
    for item in found:
        if isinstance(item, Trial):
            trials.append(item)
        else:
            rows.append(_row(item))
    chosen = select(trials, settings.trials, lambda trial: first_call(trial, settings))
    for path, problem in chosen.doubts.items():
        rows.append(SurveyRow("problem", path, str(problem), trials[0].run_id))
    rows += [_trial_row(trial, "selected", None) for trial in chosen.selected]
    rows += [_trial_row(s.trial, "superseded", s.reason) for s in chosen.superseded]
    yield from sorted(rows, key=lambda row: (row.path, row.state != "problem"))


def _row(item: Skipped | FoundProblem | InferredLayout) -> SurveyRow:
    if isinstance(item, InferredLayout):
        words = " ".join(f"--layout {shell_word(pattern)}" for pattern in item.patterns)
        return SurveyRow("layout", ".", words, item.run_id)
    if isinstance(item, Skipped):
        return SurveyRow("skipped", item.path, item.reason, item.run_id)
    return SurveyRow("problem", item.path, str(item.problem), item.run_id)


def _trial_row(trial: Trial, state: RowState, reason: str | None) -> SurveyRow:
    return SurveyRow(state, trial.path, reason, trial.run_id, trial)
