"""The retrieval-events document of one trial: calls, files and ground truth brought together.

Until here the stages know nothing of each other: a trace has calls, a view has files as the call
names them, a truth has entries as the task writes them. Here they are resolved against each other,
because only here all of them are at hand:

- which file each reference is, spelled once per trial, and which ground-truth entry it is. What a
  path means depends on all paths of the trial, so one `Resolver` is built from all views before
  the first event is written;
- how edit targets and line ranges are spelled: like the file of `files` or of the trial that they
  are, so that metrics can compare text;
- from when time counts (`Clock`): the recorded start of the agent, unless it lies too far from the
  trace to be believed;
- what is missing (`degraded_reason`), in one sentence that later stages pass on.

Nothing is resolved again after this. The document holds the answer on each access
(`ground_truth_file`), so that metrics count and do not compare paths a second time. Edit targets,
line ranges and neighbours are still compared by `paths.placing`, from spellings.

Text is cleaned, masked and shortened on its way in (`events.text`): a document can be written,
holds no credentials and does not grow with a trace's longest argument.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal, get_args

from msgspec import UNSET, UnsetType

from groundtrace.config import Settings
from groundtrace.documents.base import MAX_INT
from groundtrace.documents.events import (
    Access,
    Chunk,
    Coverage,
    Event,
    EventsDocument,
    EventSummary,
    GroundTruthSection,
    Provenance,
    Symbol,
)
from groundtrace.events.text import salient_arguments, shown_text
from groundtrace.jsonio import clean_text
from groundtrace.model import (
    CallView,
    Category,
    FileRef,
    GroundTruth,
    Problem,
    ToolCall,
    Trace,
    Trial,
)
from groundtrace.paths import Resolver
from groundtrace.times import seconds_between
from groundtrace.values import model_name

_MAX_LEAD = 3600.0
"""Seconds by which the agent's recorded start may precede the trace's first time (D10)."""


_HARMLESS = frozenset({"empty_file", "non_json_lines", "not_a_transcript"})
"""Problems of a trial's own files by which nothing that the agent did is lost: standard error is
merged into transcripts, and an empty file beside a whole one is no loss."""

_SUBAGENT_TOOL = "Task"
"""Canonical name of the tool that starts a subagent."""


@dataclass(frozen=True, slots=True)
class Clock:
    """From when `elapsed_seconds` counts (D10)."""

    origin: Literal["agent_execution", "first_timestamp"] | None
    start: float | None

    def elapsed(self, timestamp: float | None) -> float | None:
        """Seconds since the start; the start is never later than any call's time."""
        if timestamp is None or self.start is None or not math.isfinite(timestamp):
            return None
        return seconds_between(self.start, timestamp)


def build_document(
    trial: Trial,
    trace: Trace,
    views: Sequence[CallView],
    truth: GroundTruth,
    problems: Sequence[Problem],
    settings: Settings,
) -> EventsDocument:
    """The document of one trial; same input, same document (D37).

    `problems` are all that were met on the way, those of the views with them. `views` has one
    view per call, in the same order.
    """
    full = settings.schema_version != "1.0"
    resolver = Resolver(
        truth=truth,
        task=trial.task,
        refs=(ref for view in views for ref in view.refs),
        # A call that failed names what may not exist: `repository not found`.
        repos=(repo for view in views if not view.failed for repo in view.repos),
        cwd=trace.cwd,
        settings=settings,
    )
    clock = _clock(trial, trace)
    events = [
        _event(index, call, view, resolver, clock, full=full)
        for index, (call, view) in enumerate(zip(trace.calls, views, strict=True))
    ]
    section = _ground_truth(truth, resolver)
    return EventsDocument(
        schema_version=settings.schema_version,
        provenance=_provenance(trial, trace),
        coverage=_coverage(trial, trace, views, truth, section, problems, clock, full=full),
        ground_truth=section,
        events=events,
        summary=_summary(events, len(section.files)),
    )


# --- events -------------------------------------------------------------------------------


