"""What the page keeps of each trial: its calls in order, its ground truth and its arithmetic."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, get_args

import msgspec
from msgspec import UNSET, field

from groundtrace.base.frozen import Frozen
from groundtrace.base.visible import shell_word
from groundtrace.documents.events import Coverage, Event, EventsDocument
from groundtrace.metrics.catalogue import METRICS, Calculations
from groundtrace.metrics.evidence import RETRIEVED, SHOWN, EvidenceView, Touch
from groundtrace.model import AccessKind, Category
from groundtrace.report import formats
from groundtrace.report.calls import DEEDS, strongest_deed
from groundtrace.report.safe_text import plain, plain_at, shown_name
from groundtrace.report.wording import reason
from groundtrace.rows.trial_row import Detail

CATEGORIES: tuple[Category, ...] = get_args(Category)
ACCESS_KINDS: tuple[AccessKind, ...] = get_args(AccessKind)

MCP, SUBAGENT, FIRST, HIT, WRITE = 1, 2, 4, 16, 32
GENERIC, OTHER_REVISION, UNANSWERED = 64, 128, 256
"""Marks of a step, as bits. These three say how much its files can be trusted."""

NOTABLE = HIT | WRITE
"""Marks of the calls that the last level keeps."""

ALL_TOKENS = 0.99
"""If the calls reach this share of the stated tokens, they count as all of them. A stream can hold
placeholders instead of final counts, which leaves up to 0.5 % out."""

FOLDER = 1_000
"""Most characters of a folder's path that are shown. It is large, because a path that was cut opens
nothing."""


class Limits(Frozen, frozen=True):
    """How much of a trial is kept."""

    steps: int
    files: int
    """Most files of one call."""
    argument: int
    """Most characters of a call's arguments."""
    only_notable: bool = False
    """Keep only calls that hit or wrote."""

    def in_words(self) -> str:
        """What was cut, in words."""
        kept = "calls that met a relevant file or wrote one" if self.only_notable else "calls"
        return (
            f"at most {self.steps:,} {kept} of a trial, {self.files:,} files of a call, and "
            f"{self.argument} characters of its arguments"
        )


LEVELS = (
    Limits(1_000, 40, 240),
    Limits(250, 12, 120),
    Limits(80, 5, 60),
    Limits(40, 3, 0, only_notable=True),
)
"""From the most to the least that is kept; the first that fits is used."""


class _Words:
    """Strings, each stored once and referred to by number."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self._numbers: dict[str, int] = {}

    def number(self, text: str) -> int:
        found = self._numbers.get(text)
        if found is None:
            found = self._numbers[text] = len(self.texts)
            self.texts.append(shown_name(text))
        return found


class ShorterArguments(msgspec.Struct):
    """Arguments of a trial's calls as lower levels show them."""

    limits: Sequence[int]
    """Most characters at each of these levels, largest first."""
    texts: list[list[str]] = field(default_factory=list)
    """For each call its arguments at each level; none if they are short enough for all."""


def trial_data(
    detail: Detail, limits: Limits, first_step: int = 0, shorter: ShorterArguments | None = None
) -> dict[str, Any]:
    """One trial, compact: names by number, marks as bits, numbers as they are shown.

    Calls before `first_step` are left out; `cut` counts the calls after the last one included.
    """
    return {
        "about": _about(detail.events, detail),
        "truth": _truth(detail.evidence),
        "metrics": _metrics(detail.evidence, detail),
        "folder": _folder(detail),
        "explain": _explain(detail),
        **calls_data(detail, limits, first_step, shorter),
    }


def calls_data(
    detail: Detail, limits: Limits, first_step: int = 0, shorter: ShorterArguments | None = None
) -> dict[str, Any]:
    """The part of `trial_data` that depends on the limits: the calls and the names in them."""
    evidence = detail.evidence
    words = _Words()
    first = detail.metrics.file_level_metrics.first_gt_hit_step
    touches: dict[int, list[Touch]] = {}
    for touch in evidence.touches:
        touches.setdefault(id(touch.event), []).append(touch)
    truth = {entry: number for number, entry in enumerate(evidence.truth)}
    steps: list[list[Any]] = []
    ordered = sorted(evidence.document.events, key=lambda event: event.step_index)
    for event in ordered[first_step:]:
        if len(steps) >= limits.steps:
            break
        found = touches.get(id(event), [])
        made = _step(event, found, first, truth, words, limits, shorter)
        if made is not None:
            deed = strongest_deed(event, {touch.kind for touch in found}, detail.row.unknown_tools)
            agent = [] if event.agent is UNSET else [words.number(event.agent)]
            steps.append([*made, DEEDS.index(deed), *agent])
    return {
        "steps": steps,
        "cut": max(len(detail.events.events) - first_step, 0) - len(steps),
        "words": words.texts,
    }


