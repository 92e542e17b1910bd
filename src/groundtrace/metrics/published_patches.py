"""Published numbers of patches and of ranked files: Agentless, SWE-PolyBench, LocAgent, and the
edited lines of ContextBench.

The patch is the one that was handed in, from the trace or from a file of predictions. Files that
calls wrote never stand in for it (D233).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from msgspec import UNSET, UnsetType

from groundtrace.documents.events import Chunk, EventsDocument
from groundtrace.documents.functions import FunctionLines
from groundtrace.documents.line_map import LineRun, common, joined, size
from groundtrace.metrics.edited import by_key, gold_files, gold_to_see, ranked_names
from groundtrace.metrics.evidence import EvidenceView
from groundtrace.metrics.published_number import Number, Published, declared, f1, share

LOCAGENT_CUTOFFS = (1, 3, 5)
"""The values of k in LocAgent's tables at file level."""

_FILES = (
    "correct_location",
    "polybench_file_recall",
    "polybench_file_precision",
    "polybench_file_f1",
)
_LINES = (
    "correct_location_line",
    "contextbench_editloc_recall",
    "contextbench_editloc_precision",
)
_ACC = tuple(f"locagent_file_acc@{k}" for k in LOCAGENT_CUTOFFS)


def of_patch(evidence: EvidenceView) -> Published:
    """The numbers of the patch that was handed in, and Acc@k."""
    document = evidence.document
    ranked = _acc(evidence)
    reason = _no_gold(document) or _no_patch(document)
    if reason is not None:
        return {**dict.fromkeys((*_FILES, *_LINES), Number(reason=reason)), **ranked}
    return {**_of_files(document), **_of_lines(document), **ranked}


def _no_gold(document: EventsDocument) -> str | None:
    """Why there is no gold patch to compare with."""
    _, reason = gold_files(document)
    if reason is not None:
        return reason
    return "no_gold_patch" if document.ground_truth.old_names is UNSET else None


def _no_patch(document: EventsDocument) -> str | None:
    """Why there is no patch of the agent."""
    submission = document.submission
    if submission is UNSET:
        return "no_patch"
    return "older_document" if submission.old_names is UNSET else None


def _of_files(document: EventsDocument) -> Published:
    gold, _ = gold_files(document)
    submission = document.submission
    assert submission is not UNSET
    edited = gold.keys() & by_key(submission.files).keys()
    old_gold = by_key(_listed(document.ground_truth.old_names)).keys()
    old_patch = by_key(_listed(submission.old_names)).keys()
    right = len(old_gold & old_patch)
    return {
        "correct_location": Number(
            float(len(edited) == len(gold)), f"gold files edited: {len(edited)} of {len(gold)}"
        ),
        "polybench_file_recall": share(right, len(old_gold), "gold files", "no_gold_patch"),
        # scikit-learn gives 0 for an empty patch, and so do the published means.
        "polybench_file_precision": share(right, len(old_patch), "files of the patch", "")
        if old_patch
        else Number(0.0, "the patch is empty"),
        "polybench_file_f1": f1(right, len(old_patch), len(old_gold), "no_gold_patch"),
    }


def _listed(names: list[str] | UnsetType) -> list[str]:
    return [] if names is UNSET else names


def lines_by_file(chunks: Iterable[Chunk | FunctionLines]) -> dict[str, Sequence[LineRun]]:
    """The lines of ranges, by their file in lower case; a range that ends before it begins has
    none."""
    found: dict[str, list[LineRun]] = {}
    for chunk in chunks:
        if chunk.line_start <= chunk.line_end:
            found.setdefault(chunk.file.lower(), []).append((chunk.line_start, chunk.line_end))
    return {file: joined(runs) for file, runs in found.items()}


def lines_of(files: Mapping[str, Sequence[LineRun]]) -> int:
    """How many lines these are."""
    return sum(map(size, files.values()))


def lines_in_both(
    one: Mapping[str, Sequence[LineRun]], other: Mapping[str, Sequence[LineRun]]
) -> int:
    """How many lines are in both."""
    return sum(size(common(runs, other.get(file, ()))) for file, runs in one.items())


