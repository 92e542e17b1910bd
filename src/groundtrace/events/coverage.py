"""What could be read of a trial, and what is missing, in words (D38); when its time starts (D10)."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from typing import Literal

from msgspec import UNSET

from groundtrace.base.frozen import Frozen
from groundtrace.base.times import seconds_between
from groundtrace.documents.events import Coverage, GroundTruthSection
from groundtrace.model import CallView, GroundTruth, Problem, Trace, Trial
from groundtrace.tools.table import SUBAGENT_TOOL

_MAX_LEAD = 3600.0
"""How many seconds the agent's recorded start may be before the first time of the trace (D10)."""


class Clock(Frozen, frozen=True):
    """The time from which `elapsed_seconds` counts (D10)."""

    origin: Literal["agent_execution", "first_timestamp"] | None
    start: float | None

    def elapsed(self, timestamp: float | None) -> float | None:
        """Seconds since the start; the start is never later than any call's time."""
        if timestamp is None or self.start is None or not math.isfinite(timestamp):
            return None
        return seconds_between(self.start, timestamp)


def clock_of(trial: Trial, trace: Trace) -> Clock:
    """The clock of a trial: the recorded start of the agent, else the trace's first time."""
    times = [trace.first_timestamp, *(call.timestamp for call in trace.calls)]
    stated = [time for time in times if time is not None and math.isfinite(time)]
    if not stated:
        return Clock(None, None)
    first = min(stated)
    started = trial.outcome.agent_started_at
    if started is not None and 0 <= first - started <= _MAX_LEAD:
        return Clock("agent_execution", started)
    return Clock("first_timestamp", first)


def iso(timestamp: float | None) -> str | None:
    """A time as documents write it; None if there is no time that can be written."""
    if timestamp is None or not math.isfinite(timestamp):
        return None
    try:
        moment = datetime.fromtimestamp(timestamp, UTC)
    except (ValueError, OverflowError, OSError):
        return None
    return f"{moment.isoformat(timespec='milliseconds')[:-6]}Z"  # without +00:00


_HARMLESS = frozenset({"arguments_differ", "empty_file", "non_json_lines", "not_a_transcript"})
"""Problems of a trial's own files that lose nothing of what the agent did: standard error is merged
into transcripts, and an empty file beside a complete one is not a loss."""

_RECORDS = frozenset({"result.json", "config.json", "task_metrics.json"})
"""Files that identify a trial and say how it ended. What is wrong with them is counted in
`problems`; the trace is still complete (D61)."""

_KINDS_LISTED = 3
"""How many kinds of commands that were not read are named."""


def coverage_of(
    trial: Trial,
    trace: Trace,
    views: Sequence[CallView],
    truth: GroundTruth,
    section: GroundTruthSection,
    problems: Sequence[Problem],
    clock: Clock,
    unmatched_suffixes: int,
) -> Coverage:
    """The coverage section of the document."""
    known = bool(section.files)
    counts = Counter([problem.kind for problem in problems])
    unanswered = sum([call.result is None for call in trace.calls])
    looks = [view.looks for view in views]
    looks_unanswered = _lookups_unanswered(trace, looks) if unanswered else 0
    unseen = _subagents_unseen(trace, views)
    return Coverage(
        has_trajectory=trace.has_trajectory,
        has_transcript=trace.has_transcript,
        has_ground_truth=known,
        has_chunk_ground_truth=section.chunks is not UNSET,
        trace_source=trace.source,
        degraded_reason=_degraded_reason(
            trial, trace, views, problems, unanswered, looks_unanswered, unseen, has_truth=known
        ),
        ground_truth_source=truth.source if known else None,
        ground_truth_confidence=truth.confidence if known else None,
        elapsed_origin=clock.origin,
        problems=dict(sorted(counts.items())),
        calls_unanswered=unanswered,
        calls_unknown_tool=sum([view.tool is None for view in views]),
        tokens_share=trace.tokens_share,
        lookups=sum(looks),
        lookups_unanswered=looks_unanswered,
        subagents_unseen=unseen,
        unmatched_suffixes=unmatched_suffixes if known else UNSET,
    )