def _step(
    event: Event,
    touches: list[Touch],
    first: int | None,
    truth: dict[str, int],
    words: _Words,
    limits: Limits,
    shorter: ShorterArguments | None,
) -> list[Any] | None:
    """One call; None if it is not kept."""
    marks = (
        MCP * event.is_mcp
        + SUBAGENT * event.is_subagent
        + FIRST * (event.step_index == first)
        + HIT * any(touch.truth is not None for touch in touches)
        + WRITE * any(touch.kind == "written" for touch in touches)
        + GENERIC * any(touch.access.evidence == "generic" for touch in touches)
        + OTHER_REVISION * any(touch.access.other_revision is True for touch in touches)
        + UNANSWERED * (event.answered is False)
    )
    if limits.only_notable and not marks & NOTABLE:
        return None
    files = _files(event, touches)
    # If not all files are kept, hits come first: readers look for them.
    kept = (
        sorted(files, key=lambda file: file[2] is None)[: limits.files]
        if len(files) > limits.files
        else files
    )
    return [
        event.step_index,
        CATEGORIES.index(event.tool_category),
        words.number(event.tool_name),
        marks,
        _arguments(event, limits.argument, shorter),
        [
            [words.number(name), ACCESS_KINDS.index(kind), -1 if hit is None else truth[hit], lines]
            for name, kind, hit, lines in kept
        ],
        len(files) - len(kept),
        formats.seconds(event.elapsed_seconds) if event.elapsed_seconds is not None else "",
        formats.tokens(event.cumulative_tokens) if event.cumulative_tokens is not None else "",
    ]


_File = tuple[str, AccessKind, str | None, str]


def _files(event: Event, touches: list[Touch]) -> list[_File]:
    """Files of a call, each kind of touch once, with the lines that are known."""
    accesses = event.accesses if event.accesses is not UNSET else []
    lines: dict[tuple[str, AccessKind, str | None], list[str]] = {}
    for number, touch in enumerate(touches):
        ranges = lines.setdefault((touch.file, touch.kind, touch.truth), [])
        if number < len(accesses) and accesses[number].line_start is not UNSET:
            start, end = accesses[number].line_start, accesses[number].line_end
            ranges.append(f"{start}" if end in (UNSET, start) else f"{start}–{end}")
    return [
        (file, kind, hit, ", ".join(found[:4]) + (" …" if len(found) > 4 else ""))
        for (file, kind, hit), found in lines.items()
    ]


def _arguments(event: Event, limit: int, shorter: ShorterArguments | None) -> str:
    if not limit:
        return ""
    text = "  ".join(f"{name}: {value}" for name, value in event.arguments.items())
    if shorter is None or not shorter.limits:
        return plain(text, limit)
    shown, *rest = plain_at(text, (limit, *shorter.limits))
    shorter.texts.append(rest if rest[-1] != shown else [])
    return shown


def _truth(evidence: EvidenceView) -> list[list[Any]]:
    """Every ground-truth file with the rank and step at which it was first retrieved and first
    shown."""
    places = {}
    for kinds in (RETRIEVED, SHOWN):
        for rank, touch in enumerate(evidence.first(kinds), 1):
            if touch.truth is not None:
                places[kinds, touch.truth] = [rank, touch.event.step_index]
    return [
        [shown_name(entry), places.get((RETRIEVED, entry)), places.get((SHOWN, entry))]
        for entry in evidence.truth
    ]


def _metrics(evidence: EvidenceView, detail: Detail) -> list[list[str]]:
    """Name, value and arithmetic; a metric that is undefined says why."""
    calculations = Calculations(evidence)
    rows = []
    for metric in METRICS.shown_in("trial_detail"):
        name, value = metric.name, metric.getter(detail.metrics)
        if value is None:
            rows.append([name, formats.MISSING, reason(metric.why_undefined(detail.metrics))])
        else:
            rows.append([name, formats.value(name, value), calculations.of(name) or ""])
    return rows


def _folder(detail: Detail) -> str:
    """The trial's folder, relative to the folder that contains the run; empty if unknown."""
    outcome = detail.row.outcome
    return "" if outcome is None else shown_name(f"{outcome.run_id}/{outcome.path}", FOLDER)


def _explain(detail: Detail) -> str:
    """The command that shows the same in a terminal, in the folder that contains the run."""
    outcome = detail.row.outcome
    folder = "" if outcome is None else f"{outcome.run_id}/{outcome.path}"
    return f"groundtrace explain {shell_word(folder)}" if 0 < len(folder) <= FOLDER else ""


def _tokens_counted(coverage: Coverage) -> str:
    """The share of the stated total that the calls add up to, if it is not all of it."""
    share = coverage.tokens_share
    if share is UNSET or share is None or share >= ALL_TOKENS:
        return ""
    return f"calls add up to {100 * share:.0f} % of the total that the trace states"


def _about(document: EventsDocument, detail: Detail) -> list[list[str]]:
    """What a reader should know before trusting the other numbers."""
    coverage = document.coverage
    outcome = detail.row.outcome
    problems = coverage.problems if coverage.problems is not UNSET else {}
    harness = [outcome.harness, outcome.harness_version] if outcome is not None else []
    lines = [
        ("trace", coverage.trace_source or "none"),
        ("not read", coverage.degraded_reason or ""),
        ("tokens", _tokens_counted(coverage)),
        ("ground truth", coverage.ground_truth_source or "none"),
        ("confidence", coverage.ground_truth_confidence or ""),
        ("problems", ", ".join(f"{count} {kind}" for kind, count in problems.items())),
        ("model", document.provenance.model or "unknown"),
        ("harness", " ".join(part for part in harness if part)),
        ("ended with", (outcome.exception if outcome is not None else "") or ""),
        ("no reward", (outcome.reward_reason if outcome is not None else "") or ""),
    ]
    return [[label, plain(text)] for label, text in lines if text]
