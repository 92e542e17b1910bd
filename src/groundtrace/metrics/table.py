"""Every metric declared once: documents, reports, documentation and messages are made from it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from groundtrace.documents.metrics import FileLevelMetrics, MetricsDocument
from groundtrace.documents.outcomes import TrialOutcome
from groundtrace.metrics.declared import (
    CHUNK_LEVEL,
    FILE_LEVEL,
    UTILIZATION,
    Better,
    Declared,
    Worked,
)

SHOWN_PREFIX = "shown."


@dataclass(frozen=True, slots=True)
class MetricInfo:
    """One metric: `name` is the column, the heading, the argument and the key at once."""

    name: str
    section: str
    """Section of the metrics document that holds it."""
    field: str
    """Field of the section."""
    cutoff: int | None
    """K, for metrics over the first K files."""
    title: str
    measures: str
    upper: float | None
    """Upper end of the range, which begins at 0; None when it has none."""
    unit: str
    better: Better
    undefined: str
    """When it has no value, in words, with the reason codes that summaries count."""
    known_problems: str
    formula: str
    reference: str
    example: Worked
    """The calculation on `groundtrace.metrics.example` in words, and its result."""
    getter: Callable[[MetricsDocument], float | None]
    """The value in a metrics document; None when it is undefined."""
    why_undefined: Callable[[MetricsDocument], str]
    """Reason code for a document in which it is undefined."""
    needs_hit: bool
    """It has no value where no relevant file was met: a mean needs the hit rate beside it (D21)."""

    @property
    def range_text(self) -> str:
        """Range and direction in words."""
        unit = f" {self.unit}" if self.unit else ""
        end = f"up{unit}" if self.upper is None else f"to {self.upper:g}{unit}"
        return f"0 {end}; {self.better} is better"


@dataclass(frozen=True, slots=True)
class OutcomeInfo:
    """What became of a trial, with its direction (D35)."""

    name: str
    title: str
    measures: str
    unit: str
    better: Better
    undefined: str
    getter: Callable[[TrialOutcome], float | None]


def _file_level(document: MetricsDocument, section: str) -> FileLevelMetrics:
    value: FileLevelMetrics = getattr(document, section)
    return value


def _file_metric(
    name: str, declared: Declared, section: str, cutoff: str, example: Worked
) -> MetricInfo:
    def get(document: MetricsDocument) -> float | None:
        value = getattr(_file_level(document, section), declared.field)
        if cutoff and value is not None:
            value = value.get(cutoff)
        return None if value is None else float(value)

    def why(document: MetricsDocument) -> str:
        found = _file_level(document, section)
        if not found.computable:
            return found.reason or "not_computable"
        if declared.needs_hit and found.first_gt_hit_step is None:
            return "never_hit"
        return declared.missing or "missing"

    shown = section.endswith("_shown")
    title = declared.title + (f"@{cutoff}" if cutoff else "") + (" (shown)" if shown else "")
    measures = (
        declared.measures.replace("first K", f"first {cutoff}") if cutoff else declared.measures
    )
    if shown:
        measures += " Over files whose content was shown."
    return _info(
        SHOWN_PREFIX + name if shown else name,
        declared,
        section=section,
        title=title,
        measures=measures,
        cutoff=int(cutoff) if cutoff else None,
        example=example,
        getter=get,
        why=why,
    )


def _probe(name: str, declared: Declared) -> MetricInfo:
    def get(document: MetricsDocument) -> float | None:
        value: float | None = getattr(document.utilization_probes, declared.field)
        return value

    def why(document: MetricsDocument) -> str:
        probes = document.utilization_probes
        if declared.field == "util_write_overlap_with_expected_edit_files":
            return probes.expected_edit_probe_reason or "missing"
        if not probes.probe_available:
            return probes.reason or "not_computable"
        return declared.missing or "missing"

    return _info(
        name,
        declared,
        section="utilization_probes",
        example=declared.worked[""],
        getter=get,
        why=why,
    )


def _chunk_metric(name: str, declared: Declared) -> MetricInfo:
    return _info(
        name,
        declared,
        section="chunk_level_metrics",
        example=declared.worked[""],
        getter=lambda document: document.chunk_level_metrics.chunk_recall,
        why=lambda document: document.chunk_level_metrics.reason or "missing",
    )


def _info(
    name: str,
    declared: Declared,
    *,
    section: str,
    example: Worked,
    getter: Callable[[MetricsDocument], float | None],
    why: Callable[[MetricsDocument], str],
    title: str = "",
    measures: str = "",
    cutoff: int | None = None,
) -> MetricInfo:
    return MetricInfo(
        name=name,
        section=section,
        field=declared.field,
        cutoff=cutoff,
        title=title or declared.title,
        measures=measures or declared.measures,
        upper=declared.upper,
        unit=declared.unit,
        better=declared.better,
        undefined=declared.undefined,
        known_problems=declared.known_problems,
        formula=declared.formula,
        reference=declared.reference,
        example=example,
        getter=getter,
        why_undefined=why,
        needs_hit=declared.needs_hit,
    )


def _all() -> Iterator[MetricInfo]:
    for section in ("file_level_metrics", "file_level_metrics_shown"):
        for family, declared in FILE_LEVEL.items():
            shown = section.endswith("_shown")
            worked = declared.worked_shown if shown and declared.worked_shown else declared.worked
            for cutoff, example in worked.items():
                name = f"{family}@{cutoff}" if cutoff else family
                yield _file_metric(name, declared, section, cutoff, example)
    for name, declared in CHUNK_LEVEL.items():
        yield _chunk_metric(name, declared)
    for name, declared in UTILIZATION.items():
        yield _probe(name, declared)


METRICS: Mapping[str, MetricInfo] = {info.name: info for info in _all()}
"""Every metric by its canonical name, in the order in which tables show them."""

_NO_RECORD = "the trial's records do not state it"

OUTCOMES: Mapping[str, OutcomeInfo] = {
    info.name: info
    for info in (
        OutcomeInfo(
            "reward",
            "Reward",
            "What the task's verifier gave.",
            "",
            "higher",
            "there is no single valid reward in the trial's records",
            lambda outcome: outcome.reward,
        ),
        OutcomeInfo(
            "cost_usd",
            "Cost",
            "Cost of the trial in US dollars.",
            "USD",
            "lower",
            _NO_RECORD,
            lambda outcome: outcome.cost_usd,
        ),
        OutcomeInfo(
            "agent_seconds",
            "Agent time",
            "Wall clock of the agent.",
            "s",
            "lower",
            _NO_RECORD,
            lambda outcome: outcome.agent_seconds,
        ),
        OutcomeInfo(
            "trial_seconds",
            "Trial time",
            "Wall clock of the whole trial, set-up and verifier included.",
            "s",
            "lower",
            _NO_RECORD,
            lambda outcome: outcome.trial_seconds,
        ),
        OutcomeInfo(
            "output_tokens",
            "Output tokens",
            "Tokens that the model wrote in the trial.",
            "tokens",
            "lower",
            _NO_RECORD,
            lambda outcome: outcome.output_tokens,
        ),
    )
}
"""Outcomes that metrics are related to, with their direction."""
