"""What every stage saw of one trial, as plain data, for `explain`.

A user can follow a surprising number back: from the metric's arithmetic to the ranking, from the
ranking to a call, and by the call's id to the raw trace.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import UNSET

from groundtrace.base.frozen import Frozen
from groundtrace.discover import discover, select
from groundtrace.discover.found import fits, sorted_found
from groundtrace.discover.select import first_call
from groundtrace.documents.events import Access, Event
from groundtrace.documents.functions import FunctionLines
from groundtrace.documents.metrics import MetricsDocument
from groundtrace.metrics.catalogue import METRICS, OUTCOMES, Calculations
from groundtrace.metrics.evidence import RETRIEVED, SHOWN, EvidenceView
from groundtrace.metrics.looked_at import looked_at
from groundtrace.model import CallView, Outcome, Problem, Task, ToolCall, Trial
from groundtrace.redact import mask
from groundtrace.runs.trial_results import TrialReading
from groundtrace.storage import Place

if TYPE_CHECKING:
    from groundtrace.config import Settings
    from groundtrace.truth.tasks import TaskIndex


def explain(reading: TrialReading, metrics: MetricsDocument) -> dict[str, Any]:
    """Identity, trace, ground truth, calls, ranking and metrics of one trial."""
    listed = reading.document.functions
    functions = [] if listed is UNSET else listed.listed
    return {
        "identity": _identity(reading),
        "trace": _trace(reading),
        "ground_truth": _ground_truth(reading),
        "calls": [
            _call(event, call, view, functions)
            for event, call, view in zip(
                reading.document.events, reading.trace.calls, reading.views, strict=True
            )
        ],
        "ranking": _ranking(reading),
        "metrics": _metrics(reading, metrics),
        "looked_at": msgspec.to_builtins(looked_at(reading.document)),
        "outcome": msgspec.to_builtins(reading.trial.outcome),
        "outcome_sources": _outcome_sources(reading.trial.outcome),
        "problems": [_problem(problem) for problem in reading.problems],
    }


def _identity(reading: TrialReading) -> dict[str, Any]:
    """Each field of identity with where it came from."""
    named = msgspec.to_builtins(reading.document.provenance) | {
        "harness": reading.trial.harness,
        "harness_version": reading.trial.harness_version,
        "task definition": _definition(reading.trial.task),
    }
    named.pop("repo_roots", None)
    evidence = reading.trial.evidence
    return {
        name: {"value": value, "evidence": evidence.get(name, "")} for name, value in named.items()
    }


def _definition(task: Task | None) -> str | None:
    """Where a task is defined: its folder, or the row of a data set."""
    if task is None:
        return None
    if task.row is not None:
        return f"{task.row.file}, row {task.row.number}"
    return task.folder.url if task.folder is not None else None


def _trace(reading: TrialReading) -> dict[str, Any]:
    trace = reading.trace
    calls = trace.calls
    return {
        "source": trace.source,
        "evidence": list(trace.evidence),
        "cwd": trace.cwd,
        "repo_roots": msgspec.to_builtins(reading.document.provenance).get("repo_roots", []),
        "unmatched_suffixes": reading.document.coverage.unmatched_suffixes or 0,
        "mcp_servers": list(trace.mcp_servers),
        "calls": len(calls),
        "subagent_calls": sum(call.is_subagent for call in calls),
        "without_result": sum(call.result is None for call in calls),
        "degraded_reason": reading.document.coverage.degraded_reason,
    }


def _ground_truth(reading: TrialReading) -> dict[str, Any]:
    section = msgspec.to_builtins(reading.document.ground_truth)
    coverage = reading.document.coverage
    return {
        "source": coverage.ground_truth_source,
        "confidence": coverage.ground_truth_confidence,
        **section,
    }


def _call(
    event: Event, call: ToolCall, view: CallView, functions: Sequence[FunctionLines]
) -> dict[str, Any]:
    accesses = event.accesses if event.accesses is not UNSET else []
    result = call.result
    return {
        "step": event.step_index,
        "call_id": call.call_id,
        "step_id": call.step_id,
        "tool": event.tool_name,
        "known_as": view.tool,
        "category": event.tool_category,
        "is_mcp": event.is_mcp,
        "is_subagent": event.is_subagent,
        "failed": None if result is None else view.failed,
        "arguments": event.arguments,
        "accesses": [_access(access, functions) for access in accesses],
        "why": sorted({ref.rule for ref in view.refs if ref.rule}),
        "result_characters": None if result is None else len(result.text),
        "problems": [_problem(problem) for problem in view.problems],
    }


def _access(access: Access, functions: Sequence[FunctionLines]) -> dict[str, Any]:
    """An access with the names of the functions that it showed."""
    data: dict[str, Any] = msgspec.to_builtins(access)
    if access.functions is not UNSET:
        data["functions"] = [functions[at].function for at in access.functions]
    return data


def _outcome_sources(outcome: Outcome) -> dict[str, str | None]:
    """Where each outcome was found, or why there is none."""
    sources: dict[str, str | None] = {}
    for name, record in OUTCOMES.items():
        if getattr(outcome, name) is None:
            reason = getattr(outcome, record.reason_field) if record.reason_field else None
            sources[name] = reason or record.absent_reason
            continue
        stated = getattr(outcome, record.source_field) if record.source_field else None
        sources[name] = stated or outcome.found_in.get(name)
    return sources


COUNTED_FROM = {
    "file_level_metrics": "ranking, retrieved",
    "file_level_metrics_shown": "ranking, shown",
    "chunk_level_metrics": "lines in calls",
    "line_level_metrics": "lines in calls",
    "function_level_metrics": "functions in calls and patches",
    "context_metrics": "text in calls",
    "utilization_probes": "reads and writes in calls",
    "discovery": "first calls that met or showed a file",
    "subagent_metrics": "calls of subagents",
    "judged_metrics": "ranking, retrieved",
    "patch_metrics": "files handed in, and files shown",
    "funnel": "accesses to relevant files, in order",
    "published_metrics": "files handed in and lines in calls",
}
"""Section of the metrics document to the part of the explanation that its numbers come from."""


def _ranking(reading: TrialReading) -> dict[str, Any]:
    """The files in the order that the metrics use, with the ground-truth entry of each hit."""
    evidence = EvidenceView(reading.document)
    truth = reading.document.ground_truth.files
    found: dict[str, Any] = {}
    for name, kinds in (("retrieved", RETRIEVED), ("shown", SHOWN)):
        ranked = evidence.first(kinds)
        found[name] = [
            {
                "rank": rank,
                "file": touch.file,
                "ground_truth_file": touch.truth,
                "step": touch.event.step_index,
                "kind": touch.kind,
            }
            for rank, touch in enumerate(ranked, 1)
        ]
        hit = {touch.truth for touch in ranked if touch.truth is not None}
        found[f"missed_{name}"] = [entry for entry in truth if entry not in hit]
    return found


def _metrics(reading: TrialReading, metrics: MetricsDocument) -> list[dict[str, Any]]:
    calculations = Calculations(EvidenceView(reading.document))
    rows = []
    for name, metric in METRICS.items():
        value = metric.getter(metrics)
        rows.append(
            {
                "metric": name,
                "value": value,
                "undefined": None if value is not None else metric.why_undefined(metrics),
                "arithmetic": None if value is None else calculations.of(name),
                "counted_from": COUNTED_FROM.get(metric.section, "calls"),
                "measures": metric.measures,
                "formula": metric.formula,
                "better": metric.better,
            }
        )
    return rows


def _problem(problem: Problem) -> str:
    return mask(str(problem))


# finding the trial: by its folder, its trace, or its task's name


class Picked(Frozen, frozen=True):
    """A trial below RUNS."""

    trial: Trial
    counts: bool
    """Whether it is the trial of its task and configuration that counts."""
    problems: tuple[Problem, ...]

    def as_data(self) -> dict[str, Any]:
        """What a list of trials shows."""
        return {
            "task_name": self.trial.task_name,
            "config_name": self.trial.config_name,
            "run_id": self.trial.run_id,
            "trial_name": self.trial.trial_name,
            "counts": self.counts,
            "reward": self.trial.outcome.reward,
            "trial": trial_argument(self.trial),
        }


def trial_argument(trial: Trial) -> str:
    """What `explain` takes for this trial: its folder, its file, or FILE#ID."""
    if trial.loose is None:
        return trial.folder.url
    file = f"{trial.folder.url}/{trial.loose.file}"
    return file if trial.loose.sample is None else f"{file}#{trial.loose.sample}"


