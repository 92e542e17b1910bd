"""The record of a metric or an outcome: its words, its computation, and where it is shown.

A section of the metrics document declares its metrics (`MetricDeclaration`). The catalogue expands
them by cutoff and by list of files into one `Metric` for each canonical name.

A record names the displays that show it (`shown_in`); a display asks the catalogue for its records.
No table has its own list of names, so a new metric needs no change in any table or chart. Its stored
field goes into `documents/metrics.py`. Some displays show every metric and are not listed here: the
metrics document, the run summary, the table `metrics`, `explain`, matched comparisons in the impact
document, and the reference page.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Generic, Literal, TypeVar

import msgspec
from msgspec import UNSET

from groundtrace.base.frozen import Frozen
from groundtrace.documents.base import Record
from groundtrace.documents.metrics import MetricsDocument
from groundtrace.documents.outcomes import TrialOutcome
from groundtrace.metrics.evidence import EvidenceView
from groundtrace.metrics.ranking import CUTOFFS

Display = Literal[
    "coverage",
    "quality",
    "line_ranges",
    "lines_and_context",
    "lines_chart",
    "funnel",
    "patches",
    "published",
    "functions",
    "chain",
    "first_hit",
    "first_hit_shown",
    "utilization",
    "slices",
    "comparison",
    "comparison_by_suite",
    "movers",
    "groups",
    "groups_use",
    "trial_table",
    "trial_detail",
    "recall_charts",
    "first_hit_charts",
    "task_chart",
    "correlation",
    "api_summary",
]

DISPLAYS: Mapping[Display, str] = {
    "coverage": (
        "report, Coverage: rows of “What could be computed”; metrics that always have a value "
        "together share one row"
    ),
    "quality": "report, Finding the relevant files and every configuration: metrics over both lists of files",
    "line_ranges": "report, Finding the relevant files: metrics over line ranges",
    "lines_and_context": "report, Finding the relevant files: lines, context, finders and subagents",
    "lines_chart": "page: the chart of lines and context; values from 0 to 1",
    "funnel": (
        "report, Seen, edited, resolved: how far relevant files got, by configuration and "
        "verdict; the heading is its stage"
    ),
    "patches": "report, Seen, edited, resolved: the patch compared with the gold patch",
    "published": (
        "report, Seen, edited, resolved: the same numbers under the names that papers use"
    ),
    "functions": "report, Search, read, edit: functions needed, shown and edited",
    "chain": "page: the chart of recall and precision from files met to functions edited",
    "first_hit": "run summary and report: times to the first relevant file, over retrieved files",
    "first_hit_shown": "run summary and report: the same over shown files",
    "utilization": "report, Using what was found: the metrics",
    "slices": "report, What went wrong: quality by slice",
    "comparison": "report, Comparisons: rows of a matched comparison",
    "comparison_by_suite": "report, Comparisons: rows of a comparison within one suite",
    "movers": (
        "report: the value by which tasks that gained or lost are ranked; higher must be better"
    ),
    "groups": "report, By configuration, suite and model: metrics over both lists of files",
    "groups_use": "report, By configuration, suite and model: use and outcomes",
    "trial_table": "page: columns of the table of trials",
    "trial_detail": "page: values with their arithmetic beside a timeline",
    "recall_charts": (
        "page: one chart each, of tasks in which all, some or none of the files were found; "
        "the heading is its question"
    ),
    "first_hit_charts": "page: one cumulative chart each; the heading is its question",
    "task_chart": "page: values that the chart of single tasks draws",
    "correlation": "impact analysis: metrics and outcomes that are correlated",
    "api_summary": "Python: columns of `load_summary`",
}
"""Every display, and what it shows."""


class Spot(Frozen, frozen=True):
    """Position and heading of a record in a display."""

    order: int = 0
    """Smaller comes first; records with the same number keep the order of the catalogue."""
    heading: str = ""
    """The name that the display shows, if it is not the record's name."""


Better = Literal["higher", "lower"]

Worked = tuple[str, float]
"""The calculation in words, and its result to 4 decimals, as the reference page prints it."""

FileList = Literal["retrieved", "shown"]
"""The lists of files that file-level metrics are computed over (D18)."""

View = TypeVar("View")
"""What a section computes from: the evidence, arranged for its formulas."""

NO_TRUTH_OR_TRACE = (
    "the task has no ground truth (`no_ground_truth`), there is no usable trace (`no_trace`), "
    "no tool call could be read from it (`empty_trace`), most results are missing "
    "(`answers_missing`), or it shows nothing of the subagents that did most of the work "
    "(`subagents_unseen`)"
)
"""Why most metrics are undefined, in the words of the reference page."""

