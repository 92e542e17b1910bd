"""What the Python API returns: objects that show themselves in a terminal and in a notebook."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Any, ClassVar

from groundtrace.base.suggest import unknown_name
from groundtrace.discover.found import fits
from groundtrace.documents.events import EventsDocument
from groundtrace.documents.impact import ImpactDocument
from groundtrace.documents.metrics import MetricsDocument
from groundtrace.documents.summary import RunSummaryDocument
from groundtrace.errors import GroundtraceError, UsageError, install_command
from groundtrace.metrics.catalogue import METRICS
from groundtrace.report import formats
from groundtrace.report.answer_text import analysis_text, render_html
from groundtrace.report.wording import reason
from groundtrace.rows.trial_row import Detail, TrialRow
from groundtrace.runs.evaluated_trials import evaluated_trials
from groundtrace.runs.output_folders import OutputFolders
from groundtrace.runs.trial_results import TrialReading
from groundtrace.tables.analysis import analysis_dicts
from groundtrace.tables.flat_rows import wide_rows


@dataclass(frozen=True, slots=True)
class Evaluation:
    """One trial, evaluated."""

    reading: TrialReading = field(repr=False)
    """What every stage saw: trial, trace, views of its calls, ground truth, problems. It is not
    printed with the evaluation: the trace has credentials as they are."""
    metrics: MetricsDocument
    """Its metrics document."""

    @property
    def events(self) -> EventsDocument:
        """Its events document."""
        return self.reading.document

    def rows(self) -> list[dict[str, Any]]:
        """One row per metric: its value or why it has none, with the trial's reward and cost."""
        outcome = self.reading.trial.outcome
        found = []
        for name, metric in METRICS.items():
            value = metric.getter(self.metrics)
            found.append(
                {
                    "metric": name,
                    "value": value,
                    "undefined": None if value is not None else metric.why_undefined(self.metrics),
                    "reward": outcome.reward,
                    "cost_usd": outcome.cost_usd,
                }
            )
        return found

    def _repr_html_(self) -> str:
        where = self.events.provenance
        title = f"{where.task_name}, {where.config_name}"
        cells = [
            [row["metric"], _value(row["metric"], row["value"], row["undefined"])]
            for row in self.rows()
        ]
        return _html_table(title, ["metric", "value"], cells)


@dataclass(frozen=True, slots=True)
class Summary:
    """A run summary; a terminal and a notebook show it as a table."""

    document: RunSummaryDocument
    """The document itself."""

    COLUMNS: ClassVar[tuple[str, ...]] = METRICS.names_in("api_summary")
    """Metrics that it shows."""
    OUTCOMES: ClassVar[tuple[str, ...]] = ("reward", "cost_usd")
    """Outcomes that its rows also have."""

    def rows(self) -> list[dict[str, Any]]:
        """One row per configuration: means over the tasks that have the value, and their n."""
        rows = []
        for config, group in self.document.by_config.items():
            row: dict[str, Any] = {
                "config_name": config,
                "trials": group.trials,
                "computable": group.computable,
                "hit_rate": group.first_hit.hit_rate,
            }
            for name in (*self.COLUMNS, *self.OUTCOMES):
                distribution = group.value(name)
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
        body = []
        for row in self.rows():
            cells = [row["config_name"], f"{row['computable']} of {row['trials']}"]
            cells += [f"{_shown(row[name])} (n={row[f'{name} n']})" for name in self.COLUMNS]
            cells.append(_shown(row["hit_rate"]))
            body.append(cells)
        return _html_table("", heads, body)


class ShownAnswer:
    """The answer of an analysis: prints as in the terminal, and has the fields of the document's
    `answer` (`headline`, `rows`, `look_at`, …)."""

    def __init__(self, document: ImpactDocument) -> None:
        self._document = document

    def __getattr__(self, name: str) -> Any:
        return getattr(self._document.answer, name)

    def __str__(self) -> str:
        return analysis_text(self._document)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return Impact(self._document)._repr_html_()


@dataclass(frozen=True, slots=True, repr=False)
class Impact:
    """An impact analysis: the answer, comparisons of configurations, correlations."""

    document: ImpactDocument
    """The document itself."""

    @property
    def answer(self) -> ShownAnswer:
        """What a reader needs to know to decide between two configurations."""
        return ShownAnswer(self.document)

    def comparisons(self) -> list[dict[str, Any]]:
        """One row per comparison and metric, as in the table `comparisons`."""
        return list(analysis_dicts("comparisons", self.document))

    def finders(self) -> list[dict[str, Any]]:
        """One row per comparison and tool, server or agent, as in the table `finders`."""
        return list(analysis_dicts("finders", self.document))

    def correlations(self) -> list[dict[str, Any]]:
        """One row per metric, outcome and scope, as in the table `correlations`."""
        return list(analysis_dicts("correlations", self.document))

    def __str__(self) -> str:
        return analysis_text(self.document)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return render_html(self.document)


