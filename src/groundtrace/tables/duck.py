"""duckdb: imported when used, with access only to its own tables."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

from groundtrace.errors import MissingExtraError

_MEMORY = "400MB"
"""What duckdb may keep of its tables in memory; the rest lies in the scratch folder. Its own limit
is 80 % of the machine's memory."""


def connect(scratch: Path) -> Any:
    """A database in a scratch folder, so that large tables go to disk."""
    try:
        duckdb = importlib.import_module("duckdb")
    except ImportError as error:
        raise MissingExtraError("SQL or Parquet", "tables") from error
    database = duckdb.connect(str(scratch / "tables.duckdb"))
    database.execute(f"SET temp_directory = {quoted(str(scratch))}")
    database.execute(f"SET memory_limit = {quoted(_MEMORY)}")
    # After two seconds it prints one to stdout, where `--json` and CSV go.
    database.execute("SET enable_progress_bar = false")
    database.execute("SET autoinstall_known_extensions = false")
    database.execute("SET autoload_known_extensions = false")
    return database


def close_off(database: Any) -> None:
    """After this call nothing outside the database can be read, written or loaded."""
    database.execute("SET enable_external_access = false")
    database.execute("SET lock_configuration = true")


def quoted(text: str) -> str:
    """A string literal of SQL."""
    return "'" + text.replace("'", "''") + "'"


def error_type() -> type[BaseException]:
    """What duckdb raises for a query that is wrong."""
    error: type[BaseException] = importlib.import_module("duckdb").Error
    return error