NOT_IN_DOCUMENT = "not_in_document"
"""Reason code of a metric whose section is not in an earlier version of the metrics document."""

SPECIFICATION = "Retrieval Evaluation Specification v1"
"""The reference of metrics that the specification defines itself."""


class Quantity(Frozen, frozen=True, kw_only=True):
    """A number of a trial that tables and charts can show: a metric or an outcome."""

    name: str
    """Canonical name; it is also the column, the heading, the argument and the key."""
    title: str
    plain: str = ""
    """Its name on the page for readers who do not know the term; empty when it is the title."""
    measures: str
    """What it measures, as one or two sentences."""
    unit: str = ""
    better: Better = "higher"
    undefined: str
    """When it has no value, in words; for a metric with the reason codes of summaries."""
    shown_in: Mapping[Display, Spot] = msgspec.field(default_factory=dict)
    """The displays that show it. Displays that show everything are not listed."""

    def heading(self, display: Display) -> str:
        """Its name in a display that shows it."""
        return self.shown_in[display].heading or self.name


class Metric(Quantity, frozen=True, kw_only=True):
    """One metric under its canonical name."""

    family: str
    """Name without cutoff and list."""
    section: str
    """Section of the metrics document that holds it."""
    field: str
    """Field of the section."""
    cutoff: int | None
    """K, for metrics over the first K files."""
    over: FileList | None
    """The list of files that it is computed over, in sections that have two."""
    over_shown: str | None
    """Name of the same metric over shown files, if this one is over retrieved files."""
    lower: float | None
    """Lower end of the range; None if there is none."""
    upper: float | None
    """Upper end of the range; None if there is none."""
    micro: bool
    """Whether papers also divide the sum of all numerators by the sum of all denominators."""
    known_problems: str
    formula: str
    reference: str
    example: Worked
    """The calculation on `groundtrace.metrics.example` in words, and its result."""
    hit_metric: str | None
    """Only for a metric that has no value without a hit: the recall that is above 0 if there is a
    hit. The mean of such a metric is shown with the hit rate (D21)."""
    getter: Callable[[MetricsDocument], float | None]
    """The value in a metrics document; None when it is undefined."""
    why_undefined: Callable[[MetricsDocument], str]
    """Reason code for a document in which it is undefined."""
    view: Callable[[EvidenceView], Any]
    """What `arithmetic` reads; the same for all metrics of a section."""
    arithmetic: Callable[[Any], str | None]
    """The numbers that went into a value, written out, such as `3 of 4`."""


class OutcomeMetric(Quantity, frozen=True, kw_only=True):
    """One outcome of a trial, such as reward or cost, with its direction (D35)."""

    getter: Callable[[TrialOutcome], float | None]
    """The value in a trial's outcome; None when it is not known."""
    source_field: str = ""
    """Field of the outcome that says where the value was found."""
    reason_field: str = ""
    """Field of the outcome that says why there is no value."""
    absent_reason: str = "not_recorded"
    """Reason code in the impact analysis for a trial without it. Summaries count `not_recorded`
    for every outcome."""


class MetricDeclaration(Frozen, Generic[View], frozen=True, kw_only=True):
    """One metric of a section, or a family of metrics that differ by cutoff and list."""

    name: str
    """Canonical name without cutoff and list."""
    field: str = ""
    """Field of the section in the metrics document; empty when it is the name."""
    title: str
    plain: Mapping[str, str] = msgspec.field(default_factory=dict)
    """See `Quantity.plain`, by canonical name."""
    measures: str
    formula: str
    undefined: str
    known_problems: str
    reference: str
    compute: Callable[[View], float | None]
    """The value; None when it is undefined."""
    arithmetic: Callable[[View], str | None]
    """The same calculation written out; called only if there is a value."""
    worked: Mapping[str, Worked]
    """The example computed by hand, for each canonical name."""
    at_cutoffs: bool = False
    """Stored by cutoff: one metric for each K."""
    better: Better = "higher"
    lower: float | None = 0.0
    upper: float | None = 1.0
    micro: bool = False
    """See `Metric.micro`; the section then has `parts`."""
    unit: str = ""
    missing: str = "missing"
    """Reason code if the section could be computed but this value is missing."""
    hit_metric: str | None = None
    """See `Metric.hit_metric`; without the prefix `shown.`."""
    shown_in: Mapping[str, Mapping[Display, Spot]] = msgspec.field(default_factory=dict)
    """Where it is shown, by canonical name; `name` means every cutoff over retrieved files."""

    @property
    def stored_field(self) -> str:
        """Field of the section in the metrics document."""
        return self.field or self.name


