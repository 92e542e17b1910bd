"""The Python API: one trial, or many documents, without the command line.

Everything in `groundtrace.__all__` is stable; the rest of the package is not.

    >>> import groundtrace
    >>> sorted(groundtrace.__all__)[:2]
    ['Evaluation', 'GroundtraceError']
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from groundtrace.artifacts.clock import now
from groundtrace.artifacts.file_names import SUMMARY
from groundtrace.artifacts.output_folders import OutputFolders
from groundtrace.artifacts.read import StoredDocument, read_one
from groundtrace.config import Settings
from groundtrace.discover import FoundProblem, discover, trial_at
from groundtrace.documents.events import EventsDocument
from groundtrace.documents.metrics import MetricsDocument
from groundtrace.documents.summary import RunSummaryDocument
from groundtrace.errors import InputError, UsageError
from groundtrace.metrics import evaluate
from groundtrace.metrics.catalogue import METRICS
from groundtrace.model import Problem, ReadResult, Trial
from groundtrace.pipeline import read_trial
from groundtrace.plan import Context
from groundtrace.rows.detail import Detail
from groundtrace.storage import Place, open_folder, place_at
from groundtrace.suggest import unknown_name
from groundtrace.tools import check_tools
from groundtrace.traces import read_trace as read_trace_of
from groundtrace.traces.loose import read_loose
from groundtrace.trial_results import TrialReading
from groundtrace.truth import load_registry
from groundtrace.truth.definitions import load_tasks

if TYPE_CHECKING:
    from groundtrace.truth.tasks import TaskIndex

Location = str | os.PathLike[str]
"""A path, or the URL of an object store."""


@dataclass(frozen=True, slots=True)
class Evaluation:
    """One trial, evaluated."""

    reading: TrialReading
    """What every stage saw: trial, trace, views of its calls, ground truth, problems."""
    metrics: MetricsDocument
    """Its metrics document."""

    @property
    def events(self) -> EventsDocument:
        """Its events document."""
        return self.reading.document


def read_trace(trial: Location) -> ReadResult:
    """The tool calls of a trial, in order, and the problems met while reading them.

    `trial` is a trial's folder, a trace file, or `FILE#id`.
    """
    file, sample = _trace_file(os.fspath(trial))
    if file is not None and file.file is not None:
        return read_loose(file.folder, file.file, sample)
    return read_trace_of(open_folder(trial))


def evaluate_trial(
    trial: Location,
    *,
    tasks: Location | Sequence[Location] | None = None,
    ground_truth: Location | None = None,
    settings: Settings | None = None,
) -> Evaluation:
    """Read and evaluate one trial; writes nothing.

    `trial` is a trial's folder, a trace file, or `FILE#id` for one sample of a file. `tasks` is a
    folder or a data set, or several of them. Raises InputError when there is no such trial.
    """
    settings = settings or Settings()
    if settings.tools or settings.shell_commands:
        check_tools(settings)
    index = load_tasks(_locations(tasks))
    file, sample = _trace_file(str(trial))
    problems: tuple[Problem, ...]
    if file is not None:
        found, problems = _loose_trial(file, sample, settings, index)
    else:
        maybe, problems = trial_at(open_folder(trial), _above(str(trial)), index)
        if maybe is None:
            raise InputError(f"{trial}: no trial in it (no result.json, config.json or trace)")
        found = maybe
    return evaluate_found(found, problems, ground_truth=ground_truth, settings=settings)


def evaluate_found(
    trial: Trial,
    problems: tuple[Problem, ...],
    *,
    ground_truth: Location | None,
    settings: Settings,
) -> Evaluation:
    """Read and evaluate a trial that discovery found; not part of the stable API."""
    registry = None if ground_truth is None else load_registry(Path(ground_truth))
    context = Context(settings, registry, now(), with_metrics=True)
    reading = read_trial(trial, context, problems)
    return Evaluation(reading, evaluate(reading.document, generated_at=context.generated_at))


def _locations(tasks: Location | Sequence[Location] | None) -> list[str]:
    if tasks is None:
        return []
    given = [tasks] if isinstance(tasks, str | os.PathLike) else tasks
    return [os.fspath(location) for location in given]


def _trace_file(trial: str) -> tuple[Place | None, str | None]:
    """The trace file that a user named, and the sample behind `#`; nothing for a folder."""
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
    """The trial in a trace file; raises InputError where it is not one."""
    problems: dict[str, list[Problem]] = {}
    trials: list[Trial] = []
    passed: list[str] = []
    for item in discover(file, settings=settings, tasks=tasks):
        if isinstance(item, Trial):
            trials.append(item)
        elif isinstance(item, FoundProblem):
            problems.setdefault(item.path, []).append(item.problem)
        else:
            passed.append(item.reason)
    where = f"{file.folder.url}/{file.file}"
    if not trials:
        told = [str(problem) for group in problems.values() for problem in group]
        raise InputError(f"{where}: no trace in it ({'; '.join([*passed, *told]) or 'no sample'})")
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


def iterate_documents(runs: Location, *, out: Location | None = None) -> Iterator[Detail]:
    """Every evaluated trial below RUNS with its documents, one at a time.

    `out` is what `--out` was when they were written.
    """
    from groundtrace.stages.evaluated_trials import evaluated_trials

    return evaluated_trials(_output_folders(runs, out))


def load_table(
    name: str, runs: Location, *, out: Location | None = None
) -> Iterator[dict[str, Any]]:
    """The rows of a flat table as dictionaries, which pandas and polars take as they are."""
    from groundtrace.tables.columns import TABLES
    from groundtrace.tables.flat_rows import flat_dicts

    if name not in TABLES:
        raise UsageError(f"no table {name!r}; there are {', '.join(TABLES)}")
    return flat_dicts(name, iterate_documents(runs, out=out))


def load_metrics(runs: Location, *, out: Location | None = None) -> list[dict[str, Any]]:
    """Metrics in long form: one row a trial and metric, with value or the reason for none."""
    return list(load_table("metrics", runs, out=out))


def load_summary(runs: Location, *, out: Location | None = None) -> Summary:
    """The summary of RUNS: over all runs, or of the single run that it is."""
    folders = _output_folders(runs, out)
    outputs, single = folders.existing()
    folder = outputs[0].folder if single else folders.aggregate()
    stored: StoredDocument[RunSummaryDocument] = read_one(folder, SUMMARY, "run_retrieval_summary")
    if stored.document is None:
        reason = stored.problem.reason if stored.problem is not None else "missing"
        raise InputError(f"{folder.url}/{SUMMARY}: {reason}; run 'groundtrace evaluate'")
    return Summary(stored.document)


def _output_folders(runs: Location, out: Location | None) -> OutputFolders:
    return OutputFolders(os.fspath(runs), None if out is None else os.fspath(out))


@dataclass(frozen=True, slots=True)
class Summary:
    """A run summary that shows itself as a table, in a terminal and in a notebook."""

    document: RunSummaryDocument

    COLUMNS: ClassVar[tuple[str, ...]] = METRICS.names_in("api_summary")
    """Metrics that it shows."""

    def rows(self) -> list[dict[str, Any]]:
        """One row a configuration: means over the tasks that have the value, and their n."""
        rows = []
        for config, group in self.document.by_config.items():
            row: dict[str, Any] = {
                "config_name": config,
                "trials": group.trials,
                "computable": group.computable,
                "hit_rate": group.first_hit.hit_rate,
            }
            for name in self.COLUMNS:
                distribution = group.metrics.get(name)
                row[name] = None if distribution is None else distribution.mean
                row[f"{name} n"] = 0 if distribution is None else distribution.n
            rows.append(row)
        return rows

    def __str__(self) -> str:
        lines = [f"groundtrace summary of {self.document.scope}"]
        for row in self.rows():
            cells = ", ".join(f"{name} {_shown(row[name])}" for name in self.COLUMNS)
            lines.append(f"{row['config_name']} ({row['computable']} of {row['trials']}): {cells}")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        heads = ["config", "computable", *self.COLUMNS, "hit rate"]
        head = "".join(f"<th>{escape(name)}</th>" for name in heads)
        body = []
        for row in self.rows():
            cells = [row["config_name"], f"{row['computable']} of {row['trials']}"]
            cells += [f"{_shown(row[name])} (n={row[f'{name} n']})" for name in self.COLUMNS]
            cells.append(_shown(row["hit_rate"]))
            body.append("".join(f"<td>{escape(str(cell))}</td>" for cell in cells))
        rows = "".join(f"<tr>{cells}</tr>" for cells in body)
        return f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"


def _shown(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"
