"""Numbers as published work defines them, beside ours, so that tables can be compared (D95).

Each number follows the definition that it names, even if ours differs. An empty patch has precision
0 here and no precision in `patch_metrics`; test files of a patch count here and are separate there.
Here are the numbers of what was seen and of functions; those of patches are in `published_patches`,
those of the final context that an agent names in `published_final`.

Functions follow their authors' rules (D219). OrcaLoca's function match is Agentless' rule (D360). The
nodes of SWE-PolyBench (classes and parts of classes too) are left out, because their rule is not
known well enough.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby

from msgspec import UNSET

from groundtrace.documents.base import in_order
from groundtrace.documents.events import FROM_TRACE
from groundtrace.documents.line_map import LineRun, common, joined, size
from groundtrace.documents.patches import PartAndWhole, PatchSource, PublishedMetrics
from groundtrace.metrics.edited import by_key
from groundtrace.metrics.evidence import SHOWN, EvidenceView, ShownLines, lines_unknown, shown_lines
from groundtrace.metrics.function_level import seen_functions
from groundtrace.metrics.line_level import seen_lines
from groundtrace.metrics.published_final import FINAL_DECLARATIONS, final_context, of_final_context
from groundtrace.metrics.published_number import Number, Published, declared, share
from groundtrace.metrics.published_patches import (
    PATCH_DECLARATIONS,
    lines_by_file,
    lines_in_both,
    lines_of,
    of_patch,
)
from groundtrace.metrics.record import NO_TRUTH_OR_TRACE, MetricSection, SectionField

SOURCE = "source"
"""Name under which the view says where the patch comes from."""

_SOURCES: Mapping[str, PatchSource] = {"trace": "trace", "predictions": "predictions"}


def published(evidence: EvidenceView) -> Published:
    """All numbers of a trial, as their authors define them."""
    return {
        SOURCE: _source(evidence),
        **of_patch(evidence),
        **of_functions(evidence),
        **_of_files(evidence),
        **_of_lines(evidence),
        **of_final_context(evidence),
    }


def _source(evidence: EvidenceView) -> Number:
    submission = evidence.document.submission
    if submission is UNSET:
        return Number()
    return Number(text="trace" if submission.source.startswith(FROM_TRACE) else "predictions")


# --- context: files -------------------------------------------------------------------------

_FILE_NAMES = (
    "contextbench_file_coverage",
    "contextbench_file_precision",
    "contextbench_file_redundancy",
    "contextbench_file_usage_drop",
    "contextbench_file_auc",
)


def _of_files(evidence: EvidenceView) -> Published:
    reason = evidence.details_reason
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
        "contextbench_file_coverage": share(
            len(found), len(evidence.truth), "gold files", "no_ground_truth"
        ),
        "contextbench_file_precision": share(
            len(found), len(shown), "files shown", "nothing_shown"
        ),
        "contextbench_file_redundancy": share(again, len(views), "views of files", "nothing_shown"),
        "contextbench_file_usage_drop": _dropped_files(evidence, found),
        "contextbench_file_auc": _area(_files_so_far(evidence), len(evidence.truth)),
    }


def _dropped_files(evidence: EvidenceView, found: Iterable[str]) -> Number:
    stated = final_context(evidence)
    if stated is None:
        return Number(reason="no_final_context")
    gold, seen = by_key(evidence.truth).keys(), by_key(found).keys()
    kept = gold & by_key(part.file for part in stated).keys()
    return _drop(len(kept), len(seen), "gold files")


def _drop(kept: int, seen: int, what: str) -> Number:
    """Below 0 if the agent names gold that no call is known to have shown."""
    if not seen:
        return Number(reason="never_hit")
    return Number(1 - kept / seen, f"1 − {kept} / {seen} {what}")


def _files_so_far(evidence: EvidenceView) -> Iterator[int]:
    """How many gold files had been shown after each call that shows content."""
    seen: set[str] = set()
    shown = (touch for touch in evidence.touches if touch.kind in SHOWN)
    for _, touches in groupby(shown, key=lambda touch: touch.event.step_index):
        seen.update(touch.truth for touch in touches if touch.truth is not None)
        yield len(seen)


def _area(so_far: Iterable[int], gold: int) -> Number:
    """The mean of the coverage after each step."""
    steps = list(so_far)
    if not steps:
        return Number(reason="nothing_shown")
    text = f"{sum(steps)} / ({gold} · {len(steps)} calls)"
    return Number(sum(steps) / (gold * len(steps)), text)


# --- context: lines -------------------------------------------------------------------------

_LINE_NAMES = (
    "contextbench_line_coverage",
    "contextbench_line_precision",
    "contextbench_line_usage_drop",
    "contextbench_line_auc",
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
        "contextbench_line_coverage": share(
            lines.relevant_seen, lines.relevant, "gold lines", "no_chunk_ground_truth"
        ),
        "contextbench_line_precision": share(
            lines.relevant_seen, lines.seen, "lines shown", "nothing_shown"
        ),
        "contextbench_line_usage_drop": _dropped_lines(evidence, lines.relevant_seen),
        "contextbench_line_auc": _area(_lines_so_far(evidence), lines.relevant),
        **redundancy,
    }


def _repeated_lines(evidence: EvidenceView) -> Number:
    reason = evidence.trace_reason or evidence.older
    if reason is not None:
        return Number(reason=reason)
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
    return share(again, whole, "views of lines", "nothing_shown")


def _dropped_lines(evidence: EvidenceView, seen: int) -> Number:
    stated = final_context(evidence)
    if stated is None:
        return Number(reason="no_final_context")
    kept = lines_in_both(_gold_lines(evidence), lines_by_file(stated))
    return _drop(kept, seen, "gold lines")


def _gold_lines(evidence: EvidenceView) -> dict[str, Sequence[LineRun]]:
    chunks = evidence.document.ground_truth.chunks
    return lines_by_file([] if chunks is UNSET else chunks)


def _lines_so_far(evidence: EvidenceView) -> Iterator[int]:
    """How many gold lines had been shown after each call that shows content."""
    gold = _gold_lines(evidence)
    seen: dict[str, Sequence[LineRun]] = {}
    calls = groupby(shown_lines(evidence), key=lambda one: one.touch.event.step_index)
    for _, accesses in calls:
        for one in accesses:
            for name in one.names & gold.keys():
                new = common(gold[name], one.runs or ())
                seen[name] = joined([*seen.get(name, ()), *new])
        yield lines_of(seen)


# --- the section and its metrics -------------------------------------------------------------


def make_published(view: Published) -> PublishedMetrics:
    """The section, with the reason for each value that it does not have."""
    undefined = {name: number.reason for name, number in view.items() if number.reason is not None}
    summed = (one.name for one in PUBLISHED.declarations if one.micro)
    parts = {
        name: PartAndWhole(part=parts[0], whole=parts[1])
        for name in summed
        if (parts := view[name].parts) is not None
    }
    return PublishedMetrics(
        source=_SOURCES.get(view[SOURCE].text),
        undefined=in_order(undefined),
        parts=in_order(parts),
        **PUBLISHED.values(view),
    )


_CONTEXTBENCH = (
    "ContextBench, 2026, a benchmark of context retrieval in coding agents; its words, our formula"
)
_NO_FILES = (
    NO_TRUTH_OR_TRACE
    + ", the document is older than version 1.2 (`older_document`), or nothing was shown (`nothing_shown`)"
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
_EXPLORED = (
    "This is over all content that calls showed. The tables of the paper are over the context that "
    "the agent names: `contextbench_final_…`."
)
_STATED = (
    "Only some harnesses ask the agent for its final context, such as ContextBench's variant "
    "of mini-swe-agent (`<PATCH_CONTEXT>`). Below 0 if the agent names gold that no call is known "
    "to have shown."
)
_STEPS = (
    "A step is a call that showed content of a file; calls that only list or change files are none."
)

_DECLARED = (
    declared(
        "contextbench_file_coverage",
        "ContextBench file coverage",
        "Share of the gold files whose content was shown.",
        "|gold ∩ shown| / |gold|",
        NO_TRUTH_OR_TRACE + ", or the document is older than version 1.2 (`older_document`)",
        _EXPLORED + " It equals `shown.file_recall`.",
        _CONTEXTBENCH,
        ("src/app.py and src/db.py of three: 2 / 3", 0.6667),
        50,
        micro=True,
    ),
    declared(
        "contextbench_file_precision",
        "ContextBench file precision",
        "Share of the files shown that are gold.",
        "|gold ∩ shown| / |shown|",
        _NO_FILES,
        _EXPLORED + " It equals `shown.context_efficiency`.",
        _CONTEXTBENCH,
        ("of src/app.py, src/util.py and src/db.py two are relevant: 2 / 3", 0.6667),
        60,
        micro=True,
    ),
    declared(
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
        micro=True,
    ),
    declared(
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
        micro=True,
    ),
    declared(
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
    declared(
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
    declared(
        "contextbench_file_usage_drop",
        "ContextBench file usage drop",
        "How much smaller the gold files of the final context are than those that were shown.",
        "1 − |gold ∩ named| / |gold ∩ shown|",
        NO_TRUTH_OR_TRACE + _NO_USE,
        _STATED,
        _CONTEXTBENCH,
        ("src/app.py and src/db.py were shown, the agent names src/db.py: 1 − 1 / 2", 0.5),
        110,
        better_lower=True,
        lower=None,
    ),
    declared(
        "contextbench_line_usage_drop",
        "ContextBench line usage drop",
        "How much fewer annotated lines the final context has than were shown.",
        "1 − |gold lines ∩ lines named| / |gold lines ∩ lines shown|",
        _NO_LINES + _NO_USE,
        _STATED + " Line numbers are those that the agent names.",
        _CONTEXTBENCH,
        ("the agent names none of the 6 lines of src/app.py: 1 − 0 / 6", 1.0),
        120,
        better_lower=True,
        lower=None,
    ),
    declared(
        "contextbench_file_auc",
        "ContextBench file AUC",
        "How early the gold files were shown: the mean of the coverage after each step.",
        "Σ over steps |gold ∩ shown so far| / (|gold| · steps)",
        _NO_FILES,
        _STEPS,
        _CONTEXTBENCH,
        ("after the four calls 1, 1, 2 and 2 of three: 6 / (3 · 4)", 0.5),
        122,
    ),
    declared(
        "contextbench_line_auc",
        "ContextBench line AUC",
        "How early the annotated lines were shown: the mean of the coverage after each step.",
        "Σ over steps |gold lines ∩ lines shown so far| / (|gold lines| · steps)",
        _NO_LINES + ", or nothing was shown (`nothing_shown`)",
        _STEPS,
        _CONTEXTBENCH,
        ("after each of the four calls 6 of 16 lines: 24 / (16 · 4)", 0.375),
        124,
    ),
)

# --- functions ---------------------------------------------------------------------------------

LOCAGENT_CUTOFFS = (5, 10)
"""The values of k for functions in LocAgent's tables."""


