"""ContextBench's numbers of the final context: what an agent names at its end as what it used.

These are the numbers of its tables. What the agent saw on the way is in `published.py`. Both are
compared with the annotated context of the task (`gold_context`), never with a gold patch.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import UNSET

from groundtrace.documents.events import Chunk, StatedContext
from groundtrace.documents.line_map import common
from groundtrace.metrics.edited import by_key
from groundtrace.metrics.evidence import EvidenceView
from groundtrace.metrics.published_number import Number, Published, declared, share
from groundtrace.metrics.published_patches import lines_by_file, lines_in_both, lines_of

_FILE = ("contextbench_final_file_recall", "contextbench_final_file_precision")
_BLOCK = ("contextbench_final_block_recall", "contextbench_final_block_precision")
_LINE = ("contextbench_final_line_recall", "contextbench_final_line_precision")


def of_final_context(evidence: EvidenceView) -> Published:
    """The final context compared with the annotated one."""
    stated = final_context(evidence)
    if not evidence.truth:
        return dict.fromkeys((*_FILE, *_BLOCK, *_LINE), Number(reason="no_ground_truth"))
    if stated is None:
        return dict.fromkeys((*_FILE, *_BLOCK, *_LINE), Number(reason="no_final_context"))
    gold = {entry.lower() for entry in evidence.truth}
    named = by_key(part.file for part in stated).keys()
    both = len(gold & named)
    files = (share(both, len(gold), "gold files", ""), share(both, len(named), "files named", ""))
    return {**dict(zip(_FILE, files, strict=True)), **_of_ranges(gold_context(evidence), stated)}


def final_context(evidence: EvidenceView) -> Sequence[Chunk] | None:
    """The distinct ranges that the agent names; None if it names none."""
    stated = evidence.document.final_context
    return None if stated is UNSET or not stated else list(dict.fromkeys(map(_chunk, stated)))


def _chunk(part: StatedContext) -> Chunk:
    return Chunk(file=part.file, line_start=part.line_start, line_end=part.line_end)


def gold_context(evidence: EvidenceView) -> Sequence[Chunk]:
    """The distinct ranges that people annotated."""
    chunks = evidence.document.ground_truth.chunks
    ranges = (
        {} if chunks is UNSET else {(c.file.lower(), c.line_start, c.line_end): c for c in chunks}
    )
    return [chunk for chunk in ranges.values() if chunk.line_start <= chunk.line_end]


def _of_ranges(gold: Sequence[Chunk], stated: Sequence[Chunk]) -> Published:
    if not gold:
        return dict.fromkeys((*_BLOCK, *_LINE), Number(reason="no_gold_context"))
    gold_lines, lines = lines_by_file(gold), lines_by_file(stated)
    both = lines_in_both(gold_lines, lines)
    found = sum(_meets(chunk, lines) for chunk in gold)
    right = sum(_meets(chunk, gold_lines) for chunk in stated)
    return {
        _BLOCK[0]: share(found, len(gold), "annotated ranges", ""),
        _BLOCK[1]: share(right, len(stated), "ranges named", ""),
        _LINE[0]: share(both, lines_of(gold_lines), "annotated lines", ""),
        _LINE[1]: share(both, lines_of(lines), "lines named", "nothing_named"),
    }


def _meets(chunk: Chunk, lines: dict[str, Sequence[tuple[int, int]]]) -> bool:
    return bool(common([(chunk.line_start, chunk.line_end)], lines.get(chunk.file.lower(), ())))


# --- declarations -----------------------------------------------------------------------------

_SOURCE = "ContextBench, 2026, a benchmark of context retrieval in coding agents: final context"
_NO_CONTEXT = (
    "the task has no ground truth (`no_ground_truth`), or the agent names no final context "
    "(`no_final_context`)"
)
_NO_RANGES = _NO_CONTEXT + "; or the task has no annotated lines (`no_gold_context`)"
_AVERAGES = (
    "The mean over tasks is the macro average; `micro` in the summary divides the sums of all "
    "tasks, as the published tables do. Both leave out trials that name no final context, and "
    "count them: a model that rarely names one is judged by a few trials."
)
_BLOCKS = (
    "A block is a range of lines as the task or the agent writes it. ContextBench counts "
    "definitions of the syntax tree, which needs the repository. "
)
_LENGTH = (
    "Lines beyond the end of a file count as named: the length of the file is not known here. "
)

FINAL_DECLARATIONS = (
    declared(
        _FILE[0],
        "ContextBench final file recall",
        "Share of the gold files that are in the final context that the agent names.",
        "|gold ∩ named| / |gold|",
        _NO_CONTEXT,
        _AVERAGES,
        _SOURCE,
        ("src/db.py of three: 1 / 3", 0.3333),
        130,
        micro=True,
    ),
    declared(
        _FILE[1],
        "ContextBench final file precision",
        "Share of the files of the final context that are gold.",
        "|gold ∩ named| / |named|",
        _NO_CONTEXT,
        _AVERAGES,
        _SOURCE,
        ("src/db.py, the only file named: 1 / 1", 1.0),
        140,
        micro=True,
    ),
    declared(
        _BLOCK[0],
        "ContextBench final block recall",
        "Share of the annotated ranges of which the final context names a line.",
        "annotated ranges that a named line is in / annotated ranges",
        _NO_RANGES,
        _BLOCKS + _AVERAGES,
        _SOURCE,
        ("src/app.py 10-20 and src/config.py 1-5 are not named: 0 / 2", 0.0),
        150,
        micro=True,
    ),
    declared(
        _BLOCK[1],
        "ContextBench final block precision",
        "Share of the ranges of the final context that hold an annotated line.",
        "named ranges that an annotated line is in / named ranges",
        _NO_RANGES,
        _BLOCKS + _AVERAGES,
        _SOURCE,
        ("src/db.py 1-10 holds no annotated line: 0 / 1", 0.0),
        160,
        micro=True,
    ),
    declared(
        _LINE[0],
        "ContextBench final line recall",
        "Share of the annotated lines that are in the final context.",
        "|gold lines ∩ lines named| / |gold lines|",
        _NO_RANGES,
        _AVERAGES,
        _SOURCE,
        ("none of the 16 lines: 0 / 16", 0.0),
        170,
        micro=True,
    ),
    declared(
        _LINE[1],
        "ContextBench final line precision",
        "Share of the lines of the final context that are annotated.",
        "|gold lines ∩ lines named| / |lines named|",
        _NO_RANGES + ", or it names no lines (`nothing_named`)",
        _LENGTH + _AVERAGES,
        _SOURCE,
        ("none of the ten lines of src/db.py: 0 / 10", 0.0),
        180,
        micro=True,
    ),
)