@dataclass(frozen=True, slots=True, repr=False)
class RunResult:
    """What `run` did."""

    summary: Summary | None
    """Of the run, or over all runs; None if every trial failed."""
    impact: Impact | None
    """The analysis over all of RUNS; None if every trial failed."""
    failed: tuple[str, ...] = ()
    """Trials and documents that could not be processed, with the reason."""
    reports: tuple[str, ...] = ()
    """Reports that are on disk now; those over all runs last."""
    folders: OutputFolders | None = None
    """Where the documents are."""
    explainer: Callable[[OutputFolders, TrialRow], str] | None = None
    """Reads the trace of a trial again and says how its numbers were computed."""

    @property
    def answer(self) -> ShownAnswer | None:
        """The answer; prints as in the terminal. None if every trial failed."""
        return None if self.impact is None else self.impact.answer

    def rows(self) -> list[dict[str, Any]]:
        """One row per trial: identity, reward, cost, time and every metric; see `load_trials`."""
        if self.folders is None or self.summary is None:
            return []
        return list(wide_rows(evaluated_trials(self.folders)))

    def to_pandas(self) -> Any:
        """The rows as a DataFrame of pandas."""
        return _library("pandas").DataFrame(self.rows())

    def to_polars(self) -> Any:
        """The rows as a DataFrame of polars."""
        return _library("polars").DataFrame(self.rows(), infer_schema_length=None)

    def trial(self, task: str, config: str | None = None) -> Detail:
        """One evaluated trial with its documents, by task and configuration; both may be patterns.

        Raises UsageError if none fits, or if several do.
        """
        found = [
            one
            for one in evaluated_trials(self._folders)
            if fits(one.row.task_name, task) or fits(one.row.trial_name, task)
            if config is None or fits(one.row.config_name, config)
        ]
        if len(found) == 1:
            return found[0]
        named = ", ".join(f"{one.row.task_name} ({one.row.config_name})" for one in found[:5])
        if found:
            raise UsageError(f"{task!r}: {len(found)} trials fit, such as {named}; add config=")
        known = [one.row.task_name for one in evaluated_trials(self._folders)]
        raise UsageError(unknown_name("task", task, known, listed=False))

    def explain(self, task: str, config: str | None = None) -> str:
        """How the numbers of one trial were computed, as `groundtrace explain` prints it."""
        if self.explainer is None:
            raise UsageError("this result does not know where its traces are")
        return self.explainer(self._folders, self.trial(task, config).row)

    def sql(self, query: str) -> list[dict[str, Any]]:
        """The rows that a query over the flat tables gives; see `groundtrace sql`."""
        from groundtrace.runs.impact import stored_analysis
        from groundtrace.tables.query import run_query

        analysis = stored_analysis(self._folders)
        found = run_query(query, evaluated_trials(self._folders), analysis)
        return [dict(zip(found.columns, row, strict=True)) for row in found.rows]

    @property
    def _folders(self) -> OutputFolders:
        if self.folders is None:
            raise UsageError("there are no results: no trial could be evaluated")
        return self.folders

    def __str__(self) -> str:
        lines = [str(self.impact)] if self.impact is not None else []
        lines += [f"failed: {line}" for line in self.failed]
        lines += [f"report: {path}" for path in self.reports]
        return "\n".join(lines)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        shown = [part._repr_html_() for part in (self.impact, self.summary) if part is not None]
        if self.failed:
            shown.append(_html_table("failed", [], [[line] for line in self.failed]))
        return "".join(shown)


def _library(name: str) -> Any:
    """A library of data frames; raises GroundtraceError with the command that installs it."""
    import importlib

    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise GroundtraceError(f"{name} is not installed: {install_command(name)}") from error


def _html_table(title: str, heads: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A plain HTML table. All texts are escaped: they come from files that anybody can write."""
    caption = f"<caption>{escape(title)}</caption>" if title else ""
    head = "".join(f"<th>{escape(name)}</th>" for name in heads)
    body = "".join(
        "<tr>" + "".join(f"<td>{escape(str(cell))}</td>" for cell in row) + "</tr>" for row in rows
    )
    above = f"<thead><tr>{head}</tr></thead>" if head else ""
    return f"<table>{caption}{above}<tbody>{body}</tbody></table>"


def _value(name: str, value: float | None, why: str | None) -> str:
    return formats.value(name, value) if value is not None else f"– ({reason(why or '')})"


def _shown(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"
