"""The tables of the impact analysis: what comparisons and correlations say, one row per number.

Their columns are fields of the document, with the document's own descriptions. Their rows do not
belong to a trial, so they have other keys.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import NoneType
from typing import Annotated, Any, Literal, get_args, get_origin, get_type_hints

from msgspec import Struct

from groundtrace.documents.comparison import Delta, FinderDelta, MatchedComparison
from groundtrace.documents.impact import Correlation, ImpactDocument
from groundtrace.tables.columns import TABLES, Column, ColumnType

_TYPES: Mapping[Any, ColumnType] = {
    bool: "boolean",
    int: "integer",
    float: "number",
    str: "text",
}
_COMPARISON = ("run_scope", "suite", "baseline_config", "config", "n_matched_tasks")
"""Fields of a comparison that are repeated on each of its rows."""


def _columns(record: type[Struct], names: tuple[str, ...] | None = None) -> tuple[Column, ...]:
    """Columns for the fields of a record that have a single value."""
    hints = get_type_hints(record, include_extras=True)
    found = []
    for name in names or tuple(hints):
        kind = _column_type(hints[name])
        if kind is not None:
            found.append(Column(name, kind, record))
    return tuple(found)


def _column_type(hint: Any) -> ColumnType | None:
    """The type of a column for a field; None for lists and dictionaries."""
    while get_origin(hint) is Annotated:
        hint = get_args(hint)[0]
    if get_origin(hint) is Literal:
        return "text"
    if hint in _TYPES:
        return _TYPES[hint]
    kinds = {_column_type(part) for part in get_args(hint) if part is not NoneType}
    is_union = NoneType in get_args(hint)
    return next(iter(kinds)) if is_union and len(kinds) == 1 else None


_DELTA = _columns(Delta)
_CORRELATION = _columns(Correlation)
_FINDER = _columns(FinderDelta)

ANALYSIS_TABLES: Mapping[str, tuple[Column, ...]] = {
    "comparisons": (
        Column("kind", "text", "matched, or other (some pairs do not meet a requirement)."),
        *_columns(MatchedComparison, _COMPARISON),
        Column("not_met", "text", "Requirements that some pairs do not meet, separated by commas."),
        *_DELTA,
    ),
    "finders": (
        Column("kind", "text", "matched, or other (some pairs do not meet a requirement)."),
        *_columns(MatchedComparison, _COMPARISON),
        *_FINDER,
    ),
    "correlations": (
        Column("run_scope", "text", "Run id, or `*` for all runs."),
        *_CORRELATION,
    ),
}
"""Every table of the analysis by name."""

ALL_TABLES: Mapping[str, tuple[Column, ...]] = {**TABLES, **ANALYSIS_TABLES}
"""Tables of trials, then tables of the analysis."""


def analysis_rows(table: str, document: ImpactDocument | None) -> Iterator[tuple[Any, ...]]:
    """The rows of one of these tables, in the order of its columns; none without an analysis."""
    if document is not None:
        yield from _MAKERS[table](document)


def analysis_dicts(table: str, document: ImpactDocument | None) -> Iterator[dict[str, Any]]:
    """The same as dictionaries."""
    names = [column.name for column in ANALYSIS_TABLES[table]]
    for row in analysis_rows(table, document):
        yield dict(zip(names, row, strict=True))


def _keyed(document: ImpactDocument) -> Iterator[tuple[tuple[Any, ...], MatchedComparison]]:
    """Every comparison, with what is repeated on each of its rows."""
    both = (("matched", document.matched_comparisons), ("other", document.other_comparisons))
    for kind, comparisons in both:
        for one in comparisons:
            yield (kind, *(getattr(one, name) for name in _COMPARISON)), one


def _comparisons(document: ImpactDocument) -> Iterator[tuple[Any, ...]]:
    for key, one in _keyed(document):
        for delta in one.deltas:
            values = (getattr(delta, column.name) for column in _DELTA)
            yield (*key, ", ".join(one.not_met), *values)


def _finders(document: ImpactDocument) -> Iterator[tuple[Any, ...]]:
    for key, one in _keyed(document):
        for found in one.finders:
            yield (*key, *(getattr(found, column.name) for column in _FINDER))


def _correlations(document: ImpactDocument) -> Iterator[tuple[Any, ...]]:
    for one in document.correlation_analysis.correlations:
        yield (document.scope, *(getattr(one, column.name) for column in _CORRELATION))


_MAKERS = {"comparisons": _comparisons, "finders": _finders, "correlations": _correlations}
