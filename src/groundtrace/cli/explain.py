"""`groundtrace explain`: what every stage saw of one trial, in the terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Unpack

import click

from groundtrace.base.visible import in_columns, shell_word
from groundtrace.cli import completion, from_options
from groundtrace.cli.prepare import settings_of, with_remembered
from groundtrace.cli.terminal import print_json, print_result
from groundtrace.config import Location
from groundtrace.options import Json, Option, Tracebacks, TrialOptions

if TYPE_CHECKING:
    from groundtrace.config import Settings
    from groundtrace.results import Evaluation
    from groundtrace.runs.explain import Picked


class Explain(TrialOptions, total=False):
    """Flags of this command."""

    out: Annotated[
        Location | None,
        Option(
            "input",
            "Folder that holds the results, as --out of 'groundtrace run' named it: its tasks, "
            "mappings and layout are used",
            "DIR",
            otherwise="inside RUNS",
        ),
    ]
    calls: Annotated[bool, Option("output", "Show only the calls")]
    metric: Annotated[
        Sequence[str],
        Option("output", "Show only this metric or outcome, and what it is counted from", "NAME"),
    ]
    json: Json
    verbose: Tracebacks


@from_options.command("explain")
@click.argument("trial", metavar="TRIAL", shell_complete=completion.tasks)
@click.argument("runs", metavar="[RUNS]", required=False)
def command(trial: str, runs: str | None, **given: Unpack[Explain]) -> int:
    """Show how the numbers of one trial were computed.

    TRIAL is a trial folder, a trace file, FILE#ID for one sample of a file, or the name of a task
    or a trial below RUNS (default: this folder); --config-name picks one of several
    configurations. For a folder of several trials, they are listed. Call ids and step ids are
    those of the raw trace, so that every line can be looked up there.

    \b
    Examples:
      groundtrace explain runs/official/my_run/baseline/task__abc --tasks benchmarks
      groundtrace explain fix-timeout-1 runs/official --config-name baseline --metric mrr
      groundtrace explain runs/official
      groundtrace explain runs/official/my_run/baseline/task__abc --tasks benchmarks --calls
    """
    from groundtrace.runs.explain import explain

    metrics = tuple(given.get("metric", ()))
    _check(metrics)
    whole = with_remembered(given, _remembered(trial, runs, given))
    settings = settings_of(whole)
    found = _evaluation(trial, runs, whole, settings)
    if isinstance(found, list):
        _list(found, as_json=given["json"])
        if runs is None and Path(trial).is_dir():
            return 0
        from groundtrace.errors import UsageError

        raise UsageError(
            f"{trial}: {len(found)} trials match; name one by its folder, or add --config-name"
        )
    data = explain(found.reading, found.metrics)
    if given["json"]:
        if metrics:
            data["metrics"] = [one for one in data["metrics"] if one["metric"] in metrics]
        print_json(data)
        return 0
    from groundtrace.report.explain_text import render

    click.echo(render(data, only_calls=given["calls"], metrics=metrics))
    return 0


def _remembered(trial: str, runs: str | None, given: Mapping[str, Any]) -> dict[str, Any]:
    """What the run of the trial was given."""
    from groundtrace.runs.inputs import recalled, recalled_above
    from groundtrace.runs.prepare import folders_for

    if "out" in given or (runs is not None and _is_place(runs)):
        return recalled(folders_for(runs or ".", given))
    return recalled_above(trial if runs is None and _is_place(trial) else ".")


def _check(metrics: tuple[str, ...]) -> None:
    """Raise UsageError for a name that is neither a metric nor an outcome."""
    if not metrics:
        return
    from groundtrace.base.suggest import unknown_name
    from groundtrace.errors import UsageError
    from groundtrace.metrics.catalogue import QUANTITIES

    for name in metrics:
        if name not in QUANTITIES:
            raise UsageError(unknown_name("metric", name, QUANTITIES, listed=False))


def _evaluation(
    trial: str, runs: str | None, given: Mapping[str, Any], settings: Settings
) -> Evaluation | list[Picked]:
    """The trial that the user means, evaluated; a list of trials if it is not clear which."""
    from groundtrace.api import evaluate_found, evaluate_trial
    from groundtrace.errors import InputError, NothingFoundError, UsageError
    from groundtrace.runs.explain import pick, the_one
    from groundtrace.runs.only import nothing_fits
    from groundtrace.storage import open_place
    from groundtrace.truth.definitions import load_tasks

    locations, registry = given.get("tasks", ()), given.get("ground_truth")
    if runs is None and _is_place(trial):
        try:
            return evaluate_trial(trial, tasks=locations, ground_truth=registry, settings=settings)
        except InputError:
            tasks = load_tasks(locations)
            found = pick(open_place(trial), settings, tasks) if Path(trial).is_dir() else []
            if not found:
                raise
            return found
    if runs is not None and not _is_place(runs) and Path(trial).is_dir():
        raise UsageError(
            f"{runs}: no such folder; the task comes first: groundtrace explain "
            f"{shell_word(runs)} {shell_word(trial)}"
        )
    place = open_place(runs or ".")
    tasks = load_tasks(locations)
    found = pick(place, settings, tasks, task=trial, config=settings.config_name)
    one = the_one(found)
    if one is not None:
        return evaluate_found(one.trial, one.problems, ground_truth=registry, settings=settings)
    if found:
        return found
    named = [
        one.trial for one in pick(place, settings, tasks, task=None, config=settings.config_name)
    ]
    where = runs or "this folder"
    if not named:
        config = f" of a configuration {settings.config_name!r}" if settings.config_name else ""
        raise NothingFoundError(f"{where}: no trial{config}, so none of {trial!r}")
    said = nothing_fits(trial, [one.task_name for one in named]).replace("--only ", "")
    raise NothingFoundError(f"{where}: {said}; a trial can also be named by its folder")


def _is_place(trial: str) -> bool:
    """Whether a user named a folder or a file rather than a task."""
    return "://" in trial or "/" in trial or "#" in trial or Path(trial).exists()


def _list(found: list[Picked], *, as_json: bool) -> None:
    """The trials that can be explained."""
    rows = [one.as_data() for one in found]
    if as_json:
        print_json(rows)
        return
    cells = (
        [
            row["task_name"],
            row["config_name"],
            "yes" if row["counts"] else "no",
            "-" if row["reward"] is None else f"{row['reward']:g}",
            row["trial"],
        ]
        for row in rows
    )
    print_result(in_columns(["task", "configuration", "counts", "reward", "trial"], cells))
