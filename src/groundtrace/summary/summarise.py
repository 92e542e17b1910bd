"""The run summary: from rows to statistics with n and what was left out (D19, D21, D41, D42).

Rows are read one at a time and kept as columns. The unit of every statistic is the task within its
configuration: first its trials in all runs of the scope are averaged, so a task tried ten times
weighs no more than a task tried once. Copies of a trial count once (`groundtrace.rows.units`).
"""

from __future__ import annotations

from array import array
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from operator import attrgetter
from typing import TypeVar, get_args

from msgspec import UNSET

from groundtrace.documents.base import MAX_INT, SCHEMA_VERSION
from groundtrace.documents.metrics import TaxonomyLabel
from groundtrace.documents.outcomes import OutcomesDocument, OutsideRuns, TrialOutcome, TrialState
from groundtrace.documents.summary import (
    CoverageTable,
    Distribution,
    DuplicatedTrial,
    FirstHit,
    GroupSummary,
    LabelSummary,
    NamedTrial,
    RefusedDocument,
    RunSummaryDocument,
    SkippedPath,
    SliceCounts,
)
from groundtrace.metrics.catalogue import METRICS, OUTCOMES
from groundtrace.metrics.displays import Display
from groundtrace.metrics.error_taxonomy import ABOUT_WRITES
from groundtrace.rows.means import mean_of
from groundtrace.rows.trial_row import VOLUME, Find, TrialRow
from groundtrace.rows.units import Counted, UnitsOfRows, collect_distinct
from groundtrace.summary.discovery import discovery_summary
from groundtrace.summary.looked_at import LookedAtTable
from groundtrace.summary.row_clocks import RowClocks
from groundtrace.summary.stated_groups import StatedGroups
from groundtrace.summary.value_columns import NameCodes, ValueColumn
from groundtrace.summary.verdicts import VerdictGroups

LABELS: tuple[TaxonomyLabel, ...] = get_args(TaxonomyLabel)

UNKNOWN = "unknown"
"""Group of rows whose suite or model is not known."""

NONE = "none"
"""Key of counts for rows without a value."""

DIMENSIONS: Mapping[str, Callable[[TrialRow], str | None]] = {
    "overall": lambda _: "",
    "by_config": lambda row: row.config_name,
    "by_suite": lambda row: row.benchmark or UNKNOWN,
    "by_model": lambda row: row.model or UNKNOWN,
    "by_candidate_set_size": lambda row: row.slices.candidate_set_size if row.slices else None,
    "by_evidence_type": lambda row: row.slices.evidence_type if row.slices else None,
}
"""How rows are grouped; a row without the property is in no group of that dimension."""


def summarise(
    rows: Iterable[TrialRow],
    *,
    scope: str,
    generated_at: str,
    outcomes: Iterable[OutcomesDocument] = (),
    problems: Mapping[str, int] | None = None,
    refused: Sequence[RefusedDocument] = (),
    outside: OutsideRuns | None = None,
) -> RunSummaryDocument:
    """The summary of a run (`scope` is its id) or of all runs (`*`).

    `rows` may be read twice (`collect_distinct`); if it is an iterator, it is kept in memory.
    `outcomes` are the outcomes documents of the same runs; they say what discovery found and
    skipped. `problems` counts problems of reading documents by kind; `refused` names documents that
    could not be read. `outside` is what discovery met outside of the runs.
    """
    table = collect_distinct(rows, _table)
    found = _Found(outcomes, outside)
    return RunSummaryDocument(
        schema_version=SCHEMA_VERSION,
        generated_at=generated_at,
        scope=scope,
        runs=sorted(table.runs),
        overall=table.summary(table.groups["overall"][""]),
        by_config=table.summaries("by_config"),
        by_suite=table.summaries("by_suite"),
        by_model=table.summaries("by_model"),
        by_candidate_set_size=table.summaries("by_candidate_set_size"),
        by_evidence_type=table.summaries("by_evidence_type"),
        by_group=table.stated.summaries(table.summary) or UNSET,
        groups_left_out=sorted(table.stated.left_out) or UNSET,
        unknown_tools=_sorted(table.unknown_tools),
        unknown_tool_calls={
            name: _sorted(calls) for name, calls in sorted(table.unknown_calls.items())
        },
        servers_not_counted=_sorted(table.uncounted_servers),
        looked_at=table.looked_at.summaries(),
        problems=_sorted(table.problems + Counter(problems or {}) + found.problems),
        trials_found=found.trials,
        superseded=found.named("superseded"),
        failed=found.named("failed"),
        duplicated=table.duplicated,
        skipped=found.skipped,
        refused=list(refused),
        by_verdict=table.verdicts.overall(table.tasks, table.statistics),
        by_config_and_verdict=table.verdicts.by_config(table.tasks, table.statistics),
    )