def _of_lines(document: EventsDocument) -> Published:
    submission, chunks = document.submission, document.ground_truth.edit_chunks
    assert submission is not UNSET
    gold = lines_by_file([] if chunks is UNSET else chunks)
    if not gold:
        return dict.fromkeys(_LINES, Number(reason="only_new_files"))
    edited = lines_by_file([] if submission.edit_chunks is UNSET else submission.edit_chunks)
    both, of_gold = lines_in_both(gold, edited), lines_of(gold)
    return {
        "correct_location_line": Number(
            float(both == of_gold), f"gold lines edited: {both} of {of_gold}"
        ),
        "contextbench_editloc_recall": share(both, of_gold, "lines of the gold patch", ""),
        "contextbench_editloc_precision": share(
            both, lines_of(edited), "lines of the patch", "nothing_submitted"
        ),
    }


def _acc(evidence: EvidenceView) -> Published:
    gold, reason = gold_files(evidence.document)
    ranked, unknown = ranked_names(evidence)
    if (reason := reason or unknown) is not None:
        return dict.fromkeys(_ACC, Number(reason=reason))
    to_see = gold_to_see(evidence.document, gold)
    if not to_see:
        return dict.fromkeys(_ACC, Number(reason="only_new_files"))
    made = {}
    for name, k in zip(_ACC, LOCAGENT_CUTOFFS, strict=True):
        first: set[str] = set().union(*ranked[:k])
        hits, wanted = len(first & to_see.keys()), min(k, len(to_see))
        made[name] = Number(float(hits == wanted), f"gold files: {hits}; needed: {wanted}")
    return made


# --- declarations -----------------------------------------------------------------------------

_AGENTLESS = "“% correct location” of C. S. Xia et al.: Agentless, 2024"
_POLYBENCH = "M. S. Rashid et al.: SWE-PolyBench, 2025, file-level retrieval scores of patches"
_LOCAGENT = "Acc@k of Z. Chen et al.: LocAgent, 2025, as its evaluation computes it"
_EDITLOC = "EditLoc of ContextBench, 2026"
_NO_GOLD = (
    "the task does not say which files to edit (`no_expected_edit_files`), expects no edit "
    "(`no_edit_expected`), or says it without a gold patch (`no_gold_patch`)"
)
_NO_PATCH = (
    _NO_GOLD
    + "; neither the trace nor a file of predictions has a patch (`no_patch`), or the document is "
    "of a version before 1.3 (`older_document`)"
)
_NO_LINES = _NO_PATCH + "; or the gold patch only creates files (`only_new_files`)"
_OLD_PATHS = (
    "A file is known by its name before the patch, as the published program reads it: all files "
    "that a patch creates are one file, `/dev/null`, if git's `index` lines are in the patch; "
    "without these lines, which data sets drop from gold patches, and if they are empty, they keep "
    "their names. `patch_recall` and its kin use the names after the patch. "
)
_INSERTED = (
    "A line that is only inserted has no number before the patch: the lines before and after it "
    "stand for it. "
)

