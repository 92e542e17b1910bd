"""The Python API: one trial, or many documents, without the command line.

Everything in `groundtrace.__all__` is stable; the rest of the package is not.

    >>> import groundtrace
    >>> sorted(groundtrace.__all__)[:2]
    ['Evaluation', 'GroundtraceError']
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any, ClassVar

from groundtrace.artifacts.clock import now
from groundtrace.artifacts.file_names import SUMMARY
from groundtrace.artifacts.output_folders import OutputFolders
from groundtrace.artifacts.read import Stored, read_one
from groundtrace.config import Settings
from groundtrace.discover import trial_at
from groundtrace.documents.events import EventsDocument
from groundtrace.documents.metrics import MetricsDocument
from groundtrace.documents.summary import RunSummaryDocument
from groundtrace.errors import InputError, UsageError
from groundtrace.metrics import evaluate
from groundtrace.metrics.catalogue import METRICS
from groundtrace.model import ReadResult
from groundtrace.pipeline import TrialReading, read_trial
from groundtrace.plan import Context
from groundtrace.rows.detail import Detail
from groundtrace.storage import open_folder
from groundtrace.traces import read_trace as read_trace_of
from groundtrace.truth import load_registry
from groundtrace.truth.tasks import build_index

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
    """The tool calls of a trial folder, in order, and the problems met while reading them."""
    return read_trace_of(open_folder(trial))


def evaluate_trial(
    trial: Location,
    *,
    tasks: Location | None = None,
    ground_truth: Location | None = None,
    settings: Settings | None = None,
) -> Evaluation:
    """Read and evaluate one trial folder; writes nothing.

    Raises InputError when the folder holds no trial.
    """
    folder = open_folder(trial)
    index = None if tasks is None else build_index(open_folder(tasks))
    found, problems = trial_at(folder, _above(str(trial)), index)
    if found is None:
        raise InputError(f"{trial}: holds no trial (no result.json, config.json or trace in it)")
    registry = None if ground_truth is None else load_registry(Path(ground_truth))
    context = Context(settings or Settings(), registry, now(), with_metrics=True)
    reading = read_trial(found, context, problems)
    return Evaluation(reading, evaluate(reading.document, generated_at=context.generated_at))


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
    stored: Stored[RunSummaryDocument] = read_one(folder, SUMMARY, "run_retrieval_summary")
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