def _degraded_reason(
    trial: Trial,
    trace: Trace,
    views: Sequence[CallView],
    problems: Sequence[Problem],
    unanswered: int,
    looks_unanswered: int,
    unseen: int,
    *,
    has_truth: bool,
) -> str | None:
    """What is missing, in the order of the specification's table; None if nothing is missing."""
    reasons = []
    stopped = next((p.reason for p in problems if p.kind == "time_limit"), None)
    if stopped is not None:
        return stopped
    if trial.loose is not None and trial.loose.is_result:
        reasons.append("no trace: a row of predictions or of ranked lists")
    elif trace.source is None:
        had_files = trace.has_trajectory or trace.has_transcript
        reasons.append(
            "no usable trace: the files that were found hold no events"
            if had_files
            else "no usable trace: neither a trajectory nor a transcript could be read"
        )
    elif not trace.calls:
        reasons.append("the trace holds no tool call that could be read")
    if problems:
        reasons += _damage(trial, problems)
        reasons += _commands_not_read(views)
    if unanswered:
        reasons.append(f"the trace has no result for {unanswered} of {_calls(len(trace.calls))}")
    if unseen:
        number = "1 subagent was" if unseen == 1 else f"{unseen} subagents were"
        reasons.append(f"{number} started of whose calls the trace holds none")
    if looks_unanswered:
        looked = sum(view.looks for view in views)
        reasons.append(
            f"the trace has no result for {looks_unanswered} of {looked} searches, commands and "
            "calls of unknown tools"
        )
    if not has_truth:
        reasons.append(f"no ground truth: {_why_no_truth(trial, problems)}")
    return "; ".join(reasons) or None


def _why_no_truth(trial: Trial, problems: Sequence[Problem]) -> str:
    if trial.task is None:
        unclear = (problem.reason for problem in problems if problem.kind == "ambiguous_task")
        return next(unclear, "no definition of the task was found")
    left_out = [problem.file for problem in problems if problem.kind == "truth_source_off"]
    if left_out:
        return f"files are named only by {' and '.join(left_out)}; --truth-sources chooses sources"
    return "the task's definition names no files"


def _damage(trial: Trial, problems: Iterable[Problem]) -> Iterator[str]:
    lost = Counter[str]()
    damaged = Counter[str]()
    of_trace = {*trial.files, "agent"} - _RECORDS
    for problem in problems:
        if problem.lost_calls > 0:
            lost[problem.kind] += problem.lost_calls
        elif problem.file in of_trace and problem.kind not in _HARMLESS:
            damaged[problem.kind] += 1
    if lost:
        yield f"tool calls lost: {_listed(lost)}"
    if damaged:
        yield f"parts of the trace could not be read: {_listed(damaged)}"


def _commands_not_read(views: Iterable[CallView]) -> Iterator[str]:
    """Commands whose files are not known, because their shell is not followed so far (D201)."""
    unread = [[p.reason for p in view.problems if p.kind == "shell_not_read"] for view in views]
    calls = sum(map(bool, unread))
    if calls:
        kinds = sorted({reason.removeprefix("not read: ") for call in unread for reason in call})
        listed = ", ".join(kinds[:_KINDS_LISTED]) + (", …" if len(kinds) > _KINDS_LISTED else "")
        yield f"shell commands of {'1 call' if calls == 1 else f'{calls} calls'} were not read: {listed}"


def _lookups_unanswered(trace: Trace, looks: Sequence[bool]) -> int:
    """Calls without an answer, if only the answer would say what they found (D47)."""
    pairs = zip(trace.calls, looks, strict=True)
    return sum(is_lookup and call.result is None for call, is_lookup in pairs)


def _subagents_unseen(trace: Trace, views: Sequence[CallView]) -> int:
    """Subagents that were started and of whose calls the trace holds none (D191)."""
    started = sum(view.tool == SUBAGENT_TOOL and not view.failed for view in views)
    if not started:
        return 0
    seen = {call.agent for call in trace.calls if call.is_subagent}
    # Calls of subagents that are not told apart may be those of all of them.
    return 0 if None in seen else max(0, started - len(seen))


def _calls(number: int) -> str:
    return "1 tool call" if number == 1 else f"{number} tool calls"


def _listed(counts: Counter[str]) -> str:
    return ", ".join(f"{kind} {count}" for kind, count in sorted(counts.items()))
