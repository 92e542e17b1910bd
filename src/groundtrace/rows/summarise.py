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
from typing import TypeVar

from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from groundtrace.documents.base import MAX_INT, SCHEMA_VERSION, in_order
from groundtrace.documents.metrics import TaxonomyLabel
from groundtrace.documents.outcomes import (
    OutcomesDocument,
    OutsideRuns,
    TrialOutcome,
    TrialState,
)
from groundtrace.documents.summary import (
    CountedTrials,
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
from groundtrace.metrics.catalogue import METRICS, OUTCOMES, SPECIFIED
from groundtrace.rows.clocks import GroupClock, RowClocks, timed_names
from groundtrace.rows.finders import discovery_summary
from groundtrace.rows.groups import (
    FLAGS,
    LABELS,
    NONE,
    UNKNOWN,
    Cells,
    GroupCounts,
    StatedGroups,
    add_counts,
    merged,
    positions,
)
from groundtrace.rows.looked_at import LookedAtTable
from groundtrace.rows.means import mean_of
from groundtrace.rows.trial_row import VOLUME, TrialRow
from groundtrace.rows.units import Counted, UnitsOfRows, collect_distinct, outcome_values
from groundtrace.rows.value_columns import Units, ValueTable
from groundtrace.rows.verdicts import VerdictGroups

DIMENSIONS: Mapping[str, Callable[[TrialRow], str | None]] = {
    "by_config": lambda row: row.config_name,
    "by_suite": lambda row: row.benchmark or UNKNOWN,
    "by_model": lambda row: row.model or UNKNOWN,
    "by_candidate_set_size": lambda row: row.slices.candidate_set_size if row.slices else None,
    "by_evidence_type": lambda row: row.slices.evidence_type if row.slices else None,
}
"""How rows are grouped; a row without the property is in no group of that dimension."""

_GROUP_OF = tuple(DIMENSIONS.values())


def summarise(
    rows: Iterable[TrialRow] | SummaryTable,
    *,
    scope: str,
    generated_at: str,
    outcomes: Iterable[OutcomesDocument] = (),
    problems: Mapping[str, int] | None = None,
    refused: Sequence[RefusedDocument] = (),
    outside: OutsideRuns | None = None,
) -> RunSummaryDocument:
    """The summary of a run (`scope` is its id) or of all runs (`*`).

    `rows` may be read twice (`collect_distinct`); if it is an iterator, it is kept in memory. If
    the same rows were summarised before, the table made from them (`table_of`) is enough.
    `outcomes` are the outcomes documents of the same runs; they say what discovery found and
    skipped. `problems` counts problems of reading documents by kind; `refused` names documents that
    could not be read. `outside` is what discovery met outside of the runs.
    """
    table = rows if isinstance(rows, SummaryTable) else table_of(rows)
    found = _Found(outcomes, outside)
    return RunSummaryDocument(
        schema_version=SCHEMA_VERSION,
        generated_at=generated_at,
        scope=scope,
        runs=sorted(table.runs),
        overall=table.overall(),
        by_config=table.summaries("by_config"),
        by_suite=table.summaries("by_suite"),
        by_model=table.summaries("by_model"),
        by_candidate_set_size=table.summaries("by_candidate_set_size"),
        by_evidence_type=table.summaries("by_evidence_type"),
        by_group=table.stated.summaries(table.summary) or UNSET,
        groups_left_out=sorted(table.stated.left_out) or UNSET,
        unknown_tools=_sorted(table.unknown_tools),
        unknown_tool_calls={
            name: _sorted(calls) for name, calls in in_order(table.unknown_calls).items()
        },
        servers_not_counted=_sorted(table.uncounted_servers),
        looked_at=table.looked_at.summaries(),
        problems=_sorted(table.problems + Counter(problems or {}) + found.problems),
        trials_found=found.trials,
        trials_by_config=found.by_config(),
        superseded=found.named("superseded"),
        failed=found.named("failed"),
        duplicated=table.duplicated,
        skipped=found.skipped,
        refused=list(refused),
        by_verdict=table.verdicts.overall(table.tasks, table.statistics),
        by_config_and_verdict=table.verdicts.by_config(table.tasks, table.statistics),
    )


def table_of(rows: Iterable[TrialRow]) -> SummaryTable:
    """Everything that summaries need of these rows, each copy of a trial counted once."""
    return collect_distinct(rows, _table)


def _table(rows: Iterator[Counted]) -> SummaryTable:
    table = SummaryTable()
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
        self._counts: dict[str, Counter[str]] = {}
        for document in outcomes:
            self.trials = (self.trials or 0) + len(document.trials)
            self.problems.update(document.problems)
            self.skipped += [
                SkippedPath(run_id=document.scope, path=skipped.path, reason=skipped.reason)
                for skipped in document.skipped
            ]
            for trial in document.trials:
                self._count(trial)
                if trial.state in self._named:
                    named = NamedTrial(*trial.names, reason=trial.state_reason)
                    self._named[trial.state].append(named)

    def _count(self, trial: TrialOutcome) -> None:
        counts = self._counts.setdefault(trial.config_name, Counter())
        if trial.state == "superseded":
            counts["superseded"] += 1
            return
        counts["trials"] += 1
        counts["repeated"] += trial.attempt is not UNSET and trial.attempt > 1
        counts["lost"] += trial.reward is None

    def by_config(self) -> dict[str, CountedTrials] | UnsetType:
        """The trials of each configuration, counted."""
        fields = CountedTrials.__struct_fields__
        return {
            name: CountedTrials(**{field: counts[field] for field in fields})
            for name, counts in in_order(self._counts).items()
        } or UNSET

    def named(self, state: TrialState) -> list[NamedTrial]:
        """Trials of a state, in order."""
        return sorted(self._named[state], key=attrgetter("names"))


def _sorted(counts: Mapping[str, int]) -> dict[str, int]:
    return in_order({name: _held(count) for name, count in counts.items() if count})


def _held(total: int) -> int:
    """A total within the schema's limit. A document from another program can claim any count: two
    counts of nearly 2**63 added up to more than the schema allows."""
    return min(total, MAX_INT)


OWN = "own clock: "
"""Before the names of times by each trial's own clock, of which none is left out."""


Name = TypeVar("Name", bound=str)


def _sorted_names(names: Iterable[Name]) -> tuple[Name, ...]:
    """As documents have them."""
    return tuple(in_order(dict.fromkeys(names)))


_SPECIFIED = _sorted_names(name for name, one in METRICS.items() if one.section in SPECIFIED)
_OWN = _sorted_names(METRICS.keys() - _SPECIFIED)
_OUTCOMES, _VOLUME, _LABELS = _sorted_names(OUTCOMES), _sorted_names(VOLUME), _sorted_names(LABELS)

PART, WHOLE = "part: ", "whole: "
"""Before the names of metrics whose numerators and denominators are summed (`Metric.micro`)."""

_MICRO = tuple(name for name, metric in METRICS.items() if metric.micro)
_PARTS = tuple(f"{front}{name}" for name in _MICRO for front in (PART, WHOLE))
_OWN_TIMES = tuple(f"{OWN}{name}" for name in timed_names())
_NAMES = (*METRICS, *VOLUME, *OUTCOMES, *LABELS, "hit", "hit_shown", *_OWN_TIMES, *_PARTS)
"""Every value of a row that a summary has statistics of, in the order in which `_values` gives
them."""

_PLACES: Mapping[str, int] = {name: place for place, name in enumerate(_NAMES)}

_TIMES = {
    display: tuple((metric.field, metric.name) for metric in METRICS.shown_in(display))
    for display in ("first_hit", "first_hit_shown")
}
"""Fields and metrics of the times to the first hit."""


def _values(row: TrialRow) -> list[float | None]:
    """The values of a row, in the order of `_NAMES`."""
    values: list[float | None] = [
        *map(row.metrics.get, METRICS),
        *map(row.volume.get, VOLUME),
        *outcome_values(row.outcome),
    ]
    for label in LABELS:
        values.append(None if label in row.not_applicable else row.labels.get(label))
    values += (row.hit, row.hit_shown)
    values += map(row.metrics.get, timed_names())
    for name in _MICRO:
        values += row.parts.get(name, (None, None))
    return values


def _with_micro(found: Mapping[str, Distribution]) -> dict[str, Distribution]:
    """The statistics of our own metrics; with the average over all tasks together where papers use
    it."""
    made = {name: found[name] for name in _OWN}
    for name in _MICRO:
        part, whole = found[f"{PART}{name}"], found[f"{WHOLE}{name}"]
        if part.mean is not None and whole.mean:  # both have the same n
            made[name] = replace(made[name], micro=part.mean / whole.mean)
    return made


def _why_missing(row: TrialRow) -> Callable[[str], str]:
    """Says why the row has no value of a name."""
    no_outcome = row.no_outcome if row.outcome is None else "not_recorded"
    known = row.undefined.get

    def why(name: str) -> str:
        stated = known(name)
        if stated:
            return stated
        if name in OUTCOMES:
            return no_outcome
        if name in LABELS:
            unfit = "no_edit_expected" if name in row.not_applicable else "older_document"
            return row.reason or unfit
        return row.why_undefined(name.removeprefix(OWN))

    return why


class SummaryTable:
    """All rows as columns, their units, and their groups."""

    def __init__(self) -> None:
        self._values = ValueTable(_PLACES)
        self._units = UnitsOfRows()
        self._unit_of: array[int] = array("q")
        self._has_repeats = False
        self._size = 0
        self._clocks = RowClocks()
        self._cells = Cells()
        self.stated = StatedGroups(GroupCounts)
        self._statistics: dict[bytes, dict[str, Distribution]] = {}
        self._grouped: tuple[bytes, Units | None] = (b"", None)
        """The rows that were grouped last, and their units: a million rows are grouped but once."""
        self._summaries: dict[bytes, GroupSummary] = {}
        self.runs: set[str] = set()
        self.duplicated: list[DuplicatedTrial] = []
        self.unknown_tools: dict[str, int] = {}
        self.unknown_calls: defaultdict[str, dict[str, int]] = defaultdict(dict)
        self.uncounted_servers: dict[str, int] = {}
        self.problems: Counter[str] = Counter()
        self.verdicts = VerdictGroups()
        self.looked_at = LookedAtTable()

    def add(self, row: TrialRow, counted_in: str | None) -> None:
        """Add one row; `counted_in` is the run whose copy of the trial counts instead."""
        self.runs.add(row.run_id)
        self._units.see(row)
        if counted_in is not None:
            self.duplicated.append(DuplicatedTrial(*row.names, counted_in=counted_in))
            return
        position = self._size
        self._size += 1
        self._units.add(row)
        self._clocks.add(row)
        self._values.add(_values(row), _NAMES, _why_missing(row))
        add_counts(self.unknown_tools, row.unknown_tools)
        add_counts(self.uncounted_servers, row.uncounted_servers)
        self.looked_at.add(row)
        for tool, calls in row.unknown_calls.items():
            add_counts(self.unknown_calls[tool], calls)
        if row.coverage.problems is not UNSET:
            add_counts(self.problems, row.coverage.problems)
        self._cells.add(tuple([group_of(row) for group_of in _GROUP_OF]), position, row)
        self.verdicts.add(position, row)
        for group in self.stated.of(row):
            group.add(position, row)

    def finish(self) -> None:
        """Call this after all rows: now it is known which rows belong to one task, and which clock
        most of them have."""
        self._values.finish()
        self._clocks.leave_out_others(self._values)
        self._unit_of = self._units.finished()
        self._has_repeats = len(set(self._unit_of)) < len(self._unit_of)

    def tasks(self, rows: array[int]) -> int:
        """Tasks that these rows belong to."""
        return len({self._unit_of[row] for row in rows})

    def statistics(self, name: str, rows: array[int]) -> Distribution:
        """A value over the tasks of these rows."""
        known = self._statistics.get(rows.tobytes())
        if known is not None:
            return known[name]
        return self._values[name].distribution(rows, self._units_of(rows))

    def overall(self) -> GroupSummary:
        """All rows."""
        return self._of_cells(self._cells.everything())

    def summaries(self, dimension: str) -> dict[str, GroupSummary]:
        """Every group of a dimension, by name."""
        groups = self._cells.groups(list(DIMENSIONS).index(dimension))
        return {name: self._of_cells(cells) for name, cells in groups.items()}

    def summary(self, group: GroupCounts) -> GroupSummary:
        """The statistics of a group that was counted by itself."""
        return self._of_cells([group])

    def _of_cells(self, cells: list[GroupCounts]) -> GroupSummary:
        """The statistics of a group. Groups with the same rows share them: in a run with one
        configuration, suite and model they are computed once instead of four times."""
        rows = positions(cells)
        key = rows.tobytes()
        if key not in self._summaries:
            self._statistics[key] = self._values.statistics(rows, self._units_of(rows))
            self._summaries[key] = self._summary(merged(cells), rows, self._statistics[key])
        return self._summaries[key]

    def _summary(
        self, group: GroupCounts, rows: array[int], found: Mapping[str, Distribution]
    ) -> GroupSummary:
        clock = self._clocks.of(rows)
        if clock.is_own:
            found = {**found, **{name: found[f"{OWN}{name}"] for name in timed_names()}}
        return GroupSummary(
            trials=len(rows),
            tasks=self.tasks(rows),
            computable=len(rows) - sum(group.left_out.values()),
            left_out=_sorted(group.left_out),
            metrics={name: found[name] for name in _SPECIFIED},
            more_metrics=_with_micro(found),
            outcomes={name: found[name] for name in _OUTCOMES},
            volume={name: found[name] for name in _VOLUME},
            first_hit=self._first_hit(rows, "hit", "first_hit", found, clock),
            first_hit_shown=self._first_hit(rows, "hit_shown", "first_hit_shown", found, clock),
            taxonomy={label: _label(label, group, found[label]) for label in _LABELS},
            slices=SliceCounts(
                candidate_set_size={s: group.sizes[s] for s in ("large", "medium", "small")},
                evidence_type={e: group.evidence[e] for e in ("local", "mcp")},
                none=group.sizes[NONE],
            ),
            coverage=_coverage(group),
            events_by_category=_sorted(group.categories),
            accesses=_sorted(group.accesses),
            discovery=discovery_summary(group.finders),
        )

    def _first_hit(
        self,
        rows: array[int],
        column: str,
        display: str,
        found: Mapping[str, Distribution],
        clock: GroupClock,
    ) -> FirstHit:
        shares, _ = self._values[column].by_unit(rows, self._units_of(rows))
        n_hit = sum(share > 0 for share in shares)
        return FirstHit(
            n=len(shares),
            n_hit=n_hit,
            n_never_hit=len(shares) - n_hit,
            hit_rate=mean_of(shares),
            clock=UNSET if clock.mark is None else clock.mark,
            **{field: found[name] for field, name in _TIMES[display]},
        )

    def _units_of(self, rows: array[int]) -> Units | None:
        """The rows of each unit, or None if every row is its own unit."""
        if not self._has_repeats:
            return None
        key = rows.tobytes()
        if key != self._grouped[0]:
            units: dict[int, list[int]] = {}
            for row in rows:
                units.setdefault(self._unit_of[row], []).append(row)
            self._grouped = (key, None if len(units) == len(rows) else list(units.values()))
        return self._grouped[1]


def _label(label: TaxonomyLabel, group: GroupCounts, per_task: Distribution) -> LabelSummary:
    counts = group.labels
    return LabelSummary(
        n=counts[label, "n"],
        n_with=counts[label, "n_with"],
        files=_held(counts[label, "files"]),
        not_applicable=counts[label, "not_applicable"],
        files_not_applicable=_held(counts[label, "files_not_applicable"]),
        edit_targets_unknown=counts[label, "edit_targets_unknown"],
        files_edit_targets_unknown=_held(counts[label, "files_edit_targets_unknown"]),
        per_task=per_task,
    )


def _coverage(group: GroupCounts) -> CoverageTable:
    return CoverageTable(
        **{flag: group.flags[flag] for flag in (*FLAGS, "degraded")},
        trace_sources=_sorted(group.traces),
        patch_sources=_sorted(group.patches),
        ground_truth_sources=_sorted(group.sources),
        ground_truth_confidences=_sorted(group.confidences),
        elapsed_origins=_sorted(group.origins),
        unmatched_suffixes=group.flags["unmatched_suffixes"],
    )
