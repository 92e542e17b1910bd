"""The right lines: how many lines of the ground truth were shown (D72).

The specification's chunk stage only asks whether a chunk's file was touched. Here the lines
themselves count: the lines of `chunks`, else of `edit_chunks`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from msgspec import UNSET, UnsetType

from groundtrace.base.frozen import Frozen
from groundtrace.documents.events import Chunk
from groundtrace.documents.line_map import LineRun, common, joined, size
from groundtrace.documents.metrics import LineLevelMetrics
from groundtrace.metrics.evidence import (
    EvidenceView,
    ShownLines,
    lines_unknown,
    once,
    shown_lines,
    within_limit,
)
from groundtrace.metrics.record import MetricDeclaration, MetricSection, SectionField, Spot

LineBasis = Literal["chunks", "edit_chunks"]


class SeenLines(Frozen, frozen=True):
    """Truth lines and lines shown, counted."""

    reason: str | None
    """Why nothing can be computed; then all counts of lines are 0."""
    basis: LineBasis | None = None
    relevant: int = 0
    """Number of truth lines, each counted once."""
    relevant_seen: int = 0
    seen: int = 0
    """Distinct lines shown, of any file."""
    chunks: int = 0
    chunks_met: int = 0
    """Chunks with at least one line shown."""
    accesses: int | UnsetType = UNSET
    """Accesses that showed a truth file, if that is known."""
    without: int | UnsetType = UNSET
    """Accesses of these whose lines are not known."""

    def share(self, part: int, whole: int) -> float | None:
        """A part of a whole; None without evidence, and if the whole is 0."""
        return part / whole if self.reason is None and whole else None


@once
def seen_lines(evidence: EvidenceView) -> SeenLines:
    """The truth lines of a trial's task, and what was shown of them."""
    basis, chunks = _truth_chunks(evidence)
    if basis is None:
        return SeenLines("no_chunk_ground_truth")
    reason = evidence.trace_reason or evidence.older
    if reason is not None:
        return SeenLines(reason, basis)
    names = {chunk.file.lower() for chunk in chunks}
    shown = shown_lines(evidence)
    of_truth = [one for one in shown if one.touch.truth is not None or one.names & names]
    known = [one for one in of_truth if one.runs is not None]
    without = len(of_truth) - len(known)
    counted = SeenLines(None, basis, accesses=len(of_truth), without=without)
    if lines_unknown(of_truth, known):
        return SeenLines("lines_unknown", basis, accesses=len(of_truth), without=without)
    return _counted(counted, chunks, shown)


def _truth_chunks(evidence: EvidenceView) -> tuple[LineBasis | None, Sequence[Chunk]]:
    truth = evidence.document.ground_truth
    bases: tuple[LineBasis, ...] = ("chunks", "edit_chunks")
    for basis, stated in zip(bases, (truth.chunks, truth.edit_chunks), strict=True):
        # A range that ends before it begins has no lines.
        chunks = [] if stated is UNSET else [c for c in stated if c.line_start <= c.line_end]
        if chunks:
            return basis, chunks
    return None, ()


def _counted(view: SeenLines, chunks: Sequence[Chunk], shown: Sequence[ShownLines]) -> SeenLines:
    by_file: dict[tuple[bool, str], list[LineRun]] = {}
    by_name: dict[str, list[LineRun]] = {}
    for one in shown:
        by_file.setdefault(one.touch.key, []).extend(one.runs or ())
        for name in one.names:
            by_name.setdefault(name, []).extend(one.runs or ())
    seen = {name: joined(runs) for name, runs in by_name.items()}
    relevant: dict[str, list[LineRun]] = {}
    for chunk in chunks:
        relevant.setdefault(chunk.file.lower(), []).append((chunk.line_start, chunk.line_end))
    return SeenLines(
        None,
        view.basis,
        relevant=sum(size(joined(runs)) for runs in relevant.values()),
        relevant_seen=sum(
            size(common(joined(runs), seen.get(name, []))) for name, runs in relevant.items()
        ),
        seen=sum(size(joined(runs)) for runs in by_file.values()),
        chunks=len(chunks),
        chunks_met=sum(_is_met(chunk, seen) for chunk in chunks),
        accesses=view.accesses,
        without=view.without,
    )


def _is_met(chunk: Chunk, seen: Mapping[str, Sequence[LineRun]]) -> bool:
    lines = [(chunk.line_start, chunk.line_end)]
    return bool(common(lines, seen.get(chunk.file.lower(), [])))