def _table(rows: Iterator[Counted]) -> _Table:
    table = _Table()
    for row, counted_in in rows:
        table.add(row, counted_in)
    table.finish()
    return table


class _Found:
    """What the outcomes say, taken one document at a time: most trials are only counted."""

    def __init__(
        self, outcomes: Iterable[OutcomesDocument], outside: OutsideRuns | None = None
    ) -> None:
        self.trials: int | None = None
        self.problems: Counter[str] = Counter()
        self.skipped: list[SkippedPath] = []
        if outside is not None:
            self.problems.update(outside.problems)
            self.skipped += [
                SkippedPath(run_id=outside.scope, path=skipped.path, reason=skipped.reason)
                for skipped in outside.skipped
            ]
        self._named: dict[TrialState, list[NamedTrial]] = {"superseded": [], "failed": []}
        for document in outcomes:
            self.trials = (self.trials or 0) + len(document.trials)
            self.problems.update(document.problems)
            self.skipped += [
                SkippedPath(run_id=document.scope, path=skipped.path, reason=skipped.reason)
                for skipped in document.skipped
            ]
            for trial in document.trials:
                if trial.state in self._named:
                    self._named[trial.state].append(_name_of(trial))

    def named(self, state: TrialState) -> list[NamedTrial]:
        """Trials of a state, in order."""
        key = attrgetter("run_id", "config_name", "task_name", "trial_name")
        return sorted(self._named[state], key=key)


def _name_of(trial: TrialOutcome) -> NamedTrial:
    return NamedTrial(
        run_id=trial.run_id,
        config_name=trial.config_name,
        task_name=trial.task_name,
        trial_name=trial.trial_name,
        reason=trial.state_reason,
    )


def _sorted(counts: Mapping[str, int]) -> dict[str, int]:
    return {name: _held(counts[name]) for name in sorted(counts) if counts[name]}


def _held(total: int) -> int:
    """A total within the schema's limit. A document from another program can claim any count: two
    counts of nearly 2**63 added up to more than the schema allows."""
    return min(total, MAX_INT)


class _Group:
    """Rows of one group: their positions, and simple counts."""

    def __init__(self) -> None:
        self.rows = array("q")
        self.left_out: Counter[str] = Counter()
        self.coverage: dict[str, Counter[str]] = {
            name: Counter() for name in ("flags", "trace", "source", "confidence", "origin")
        }
        self.sizes: Counter[str] = Counter()
        self.evidence: Counter[str] = Counter()
        self.categories: Counter[str] = Counter()
        self.accesses: Counter[str] = Counter()
        self.finders: Counter[Find] = Counter()
        self.labels: dict[TaxonomyLabel, Counter[str]] = {label: Counter() for label in LABELS}

    def add(self, position: int, row: TrialRow) -> None:
        self.rows.append(position)
        if not row.computable:
            self.left_out[row.reason or UNKNOWN] += 1
        self._add_coverage(row)
        self.sizes[row.slices.candidate_set_size if row.slices else NONE] += 1
        self.evidence[row.slices.evidence_type if row.slices else NONE] += 1
        for category, count in row.summary.events_by_category.items():
            self.categories[category] += count
        _add_counts(self.accesses, row.accesses)
        _add_counts(self.finders, row.finders)
        for label in LABELS:
            if label in row.labels:
                self._add_label(label, row)

    def _add_coverage(self, row: TrialRow) -> None:
        coverage = row.coverage
        for flag in _FLAGS:
            self.coverage["flags"][flag] += getattr(coverage, flag)
        self.coverage["flags"]["degraded"] += coverage.degraded_reason is not None
        self.coverage["trace"][coverage.trace_source or NONE] += 1
        self.coverage["source"][coverage.ground_truth_source or NONE] += 1
        self.coverage["confidence"][coverage.ground_truth_confidence or NONE] += 1
        origin = NONE if coverage.elapsed_origin is UNSET else coverage.elapsed_origin or NONE
        self.coverage["origin"][origin] += 1

    def _add_label(self, label: TaxonomyLabel, row: TrialRow) -> None:
        counts = self.labels[label]
        files = row.labels[label]
        if label in row.not_applicable:
            counts["not_applicable"] += 1
            counts["files_not_applicable"] += files
        else:
            counts["n"] += 1
            counts["n_with"] += files > 0
            counts["files"] += files
            if label in ABOUT_WRITES and row.edit_targets == "unknown":
                counts["edit_targets_unknown"] += 1
                counts["files_edit_targets_unknown"] += files