def _event(
    index: int, call: ToolCall, view: CallView, resolver: Resolver, clock: Clock, *, full: bool
) -> Event:
    accesses = _accesses(view.refs, resolver)
    matched = _distinct(a.ground_truth_file for a in accesses if a.ground_truth_file)
    return Event(
        step_index=index,
        timestamp=_iso(call.timestamp),
        tool_name=shown_text(call.name),
        tool_category=view.category,
        is_mcp=view.is_mcp,
        arguments=salient_arguments(call.arguments),
        target_files=_distinct(access.file for access in accesses),
        target_symbols=_distinct(shown_text(symbol) for symbol in view.symbols),
        hits_ground_truth=bool(matched),
        matched_ground_truth_files=matched,
        is_subagent=call.is_subagent,
        cumulative_tokens=_count(call.cumulative_tokens),
        elapsed_seconds=clock.elapsed(call.timestamp),
        call_id=(None if call.call_id is None else shown_text(call.call_id)) if full else UNSET,
        accesses=accesses if full else UNSET,
    )


def _accesses(refs: Iterable[FileRef], resolver: Resolver) -> list[Access]:
    """One access per file, kind and range of lines, in order of appearance (D7)."""
    accesses: dict[tuple[str, str, Any, Any], Access] = {}
    for ref in refs:
        resolved = resolver.resolve(ref)
        if resolved is None:
            continue
        start, end = _lines(ref)
        file = shown_text(resolved.file)
        key = (file, ref.kind, start, end)
        if key not in accesses:
            truth = resolved.truth
            accesses[key] = Access(
                file=file,
                kind=ref.kind,
                repo=UNSET if resolved.repo is None else shown_text(resolved.repo),
                line_start=start,
                line_end=end,
                ground_truth_file=UNSET if truth is None else clean_text(truth.spelling),
            )
    return list(accesses.values())


def _lines(ref: FileRef) -> tuple[int | UnsetType, int | UnsetType]:
    if ref.line_start is None and ref.line_end is None:
        return UNSET, UNSET
    start, end = _line(ref.line_start), _line(ref.line_end)
    if start is not UNSET and end is not UNSET and end < start:
        return UNSET, UNSET
    return start, end


def _line(value: int | None) -> int | UnsetType:
    return value if isinstance(value, int) and 1 <= value <= MAX_INT else UNSET


def _clock(trial: Trial, trace: Trace) -> Clock:
    times = [trace.first_timestamp, *(call.timestamp for call in trace.calls)]
    stated = [time for time in times if time is not None and math.isfinite(time)]
    if not stated:
        return Clock(None, None)
    first = min(stated)
    started = trial.outcome.agent_started_at
    if started is not None and 0 <= first - started <= _MAX_LEAD:
        return Clock("agent_execution", started)
    return Clock("first_timestamp", first)


def _iso(timestamp: float | None) -> str | None:
    if timestamp is None or not math.isfinite(timestamp):
        return None
    try:
        moment = datetime.fromtimestamp(timestamp, UTC)
    except (ValueError, OverflowError, OSError):
        return None
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _count(value: int | None) -> int | None:
    return value if value is not None and 0 <= value <= MAX_INT else None


# --- the document's other sections ----------------------------------------------------------


def _provenance(trial: Trial, trace: Trace) -> Provenance:
    model = model_name(trial.model or trace.model)
    return Provenance(
        run_id=clean_text(trial.run_id),
        batch_timestamp=None
        if trial.batch_timestamp is None
        else clean_text(trial.batch_timestamp),
        task_name=clean_text(trial.task_name),
        trial_name=clean_text(trial.trial_name),
        config_name=clean_text(trial.config_name),
        benchmark=None if trial.benchmark is None else clean_text(trial.benchmark),
        model=None if model is None else clean_text(model),
    )