def make_line_level(view: SeenLines) -> LineLevelMetrics:
    """The section, or why it has no values."""
    known = view.reason is None
    return LineLevelMetrics(
        basis=view.basis,
        reason=view.reason,
        lines_seen=within_limit(view.seen) if known else None,
        lines_relevant=within_limit(view.relevant) if known else None,
        lines_relevant_seen=within_limit(view.relevant_seen) if known else None,
        accesses_of_truth_files=view.accesses,
        accesses_without_lines=view.without,
        **LINE_LEVEL.values(view),
    )


_UNDEFINED = (
    "the task has no line ranges (`no_chunk_ground_truth`), there is no usable trace "
    "(`no_trace`, `empty_trace`, `answers_missing`, `subagents_unseen`), the document is older than version 1.2 "
    "(`older_document`), or more than 20 % of the characters that were shown of ground-truth files "
    "have unknown lines (`lines_unknown`)"
)
_OURS = "groundtrace, decision D72"

_LINE_RECALL = MetricDeclaration[SeenLines](
    name="line_recall",
    title="Line recall",
    measures=(
        "Share of the ground-truth lines that were shown to the agent, by reading or by a "
        "search. Line numbers are those before the agent's own edits."
    ),
    formula="|truth lines ∩ lines shown| / |truth lines|",
    undefined=_UNDEFINED,
    known_problems=(
        "Lines that were shown without numbers are not counted, nor are lines of a file after "
        "an edit at an unknown place. Up to 20 % of the characters may be like this, so the "
        "value can be too low."
    ),
    reference=_OURS,
    compute=lambda view: view.share(view.relevant_seen, view.relevant),
    arithmetic=lambda view: f"{view.relevant_seen} of {view.relevant} lines",
    worked={
        "line_recall": (
            "lines 10 to 15 of src/app.py 10-20, none of src/config.py 1-5: 6 / 16",
            0.375,
        ),
    },
    shown_in={
        "line_recall": {
            "coverage": Spot(71, "line recall"),
            "lines_and_context": Spot(10),
            "lines_chart": Spot(10),
            "comparison": Spot(111),
            "trial_detail": Spot(111),
        },
    },
)

_LINE_PRECISION = MetricDeclaration[SeenLines](
    name="line_precision",
    title="Line precision",
    measures="Share of the distinct lines shown, of any file, that are ground-truth lines.",
    formula="|truth lines ∩ lines shown| / |lines shown|",
    undefined=_UNDEFINED + ", or no line was shown (`nothing_shown`)",
    known_problems=(
        "Lines of other files that were shown without numbers are missing in the denominator, "
        "so the value can be too high; `accesses_without_lines` counts only ground-truth files."
    ),
    reference=_OURS,
    compute=lambda view: view.share(view.relevant_seen, view.seen),
    arithmetic=lambda view: f"{view.relevant_seen} of {view.seen} lines shown",
    worked={
        "line_precision": (
            "15 lines of src/app.py, 2 of src/util.py and 30 of src/db.py were shown: 6 / 47",
            0.1277,
        ),
    },
    missing="nothing_shown",
    shown_in={
        "line_precision": {
            "lines_and_context": Spot(20),
            "lines_chart": Spot(20),
            "comparison": Spot(112),
            "trial_detail": Spot(112),
        },
    },
)

_CHUNK_RECALL = MetricDeclaration[SeenLines](
    name="chunk_recall_by_lines",
    title="Chunk recall by lines",
    measures="Share of the line ranges of the ground truth with at least one line shown.",
    formula="chunks with a line shown / chunks",
    undefined=_UNDEFINED,
    known_problems=(
        "One line is enough: a search that shows one line of a range of 200 lines meets the range."
    ),
    reference=_OURS,
    compute=lambda view: view.share(view.chunks_met, view.chunks),
    arithmetic=lambda view: f"{view.chunks_met} of {view.chunks} chunks",
    worked={
        "chunk_recall_by_lines": (
            "lines of src/app.py 10-20 were shown, none of src/config.py: 1 / 2",
            0.5,
        ),
    },
    shown_in={
        "chunk_recall_by_lines": {
            "lines_and_context": Spot(30),
            "lines_chart": Spot(30),
            "comparison": Spot(113),
            "trial_detail": Spot(113),
        },
    },
)

LINE_LEVEL = MetricSection[SeenLines](
    heading="The right lines",
    fields=(SectionField[SeenLines](name="line_level_metrics", view=seen_lines),),
    declarations=(_LINE_RECALL, _LINE_PRECISION, _CHUNK_RECALL),
    make=make_line_level,
    why=lambda section, declared: section.reason or declared.missing,
)
