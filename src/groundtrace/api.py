"""The Python API: whole runs, one trial, or many documents, without the command line.

Everything in `groundtrace.__all__` is stable; the rest of the package is not.

    >>> import groundtrace
    >>> sorted(groundtrace.__all__)[:2]
    ['Evaluation', 'GroundtraceError']
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from functools import partial, wraps
from inspect import Parameter, signature
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, Unpack, cast

from groundtrace.base.limit import OverLimitError, allowed_seconds, guarded
from groundtrace.base.suggest import unknown_name
from groundtrace.config import Location, Settings, load_settings
from groundtrace.discover import discover, trial_at
from groundtrace.discover.found import sorted_found
from groundtrace.documents.summary import RunSummaryDocument
from groundtrace.errors import InputError, UsageError
from groundtrace.metrics import evaluate
from groundtrace.model import Problem, ReadResult, Trial
from groundtrace.options import (
    CompareOptions,
    RunOptions,
    TrialOptions,
    Where,
    checked_options,
    rows_of,
    taken_by,
)
from groundtrace.pipeline import read_trial
from groundtrace.results import Evaluation, Impact, RunResult, Summary
from groundtrace.rows.trial_row import Detail, TrialRow
from groundtrace.runs.output_folders import SUMMARY, OutputFolders
from groundtrace.runs.plan import WorkContext
from groundtrace.runs.prepare import (
    folders_for,
    formats_for,
    impact_options_for,
    request_for,
    settings_for,
)
from groundtrace.runs.read import StoredDocument, read_one
from groundtrace.runs.request import now
from groundtrace.storage import Place, open_folder, place_at
from groundtrace.traces import read_trace as read_trace_of
from groundtrace.traces.kit.loose import read_loose
from groundtrace.truth import load_registry
from groundtrace.truth.definitions import load_tasks

if TYPE_CHECKING:
    from groundtrace.truth.tasks import TaskIndex

Function = TypeVar("Function", bound=Callable[..., Any])


def with_options(function: Function) -> Function:
    """Let a function take the options of its `**given`: checked, and listed in its signature."""
    own, rows = signature(function), rows_of(taken_by(function))

    @wraps(function)
    def with_checked(*values: Any, **named: Any) -> Any:
        given = {name: named.pop(name) for name in [*named] if name not in own.parameters}
        return function(*values, **named, **checked_options(rows, given))

    keywords = [
        Parameter(
            name,
            Parameter.KEYWORD_ONLY,
            default=False if row.shape.kind is bool else row.option.default,
            annotation=row.hint,
        )
        for name, row in rows.items()
    ]
    listed = [*own.parameters.values()][:-1] + keywords
    with_checked.__signature__ = own.replace(parameters=listed)  # type: ignore[attr-defined]
    return cast(Function, with_checked)


def read_trace(trial: Location, *, settings: Settings | None = None) -> ReadResult:
    """The tool calls of a trial, in order, and the problems found while reading them.

    `trial` is a trial's folder, a trace file, or `FILE#id`.
    """
    mappings = () if settings is None else settings.readers
    file, sample = _trace_file(os.fspath(trial))
    if file is not None and file.file is not None:
        return read_loose(file.folder, file.file, sample, mappings=mappings)
    return read_trace_of(open_folder(trial), mappings=mappings)


@with_options
def evaluate_trial(
    trial: Location, *, settings: Settings | None = None, **given: Unpack[TrialOptions]
) -> Evaluation:
    """Read and evaluate one trial; writes nothing.

    `trial` is a trial's folder, a trace file, or `FILE#id` for one sample of a file. The other
    keywords are flags of `groundtrace explain`. Raises InputError when there is no such trial.
    """
    asked: Mapping[str, Any] = given
    settings = _settings(settings, asked)
    with allowed_seconds(settings.trial_seconds):
        found, problems = _found_at(trial, asked, settings)
    return evaluate_found(
        found, problems, ground_truth=given.get("ground_truth"), settings=settings
    )


def _found_at(
    trial: Location, asked: Mapping[str, Any], settings: Settings
) -> tuple[Trial, tuple[Problem, ...]]:
    """The trial at a place that the user names."""
    index = load_tasks(asked.get("tasks", ()))
    file, sample = _trace_file(str(trial))
    if file is not None:
        return _loose_trial(file, sample, settings, index)
    found, problems = trial_at(open_folder(trial), _above(str(trial)), index)
    if found is None:
        raise InputError(f"{trial}: no trial in it (no result.json, config.json or trace)")
    return found, problems


def evaluate_found(
    trial: Trial,
    problems: tuple[Problem, ...],
    *,
    ground_truth: Location | None,
    settings: Settings,
) -> Evaluation:
    """Read and evaluate a trial that discovery found; not part of the stable API."""
    registry = None if ground_truth is None else load_registry(Path(ground_truth))
    context = WorkContext(settings, registry, now(), with_metrics=True)
    try:
        with allowed_seconds(settings.trial_seconds), guarded(None):
            reading = read_trial(trial, context, problems)
            metrics = evaluate(reading.document, generated_at=context.generated_at)
    except OverLimitError as error:
        raise InputError(f"{trial.path}: {error}") from error
    return Evaluation(reading, metrics)


def _trace_file(trial: str) -> tuple[Place | None, str | None]:
    """The trace file that a user named, and the sample id after `#`; (None, None) for a folder."""
    place = place_at(trial)
    if place.file is not None:
        return place, None
    path, mark, sample = trial.rpartition("#")
    if mark and not place.folder.exists():
        place = place_at(path)
        if place.file is not None:
            return place, sample
    return None, None


def _loose_trial(
    file: Place, sample: str | None, settings: Settings, tasks: TaskIndex | None
) -> tuple[Trial, tuple[Problem, ...]]:
    """The trial in a trace file; raises InputError if the file does not hold exactly one."""
    trials, problems, passed = sorted_found(discover(file, settings=settings, tasks=tasks))
    where = f"{file.folder.url}/{file.file}"
    if not trials:
        said = [str(problem) for group in problems.values() for problem in group]
        said += [f"{name}: its match is false for this file" for name, _ in settings.readers]
        raise InputError(f"{where}: no trace in it ({'; '.join([*passed, *said]) or 'no sample'})")
    ids = [trial.loose.sample for trial in trials if trial.loose is not None]
    if sample is None and len(trials) > 1:
        known = ", ".join(str(name) for name in ids[:5])
        raise InputError(f"{where}: holds {len(trials)} samples; name one: {where}#ID ({known}, …)")
    if sample is not None and sample not in ids:
        raise InputError(f"{where}: {unknown_name('sample', sample, [i for i in ids if i])}")
    trial = trials[0] if sample is None else trials[ids.index(sample)]
    return trial, tuple(problems.get(trial.path, ()))


def _above(trial: str) -> list[str]:
    """Names of the folders above a trial, top first: part of the evidence for its identity."""
    if "://" in trial:
        return trial.partition("://")[2].strip("/").split("/")[:-1]
    return [part for part in Path(trial).resolve().parent.parts if part not in {"/", "\\"}]


@with_options
def iterate_documents(runs: Location, **given: Unpack[Where]) -> Iterator[Detail]:
    """Every evaluated trial below RUNS with its documents, one at a time.

    `out` is what `--out` was when they were written.
    """
    from groundtrace.runs.evaluated_trials import evaluated_trials

    return evaluated_trials(folders_for(os.fspath(runs), given), given.get("only"))


@with_options
def load_table(name: str, runs: Location, **given: Unpack[Where]) -> Iterator[dict[str, Any]]:
    """The rows of a flat table as dictionaries, which you can pass to pandas and polars.

    `only` leaves out trials; the tables of the stored analysis stay whole.
    """
    from groundtrace.runs.impact import stored_analysis
    from groundtrace.tables.analysis import ALL_TABLES, ANALYSIS_TABLES, analysis_dicts
    from groundtrace.tables.flat_rows import flat_dicts

    if name not in ALL_TABLES:
        raise UsageError(unknown_name("table", name, ALL_TABLES))
    if name in ANALYSIS_TABLES:
        return analysis_dicts(name, stored_analysis(folders_for(os.fspath(runs), given)))
    return flat_dicts(name, iterate_documents(runs, **given))


@with_options
def load_metrics(runs: Location, **given: Unpack[Where]) -> list[dict[str, Any]]:
    """Metrics in long form: one row per trial and metric, with its value or why it has none.

    Each row also has the trial's `reward`, `cost_usd` and `agent_seconds`.
    """
    from groundtrace.tables.flat_rows import flat_dicts

    found = []
    for detail in iterate_documents(runs, **given):
        outcome = detail.row.outcome
        names = ("reward", "cost_usd", "agent_seconds")
        besides = {name: getattr(outcome, name, None) for name in names}
        found += [row | besides for row in flat_dicts("metrics", iter([detail]))]
    return found


@with_options
def load_trials(runs: Location, **given: Unpack[Where]) -> list[dict[str, Any]]:
    """Trials in wide form: one row each, with reward, cost, time and every metric as a column."""
    from groundtrace.tables.flat_rows import wide_rows

    return list(wide_rows(iterate_documents(runs, **given)))


def load_summary(
    runs: Location, *, out: Location | None = None, aggregate: Location | None = None
) -> Summary:
    """The summary of RUNS: over all runs, or of the single run."""
    folders = _output_folders(runs, out, aggregate)
    outputs, single = folders.existing()
    folder = outputs[0].folder if single else folders.aggregate()
    stored: StoredDocument[RunSummaryDocument] = read_one(folder, SUMMARY, "run_retrieval_summary")
    if stored.document is None:
        reason = stored.problem.reason if stored.problem is not None else "missing"
        raise InputError(f"{folder.url}/{SUMMARY}: {reason}; run 'groundtrace run'")
    return Summary(stored.document)


def _output_folders(
    runs: Location, out: Location | None, aggregate: Location | None
) -> OutputFolders:
    given = [None if place is None else os.fspath(place) for place in (out, aggregate)]
    return OutputFolders(os.fspath(runs), *given)


def load_impact(
    runs: Location, *, out: Location | None = None, aggregate: Location | None = None
) -> Impact:
    """The stored impact analysis of RUNS: over all runs, or of the run if RUNS is a single one."""
    from groundtrace.runs.impact import stored_analysis

    folders = _output_folders(runs, out, aggregate)
    document = stored_analysis(folders)
    if document is None:
        raise InputError(f"{folders.runs}: no impact analysis; run 'groundtrace run'")
    return Impact(document)


@with_options
def compare(
    runs: Location, *, settings: Settings | None = None, **given: Unpack[CompareOptions]
) -> Impact:
    """Compare configurations of evaluated runs, as `groundtrace impact` does; writes nothing.

    The keywords are flags of that command. `baseline` and `against` are names or patterns of
    configurations. Raises UsageError if no configuration fits one of them.
    """
    from groundtrace.runs.impact import analysis_of_runs, check_configurations

    settings = _settings(settings, given)
    options = impact_options_for(given, settings)
    with request_for(os.fspath(runs), {"jobs": 1, **given}, settings) as request:
        document = analysis_of_runs(request, options)
    check_configurations(document, given.get("baseline"), given.get("against"), flags="")
    return Impact(document)


@with_options
def run(
    runs: Location, *, settings: Settings | None = None, **given: Unpack[RunOptions]
) -> RunResult:
    """Evaluate runs and write documents and reports, as `groundtrace run` does.

    The keywords are the flags of that command. A settings file is read only if `config` names it.
    Runs in this process unless `jobs` is more than 1; a script that asks for more processes needs
    the usual `if __name__ == "__main__":`. Trials that cannot be processed are in `failed` of the
    result; they raise no exception. Raises NothingFoundError if there is no trial.
    """
    from groundtrace.runs.impact import check_configurations, widest_document
    from groundtrace.runs.whole_run import run_stages

    settings = _settings(settings, given)
    options = impact_options_for(given, settings)
    baseline, against = given.get("baseline"), given.get("against")
    check = None
    if baseline is not None or against is not None:
        check = partial(check_configurations, baseline=baseline, against=against, flags="")
    asked: Mapping[str, Any] = {"jobs": 1, **given}
    with request_for(os.fspath(runs), asked, settings, reads_traces=True) as request:
        done = run_stages(request, options, formats_for(given), check)
        document = None if done.normalized.all_failed else widest_document(request)
    if document is not None and check is not None:
        check(document)
    return RunResult(
        summary=None if done.summary is None else Summary(done.summary),
        impact=None if document is None else Impact(document),
        failed=tuple(done.failed),
        reports=tuple(done.reports.written),
        folders=request.output_folders,
        explainer=explained,
    )


@with_options
def load(runs: Location, **given: Unpack[Where]) -> RunResult:
    """The results of an earlier `run`, without running anything.

    `out` is what `--out` was. Raises NothingFoundError if there are none.
    """
    from groundtrace.runs.impact import stored_analysis

    folders = folders_for(os.fspath(runs), given)
    folders.existing()
    analysis = stored_analysis(folders)
    return RunResult(
        summary=load_summary(runs, out=given.get("out"), aggregate=given.get("aggregate")),
        impact=None if analysis is None else Impact(analysis),
        folders=folders,
        explainer=explained,
    )


def explained(folders: OutputFolders, row: TrialRow) -> str:
    """What `groundtrace explain` prints of a trial; not part of the stable API."""
    import click

    from groundtrace.report.explain_text import render
    from groundtrace.runs.explain import explain, pick
    from groundtrace.runs.inputs import recalled

    given = recalled(folders)
    settings = settings_for(given, Settings())
    tasks = load_tasks(given.get("tasks", ()))
    found = pick(place_at(folders.runs), settings, tasks, task=row.trial_name)
    one = next((p for p in found if p.trial.names == row.names), None)
    if one is None:
        raise InputError(f"{folders.runs}: the trace of {row.trial_name!r} is no longer there")
    registry = given.get("ground_truth")
    done = evaluate_found(one.trial, one.problems, ground_truth=registry, settings=settings)
    return click.unstyle(render(explain(done.reading, done.metrics)))


def _settings(settings: Settings | None, given: Mapping[str, Any]) -> Settings:
    """The settings that were given, as an object or a file, changed by the other keywords."""
    if settings is not None and "config" in given:
        raise UsageError("settings and config cannot be used together")
    if "config" in given:
        settings = load_settings(Path(given["config"]))
    return settings_for(given, settings or Settings())