def _ground_truth(truth: GroundTruth, resolver: Resolver) -> GroundTruthSection:
    edits = truth.expected_edit_files
    source = truth.expected_edit_files_source
    return GroundTruthSection(
        files=[clean_text(entry.spelling) for entry in resolver.files],
        symbols=[
            Symbol(
                file=clean_text(symbol.file),
                symbol=clean_text(symbol.symbol),
                repo=None if symbol.repo is None else clean_text(symbol.repo),
            )
            for symbol in truth.symbols
        ]
        or UNSET,
        chunks=[
            Chunk(
                file=clean_text(resolver.spelling_of(chunk.file, chunk.repo)),
                line_start=chunk.line_start,
                line_end=chunk.line_end,
                annotation=None if chunk.annotation is None else clean_text(chunk.annotation),
            )
            for chunk in truth.chunks
        ]
        or UNSET,
        expected_edit_files=_distinct(
            clean_text(resolver.spelling_of(entry.path, entry.repo)) for entry in edits
        )
        or UNSET,
        expected_edit_files_source=clean_text(source) if edits and source else UNSET,
        expected_edit_files_confidence=(
            (truth.expected_edit_files_confidence or UNSET) if edits else UNSET
        ),
    )


def _coverage(
    trial: Trial,
    trace: Trace,
    views: Sequence[CallView],
    truth: GroundTruth,
    section: GroundTruthSection,
    problems: Sequence[Problem],
    clock: Clock,
    *,
    full: bool,
) -> Coverage:
    known = bool(section.files)
    counts = Counter(problem.kind for problem in problems)
    return Coverage(
        has_trajectory=trace.has_trajectory,
        has_transcript=trace.has_transcript,
        has_ground_truth=known,
        has_chunk_ground_truth=section.chunks is not UNSET,
        trace_source=trace.source,
        degraded_reason=_degraded_reason(trial, trace, views, problems, has_truth=known),
        ground_truth_source=truth.source if known else None,
        ground_truth_confidence=truth.confidence if known else None,
        elapsed_origin=clock.origin if full else UNSET,
        problems=dict(sorted(counts.items())) if full else UNSET,
    )


def _degraded_reason(
    trial: Trial,
    trace: Trace,
    views: Sequence[CallView],
    problems: Sequence[Problem],
    *,
    has_truth: bool,
) -> str | None:
    """What is missing, in the order of the specification's table; None when nothing is."""
    reasons = []
    if trace.source is None:
        had_files = trace.has_trajectory or trace.has_transcript
        reasons.append(
            "no usable trace: what was found holds no events"
            if had_files
            else "no usable trace: neither a trajectory nor a transcript could be read"
        )
    elif not trace.calls:
        reasons.append("the trace holds no tool call that could be read")
    lost = Counter[str]()
    damaged = Counter[str]()
    own = set(trial.files)
    for problem in problems:
        if problem.lost_calls > 0:
            lost[problem.kind] += problem.lost_calls
        elif problem.file in own and problem.kind not in _HARMLESS:
            damaged[problem.kind] += 1
    if lost:
        reasons.append(f"tool calls lost: {_listed(lost)}")
    if damaged:
        reasons.append(f"parts of the trace could not be read: {_listed(damaged)}")
    if _subagents_missing(trace, views):
        reasons.append("subagents were started, but the trace holds none of their calls")
    if not has_truth:
        reasons.append(
            "no ground truth: no definition of the task was found"
            if trial.task is None
            else "no ground truth: the task's definition names no files"
        )
    return "; ".join(reasons) or None


def _subagents_missing(trace: Trace, views: Sequence[CallView]) -> bool:
    started = any(view.tool == _SUBAGENT_TOOL and not view.failed for view in views)
    return started and not any(call.is_subagent for call in trace.calls)


def _listed(counts: Counter[str]) -> str:
    return ", ".join(f"{kind} {count}" for kind, count in sorted(counts.items()))


def _summary(events: Sequence[Event], total: int) -> EventSummary:
    hits = [event.step_index for event in events if event.hits_ground_truth]
    categories = Counter(event.tool_category for event in events)
    mcp = sum(event.is_mcp for event in events)
    return EventSummary(
        total_events=len(events),
        mcp_events=mcp,
        local_events=len(events) - mcp,
        unique_files_accessed=len({file for event in events for file in event.target_files}),
        ground_truth_files_hit=len(
            {file for event in events for file in event.matched_ground_truth_files}
        ),
        ground_truth_files_total=total,
        first_ground_truth_hit_step=hits[0] if hits else None,
        events_by_category={
            category: categories[category]
            for category in get_args(Category)
            if categories[category]
        },
    )


def _distinct(items: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(items))