def of_functions(evidence: EvidenceView) -> Published:
    """The numbers of functions: the patch's, and Acc@k of the functions shown."""
    seen = seen_functions(evidence)
    reason = seen.undefined.get("function_edit_recall")
    right, gold = seen.right_edits, len(seen.gold)
    found: dict[str, Number] = {
        "correct_location_function": Number(reason=reason)
        if reason is not None
        else Number(float(right == gold), f"the patch changes {right} of {gold} gold functions")
    }
    unseen = seen.undefined.get("function_recall")
    relevant = {*(seen.relevant or ())}
    for k in LOCAGENT_CUTOFFS:
        hits, most = len(relevant & {*seen.shown[:k]}), min(k, len(relevant))
        text = f"{hits} of at most {most} gold functions among the first {k}"
        found |= {
            f"locagent_function_acc@{k}": Number(float(hits == most), text),
            f"locagent_function_recall@{k}": share(
                hits, len(relevant), f"gold functions among the first {k}", ""
            ),
            f"locagent_function_precision@{k}": share(
                hits, k, "places taken by gold functions", ""
            ),
        }
    if unseen is not None:
        found |= {name: Number(reason=unseen) for name in found if name.startswith("locagent")}
    return found


_NOT_KNOWN = (
    "the functions of the gold patch are not known (`no_repository`, `commit_absent`, `file_absent`, "
    "`no_grammar`, `no_function_changed`, `patch_does_not_fit`, `no_gold_lines`)"
)
_NOT_SEEN = (
    _NOT_KNOWN + ", there is no usable trace, or too many lines are unknown (`lines_unknown`)"
)
_RANKED = (
    "LocAgent ranks the functions that its method names; here they are ranked by when a line of them "
    "was first shown. "
)
_OURS = "Functions are those of `ground_truth.functions`; the authors find them with their own parsers. "