Name = TypeVar("Name")


def _add_counts(total: Counter[Name], counts: Mapping[Name, int]) -> None:
    """The same as `Counter.update` with a mapping, but without checking the argument's type."""
    for name, count in counts.items():
        total[name] = total.get(name, 0) + count


_FLAGS = ("has_trajectory", "has_transcript", "has_ground_truth", "has_chunk_ground_truth")


class _Table:
    """All rows as columns, their units, and their groups."""

    def __init__(self) -> None:
        reasons = NameCodes()
        names = [*METRICS, *OUTCOMES, *VOLUME, *LABELS, "hit", "hit_shown"]
        self._columns = {name: ValueColumn(reasons) for name in names}
        self._units = UnitsOfRows()
        self._unit_of: array[int] = array("q")
        self._has_repeats = False
        self._size = 0
        self._clocks = RowClocks()
        self.groups: dict[str, defaultdict[str, _Group]] = {
            name: defaultdict(_Group) for name in DIMENSIONS
        }
        self.stated = StatedGroups(_Group)
        self._summaries: dict[bytes, GroupSummary] = {}
        self.runs: set[str] = set()
        self.duplicated: list[DuplicatedTrial] = []
        self.unknown_tools: Counter[str] = Counter()
        self.unknown_calls: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self.uncounted_servers: Counter[str] = Counter()
        self.problems: Counter[str] = Counter()
        self.verdicts = VerdictGroups()
        self.looked_at = LookedAtTable()

    def add(self, row: TrialRow, counted_in: str | None) -> None:
        """Add one row; `counted_in` is the run whose copy of the trial counts instead."""
        self.runs.add(row.run_id)
        self._units.see(row)
        if counted_in is not None:
            self.duplicated.append(
                DuplicatedTrial(
                    run_id=row.run_id,
                    config_name=row.config_name,
                    task_name=row.task_name,
                    trial_name=row.trial_name,
                    counted_in=counted_in,
                )
            )
            return
        position = self._size
        self._size += 1
        self._units.add(row)
        self._clocks.add(row)
        self._add_values(row)
        _add_counts(self.unknown_tools, row.unknown_tools)
        _add_counts(self.uncounted_servers, row.uncounted_servers)
        self.looked_at.add(row)
        for tool, calls in row.unknown_calls.items():
            _add_counts(self.unknown_calls[tool], calls)
        if row.coverage.problems is not UNSET:
            _add_counts(self.problems, row.coverage.problems)
        for dimension, group_of in DIMENSIONS.items():
            name = group_of(row)
            if name is not None:
                self.groups[dimension][name].add(position, row)
        self.verdicts.add(position, row)
        for group in self.stated.of(row):
            group.add(position, row)

    def finish(self) -> None:
        """Call this after all rows: now it is known which rows belong to one task, and which clock
        most of them have."""
        self._clocks.leave_out_others(self._columns)
        self._unit_of = self._units.finished()
        self._has_repeats = len(set(self._unit_of)) < len(self._unit_of)

    def _add_values(self, row: TrialRow) -> None:
        columns = self._columns
        for names, values in ((METRICS, row.metrics), (VOLUME, row.volume)):
            for name in names:
                value = values.get(name)
                if value is None:
                    columns[name].skip(row.why_undefined(name))
                else:
                    columns[name].add(value)
        for name, info in OUTCOMES.items():
            value = info.getter(row.outcome) if row.outcome is not None else None
            if value is None:
                columns[name].skip(row.no_outcome if row.outcome is None else "not_recorded")
            else:
                columns[name].add(value)
        for label in LABELS:
            if label in row.labels and label not in row.not_applicable:
                columns[label].add(row.labels[label])
            else:
                columns[label].skip(row.reason or "no_edit_expected")
        for name, hit in (("hit", row.hit), ("hit_shown", row.hit_shown)):
            if hit is None:
                columns[name].skip(row.why_undefined(name))
            else:
                columns[name].add(hit)

    def tasks(self, rows: array[int]) -> int:
        """Tasks that these rows belong to."""
        return len({self._unit_of[row] for row in rows})

    def statistics(self, name: str, rows: array[int]) -> Distribution:
        """A value over the tasks of these rows."""
        return self._columns[name].distribution(rows, self._repeated_units())

    def summaries(self, dimension: str) -> dict[str, GroupSummary]:
        """Every group of a dimension, by name."""
        groups = self.groups[dimension]
        return {name: self.summary(groups[name]) for name in sorted(groups)}

    def summary(self, group: _Group) -> GroupSummary:
        """The statistics of a group. Groups with the same rows share them: in a run with one
        configuration, suite and model they are computed once instead of four times."""
        rows = group.rows.tobytes()
        if rows not in self._summaries:
            self._summaries[rows] = self._summary(group)
        return self._summaries[rows]

    def _summary(self, group: _Group) -> GroupSummary:
        units = self._repeated_units()

        def statistics(name: str) -> Distribution:
            return self._columns[name].distribution(group.rows, units)

        return GroupSummary(
            trials=len(group.rows),
            tasks=self.tasks(group.rows),
            computable=len(group.rows) - group.left_out.total(),
            left_out=_sorted(group.left_out),
            metrics={name: statistics(name) for name in METRICS},
            outcomes={name: statistics(name) for name in OUTCOMES},
            volume={name: statistics(name) for name in VOLUME},
            first_hit=self._first_hit(group, "hit", "first_hit"),
            first_hit_shown=self._first_hit(group, "hit_shown", "first_hit_shown"),
            taxonomy={
                label: LabelSummary(
                    n=counts["n"],
                    n_with=counts["n_with"],
                    files=_held(counts["files"]),
                    not_applicable=counts["not_applicable"],
                    files_not_applicable=_held(counts["files_not_applicable"]),
                    edit_targets_unknown=counts["edit_targets_unknown"],
                    files_edit_targets_unknown=_held(counts["files_edit_targets_unknown"]),
                    per_task=statistics(label),
                )
                for label, counts in group.labels.items()
            },
            slices=SliceCounts(
                candidate_set_size={s: group.sizes[s] for s in ("small", "medium", "large")},
                evidence_type={e: group.evidence[e] for e in ("local", "mcp")},
                none=group.sizes[NONE],
            ),
            coverage=_coverage(group.coverage),
            events_by_category=_sorted(group.categories),
            accesses=_sorted(group.accesses),
            discovery=discovery_summary(group.finders),
        )

    def _first_hit(self, group: _Group, column: str, display: Display) -> FirstHit:
        units = self._repeated_units()
        shares, _ = self._columns[column].by_unit(group.rows, units)
        n_hit = sum(share > 0 for share in shares)
        times = {
            metric.field: self._columns[metric.name].distribution(group.rows, units)
            for metric in METRICS.shown_in(display)
        }
        return FirstHit(
            n=len(shares),
            n_hit=n_hit,
            n_never_hit=len(shares) - n_hit,
            hit_rate=mean_of(shares),
            **times,
        )

    def _repeated_units(self) -> array[int] | None:
        """The unit of each row, or None if every row is its own unit."""
        return self._unit_of if self._has_repeats else None


def _coverage(counts: Mapping[str, Counter[str]]) -> CoverageTable:
    return CoverageTable(
        **{flag: counts["flags"][flag] for flag in (*_FLAGS, "degraded")},
        trace_sources=_sorted(counts["trace"]),
        ground_truth_sources=_sorted(counts["source"]),
        ground_truth_confidences=_sorted(counts["confidence"]),
        elapsed_origins=_sorted(counts["origin"]),
    )