class SectionField(Frozen, Generic[View], frozen=True, kw_only=True):
    """A field of the metrics document that holds a section."""

    name: str
    view: Callable[[EvidenceView], View]
    """What the section is computed from."""
    over: FileList | None = None
    prefix: str = ""
    """Put before the names of its metrics."""
    title_end: str = ""
    """Put after their titles."""
    measures_end: str = ""
    """Put after what they measure."""
    undefined_end: str = ""
    """Put after when they are undefined."""


class MetricSection(Frozen, Generic[View], frozen=True, kw_only=True):
    """A section of the metrics document: how it is made, and the metrics in it."""

    heading: str
    """Heading on the reference page."""
    fields: tuple[SectionField[View], ...]
    """One field, or one for each list of files."""
    declarations: tuple[MetricDeclaration[View], ...]
    make: Callable[[View], Record]
    """The section as the document holds it."""
    why: Callable[[Any, MetricDeclaration[View]], str]
    """Reason code of a metric that has no value in a section."""
    cut: Callable[[View, int], View] | None = None
    """Makes the view for a metric at cutoff K; None for sections without cutoffs."""

    def values(self, view: View) -> dict[str, Any]:
        """The fields of all metrics, as documents hold them: unrounded (D40)."""
        made: dict[str, Any] = {}
        cuts: dict[str, View] = {}
        for declared in self.declarations:
            if not declared.at_cutoffs:
                made[declared.field or declared.name] = declared.compute(view)
                continue
            # One view for each cutoff, whatever the number of metrics that are computed from it.
            cuts = cuts or {str(k): self._at(view, k) for k in CUTOFFS}
            compute = declared.compute
            made[declared.field or declared.name] = {k: compute(cut) for k, cut in cuts.items()}
        return made

    def _at(self, view: View, k: int | None) -> View:
        return view if k is None or self.cut is None else self.cut(view, k)

    def metrics(self) -> Iterator[Metric]:
        """A record for each canonical name, in the order in which tables show them.

        Raises ValueError if a declaration mentions a name that it does not have. Otherwise a typing
        mistake would silently leave a metric out of a table.
        """
        named: dict[str, set[str]] = {}
        for where in self.fields:
            for declaration in self.declarations:
                for k in CUTOFFS if declaration.at_cutoffs else (None,):
                    metric = self._metric(where, declaration, k)
                    named.setdefault(declaration.name, {declaration.name}).add(metric.name)
                    yield metric
        for declaration in self.declarations:
            mentioned = {*declaration.shown_in, *declaration.worked, *declaration.plain}
            unknown = mentioned - named[declaration.name]
            if unknown:
                raise ValueError(f"{declaration.name} speaks of {', '.join(sorted(unknown))}")

    def _metric(
        self, where: SectionField[View], declared: MetricDeclaration[View], k: int | None
    ) -> Metric:
        base = declared.name if k is None else f"{declared.name}@{k}"
        name = where.prefix + base
        measures = (
            declared.measures if k is None else declared.measures.replace("first K", f"first {k}")
        )

        section_name, field, key = where.name, declared.stored_field, None if k is None else str(k)

        def get(document: MetricsDocument) -> float | None:
            section = getattr(document, section_name)
            value = None if section is UNSET else getattr(section, field)
            if key is not None and value is not None:
                value = value.get(key)
            return None if value is None else float(value)

        def why(document: MetricsDocument) -> str:
            section = getattr(document, where.name)
            return NOT_IN_DOCUMENT if section is UNSET else self.why(section, declared)

        family_spots = declared.shown_in.get(declared.name, {}) if not where.prefix else {}
        prefixes = {other.over: other.prefix for other in self.fields}
        return Metric(
            name=name,
            title=declared.title + ("" if k is None else f"@{k}") + where.title_end,
            plain=declared.plain.get(name, ""),
            measures=measures + where.measures_end,
            unit=declared.unit,
            better=declared.better,
            undefined=declared.undefined + where.undefined_end,
            shown_in={**family_spots, **declared.shown_in.get(name, {})},
            family=declared.name,
            section=where.name,
            field=field,
            cutoff=k,
            over=where.over,
            over_shown=prefixes["shown"] + base if where.over == "retrieved" else None,
            lower=declared.lower,
            upper=declared.upper,
            micro=declared.micro,
            known_problems=declared.known_problems,
            formula=declared.formula,
            reference=declared.reference,
            example=declared.worked[name],
            hit_metric=None if declared.hit_metric is None else where.prefix + declared.hit_metric,
            getter=get,
            why_undefined=why,
            view=where.view,
            arithmetic=lambda view: declared.arithmetic(self._at(view, k)),
        )
