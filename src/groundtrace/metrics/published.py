"""Numbers as published work defines them, beside ours, so that tables can be compared (D95).

Each number follows the definition that it names, even if ours differs. An empty patch has precision
0 here and no precision in `patch_metrics`; test files of a patch count here and are separate there.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby

from msgspec import UNSET

from groundtrace.base.frozen import Frozen
from groundtrace.documents.line_map import LineRun, common, joined, size
from groundtrace.documents.patches import PublishedMetrics
from groundtrace.metrics.displays import Spot
from groundtrace.metrics.edited import by_key, edited_files, gold_files
from groundtrace.metrics.evidence import SHOWN, EvidenceView
from groundtrace.metrics.line_level import SeenLines, seen_lines
from groundtrace.metrics.record import (
    NO_TRUTH_OR_TRACE,
    MetricDeclaration,
    MetricSection,
    SectionField,
)
from groundtrace.metrics.shown_lines import ShownLines, lines_unknown, shown_lines


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
    reason = evidence.kinds_reason
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
    if lines_unknown(accesses, counted):
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


# --- the section and its metrics -------------------------------------------------------------


def make_published(view: Published) -> PublishedMetrics:
    """The section, with the reason for each value that it does not have."""
    undefined = {name: number.reason for name, number in view.items() if number.reason is not None}
    return PublishedMetrics(undefined=undefined, **PUBLISHED.values(view))


_AGENTLESS = "“% correct location” of C. S. Xia et al.: Agentless, 2024, at file level; also the file localisation of SWE-bench-Live and Multi-SWE-bench"
_POLYBENCH = "M. S. Rashid et al.: SWE-PolyBench, 2025, file-level retrieval scores of patches"
_CONTEXTBENCH = (
    "ContextBench, 2026, a benchmark of context retrieval in coding agents; its words, our formula"
)
_NO_PATCH = (
    "the task does not say which files to edit (`no_expected_edit_files`) or expects no edit "
    "(`no_edit_expected`), or it is unknown what was edited (`no_trace`, `empty_trace`, "
    "`answers_missing`, `subagents_unseen`, `older_document`, `nothing_written`)"
)
_NO_FILES = (
    NO_TRUTH_OR_TRACE
    + ", the document is of version 1.0 (`older_document`), or nothing was shown (`nothing_shown`)"
)
_NO_LINES = (
    "the task has no annotated lines (`no_chunk_ground_truth`, `no_gold_context`), there is no "
    "usable trace (`no_trace`, `empty_trace`, `answers_missing`, `subagents_unseen`, `older_document`), or too little "
    "of what was shown has known lines (`lines_unknown`)"
)
_NO_USE = (
    ", no gold file or line was shown (`never_hit`), or the agent names no final context "
    "(`no_final_context`)"
)
_FROM_WRITES = (
    "Without a patch, the files that calls wrote are used; published values always use the patch."
)
_EXPLORED = (
    "Published values use the context that the agent names; this one uses all content that "
    "calls showed."
)
_STATED = (
    "Only some harnesses ask the agent for its final context, such as ContextBench's variant "
    "of mini-swe-agent (`<PATCH_CONTEXT>`). The number depends on whether one subtracts or "
    "divides shares; here it is the share of the gold seen that is not in the final context."
)


def _declared(
    name: str,
    title: str,
    measures: str,
    formula: str,
    undefined: str,
    problems: str,
    reference: str,
    worked: tuple[str, float],
    order: int,
    better_lower: bool = False,
) -> MetricDeclaration[Published]:
    return MetricDeclaration[Published](
        name=name,
        title=title,
        measures=measures,
        formula=formula,
        undefined=undefined,
        known_problems=problems,
        reference=reference,
        compute=lambda view: view[name].value,
        arithmetic=lambda view: view[name].text,
        worked={name: worked},
        better="lower" if better_lower else "higher",
        shown_in={name: {"published": Spot(order)}},
    )


_DECLARED = (
    _declared(
        "correct_location",
        "% correct location",
        (
            "1 if the patch edits every file of the gold patch, else 0; the mean over tasks is "
            "the published percentage."
        ),
        "1 if patch ⊇ gold, else 0",
        _NO_PATCH,
        "A patch of all files of a repository has 1. " + _FROM_WRITES,
        _AGENTLESS,
        ("src/config.py is not in the patch", 0.0),
        10,
    ),
    _declared(
        "polybench_file_recall",
        "SWE-PolyBench file recall",
        "Share of the gold patch's files that the patch edits.",
        "|patch ∩ gold| / |gold|",
        _NO_PATCH,
        "The published table is the mean of values per task. " + _FROM_WRITES,
        _POLYBENCH,
        ("src/app.py of src/app.py and src/config.py: 1 / 2", 0.5),
        20,
    ),
    _declared(
        "polybench_file_precision",
        "SWE-PolyBench file precision",
        (
            "Share of all files of the patch, including test files, that the gold patch edits; "
            "0 for an empty patch."
        ),
        "|patch ∩ gold| / |patch|",
        _NO_PATCH,
        "An empty patch counts as 0 and lowers the mean; `patch_precision` leaves it out. "
        + _FROM_WRITES,
        _POLYBENCH,
        ("src/app.py of the four files of the patch: 1 / 4", 0.25),
        30,
    ),
    _declared(
        "polybench_file_f1",
        "SWE-PolyBench file F1",
        "Harmonic mean of the two above, per task.",
        "2 · |patch ∩ gold| / (|patch| + |gold|)",
        _NO_PATCH,
        (
            "This is the mean of F1 per task. The F1 of mean recall and mean precision is "
            "another number, and larger if tasks differ. "
        )
        + _FROM_WRITES,
        _POLYBENCH,
        ("2 · 1 / (4 + 2)", 0.3333),
        40,
    ),
    _declared(
        "contextbench_file_coverage",
        "ContextBench file coverage",
        "Share of the gold files whose content was shown.",
        "|gold ∩ shown| / |gold|",
        NO_TRUTH_OR_TRACE + ", or the document is of version 1.0 (`older_document`)",
        _EXPLORED + " It equals `shown.file_recall`.",
        _CONTEXTBENCH,
        ("src/app.py and src/db.py of three: 2 / 3", 0.6667),
        50,
    ),
    _declared(
        "contextbench_file_precision",
        "ContextBench file precision",
        "Share of the files shown that are gold.",
        "|gold ∩ shown| / |shown|",
        _NO_FILES,
        _EXPLORED + " It equals `shown.context_efficiency`.",
        _CONTEXTBENCH,
        ("of src/app.py, src/util.py and src/db.py two are relevant: 2 / 3", 0.6667),
        60,
    ),
    _declared(
        "contextbench_line_coverage",
        "ContextBench line coverage",
        "Share of the annotated lines that were shown.",
        "|gold lines ∩ lines shown| / |gold lines|",
        _NO_LINES,
        _EXPLORED
        + " It equals `line_recall` if the task's lines are annotated, not taken from the gold patch.",
        _CONTEXTBENCH,
        ("6 of the 16 lines of both ranges: 6 / 16", 0.375),
        70,
    ),
    _declared(
        "contextbench_line_precision",
        "ContextBench line precision",
        "Share of the distinct lines shown that are annotated.",
        "|gold lines ∩ lines shown| / |lines shown|",
        _NO_LINES + ", or no line was shown (`nothing_shown`)",
        _EXPLORED
        + " It equals `line_precision` if the task's lines are annotated, not taken from the gold patch.",
        _CONTEXTBENCH,
        ("6 of 15 + 2 + 30 lines: 6 / 47", 0.1277),
        80,
    ),
    _declared(
        "contextbench_file_redundancy",
        "ContextBench file redundancy",
        "Share of the views of files that show a file that an earlier call had already shown.",
        "Σ |files of a call ∩ files of earlier calls| / Σ |files of a call|",
        _NO_FILES,
        (
            "Two parts of one file in two calls count as repeated. Reading again after a "
            "compaction also counts as repeated."
        ),
        _CONTEXTBENCH,
        ("src/app.py is shown a second time, one of four views: 1 / 4", 0.25),
        90,
        better_lower=True,
    ),
    _declared(
        "contextbench_line_redundancy",
        "ContextBench line redundancy",
        "Share of the views of lines that show a line that an earlier call had already shown.",
        "Σ |lines of a call ∩ lines of earlier calls| / Σ |lines of a call|",
        (
            "there is no usable trace (`no_trace`, `empty_trace`, `answers_missing`, `subagents_unseen`, "
            "`older_document`), nothing was shown (`nothing_shown`), or too little of it has "
            "known lines (`lines_unknown`)"
        ),
        "Lines that the agent wrote itself count as shown, but never as repeated.",
        _CONTEXTBENCH,
        ("lines 8 to 11 of src/app.py again, of 15 + 2 + 30 + 5 lines: 4 / 52", 0.0769),
        100,
        better_lower=True,
    ),
    _declared(
        "contextbench_file_usage_drop",
        "ContextBench file usage drop",
        "Share of the gold files shown that are not in the final context that the agent names.",
        "|gold ∩ shown − stated| / |gold ∩ shown|",
        NO_TRUTH_OR_TRACE + _NO_USE,
        _STATED,
        _CONTEXTBENCH,
        ("src/app.py and src/db.py were shown, the agent names src/db.py: 1 / 2", 0.5),
        110,
        better_lower=True,
    ),
    _declared(
        "contextbench_line_usage_drop",
        "ContextBench line usage drop",
        (
            "Share of the annotated lines shown that are not in the final context that the "
            "agent names."
        ),
        "|gold lines ∩ lines shown − lines stated| / |gold lines ∩ lines shown|",
        _NO_LINES + _NO_USE,
        _STATED + " Line numbers are those that the agent names.",
        _CONTEXTBENCH,
        ("the agent names none of the 6 lines of src/app.py: 6 / 6", 1.0),
        120,
        better_lower=True,
    ),
)

PUBLISHED = MetricSection[Published](
    heading="Under the names that papers use",
    fields=(SectionField[Published](name="published_metrics", view=published),),
    declarations=_DECLARED,
    make=make_published,
    why=lambda section, declared: section.undefined.get(declared.name) or declared.missing,
)