FUNCTION_DECLARATIONS = (
    declared(
        "correct_location_function",
        "% correct location, functions",
        "1 if the patch changes every function that the gold patch changes, else 0.",
        "1 if functions of the patch ⊇ functions of the gold patch, else 0",
        _NOT_KNOWN + ", or it is unknown what was submitted (`no_submission`)",
        _OURS + "A patch that rewrites every function has 1.",
        "“% correct location” of C. S. Xia et al.: Agentless, 2024, at function level; “function match” "
        "of Z. Yu et al.: OrcaLoca, 2025",
        ("read is not in the patch", 0.0),
        11,
    ),
    *(
        declared(
            f"locagent_function_acc@{k}",
            f"LocAgent Acc@{k}, functions",
            (
                f"1 if the first {k} functions hold as many needed functions as {k} functions can hold, "
                "else 0."
            ),
            f"1 if |first {k} ∩ gold| = min({k}, |gold|), else 0",
            _NOT_SEEN,
            _OURS + _RANKED + "It cuts the ideal list at k; `func_acc@k` asks for all.",
            "Z. Chen et al.: LocAgent, 2025, function level",
            ("App.load of App.load and read is among the first four", 0.0),
            43,
        )
        for k in LOCAGENT_CUTOFFS
    ),
    *(
        declared(
            f"locagent_function_recall@{k}",
            f"LocAgent recall@{k}, functions",
            f"Share of the needed functions that are among the first {k}.",
            f"|first {k} ∩ gold| / |gold|",
            _NOT_SEEN,
            _OURS
            + _RANKED
            + f"Cannot reach 1 with more than {k} needed functions; `function_recall` "
            "counts all functions shown.",
            "Z. Chen et al.: LocAgent, 2025, function level",
            ("App.load of App.load and read is among the first four: 1 / 2", 0.5),
            43,
        )
        for k in LOCAGENT_CUTOFFS
    ),
    *(
        declared(
            f"locagent_function_precision@{k}",
            f"LocAgent precision@{k}, functions",
            f"Needed functions among the first {k}, divided by {k}.",
            f"|first {k} ∩ gold| / {k}",
            _NOT_SEEN,
            _OURS + _RANKED + f"It divides by {k} even if fewer functions were shown; "
            "`function_precision` divides by the functions shown.",
            "Z. Chen et al.: LocAgent, 2025, function level",
            (f"App.load of App.load and read is among the first four: 1 / {k}", 1 / k),
            43,
        )
        for k in LOCAGENT_CUTOFFS
    ),
)

PUBLISHED = MetricSection[Published](
    heading="Under the names that papers use",
    fields=(SectionField[Published](name="published_metrics", view=published),),
    declarations=(*PATCH_DECLARATIONS, *FUNCTION_DECLARATIONS, *_DECLARED, *FINAL_DECLARATIONS),
    make=make_published,
    why=lambda section, declared: section.undefined.get(declared.name) or declared.missing,
)
