"""Which of several trials of one task and configuration counts (D32), and the rows of a dry run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, Generic, Literal, NamedTuple, TypeVar

from groundtrace.base.frozen import Frozen
from groundtrace.config import Settings
from groundtrace.discover.found import Found, FoundProblem, Skipped
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
    superseded: tuple[Superseded[SomeTrial], ...]


def select(trials: Iterable[SomeTrial]) -> Selection[SomeTrial]:
    """Choose one trial per run, configuration and task: the latest finished with a valid reward,
    else the latest finished, else the latest (D32). The order of the input does not matter."""
    groups: dict[tuple[str, str, str, str], list[SomeTrial]] = {}
    for trial in trials:
        # Two suites may each have a task of the same name; their trials do not replace each other.
        folder = trial.task.folder if trial.task is not None else None
        names = (trial.run_id, trial.config_name.casefold(), trial.task_name.casefold())
        key = (*names, folder.url if folder is not None else "")
        groups.setdefault(key, []).append(trial)
    selected: list[SomeTrial] = []
    superseded: list[Superseded[SomeTrial]] = []
    for group in groups.values():
        best = max(group, key=rank)
        selected.append(best)
        others = sorted((t for t in group if t is not best), key=lambda t: t.path)
        superseded += [Superseded(other, best, _reason(other, best)) for other in others]
    return Selection(tuple(selected), tuple(superseded))


def rank(trial: Contender) -> tuple[int, float, float, str, str]:
    """The highest counts. A valid reward proves that a trial finished, even if no time says so."""
    outcome = trial.outcome
    finished = outcome.finished_at is not None or outcome.reward is not None
    tier = 2 if outcome.reward is not None else 1 if finished else 0
    last = outcome.finished_at if outcome.finished_at is not None else outcome.started_at
    start = outcome.started_at
    return (
        tier,
        float("-inf") if last is None else last,
        float("-inf") if start is None else start,
        trial.batch_timestamp or "",
        trial.path,
    )


def _reason(other: Contender, best: Contender) -> str:
    if other.trial_key == best.trial_key:
        return f"a copy of {best.path}"
    loser, winner = rank(other), rank(best)
    if loser[0] < winner[0]:
        why = ("did not finish", "has no valid reward")[loser[0]]
        return f"{why}; {best.trial_name} is used"
    when = "finished" if best.outcome.finished_at is not None else "is"
    return (
        f"{best.trial_name} {when} later"
        if loser[1:3] < winner[1:3]
        else f"{best.trial_name} comes later by name (the times are equal)"
    )


RowState = Literal["selected", "superseded", "skipped", "problem"]


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
    chosen = select(trials)
    rows += [_trial_row(trial, "selected", None) for trial in chosen.selected]
    written = " (written too, because of --trials all)" if settings.trials == "all" else ""
    rows += [_trial_row(s.trial, "superseded", s.reason + written) for s in chosen.superseded]
    yield from sorted(rows, key=lambda row: (row.path, row.state != "problem"))


def _row(item: Skipped | FoundProblem) -> SurveyRow:
    if isinstance(item, Skipped):
        return SurveyRow("skipped", item.path, item.reason, item.run_id)
    return SurveyRow("problem", item.path, str(item.problem), item.run_id)


def _trial_row(trial: Trial, state: RowState, reason: str | None) -> SurveyRow:
    return SurveyRow(state, trial.path, reason, trial.run_id, trial)