PATCH_DECLARATIONS = (
    declared(
        "correct_location",
        "% correct location",
        (
            "1 if the patch edits every file of the gold patch, else 0; the mean over tasks is "
            "the published percentage."
        ),
        "1 if patch ⊇ gold, else 0",
        _NO_PATCH,
        "A patch of all files of a repository has 1.",
        _AGENTLESS
        + ", at file level; also the file localisation of SWE-bench-Live and Multi-SWE-bench",
        ("src/config.py is not in the patch", 0.0),
        10,
    ),
    declared(
        "correct_location_line",
        "% correct location, lines",
        "1 if the patch changes every line that the gold patch changes, else 0.",
        "1 if lines of the patch ⊇ lines of the gold patch, else 0",
        _NO_LINES,
        _INSERTED + "The paper does not say how it counts insertions.",
        _AGENTLESS + ", at line level",
        ("the patch changes line 12 of src/app.py, the gold patch 12 and 13", 0.0),
        12,
    ),
    declared(
        "polybench_file_recall",
        "SWE-PolyBench file recall",
        "Share of the gold patch's files that the patch edits, by their names before the patch.",
        "|patch ∩ gold| / |gold|",
        _NO_PATCH,
        _OLD_PATHS + "The published table is the mean of values per task.",
        _POLYBENCH,
        ("src/app.py of src/app.py and src/config.py: 1 / 2", 0.5),
        20,
    ),
    declared(
        "polybench_file_precision",
        "SWE-PolyBench file precision",
        (
            "Share of all files of the patch, including test files, that the gold patch edits; "
            "0 for an empty patch."
        ),
        "|patch ∩ gold| / |patch|",
        _NO_PATCH,
        _OLD_PATHS
        + "An empty patch counts as 0 and lowers the mean; `patch_precision` leaves it out.",
        _POLYBENCH,
        ("src/app.py of src/app.py, docs/guide.md, tests/test_app.py and /dev/null: 1 / 4", 0.25),
        30,
    ),
    declared(
        "polybench_file_f1",
        "SWE-PolyBench file F1",
        "Harmonic mean of the two above, per task.",
        "2 · |patch ∩ gold| / (|patch| + |gold|)",
        _NO_PATCH,
        _OLD_PATHS
        + (
            "This is the mean of F1 per task. The F1 of mean recall and mean precision is "
            "another number, and larger if tasks differ."
        ),
        _POLYBENCH,
        ("2 · 1 / (4 + 2)", 0.3333),
        40,
    ),
    *(
        declared(
            f"locagent_file_acc@{k}",
            f"LocAgent Acc@{k}, files",
            (
                f"1 if the first {k} files hold as many files of the gold patch as {k} files can "
                "hold, else 0."
            ),
            f"1 if |first {k} ∩ gold| = min({k}, |gold|), else 0",
            _NO_GOLD.replace(", or says it without a gold patch (`no_gold_patch`)", "")
            + "; there is neither a ranked list nor a usable trace (`no_trace`, `empty_trace`, "
            "`answers_missing`, `subagents_unseen`, `older_document`), or the gold patch only "
            "creates files (`only_new_files`)",
            (
                "LocAgent cuts the ideal list at k, so a gold patch of three files can have Acc@1 of "
                f"1; `acc@{k}` asks for all gold files. In a trace, files are ranked by when their "
                "content was first shown; LocAgent ranks the files that its method names. Files "
                "that the gold patch creates are left out."
            ),
            _LOCAGENT,
            (
                (
                    "src/app.py, the first file shown, is gold: 1 of min(1, 2)"
                    if k == 1
                    else f"src/config.py was never shown: 1 of min({k}, 2)"
                ),
                float(k == 1),
            ),
            44 + k,
        )
        for k in LOCAGENT_CUTOFFS
    ),
    declared(
        "contextbench_editloc_recall",
        "ContextBench EditLoc recall",
        "Share of the lines that the gold patch changes that the patch changes too.",
        "|lines of the patch ∩ lines of the gold patch| / |lines of the gold patch|",
        _NO_LINES,
        _INSERTED + "Line numbers are those before the patches.",
        _EDITLOC,
        ("line 12 of src/app.py, of its lines 12 and 13: 1 / 2", 0.5),
        200,
        micro=True,
    ),
    declared(
        "contextbench_editloc_precision",
        "ContextBench EditLoc precision",
        "Share of the lines that the patch changes that the gold patch changes too.",
        "|lines of the patch ∩ lines of the gold patch| / |lines of the patch|",
        _NO_LINES + ", or the patch changes no line that existed (`nothing_submitted`)",
        _INSERTED + "Line numbers are those before the patches.",
        _EDITLOC,
        ("line 12 of src/app.py, of it and lines 1 and 2 of docs/guide.md: 1 / 3", 0.3333),
        210,
        micro=True,
    ),
)
