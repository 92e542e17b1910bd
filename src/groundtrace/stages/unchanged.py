"""Runs of which nothing changed at all: told by listing them, without reading a record."""

from __future__ import annotations

from dataclasses import asdict
from itertools import chain
from typing import TYPE_CHECKING

from groundtrace.artifacts.output_folders import RunOutput
from groundtrace.artifacts.read import EVENTS_ENDING
from groundtrace.artifacts.state import (
    OUTPUT_FOLDERS,
    fingerprint,
    fingerprint_lines,
    is_current,
    load_state,
    marks_in,
)
from groundtrace.discover import Run
from groundtrace.documents import KINDS
from groundtrace.plan import Context, Fingerprints
from groundtrace.stages import Request
from groundtrace.stages.tasks import Tasks

if TYPE_CHECKING:
    from groundtrace.stages.normalize import Normalized

OUTCOMES = KINDS["outcomes"].file_name


def everywhere(request: Request, tasks: Tasks, context: Context, known: Fingerprints) -> str:
    """Fingerprint of what all runs share: settings, every task, the registry, what is asked for."""
    of_tasks = tasks.fingerprint(known)
    registry = asdict(context.registry) if context.registry is not None else None
    return fingerprint(known.context, of_tasks, registry, request.only, context.with_metrics)


def fingerprint_of(run: Run, shared: str) -> str | None:
    """Of a whole run, without looking into a file; None where links forbid it."""
    lines = run.folder.everything(OUTPUT_FOLDERS)
    if lines is None:
        return None
    return fingerprint_lines(chain((shared, run.run_id, run.path), lines))


def is_unchanged(output: RunOutput, seen: str | None, request: Request, done: Normalized) -> bool:
    """Whether nothing is to be done for a run: the same inputs, the same results still there.

    Then its records are not even read, which is most of the time of a run without changes.
    """
    if seen is None or request.force or request.prune:
        return False
    state = load_state(output.folder)
    if state.run is None or state.run.fingerprint != seen:
        return False
    marks = marks_in(output.folder)
    if not is_current(state, marks, OUTCOMES, "") or any(
        made.rpartition(" ")[2] != marks.get(path) for path, made in state.documents.items()
    ):
        return False
    documents = sum(path.endswith(EVENTS_ENDING) for path in marks)
    done.outputs.append(output)
    done.unchanged += len(state.documents)
    done.left_behind += documents - len(state.documents)
    done.superseded += state.run.superseded
    done.skipped += state.run.skipped
    done.without_task += state.run.without_task
    done.noted |= state.run.noted
    return True
