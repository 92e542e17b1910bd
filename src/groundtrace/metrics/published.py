"""Numbers as published work defines them, beside ours, so that tables can be compared (D95).

Each number follows the definition that it names, even if ours differs. An empty patch has precision
0 here and no precision in `patch_metrics`; test files of a patch count here and are separate there.
"""

from __future__ import annotations

from groundtrace.documents.patches import PublishedMetrics
from groundtrace.metrics.displays import Spot
from groundtrace.metrics.published_values import Published, published
from groundtrace.metrics.record import (
    NO_TRUTH_OR_TRACE,
    MetricDeclaration,
    MetricSection,
    SectionField,
)


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
    "`answers_missing`, `older_document`, `nothing_written`)"
)
_NO_FILES = (
    NO_TRUTH_OR_TRACE
    + ", the document is of version 1.0 (`older_document`), or nothing was shown (`nothing_shown`)"
)
_NO_LINES = (
    "the task has no annotated lines (`no_chunk_ground_truth`, `no_gold_context`), there is no "
    "usable trace (`no_trace`, `empty_trace`, `answers_missing`, `older_document`), or too few "
    "accesses have known lines (`lines_unknown`)"
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
            "there is no usable trace (`no_trace`, `empty_trace`, `answers_missing`, "
            "`older_document`), nothing was shown (`nothing_shown`), or too few accesses have "
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
