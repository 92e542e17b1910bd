"""`groundtrace normalize`: traces to events documents and outcomes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from groundtrace.base.visible import in_columns, plural, visible
from groundtrace.cli import from_options
from groundtrace.cli.prepare import prepared_request, settings_of
from groundtrace.cli.terminal import (
    print_json,
    print_message,
    print_result,
    say_failures,
    say_left_out,
    say_unknown_tools,
)
from groundtrace.options import DryRun, Messages, Progress, Reading, Setup, Truth, Where, Work

if TYPE_CHECKING:
    from groundtrace.config import Settings
    from groundtrace.model import Trial
    from groundtrace.runs.tally import Normalized
    from groundtrace.truth import Registry


SHOWN_NOTES = 5
"""Problems of task definitions that are named; `-v` and `--json` give all."""


class Normalize(Truth, Reading, Work, Where, Setup, Progress, Messages, total=False):
    """Flags of this command."""

    dry_run: DryRun


@from_options.command("normalize", takes_runs=True)
def command(runs: str, **given: Unpack[Normalize]) -> int:
    """Turn every trial's trace into a retrieval-events document.

    RUNS is one run or a folder of runs. Writes `<config>/<task>.retrieval_events.json` and
    `outcomes.json` into the run's `retrieval_events` folder, and nothing anywhere else.

    \b
    Examples:
      groundtrace normalize runs/official --tasks benchmarks
      groundtrace normalize runs/official --tasks benchmarks --dry-run
      groundtrace normalize runs/official/my_run --tasks benchmarks --out results --only 'fix-*'
    """
    from groundtrace.runs.normalize import normalize

    if given["dry_run"]:
        return list_trials(runs, settings_of(given), given)
    with prepared_request("normalizing", runs, given, reads_traces=True) as request:
        done = normalize(request)
    if given["json"]:
        print_json(as_data(done))
    else:
        say_left_out(done, given)
        print_result(normalized_text(done, everything=given["verbose"]))
        say_unknown_tools(done.unknown_calls, done.uncounted_servers, quiet=given["quiet"])
    failed = [*done.failed, *done.unlisted]
    return say_failures(failed, quiet=given["quiet"], everything=given["verbose"])


def as_data(done: Normalized) -> dict[str, Any]:
    """The result for machines."""
    return {
        "written": done.written,
        "unchanged": done.unchanged,
        "superseded": done.superseded,
        "skipped": done.skipped,
        "without_task": done.without_task,
        "left_behind": done.left_behind,
        "pruned": done.pruned,
        "failed": done.failed,
        "task_problems": done.notes,
        "missing_traces": done.faults,
        "broken_records": done.broken,
        "outputs": {run.run_id: run.folder.url for run in done.outputs},
    }


def normalized_text(done: Normalized, *, everything: bool = False) -> str:
    """The result for people: one line, then what they should check."""
    shown = None if everything else SHOWN_NOTES
    lines = [
        f"{plural(done.written, 'document')} written, {done.unchanged} unchanged, "
        f"{plural(done.superseded, 'trial')} superseded, "
        f"{plural(done.skipped, 'folder or file', 'folders or files')} skipped"
    ]
    if (done.superseded or done.skipped) and not everything:
        lines[0] += "; -v says why"
    if done.without_task and not done.truth_given:
        lines.append(
            "no ground truth was given, so relevant files are unknown: use --tasks for task "
            "definitions, or --ground-truth for a registry"
        )
    elif done.without_task == done.written + done.unchanged and done.nearest_tasks:
        lines.append(
            f"none of {plural(done.without_task, 'trial')} has a task that --tasks defines: "
            f"{done.nearest_tasks[0]}"
        )
    elif done.without_task:
        lines.append(
            f"{plural(done.without_task, 'trial has', 'trials have')} no task definition, so no "
            "ground truth; --dry-run says which"
        )
    if done.left_behind:
        left = plural(done.left_behind, "document has", "documents have")
        lines.append(f"{left} no trial any more; --prune removes what is left behind")
    if done.pruned:
        lines.append(f"{plural(done.pruned, 'document')} without a trial removed")
    if done.left_runs:
        named = ", ".join(done.left_runs[:shown])
        rest = ", …" if len(done.left_runs) > SHOWN_NOTES and not everything else ""
        left = plural(len(done.left_runs), "run with results is", "runs with results are")
        lines.append(f"{left} no longer in RUNS and left out: {named}{rest}")
    lines += done.broken[:shown]
    if (more := len(done.broken[SHOWN_NOTES:])) and not everything:
        lines.append(f"and {plural(more, 'more record')} like this; -v lists all")
    lines += [f"no trial: {fault}" for fault in done.faults[:shown]]
    if (more := len(done.faults[SHOWN_NOTES:])) and not everything:
        lines.append(f"no trial: and {more:,} more; -v lists all")
    if any("no reader knows" in fault for fault in done.faults):
        from groundtrace.runs.normalize import MAPPING_HINT

        lines.append(MAPPING_HINT)
    lines += [f"task definitions: {note}" for note in done.notes[:shown]]
    if (more := len(done.notes[SHOWN_NOTES:])) and not everything:
        lines.append(f"task definitions: and {plural(more, 'more problem')}; -v lists all")
    # A name with a line end must not look like a line of ours.
    return "\n".join(map(visible, lines))


def list_trials(runs: str, settings: Settings, given: Mapping[str, Any]) -> int:
    """`--dry-run`: list what would be done, and write nothing."""
    from groundtrace.discover import Skipped, survey
    from groundtrace.errors import NothingFoundError
    from groundtrace.runs.normalize import nothing_found
    from groundtrace.runs.only import nothing_fits_in_runs, with_other_names
    from groundtrace.storage import open_place
    from groundtrace.truth import load_registry
    from groundtrace.truth.definitions import load_tasks

    tasks = load_tasks(given.get("tasks", ()))
    registry = load_registry(Path(given["ground_truth"])) if "ground_truth" in given else None
    only = with_other_names(given["only"], tasks) if "only" in given else None
    rows = list(survey(open_place(runs), settings=settings, tasks=tasks, only=only))
    if given["json"]:
        print_json([row.as_dict() for row in rows])
    else:
        headings = ["state", "run", "config", "task", "task found", "trial", "files", "why"]
        cells = (
            [
                row.state,
                row.run_id or "-",
                "-" if row.trial is None else row.trial.config_name,
                row.path if row.trial is None else row.trial.task_name,
                _task_found(row.trial, registry),
                "-" if row.trial is None else row.trial.trial_name,
                _names_of(() if row.trial is None else row.trial.files) or "-",
                row.reason or _named_by(row.trial),
            ]
            for row in rows
            if row.state != "layout"
        )
        print_result(in_columns(headings, cells))
        for row in rows:
            if row.state == "layout":
                print_message(f"the same as {row.reason}", quiet=given["quiet"])
    found = sum(row.state in {"selected", "superseded"} for row in rows)
    trials = plural(found, "trial")
    print_message(f"{trials}; nothing was written", quiet=given["quiet"] or given["json"])
    if not found:
        why = None
        if only is not None:
            why = nothing_fits_in_runs(only, open_place(runs), settings, tasks)
        if why is not None:
            raise NothingFoundError(f"{runs}: {why}")
        passed = [Skipped(r.path, None, r.reason or "") for r in rows if r.state == "skipped"]
        raise NothingFoundError(nothing_found(runs, passed))
    return 0


def _names_of(files: Iterable[str]) -> str:
    return " ".join(name.rpartition("/")[2] for name in files)


def _task_found(trial: Trial | None, registry: Registry | None) -> str:
    """Whether a definition or the registry knows the trial's task."""
    if trial is None:
        return "-"
    known = registry is not None and registry.task(trial.task_name, trial.benchmark) is not None
    return "yes" if trial.task is not None or known else "no"


_NAMES = {"task": "task_name", "config": "config_name", "run": "run_id"}
"""Names whose origin a dry run shows."""


def _named_by(trial: Trial | None) -> str:
    """Where the names of a trial without records come from; empty for a trial with records."""
    if trial is None or trial.loose is None:
        return ""
    return "; ".join(f"{name} by {trial.evidence[field]}" for name, field in _NAMES.items())
