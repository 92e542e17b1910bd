"""Published numbers at the level of functions, by their authors' rules (D219).

OrcaLoca's function match is Agentless' rule (D360). The nodes of SWE-PolyBench (classes and parts of
classes too) are left out, because their rule is not known well enough.
"""

from __future__ import annotations

from groundtrace.metrics.evidence import EvidenceView
from groundtrace.metrics.function_level import seen_functions
from groundtrace.metrics.published_number import Number, Published, declared, share

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
