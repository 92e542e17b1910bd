"""SQL over the tables, with everything else switched off."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Container, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from groundtrace.base.jsonio import clean_text
from groundtrace.documents.impact import ImpactDocument
from groundtrace.errors import UsageError
from groundtrace.rows.trial_row import Detail
from groundtrace.tables.analysis import ALL_TABLES
from groundtrace.tables.columns import SQL_TYPES
from groundtrace.tables.export import (
    close_off,
    connect,
    error_type,
    json_lines_table,
    write_json_lines,
)

_PLACE = re.compile(r"^LINE \d+: ", re.MULTILINE)
"""The text with which duckdb begins to show the place of an error."""


def _error(said: str) -> UsageError:
    """duckdb's message as one line, and the line of the query with the caret below it."""
    found = _PLACE.search(said)
    at = len(said) if found is None else found.start()
    words = " ".join(said[:at].split())
    return UsageError(f"{words} (tables: {', '.join(ALL_TABLES)})", said[at:].rstrip())


@dataclass(frozen=True, slots=True)
class QueryResult:
    """The result of a query."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]


_NO_ZONES = "a time with a time zone cannot be shown without the package pytz"
"""Instead of duckdb's message, which has a traceback in it."""
_CAST = "cast the value, such as now()::VARCHAR"


_WORD = re.compile(r"\w+")
_ANY_TABLE = re.compile(r"\bquery\w*\s*\(|\bduckdb_\w+|\b(?:summarize|export|pragma|call)\b")
"""What can use a table without its name, or tell its size."""


def _named(query: str) -> Container[str]:
    """The tables that a query needs: those whose names are words of it."""
    words = query.casefold()
    return ALL_TABLES if _ANY_TABLE.search(words) else ALL_TABLES.keys() & _WORD.findall(words)


def _is_wrong(database: Any, query: str) -> bool:
    """Whether a query cannot be planned, such as for a misspelt column: no table is filled for it.

    Without rows it fails as it would with them.
    """
    try:
        if len(database.extract_statements(query)) == 1:
            database.execute(f"EXPLAIN {query}")
    except (error_type(), ImportError):
        return True
    return False


def run_query(
    query: str, details: Iterable[Detail], analysis: ImpactDocument | None = None
) -> QueryResult:
    """The result of one query; raises UsageError with duckdb's message if the query is wrong."""
    if clean_text(query) != query:
        raise UsageError("the query is not UTF-8")
    with tempfile.TemporaryDirectory() as scratch, connect(Path(scratch)) as database:
        for table, fields in ALL_TABLES.items():
            typed = ", ".join(f'"{field.name}" {SQL_TYPES[field.type]}' for field in fields)
            database.execute(f"CREATE TABLE {table} ({typed})")
        wanted = () if _is_wrong(database, query) else _named(query)
        for table, path in write_json_lines(details, Path(scratch), analysis, wanted).items():
            database.execute(f"INSERT INTO {table} SELECT * FROM {json_lines_table(table, path)}")
            path.unlink()
        close_off(database)
        try:
            cursor = database.execute(query)
            if cursor is None:
                raise UsageError("the query is empty")
            columns = tuple(column[0] for column in cursor.description or ())
            rows = tuple(tuple(row) for row in cursor.fetchall()) if columns else ()
        except ImportError as error:
            # Times with a time zone need a package that duckdb does not install.
            raise UsageError(f"{_NO_ZONES}; {_CAST}") from error
        except error_type() as error:
            if "pytz" in str(error):
                raise UsageError(f"{_NO_ZONES}; {_CAST}") from error
            raise _error(str(error)) from error
    return QueryResult(columns, rows)
