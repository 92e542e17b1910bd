"""The row of a trial: what summaries, impact and reports keep in memory instead of documents; and a
row with its documents, for tables and pages that need more."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

from msgspec import field

from groundtrace.base.frozen import Frozen
from groundtrace.documents.events import Coverage, EventsDocument, EventSummary
from groundtrace.documents.looked_at import LookedAt, ServerUse
from groundtrace.documents.metrics import EditTargets, MetricsDocument, Slices
from groundtrace.documents.outcomes import TrialOutcome
from groundtrace.metrics.evidence import EvidenceView
from groundtrace.model import TrialId

Find = tuple[str, str, str]
"""Key of a count of finds: the dimension (`by_tool` and so on), the finder's name, what it did."""

FoundBy = tuple[str, str, str]
"""Tool, server and agent of a call that met a file (`rows.finders`)."""

EVENT_COUNTS = ("total_events", "mcp_events", "local_events", "unique_files_accessed")
"""Counts of a document's summary; a trial without events has none of them, not 0."""

VOLUME = (*EVENT_COUNTS, "files_retrieved", "files_shown", "files_read", "files_written")
"""What counts as retrieval volume; the last four exist only if metrics are computable."""


class TrialRow(TrialId, frozen=True, array_like=True):
    """The numbers of one evaluated trial."""

    benchmark: str | None
    model: str | None
    batch_timestamp: str | None
    coverage: Coverage
    summary: EventSummary
    computable: bool
    """Whether file-level metrics could be computed."""
    reason: str | None
    """Why they could not (D19)."""
    metrics: Mapping[str, float]
    """Canonical metric name to value; an undefined metric is absent."""
    undefined: Mapping[str, str] = field(default_factory=dict)
    """Absent metric to its reason code, if that is not `reason`; see `why_undefined`."""
    hit: bool | None = None
    """Whether a relevant file was retrieved; None when not computable (D21)."""
    hit_shown: bool | None = None
    """Whether the content of a relevant file was shown; None when not computable."""
    volume: Mapping[str, float] = field(default_factory=dict)
    """Retrieval volume by name (`VOLUME`); unknown counts are absent."""
    labels: Mapping[str, int] = field(default_factory=dict)
    """Error taxonomy: label to number of files."""
    not_applicable: tuple[str, ...] = ()
    """Labels that do not apply to this trial: no edit was expected."""
    edit_targets: EditTargets | None = None
    """Whether the task says which files to edit (D58); None if labels are not computable."""
    slices: Slices | None = None
    unknown_tools: Mapping[str, int] = field(default_factory=dict)
    """Raw names of tools that the tool table does not know, with counts."""
    unknown_calls: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    """The same tools to how their calls were read, with counts (`rows.unknown_tools`)."""
    uncounted_servers: Mapping[str, int] = field(default_factory=dict)
    """MCP server whose calls do not count as MCP, to the number of these calls."""
    accesses: Mapping[str, int] = field(default_factory=dict)
    """Accesses counted by `category/kind`, such as `file_read/read`."""
    finders: Mapping[Find, int] = field(default_factory=dict)
    """Relevant files counted by who found them (`rows.finders`); empty if that is not known."""
    found_by: Mapping[str, FoundBy | None] = field(default_factory=dict)
    """Each relevant file to the call that met it first; None if nothing met it."""
    looked_at: LookedAt | None = None
    """What a trial without ground truth looked at; only the files with the most text shown."""
    document: str | None = None
    """Path of the events document relative to its retrieval_events folder."""
    repo: str | None = None
    """The task's only repository, if known. Statistics need it: tasks of one repository tend to
    rise and fall together."""
    title: str | None = None
    """What the user asked first, of a session that no data set names."""
    branch: str | None = None
    started_at: str | None = None
    """When the session began, for trials without records."""
    last_call_at: str | None = None
    """When its last tool call was made."""
    servers: Mapping[str, ServerUse] = field(default_factory=dict)
    """What the calls of each MCP server took, beside those of all other tools."""
    relevant_lines: float | None = None
    """Distinct lines of the ground truth, if it has lines."""
    outcome: TrialOutcome | None = None
    """From outcomes.json; None when the run has none."""
    patch_source: str | None = None
    """Where the edited files come from that are compared with the gold patch; None if none are."""
    parts: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    """Metric to its numerator and denominator, for averages over all tasks together."""
    no_outcome: str = "no_outcome"
    """Why there is no outcome, if there is none: `no_outcome`, or `outcomes_refused` if
    outcomes.json cannot be read (D62)."""

    @property
    def trial_key(self) -> str:
        """A key that copies of one trial in several runs share. A configuration counts each key
        once (D41)."""
        if self.outcome is not None and self.outcome.trial_key:
            return self.outcome.trial_key
        return "/".join(self.names)

    def why_undefined(self, name: str) -> str:
        """Why the row has no value of this name; a code such as `no_ground_truth` (D19)."""
        return self.undefined.get(name) or self.reason or "missing"


class Detail(Frozen, frozen=True, dict=True):
    """One evaluated trial: its row and the documents that the row was made from."""

    row: TrialRow
    events: EventsDocument
    metrics: MetricsDocument

    @cached_property
    def evidence(self) -> EvidenceView:
        """Its accesses as the metrics see them, found out once: half of the time of a page."""
        return EvidenceView(self.events)
