"""Which of several trials of one task and configuration count (D148), and the rows of a dry run."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Generic, Literal, NamedTuple, TypeVar

from groundtrace.base.frozen import Frozen
from groundtrace.base.visible import shell_word
from groundtrace.config import Settings, Trials
from groundtrace.discover.found import Found, FoundProblem, InferredLayout, Skipped
from groundtrace.discover.walk import Run, discover_run, layout_of
from groundtrace.model import Contender, Trial
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


class Superseded(NamedTuple, Generic[SomeTrial]):
    """A trial that does not count, because another trial of its task and configuration does."""

    trial: SomeTrial
    by: SomeTrial
    reason: str


class Selection(NamedTuple, Generic[SomeTrial]):
    """The trials that count, and the others with their reasons."""

    selected: tuple[SomeTrial, ...]
    """Of each task the latest trial first, then its other attempts by time."""
    superseded: tuple[Superseded[SomeTrial], ...]
    attempts: Mapping[str, int]
    """Path of each selected trial to its number among the attempts of its task, from 1."""

    @property
    def latest(self) -> set[str]:
        """Paths of the trials that keep the plain name of their task."""
        first = {_group_of(trial): trial.path for trial in reversed(self.selected)}
        return set(first.values())


def select(trials: Iterable[SomeTrial], which: Trials = "attempts") -> Selection[SomeTrial]:
    """Choose the trials that count, of each run, configuration and task (D148).

    Attempts of one batch are data and all count. Another batch is a rerun: the latest counts, by
    time. Where no time tells which is later, nothing is superseded. The order of the input does not
    matter.
    """
    groups: dict[tuple[str, ...], list[SomeTrial]] = {}
    for trial in trials:
        groups.setdefault(_group_of(trial), []).append(trial)
    selected: list[SomeTrial] = []
    superseded: list[Superseded[SomeTrial]] = []
    attempts: dict[str, int] = {}
    for group in groups.values():
        own, copies = _without_copies(group)
        kept, others = _CHOICES[which](own)
        latest = kept[-1]
        selected += [latest, *kept[:-1]]
        attempts |= {trial.path: number for number, trial in enumerate(kept, start=1)}
        superseded += copies
        superseded += [Superseded(t, latest, _why(latest, which)) for t in others]
    return Selection(tuple(selected), tuple(superseded), attempts)


def _group_of(trial: Contender) -> tuple[str, ...]:
    # Two suites may each have a task of the same name; their trials do not replace each other.
    folder = trial.task.folder if trial.task is not None else None
    names = (trial.run_id, trial.config_name.casefold(), trial.task_name.casefold())
    return (*names, folder.url if folder is not None else "")


def _without_copies(
    group: Iterable[SomeTrial],
) -> tuple[list[SomeTrial], list[Superseded[SomeTrial]]]:
    """The trials by time, each once; a copy of a trial is no attempt."""
    first: dict[str, SomeTrial] = {}
    copies = []
    for trial in sorted(group, key=lambda t: t.path):
        known = first.setdefault(trial.trial_key or trial.path, trial)
        if known is not trial:
            copies.append(Superseded(trial, known, f"a copy of {known.path}"))
    own = sorted(first.values(), key=lambda t: (_or_never(time_of(t)), t.path))
    return own, copies


def time_of(trial: Contender) -> float | None:
    """When a trial began or ended: by its records, its batch, or its file."""
    outcome = trial.outcome
    for stated in (outcome.started_at, outcome.finished_at):
        if stated is not None:
            return stated
    batch = batch_time(trial.batch_timestamp)
    return batch if batch is not None else trial.file_time


def batch_time(name: str | None) -> float | None:
    """The time in the name of a batch folder (`2026-02-28__00-53-20`)."""
    if name is None:
        return None
    try:
        return datetime.strptime(name, "%Y-%m-%d__%H-%M-%S").replace(tzinfo=UTC).timestamp()
    except ValueError:
        return None


def _or_never(time: float | None) -> float:
    return float("-inf") if time is None else time


Choice = tuple[list[Any], list[Any]]
"""Trials that count, by time, and the others."""


def _all(trials: list[Any]) -> Choice:
    return trials, []


def _latest_batch(trials: list[Any]) -> Choice:
    """All trials of the latest batch. A batch without any time may be the latest."""
    batches: dict[str | None, list[Any]] = {}
    for trial in trials:
        batches.setdefault(trial.batch_timestamp, []).append(trial)
    times = {name: _time_of_batch(name, group) for name, group in batches.items()}
    if len(batches) < 2 or None in times.values() or len(set(times.values())) < len(times):
        return trials, []
    latest = max(batches, key=lambda name: _or_never(times[name]))
    return batches[latest], [t for t in trials if t.batch_timestamp != latest]


def _time_of_batch(name: str | None, group: list[Any]) -> float | None:
    known = [time for trial in group if (time := time_of(trial)) is not None]
    named = batch_time(name)
    return named if named is not None else max(known, default=None)


def _latest(trials: list[Any]) -> Choice:
    """The latest trial alone, if times tell which it is."""
    times = [time_of(trial) for trial in trials]
    if None in times or len(set(times)) < len(times):
        return trials, []
    return trials[-1:], trials[:-1]


_CHOICES: Mapping[Trials, Callable[[list[Any]], Choice]] = {
    "attempts": _latest_batch,
    "all": _all,
    "latest": _latest,
}


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
    chosen = select(trials, settings.trials)
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
