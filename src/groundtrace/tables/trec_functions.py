"""TREC files at the level of functions: a document is a function, ranked by first sight.

A name has the function's first line (`path::Class.method#12`): a getter and its setter share a name.
"""

from __future__ import annotations

from collections.abc import Iterator

from groundtrace.documents.functions import FunctionLines
from groundtrace.metrics.evidence import EvidenceView
from groundtrace.metrics.function_level import seen_functions


def function_rankings(evidence: EvidenceView) -> Iterator[tuple[list[str], list[str]]]:
    """Needed functions and functions shown, if both are known."""
    seen = seen_functions(evidence)
    if seen.relevant and not {"function_recall", "functions_shown"} & seen.undefined.keys():
        yield [_name(one) for one in seen.relevant], [_name(one) for one in seen.shown]


def _name(one: FunctionLines) -> str:
    return f"{one.function}#{one.line_start}"
