"""The numbers of published work, computed from what a trial showed and edited (D95)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby

from msgspec import UNSET

from groundtrace.base.frozen import Frozen
from groundtrace.documents.line_map import LineRun, common, joined, size
from groundtrace.metrics.edited import by_key, edited_files, gold_files
from groundtrace.metrics.evidence import SHOWN, EvidenceView
from groundtrace.metrics.line_level import SeenLines, seen_lines
from groundtrace.metrics.shown_lines import ShownLines, shown_lines, too_many


class Number(Frozen, frozen=True):
    """A value with its arithmetic, or why there is none."""

    value: float | None = None
    text: str = ""
    reason: str | None = None


Published = Mapping[str, Number]
"""Every number of the section by its canonical name."""


def published(evidence: EvidenceView) -> Published:
    """All numbers of a trial, as their authors define them."""
    return {**_of_patch(evidence), **_of_files(evidence), **_of_lines(evidence)}


def _share(part: int, whole: int, what: str, reason: str) -> Number:
    if not whole:
        return Number(reason=reason)
    return Number(part / whole, f"{part} of {whole} {what}")


# --- patches --------------------------------------------------------------------------------

_PATCH_NAMES = (
    "correct_location",
    "polybench_file_recall",
    "polybench_file_precision",
    "polybench_file_f1",
)


def _of_patch(evidence: EvidenceView) -> Published:
    gold, no_gold = gold_files(evidence.document)
    edited = edited_files(evidence)
    if (reason := no_gold or edited.reason) is not None:
        return dict.fromkeys(_PATCH_NAMES, Number(reason=reason))
    right, files = len(gold.keys() & edited.files.keys()), len(edited.files)
    # scikit-learn gives 0 for an empty patch, and so do the published means.
    precision = Number(0.0, "the patch is empty")
    return {
        "correct_location": Number(
            float(right == len(gold)), f"gold files edited: {right} of {len(gold)}"
        ),
        "polybench_file_recall": _share(right, len(gold), "gold files", ""),
        "polybench_file_precision": _share(right, files, "files of the patch", "")
        if files
        else precision,
        "polybench_file_f1": Number(
            2 * right / (files + len(gold)), f"2·{right} / ({files} + {len(gold)})"
        ),
    }


# --- context: files -------------------------------------------------------------------------

_FILE_NAMES = (
    "contextbench_file_coverage",
    "contextbench_file_precision",
    "contextbench_file_redundancy",
    "contextbench_file_usage_drop",
)


def _of_files(evidence: EvidenceView) -> Published:
    reason = evidence.reason or ("older_document" if evidence.basis == "categories" else None)
    if reason is not None:
        return dict.fromkeys(_FILE_NAMES, Number(reason=reason))
    shown = evidence.first(SHOWN)
    found = [touch.truth for touch in shown if touch.truth is not None]
    # A call that shows several places of a file counts once for the file.
    views = {
        (touch.event.step_index, touch.key) for touch in evidence.touches if touch.kind in SHOWN
    }
    again = len(views) - len(shown)
    return {
        "contextbench_file_coverage": _share(
            len(found), len(evidence.truth), "gold files", "no_ground_truth"
        ),
        "contextbench_file_precision": _share(
            len(found), len(shown), "files shown", "nothing_shown"
        ),
        "contextbench_file_redundancy": _share(
            again, len(views), "views of files", "nothing_shown"
        ),
        "contextbench_file_usage_drop": _dropped_files(evidence, found),
    }


def _dropped_files(evidence: EvidenceView, found: Iterable[str]) -> Number:
    stated = evidence.document.final_context
    if stated is UNSET:
        return Number(reason="no_final_context")
    seen = by_key(found)
    dropped = seen.keys() - by_key(part.file for part in stated).keys()
    return _share(len(dropped), len(seen), "gold files shown", "never_hit")


# --- context: lines -------------------------------------------------------------------------

_LINE_NAMES = (
    "contextbench_line_coverage",
    "contextbench_line_precision",
    "contextbench_line_usage_drop",
)


def _of_lines(evidence: EvidenceView) -> Published:
    lines = seen_lines(evidence)
    reason = lines.reason
    if reason is None and lines.basis != "chunks":
        reason = "no_gold_context"
    redundancy = {"contextbench_line_redundancy": _repeated_lines(evidence)}
    if reason is not None:
        return {**dict.fromkeys(_LINE_NAMES, Number(reason=reason)), **redundancy}
    return {
        "contextbench_line_coverage": _share(
            lines.relevant_seen, lines.relevant, "gold lines", "no_chunk_ground_truth"
        ),
        "contextbench_line_precision": _share(
            lines.relevant_seen, lines.seen, "lines shown", "nothing_shown"
        ),
        "contextbench_line_usage_drop": _dropped_lines(evidence, lines),
        **redundancy,
    }


def _repeated_lines(evidence: EvidenceView) -> Number:
    if evidence.trace_reason is not None or evidence.basis == "categories":
        return Number(reason=evidence.trace_reason or "older_document")
    accesses = shown_lines(evidence)
    counted = [one for one in accesses if one.runs is not None]
    if too_many(len(accesses) - len(counted), len(accesses)):
        return Number(reason="lines_unknown")
    again = whole = 0
    seen: dict[tuple[bool, str], Sequence[LineRun]] = {}
    for _, call in groupby(counted, key=lambda one: one.touch.event.step_index):
        shown: dict[tuple[bool, str], list[ShownLines]] = {}
        for one in call:
            shown.setdefault(one.touch.key, []).append(one)
        for key, of_file in shown.items():
            lines: Sequence[LineRun] = of_file[0].runs or ()
            known = seen.get(key)
            whole += sum(one.height for one in of_file)
            if len(of_file) > 1:  # a line that one call shows twice is one line of it
                twice = [run for one in of_file for run in one.runs or ()]
                lines = joined(twice)
                whole -= size(twice) - size(lines)
            if known:
                again += size(common(lines, known))
                lines = joined([*known, *lines])
            seen[key] = lines
    return _share(again, whole, "views of lines", "nothing_shown")


def _dropped_lines(evidence: EvidenceView, lines: SeenLines) -> Number:
    stated = evidence.document.final_context
    if stated is UNSET:
        return Number(reason="no_final_context")
    used: dict[str, list[LineRun]] = {}
    for part in stated:
        used.setdefault(part.file.lower(), []).append((part.line_start, part.line_end))
    kept = 0
    for name, runs in _gold_lines_seen(evidence).items():
        kept += size(common(runs, joined(used.get(name, []))))
    seen = lines.relevant_seen
    return _share(seen - kept, seen, "gold lines shown", "never_hit")


def _gold_lines_seen(evidence: EvidenceView) -> dict[str, list[LineRun]]:
    """Gold lines that were shown, by file."""
    gold: dict[str, list[LineRun]] = {}
    chunks = evidence.document.ground_truth.chunks
    for chunk in chunks if chunks is not UNSET else ():
        if chunk.line_start <= chunk.line_end:
            gold.setdefault(chunk.file.lower(), []).append((chunk.line_start, chunk.line_end))
    shown: dict[str, list[LineRun]] = {}
    for one in shown_lines(evidence):
        for name in _names(one):
            shown.setdefault(name, []).extend(one.runs or ())
    return {name: common(joined(runs), joined(shown.get(name, []))) for name, runs in gold.items()}


def _names(one: ShownLines) -> set[str]:
    names = (one.touch.name, one.touch.file, one.touch.edit)
    return {name.lower() for name in names if name is not None}