def pick(
    runs: Place,
    settings: Settings,
    tasks: TaskIndex | None,
    *,
    task: str | None = None,
    config: str | None = None,
) -> list[Picked]:
    """Trials below RUNS with this task (by any of its names, or the trial's) and configuration.

    Both may be patterns; upper and lower case are the same. Trials that count come first.
    """
    trials, problems, _ = sorted_found(discover(runs, settings=settings, tasks=tasks))
    select_run = partial(select, which=settings.trials, read=partial(first_call, settings=settings))
    by_run: dict[str, list[Trial]] = {}
    for trial in trials:
        by_run.setdefault(trial.run_id, []).append(trial)
    counting = {t.path for of_run in by_run.values() for t in select_run(of_run).selected}
    found = [
        Picked(trial, trial.path in counting, tuple(problems.get(trial.path, ())))
        for trial in trials
        if task is None or any(fits(name, task) for name in _names(trial))
        if config is None or fits(trial.config_name, config)
    ]
    return sorted(found, key=lambda one: (not one.counts, one.trial.task_name, one.trial.path))


def the_one(found: Sequence[Picked]) -> Picked | None:
    """The trial that the user means: the only one that counts, or the only one found."""
    counting = [one for one in found if one.counts]
    if len(counting) == 1:
        return counting[0]
    return found[0] if len(found) == 1 else None


def _names(trial: Trial) -> tuple[str, ...]:
    return (trial.task_name, trial.trial_name, *(trial.task.aliases if trial.task else ()))
