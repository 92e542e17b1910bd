"""The Python API: one trial, or many documents, without the command line.

Everything in `groundtrace.__all__` is stable; the rest of the package is not.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from groundtrace.artifacts.clock import now
from groundtrace.artifacts.documents.events import EventsDocument
from groundtrace.artifacts.documents.metrics import MetricsDocument
from groundtrace.config import Settings
from groundtrace.discover import trial_at
from groundtrace.errors import InputError
from groundtrace.metrics import evaluate
from groundtrace.pipeline import TrialReading, read_trial
from groundtrace.plan import Context
from groundtrace.storage import open_folder
from groundtrace.truth import load_registry
from groundtrace.truth.tasks import build_index


@dataclass(frozen=True, slots=True)
class Evaluation:
    """One trial, evaluated."""

    reading: TrialReading
    """What every stage saw."""
    metrics: MetricsDocument

    @property
    def events(self) -> EventsDocument:
        """Its events document."""
        return self.reading.document


def evaluate_trial(
    trial: str | os.PathLike[str],
    *,
    tasks: str | os.PathLike[str] | None = None,
    ground_truth: str | os.PathLike[str] | None = None,
    settings: Settings | None = None,
) -> Evaluation:
    """Read and evaluate one trial folder; writes nothing.

    Raises InputError when the folder holds no trial.
    """
    folder = open_folder(trial)
    index = None if tasks is None else build_index(open_folder(tasks))
    above = [part for part in Path(trial).resolve().parent.parts if part not in {"/", "\\"}]
    found, problems = trial_at(folder, above, index)
    if found is None:
        raise InputError(f"{trial}: holds no trial (no result.json, config.json or trace in it)")
    registry = None if ground_truth is None else load_registry(Path(ground_truth))
    context = Context(settings or Settings(), registry, now(), with_metrics=True)
    reading = read_trial(found, context, problems)
    return Evaluation(reading, evaluate(reading.document, generated_at=context.generated_at))
